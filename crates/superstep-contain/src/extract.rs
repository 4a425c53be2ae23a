//! Text taken from untrusted files in a worker: readers of large formats panic, and take as much time and memory as a file
//! makes them take.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{
    ask::{Answer, ask},
    process::{Exceeded, Worker},
};

/// Makes text of the bytes of a file, or says why there is none. It may panic.
pub type Extract = fn(&[u8]) -> Result<String, String>;

/// How much longer than its limit a worker lives.
const GRACE: Duration = Duration::from_secs(5);

/// How long it may take.
const TIME: Duration = Duration::from_secs(30);

/// How much memory it may take.
const MEMORY: u64 = 1 << 30;

/// Takes text from files in a worker that has a function for it: see [`serve`](crate::serve).
#[derive(Clone, Debug)]
pub struct Extractor {
    worker: Worker,
    task: ExtractTask,
}

/// The request for the text of a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ExtractTask {
    task: TaskName,
    /// The name of the function.
    program: String,
    pub(crate) limits: ExtractLimits,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum TaskName {
    Extract,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ExtractLimits {
    pub(crate) time: Duration,
    pub(crate) memory: u64,
}

/// The reply: the text, or why there is none.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ExtractReply {
    ended: Extracted,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Extracted {
    Text(String),
    Failed(String),
}

impl Extractor {
    /// One that calls the function of this name in the worker, for half a minute and in one gibibyte at most.
    pub fn new(worker: Worker, name: &'static str) -> Self {
        let limits = ExtractLimits {
            time: TIME,
            memory: MEMORY,
        };
        let task = ExtractTask {
            task: TaskName::Extract,
            program: name.to_owned(),
            limits,
        };
        Self { worker, task }
    }

    /// The same with other limits.
    #[must_use]
    pub fn within(mut self, time: Duration, memory: u64) -> Self {
        self.task.limits = ExtractLimits { time, memory };
        self
    }

    /// The text of a file, or why there is none.
    pub async fn text(&self, bytes: &[u8]) -> Result<String, String> {
        let failed = |error: std::io::Error| format!("the process for it cannot be used: {error}");
        let limits = &self.task.limits;
        let answer = ask(&self.worker, limits.time + GRACE, &self.task, bytes);
        let reply: ExtractReply = match answer.await.map_err(failed)? {
            Answer::Reply(reply) => reply,
            Answer::Stopped(Exceeded::Memory) => {
                let mebibytes = limits.memory >> 20;
                return Err(format!(
                    "reading it takes more than {mebibytes} MiB of memory"
                ));
            }
            Answer::Stopped(Exceeded::Time) => {
                return Err(format!("reading it takes longer than {:?}", limits.time));
            }
            Answer::None { status, .. } => {
                return Err(format!("its reader ended without an answer ({status})"));
            }
        };
        match reply.ended {
            Extracted::Text(text) => Ok(text),
            Extracted::Failed(why) => Err(why),
        }
    }
}

impl ExtractTask {
    /// Runs in the worker, once it is contained.
    pub(crate) fn run(&self, extracts: &[(&str, Extract)], bytes: &[u8]) -> ExtractReply {
        let named = extracts.iter().find(|(name, _)| *name == self.program);
        let Some((_, extract)) = named else {
            return ExtractReply::failed("this worker does not read such files");
        };
        match std::panic::catch_unwind(|| extract(bytes)) {
            Ok(Ok(text)) => ExtractReply {
                ended: Extracted::Text(text),
            },
            Ok(Err(why)) => ExtractReply::failed(why),
            Err(_) => ExtractReply::failed("its reader does not understand it"),
        }
    }
}

impl ExtractReply {
    pub(crate) fn failed(why: impl Into<String>) -> Self {
        Self {
            ended: Extracted::Failed(why.into()),
        }
    }
}
