//! Assembly of a reply from its deltas.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use crate::{
    delta::Delta,
    error::{ErrorKind, ModelError},
    message::{Content, Reasoning, Reply},
    model_id::ModelId,
    tool::{InvalidCall, ToolCall},
    usage::{Answered, Finish, Usage},
};

/// The most text one reply may have, arguments and reasoning counted, in bytes.
pub const MAX_REPLY: usize = 8 << 20;

/// The most calls one reply may have.
pub const MAX_CALLS: usize = 128;

/// A reply in the making.
#[derive(Clone, Debug)]
pub struct Assembly {
    answered: Answered,
    finish: Option<Finish>,
    text: String,
    reasoning: Vec<Reasoning>,
    thought: Option<Reasoning>,
    calls: BTreeMap<u32, Draft>,
    usage: Option<Usage>,
    bytes: usize,
}

#[derive(Clone, Debug)]
struct Draft {
    id: Option<String>,
    name: String,
    args: String,
}

impl Assembly {
    /// Nothing yet, from that model.
    pub fn new(model: &ModelId) -> Self {
        let answered = Answered {
            provider: model.provider.clone(),
            model: model.name.clone(),
            ..Answered::default()
        };
        Self {
            answered,
            finish: None,
            text: String::new(),
            reasoning: Vec::new(),
            thought: None,
            calls: BTreeMap::new(),
            usage: None,
            bytes: 0,
        }
    }

    /// The text so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What it cost so far.
    pub fn usage(&self) -> Option<Usage> {
        self.usage
    }

    /// Adds a piece.
    pub fn add(&mut self, delta: Delta) -> Result<(), ModelError> {
        match delta {
            Delta::Reading { .. } => {}
            Delta::From { model, weights } => {
                self.answered.model = model;
                self.answered.weights = weights;
            }
            Delta::Text(text) => {
                self.grow(text.len())?;
                self.text.push_str(&text);
            }
            Delta::Reasoning(text) => {
                self.grow(text.len())?;
                self.thought.get_or_insert_default().text.push_str(&text);
            }
            Delta::ReasoningEnd { signature, hidden } => {
                self.grow(signature.as_ref().map_or(0, String::len))?;
                self.grow(hidden.as_ref().map_or(0, String::len))?;
                let text = self.thought.take().unwrap_or_default().text;
                self.reasoning.push(Reasoning {
                    text,
                    signature,
                    hidden,
                });
            }
            Delta::Call { index, id, name } => self.begin(index, id, name)?,
            Delta::Args { index, json } => {
                self.grow(json.len())?;
                let Some(call) = self.calls.get_mut(&index) else {
                    return Err(malformed("arguments of a call that has not begun"));
                };
                call.args.push_str(&json);
            }
            Delta::Usage(usage) => self.usage = Some(usage),
            Delta::Finish(finish) => self.finish = Some(finish),
            Delta::Paid(paid) => self.answered.paid = Some(paid),
        }
        Ok(())
    }

    /// The reply. One without an end was cut and is an error: half an answer is never shown as a
    /// whole one.
    pub fn finish(mut self) -> Result<Reply, ModelError> {
        self.reasoning.extend(self.thought);
        let Some(finish) = self.finish else {
            return Err(ErrorKind::Cut.into());
        };
        let mut reply = Reply {
            content: Content::Text(self.text),
            reasoning: self.reasoning,
            usage: self.usage,
            ..Reply::default()
        };
        let mut ids = Vec::with_capacity(self.calls.len());
        for (index, draft) in self.calls {
            // Results refer to calls by id, so an id that is missing or taken gets another one.
            let given = draft.id.filter(|id| !id.is_empty() && !ids.contains(id));
            let id = given.unwrap_or_else(|| format!("call_{index}"));
            ids.push(id.clone());
            match arguments(&draft.args) {
                Ok(args) => reply.tool_calls.push(ToolCall {
                    id,
                    name: draft.name,
                    args,
                }),
                Err(error) => reply.invalid_tool_calls.push(InvalidCall {
                    id,
                    name: draft.name,
                    args: draft.args,
                    error,
                }),
            }
        }
        // Providers disagree on the reason they give; that there are calls does not lie.
        let finish = match finish {
            Finish::Stop if !reply.tool_calls.is_empty() => Finish::ToolCalls,
            Finish::ToolCalls
                if reply.tool_calls.is_empty() && reply.invalid_tool_calls.is_empty() =>
            {
                Finish::Stop
            }
            as_given => as_given,
        };
        reply.answered = Some(Answered {
            finish,
            ..self.answered
        });
        Ok(reply)
    }

    fn begin(&mut self, index: u32, id: Option<String>, name: String) -> Result<(), ModelError> {
        self.grow(name.len())?;
        if self.calls.len() >= MAX_CALLS {
            return Err(too_large(format!("more than {MAX_CALLS} tool calls")));
        }
        let draft = Draft {
            id,
            name,
            args: String::new(),
        };
        match self.calls.insert(index, draft) {
            None => Ok(()),
            Some(_) => Err(malformed("a call that begins twice")),
        }
    }

    fn grow(&mut self, by: usize) -> Result<(), ModelError> {
        self.bytes = self.bytes.saturating_add(by);
        if self.bytes > MAX_REPLY {
            return Err(too_large(format!("more than {MAX_REPLY} bytes")));
        }
        Ok(())
    }
}

fn arguments(text: &str) -> Result<Map<String, Json>, String> {
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_str(text) {
        Ok(Json::Object(args)) => Ok(args),
        Ok(_) => Err("the arguments are not an object".into()),
        Err(error) => Err(error.to_string()),
    }
}

fn malformed(what: &str) -> ModelError {
    ErrorKind::Malformed { what: what.into() }.into()
}

fn too_large(what: String) -> ModelError {
    ErrorKind::TooLarge { what }.into()
}

#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]
mod tests {
    use super::*;

    fn reply(deltas: impl IntoIterator<Item = Delta>) -> Result<Reply, ModelError> {
        let mut reply = Assembly::new(&ModelId::new("p", "m"));
        for delta in deltas {
            reply.add(delta)?;
        }
        reply.finish()
    }

    fn call(index: u32, id: Option<&str>) -> Delta {
        Delta::Call {
            index,
            id: id.map(Into::into),
            name: "look".into(),
        }
    }

    fn args(index: u32, json: &str) -> Delta {
        Delta::Args {
            index,
            json: json.into(),
        }
    }

    #[test]
    fn a_reply_without_an_end_was_cut() {
        let error = reply([Delta::Text("half an ans".into())]).unwrap_err();
        assert_eq!(error.code(), "SS5009");
    }

    #[test]
    fn calls_get_ids_that_differ() {
        let end = Delta::Finish(Finish::Stop);
        let said = reply([call(0, None), call(1, Some("a")), call(2, Some("a")), end]).unwrap();
        let ids: Vec<&str> = said.tool_calls.iter().map(|call| &*call.id).collect();
        assert_eq!(ids, ["call_0", "a", "call_2"]);
        assert_eq!(said.answered.unwrap().finish, Finish::ToolCalls);
    }

    #[test]
    fn arguments_that_are_no_object_make_a_call_invalid() {
        for text in ["{\"a\":", "[1]", "\"x\"", "{\"a\":1e999}", "{} {}"] {
            let said = reply([call(0, None), args(0, text), Delta::Finish(Finish::Stop)]).unwrap();
            assert!(said.tool_calls.is_empty(), "{text}");
            assert_eq!(said.invalid_tool_calls[0].args, text);
        }
    }

    #[test]
    fn a_reply_too_large_is_refused() {
        let error = reply([Delta::Text("x".repeat(MAX_REPLY + 1))]).unwrap_err();
        assert_eq!(error.code(), "SS5011");
    }

    #[test]
    fn reasoning_is_kept_with_its_proof() {
        let signed = Delta::ReasoningEnd {
            signature: Some("s".into()),
            hidden: None,
        };
        let said = reply([
            Delta::Reasoning("a".into()),
            Delta::Reasoning("b".into()),
            signed,
            Delta::Reasoning("c".into()),
            Delta::Finish(Finish::Stop),
        ]);
        let thoughts = said.unwrap().reasoning;
        let shown: Vec<_> = thoughts
            .iter()
            .map(|thought| (&*thought.text, thought.signature.as_deref()))
            .collect();
        assert_eq!(shown, [("ab", Some("s")), ("c", None)]);
    }
}
