//! Waiting for a time, durably: the time is stored before the wait.

use std::{
    sync::atomic::Ordering,
    time::{Duration, SystemTime},
};

use superstep_core::{
    clock::{UnixMillis, expiry},
    error::ErrorKind,
    record::Effect,
    run::Halt,
    value::Value,
};

use super::{DynCtx, Heartbeat};
use crate::clock::{unix_millis, until};

impl DynCtx {
    /// Waits for so long, as a durable timer: the time to wake up at is stored first. Another
    /// attempt of the task, in this process or after a restart, waits for the rest only, or not at
    /// all if the time has come meanwhile.
    ///
    /// A task is another one in every step; within one, its n-th wait is the same on every attempt.
    /// The wait counts toward the run timeout of the task, and not toward the idle one. While it
    /// waits, the run is under way and holds its thread; after a crash,
    /// [`DynGraph::resume_interrupted`](crate::DynGraph::resume_interrupted) takes it up again.
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
        let (key, known) = {
            let mut progress = self.progress()?;
            let key = format!("__sleep:{}", progress.sleeps);
            progress.sleeps += 1;
            let journal = progress.journal.get_or_insert_default();
            if !journal.keys.insert(key.clone()) {
                return Err(ErrorKind::EffectKeyReused { key }.into());
            }
            let known = match journal.effects.get(&key) {
                Some(Effect::Done(wake)) => wake.as_i64(),
                _ => None,
            };
            (key, known)
        };
        let clock = &self.0.step.env.clock;
        let wake = match known {
            Some(wake) => wake,
            // There is nothing to remember of a wait that is over.
            None if wake <= clock.now() => return Ok(()),
            None => {
                self.journal(&key, Effect::Done(Value::from(wake))).await?;
                wake
            }
        };
        let _quiet = self.0.heartbeat.as_ref().map(Heartbeat::pause);
        until(&**clock, wake).await;
        self.alive()
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
