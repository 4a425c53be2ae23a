//! Reading over IMAP: listing, single mails, threads.

use std::{collections::BTreeMap, future::Future};

use async_imap::{
    error::Result as ImapResult,
    types::{Fetch, Flag},
};
use futures_util::TryStreamExt as _;
use jiff::Timestamp;

use super::{
    ImapMailbox, fault,
    session::{LoggedIn, has, quoted},
};
use crate::{
    Arrival, MailError, MailId, Mailbox as _, Page, PageToken, Query, RawMail, ThreadKey, header,
    parse::MAX_HEAD,
};

/// How many are on a page unless it is said.
const PAGE: usize = 100;

/// The most bytes of a mail.
const MAX_MAIL: u32 = 64 << 20;

/// The most mails of one thread.
const MOST_OF_THREAD: usize = 500;

/// What names the thread of a mail that has no id of its own.
const ALONE: &str = "mail:";

/// A mail on the server: its folder, the life of the folder, and its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct At {
    pub(super) validity: u32,
    pub(super) uid: u32,
    pub(super) folder: String,
}

impl At {
    pub(super) fn id(&self) -> MailId {
        MailId(format!("{}.{}.{}", self.validity, self.uid, self.folder))
    }

    fn read(id: &MailId) -> Option<Self> {
        let mut pieces = id.0.splitn(3, '.');
        Some(Self {
            validity: pieces.next()?.parse().ok()?,
            uid: pieces.next()?.parse().ok()?,
            folder: pieces.next()?.to_owned(),
        })
    }
}

impl ImapMailbox {
    pub(super) async fn listed(
        &self,
        query: &Query,
        page: Option<&PageToken>,
    ) -> Result<Page, MailError> {
        let question = self.question(query)?;
        let after = page.map(|token| self.place_in(token)).transpose()?;
        let mut kept = self.kept.lock().await;
        let mut session = self.session(&mut kept).await?;
        let work = listing(
            &mut session,
            &question,
            after,
            query.page_size.unwrap_or(PAGE),
        );
        let (validity, mails, next) = self.in_time(work).await?;
        *kept = Some(session);
        if after.is_some_and(|(known, _)| known != validity) {
            return Err(self.refused("the folder was made anew since the first page; list again"));
        }
        let mut arrivals = Vec::new();
        for mail in mails {
            let at = At {
                validity,
                uid: mail.uid,
                folder: "INBOX".into(),
            };
            // Servers search by day; the second is checked here.
            let is_wanted = query.since.is_none_or(|since| mail.arrived >= since);
            if is_wanted && !self.is_own_copy(&mail.head) {
                let thread = thread_of(&mail.head, &at);
                arrivals.push(Arrival {
                    id: at.id(),
                    thread,
                });
            }
        }
        let next = next.map(|uid| PageToken(format!("{validity}.{uid}")));
        Ok(Page { arrivals, next })
    }

    pub(super) async fn fetched(&self, id: &MailId) -> Result<RawMail, MailError> {
        let at = self.at(id)?;
        let mut kept = self.kept.lock().await;
        let mut session = self.session(&mut kept).await?;
        let read = self.in_time(whole(&mut session, &at)).await?;
        *kept = Some(session);
        match read {
            Read::Mail(mail) => Ok(mail),
            Read::Missing => Err(self.missing(id)),
            Read::TooLarge => Err(self.too_large()),
        }
    }

    pub(super) async fn seen(&self, id: &MailId) -> Result<(), MailError> {
        let at = self.at(id)?;
        let mut kept = self.kept.lock().await;
        let mut session = self.session(&mut kept).await?;
        let is_there = self.in_time(marked(&mut session, &at)).await?;
        *kept = Some(session);
        if is_there {
            Ok(())
        } else {
            Err(self.missing(id))
        }
    }

    pub(super) async fn of_thread(&self, thread: &ThreadKey) -> Result<Vec<RawMail>, MailError> {
        if let Some(id) = thread.0.strip_prefix(ALONE) {
            return Ok(vec![self.fetched(&MailId(id.to_owned())).await?]);
        }
        let mut kept = self.kept.lock().await;
        let mut session = self.session(&mut kept).await?;
        let mut mails = Vec::new();
        for at in self.family(&mut session, thread).await? {
            match self.in_time(whole(&mut session, &at)).await? {
                Read::Mail(mail) => mails.push(mail),
                Read::Missing => {}
                Read::TooLarge => return Err(self.too_large()),
            }
        }
        *kept = Some(session);
        self.of_one_thread(mails, thread)
    }

    /// The mails of a thread with their headers alone.
    pub(super) async fn heads_of_thread(
        &self,
        thread: &ThreadKey,
    ) -> Result<Vec<RawMail>, MailError> {
        let mut kept = self.kept.lock().await;
        let mut session = self.session(&mut kept).await?;
        let found = match thread.0.strip_prefix(ALONE) {
            Some(id) => vec![self.at(&MailId(id.to_owned()))?],
            None => self.family(&mut session, thread).await?,
        };
        let mails = self.in_time(heads(&mut session, &found)).await?;
        *kept = Some(session);
        self.of_one_thread(mails, thread)
    }

    /// Where the mails of a thread are, and perhaps others.
    async fn family(
        &self,
        session: &mut LoggedIn,
        thread: &ThreadKey,
    ) -> Result<Vec<At>, MailError> {
        let root = quoted(&format!("<{}>", thread.0));
        let root = root.ok_or_else(|| self.refused("the name of the thread is none"))?;
        let found = self.in_time(family(session, &root)).await?;
        if found.len() > MOST_OF_THREAD {
            return Err(self.refused("the thread has too many mails"));
        }
        Ok(found)
    }

    /// Those that are of a thread, once each, the oldest first.
    fn of_one_thread(
        &self,
        mails: Vec<RawMail>,
        thread: &ThreadKey,
    ) -> Result<Vec<RawMail>, MailError> {
        let is_alone = thread.0.starts_with(ALONE);
        let mut once: BTreeMap<String, RawMail> = BTreeMap::new();
        for mut mail in mails {
            if is_alone || belongs(&mail.bytes, &thread.0) {
                mail.thread = thread.clone();
                // A copy may be in several folders; the first place counts.
                let name = header::message_id(&mail.bytes).unwrap_or_else(|| mail.id.0.clone());
                once.entry(name).or_insert(mail);
            }
        }
        if once.is_empty() {
            return Err(MailError::Missing {
                place: self.place(),
                what: format!("thread {}", thread.0),
            });
        }
        let mut mails: Vec<RawMail> = once.into_values().collect();
        mails.sort_by_key(|mail| (mail.arrived, mail.id.clone()));
        Ok(mails)
    }

    /// An action within its time limit; its errors name it.
    pub(super) async fn in_time<T>(
        &self,
        work: impl Future<Output = ImapResult<T>>,
    ) -> Result<T, MailError> {
        let place = &self.account.imap.host;
        match tokio::time::timeout(self.account.limit, work).await {
            Ok(done) => done.map_err(|error| fault::imap(place, error)),
            Err(_) => Err(fault::late(place)),
        }
    }

    pub(super) fn refused(&self, why: &str) -> MailError {
        MailError::Refused {
            place: self.place(),
            why: why.to_owned(),
        }
    }

    fn question(&self, query: &Query) -> Result<String, MailError> {
        let mut terms = vec!["UNDELETED".to_owned()];
        if !query.include_read {
            terms.push("UNSEEN".into());
        }
        if let Some(since) = query.since {
            // A day earlier: the server's day may begin later than ours.
            let day = Timestamp::from_second(since.saturating_sub(86_400));
            let day = day.map_err(|_| self.refused("the time is none"))?;
            terms.push(format!("SINCE {}", day.strftime("%-d-%b-%Y")));
        }
        for (field, values) in [("FROM", &query.from), ("SUBJECT", &query.subject)] {
            let mut any: Option<String> = None;
            for value in values {
                let value = quoted(value);
                let value = value.ok_or_else(|| self.refused("a filter has control characters"))?;
                let one = format!("{field} {value}");
                any = Some(match any {
                    Some(others) => format!("OR {one} {others}"),
                    None => one,
                });
            }
            terms.extend(any);
        }
        for word in &query.words {
            let word = quoted(word);
            let word = word.ok_or_else(|| self.refused("a filter has control characters"))?;
            terms.push(format!("TEXT {word}"));
        }
        let terms = terms.join(" ");
        if terms.is_ascii() {
            return Ok(terms);
        }
        Ok(format!("CHARSET UTF-8 {terms}"))
    }

    fn place_in(&self, token: &PageToken) -> Result<(u32, u32), MailError> {
        let read = || {
            let (validity, uid) = token.0.split_once('.')?;
            Some((validity.parse().ok()?, uid.parse().ok()?))
        };
        read().ok_or_else(|| self.refused("the token of the page is not one of its own"))
    }

    /// Whether it is the copy of a mail that went out: from the owner, and not for the owner.
    fn is_own_copy(&self, head: &[u8]) -> bool {
        let owner = self.account.owner.email.trim().to_ascii_lowercase();
        let names = |name: &str| {
            let value = header::value(head, name).unwrap_or_default();
            header::addresses(&value).contains(&owner)
        };
        self.account.copy_to_self && names("From") && !names("To") && !names("Cc")
    }

    fn at(&self, id: &MailId) -> Result<At, MailError> {
        At::read(id).ok_or_else(|| self.missing(id))
    }

    fn missing(&self, id: &MailId) -> MailError {
        MailError::Missing {
            place: self.place(),
            what: format!("mail {}", id.0),
        }
    }

    fn too_large(&self) -> MailError {
        self.refused(&format!("the mail has more than {MAX_MAIL} bytes"))
    }
}

/// What a list tells of a mail.
struct ListedMail {
    uid: u32,
    arrived: i64,
    head: Vec<u8>,
}

enum Read {
    Mail(RawMail),
    Missing,
    TooLarge,
}

/// The mails of a page, and where the next one begins.
async fn listing(
    kept: &mut LoggedIn,
    question: &str,
    after: Option<(u32, u32)>,
    size: usize,
) -> ImapResult<(u32, Vec<ListedMail>, Option<u32>)> {
    let folder = kept.session.examine("INBOX").await?;
    let validity = folder.uid_validity.unwrap_or(0);
    let found = kept.search(question).await?;
    let first = after.map_or(0, |(_, uid)| uid);
    let mut uids: Vec<u32> = found.into_iter().filter(|uid| *uid > first).collect();
    let rest = uids.split_off(size.max(1).min(uids.len()));
    let next = uids.last().copied().filter(|_| !rest.is_empty());
    let mut entries = Vec::new();
    if !uids.is_empty() {
        let set: Vec<String> = uids.iter().map(u32::to_string).collect();
        let parts = format!("(UID INTERNALDATE BODY.PEEK[HEADER]<0.{MAX_HEAD}>)");
        let fetched = kept.session.uid_fetch(set.join(","), parts).await?;
        let fetched: Vec<Fetch> = fetched.try_collect().await?;
        for mail in fetched {
            if let Some(uid) = mail.uid.filter(|uid| uids.contains(uid)) {
                entries.push(ListedMail {
                    uid,
                    arrived: mail.internal_date().map_or(0, |at| at.timestamp()),
                    head: mail.header().unwrap_or_default().to_vec(),
                });
            }
        }
        entries.sort_by_key(|entry| entry.uid);
    }
    Ok((validity, entries, next))
}

/// A mail with all its bytes; its size is asked for before they are.
async fn whole(kept: &mut LoggedIn, at: &At) -> ImapResult<Read> {
    let folder = kept.session.examine(&at.folder).await?;
    if folder.uid_validity != Some(at.validity) {
        return Ok(Read::Missing);
    }
    let uid = at.uid.to_string();
    let sizes = kept.session.uid_fetch(&uid, "(UID RFC822.SIZE)").await?;
    let sizes: Vec<Fetch> = sizes.try_collect().await?;
    let is_it = |mail: &Fetch| mail.uid == Some(at.uid);
    let Some(size) = sizes.into_iter().find(is_it) else {
        return Ok(Read::Missing);
    };
    if size.size.is_some_and(|size| size > MAX_MAIL) {
        return Ok(Read::TooLarge);
    }
    let parts = "(UID FLAGS INTERNALDATE BODY.PEEK[])";
    let mails = kept.session.uid_fetch(&uid, parts).await?;
    let mails: Vec<Fetch> = mails.try_collect().await?;
    let Some(mail) = mails.into_iter().find(is_it) else {
        return Ok(Read::Missing);
    };
    let bytes = mail.body().unwrap_or_default().to_vec();
    Ok(Read::Mail(RawMail {
        id: at.id(),
        thread: thread_of(&bytes, at),
        arrived: mail.internal_date().map_or(0, |at| at.timestamp()),
        is_read: has(&mail, &Flag::Seen),
        bytes,
    }))
}

/// The headers of mails, as much as is read of them.
async fn heads(kept: &mut LoggedIn, found: &[At]) -> ImapResult<Vec<RawMail>> {
    let mut mails = Vec::new();
    let parts = format!("(UID FLAGS INTERNALDATE BODY.PEEK[HEADER]<0.{MAX_HEAD}>)");
    // Those of one folder stand together.
    for group in found.chunk_by(|one, next| one.folder == next.folder) {
        let Some(first) = group.first() else {
            continue;
        };
        let folder = kept.session.examine(&first.folder).await?;
        if folder.uid_validity != Some(first.validity) {
            continue;
        }
        let set: Vec<String> = group.iter().map(|at| at.uid.to_string()).collect();
        let fetched = kept.session.uid_fetch(set.join(","), &parts).await?;
        let fetched: Vec<Fetch> = fetched.try_collect().await?;
        for at in group {
            let Some(mail) = fetched.iter().find(|mail| mail.uid == Some(at.uid)) else {
                continue;
            };
            let head = mail.header().unwrap_or_default();
            let bytes = head.get(..MAX_HEAD).unwrap_or(head).to_vec();
            mails.push(RawMail {
                id: at.id(),
                thread: thread_of(&bytes, at),
                arrived: mail.internal_date().map_or(0, |at| at.timestamp()),
                is_read: has(mail, &Flag::Seen),
                bytes,
            });
        }
    }
    Ok(mails)
}

async fn marked(kept: &mut LoggedIn, at: &At) -> ImapResult<bool> {
    let folder = kept.session.select(&at.folder).await?;
    if folder.uid_validity != Some(at.validity) {
        return Ok(false);
    }
    let uid = at.uid.to_string();
    let found = kept.session.uid_search(format!("UID {uid}")).await?;
    if !found.contains(&at.uid) {
        return Ok(false);
    }
    let stored = kept
        .session
        .uid_store(&uid, "+FLAGS.SILENT (\\Seen)")
        .await?;
    let _: Vec<Fetch> = stored.try_collect().await?;
    Ok(true)
}

/// The mails whose headers name the first mail of a thread, without drafts.
async fn family(kept: &mut LoggedIn, root: &str) -> ImapResult<Vec<At>> {
    let mut found = Vec::new();
    let folders = kept.folders.clone();
    for place in folders.places() {
        let folder = kept.session.examine(place).await?;
        let question = format!(
            "UNDRAFT UNDELETED OR HEADER Message-ID {root} \
             OR HEADER References {root} HEADER In-Reply-To {root}"
        );
        let uids = kept.search(&question).await?;
        found.extend(uids.into_iter().map(|uid| At {
            validity: folder.uid_validity.unwrap_or(0),
            uid,
            folder: place.to_owned(),
        }));
    }
    Ok(found)
}

/// Searches find pieces of words: whether the mail is really of the thread.
fn belongs(bytes: &[u8], root: &str) -> bool {
    let is_root = header::message_id(bytes).as_deref() == Some(root);
    is_root || header::ancestors(bytes).iter().any(|id| id == root)
}

fn thread_of(head: &[u8], at: &At) -> ThreadKey {
    let first = header::ancestors(head).into_iter().next();
    let name = first.or_else(|| header::message_id(head));
    ThreadKey(name.unwrap_or_else(|| format!("{ALONE}{}", at.id().0)))
}
