//! One attempt of a task as a future: panics and time limits become errors of the task.

use std::{
    any::Any,
    future::{Future, poll_fn},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use superstep_core::{
    command::Output,
    error::{ErrorKind, Limit, panic_message},
    future::BoxFuture,
    policy::Timeouts,
    run::{Done, Halt},
};
use tokio::time::Instant;

use super::idle::poll_parking;
use crate::{
    ctx::{DynCtx, Heartbeat, TaskProgress},
    instrument::LiveSpan,
    metrics::{Measured, TaskEnding},
};
use superstep_core::sync::lock;

/// An attempt under way; a panic becomes an error of the task.
pub(super) struct RunningAttempt {
    pub(super) future: BoxFuture<'static, Result<Output, Halt>>,
    pub(super) ctx: DynCtx,
    /// Whether there may be another attempt: a failure can lead to one, and a mistake in its result too.
    pub(super) repeats: bool,
    pub(super) span: LiveSpan,
    /// When it began, if that is measured.
    pub(super) began: Option<Instant>,
}

/// What a task did, and what it remembers if it may be tried again.
pub(super) struct AttemptEnd {
    pub(super) done: Done,
    pub(super) progress: Option<Box<TaskProgress>>,
}

impl Future for RunningAttempt {
    type Output = AttemptEnd;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<AttemptEnd> {
        let polled = catch_unwind(AssertUnwindSafe(|| {
            let Self {
                future, ctx, span, ..
            } = &mut *self;
            let _entered = span.enter();
            poll_parking(future, ctx, cx)
        }));
        let result = match polled {
            Ok(Poll::Pending) => return Poll::Pending,
            Ok(Poll::Ready(result)) => result,
            Err(panic) => Err(panicked(&*panic)),
        };
        let mut progress = lock(&self.ctx.0.progress);
        let result = match result {
            Ok(_) if progress.suspended => Err(ErrorKind::SwallowedAsk.into()),
            other => other,
        };
        let answers = progress.answers.used();
        let journal = progress.journal.as_mut();
        let effects = journal.map_or_else(Vec::new, |journal| std::mem::take(&mut journal.fresh));
        let streamed = std::mem::take(&mut progress.streamed);
        let seen_below = std::mem::take(&mut progress.seen_below);
        let kept = self.repeats.then(|| Box::new(progress.end()));
        progress.ended = true;
        drop(progress);
        self.notice(&result);
        Poll::Ready(AttemptEnd {
            done: Done {
                result,
                answers,
                effects,
                streamed,
                seen_below,
            },
            progress: kept,
        })
    }
}

impl RunningAttempt {
    /// Says how it ended to those who watch.
    fn notice(&self, result: &Result<Output, Halt>) {
        let ending = match result {
            Ok(_) | Err(Halt::Parent(_)) => TaskEnding::Done,
            Err(Halt::Suspended(_)) => TaskEnding::Suspended,
            Err(Halt::Error(error)) => TaskEnding::Failed(error.code()),
        };
        if let TaskEnding::Failed(code) = ending {
            self.span.failed(code);
        }
        let Some(began) = self.began else { return };
        let step = &self.ctx.0.step;
        step.env.measure(|| Measured::Task {
            graph: &step.plan.name,
            node: self.ctx.node(),
            took: began.elapsed(),
            ending,
        });
    }
}

/// A task that is dropped has ended as well: it ran too long, or its run is over.
impl Drop for RunningAttempt {
    fn drop(&mut self) {
        lock(&self.ctx.0.progress).ended = true;
    }
}

fn panicked(panic: &(dyn Any + Send)) -> Halt {
    let message = panic_message(panic).unwrap_or_else(|| "without a message".to_owned());
    ErrorKind::Panicked { message }.into()
}

/// Making the future runs user code too.
pub(super) fn guarded(
    make: impl FnOnce() -> BoxFuture<'static, Result<Output, Halt>>,
) -> BoxFuture<'static, Result<Output, Halt>> {
    match catch_unwind(AssertUnwindSafe(make)) {
        Ok(future) => future,
        Err(panic) => Box::pin(std::future::ready(Err(panicked(&*panic)))),
    }
}

/// Ends an attempt that takes too long or is silent for too long.
pub(super) fn limited(
    mut future: BoxFuture<'static, Result<Output, Halt>>,
    ctx: DynCtx,
    limits: Timeouts,
) -> BoxFuture<'static, Result<Output, Halt>> {
    let over = |limit, after| Err(ErrorKind::TimedOut { limit, after }.into());
    Box::pin(async move {
        let end = limits.run.map(|run| Instant::now() + run);
        loop {
            let silent = ctx
                .0
                .heartbeat
                .as_ref()
                .map_or(Duration::ZERO, Heartbeat::silence);
            if let Some(idle) = limits.idle
                && silent >= idle
            {
                return over(Limit::Idle, idle);
            }
            let quiet = limits.idle.map(|idle| Instant::now() + (idle - silent));
            let next = [end, quiet].into_iter().flatten().min();
            let Some(next) = next else {
                return future.await;
            };
            let mut polled_at = Instant::now();
            let polled = poll_fn(|cx| {
                polled_at = Instant::now();
                future.as_mut().poll(cx)
            });
            tokio::select! {
                biased;
                result = polled => return match (end, limits.run) {
                    // It kept its thread until after its time, so that no timer could end it.
                    (Some(end), Some(run)) if polled_at < end && Instant::now() > end => {
                        over(Limit::Run, run)
                    }
                    _ => result,
                },
                () = ctx.hidden(tokio::time::sleep_until(next)) => {
                    if let (Some(end), Some(run)) = (end, limits.run)
                        && Instant::now() >= end
                    {
                        return over(Limit::Run, run);
                    }
                }
            }
        }
    })
}
