//! Formulas calculated in a process with limits: what they cost is not known before.

use std::time::Duration;

use superstep_contain::{Answer, Worker, ask};
use superstep_workbook::{Calculated, Error, OnLoad, Workbook};

use crate::{
    fault::Stop,
    limits::Limits,
    protocol::{Ended, Order, Reply, Task},
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
        let order = Order {
            task: Task::Calculate,
            program: String::new(),
            file: String::new(),
            limits: self.limits.clone(),
        };
        let failed =
            |error: std::io::Error| refused(format!("the process for it cannot be used: {error}"));
        let time = self.limits.time + GRACE;
        let answer = ask(&self.worker, time, &order, &written.bytes);
        let reply: Reply = match answer.await.map_err(failed)? {
            Answer::Reply(reply) => reply,
            Answer::Stopped(limit) => return Err(refused(self.stopped(limit.into()))),
            Answer::None { status, .. } => {
                return Err(refused(format!(
                    "the calculation ended without an answer ({status})"
                )));
            }
        };
        match reply.ended {
            Ended::Calculated(calculated) => Ok(calculated),
            Ended::NotCalculated(why) | Ended::Failed(why) => Err(refused(why)),
            Ended::Stopped(stop) => Err(refused(self.stopped(stop))),
            Ended::Done { .. } | Ended::Raised(_) => {
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
