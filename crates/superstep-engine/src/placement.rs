//! Where the attempts of a node run: with the others of its step, as tasks of their own, or on threads that may block.

use std::{panic::resume_unwind, sync::Arc};

use superstep_core::{command::Output, error::ErrorKind, future::BoxFuture, run::Halt, sync::lock};
use tokio::{runtime::Handle, sync::oneshot, task::JoinSet};

use crate::{ctx::DynCtx, instrument::LiveSpan, node::Node};

/// Where the attempts of a node run.
///
/// A task that runs elsewhere than with the others of its step is not parked: while it sleeps, its run keeps its
/// worker and its lease.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Placement {
    /// With the others of its step, until it waits for the first time. Work before that holds up the others.
    #[default]
    WithStep,
    /// As a task of the runtime from its beginning, which another thread of the runtime may take.
    Spawned,
    /// On a thread that may block. An attempt that is over its time, or whose run is cancelled, fails at once; its
    /// thread ends at its next wait.
    Blocking,
}

impl Placement {
    /// The node, in that place.
    pub(crate) fn place(self, node: Arc<dyn Node>) -> Arc<dyn Node> {
        match self {
            Self::WithStep => node,
            Self::Spawned | Self::Blocking => Arc::new(Placed { node, place: self }),
        }
    }
}

struct Placed {
    node: Arc<dyn Node>,
    place: Placement,
}

impl Node for Placed {
    fn run(&self, ctx: DynCtx) -> BoxFuture<'static, Result<Output, Halt>> {
        lock(&ctx.0.progress).is_elsewhere = true;
        let (node, place) = (self.node.clone(), self.place);
        Box::pin(async move {
            let mut task = JoinSet::new();
            // Dropped with the attempt, which ends a thread that waits.
            let (_attempt, mut over) = oneshot::channel::<()>();
            match place {
                Placement::Blocking => {
                    let span = LiveSpan::current();
                    let runtime = Handle::current();
                    task.spawn_blocking(move || {
                        runtime.block_on(span.within(async move {
                            tokio::select! {
                                biased;
                                _ = &mut over => Err(ErrorKind::TaskEnded.into()),
                                result = node.run(ctx) => result,
                            }
                        }))
                    });
                }
                _ => {
                    let work = async move { node.run(ctx).await };
                    drop(task.spawn(LiveSpan::current().within(work)));
                }
            }
            match task.join_next().await {
                Some(Ok(result)) => result,
                Some(Err(error)) if error.is_panic() => resume_unwind(error.into_panic()),
                _ => Err(ErrorKind::TaskEnded.into()),
            }
        })
    }
}
