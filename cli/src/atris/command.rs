//! Commands that are suggested for a thread. They work as they are printed: they ask the hosts that the
//! question was asked of, and an answer to a question about a call is for the host that it names.

use serde_json::Value as Json;
use superstep::{
    OpenAsk,
    tools::{Approval, OutcomeQuestion},
};
use superstep_atris::USUAL_HOST;

use super::{
    options::FAKE,
    said::{changes, host_of},
};
use crate::{
    args::{AtrisOptions, Global},
    shell_words::quoted,
};

/// The command that answers a question: with the options of this one, or with the host that the question
/// names if that is not asked here.
pub(super) fn answering(
    thread: &str,
    ask: &OpenAsk,
    options: &AtrisOptions,
    (is_asked_here, global): (bool, &Global),
) -> String {
    let mut line = format!("superstep atris answer {} ANSWER", quoted(thread));
    let own = match options.fake {
        true => vec![FAKE.to_owned()],
        false => options.host.clone(),
    };
    match host_of(ask) {
        Some(host) if !is_asked_here => push_hosts(&mut line, &[host]),
        _ => push_hosts(&mut line, &own),
    }
    let switches = [
        (options.no_model, " --no-model"),
        (options.writes || changes(ask), " --writes"),
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

/// The command that resumes a thread, by its stored state, the kinds of its questions, and whether one is open.
pub(crate) fn resuming(
    thread: &str,
    state: &Json,
    (kinds, is_open): (&[Option<&str>], bool),
    global: &Global,
) -> String {
    let mut line = format!("superstep atris answer {}", quoted(thread));
    if is_open {
        line.push_str(" ANSWER");
    }
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
    if method.is_some_and(|method| method != "GET") && kinds.iter().copied().any(is_call) {
        line.push_str(" --writes");
    }
    push_database(&mut line, global);
    line
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
