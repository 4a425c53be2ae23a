//! Whether a task waits for nothing but timers that storage keeps: then its attempt can end.
//!
//! Whatever a future waits for has a clone of its waker. A task that may be parked is polled once more with a
//! waker that counts its clones, while its timers hide from it: if nobody has one, nothing but a timer can
//! wake the task.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
};

use superstep_core::{command::Output, future::BoxFuture, run::Halt, run::Suspension, sync::lock};

use crate::ctx::DynCtx;

type Future = BoxFuture<'static, Result<Output, Halt>>;

/// Passes wakes on, and knows of them.
struct Counted {
    waker: Waker,
    woken: AtomicBool,
}

impl Wake for Counted {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.woken.store(true, Ordering::Release);
        self.waker.wake_by_ref();
    }
}

/// Polls an attempt. One that is left with timers alone ends as suspended until the first of them.
pub(super) fn poll_parking(
    future: &mut Future,
    ctx: &DynCtx,
    cx: &mut Context<'_>,
) -> Poll<Result<Output, Halt>> {
    let polled = future.as_mut().poll(cx);
    if polled.is_ready() || lock(&ctx.0.progress).timers.is_empty() {
        return polled;
    }
    let counted = Arc::new(Counted {
        waker: cx.waker().clone(),
        woken: AtomicBool::new(false),
    });
    let waker = Waker::from(counted.clone());
    let polled = {
        let _hiding = Hiding::new(ctx);
        Pin::new(&mut *future).poll(&mut Context::from_waker(&waker))
    };
    if polled.is_ready() {
        return polled;
    }
    drop(waker);
    let is_idle = Arc::strong_count(&counted) == 1 && !counted.woken.load(Ordering::Acquire);
    let first = lock(&ctx.0.progress).timers.iter().min().copied();
    match first.filter(|_| is_idle) {
        Some(until) => Poll::Ready(Err(Halt::Suspended(Suspension::until(until)))),
        // A timer that began meanwhile has to see a waker.
        None => future.as_mut().poll(cx),
    }
}

/// Hides waits from the waker while this lives, also if the task panics.
struct Hiding<'a>(&'a DynCtx);

impl<'a> Hiding<'a> {
    fn new(ctx: &'a DynCtx) -> Self {
        lock(&ctx.0.progress).hides_waits = true;
        Self(ctx)
    }
}

impl Drop for Hiding<'_> {
    fn drop(&mut self) {
        lock(&self.0.0.progress).hides_waits = false;
    }
}
