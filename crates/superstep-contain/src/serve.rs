//! The worker process: it reads a request, contains itself, does the work, and writes a reply.

use std::{
    ffi::OsString,
    io::{self, Write},
    process::ExitCode,
    time::Duration,
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    extract::{Extract, ExtractReply, ExtractTask},
    kernel, request,
};

/// Room for the deepest calls that limits permit.
const STACK: usize = 512 << 20;

/// The `main` of a binary that is a worker; the arguments are those after its own command. `serve` answers the request,
/// with [`serve`]. The process ends by itself and prints only to its parent.
///
/// On Linux it first closes every descriptor but input, output and errors, so a binary calls it before it opens files.
pub fn worker(arguments: &[OsString], serve: impl FnOnce() -> io::Result<()>) -> ExitCode {
    #[cfg(target_os = "linux")]
    crate::descriptors::close_inherited();
    #[cfg(target_os = "linux")]
    if let Some((first, rest)) = arguments.split_first() {
        if first == "contained" {
            return crate::exec::contained(rest);
        }
        if first == "guarded" {
            return crate::guard::guarded(rest);
        }
    }
    let _ = arguments;
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "the worker failed: {error}");
            ExitCode::FAILURE
        }
    }
}

/// A request that a worker has read, before the worker is contained.
#[derive(Debug)]
pub struct Received<T> {
    /// What to do.
    pub task: T,
    /// The file to do it with.
    pub file: Vec<u8>,
    parent: u32,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Work<T> {
    Extract(ExtractTask),
    Other(T),
}

/// Reads the one request of this process, writes the reply, and ends the process. Requests of an
/// [`Extractor`](crate::Extractor) are answered by the function of their name, all others by `answer`.
pub fn serve<T, R>(
    extracts: &'static [(&'static str, Extract)],
    answer: impl FnOnce(Received<T>) -> R + Send + 'static,
) -> io::Result<()>
where
    T: DeserializeOwned + Send + 'static,
    R: Serialize,
{
    let (request, file) = request::read::<Work<T>>(&mut io::stdin().lock())?;
    let parent = request.parent;
    let thread = std::thread::Builder::new().stack_size(STACK);
    let running = thread.spawn(move || match request.task {
        Work::Extract(task) => reply(&extracted(Received { task, file, parent }, extracts)),
        Work::Other(task) => reply(&answer(Received { task, file, parent })),
    })?;
    match running.join() {
        Ok(done) => done,
        Err(_) => Err(io::Error::other("the worker panicked")),
    }
}

fn reply(reply: &impl Serialize) -> io::Result<()> {
    let mut out = io::stdout().lock();
    serde_json::to_writer(&mut out, reply)?;
    out.write_all(b"\n")?;
    out.flush()?;
    // What the work left is not taken apart: deep values would cost a deep stack.
    std::process::exit(0)
}

fn extracted(
    received: Received<ExtractTask>,
    extracts: &[(&'static str, Extract)],
) -> ExtractReply {
    // A panic is part of the reply; its place in the sources says nothing to a reader.
    std::panic::set_hook(Box::new(|_| {}));
    let limits = &received.task.limits;
    match received.contain(limits.time, limits.memory) {
        Ok(()) => received.task.run(extracts, &received.file),
        Err(why) => ExtractReply::failed(why),
    }
}

impl<T> Received<T> {
    /// Contains this process for good: it ends with its parent, has limits of time and memory, and on Linux neither files,
    /// network nor other processes.
    pub fn contain(&self, time: Duration, memory: u64) -> Result<(), String> {
        kernel::with_parent(Some(self.parent))?;
        kernel::memory(memory, time.as_secs() + 5)?;
        #[cfg(target_os = "linux")]
        {
            if kernel::landlock().is_ok() {
                kernel::files(&kernel::Files::default())?;
            }
            kernel::system_calls()?;
        }
        Ok(())
    }
}
