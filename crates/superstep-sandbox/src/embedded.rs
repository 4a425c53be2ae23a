//! The sandbox that needs nothing: an interpreter of Python within a worker process.

use std::time::{Duration, Instant};

use superstep_contain::{Answer, Worker, ask, ended_by};
use superstep_core::future::BoxFuture;
use superstep_workbook::{Lineage, OnLoad};

use crate::{
    error::SandboxError,
    program_run::{Ending, Outcome, ProgramRun},
    protocol::{Ended, Order, Reply, Task},
    python,
    sandbox::{Availability, Job, Sandbox},
};

/// How much longer than its limit a worker lives: it starts, reads the workbook and answers.
const GRACE: Duration = Duration::from_secs(10);

/// The embedded interpreter.
#[derive(Clone, Debug)]
pub struct Embedded {
    worker: Worker,
}

impl Embedded {
    /// The name of this sandbox.
    pub const NAME: &'static str = "embedded";

    /// The interpreter in this worker.
    pub fn new(worker: Worker) -> Self {
        Self { worker }
    }
}

impl Sandbox for Embedded {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn available(&self) -> Availability {
        let mut contained_by = vec![
            "an interpreter without files, network and processes".to_owned(),
            "a process that is killed when its time is over".to_owned(),
        ];
        if cfg!(target_os = "linux") {
            contained_by.push("limits of memory and of processor time, seccomp".to_owned());
            #[cfg(target_os = "linux")]
            if superstep_contain::landlock().is_ok() {
                contained_by.push("Landlock".to_owned());
            }
        }
        Availability::Ready { contained_by }
    }

    fn guide(&self) -> String {
        format!(
            "Modules: {}. No others: no pandas, no numpy. Unlike openpyxl elsewhere, `insert_rows`, `insert_cols`, \
             `delete_rows` and `delete_cols` adapt all formulas, so do not translate formulas afterwards.",
            python::importable().join(", ")
        )
    }

    fn run<'a>(&'a self, job: &'a Job) -> BoxFuture<'a, Result<ProgramRun, SandboxError>> {
        Box::pin(self.run_job(job))
    }
}

impl Embedded {
    async fn run_job(&self, job: &Job) -> Result<ProgramRun, SandboxError> {
        let start = Instant::now();
        let workbook = job
            .workbook
            .write(OnLoad::Trust)
            .map_err(SandboxError::Result)?;
        let order = Order {
            task: Task::Run,
            program: job.program.clone(),
            file: job.file.clone(),
            limits: job.limits.clone(),
        };
        let time = job.limits.time + GRACE;
        let answer = ask::<Reply>(&self.worker, time, &order, &workbook.bytes)
            .await
            .map_err(SandboxError::Process)?;
        let ran = |ending, stdout, stdout_dropped| ProgramRun {
            ending,
            stdout,
            stdout_dropped,
            took: start.elapsed(),
            lineage: Lineage::default(),
        };
        let reply = match answer {
            Answer::Reply(reply) => reply,
            Answer::Stopped(limit) => {
                return Ok(ran(Ending::Stopped(limit.into()), String::new(), 0));
            }
            Answer::None { status, stderr } => {
                let what = ended_by(status, &stderr);
                return Err(SandboxError::Died { what });
            }
        };
        let ending = match reply.ended {
            Ended::Done { base, operations } => {
                Ending::Done(Outcome::Operations { base, operations })
            }
            Ended::Raised(raised) => Ending::Raised(raised),
            Ended::Stopped(stop) => Ending::Stopped(stop),
            Ended::Failed(what) | Ended::NotCalculated(what) => {
                return Err(SandboxError::Died { what });
            }
            Ended::Calculated(_) => {
                let what = "it calculated formulas and ran no program".to_owned();
                return Err(SandboxError::Died { what });
            }
        };
        Ok(ran(ending, reply.stdout, reply.dropped))
    }
}
