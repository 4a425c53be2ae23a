//! Whoever sits before the command: their lines on stdin, and Ctrl-C.

use std::io::{self, BufRead};

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::failure::Failure;

/// Lines and Ctrl-C, listened to from the first moment on.
pub(crate) struct Person {
    #[cfg(unix)]
    signal: tokio::signal::unix::Signal,
    #[cfg(windows)]
    signal: tokio::signal::windows::CtrlC,
    lines: Option<UnboundedReceiver<io::Result<String>>>,
}

impl Person {
    /// Begins to listen: from here on Ctrl-C does not end the process by itself.
    pub(crate) fn listen() -> Result<Self, Failure> {
        #[cfg(unix)]
        let signal = {
            use tokio::signal::unix::{SignalKind, signal};
            signal(SignalKind::interrupt())?
        };
        #[cfg(windows)]
        let signal = tokio::signal::windows::ctrl_c()?;
        let lines = None;
        Ok(Self { signal, lines })
    }

    /// Waits until Ctrl-C is pressed, or was since the last time.
    pub(crate) async fn pressed(&mut self) {
        self.signal.recv().await;
    }

    /// The next line of stdin; nothing at its end.
    pub(crate) async fn line(&mut self) -> Result<Option<String>, Failure> {
        let lines = self.lines.get_or_insert_with(read_lines);
        tokio::select! {
            line = lines.recv() => Ok(line.transpose()?),
            _ = self.signal.recv() => Err(Failure::Cancelled),
        }
    }
}

/// Lines of stdin, read by a thread of its own: reading cannot be stopped.
fn read_lines() -> UnboundedReceiver<io::Result<String>> {
    let (send, receive) = unbounded_channel();
    std::thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            if send.send(line).is_err() {
                return;
            }
        }
    });
    receive
}
