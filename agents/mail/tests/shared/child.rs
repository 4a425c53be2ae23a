//! A process that sends a mail through the trait and can be killed on the way.
//!
//! It keeps a note as an outbox does: before it sends it writes down that it will; a process that
//! finds the note looks the mail up first. Its program is the test [`crate::SENDER_TEST`], which calls
//! [`send`] instead where there is a [`note`].

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _},
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, Stdio},
    time::Duration,
};

use superstep_mail::{Lookup, Mailbox, Outgoing};

/// Set in the child: where its note is.
const NOTE: &str = "SUPERSTEP_NET_NOTE";
/// Set in the child: which mailbox it opens.
const MAILBOX: &str = "SUPERSTEP_NET_MAILBOX";
/// Set in the child: where it stops and waits to be killed.
const STOP: &str = "SUPERSTEP_NET_STOP";

/// Where a child stops and waits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Stop {
    BeforeSending,
    AfterSending,
    Never,
}

/// A child that sends.
pub(crate) struct Sender {
    child: Child,
    out: BufReader<ChildStdout>,
}

impl Sender {
    /// Starts it: `mailbox` is for `open_mailbox` there, `note` is its outbox.
    pub(crate) fn start(mailbox: &str, note: &Path, stop: Stop) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([crate::SENDER_TEST, "--exact", "--nocapture"])
            .env(NOTE, note)
            .env(MAILBOX, mailbox)
            .env(STOP, format!("{stop:?}"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        Self { child, out }
    }

    /// Waits until it says this.
    pub(crate) fn until(&mut self, word: &str) {
        let mut line = String::new();
        loop {
            line.clear();
            assert!(
                self.out.read_line(&mut line).unwrap() > 0,
                "it ended before {word}"
            );
            if line.trim_end().ends_with(word) {
                return;
            }
        }
    }

    /// Ends it as a crash would.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits for its end, and gives the last word it said about the mail.
    pub(crate) fn finish(mut self) -> String {
        let mut text = String::new();
        self.out.read_to_string(&mut text).unwrap();
        assert!(self.child.wait().unwrap().success(), "{text}");
        let verdict = text
            .lines()
            .rev()
            .find_map(|line| Some(line.split_once("verdict ")?.1));
        verdict
            .unwrap_or_else(|| panic!("no verdict in {text}"))
            .to_owned()
    }
}

/// The note, where this process is the child of a [`Sender`].
pub(crate) fn note() -> Option<PathBuf> {
    std::env::var_os(NOTE).map(PathBuf::from)
}

/// Sends the mail: the child.
pub(crate) async fn send(note: PathBuf) {
    let (mailbox, mail) = crate::open_mailbox(&std::env::var(MAILBOX).unwrap());
    let verdict = sent_once(mailbox.as_ref(), &mail, &note).await;
    println!("verdict {verdict}");
}

async fn sent_once(mailbox: &dyn Mailbox, mail: &Outgoing, note: &Path) -> String {
    if note.exists() {
        println!("looking");
        match mailbox.look_up(mail).await.unwrap() {
            Lookup::Sent(_) => return "found".into(),
            Lookup::Unsure { .. } => return "unsure".into(),
            Lookup::NotSent => {}
        }
    }
    fs::write(note, "sending").unwrap();
    stop(Stop::BeforeSending);
    match mailbox.send(mail).await {
        Ok(_) => {
            stop(Stop::AfterSending);
            "sent".into()
        }
        Err(error) => format!("{error:?}"),
    }
}

fn stop(here: Stop) {
    if std::env::var(STOP).unwrap() == format!("{here:?}") {
        println!("waiting");
        // Nobody writes here: it waits until it is killed.
        std::io::stdin().read_line(&mut String::new()).ok();
    }
}

/// Kills a process that sends after a time, and gives what the next one says.
pub(crate) async fn killed_after(given: &str, note: &Path, after: Duration) -> String {
    let first = Sender::start(given, note, Stop::Never);
    // Nothing ever comes: what ends it is the time.
    let never = std::future::pending::<()>();
    assert!(tokio::time::timeout(after, never).await.is_err());
    first.kill();
    let second = Sender::start(given, note, Stop::Never);
    tokio::task::spawn_blocking(|| second.finish())
        .await
        .unwrap()
}
