//! MCP transport over the pipes of a child process: one message per line.
//!
//! One task owns the process: it reads, writes, and in the end kills and reaps it. It ends when the
//! pipe is dropped, when the server closes its output, or when the server breaks the rules. Whoever
//! waits for a reply then learns whether the request had been written.

use std::{
    collections::{HashMap, VecDeque},
    convert::Infallible,
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::Value as Json;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    process::{Child, ChildStderr, ChildStdin, ChildStdout},
    sync::{mpsc, oneshot, watch},
    time::timeout,
};

use super::{
    at::Command,
    changed::Changed,
    fault::Fault,
    process::{self, Group},
    wire::{self, Incoming},
};
use superstep_core::sync::lock;

/// How many lines wait to be written.
const QUEUE: usize = 64;

/// How many lines that are no messages are passed over: some servers greet.
const MAX_GARBAGE: usize = 64;

/// How much of what a server writes for people is kept.
const MAX_STDERR: usize = 16 << 10;

/// How long a server has to end by itself once its input is closed.
const GRACE: Duration = Duration::from_secs(2);

/// The pipes of a running server.
pub(super) struct Pipe {
    lines: mpsc::Sender<Line>,
    /// Its end is what stops the task.
    running: Mutex<Option<oneshot::Sender<()>>>,
    shared: Arc<Shared>,
    reaped: watch::Receiver<bool>,
}

/// What is written at once: a request with its number, or something else.
struct Line {
    request: Option<u64>,
    message: Json,
}

struct Shared {
    waiting: Mutex<Waiting>,
    stderr: Mutex<VecDeque<u8>>,
    changed: Changed,
    max_bytes: usize,
}

/// Who waits for replies, or why nobody can.
struct Waiting {
    next: u64,
    open: HashMap<u64, Asked>,
    ended: Option<String>,
}

struct Asked {
    sender: oneshot::Sender<Result<Json, Fault>>,
    written: bool,
}

impl Pipe {
    /// Starts a server.
    pub(super) fn open(
        command: &Command,
        max_bytes: usize,
        changed: Changed,
    ) -> Result<Self, Fault> {
        let started = process::spawn(command);
        let (mut child, group) = started.map_err(|error| {
            let program = command.program.display();
            Fault::Unsent(format!("`{program}` cannot be started: {error}"))
        })?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(Fault::Unsent("the server has no pipes".into()));
        };
        let shared = Arc::new(Shared {
            waiting: Mutex::new(Waiting {
                next: 0,
                open: HashMap::new(),
                ended: None,
            }),
            stderr: Mutex::default(),
            changed,
            max_bytes,
        });
        let (lines, queue) = mpsc::channel(QUEUE);
        let (running, stop) = oneshot::channel();
        let (reap, reaped) = watch::channel(false);
        let streams = Streams {
            stdin,
            stdout: BufReader::new(stdout),
            stderr,
            queue,
            answers: lines.downgrade(),
            stop,
        };
        tokio::spawn(keep(child, group, streams, shared.clone(), reap));
        Ok(Self {
            lines,
            running: Mutex::new(Some(running)),
            shared,
            reaped,
        })
    }

    pub(super) async fn request(
        &self,
        method: &str,
        params: &Json,
        limit: Duration,
    ) -> Result<Json, Fault> {
        let (sender, reply) = oneshot::channel();
        let id = self.shared.ask(sender)?;
        // From here on a dropped future takes the request back.
        let open = PendingRequest {
            id,
            shared: &self.shared,
            lines: &self.lines,
        };
        let line = Line {
            request: Some(id),
            message: wire::request(id, method, params),
        };
        let replied = async {
            if self.lines.send(line).await.is_err() {
                return Err(Fault::Unsent("the server has ended".into()));
            }
            reply.await.unwrap_or_else(|_| {
                // The end of the server is always reported; a silent one is taken for the worse.
                Err(Fault::Lost("the server has ended".into()))
            })
        };
        let Ok(reply) = timeout(limit, replied).await else {
            let why = format!("no reply came within {limit:?}");
            return Err(match open.take_back() {
                Some(false) => Fault::Unsent(why),
                _ => Fault::Lost(why),
            });
        };
        reply
    }

    pub(super) async fn notify(&self, message: &Json) -> Result<(), Fault> {
        let line = Line {
            request: None,
            message: message.clone(),
        };
        let sent = self.lines.send(line).await;
        sent.map_err(|_| Fault::Unsent("the server has ended".into()))
    }

    pub(super) fn is_open(&self) -> bool {
        lock(&self.shared.waiting).ended.is_none()
    }

    pub(super) fn stderr(&self) -> String {
        let kept: Vec<u8> = lock(&self.shared.stderr).iter().copied().collect();
        String::from_utf8_lossy(&kept).into_owned()
    }

    pub(super) async fn close(&self) {
        lock(&self.running).take();
        let mut reaped = self.reaped.clone();
        // An error says that the task is gone, and with it the process.
        let _ = reaped.wait_for(|reaped| *reaped).await;
    }
}

/// A request without a reply yet. Dropping it takes the request back: it is not written any more,
/// or the server is notified that nobody waits.
struct PendingRequest<'a> {
    id: u64,
    shared: &'a Shared,
    lines: &'a mpsc::Sender<Line>,
}

impl PendingRequest<'_> {
    /// Whether it had been written; nothing if it is answered.
    fn take_back(&self) -> Option<bool> {
        let asked = lock(&self.shared.waiting).open.remove(&self.id)?;
        if asked.written {
            // A queue that is full belongs to a server that does not read: it would not read this.
            let _ = self.lines.try_send(Line {
                request: None,
                message: wire::cancelled(self.id),
            });
        }
        Some(asked.written)
    }
}

impl Drop for PendingRequest<'_> {
    fn drop(&mut self) {
        self.take_back();
    }
}

struct Streams {
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    stderr: ChildStderr,
    queue: mpsc::Receiver<Line>,
    answers: mpsc::WeakSender<Line>,
    stop: oneshot::Receiver<()>,
}

/// Runs the pipes until there is nothing more to read or nobody to read it, then ends the server.
async fn keep(
    mut child: Child,
    // Dropped before the child, whose number it uses.
    mut group: Group,
    mut streams: Streams,
    shared: Arc<Shared>,
    reap: watch::Sender<bool>,
) {
    let mut heard = tokio::spawn(listen(streams.stderr, shared.clone()));
    let why = tokio::select! {
        why = shared.read(&mut streams.stdout, &streams.answers) => Some(why),
        never = shared.write(streams.stdin, streams.queue) => match never {},
        _ = streams.stop => None,
    };
    if why.is_none() {
        shared.end("the server was closed");
        // Its input is closed: a server that takes the hint closes its output.
        let mut rest = tokio::io::sink();
        let _ = timeout(GRACE, tokio::io::copy(&mut streams.stdout, &mut rest)).await;
    }
    group.kill();
    // Killed: this takes no time, and an error says that it is gone already.
    let _ = child.kill().await;
    if timeout(GRACE, &mut heard).await.is_err() {
        heard.abort();
    }
    // Only now, so that whoever learns of the end can say what the server wrote last.
    if let Some(why) = why {
        shared.end(&why);
    }
    reap.send_replace(true);
}

/// Keeps the last of what the server writes for people.
async fn listen(mut stderr: ChildStderr, shared: Arc<Shared>) {
    let mut piece = [0; 1024];
    while let Ok(read @ 1..) = stderr.read(&mut piece).await {
        let mut kept = lock(&shared.stderr);
        kept.extend(piece.iter().take(read));
        let over = kept.len().saturating_sub(MAX_STDERR);
        kept.drain(..over);
    }
}

impl Shared {
    fn ask(&self, sender: oneshot::Sender<Result<Json, Fault>>) -> Result<u64, Fault> {
        let mut waiting = lock(&self.waiting);
        if let Some(why) = &waiting.ended {
            return Err(Fault::Unsent(why.clone()));
        }
        waiting.next += 1;
        let id = waiting.next;
        let written = false;
        waiting.open.insert(id, Asked { sender, written });
        Ok(id)
    }

    /// Reads messages until there are no more; says why.
    async fn read(
        &self,
        stdout: &mut BufReader<ChildStdout>,
        answers: &mpsc::WeakSender<Line>,
    ) -> String {
        let most = u64::try_from(self.max_bytes).unwrap_or(u64::MAX);
        let mut garbage = 0;
        let mut line = Vec::new();
        loop {
            line.clear();
            let mut capped = (&mut *stdout).take(most);
            match capped.read_until(b'\n', &mut line).await {
                Err(error) => return format!("the server cannot be read: {error}"),
                Ok(_) if line.ends_with(b"\n") => {}
                Ok(_) if line.len() < self.max_bytes => return "the server has ended".into(),
                Ok(_) => {
                    return format!("the server sent more than {most} bytes in one message");
                }
            }
            let Some(incoming) = wire::read(&line) else {
                // It may be a reply that somebody waits for, who would wait for nothing.
                if wire::is_too_deep(&line) {
                    return "the server sent a message that is nested too deep".into();
                }
                garbage += usize::from(!line.trim_ascii().is_empty());
                if garbage > MAX_GARBAGE {
                    return "the server keeps sending what is no message".into();
                }
                continue;
            };
            self.changed.hear(&incoming);
            match incoming {
                Incoming::Reply { id, outcome } => self.reply(id, outcome.map_err(Fault::Refused)),
                Incoming::Request { id, method } => {
                    let message = wire::answer(&id, &method);
                    let request = None;
                    if let Some(answers) = answers.upgrade() {
                        // One that asks faster than it reads gets no answer.
                        let _ = answers.try_send(Line { request, message });
                    }
                }
                Incoming::Notice { .. } | Incoming::Stray => {}
            }
        }
    }

    /// A reply nobody waits for, such as a second one, is passed over.
    fn reply(&self, id: u64, outcome: Result<Json, Fault>) {
        let mut waiting = lock(&self.waiting);
        // What was not written yet cannot have been answered.
        if waiting.open.get(&id).is_some_and(|asked| asked.written)
            && let Some(asked) = waiting.open.remove(&id)
        {
            let _ = asked.sender.send(outcome);
        }
    }

    /// Writes what is to be written. A server that does not take it is left alone: its output
    /// tells what became of it.
    async fn write(&self, mut stdin: ChildStdin, mut queue: mpsc::Receiver<Line>) -> Infallible {
        while let Some(line) = queue.recv().await {
            if let Some(id) = line.request
                && !self.set_written(id, true)
            {
                continue;
            }
            let mut bytes = line.message.to_string().into_bytes();
            bytes.push(b'\n');
            let written = async {
                stdin.write_all(&bytes).await?;
                stdin.flush().await
            };
            if written.await.is_err() {
                // Not all of the line went out: the server has no such request.
                if let Some(id) = line.request {
                    self.set_written(id, false);
                }
                break;
            }
        }
        std::future::pending().await
    }

    /// Whether somebody still waits for it.
    fn set_written(&self, id: u64, written: bool) -> bool {
        let mut waiting = lock(&self.waiting);
        let asked = waiting.open.get_mut(&id);
        asked.map(|asked| asked.written = written).is_some()
    }

    fn end(&self, why: &str) {
        let mut waiting = lock(&self.waiting);
        waiting.ended = Some(why.to_owned());
        for (_, asked) in waiting.open.drain() {
            let fault = match asked.written {
                true => Fault::Lost(why.to_owned()),
                false => Fault::Unsent(why.to_owned()),
            };
            let _ = asked.sender.send(Err(fault));
        }
    }
}
