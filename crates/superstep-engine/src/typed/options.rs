//! How a node is run.

use superstep_core::policy::{CachePolicy, RetryPolicy, Timeouts};

use super::{
    extract::Needs,
    handler::{AnyHandler, Handler},
    nodes::Nodes,
    state::State,
};
use crate::placement::Placement;

/// How a node is run; nothing special by default.
///
/// ```
/// # use serde::{Deserialize, Serialize};
/// # use superstep::{Failed, prelude::*};
/// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
/// # struct Mail { subject: String, reply: String, #[reduce(Append)] log: Vec<String> }
/// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
/// # enum Node { Draft, Check, Send }
/// use std::time::Duration;
///
/// let options = NodeOptions::<Mail, Node>::default()
///     .retry(RetryPolicy { max_attempts: 5, ..RetryPolicy::default() })
///     .timeouts(Timeouts { run: Some(Duration::from_secs(30)), ..Timeouts::default() })
///     .on_error(|failed: Failed<Node>| async move {
///         Mail::update().log([failed.error.message.to_string()])
///     });
/// # drop(options);
/// ```
pub struct NodeOptions<S, N> {
    /// Retries; the first policy that covers an error decides.
    pub retry: Vec<RetryPolicy>,
    /// Keeps results for equal inputs.
    pub cache: Option<CachePolicy>,
    /// Limits on an attempt.
    pub timeouts: Timeouts,
    /// How many tasks of it run at once; any number by default.
    pub max_concurrency: Option<usize>,
    pub(crate) placement: Placement,
    pub(crate) needs: Needs,
    pub(crate) on_error: Option<AnyHandler<S, N>>,
}

impl<S, N> Default for NodeOptions<S, N> {
    fn default() -> Self {
        Self {
            retry: Vec::new(),
            cache: None,
            timeouts: Timeouts::default(),
            max_concurrency: None,
            placement: Placement::default(),
            needs: Needs::default(),
            on_error: None,
        }
    }
}

impl<S: State, N: Nodes> NodeOptions<S, N> {
    /// Tries again after failures.
    #[must_use]
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.retry.push(policy);
        self
    }

    /// Keeps results for equal inputs.
    #[must_use]
    pub fn cache(mut self, policy: CachePolicy) -> Self {
        self.cache = Some(policy);
        self
    }

    /// Limits an attempt.
    #[must_use]
    pub fn timeouts(mut self, timeouts: Timeouts) -> Self {
        self.timeouts = timeouts;
        self
    }

    /// Runs at most so many tasks of it at once. Others wait, and their limits of time begin when they
    /// start. `RunOptions::max_concurrency` is the same for all nodes of a graph together.
    #[must_use]
    pub fn max_concurrency(mut self, tasks: usize) -> Self {
        self.max_concurrency = Some(tasks);
        self
    }

    /// Runs each task of it as a task of the runtime from its beginning, for work that keeps a processor busy. By default the
    /// nodes of a step begin one after the other on one thread, each up to its first wait.
    #[must_use]
    pub fn spawned(mut self) -> Self {
        self.placement = Placement::Spawned;
        self
    }

    /// Runs each task of it on a thread that may block, for synchronous calls and long computations. Time limits and
    /// cancellation fail the task at once; what its thread does is dropped at its next wait, so a call that blocks comes
    /// to its own end.
    #[must_use]
    pub fn blocking(mut self) -> Self {
        self.placement = Placement::Blocking;
        self
    }

    /// Declares more than the arguments of the node do: what it needs depends on values, such as the tools that it
    /// calls.
    #[must_use]
    pub fn needs(mut self, needs: Needs) -> Self {
        self.needs = needs;
        self
    }

    /// Runs in place of the node when it has failed for good; takes [`super::Failed`] besides what
    /// nodes take. The edges of the node do not fire then: a handler that is to lead somewhere returns a
    /// [`Command`](super::Command) that goes there, and the graph declares it with
    /// [`may_goto`](super::GraphBuilder::may_goto).
    #[must_use]
    pub fn on_error<Args, H: Handler<S, N, Args>>(mut self, handler: H) -> Self {
        self.on_error = Some(AnyHandler::new(handler));
        self
    }
}
