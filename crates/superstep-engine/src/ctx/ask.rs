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
        self.pose(None, question, || schema, Ok)
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
        self.pose(Some((kind, about)), question, schema, decode)
    }

    fn pose<T>(
        &self,
        typed: Option<(&str, &Value)>,
        value: Value,
        schema: impl FnOnce() -> Option<Value>,
        decode: impl FnOnce(Value) -> Result<T, String>,
    ) -> Result<T, Halt> {
        let (namespace, env) = (self.namespace(), &self.0.step.env);
        let by_content = env.fidelity.binds_answers_to_content();
        let mut progress = self.progress()?;
        let at = progress.answers.question();
        let place = AskId::of(&namespace, at);
        let id = match typed.filter(|_| by_content) {
            Some((kind, about)) => AskId::of_question(&namespace, at, kind, about),
            None => place,
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
        };
        let Some(why) = refusal else {
            progress.open.push(ask.clone());
            return Err(Halt::Asked(vec![ask]));
        };
        progress.answers.refuse();
        Err(Halt::from(ErrorKind::BadAnswer {
            kind: kind.unwrap_or("plain").to_owned(),
            why,
            asked: Some(Box::new(ask)),
        }))
    }
}
