//! Questions of a running task, with a deadline or without.

use std::time::Duration;

use superstep_core::{
    ask::Ask,
    clock::{UnixMillis, expiry},
    error::ErrorKind,
    id::AskId,
    record::Effect,
    run::{Halt, Suspension},
    value::Value,
};

use super::DynCtx;

impl DynCtx {
    /// Asks a question. Returns the answer once there is one; until then the error ends the task,
    /// and the run reports the question.
    pub fn ask(&self, question: impl Into<Value>) -> Result<Value, Halt> {
        self.ask_with(question.into(), None)
    }

    /// Asks a question, with the JSON schema of the answer for clients.
    pub fn ask_with(&self, question: Value, schema: Option<Value>) -> Result<Value, Halt> {
        self.pose(PosedQuestion::plain(question), || schema, Ok)
    }

    /// Asks a question that waits for so long at most. Returns the answer once there is one, and nothing once
    /// the time is over; until then the error ends the task, and the run reports the question and its deadline.
    ///
    /// The deadline is stored first, and what came of it is decided once: an answer that was given in time
    /// counts even if it gets here later, and one that comes too late is refused (SS1124). To remind somebody,
    /// ask the same again: that is the same question with a new deadline, under the same id.
    ///
    /// ```
    /// # use superstep_core::{Value, run::Halt};
    /// # use superstep_engine::DynCtx;
    /// # async fn remind() -> Result<(), std::io::Error> { Ok(()) }
    /// async fn delivered(ctx: DynCtx) -> Result<Value, Halt> {
    ///     let day = std::time::Duration::from_secs(24 * 3600);
    ///     loop {
    ///         if let Some(answer) = ctx.ask_within("Has it arrived?", 3 * day).await? {
    ///             return Ok(answer);
    ///         }
    ///         remind().await?; // in `once`, if that must not happen twice
    ///     }
    /// }
    /// ```
    pub async fn ask_within(
        &self,
        question: impl Into<Value>,
        within: Duration,
    ) -> Result<Option<Value>, Halt> {
        let question = PosedQuestion::plain(question.into());
        self.pose_within(question, within, || None, Ok).await
    }

    /// The answer that the next question of the task gets, if one is on record.
    pub fn known_answer(&self) -> Result<Option<Value>, Halt> {
        Ok(self.progress()?.answers.known().cloned())
    }

    /// Asks a question whose answer has a type. An answer of another type, or to another question, is given
    /// back: the question stays open.
    pub(crate) fn ask_as<T>(
        &self,
        kind: &'static str,
        about: &Value,
        schema: impl FnOnce() -> Option<Value>,
        question: Value,
        decode: impl FnOnce(Value) -> Result<T, String>,
    ) -> Result<T, Halt> {
        let question = PosedQuestion::typed(kind, about, question);
        self.pose(question, schema, decode)
    }

    /// [`DynCtx::ask_within`] for an answer with a type.
    pub(crate) async fn ask_as_within<T>(
        &self,
        kind: &'static str,
        about: &Value,
        schema: impl FnOnce() -> Option<Value>,
        question: Value,
        within: Duration,
        decode: impl FnOnce(Value) -> Result<T, String>,
    ) -> Result<Option<T>, Halt> {
        let question = PosedQuestion::typed(kind, about, question);
        self.pose_within(question, within, schema, decode).await
    }

    async fn pose_within<T>(
        &self,
        question: PosedQuestion<'_>,
        within: Duration,
        schema: impl FnOnce() -> Option<Value>,
        decode: impl FnOnce(Value) -> Result<T, String>,
    ) -> Result<Option<T>, Halt> {
        let (key, known) = self.timer("__ask", |progress| &mut progress.deadlines)?;
        let env = &self.0.step.env;
        if env.saver.is_none() && env.run.is_some() {
            // Its deadline would begin anew whenever the thread resumes.
            return Err(ErrorKind::EffectNotKept { key }.into());
        }
        let now = env.clock.now();
        let deadline = match known {
            Some(Value::Null) => return Ok(None),
            Some(stored) => stored.as_i64().unwrap_or_default(),
            None => {
                let deadline = expiry(now, within);
                self.journal(&key, Effect::Done(deadline.into())).await?;
                deadline
            }
        };
        // An answer that is on record came in time.
        if deadline <= now && self.known_answer()?.is_none() {
            self.journal(&key, Effect::Done(Value::Null)).await?;
            return Ok(None);
        }
        let question = PosedQuestion {
            deadline: Some(deadline),
            ..question
        };
        self.pose(question, schema, decode).map(Some)
    }

    fn pose<T>(
        &self,
        PosedQuestion {
            typed,
            value,
            deadline,
        }: PosedQuestion<'_>,
        schema: impl FnOnce() -> Option<Value>,
        decode: impl FnOnce(Value) -> Result<T, String>,
    ) -> Result<T, Halt> {
        let (namespace, env) = (self.namespace(), &self.0.step.env);
        let by_content = env.fidelity.binds_answers_to_content();
        let mut progress = self.progress()?;
        if let Some(key) = &progress.effect {
            let key = key.clone();
            return Err(ErrorKind::AskInEffect { key }.into());
        }
        let at = progress.answers.question();
        let place = AskId::of(&namespace, at);
        let id = match (typed.filter(|_| by_content), deadline) {
            (Some((kind, about)), _) => AskId::of_question(&namespace, at, kind, about),
            // What is asked next, if nobody answers, is another question at the same place.
            (None, Some(_)) => AskId::of_question(&namespace, at, "", &value),
            (None, None) => place,
        };
        let finds = env.saver.is_none() && env.fidelity.keeps_ids_of_unsaved_graphs();
        let unstored = finds.then_some(id);
        let given = progress.answers.next(&self.0.step.answers, unstored);
        let refusal = match given {
            None => None,
            Some(answer) => {
                // Where only the place is known, it says nothing about what was asked there.
                let asked = progress.answers.asked().filter(|asked| *asked != place);
                let is_other = by_content && asked.is_some_and(|asked| asked != id);
                let decoded = match is_other {
                    true => Err("it was given to another question".to_owned()),
                    false => decode(answer),
                };
                match decoded {
                    Ok(decoded) => {
                        progress.answers.accept();
                        return Ok(decoded);
                    }
                    Err(why) => Some(why),
                }
            }
        };
        let kind = typed.map(|(kind, _)| kind);
        let ask = Ask {
            id,
            value,
            schema: schema(),
            kind: kind.map(Into::into),
            deadline,
        };
        let Some(why) = refusal else {
            progress.suspended = true;
            return Err(Halt::Suspended(Suspension::on(ask)));
        };
        progress.answers.refuse();
        Err(Halt::from(ErrorKind::BadAnswer {
            kind: kind.unwrap_or("plain").to_owned(),
            why,
            asked: Some(Box::new(ask)),
        }))
    }
}

/// A question on its way to those who answer it.
struct PosedQuestion<'a> {
    /// Its kind and what its answer is for, if it has a type.
    typed: Option<(&'a str, &'a Value)>,
    value: Value,
    deadline: Option<UnixMillis>,
}

impl<'a> PosedQuestion<'a> {
    fn plain(value: Value) -> Self {
        Self {
            typed: None,
            value,
            deadline: None,
        }
    }

    fn typed(kind: &'a str, about: &'a Value, value: Value) -> Self {
        Self {
            typed: Some((kind, about)),
            ..Self::plain(value)
        }
    }
}
