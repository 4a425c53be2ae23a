//! Structured output through a forced tool call: the arguments of the call become the text of the
//! reply.

use std::collections::VecDeque;

use serde_json::{Value as Json, json};

use crate::{
    delta::Delta,
    request::{OutputSchema, Request, ToolChoice},
    tool::ToolSpec,
    usage::Finish,
};

/// Turns the forced call of a reply into its text.
#[derive(Clone, Debug)]
pub(crate) struct ForcedTool {
    name: String,
    index: Option<u32>,
    words: String,
}

impl ForcedTool {
    pub(crate) fn new(output: &OutputSchema) -> Self {
        Self {
            name: output.name.clone(),
            index: None,
            words: String::new(),
        }
    }

    /// The tool whose arguments are the answer.
    pub(crate) fn tool(output: &OutputSchema) -> ToolSpec {
        ToolSpec {
            name: output.name.clone(),
            description: "Gives the answer.".into(),
            parameters: output.schema.clone(),
        }
    }

    /// The choice that makes a model call it. A model that may use other tools besides can do so
    /// first; it cannot answer in words.
    pub(crate) fn choice(output: &OutputSchema, request: &Request) -> ToolChoice {
        if request.tools.is_empty() || request.tool_choice == ToolChoice::None {
            ToolChoice::Tool(output.name.clone())
        } else {
            ToolChoice::Required
        }
    }

    /// Shows a piece as a caller should see it.
    pub(crate) fn turn(&mut self, delta: Delta, out: &mut VecDeque<Delta>) {
        match delta {
            Delta::Call { index, name, .. } if name == self.name && self.index.is_none() => {
                self.index = Some(index);
            }
            Delta::Args { index, json } if Some(index) == self.index => {
                out.push_back(Delta::Text(json));
            }
            // Words beside the call would spoil the answer. If there is no call, they are it.
            Delta::Text(text) => self.words.push_str(&text),
            Delta::Finish(finish) if self.index.is_none() => {
                let words = std::mem::take(&mut self.words);
                if !words.is_empty() {
                    out.push_back(Delta::Text(words));
                }
                out.push_back(Delta::Finish(finish));
            }
            Delta::Finish(Finish::ToolCalls) => out.push_back(Delta::Finish(Finish::Stop)),
            other => out.push_back(other),
        }
    }
}

/// An empty schema is none.
pub(crate) fn parameters(spec: &ToolSpec) -> Json {
    match &spec.parameters {
        Json::Null => json!({"type": "object", "properties": {}}),
        schema => schema.clone(),
    }
}
