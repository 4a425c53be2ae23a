//! The end of a run before its time: tasks are dropped where they wait, but for those that look out
//! for it or are in the middle of an effect. These have a little time to end by themselves.

use std::{future::poll_fn, sync::Weak, time::Duration};

use superstep_core::{
    error::ErrorKind,
    run::{Act, Loop, Stop},
};
use tokio::{
    task::{AbortHandle, JoinSet},
    time::Instant,
};

use super::{Driver, Woken};
use crate::ctx::{CtxInner, DynCtx, Request};

/// How often tasks are looked at that are left after their time.
const AGAIN: Duration = Duration::from_millis(200);

/// How to end spawned tasks before their time.
#[derive(Default)]
pub(super) struct Handles {
    all: Vec<(AbortHandle, Weak<CtxInner>)>,
    /// So many are kept before those of tasks that have ended are dropped.
    room: usize,
}

impl Handles {
    pub(super) fn add(&mut self, handle: AbortHandle, ctx: Weak<CtxInner>) {
        if self.all.len() >= self.room.max(64) {
            self.all.retain(|(handle, _)| !handle.is_finished());
            self.room = self.all.len() * 2;
        }
        self.all.push((handle, ctx));
    }

    pub(super) fn clear(&mut self) {
        self.all.clear();
    }

    /// Ends all tasks but those that the rule spares.
    fn end_all_but(&mut self, spare: impl Fn(&DynCtx) -> bool) {
        self.all.retain(|(handle, ctx)| {
            let spared = ctx.upgrade().is_some_and(|ctx| spare(&DynCtx(ctx)));
            if !spared {
                handle.abort();
            }
            spared
        });
    }
}

impl Driver<'_> {
    /// Ends the run before its time. What tasks finish meanwhile is kept; nothing new is started.
    pub(super) async fn wind_down(&mut self, run: &mut Loop, why: ErrorKind) -> Stop {
        self.starting.clear();
        self.handles.end_all_but(DynCtx::has_grace);
        let mut end = Instant::now() + self.env.grace;
        loop {
            tokio::select! {
                biased;
                request = poll_fn(|cx| self.info.0.requests.poll_next(cx)) => {
                    // The reply of a call is dropped, which its caller sees.
                    if !matches!(*request, Request::Call { .. })
                        && let Some(stop) = self.request(run, request).await
                    {
                        return stop;
                    }
                }
                woken = join_next(&mut self.spawned) => match woken {
                    None => break,
                    Some(Woken::Done(at, ended)) => {
                        self.ended(run, at, *ended);
                        if let Some(stop) = self.settle(run).await {
                            return stop;
                        }
                    }
                    Some(Woken::Again(_) | Woken::Due(_)) => {}
                },
                () = tokio::time::sleep_until(end) => {
                    // A graph inside a task has the same limit, and then stores how far it is.
                    self.handles.end_all_but(DynCtx::has_inside);
                    end = Instant::now() + AGAIN;
                }
            }
        }
        run.halt(why.into());
        let stop = self.settle(run).await;
        // A loop that was halted stops.
        stop.unwrap_or(Stop::Done)
    }

    /// Does what the loop has decided, but starts nothing.
    async fn settle(&mut self, run: &mut Loop) -> Option<Stop> {
        while let Some(act) = run.next_act() {
            match act {
                Act::Run(_) | Act::Wait(_) => {}
                Act::Stop(stop) => return Some(stop),
                other => {
                    if let Err(error) = self.act(run, other).await {
                        return Some(Stop::Failed(error.at_thread(self.env.thread.as_ref())));
                    }
                }
            }
        }
        None
    }
}

/// The next task that ended by itself; nothing when all have ended.
async fn join_next(spawned: &mut Option<JoinSet<Woken>>) -> Option<Woken> {
    loop {
        if let Ok(woken) = spawned.as_mut()?.join_next().await? {
            return Some(woken);
        }
    }
}
