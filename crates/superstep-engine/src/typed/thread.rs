//! Looking at threads and editing them.

use std::sync::Arc;

use serde::Serialize;
use superstep_core::{
    archive::Archive,
    command::Output,
    edit::{self, AS_COPY},
    error::{Error, ErrorKind},
    id::{CheckpointId, ThreadId},
    record::Effect,
    saver::{self, HistoryQuery, Retained, Retention, ThreadPage, ThreadQuery},
};

use super::{checkpoint::Checkpoint, command::writes, graph::Graph, nodes::Nodes, state::State};
use crate::{
    options::CheckpointRef,
    settle::{UnknownEffect, WhichEffect},
    state::Depth,
    threads::Fit,
};

impl<S: State, N: Nodes> Graph<S, N> {
    /// The state of a thread: now, or at the checkpoint of [`Graph::at`].
    pub async fn state(&self, thread: impl Into<ThreadId>) -> Result<Checkpoint<S, N>, Error> {
        let thread = thread.into();
        let at = self.options.at.as_ref();
        Checkpoint::new(&self.inner.state(&thread, at, Depth::Here).await?)
    }

    /// All checkpoints of a thread, newest first.
    pub async fn history(
        &self,
        thread: impl Into<ThreadId>,
    ) -> Result<Vec<Checkpoint<S, N>>, Error> {
        self.history_of(thread, &HistoryQuery::default()).await
    }

    /// Some checkpoints of a thread, newest first.
    pub async fn history_of(
        &self,
        thread: impl Into<ThreadId>,
        query: &HistoryQuery,
    ) -> Result<Vec<Checkpoint<S, N>>, Error> {
        let snapshots = self
            .inner
            .history(&thread.into(), &"".into(), query)
            .await?;
        snapshots.iter().map(Checkpoint::new).collect()
    }

    /// Edits the state as if `node` had made the update; by default the node that ran last.
    /// What runs next follows from the edges of that node.
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
    /// graph.update_state("t", Mail::update().reply("by hand"), Some(Node::Draft)).await?;
    /// assert_eq!(graph.state("t").await?.next, [Node::Check]); // as if `Draft` had run
    /// let outcome = graph.resume("t").await?;
    /// assert_eq!(outcome.state().reply, "by hand");
    /// # Ok(()) }
    /// ```
    pub async fn update_state(
        &self,
        thread: impl Into<ThreadId>,
        update: impl Into<S::Update>,
        node: Option<N>,
    ) -> Result<CheckpointId, Error> {
        let output = Output::Writes(writes(update.into()));
        let as_node = node.map(|node| Arc::from(node.name()));
        self.edit(
            &thread.into(),
            self.options.at.as_ref(),
            edit::Update { output, as_node },
        )
        .await
    }

    /// Starts another branch of the thread at an older checkpoint, which becomes its newest.
    /// The old branch stays in the history.
    ///
    #[doc = include_str!("docs/graph/fork.md")]
    pub async fn fork(
        &self,
        thread: impl Into<ThreadId>,
        checkpoint: CheckpointId,
    ) -> Result<CheckpointId, Error> {
        let copy = edit::Update {
            output: Output::Nothing,
            as_node: Some(AS_COPY.into()),
        };
        let at = CheckpointRef {
            repeats: self.options.at.as_ref().is_some_and(|at| at.repeats),
            ..CheckpointRef::root(checkpoint)
        };
        self.edit(&thread.into(), Some(&at), copy).await
    }

    async fn edit(
        &self,
        thread: &ThreadId,
        at: Option<&CheckpointRef>,
        update: edit::Update,
    ) -> Result<CheckpointId, Error> {
        let made = self.inner.update_state(thread, at, update).await?;
        made.id.ok_or_else(|| ErrorKind::EmptyInput.into())
    }

    /// An effect whose outcome was unknown did happen, with this result: `ctx.once` returns it. It is named by its
    /// key; where several tasks have one with that key, by what [`Graph::unknown_effects`] lists.
    ///
    /// ```
    /// # use serde::{Deserialize, Serialize};
    /// # use superstep::prelude::*;
    /// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    /// # struct Mail { subject: String, reply: String, #[reduce(Append)] log: Vec<String> }
    /// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
    /// # enum Node { Draft, Check, Send }
    /// # async fn settle(graph: &Graph<Mail, Node>) -> Result<(), superstep::Error> {
    /// // `ctx.once("send", …)` has reported SS1202; the provider's log shows message 7.
    /// graph.settle_done("thread 1", "send", &7).await?;
    /// graph.resume("thread 1").await?;
    /// # Ok(()) }
    /// # let _ = settle;
    /// ```
    pub async fn settle_done<T: Serialize>(
        &self,
        thread: impl Into<ThreadId>,
        effect: impl Into<WhichEffect>,
        result: &T,
    ) -> Result<(), Error> {
        let result = serde_json::to_value(result).map_err(|error| ErrorKind::BadArgument {
            why: format!("the result cannot be written as data: {error}"),
        })?;
        let outcome = Effect::Done(result.into());
        self.inner.settle(&thread.into(), effect, &outcome).await
    }

    /// An effect whose outcome was unknown did not happen: `ctx.once` does it.
    pub async fn settle_undone(
        &self,
        thread: impl Into<ThreadId>,
        effect: impl Into<WhichEffect>,
    ) -> Result<(), Error> {
        self.inner
            .settle(&thread.into(), effect, &Effect::Failed)
            .await
    }

    /// The effects of a thread of which nobody knows whether they happened. Where several tasks have one with
    /// the same key, each is settled by what is listed here.
    pub async fn unknown_effects(
        &self,
        thread: impl Into<ThreadId>,
    ) -> Result<Vec<UnknownEffect>, Error> {
        self.inner.unknown_effects(&thread.into()).await
    }

    /// Removes a thread and all that belongs to it.
    pub async fn delete_thread(&self, thread: impl Into<ThreadId>) -> Result<(), Error> {
        self.inner.delete_thread(&thread.into()).await
    }

    /// Copies a thread under a new name; both continue independently.
    ///
    #[doc = include_str!("docs/graph/copy_thread.md")]
    pub async fn copy_thread(
        &self,
        from: impl Into<ThreadId>,
        to: impl Into<ThreadId>,
    ) -> Result<(), Error> {
        self.inner.copy_thread(&from.into(), &to.into()).await
    }

    /// Drops old checkpoints of a thread; it continues as before.
    ///
    #[doc = include_str!("docs/graph/prune_thread.md")]
    pub async fn prune_thread(
        &self,
        thread: impl Into<ThreadId>,
        keep: saver::Keep,
    ) -> Result<(), Error> {
        self.inner.prune_thread(&thread.into(), keep).await
    }

    /// The threads of the saver that a query wants, page by page, with what is going on with them; see
    /// [`crate::DynGraph::find_threads`].
    ///
    #[doc = include_str!("docs/graph/find_threads.md")]
    pub async fn find_threads(&self, query: &ThreadQuery) -> Result<ThreadPage, Error> {
        self.inner.find_threads(query).await
    }

    /// Deletes the threads of the saver that were not used for long, and drops old checkpoints of
    /// the others; see [`crate::DynGraph::retain_threads`].
    pub async fn retain_threads(&self, retention: &Retention) -> Result<Retained, Error> {
        self.inner.retain_threads(retention).await
    }

    /// All of a thread, to write it to a file or hand it to another saver.
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
    /// let archive = graph.export_thread("t").await?;
    /// graph.import_thread("copy", archive).await?;
    /// assert_eq!(graph.state("copy").await?.state.log, ["drafted"]);
    /// # Ok(()) }
    /// ```
    pub async fn export_thread(&self, thread: impl Into<ThreadId>) -> Result<Archive, Error> {
        self.inner.export_thread(&thread.into()).await
    }

    /// Makes a thread of an archive; it continues where the exported one was.
    pub async fn import_thread(
        &self,
        thread: impl Into<ThreadId>,
        archive: Archive,
    ) -> Result<(), Error> {
        self.inner.import_thread(&thread.into(), archive).await
    }

    /// Whether a thread can resume in this graph, and how; runs nothing. See
    /// [`crate::DynGraph::check_thread`].
    pub async fn check_thread(&self, thread: impl Into<ThreadId>) -> Result<Fit, Error> {
        self.inner.check_thread(&thread.into()).await
    }
}
