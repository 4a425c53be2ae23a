//! The mails of the account, and what changed in it.

use std::collections::BTreeMap;

use crate::header;

/// A mail that is there.
#[derive(Clone, Debug)]
pub(crate) struct Mail {
    pub(crate) id: String,
    pub(crate) thread: String,
    /// In milliseconds of the epoch.
    pub(crate) arrived: i64,
    /// When it last changed.
    pub(crate) history: u64,
    pub(crate) labels: Vec<String>,
    pub(crate) raw: Vec<u8>,
}

/// Something that happened.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) at: u64,
    pub(crate) mail: String,
    pub(crate) kind: ChangeKind,
}

#[derive(Clone, Debug)]
pub(crate) enum ChangeKind {
    Arrived,
    Labeled(Vec<String>),
    Unlabelled(Vec<String>),
}

/// All mails of the account.
pub(crate) struct Mails {
    pub(crate) owner: String,
    pub(crate) history: u64,
    pub(crate) oldest_history: u64,
    pub(crate) changes: Vec<Change>,
    pub(crate) drafts: BTreeMap<String, String>,
    /// Whether lists leave out what was sent.
    pub(crate) is_lagging: bool,
    mails: Vec<Mail>,
    next: u64,
}

impl Mails {
    pub(crate) fn new(owner: String) -> Self {
        Self {
            owner,
            history: 1000,
            oldest_history: 1000,
            changes: Vec::new(),
            drafts: BTreeMap::new(),
            is_lagging: false,
            mails: Vec::new(),
            next: 0x1900_0000_0000_0001,
        }
    }

    pub(crate) fn get(&self, id: &str) -> Option<&Mail> {
        self.mails.iter().find(|mail| mail.id == id)
    }

    /// All mails, the newest first.
    pub(crate) fn newest(&self) -> Vec<&Mail> {
        let mut mails: Vec<&Mail> = self.mails.iter().collect();
        mails.sort_by_key(|mail| std::cmp::Reverse((mail.arrived, mail.id.clone())));
        mails
    }

    /// The mails of a thread, the oldest first.
    pub(crate) fn thread(&self, thread: &str) -> Vec<&Mail> {
        let mut mails = self.newest();
        mails.retain(|mail| mail.thread == thread);
        mails.reverse();
        mails
    }

    pub(crate) fn sent(&self) -> Vec<Vec<u8>> {
        let is_sent = |mail: &&Mail| mail.labels.iter().any(|label| label == "SENT");
        let sent = self.mails.iter().filter(is_sent);
        sent.map(|mail| mail.raw.clone()).collect()
    }

    /// A mail from outside: it belongs to the thread of what it answers.
    pub(crate) fn deliver(&mut self, raw: &[u8], arrived: i64) -> String {
        let thread = self.thread_of(raw);
        self.put(raw, thread, arrived, &["INBOX", "UNREAD"])
    }

    /// A mail that goes out. The thread that was named takes it only if it answers a mail of it
    /// and has its subject; otherwise it begins its own.
    pub(crate) fn send(&mut self, raw: &[u8], thread: Option<&str>) -> String {
        let joined = thread.filter(|thread| self.may_join(raw, thread));
        let joined = joined.map(str::to_owned);
        let now = jiff::Timestamp::now().as_millisecond();
        let recipients = header::value(raw, "To").unwrap_or_default();
        let is_own = recipients.contains(&self.owner);
        let labels: &[&str] = if is_own {
            &["SENT", "INBOX", "UNREAD"]
        } else {
            &["SENT"]
        };
        self.put(raw, joined, now, labels)
    }

    pub(crate) fn put(
        &mut self,
        raw: &[u8],
        thread: Option<String>,
        arrived: i64,
        labels: &[&str],
    ) -> String {
        let id = format!("{:016x}", self.next);
        self.next += 1;
        self.mails.push(Mail {
            id: id.clone(),
            thread: thread.unwrap_or_else(|| id.clone()),
            arrived,
            history: 0,
            labels: labels.iter().map(|&label| label.to_owned()).collect(),
            raw: raw.to_vec(),
        });
        self.note(&id, ChangeKind::Arrived);
        id
    }

    /// Changes the labels of a mail; `false` if there is none.
    pub(crate) fn label(&mut self, id: &str, add: &[String], remove: &[String]) -> bool {
        let Some(mail) = self.mails.iter_mut().find(|mail| mail.id == id) else {
            return false;
        };
        let is_new = |label: &&String| !mail.labels.contains(label);
        let added: Vec<String> = add.iter().filter(is_new).cloned().collect();
        let is_there = |label: &&String| mail.labels.contains(label);
        let removed: Vec<String> = remove.iter().filter(is_there).cloned().collect();
        mail.labels.extend(added.iter().cloned());
        mail.labels.retain(|label| !removed.contains(label));
        if !added.is_empty() {
            self.note(id, ChangeKind::Labeled(added));
        }
        if !removed.is_empty() {
            self.note(id, ChangeKind::Unlabelled(removed));
        }
        true
    }

    pub(crate) fn remove(&mut self, id: &str) {
        self.mails.retain(|mail| mail.id != id);
    }

    pub(crate) fn forget_history(&mut self) {
        self.changes.clear();
        self.oldest_history = self.history;
    }

    fn note(&mut self, id: &str, kind: ChangeKind) {
        self.history += 1;
        let at = self.history;
        if let Some(mail) = self.mails.iter_mut().find(|mail| mail.id == id) {
            mail.history = at;
        }
        let mail = id.to_owned();
        self.changes.push(Change { at, mail, kind });
    }

    fn thread_of(&self, raw: &[u8]) -> Option<String> {
        let ancestors = header::ancestors(raw);
        let is_answered =
            |mail: &&Mail| header::message_id(&mail.raw).is_some_and(|id| ancestors.contains(&id));
        let answered = self.mails.iter().find(is_answered)?;
        Some(answered.thread.clone())
    }

    fn may_join(&self, raw: &[u8], thread: &str) -> bool {
        let subject =
            |raw: &[u8]| plain_subject(&header::value(raw, "Subject").unwrap_or_default());
        let ancestors = header::ancestors(raw);
        self.thread(thread).iter().any(|mail| {
            let id = header::message_id(&mail.raw);
            id.is_some_and(|id| ancestors.contains(&id)) && subject(&mail.raw) == subject(raw)
        })
    }
}

/// A subject without what answers and forwards put before it.
pub(crate) fn plain_subject(subject: &str) -> String {
    let mut rest = subject.trim();
    loop {
        let stripped = ["re:", "fwd:", "fw:", "aw:"].iter().find_map(|prefix| {
            let head = rest.get(..prefix.len())?;
            let is_it = head.eq_ignore_ascii_case(prefix);
            is_it.then(|| rest.get(prefix.len()..))?
        });
        match stripped {
            Some(after) => rest = after.trim(),
            None => return rest.to_lowercase(),
        }
    }
}
