//! What every sandbox does.

use superstep_core::future::BoxFuture;
use superstep_workbook::{CellRef, Workbook};

use crate::{error::SandboxError, limits::Limits, program_run::ProgramRun};

/// Runs programs on workbooks, contained.
///
/// The future of a run owns all that it starts: when it is dropped, the program and its children are
/// killed. That is how a run is cancelled.
pub trait Sandbox: Send + Sync {
    /// Its name, as settings write it.
    fn name(&self) -> &'static str;

    /// Whether it can run programs here, and what contains them.
    fn available(&self) -> Availability;

    /// What programs can and cannot use there, for a model that writes them.
    fn guide(&self) -> String;

    /// Runs a program to its end, or to one of its limits.
    fn run<'a>(&'a self, job: &'a Job) -> BoxFuture<'a, Result<ProgramRun, SandboxError>>;
}

impl dyn Sandbox {
    /// Whether it can be used, shown by a program that it runs: it imports openpyxl and changes a workbook.
    pub async fn tried(&self) -> Availability {
        let found = self.available();
        let failed = |why: String| Availability::Missing {
            why: format!("a program that was run to try it failed: {why}"),
        };
        if !found.is_ready() {
            return found;
        }
        let book = match Workbook::empty() {
            Ok(book) => book,
            Err(error) => return failed(error.to_string()),
        };
        let program = "import openpyxl\nworkbook.active['A1'] = 'tried'\n";
        let ran = match self.run(&Job::new(program, book.clone())).await {
            Ok(ran) => ran,
            Err(error) => return failed(error.to_string()),
        };
        let changed = ran.workbook(&book);
        let at = CellRef { row: 1, column: 1 };
        match changed {
            Err(error) => failed(error.to_string()),
            Ok(after) => match after.sheets.first().map(|sheet| sheet.value(at)) {
                Some(value) if value.as_text() == Some("tried") => found,
                _ => failed("its change is not in the workbook".to_owned()),
            },
        }
    }
}

/// One program and what it runs on.
#[derive(Clone, Debug)]
pub struct Job {
    /// The program's text.
    pub program: String,
    /// The workbook that it finds as `workbook`.
    pub workbook: Workbook,
    /// The file name under which the program may load the workbook.
    pub file: String,
    /// What it may use.
    pub limits: Limits,
}

impl Job {
    /// A program for a workbook that is called `workbook.xlsx`, within the usual limits.
    pub fn new(program: impl Into<String>, workbook: Workbook) -> Self {
        Self {
            program: program.into(),
            workbook,
            file: "workbook.xlsx".to_owned(),
            limits: Limits::default(),
        }
    }

    /// The same under another file name.
    #[must_use]
    pub fn called(mut self, file: impl Into<String>) -> Self {
        self.file = file.into();
        self
    }

    /// The same within other limits.
    #[must_use]
    pub fn within(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}

/// Whether a sandbox can be used.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Availability {
    /// It can.
    Ready {
        /// What contains programs, for people to read.
        contained_by: Vec<String>,
    },
    /// It cannot, and never runs anything uncontained instead.
    Missing {
        /// What is missing.
        why: String,
    },
}

impl Availability {
    /// Whether it can be used.
    pub fn is_ready(&self) -> bool {
        matches!(self, Self::Ready { .. })
    }
}
