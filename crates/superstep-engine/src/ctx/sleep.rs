//! Waiting for a time, durably: the time is stored before the wait. A long wait ends the attempt.

use std::{
    future::{Future, poll_fn},
    pin::pin,
    sync::atomic::Ordering,
    task::Poll,
    time::{Duration, SystemTime},
};

use superstep_core::{
    clock::{UnixMillis, expiry},
    error::ErrorKind,
    record::Effect,
    run::Halt,
    sync::lock,
    value::Value,
};

use super::{DynCtx, Heartbeat};
use crate::clock::{unix_millis, until};

/// A wait that lasts longer parks its task. Parking costs about what a step costs: two commits, a claim, and
/// the task from its top. Below this a waiting task is cheaper, and a pause between two attempts does not
/// repeat what came before it.
const PARKS: Duration = Duration::from_secs(5);

impl DynCtx {
    /// Waits for so long, as a durable timer: the time to wake up at is stored first. Another
    /// attempt of the task, in this process or after a restart, waits for the rest only, or not at
    /// all if the time has come meanwhile.
    ///
    /// A task is another one in every step; within one, its n-th wait is the same on every attempt.
    #[doc = include_str!("../docs/sleep.md")]
    ///
    /// ```
    /// # use superstep_core::{Value, run::Halt};
    /// # use superstep_engine::DynCtx;
    /// # async fn remind(_: &str) -> Result<(), std::io::Error> { Ok(()) }
    /// async fn follow_up(ctx: DynCtx) -> Result<Value, Halt> {
    ///     ctx.sleep(std::time::Duration::from_secs(3 * 24 * 3600)).await?;
    ///     remind("ann").await?;
    ///     Ok(Value::Null)
    /// }
    /// ```
    pub async fn sleep(&self, duration: Duration) -> Result<(), Halt> {
        let now = self.0.step.env.clock.now();
        self.wait_until(expiry(now, duration)).await
    }

    /// [`DynCtx::sleep`] until a time. The time of the first attempt counts.
    pub async fn sleep_until(&self, time: SystemTime) -> Result<(), Halt> {
        self.wait_until(unix_millis(time)).await
    }

    async fn wait_until(&self, wake: UnixMillis) -> Result<(), Halt> {
        let (key, known) = self.timer("__sleep", |progress| &mut progress.sleeps)?;
        let clock = &self.0.step.env.clock;
        let wake = match known.as_ref().and_then(Value::as_i64) {
            Some(wake) => wake,
            // There is nothing to remember of a wait that is over.
            None if wake <= clock.now() => return Ok(()),
            None => {
                self.journal(&key, Effect::Done(Value::from(wake))).await?;
                wake
            }
        };
        let _quiet = self.0.heartbeat.as_ref().map(Heartbeat::pause);
        let timer = self.may_park(wake).then(|| Timer::new(self, wake));
        match &timer {
            Some(_parks) => self.hidden(until(&**clock, wake)).await,
            None => until(&**clock, wake).await,
        }
        self.alive()
    }

    /// The key of the next timer of a kind, and what is stored of it.
    pub(super) fn timer(
        &self,
        kind: &str,
        count: impl FnOnce(&mut super::TaskProgress) -> &mut u32,
    ) -> Result<(String, Option<Value>), Halt> {
        let mut progress = self.progress()?;
        let n = count(&mut progress);
        let key = format!("{kind}:{n}");
        *n += 1;
        let journal = progress.journal.get_or_insert_default();
        if !journal.keys.insert(key.clone()) {
            return Err(ErrorKind::EffectKeyReused { key }.into());
        }
        let known = match journal.effects.get(&key) {
            Some(Effect::Done(known)) => Some(known.clone()),
            _ => None,
        };
        Ok((key, known))
    }

    /// Whether a wait until then ends the attempt if nothing else continues: what is stored wakes the task. In the
    /// middle of an effect it does not, and not in a graph that stores nothing of itself, or elsewhere than with its step.
    fn may_park(&self, wake: UnixMillis) -> bool {
        let env = &self.0.step.env;
        let is_long = wake > expiry(env.clock.now(), PARKS);
        if !is_long || !env.parks || env.saver.is_none() {
            return false;
        }
        let progress = lock(&self.0.progress);
        progress.effect.is_none() && !progress.is_elsewhere
    }

    /// A wait that does not keep the task from being parked.
    pub(crate) async fn hidden<T>(&self, wait: impl Future<Output = T>) -> T {
        let mut wait = pin!(wait);
        poll_fn(|cx| {
            let is_hidden = lock(&self.0.progress).hides_waits;
            match is_hidden {
                true => Poll::Pending,
                false => wait.as_mut().poll(cx),
            }
        })
        .await
    }
}

/// A time that a task waits for, and could wait for without running.
struct Timer<'a>(&'a DynCtx, UnixMillis);

impl<'a> Timer<'a> {
    fn new(ctx: &'a DynCtx, wake: UnixMillis) -> Self {
        lock(&ctx.0.progress).timers.push(wake);
        Self(ctx, wake)
    }
}

impl Drop for Timer<'_> {
    fn drop(&mut self) {
        let timers = &mut lock(&self.0.0.progress).timers;
        if let Some(at) = timers.iter().position(|wake| *wake == self.1) {
            timers.swap_remove(at);
        }
    }
}

impl Heartbeat {
    /// Being silent is no sign of trouble while this lives.
    fn pause(&self) -> Paused<'_> {
        self.paused.fetch_add(1, Ordering::Relaxed);
        Paused(self)
    }
}

struct Paused<'a>(&'a Heartbeat);

impl Drop for Paused<'_> {
    fn drop(&mut self) {
        self.0.beat();
        self.0.paused.fetch_sub(1, Ordering::Relaxed);
    }
}
