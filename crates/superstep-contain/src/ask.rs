//! One request to a worker: its process is started, given the bytes to work on, and asked for one reply.

use std::{io, process::ExitStatus, sync::OnceLock, time::Duration};

use serde::{Serialize, de::DeserializeOwned};
use tokio::process::Command;

use crate::{
    process::{self, Exceeded, Input, Worker, run_process},
    request,
};

/// The answer of a worker.
#[derive(Debug)]
pub enum Answer<R> {
    /// Its reply.
    Reply(R),
    /// It was stopped at a limit.
    Stopped(Exceeded),
    /// It ended without a reply.
    None {
        /// How it ended.
        status: ExitStatus,
        /// What it wrote to its errors.
        stderr: String,
    },
}

/// Asks a worker to do a task on a file. It is killed after this time, which begins when it starts.
pub async fn ask<R: DeserializeOwned>(
    worker: &Worker,
    time: Duration,
    task: &impl Serialize,
    file: &[u8],
) -> io::Result<Answer<R>> {
    let mut input = Vec::new();
    request::write(task, file, &mut input)?;
    let mut command = Command::new(worker.program());
    command.args(worker.arguments());
    let input = Input::Bytes(input);
    let ended = run_process(command, input, time, u64::MAX, &OnceLock::new()).await?;
    let Some(status) = ended.status else {
        return Ok(Answer::Stopped(Exceeded::Time));
    };
    Ok(match serde_json::from_slice(&ended.stdout) {
        Ok(reply) => Answer::Reply(reply),
        Err(_) => match process::exceeded(status, &ended.stderr) {
            Some(exceeded) => Answer::Stopped(exceeded),
            None => Answer::None {
                status,
                stderr: ended.stderr,
            },
        },
    })
}
