//! One program on one workbook, without a model. Nobody is asked: who runs it wrote it, and the input stays
//! as it is.

use std::{path::Path, sync::Arc, time::Duration};

use serde::Serialize;
use superstep_sandbox::{Calculator, Job, Limits as ProgramLimits, Sandbox};
use superstep_workbook::{Calculation, Changes, Limits, Workbook};

use crate::{
    error::Error,
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
    /// Whether the values of formulas are right.
    pub calculation: Calculation,
    /// The file.
    #[serde(skip)]
    pub bytes: Vec<u8>,
    /// The workbook.
    #[serde(skip)]
    pub book: Arc<Workbook>,
}

/// Runs a program on a workbook. A program that fails is an error.
pub async fn exec(
    sandbox: &dyn Sandbox,
    program: &str,
    file: &Path,
    limits: ProgramLimits,
    calculator: Option<&Calculator>,
) -> Result<Executed, Error> {
    let path = file.to_owned();
    let book = blocking(move || Ok(Workbook::open(&path, &Limits::default())?)).await?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let job = Job::new(program, book.clone()).called(name).within(limits);
    let ran = sandbox.run(&job).await?;
    let (ran, changes, after) = blocking(move || {
        let after = ran.workbook(&book)?;
        let changes = Changes::between(&book, &after);
        Ok((ran, changes, after))
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
            calculation,
            bytes: written.bytes,
            book: Arc::new(after),
        })
    })
    .await
}
