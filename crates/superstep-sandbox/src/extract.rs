//! Text taken from files of others in a process with limits: readers of large formats panic, and take what a file
//! makes them take.

use std::time::Duration;

use crate::{
    fault::Stop,
    limited::{self, Answer, Order},
    limits::Limits,
    process::Worker,
    protocol::{Ended, Task},
};

/// Makes text of the bytes of a file, or says why there is none. It may panic.
pub type Extract = fn(&[u8]) -> Result<String, String>;

/// How much longer than its limit a worker lives.
const GRACE: Duration = Duration::from_secs(5);

/// How long it may take.
const TIME: Duration = Duration::from_secs(30);

/// How much memory it may take.
const MEMORY: u64 = 1 << 30;

/// Takes text from files in a worker that knows how: see [`worker_with`](crate::worker_with).
#[derive(Clone, Debug)]
pub struct Extractor {
    worker: Worker,
    name: &'static str,
    limits: Limits,
}

impl Extractor {
    /// One that calls the function of this name in the worker, for half a minute and in one gibibyte at most.
    pub fn new(worker: Worker, name: &'static str) -> Self {
        let limits = Limits {
            time: TIME,
            memory: MEMORY,
            ..Limits::default()
        };
        Self {
            worker,
            name,
            limits,
        }
    }

    /// The same with other limits.
    #[must_use]
    pub fn within(mut self, time: Duration, memory: u64) -> Self {
        (self.limits.time, self.limits.memory) = (time, memory);
        self
    }

    /// The text of a file, or why there is none.
    pub async fn text(&self, bytes: &[u8]) -> Result<String, String> {
        let order = Order {
            task: Task::Extract,
            program: self.name,
            file: "",
            bytes,
        };
        let failed = |error: std::io::Error| format!("the process for it cannot be used: {error}");
        let answer = limited::ask(&self.worker, &self.limits, GRACE, order);
        let reply = match answer.await.map_err(failed)? {
            Answer::Reply(reply) => reply,
            Answer::Stopped(stop) => return Err(self.stopped(stop)),
            Answer::None { status, .. } => {
                return Err(format!("its reader ended without an answer ({status})"));
            }
        };
        match reply.ended {
            Ended::Text(text) => Ok(text),
            Ended::Failed(why) => Err(why),
            Ended::Stopped(stop) => Err(self.stopped(stop)),
            _ => Err("its reader gave another answer".to_owned()),
        }
    }

    fn stopped(&self, stop: Stop) -> String {
        match stop {
            Stop::Memory => format!(
                "reading it takes more than {} MiB of memory",
                self.limits.memory >> 20
            ),
            _ => format!("reading it takes longer than {:?}", self.limits.time),
        }
    }
}

/// Runs in the worker, once it is contained.
pub(crate) fn run(extract: Option<Extract>, bytes: &[u8]) -> Ended {
    let Some(extract) = extract else {
        return Ended::Failed("this worker does not read such files".to_owned());
    };
    match std::panic::catch_unwind(|| extract(bytes)) {
        Ok(Ok(text)) => Ended::Text(text),
        Ok(Err(why)) => Ended::Failed(why),
        Err(_) => Ended::Failed("its reader does not understand it".to_owned()),
    }
}
