//! Formulas calculated in a process with limits: what they cost is not known before.

use std::time::Duration;

use superstep_workbook::{Calculated, Error, OnLoad, Workbook};
use tokio::process::Command;

use crate::{
    fault::Stop,
    limits::Limits,
    process::{self, Worker},
    protocol::{Ended, Reply, Request, Task},
};

/// How much longer than its limit a worker lives: it starts, reads the workbook and answers.
const GRACE: Duration = Duration::from_secs(10);

/// How long a calculation may take.
const TIME: Duration = Duration::from_secs(60);

/// How much memory it may take.
const MEMORY: u64 = 2 << 30;

/// Calculates formulas in a worker.
#[derive(Clone, Debug)]
pub struct Calculator {
    worker: Worker,
    limits: Limits,
}

impl Calculator {
    /// One that calculates in this worker, for a minute and in two gibibytes at most.
    pub fn new(worker: Worker) -> Self {
        let limits = Limits {
            time: TIME,
            memory: MEMORY,
            ..Limits::default()
        };
        Self { worker, limits }
    }

    /// The same with other limits.
    #[must_use]
    pub fn within(mut self, time: Duration, memory: u64) -> Self {
        (self.limits.time, self.limits.memory) = (time, memory);
        self
    }

    /// What the formulas of a workbook give. An error says why that is not known; nothing is lost then.
    pub async fn calculate(&self, book: &Workbook) -> Result<Calculated, Error> {
        if book.formulas() == 0 {
            return Ok(Calculated::default());
        }
        let refused = |why: String| Error::NotRecalculated { why };
        let written = book.write(OnLoad::Trust)?;
        let request = Request {
            task: Task::Calculate,
            program: String::new(),
            file: String::new(),
            limits: self.limits.clone(),
            bytes: written.bytes.len() as u64,
            parent: std::process::id(),
        };
        let mut input = Vec::new();
        let failed =
            |error: std::io::Error| refused(format!("the process for it cannot be used: {error}"));
        request.write(&written.bytes, &mut input).map_err(failed)?;
        let mut command = Command::new(&self.worker.program);
        command.args(&self.worker.arguments);
        let time = self.limits.time + GRACE;
        let ended = process::run(command, input, time, u64::MAX)
            .await
            .map_err(failed)?;
        let Some(status) = ended.status else {
            return Err(refused(self.stopped(Stop::Time)));
        };
        let Ok(reply) = serde_json::from_slice::<Reply>(&ended.stdout) else {
            let stop = process::limit(status, &ended.stderr);
            return Err(refused(match stop {
                Some(stop) => self.stopped(stop),
                None => format!("the calculation ended without an answer ({status})"),
            }));
        };
        match reply.ended {
            Ended::Calculated(calculated) => Ok(calculated),
            Ended::NotCalculated(why) | Ended::Failed(why) => Err(refused(why)),
            Ended::Stopped(stop) => Err(refused(self.stopped(stop))),
            Ended::Done { .. } | Ended::Raised(_) | Ended::Text(_) => {
                Err(refused("the calculation gave another answer".to_owned()))
            }
        }
    }

    fn stopped(&self, stop: Stop) -> String {
        match stop {
            Stop::Memory => format!(
                "the formulas want more than {} MiB of memory",
                self.limits.memory >> 20
            ),
            _ => format!("the formulas take longer than {:?}", self.limits.time),
        }
    }
}
