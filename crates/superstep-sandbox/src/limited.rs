//! One request to a worker with limits: its process is started, given the bytes to work on, and asked for one reply.

use std::{io, process::ExitStatus, time::Duration};

use tokio::process::Command;

use crate::{
    fault::Stop,
    limits::Limits,
    process::{self, Worker},
    protocol::{Reply, Request, Task},
};

/// What a worker is asked to do.
pub(crate) struct Order<'a> {
    pub(crate) task: Task,
    /// The program, or the name of what is to be called.
    pub(crate) program: &'a str,
    /// How the program calls the file.
    pub(crate) file: &'a str,
    /// The file.
    pub(crate) bytes: &'a [u8],
}

/// What came of it.
pub(crate) enum Answer {
    Reply(Reply),
    /// It was stopped at a limit.
    Stopped(Stop),
    /// It ended without a reply.
    None {
        status: ExitStatus,
        stderr: String,
    },
}

/// Asks a worker, which lives so much longer than its limit: it starts, reads its input and answers.
pub(crate) async fn ask(
    worker: &Worker,
    limits: &Limits,
    grace: Duration,
    order: Order<'_>,
) -> io::Result<Answer> {
    let request = Request {
        task: order.task,
        program: order.program.to_owned(),
        file: order.file.to_owned(),
        limits: limits.clone(),
        bytes: order.bytes.len() as u64,
        parent: std::process::id(),
    };
    let mut input = Vec::new();
    request.write(order.bytes, &mut input)?;
    let mut command = Command::new(&worker.program);
    command.args(&worker.arguments);
    let ended = process::run(command, input, limits.time + grace, u64::MAX).await?;
    let Some(status) = ended.status else {
        return Ok(Answer::Stopped(Stop::Time));
    };
    Ok(match serde_json::from_slice::<Reply>(&ended.stdout) {
        Ok(reply) => Answer::Reply(reply),
        Err(_) => match process::limit(status, &ended.stderr) {
            Some(stop) => Answer::Stopped(stop),
            None => Answer::None {
                status,
                stderr: ended.stderr,
            },
        },
    })
}
