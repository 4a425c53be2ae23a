//! `PythonInterpreter`: a program of the planner, run in the sandbox. What it does to the workbook is
//! proposed; what it prints is what the planner reads.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use superstep::{
    future::BoxFuture,
    model::ToolSpec,
    tools::{Access, ParsedCall, Tool, ToolCtx, ToolError, ToolOutput},
};
use superstep_sandbox::{Base, Ending, Job, Limits, Outcome, ProgramRun, Sandbox, SandboxError};
use superstep_workbook::{Lineage, OnLoad, Workbook};

use crate::workbench::Workbench;

/// Its name.
pub(super) const NAME: &str = "PythonInterpreter";

/// How much of what a program prints the planner reads, in bytes.
const PRINTED: usize = 8 << 10;

/// The tool.
pub(super) struct PythonInterpreter {
    spec: ToolSpec,
    sandbox: Arc<dyn Sandbox>,
    limits: Limits,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    code: String,
}

struct Program {
    code: String,
    sandbox: Arc<dyn Sandbox>,
    limits: Limits,
}

impl PythonInterpreter {
    pub(super) fn new(sandbox: Arc<dyn Sandbox>, limits: Limits) -> Self {
        let spec = ToolSpec {
            name: NAME.into(),
            description: format!(
                "Run a Python program on the workbook. `workbook` is the open workbook (openpyxl); change it in place, do \
                 not load or save it. Print what you want to know. There are no files and no network. If the program \
                 fails, nothing is changed. {}",
                sandbox.guide()
            ),
            parameters: json!({
                "type": "object",
                "properties": {"code": {"type": "string", "description": "The program"}},
                "required": ["code"],
                "additionalProperties": false,
            }),
        };
        Self {
            spec,
            sandbox,
            limits,
        }
    }
}

impl Tool for PythonInterpreter {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    /// A program is contained, and what it gives is data.
    fn access(&self) -> Access {
        Access::default()
    }

    fn parse(&self, args: &Map<String, Json>) -> Result<Box<dyn ParsedCall>, Vec<String>> {
        let args = serde_json::from_value::<Arguments>(Json::Object(args.clone()));
        let code = args.map_err(|error| vec![error.to_string()])?.code;
        if code.trim().is_empty() {
            return Err(vec!["the program is empty".into()]);
        }
        Ok(Box::new(Program {
            code,
            sandbox: self.sandbox.clone(),
            limits: self.limits.clone(),
        }))
    }
}

impl ParsedCall for Program {
    fn run(&self, ctx: ToolCtx) -> BoxFuture<'_, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            let bench = ctx.service::<Workbench>()?;
            let book = bench.book()?;
            let job = Job::new(self.code.as_str(), Workbook::clone(&book))
                .called(bench.file())
                .within(self.limits.clone());
            let ran = self.sandbox.run(&job).await.map_err(failed)?;
            let printed = printed(&ran);
            match take(&ran, &book, &bench) {
                Ok(()) => Ok(printed.into()),
                Err(error) => {
                    let why = told(&error);
                    let text = match printed.is_empty() {
                        true => why,
                        false => format!("{why}\n\nIt printed:\n{printed}"),
                    };
                    Err(ToolError::Failed(text))
                }
            }
        })
    }
}

/// Proposes what a program made of the workbook.
fn take(ran: &ProgramRun, book: &Workbook, bench: &Workbench) -> Result<(), SandboxError> {
    match &ran.ending {
        Ending::Done(Outcome::Operations {
            base: Base::Given,
            operations,
        }) => bench.propose(operations.iter().cloned()),
        Ending::Done(Outcome::Package(bytes)) => {
            if !ran.lineage.moved.is_empty() {
                let after = ran.workbook(book)?;
                bench.warn(ran.warnings(book, &after));
            }
            bench.replace(bytes.clone(), ran.lineage.clone());
        }
        // A workbook of its own takes the place of the one that it was given.
        Ending::Done(_) => {
            let made = ran.workbook(book)?;
            let written = made
                .write(OnLoad::Calculate)
                .map_err(SandboxError::Result)?;
            let lineage = Lineage {
                is_new: true,
                ..Lineage::default()
            };
            bench.replace(written.bytes, lineage);
        }
        _ => {
            ran.workbook(book)?;
        }
    }
    Ok(())
}

fn printed(ran: &ProgramRun) -> String {
    let end = ran.stdout.floor_char_boundary(PRINTED);
    let kept = ran.stdout.get(..end).unwrap_or_default();
    let left = ran.stdout_dropped + u64::try_from(ran.stdout.len() - end).unwrap_or(u64::MAX);
    match left {
        0 => kept.to_owned(),
        left => format!("{kept}\n[{left} bytes more were left out]"),
    }
}

fn failed(error: SandboxError) -> ToolError {
    ToolError::Failed(told(&error))
}

fn told(error: &SandboxError) -> String {
    format!("[{}] {error}", error.code())
}
