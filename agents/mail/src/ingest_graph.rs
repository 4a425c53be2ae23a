//! The graph `mail_ingest`: takes in new mail, as `superstep mail ingest` does, so that schedules of the server can run it.
//!
//! Each mail gets its thread, which is served like any other; the state ends with what became of each. Whether anything
//! leaves is the account's setting: `mode` says so.

use serde::{Deserialize, Serialize};
use superstep::{
    Graph, NodeError, Nodes, Snap, State,
    schemars::{self, JsonSchema},
};

use crate::{AgentError, IngestOptions, Ingested, MailAgent, Mode};

/// Which mail is taken in, and what became of it.
#[derive(Clone, Debug, Default, Serialize, Deserialize, State, JsonSchema)]
pub struct IngestState {
    /// Only what arrived in so many minutes.
    minutes_since: Option<u64>,
    /// Also what was read before.
    include_read: bool,
    /// Only from senders whose address contains one of these.
    from: Vec<String>,
    /// Only with one of these in the subject.
    subject: Vec<String>,
    /// At most so many.
    limit: Option<usize>,
    /// Whether what is approved is done: `dry run` or `for real`.
    mode: String,
    /// The mails that were taken in.
    taken: Vec<Taken>,
}

/// A mail that was taken in.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Taken {
    mail: String,
    /// Its thread, as clients know it.
    thread_id: String,
    result: String,
}

/// The nodes of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
pub enum IngestNode {
    /// Takes in what arrived.
    Ingest,
}

/// The graph over the mailbox of an assistant. `thread_id` is the id of a thread as clients know it, by its name.
pub fn graph(
    agent: &MailAgent,
    thread_id: fn(&str) -> String,
) -> Result<Graph<IngestState, IngestNode>, AgentError> {
    let agent = agent.clone();
    let ingest = move |state: Snap<IngestState>| {
        let agent = agent.clone();
        async move {
            let options = IngestOptions {
                minutes_since: state.minutes_since,
                include_read: state.include_read,
                from: state.from.clone(),
                subject: state.subject.clone(),
                limit: state.limit,
                rerun: false,
            };
            let taken = agent.ingest(&options).await?;
            let taken = taken.into_iter().map(|intake| Taken {
                mail: intake.mail.0,
                thread_id: thread_id(&intake.thread),
                result: became(&intake.result),
            });
            let mode = mode(agent.mode()).to_owned();
            let update = IngestState::update().mode(mode);
            Ok::<_, NodeError>(update.taken(taken.collect::<Vec<_>>()))
        }
    };
    let graph = Graph::<IngestState, IngestNode>::builder()
        .name("mail_ingest")
        .node(IngestNode::Ingest, ingest)
        .start(IngestNode::Ingest)
        .finish(IngestNode::Ingest)
        .build();
    graph.map_err(AgentError::Graph)
}

/// A mode in words.
pub fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Dry => "dry run",
        Mode::Send => "for real",
    }
}

fn became(result: &Ingested) -> String {
    match result {
        Ingested::Done => "done".to_owned(),
        Ingested::Waiting(1) => "waiting: 1 open question".to_owned(),
        Ingested::Waiting(questions) => format!("waiting: {questions} open questions"),
        Ingested::Known => "looked at before".to_owned(),
        Ingested::Queued => "queued".to_owned(),
        Ingested::Failed { code, why } => format!("failed [{code}]: {why}"),
    }
}
