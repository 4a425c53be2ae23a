//! The planner's tools, by name. `PythonInterpreter` runs a program in the sandbox, `ApplyOperations`
//! takes operations as data, `SheetSelector` reads by SQL. `Informer`, `Undo` and `Finish` are no tools: the
//! graph itself goes to the informer, goes back, and ends.

mod operations;
mod python;
mod select;

use std::sync::Arc;

use serde::Deserialize;
use serde_json::json;
use superstep::{
    model::{ToolCall, ToolSpec},
    tools::{Tools, ToolsBuilder},
};

use crate::{error::Error, settings::Settings, workbench::Workbench};

/// The action that ends the run.
pub const FINISH: &str = "Finish";

/// The action that asks the informer.
pub const INFORMER: &str = "Informer";

/// The action that goes back to the version before the last change.
pub const UNDO: &str = "Undo";

/// The tools for one call, over its workbench.
pub(crate) fn build(settings: &Settings, bench: Arc<Workbench>) -> Result<Tools, Error> {
    let mut tools: ToolsBuilder = Tools::builder()
        .tool(operations::ApplyOperations)
        .tool(select::SheetSelector)
        .shared(bench);
    // Without a sandbox there are no programs: none is ever run uncontained.
    if let Some(sandbox) = &settings.sandbox {
        let limits = settings.program.clone();
        tools = tools.tool(python::PythonInterpreter::new(sandbox.clone(), limits));
    }
    let tools = match &settings.extend {
        Some(extend) => extend(tools),
        None => tools,
    };
    let tools = tools.build().map_err(|error| Error::Tools {
        why: error.to_string(),
    })?;
    for name in [FINISH, INFORMER, UNDO] {
        if tools.get(name).is_some() {
            return Err(Error::Tools {
                why: format!("`{name}` is an action of the graph"),
            });
        }
    }
    Ok(tools)
}

/// All actions as they are described to a model, programs first: most instructions are carried out by one.
pub(crate) fn specs(tools: &Tools) -> Vec<ToolSpec> {
    let mut specs = tools.specs();
    specs.sort_by_key(|spec| spec.name != python::NAME);
    specs.extend(actions());
    specs
}

/// The actions that are no tools, as they are described to a model.
fn actions() -> [ToolSpec; 3] {
    [
        ToolSpec {
            name: INFORMER.into(),
            description: "Ask a question about the workbook; it is answered by an SQL query. This \
                          changes nothing."
                .into(),
            parameters: json!({
                "type": "object",
                "properties": {"question": {"type": "string", "description": "What you want to know"}},
                "required": ["question"],
                "additionalProperties": false,
            }),
        },
        ToolSpec {
            name: UNDO.into(),
            description: "Take back your last change of this instruction: the workbook is as it was before it.".into(),
            parameters: json!({"type": "object", "properties": {}, "additionalProperties": false}),
        },
        ToolSpec {
            name: FINISH.into(),
            description:
                "The instruction is carried out, or cannot be: ends the work. Nothing else \
                          ends it."
                    .into(),
            parameters: json!({
                "type": "object",
                "properties": {"answer": {
                    "type": "string",
                    "description": "What was done, or the answer to the question, in one or two sentences",
                }},
                "required": ["answer"],
                "additionalProperties": false,
            }),
        },
    ]
}

/// What a planner wants done.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Action {
    /// A call of a tool.
    Call(ToolCall),
    /// A question to the informer.
    Inform(ToolCall),
    /// The version before the last change.
    Undo(ToolCall),
    /// The end, with an answer.
    Finish(ToolCall, String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Finish {
    #[serde(default)]
    answer: String,
}

/// A question to the informer.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Inform {
    pub(crate) question: String,
}

impl Action {
    /// The action that a call stands for, or what is wrong with it.
    pub(crate) fn of(call: &ToolCall, tools: &Tools) -> Result<Self, String> {
        let args = || serde_json::Value::Object(call.args.clone());
        let wrong =
            |error: serde_json::Error| format!("the arguments do not fit `{}`: {error}", call.name);
        match call.name.as_str() {
            FINISH => {
                let finish: Finish = serde_json::from_value(args()).map_err(wrong)?;
                Ok(Self::Finish(call.clone(), finish.answer))
            }
            INFORMER => {
                let _: Inform = serde_json::from_value(args()).map_err(wrong)?;
                Ok(Self::Inform(call.clone()))
            }
            UNDO if call.args.is_empty() => Ok(Self::Undo(call.clone())),
            UNDO => Err(format!("`{UNDO}` takes no arguments")),
            _ => {
                tools.parse(call)?;
                Ok(Self::Call(call.clone()))
            }
        }
    }

    /// Its name.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Call(call) | Self::Inform(call) | Self::Undo(call) | Self::Finish(call, _) => {
                &call.name
            }
        }
    }
}
