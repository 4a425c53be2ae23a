//! Effects of a running task, journaled so that each runs at most once.

use std::{
    future::{Future, poll_fn},
    pin::pin,
};

use superstep_core::{
    error::{ErrorKind, Failure},
    record::Effect,
    run::{EffectError, Halt},
    sync::lock,
    value::{Value, loses_number},
};

use super::{DynCtx, run_info::Request};

/// What to do about an effect that was started and may have happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unknown {
    /// Report it.
    Report,
    /// Run it again: its target recognizes repetitions by their key.
    Repeat,
}

impl DynCtx {
    /// Runs an effect at most once per task: journaled as started before and as done after, so
    /// that another attempt gets the result back.
    ///
    /// An error of the effect leaves its outcome unknown, as a crash does: the request may have
    /// arrived although no answer came. That is reported (SS1202), by this attempt and by every
    /// later one, and never followed by a silent second try; `DynGraph::settle` records what somebody
    /// found out. Only [`EffectError::not_done`] states that nothing happened, and that another
    /// attempt may try again.
    ///
    /// The key names the effect within its task. Another attempt that uses it means the same
    /// effect; a second effect of one attempt needs another key (SS3050).
    ///
    /// ```
    /// # use superstep_core::run::{EffectError, Halt};
    /// # use superstep_engine::DynCtx;
    /// # struct Bank;
    /// # impl Bank {
    /// #     async fn connect() -> Result<Self, std::io::Error> { Ok(Self) }
    /// #     async fn transfer(&self, _: i64) -> Result<u64, std::io::Error> { Ok(42) }
    /// # }
    /// # async fn node(ctx: DynCtx) -> Result<(), Halt> {
    /// let transfer = || async {
    ///     // No connection, no transfer: safe to try again.
    ///     let bank = Bank::connect().await.map_err(EffectError::not_done)?;
    ///     // No answer is no proof that nothing happened: `?` leaves the outcome unknown.
    ///     Ok(bank.transfer(100).await?)
    /// };
    /// let receipt: u64 = ctx.once("transfer", transfer).await?;
    /// # drop(receipt); Ok(()) }
    /// ```
    pub async fn once<T, F, Fut>(&self, key: &str, effect: F) -> Result<T, Halt>
    where
        T: serde::Serialize + serde::de::DeserializeOwned,
        F: FnOnce() -> Fut,
        Fut: Future<Output = Result<T, EffectError>>,
    {
        self.effect(key, Unknown::Report, effect).await
    }

    /// Whether an effect of this task was started by an earlier attempt: what became of it is on record,
    /// or nobody knows it.
    pub fn has_started(&self, key: &str) -> Result<bool, Halt> {
        let progress = self.progress()?;
        let journal = progress.journal.as_ref();
        Ok(journal.is_some_and(|journal| journal.effects.contains_key(key)))
    }

    /// [`DynCtx::once`], for effects that may be repeated too.
    pub(crate) async fn effect<T, F, Fut>(
        &self,
        key: &str,
        unknown: Unknown,
        effect: F,
    ) -> Result<T, Halt>
    where
        T: serde::Serialize + serde::de::DeserializeOwned,
        F: FnOnce() -> Fut,
        Fut: Future<Output = Result<T, EffectError>>,
    {
        let env = &self.0.step.env;
        let is_kept = env.saver.is_some() || env.run.is_none();
        if !is_kept && unknown == Unknown::Report {
            let key = key.to_owned();
            return Err(ErrorKind::EffectNotKept { key }.into());
        }
        let known = {
            let mut progress = self.progress()?;
            let journal = progress.journal.get_or_insert_default();
            if !journal.keys.insert(key.to_owned()) {
                let key = key.to_owned();
                return Err(ErrorKind::EffectKeyReused { key }.into());
            }
            journal.effects.get(key).cloned()
        };
        let unclear = |cause| {
            let key = key.to_owned();
            Halt::from(ErrorKind::UnknownOutcome { key, cause })
        };
        // Dropped in the middle, it would leave its outcome unknown.
        let _effect = self.unfinished();
        match known {
            Some(Effect::Done(value)) => return decode_effect(key, value),
            Some(Effect::Started) if unknown == Unknown::Report => return Err(unclear(None)),
            // Its start is on record already.
            Some(Effect::Started) => {}
            Some(Effect::Failed) | None => {
                self.journal(key, Effect::Started).await?;
                if let Some(why) = self.unnotified_end() {
                    // The run ends, and nothing has happened yet.
                    self.journal(key, Effect::Failed).await?;
                    return Err(why.into());
                }
            }
        }
        // Its start is stored, which may have taken longer than the attempt.
        self.alive()?;
        let done = self.in_effect(key, effect).await.and_then(|result| {
            if loses_number(&result) {
                let why = "its result holds a number that is not one or is infinite, and cannot be stored";
                return Err(Failure::new("Result", why).into());
            }
            let value = serde_json::to_value(&result)?;
            Ok((result, value))
        });
        match done {
            Ok((result, value)) => {
                self.journal(key, Effect::Done(value.into())).await?;
                Ok(result)
            }
            Err(error) if error.is_not_done() => {
                self.journal(key, Effect::Failed).await?;
                Err(error.into_halt())
            }
            Err(error) if error.asked_in_effect() => Err(error.into_halt()),
            Err(error) => match unknown {
                Unknown::Report => Err(unclear(Some(error.to_string()))),
                Unknown::Repeat => Err(error.into_halt()),
            },
        }
    }

    /// Runs an effect, and notes its key whenever it is polled: it cannot ask, and no wait of it ends the task.
    async fn in_effect<T, Fut>(&self, key: &str, effect: impl FnOnce() -> Fut) -> T
    where
        Fut: Future<Output = T>,
    {
        let enter =
            |key: Option<String>| std::mem::replace(&mut lock(&self.0.progress).effect, key);
        let outer = enter(Some(key.to_owned()));
        let mut effect = pin!(effect());
        enter(outer);
        poll_fn(|cx| {
            let outer = enter(Some(key.to_owned()));
            let polled = effect.as_mut().poll(cx);
            enter(outer);
            polled
        })
        .await
    }

    pub(super) async fn journal(&self, key: &str, effect: Effect) -> Result<(), Halt> {
        let (answers, known) = {
            let mut progress = self.progress()?;
            let journal = progress.journal.get_or_insert_default();
            let known = match &effect {
                Effect::Failed => journal.effects.remove(key),
                kept => journal.effects.insert(key.to_owned(), kept.clone()),
            };
            journal.fresh.push((key.to_owned(), effect.clone()));
            (progress.answers.used(), known)
        };
        let run = &self.0.step.run;
        if run.env.saver.is_none() {
            return Ok(());
        }
        // The result of an effect follows its start, which is found by now.
        let follows = known.is_some();
        if !follows {
            run.anchor().await?;
        }
        run.request(|reply| Request::Journal {
            task: self.0.task,
            key: key.to_owned(),
            effect,
            answers,
            reply,
        })
        .await
    }
}

fn decode_effect<T: serde::de::DeserializeOwned>(key: &str, value: Value) -> Result<T, Halt> {
    serde_json::from_value(value.to_json()).map_err(|error| {
        let what = format!("the stored result of effect `{key}`");
        ErrorKind::Decode {
            what,
            why: error.to_string(),
        }
        .into()
    })
}
