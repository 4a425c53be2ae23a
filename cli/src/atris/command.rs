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
    let hosts = match host {
        Some(host) => vec![host.to_owned()],
        None if options.fake => vec![FAKE.to_owned()],
        None => options.host.clone(),
    };
    let switches = [
        (options.no_model, "--no-model"),
        (options.writes || ask.is_some_and(changes), "--writes"),
        (options.explain, "--explain"),
        (global.offline, "--offline"),
        (global.json, "--json"),
    ];
    let switches = switches.iter().filter(|(is_on, _)| *is_on);
    let switches = switches.map(|(_, switch)| (*switch).to_owned());
    let model = global.model.iter();
    let model = model.map(|model| format!("--model {}", quoted(model)));
    let question = ask.map(|ask| ask.id);
    line(thread, question, &hosts, switches.chain(model), global)
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
    let asked = state.get("asked_of").and_then(Json::as_array);
    let asked = asked.into_iter().flatten().filter_map(Json::as_str);
    let hosts = match state.get("bound_host").and_then(Json::as_str) {
        Some(bound) => vec![bound.to_owned()],
        None => asked.map(str::to_owned).collect(),
    };
    let method = state.pointer("/best_api/method").and_then(Json::as_str);
    let is_call = |kind: Option<&str>| {
        use superstep::Ask as _;
        [Some(Approval::KIND), Some(OutcomeQuestion::KIND)].contains(&kind)
    };
    let writes =
        method.is_some_and(|method| method != "GET") && asks.iter().any(|(_, kind)| is_call(*kind));
    let question = asks.first().map(|(id, _)| *id);
    let writes = writes.then(|| "--writes".to_owned());
    line(thread, question, &hosts, writes, global)
}

/// The command with the thread, the question that is answered, the hosts, and options.
fn line(
    thread: &str,
    question: Option<AskId>,
    hosts: &[String],
    options: impl IntoIterator<Item = String>,
    global: &Global,
) -> String {
    let mut words = vec![format!("superstep atris answer {}", quoted(thread))];
    words.extend(question.map(|id| format!("ANSWER --question {}", question_id::short(id))));
    let hosts = hosts.iter().filter(|host| *host != USUAL_HOST);
    words.extend(hosts.map(|host| match host == FAKE {
        true => "--fake".to_owned(),
        false => format!("--host {}", quoted(host)),
    }));
    words.extend(options);
    let db = global.db.as_ref().map(|db| db.display().to_string());
    words.extend(db.map(|db| format!("--db {}", quoted(&db))));
    words.join(" ")
}
