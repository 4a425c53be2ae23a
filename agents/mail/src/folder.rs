//! Folder back end: mail and meetings as files, without account or network.
//!
//! A folder of mail has `.eml` files, or is a Maildir (`new`, `cur`, `tmp`), or both. What is sent
//! is in `sent`, one file per mail, whose name follows from its `Message-ID`. It is written in
//! `.outgoing` and moved (`hand_over`). That an `.eml` file was read is noted by an empty file of the
//! same name in `read`; a Maildir has flags for it. Files that cannot be read as mail are listed and
//! refused; [`FolderMailbox::problems`] says why.
//!
//! Read next: `scan` (what is in a folder), `hand_over` (how mails and meetings leave), `ics` (files of
//! meetings), `recur` (those that recur).

mod calendar;
mod change;
mod hand_over;
mod ics;
mod scan;
mod write;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use crate::{
    Address, Arrival, Later, Lookup, MailError, MailId, Mailbox, Outgoing, Page, PageToken, Query,
    RawMail, SendError, Sent, ThreadKey, key::key, parse::parse,
};
pub use calendar::FolderCalendar;
use hand_over::{HandOver, HandOverError, HandOverState};
use scan::{Known, MailFile, Scan};
use superstep::sync::lock;

const PAGE: usize = 100;

/// The most mails of one thread whose headers are read.
const MOST_OF_THREAD: usize = 500;

/// A mailbox that is a folder; cheap to clone.
#[derive(Clone, Debug)]
pub struct FolderMailbox {
    owner: Address,
    root: Arc<PathBuf>,
    known: Arc<Mutex<Known>>,
}

impl FolderMailbox {
    /// The mail of `owner` in a folder, which must be there.
    pub fn open(root: impl AsRef<Path>, owner: Address) -> Result<Self, MailError> {
        let root = root.as_ref().to_owned();
        if !root.is_dir() {
            return Err(no_folder(&root));
        }
        Ok(Self {
            owner,
            root: Arc::new(root),
            known: Arc::default(),
        })
    }

    /// The files that cannot be read as mail, and why.
    pub async fn problems(&self) -> Result<Vec<(String, MailError)>, MailError> {
        self.off(|scan| Ok(scan.problems)).await
    }

    /// Does something with what is in the folder, where blocking is fine.
    async fn off<T: Send + 'static>(
        &self,
        act: impl FnOnce(Scan) -> Result<T, MailError> + Send + 'static,
    ) -> Result<T, MailError> {
        let (root, known) = (self.root.clone(), self.known.clone());
        blocking(place(&self.root), move || {
            let mut known = lock(&known);
            act(Scan::of(&root, &mut known)?)
        })
        .await
    }

    /// How a mail gets into `sent`.
    fn hand_over(&self, mail: &Outgoing) -> HandOver {
        let name = format!("{}.eml", key(&["sent", &mail.message_id]));
        HandOver::new(&self.root, "sent", name, place(&self.root))
    }
}

impl Mailbox for FolderMailbox {
    fn owner(&self) -> &Address {
        &self.owner
    }

    fn place(&self) -> String {
        place(&self.root)
    }

    fn list<'a>(
        &'a self,
        query: &'a Query,
        page: Option<&'a PageToken>,
    ) -> Later<'a, Result<Page, MailError>> {
        let (query, page) = (query.clone(), page.cloned());
        Box::pin(self.off(move |scan| Ok(listed(&scan, &query, page.as_ref()))))
    }

    fn fetch<'a>(&'a self, id: &'a MailId) -> Later<'a, Result<RawMail, MailError>> {
        let id = id.clone();
        Box::pin(self.off(move |scan| scan.raw(scan.find(&id)?)))
    }

    fn thread<'a>(&'a self, thread: &'a ThreadKey) -> Later<'a, Result<Vec<RawMail>, MailError>> {
        let thread = thread.clone();
        Box::pin(self.off(move |scan| {
            let all = scan.entries.iter().filter(|entry| entry.thread == thread);
            let found: Vec<RawMail> = all.map(|entry| scan.raw(entry)).collect::<Result<_, _>>()?;
            match found.is_empty() {
                true => Err(scan.missing(format!("thread `{}`", thread.0))),
                false => Ok(found),
            }
        }))
    }

    fn thread_headers<'a>(
        &'a self,
        thread: &'a ThreadKey,
    ) -> Later<'a, Result<Vec<RawMail>, MailError>> {
        let thread = thread.clone();
        Box::pin(self.off(move |scan| {
            let all = || scan.entries.iter().filter(|entry| entry.thread == thread);
            // Of a very long thread the newest.
            let older = all().count().saturating_sub(MOST_OF_THREAD);
            let found = all().skip(older).map(|entry| scan.raw_head(entry));
            let found: Vec<RawMail> = found.collect::<Result<_, _>>()?;
            match found.is_empty() {
                true => Err(scan.missing(format!("thread `{}`", thread.0))),
                false => Ok(found),
            }
        }))
    }

    fn mark_read<'a>(&'a self, id: &'a MailId) -> Later<'a, Result<(), MailError>> {
        let id = id.clone();
        Box::pin(self.off(move |scan| scan.mark_read(scan.find(&id)?)))
    }

    fn send<'a>(&'a self, mail: &'a Outgoing) -> Later<'a, Result<Sent, SendError>> {
        let (hand_over, bytes) = (self.hand_over(mail), mail.bytes.clone());
        let place = place(&self.root);
        Box::pin(async move {
            let handed = blocking(place, move || Ok(hand_over.run(&bytes))).await;
            match handed {
                Ok(Ok(())) => Ok(Sent { id: None }),
                Ok(Err(HandOverError::NotDone(error))) => Err(SendError::NotSent(error)),
                Ok(Err(HandOverError::Unknown(error))) | Err(error) => {
                    Err(SendError::Unknown(error))
                }
            }
        })
    }

    fn look_up<'a>(&'a self, mail: &'a Outgoing) -> Later<'a, Result<Lookup, MailError>> {
        let hand_over = self.hand_over(mail);
        Box::pin(blocking(place(&self.root), move || {
            Ok(match hand_over.look_up() {
                HandOverState::Done => Lookup::Sent(Sent { id: None }),
                HandOverState::NotDone => Lookup::NotSent,
                HandOverState::Unsure(why) => Lookup::Unsure { why },
            })
        }))
    }
}

/// What a query asks for, from the oldest.
fn listed(scan: &Scan, query: &Query, page: Option<&PageToken>) -> Page {
    let has = |text: &str, wanted: &[String]| {
        let text = text.to_lowercase();
        wanted.is_empty() || wanted.iter().any(|one| text.contains(&one.to_lowercase()))
    };
    let wanted = scan.entries.iter().filter(|entry| {
        let from = entry.head.from.as_ref().map(|from| from.email.as_str());
        entry.is_arrival()
            && (query.include_read || !entry.is_read)
            && query.since.is_none_or(|since| entry.arrived >= since)
            && has(from.unwrap_or_default(), &query.from)
            && has(&entry.head.subject, &query.subject)
            && (query.words.is_empty() || says(scan, entry, &query.words))
    });
    let size = query.page_size.unwrap_or(PAGE).max(1);
    let mut rest = wanted.skip_while(|entry| page.is_some_and(|page| entry.token() <= page.0));
    let here: Vec<_> = rest.by_ref().take(size).collect();
    let more = rest.next().is_some();
    Page {
        next: here
            .last()
            .filter(|_| more)
            .map(|last| PageToken(last.token())),
        arrivals: here
            .into_iter()
            .map(|entry| Arrival {
                id: entry.id.clone(),
                thread: entry.thread.clone(),
            })
            .collect(),
    }
}

/// Whether a mail has all of some words. One that cannot be read has none.
fn says(scan: &Scan, entry: &MailFile, words: &[String]) -> bool {
    let Ok(mail) = scan.raw(entry).and_then(|raw| parse(&raw.bytes)) else {
        return false;
    };
    let people = mail.from.iter().chain(&mail.to).chain(&mail.cc);
    let people: Vec<String> = people.map(ToString::to_string).collect();
    let quoted = mail.quoted.unwrap_or_default();
    let text = [people.join(" "), mail.subject, mail.text, quoted]
        .join("\n")
        .to_lowercase();
    words.iter().all(|word| text.contains(&word.to_lowercase()))
}

/// Says with the whole path what is not there: a relative one depends on where a command runs.
fn no_folder(root: &Path) -> MailError {
    let whole = std::path::absolute(root).unwrap_or_else(|_| root.to_owned());
    match whole.exists() {
        true => MailError::Refused {
            place: whole.display().to_string(),
            why: "it is no folder".into(),
        },
        false => MailError::Missing {
            place: "this machine".into(),
            what: format!("folder {}", whole.display()),
        },
    }
}

fn place(root: &Path) -> String {
    format!("folder {}", root.display())
}

/// Runs something that waits for a disk.
async fn blocking<T: Send + 'static>(
    place: String,
    act: impl FnOnce() -> Result<T, MailError> + Send + 'static,
) -> Result<T, MailError> {
    let done = tokio::task::spawn_blocking(act).await;
    done.unwrap_or_else(|error| {
        let why = error.to_string();
        Err(MailError::Unreachable { place, why })
    })
}
