//! Scan of a mail folder: its files, their headers, and their threads.

use std::{
    collections::HashMap,
    fs::{self, File, Metadata},
    io::{self, BufRead, BufReader, Read},
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use super::{
    place,
    write::{failed, make_dir, write_new},
};
use crate::{
    MailError, MailId, RawMail, ThreadKey,
    parse::{MAX_BYTES, MAX_HEAD, Mail, headers, one_line},
};

/// Headers that were read before, by file, time and size.
#[derive(Debug, Default)]
pub(super) struct Known(HashMap<PathBuf, (SystemTime, u64, Mail)>);

/// What a folder has at one moment, the oldest first.
#[derive(Debug)]
pub(super) struct Scan {
    root: PathBuf,
    pub(super) entries: Vec<MailFile>,
    pub(super) problems: Vec<(String, MailError)>,
}

/// A mail in a folder.
#[derive(Debug)]
pub(super) struct MailFile {
    pub(super) id: MailId,
    pub(super) thread: ThreadKey,
    pub(super) arrived: i64,
    pub(super) is_read: bool,
    pub(super) head: Mail,
    /// Why it is not read; such a file is listed, so that it is reported.
    fault: Option<MailError>,
    path: PathBuf,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Eml,
    Maildir,
    Sent,
}

impl MailFile {
    pub(super) fn is_arrival(&self) -> bool {
        self.kind != Kind::Sent
    }

    /// Where it is in the order of the folder.
    pub(super) fn token(&self) -> String {
        format!("{:020}/{}", self.arrived.max(0), self.id.0)
    }
}

impl Scan {
    pub(super) fn of(root: &Path, known: &mut Known) -> Result<Self, MailError> {
        let mut scan = Self {
            root: root.to_owned(),
            entries: Vec::new(),
            problems: Vec::new(),
        };
        let place = place(root);
        let there = fs::read_dir(root).map_err(|error| MailError::Unreachable {
            place: place.clone(),
            why: error.to_string(),
        })?;
        scan.take(there, Kind::Eml, known);
        for (folder, kind) in [
            ("new", Kind::Maildir),
            ("cur", Kind::Maildir),
            ("sent", Kind::Sent),
        ] {
            if let Ok(there) = fs::read_dir(root.join(folder)) {
                scan.take(there, kind, known);
            }
        }
        scan.join_threads();
        scan.entries.sort_by_key(MailFile::token);
        Ok(scan)
    }

    fn take(&mut self, there: fs::ReadDir, kind: Kind, known: &mut Known) {
        for found in there.flatten() {
            let path = found.path();
            let name = found.file_name().to_string_lossy().into_owned();
            let is_eml = path
                .extension()
                .is_some_and(|end| end.eq_ignore_ascii_case("eml"));
            if name.starts_with('.') || !is_eml && kind != Kind::Maildir {
                continue;
            }
            let Ok(about) = found.metadata() else {
                // It is gone.
                continue;
            };
            let entry = self.entry(path, &name, kind, &about, known);
            if let Some(fault) = &entry.fault {
                self.problems.push((name, fault.clone()));
            }
            if entry.fault.is_none() || entry.is_arrival() {
                self.entries.push(entry);
            }
        }
    }

    fn entry(
        &self,
        path: PathBuf,
        name: &str,
        kind: Kind,
        about: &Metadata,
        known: &mut Known,
    ) -> MailFile {
        let changed = about.modified().unwrap_or(UNIX_EPOCH);
        let fresh = known.0.get(&path);
        let fresh = fresh.filter(|(time, size, _)| (*time, *size) == (changed, about.len()));
        let head = match (refused(name, about), fresh) {
            (Some(fault), _) => Err(fault),
            (None, Some((_, _, head))) => Ok(head.clone()),
            (None, None) => read_head(&path, name).inspect(|head| {
                let entry = (changed, about.len(), head.clone());
                known.0.insert(path.clone(), entry);
            }),
        };
        let (head, fault) = match head {
            Ok(head) => (head, None),
            Err(fault) => (Mail::default(), Some(fault)),
        };
        let seconds = changed.duration_since(UNIX_EPOCH).map(|it| it.as_secs());
        let seconds = i64::try_from(seconds.unwrap_or_default()).unwrap_or_default();
        let (base, flags) = name.split_once(":2,").unwrap_or((name, ""));
        let (id, arrived, is_read) = match kind {
            Kind::Eml => {
                let marker = self.root.join("read").join(name);
                (name.to_owned(), seconds, marker.is_file())
            }
            Kind::Maildir => {
                let time = base.split('.').next().and_then(|time| time.parse().ok());
                (
                    format!("maildir/{base}"),
                    time.unwrap_or(seconds),
                    flags.contains('S'),
                )
            }
            Kind::Sent => (format!("sent/{name}"), seconds, true),
        };
        MailFile {
            thread: ThreadKey(root_of(&head, &id)),
            id: MailId(id),
            arrived,
            is_read,
            head,
            fault,
            path,
            kind,
        }
    }

    /// A mail that only names what it answers belongs to what that belongs to.
    fn join_threads(&mut self) {
        let own = |entry: &MailFile| entry.head.message_id.clone();
        let roots: HashMap<String, String> = self
            .entries
            .iter()
            .filter_map(|entry| Some((own(entry)?, entry.thread.0.clone())))
            .collect();
        for entry in &mut self.entries {
            let mut root = &entry.thread.0;
            // A circle of mails that answer each other must end.
            for _ in 0..100 {
                match roots.get(root) {
                    Some(above) if above != root => root = above,
                    _ => break,
                }
            }
            entry.thread = ThreadKey(root.clone());
        }
    }

    pub(super) fn find(&self, id: &MailId) -> Result<&MailFile, MailError> {
        let found = self.entries.iter().find(|entry| entry.id == *id);
        found.ok_or_else(|| self.missing(format!("mail `{}`", one_line(&id.0, 200))))
    }

    pub(super) fn missing(&self, what: String) -> MailError {
        let place = place(&self.root);
        MailError::Missing { place, what }
    }

    pub(super) fn raw(&self, entry: &MailFile) -> Result<RawMail, MailError> {
        // It may have grown since its size was looked at; what is too large is refused later.
        let read = || {
            let mut bytes = Vec::new();
            let most = MAX_BYTES as u64 + 1;
            File::open(&entry.path)?
                .take(most)
                .read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        self.with(entry, read)
    }

    /// A mail of which only the headers are read.
    pub(super) fn raw_head(&self, entry: &MailFile) -> Result<RawMail, MailError> {
        self.with(entry, || head_of(&entry.path))
    }

    fn with(
        &self,
        entry: &MailFile,
        bytes: impl FnOnce() -> io::Result<Vec<u8>>,
    ) -> Result<RawMail, MailError> {
        if let Some(fault) = &entry.fault {
            return Err(fault.clone());
        }
        Ok(RawMail {
            id: entry.id.clone(),
            thread: entry.thread.clone(),
            arrived: entry.arrived,
            is_read: entry.is_read,
            bytes: bytes().map_err(|error| failed(&place(&self.root), &entry.path, &error))?,
        })
    }

    pub(super) fn mark_read(&self, entry: &MailFile) -> Result<(), MailError> {
        if entry.is_read {
            return Ok(());
        }
        let place = place(&self.root);
        let name = entry
            .path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        let name = name.unwrap_or_default();
        if entry.kind == Kind::Eml {
            let read = self.root.join("read");
            make_dir(&read, &place)?;
            return write_new(&read.join(name), b"", &place);
        }
        let (base, flags) = name.split_once(":2,").unwrap_or((&name, ""));
        let mut flags: Vec<char> = flags.chars().chain(['S']).collect();
        flags.sort_unstable();
        let flags: String = flags.into_iter().collect();
        let cur = self.root.join("cur");
        make_dir(&cur, &place)?;
        let renamed = fs::rename(&entry.path, cur.join(format!("{base}:2,{flags}")));
        renamed.map_err(|error| failed(&place, &entry.path, &error))
    }
}

fn read_head(path: &Path, name: &str) -> Result<Mail, MailError> {
    let bytes = head_of(path).map_err(|error| unreadable(name, &error.to_string()))?;
    headers(&bytes)
}

/// The headers of a file, up to the empty line behind them.
fn head_of(path: &Path) -> io::Result<Vec<u8>> {
    let file = BufReader::with_capacity(4 << 10, File::open(path)?);
    let mut file = file.take(MAX_HEAD as u64);
    let mut bytes = Vec::new();
    loop {
        let start = bytes.len();
        file.read_until(b'\n', &mut bytes)?;
        match bytes.get(start..).unwrap_or_default() {
            b"" => return Ok(bytes),
            b"\n" | b"\r\n" => {
                bytes.truncate(start);
                return Ok(bytes);
            }
            _ => {}
        }
    }
}

/// The mail a thread began with, as far as this mail tells.
fn root_of(head: &Mail, id: &str) -> String {
    let oldest = head.references.first().or(head.in_reply_to.first());
    let root = oldest.or(head.message_id.as_ref());
    root.cloned().unwrap_or_else(|| id.to_owned())
}

/// Why a file is not opened, if it is not. A pipe waits for ever, a link leads elsewhere.
fn refused(name: &str, about: &Metadata) -> Option<MailError> {
    let name = one_line(name, 200);
    let why = match (about.is_file(), about.len()) {
        (false, _) => format!("`{name}` is a link, a pipe or a folder, which are not opened"),
        (true, size) if size > MAX_BYTES as u64 => {
            format!("file `{name}` has {size} bytes, and {MAX_BYTES} are the limit")
        }
        _ => return None,
    };
    Some(MailError::TooComplex { why })
}

fn unreadable(name: &str, why: &str) -> MailError {
    MailError::Malformed {
        what: format!("file `{}`", one_line(name, 200)),
        why: why.to_owned(),
    }
}
