//! A thread of the spreadsheet agent as front ends show it.
//!
//! `progress` shows steps, `question` asks for approval, `report` writes the result and shows the changes. Work without a
//! thread is in `executed` and `described`.

mod described;
mod executed;
mod progress;
mod question;
mod report;

use std::path::{Path, PathBuf};

use superstep::{
    Modes, OpenAsk, RunOptions, Schemas, Update as _, Value,
    dynamic::{DynEvent, DynGraph, EventKind},
    future::BoxFuture,
    tools::Verdict,
};
use superstep_agent::{AgentError, Answer, Context, Notice, OpenAgent, Prompt, Reading, Report};
use superstep_workbook::Overwrite;

use crate::{Error, Problem, Sheets, SheetsState};

pub use described::{
    calculated_notice, description_notice, rows_notice, tables_notices, written_notice,
};
pub use executed::{executed_notice, printed_notice};

/// The agent at work on a thread.
pub struct SheetsSession {
    agent: Sheets,
    /// The file of the result, if one is written.
    output: Option<PathBuf>,
    overwrite: Overwrite,
}

impl SheetsSession {
    /// A session whose result goes to a file, if one is named.
    pub fn new(agent: Sheets, output: Option<PathBuf>, overwrite: Overwrite) -> Self {
        Self {
            agent,
            output,
            overwrite,
        }
    }

    /// The agent.
    pub fn agent(&self) -> &Sheets {
        &self.agent
    }

    /// Input for a new thread: an instruction for a workbook.
    pub async fn begin(
        &self,
        thread: &str,
        instruction: &str,
        workbook: &Path,
    ) -> Result<Value, Error> {
        let update = self.agent.begin(instruction, workbook).await?;
        let written = |path: &Path| {
            let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
            path.display().to_string()
        };
        let problem = update.problem.as_ref().and_then(superstep::Put::written);
        let problem = Problem {
            input: Some(written(workbook)),
            output: self.output.as_deref().map(written),
            thread: Some(thread.to_owned()),
            ..problem.cloned().unwrap_or_default()
        };
        Ok(update.problem(problem).into_value())
    }

    /// Input for a thread with a result: another instruction.
    pub fn instruct(&self, state: &SheetsState, instruction: &str) -> Result<Value, Error> {
        Ok(self.agent.instruct(state, instruction)?.into_value())
    }

    /// An answer that a command carries. It is announced before it is given.
    pub fn verdict(&self, ask: &OpenAsk, verdict: Verdict) -> Result<Answer, AgentError> {
        let before = vec![question::announced(ask, &verdict)];
        Ok(Answer {
            before,
            ..question::answer(ask, verdict)?
        })
    }
}

impl OpenAgent for SheetsSession {
    fn graph(&self) -> &DynGraph {
        self.agent.graph().dynamic()
    }

    fn schemas(&self) -> Schemas {
        self.agent.graph().schemas()
    }

    fn options(&self) -> RunOptions {
        RunOptions {
            modes: Modes::CUSTOM,
            log: Modes::TRACE,
            ..RunOptions::default()
        }
    }

    fn progress(&mut self, event: &DynEvent) -> Vec<Notice> {
        let EventKind::Custom(data) = &event.kind else {
            return Vec::new();
        };
        let progress = serde_json::from_value(data.to_json());
        progress.iter().map(progress::notice).collect()
    }

    fn present(&mut self, ask: &OpenAsk, with: &Context) -> Result<Prompt, AgentError> {
        Ok(question::prompt(ask, with))
    }

    fn read(&mut self, ask: &OpenAsk, text: &str) -> Result<Reading, AgentError> {
        let text = text.trim();
        let verdict = match text.to_lowercase().as_str() {
            "y" | "yes" => Verdict::Accept,
            "" | "n" | "no" => Verdict::Ignore,
            _ => Verdict::Response(text.to_owned()),
        };
        self.decide(ask, verdict)
    }

    fn decide(&mut self, ask: &OpenAsk, verdict: Verdict) -> Result<Reading, AgentError> {
        Ok(Reading::Answer(question::answer(ask, verdict)?))
    }

    fn report<'a>(&'a mut self, with: &'a Context) -> BoxFuture<'a, Result<Report, AgentError>> {
        Box::pin(async move {
            let state = self.agent.graph().state(&*with.thread).await?.state;
            if let Some(output) = &self.output
                && let Err(error) = self.agent.save(&state, output, self.overwrite).await
            {
                return Err(report::Unsaved::new(error, with).into());
            }
            let changes = self.agent.changes(&state).await?;
            let book = self.agent.workbook(&state).await?;
            let size = match &self.output {
                Some(_) => None,
                None => u64::try_from(self.agent.bytes(&state).await?.len()).ok(),
            };
            let result = report::SheetsReport {
                thread: &with.thread,
                state: &state,
                output: self.output.as_deref(),
                changes: &changes,
                book: &book,
                size,
            };
            Ok(result.report())
        })
    }
}
