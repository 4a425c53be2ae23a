//! Time and the end of a run, as a typed task sees them: durable timers, cancellation.

use std::time::{Duration, SystemTime};

use superstep_core::id::RunId;

use super::{Ctx, NodeError};

impl Ctx {
    /// Waits for so long, as a durable timer: the time to wake up at is stored first. Another
    /// attempt of the task, in this process or after a restart, waits for the rest only, or not at
    /// all if the time has come meanwhile.
    ///
    /// Within a step, the n-th wait of a task is the same on every attempt.
    #[doc = include_str!("../../docs/sleep.md")]
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
    /// use std::time::Duration;
    ///
    /// async fn remind(ctx: Ctx) -> Result<MailUpdate, NodeError> {
    ///     ctx.sleep(Duration::from_millis(10)).await?; // or three days
    ///     Ok(Mail::update().log(["reminded".to_owned()]))
    /// }
    /// # let graph = Graph::<Mail, Node>::builder().saver(MemorySaver::default())
    /// #     .node(Node::Draft, remind).node(Node::Check, || async {}).node(Node::Send, || async {})
    /// #     .start(Node::Draft).edge(Node::Draft, Node::Check).edge(Node::Check, Node::Send)
    /// #     .finish(Node::Send).build()?;
    /// assert_eq!(graph.run("t", Mail::default()).await?.state().log, ["reminded"]);
    /// # Ok(()) }
    /// ```
    pub async fn sleep(&self, duration: Duration) -> Result<(), NodeError> {
        self.0.sleep(duration).await.map_err(NodeError::halt)
    }

    /// [`Ctx::sleep`] until a time. The time of the first attempt counts.
    pub async fn sleep_until(&self, time: SystemTime) -> Result<(), NodeError> {
        self.0.sleep_until(time).await.map_err(NodeError::halt)
    }

    /// Ready once the run was cancelled or its deadline has passed; never otherwise.
    ///
    /// Then a task is dropped where it waits, and with it the requests and child processes that it
    /// holds. One that waits for this as well is notified instead, and has
    /// [`RunOptions::grace`](crate::RunOptions::grace) to clean up and return. What it returns then is
    /// kept if it is a result; an error is not recorded, and the task runs again when the thread
    /// resumes.
    ///
    /// ```
    /// # use serde::{Deserialize, Serialize};
    /// # use superstep::prelude::*;
    /// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    /// # struct Mail { subject: String, reply: String, #[reduce(Append)] log: Vec<String> }
    /// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
    /// # enum Node { Draft, Check, Send }
    /// # async fn compose() -> String { "hello".to_owned() }
    /// async fn draft(ctx: Ctx) -> Result<MailUpdate, NodeError> {
    ///     tokio::select! {
    ///         text = compose() => Ok(Mail::update().reply(text)),
    ///         () = ctx.cancelled() => Ok(Mail::update().reply("(unfinished)")),
    ///     }
    /// }
    /// # let _ = draft;
    /// ```
    pub async fn cancelled(&self) {
        self.0.cancelled().await;
    }

    /// Whether the run was cancelled or its deadline has passed. For loops that do not wait for
    /// anything, such as those on the blocking pool, which nobody can drop.
    ///
    /// ```
    /// # use serde::{Deserialize, Serialize};
    /// # use superstep::prelude::*;
    /// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    /// # struct Mail { subject: String, reply: String, #[reduce(Append)] log: Vec<String> }
    /// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
    /// # enum Node { Draft, Check, Send }
    /// async fn draft(ctx: Ctx) -> Result<MailUpdate, NodeError> {
    ///     let count = move || (0..1_000_000).take_while(|_| !ctx.is_cancelled()).count();
    ///     let counted = tokio::task::spawn_blocking(count).await?;
    ///     Ok(Mail::update().log([counted.to_string()]))
    /// }
    /// # let _ = draft;
    /// ```
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }

    /// The run, if it is recorded: a graph with a saver records all its runs.
    pub fn run_id(&self) -> Option<RunId> {
        self.0.run_id()
    }
}
