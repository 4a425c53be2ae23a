//! One call from an instruction and a workbook to a file.

use std::path::{Path, PathBuf};

use serde::Serialize;
use superstep::Outcome;
use superstep_workbook::{Changes, Overwrite, save};

use crate::{
    error::Error,
    graph::Sheets,
    state::{SheetsState, Status, Verification},
};

/// What is to be done.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The instruction.
    pub instruction: String,
    /// The workbook. It is never modified.
    pub workbook: PathBuf,
    /// Where the result goes; a file that is there is not replaced.
    pub output: PathBuf,
}

/// What it came to.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// How it ended.
    pub status: Status,
    /// What the planner said at the end.
    pub answer: Option<String>,
    /// How many actions were taken.
    pub steps: u32,
    /// The file.
    pub analysis_file: PathBuf,
    /// What a look at the result showed.
    pub verification: Option<Verification>,
    /// What differs from the input.
    pub changes: Changes,
}

impl Sheets {
    /// Carries out an instruction on a workbook in a thread, and writes the result. If a person has to be
    /// asked, the thread waits ([`Error::Waiting`]): answer it, then call [`Sheets::resume_analysis`].
    pub async fn run_analysis(&self, thread: &str, analysis: &Analysis) -> Result<Report, Error> {
        refuse_input(&analysis.workbook, &analysis.output)?;
        let input = self
            .begin(&analysis.instruction, &analysis.workbook)
            .await?;
        let outcome = self.graph().run(thread, input).await?;
        self.ended(thread, outcome, &analysis.output).await
    }

    /// Resumes a thread that was interrupted or answered, and writes the result.
    pub async fn resume_analysis(&self, thread: &str, output: &Path) -> Result<Report, Error> {
        let now = self.graph().state(thread).await?;
        if let Some(input) = &now.state.problem.input {
            refuse_input(Path::new(input), output)?;
        }
        let outcome = match (now.asks.is_empty(), now.is_done()) {
            (false, _) => {
                return Err(Error::Waiting {
                    thread: thread.to_owned(),
                });
            }
            (true, true) => Outcome::Done(now.state),
            (true, false) => self.graph().resume(thread).await?,
        };
        self.ended(thread, outcome, output).await
    }

    async fn ended(
        &self,
        thread: &str,
        outcome: Outcome<SheetsState>,
        output: &Path,
    ) -> Result<Report, Error> {
        let Some(state) = outcome.done() else {
            return Err(Error::Waiting {
                thread: thread.to_owned(),
            });
        };
        self.save(&state, output, Overwrite::Never).await?;
        Ok(Report {
            status: state.status,
            answer: state.answer.clone(),
            steps: state.step,
            analysis_file: output.to_owned(),
            verification: state.verification.clone(),
            changes: self.changes(&state).await?,
        })
    }

    /// Writes what a state has come to, whole or not at all. The input is never replaced.
    pub async fn save(
        &self,
        state: &SheetsState,
        output: &Path,
        overwrite: Overwrite,
    ) -> Result<(), Error> {
        if let Some(input) = &state.problem.input {
            refuse_input(Path::new(input), output)?;
        }
        let bytes = self.bytes(state).await?;
        // After a crash the same file may be there already.
        if std::fs::read(output).is_ok_and(|there| there == bytes) {
            return Ok(());
        }
        Ok(save(output, &bytes, overwrite)?)
    }

    /// What differs between the input and what a state has come to.
    pub async fn changes(&self, state: &SheetsState) -> Result<Changes, Error> {
        let (before, after) = (self.input(state).await?, self.workbook(state).await?);
        crate::services::blocking(move || Ok(Changes::between(&before, &after))).await
    }
}

/// Refuses a result that would take the place of the input.
pub fn refuse_input(input: &Path, output: &Path) -> Result<(), Error> {
    let is_same = match (input.canonicalize(), output.canonicalize()) {
        (Ok(one), Ok(other)) => one == other || is_same_file(&one, &other),
        _ => input == output,
    };
    match is_same {
        true => Err(Error::OutputIsInput {
            path: superstep::text::single_line(&output.display().to_string()),
        }),
        false => Ok(()),
    }
}

#[cfg(unix)]
fn is_same_file(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let id = |path: &Path| path.metadata().ok().map(|about| (about.dev(), about.ino()));
    id(one).is_some() && id(one) == id(other)
}

#[cfg(not(unix))]
fn is_same_file(_: &Path, _: &Path) -> bool {
    false
}
