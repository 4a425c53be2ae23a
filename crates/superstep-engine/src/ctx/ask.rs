//! Questions of a running task.

use superstep_core::{ask::Ask, error::ErrorKind, id::AskId, run::Halt, value::Value};

use super::DynCtx;

impl DynCtx {
    /// Asks a question. Returns the answer once there is one; until then the error ends the task,
    /// and the run reports the question.
    pub fn ask(&self, question: impl Into<Value>) -> Result<Value, Halt> {
        self.ask_with(question.into(), None)
    }

    /// Asks a question, with the JSON schema of the answer for clients.
    pub fn ask_with(&self, question: Value, schema: Option<Value>) -> Result<Value, Halt> {
        let mut progress = self.progress()?;
        if let Some(answer) = progress.answers.next(&self.0.step.answers) {
            progress.answers.accept();
            return Ok(answer);
        }
        let id = AskId::of(&self.namespace(), progress.answers.question());
        let ask = Ask {
            id,
            value: question,
            schema,
            kind: None,
        };
        progress.open.push(ask.clone());
        Err(Halt::Asked(vec![ask]))
    }

    /// The answer that the next question of the task gets, if one is on record.
    pub fn known_answer(&self) -> Result<Option<Value>, Halt> {
        Ok(self.progress()?.answers.known().cloned())
    }

    /// Asks a question whose answer has a type. An answer of another type, or to another kind of
    /// question, is given back: the question stays open.
    pub(crate) fn ask_as<T>(
        &self,
        kind: &'static str,
        schema: impl Fn() -> Option<Value>,
        question: impl FnOnce() -> Result<Value, Halt>,
        decode: impl FnOnce(Value) -> Result<T, String>,
    ) -> Result<T, Halt> {
        let ask = |value, at| Ask {
            id: AskId::of(&self.namespace(), at),
            value,
            schema: schema(),
            kind: Some(kind.into()),
        };
        let mut progress = self.progress()?;
        let at = progress.answers.question();
        if let Some(answer) = progress.answers.next(&self.0.step.answers) {
            let why = match progress.answers.asked_as() {
                // The program has changed since: whoever answered has not seen this question.
                Some(asked) if asked != kind => format!("it was given to a question `{asked}`"),
                _ => match decode(answer) {
                    Ok(decoded) => {
                        progress.answers.accept();
                        return Ok(decoded);
                    }
                    Err(why) => why,
                },
            };
            progress.answers.refuse();
            return Err(Halt::from(ErrorKind::BadAnswer {
                kind: kind.to_owned(),
                why,
                asked: Some(Box::new(ask(question()?, at))),
            }));
        }
        let ask = ask(question()?, at);
        progress.open.push(ask.clone());
        Err(Halt::Asked(vec![ask]))
    }
}
