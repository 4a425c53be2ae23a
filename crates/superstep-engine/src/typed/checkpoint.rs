//! A thread as it was at one checkpoint.

use std::sync::Arc;

use superstep_core::{
    clock::UnixMillis,
    error::Error,
    id::{CheckpointId, RunId},
    record::{Source, StoredError},
    snapshot::Snapshot,
    value::Value,
};

use super::{ask::OpenAsk, channel_state::whole_state, nodes::Nodes, snap::Snap, state::State};

/// The state of a thread at one checkpoint.
///
/// ```
/// # use serde::{Deserialize, Serialize};
/// # use superstep::prelude::*;
/// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
/// # struct Mail { subject: String, reply: String, #[reduce(Append)] log: Vec<String> }
/// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
/// # enum Node { Draft, Check, Send }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let graph = Graph::<Mail, Node>::builder().saver(MemorySaver::default())
/// #     .node(Node::Draft, || async { Mail::update().log(["drafted".to_owned()]) })
/// #     .node(Node::Check, || async {}).node(Node::Send, || async {})
/// #     .start(Node::Draft).edge(Node::Draft, Node::Check).edge(Node::Check, Node::Send)
/// #     .finish(Node::Send).build()?;
/// graph.run("t", Mail::default()).await?;
/// for checkpoint in graph.history("t").await? {
///     println!("{:?}: {:?} runs next", checkpoint.id, checkpoint.next);
/// }
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Checkpoint<S, N> {
    /// The checkpoint; nothing on a thread that never ran.
    pub id: Option<CheckpointId>,
    /// The one before.
    pub parent: Option<CheckpointId>,
    /// The state.
    pub state: Snap<S>,
    /// Nodes that run next. Empty when the thread is done, and also while its input waits to be
    /// taken: [`Checkpoint::is_done`] knows the difference.
    pub next: Vec<N>,
    /// Open questions.
    pub asks: Vec<OpenAsk>,
    /// Nodes of the step that failed.
    pub errors: Vec<(N, StoredError)>,
    /// Where the checkpoint comes from, and its step.
    pub origin: Option<(Source, i64)>,
    /// Nodes that were about to run and that the graph no longer has: the thread cannot be continued
    /// as it is.
    pub lost: Vec<Arc<str>>,
    /// When the checkpoint was made, in milliseconds since 1970, if its id says so: ids of the system's
    /// clock do.
    pub created: Option<UnixMillis>,
    /// The run that made it, in a history; an edit has none.
    pub run: Option<RunId>,
    /// The metadata of that run.
    pub metadata: Value,
    is_done: bool,
}

impl<S, N> Checkpoint<S, N> {
    /// Whether nothing is left to run. A thread whose input was stored and of which no node has run
    /// yet, because the process ended, is not done: [`Graph::resume`](super::Graph::resume) runs it.
    pub fn is_done(&self) -> bool {
        self.is_done
    }
}

impl<S: State, N: Nodes> Checkpoint<S, N> {
    pub(crate) fn new(snapshot: &Snapshot) -> Result<Self, Error> {
        let failed = snapshot
            .tasks
            .iter()
            .filter_map(|task| Some((N::parse(&task.name)?, task.error.clone()?)));
        Ok(Self {
            id: snapshot.checkpoint,
            parent: snapshot.parent,
            state: Snap(whole_state(&snapshot.values)?),
            next: snapshot
                .next
                .iter()
                .filter_map(|name| N::parse(name))
                .collect(),
            asks: snapshot.asks().map(OpenAsk::from).collect(),
            errors: failed.collect(),
            origin: snapshot.origin,
            lost: snapshot.lost.clone(),
            created: snapshot.created,
            run: snapshot.run,
            metadata: snapshot.metadata.clone(),
            is_done: snapshot.next.is_empty() && snapshot.lost.is_empty(),
        })
    }
}
