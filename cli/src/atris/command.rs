//! Commands that are suggested for a thread. They work as they are printed: they ask the hosts that the
//! question was asked of, an answer to a question about a call is for the host that it names, and the command answers
//! the question that it was printed for and no other one that may be open by then.

use serde_json::Value as Json;
use superstep::{
    AskId, OpenAsk,
    tools::{Approval, OutcomeQuestion},
};
use superstep_atris::{USUAL_HOST, changes};

use super::options::FAKE;
use crate::{
    args::{AtrisOptions, Global},
    question_id,
    shell_words::quoted,
};

/// The command that answers a question, or resumes the thread: with the options of this one, or with the host that
/// the question names if that is another one.
pub(super) fn answering(
    thread: &str,
    ask: Option<&OpenAsk>,
    options: &AtrisOptions,
    (host, global): (Option<&str>, &Global),
) -> String {
    let mut line = begun(thread, ask.map(|ask| ask.id));
    let own = match options.fake {
        true => vec![FAKE.to_owned()],
        false => options.host.clone(),
    };
    match host {
        Some(host) => push_hosts(&mut line, &[host.to_owned()]),
        None => push_hosts(&mut line, &own),
    }
    let switches = [
        (options.no_model, " --no-model"),
        (options.writes || ask.is_some_and(changes), " --writes"),
        (options.explain, " --explain"),
        (global.offline, " --offline"),
        (global.json, " --json"),
    ];
    for (_, switch) in switches.iter().filter(|(is_on, _)| *is_on) {
        line.push_str(switch);
    }
    if let Some(model) = &global.model {
        line.push_str(&format!(" --model {}", quoted(model)));
    }
    push_database(&mut line, global);
    line
}

/// A question that a stored thread waits for: its id and its kind.
pub(crate) type StoredAsk<'a> = (AskId, Option<&'a str>);

/// The command that resumes a thread, by its stored state and its open questions, of which the first is answered.
pub(crate) fn resuming(
    thread: &str,
    state: &Json,
    asks: &[StoredAsk<'_>],
    global: &Global,
) -> String {
    let mut line = begun(thread, asks.first().map(|(id, _)| *id));
    let text = |name: &str| state.get(name).and_then(Json::as_str).map(str::to_owned);
    let asked = state.get("asked_of").and_then(Json::as_array);
    let asked = asked.into_iter().flatten().filter_map(Json::as_str);
    let hosts = match text("bound_host") {
        Some(bound) => vec![bound],
        None => asked.map(str::to_owned).collect(),
    };
    push_hosts(&mut line, &hosts);
    let method = state.pointer("/best_api/method").and_then(Json::as_str);
    let is_call = |kind: Option<&str>| {
        use superstep::Ask as _;
        [Some(Approval::KIND), Some(OutcomeQuestion::KIND)].contains(&kind)
    };
    if method.is_some_and(|method| method != "GET") && asks.iter().any(|(_, kind)| is_call(*kind)) {
        line.push_str(" --writes");
    }
    push_database(&mut line, global);
    line
}

/// The beginning of both: the thread, and the question that is answered.
fn begun(thread: &str, question: Option<AskId>) -> String {
    let line = format!("superstep atris answer {}", quoted(thread));
    match question {
        Some(id) => format!("{line} ANSWER --question {}", question_id::short(id)),
        None => line,
    }
}

fn push_hosts(line: &mut String, hosts: &[String]) {
    for host in hosts.iter().filter(|host| *host != USUAL_HOST) {
        match host == FAKE {
            true => line.push_str(" --fake"),
            false => line.push_str(&format!(" --host {}", quoted(host))),
        }
    }
}

fn push_database(line: &mut String, global: &Global) {
    if let Some(db) = &global.db {
        line.push_str(&format!(" --db {}", quoted(&db.display().to_string())));
    }
}
