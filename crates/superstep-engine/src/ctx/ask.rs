//! Questions of a running task.

use superstep_core::{ask::Ask, error::ErrorKind, id::AskId, run::Halt, value::Value};

use super::Ctx;

impl Ctx {
    /// Asks a question. Returns the answer once there is one; until then the error ends the task,
    /// and the run reports the question.
    pub fn ask(&self, question: impl Into<Value>) -> Result<Value, Halt> {
        self.ask_with(question.into(), None)
    }

    /// Asks a question and tells clients the JSON schema of the answer.
    pub fn ask_with(&self, question: Value, schema: Option<Value>) -> Result<Value, Halt> {
        let mut progress = self.progress()?;
        if let Some(answer) = progress.answers.get(progress.used).cloned() {
            progress.used += 1;
            return Ok(answer);
        }
        if let Some(answer) = self.0.step.answers.take_next() {
            progress.answers.push(answer.clone());
            progress.used += 1;
            return Ok(answer);
        }
        let id = AskId::of(&self.namespace(), progress.answers.len());
        let ask = Ask {
            id,
            value: question,
            schema,
            kind: None,
        };
        progress.open.push(ask.clone());
        Err(Halt::Asked(vec![ask]))
    }

    /// Asks a question whose answer has a type. An answer of another type is given back: the
    /// question stays open.
    pub(crate) fn ask_as<T>(
        &self,
        kind: &'static str,
        question: impl FnOnce() -> Result<Value, Halt>,
        decode: impl FnOnce(Value) -> Result<T, String>,
    ) -> Result<T, Halt> {
        let ask = |value, at| Ask {
            id: AskId::of(&self.namespace(), at),
            value,
            schema: None,
            kind: Some(kind.into()),
        };
        let mut progress = self.progress()?;
        let given = progress.answers.get(progress.used).cloned();
        let answer = given.or_else(|| {
            let next = self.0.step.answers.take_next();
            progress.answers.extend(next.clone());
            next
        });
        if let Some(answer) = answer {
            let why = match decode(answer) {
                Ok(decoded) => {
                    progress.used += 1;
                    return Ok(decoded);
                }
                Err(why) => why,
            };
            let used = progress.used;
            progress.answers.truncate(used);
            return Err(Halt::from(ErrorKind::BadAnswer {
                kind: kind.to_owned(),
                why,
                asked: Some(Box::new(ask(question()?, used))),
            }));
        }
        let ask = ask(question()?, progress.answers.len());
        progress.open.push(ask.clone());
        Err(Halt::Asked(vec![ask]))
    }
}
