//! What the tasks of a run share, and what they request from its driver.

use std::sync::Arc;

use superstep_core::{
    ask::Answers,
    channel_state::ChannelState,
    checkpoint::Parents,
    error::ErrorKind,
    id::{CheckpointId, GraphPath},
    plan::{Plan, route::Window},
    record::Effect,
    run::{CallSpec, Halt, Replay},
    value::Value,
};
use tokio::sync::oneshot;

use super::{DynCtx, task_body::TaskBody};
use crate::{env::Env, requests::Requests};

/// What all tasks of one graph's run share.
pub(crate) struct RunInfo {
    pub(crate) plan: Arc<Plan>,
    pub(crate) env: Arc<Env>,
    pub(crate) namespace: GraphPath,
    pub(crate) nested: bool,
    pub(crate) parents: Parents,
    pub(crate) answers: Answers,
    pub(crate) above: Option<Above>,
    pub(crate) requests: Requests<Request>,
}

/// The task that runs another graph.
#[derive(Clone)]
pub(crate) struct Above {
    pub(crate) ctx: DynCtx,
    /// Which of its graphs that is.
    pub(crate) graph: u32,
}

/// One attempt of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Attempt {
    /// The number of the task in its step. Tasks of later steps have the same numbers.
    pub(crate) at: usize,
    /// Counts the attempts of all tasks of the graph's run.
    pub(crate) serial: u64,
}

impl RunInfo {
    /// Stores the graphs above up to where they are, so that a run that starts again finds its way
    /// to what this one stores.
    pub(super) async fn anchor(&self) -> Result<(), Halt> {
        let above =
            std::iter::successors(self.above.as_ref(), |above| above.ctx.0.step.above.as_ref());
        let above: Vec<_> = above.collect();
        for Above { ctx, .. } in above.into_iter().rev() {
            let (run, task) = (&ctx.0.step.run, ctx.0.task);
            run.request(|reply| Request::Anchor { task, reply }).await?;
        }
        Ok(())
    }

    /// Requests something from the driver of the run, and waits for it. A run that has ended, or in which the
    /// task has, does nothing.
    pub(super) async fn request<T>(
        &self,
        request: impl FnOnce(oneshot::Sender<T>) -> Request,
    ) -> Result<T, Halt> {
        let (reply, answer) = oneshot::channel();
        let sent = self.requests.send(request(reply));
        sent.map_err(|_closed| ErrorKind::TaskEnded)?;
        answer.await.map_err(|_dropped| ErrorKind::TaskEnded.into())
    }
}

/// What the tasks of one step share. Every task has its own, so that nobody holds the channel state when
/// the last of them ends: the step's writes then go in place.
pub(crate) struct StepInfo {
    pub(crate) run: Arc<RunInfo>,
    pub(crate) channels: Arc<dyn ChannelState>,
    pub(crate) checkpoint: CheckpointId,
    pub(crate) window: Window,
    pub(crate) resuming: Option<bool>,
    pub(crate) replay: Option<Replay>,
}

impl std::ops::Deref for StepInfo {
    type Target = RunInfo;

    fn deref(&self) -> &RunInfo {
        &self.run
    }
}

/// What a running task wants from the run.
pub(crate) enum Request {
    Call {
        by: Attempt,
        n: u32,
        spec: CallSpec,
        body: TaskBody,
        reply: oneshot::Sender<Result<Value, Halt>>,
    },
    Journal {
        task: Attempt,
        key: String,
        effect: Effect,
        answers: Vec<Value>,
        reply: oneshot::Sender<()>,
    },
    Anchor {
        task: Attempt,
        reply: oneshot::Sender<()>,
    },
    HasTwin {
        task: Attempt,
        reply: oneshot::Sender<bool>,
    },
}
