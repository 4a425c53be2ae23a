//! One program on one workbook, without a model. Nobody is asked: who runs it wrote it, and the input stays
//! as it is.

use std::{path::Path, sync::Arc, time::Duration};

use serde::Serialize;
use superstep_sandbox::{Calculator, Job, Limits as ProgramLimits, ProgramRun, Sandbox};
use superstep_workbook::{Calculation, Changes, Limits, Workbook};

use crate::{
    error::Error,
    loss::left_out,
    services::{blocking, written},
};

/// What a program made of a workbook.
#[derive(Clone, Debug, Serialize)]
pub struct Executed {
    /// What it printed.
    pub stdout: String,
    /// How many bytes it printed beyond the limit.
    pub stdout_dropped: u64,
    /// How long it took.
    pub took: Duration,
    /// What differs from the input.
    pub changes: Changes,
    /// What may be wrong although the program reached its end.
    pub warnings: Vec<String>,
    /// Whether the values of formulas are right.
    pub calculation: Calculation,
    /// The file.
    #[serde(skip)]
    pub bytes: Vec<u8>,
    /// The workbook.
    #[serde(skip)]
    pub book: Arc<Workbook>,
}

/// A program that was run, to its end or not: what it printed is known in any case.
#[derive(Clone, Debug)]
pub struct Execution {
    ran: ProgramRun,
    before: Workbook,
}

/// Runs a program on a workbook. A program that fails is an error.
pub async fn exec(
    sandbox: &dyn Sandbox,
    program: &str,
    file: &Path,
    limits: ProgramLimits,
    calculator: Option<&Calculator>,
) -> Result<Executed, Error> {
    let execution = Execution::run(sandbox, program, file, limits).await?;
    execution.finish(calculator).await
}

impl Execution {
    /// Runs a program on a workbook. How it ended is told by [`Execution::finish`].
    pub async fn run(
        sandbox: &dyn Sandbox,
        program: &str,
        file: &Path,
        limits: ProgramLimits,
    ) -> Result<Self, Error> {
        let path = file.to_owned();
        let before = blocking(move || Ok(Workbook::open(&path, &Limits::default())?)).await?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let job = Job::new(program, before.clone())
            .called(name)
            .within(limits);
        let ran = sandbox.run(&job).await?;
        Ok(Self { ran, before })
    }

    /// What it printed, and how many bytes more than are kept.
    pub fn printed(&self) -> (&str, u64) {
        (&self.ran.stdout, self.ran.stdout_dropped)
    }

    /// What it made of the workbook, its formulas calculated. A program that failed is an error.
    pub async fn finish(self, calculator: Option<&Calculator>) -> Result<Executed, Error> {
        let Self { ran, before } = self;
        let (ran, changes, warnings, after) = blocking(move || {
            let after = ran.workbook(&before)?;
            let changes = Changes::between(&before, &after);
            let mut warnings = ran.warnings(&before, &after);
            warnings.extend(left_out(&before, &after, &ran.lineage));
            Ok((ran, changes, warnings, after))
        })
        .await?;
        let (written, calculation) = written(after, calculator).await?;
        blocking(move || {
            let after = Workbook::read(written.bytes.as_slice(), &Limits::default())?;
            Ok(Executed {
                stdout: ran.stdout,
                stdout_dropped: ran.stdout_dropped,
                took: ran.took,
                changes,
                warnings,
                calculation,
                bytes: written.bytes,
                book: Arc::new(after),
            })
        })
        .await
    }
}
