//! Documents of a folder: found, decoded, ranked, stored by hash, and shown in sections.
//!
//! [`read`] goes through a folder twice. The first pass looks at every file and keeps figures only;
//! the second takes the text of those that are kept. So memory is bounded by one file and
//! [`MOST_TEXT`], however large the folder is. `walk` finds files, `open` opens them, `decode`, `docx` and `pdf` make text
//! of bytes, `uploads` has files that came without a folder, `manifest` is the record of a thread, and `store` puts texts into the long-term store. `sections` cuts
//! texts, `rank` and `select` decide which sections a model is shown within its tokens, and `search` finds places.

mod decode;
mod docx;
mod manifest;
mod open;
mod pdf;
pub(crate) mod rank;
pub(crate) mod search;
pub(crate) mod sections;
pub(crate) mod select;
mod store;
pub(crate) mod tokens;
pub(crate) mod uploads;
mod walk;

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

use sha2::{Digest, Sha256};
use superstep::{fs::Private, text::hex};

use crate::error::{Error, ErrorKind};
use decode::Decoded;
use rank::{Count, Words};
use select::{Room, Wanted, select};
use uploads::Uploaded;
use walk::{FileSource, Files, Find, FolderFile};

pub use crate::entry::{Encoding, Entry, Fate, Why};
pub use manifest::{Inputs, LISTED, Upload};
pub use pdf::PdfReader;
#[cfg(feature = "pdf")]
pub use pdf::pdf_text;
pub use store::BOOKKEEPING;
pub(crate) use store::{Document, DocumentSet, DocumentStore};
pub use walk::check_globs;

/// What is read of a folder at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How large a file of text may be.
    pub file_bytes: u64,
    /// How large a DOCX or a PDF may be, which are mostly pictures and fonts.
    pub packed_bytes: u64,
    /// How many files are looked at.
    pub files: usize,
    /// How many bytes are read in all.
    pub total_bytes: u64,
    /// How deep folders may be nested.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 4 << 20,
            packed_bytes: 32 << 20,
            files: 50_000,
            total_bytes: 2 << 30,
            depth: 64,
        }
    }
}

/// What to read.
#[derive(Clone, Debug, Default)]
pub struct Order {
    /// What the documents are read for; decides when not all of them fit.
    pub query: String,
    /// How many tokens they may have together, as estimated.
    pub budget: usize,
    /// How many tokens sections may have when not all documents fit, for a model that can look up the rest; sections
    /// without any word of the query are then left out. By default the budget, filled with whatever fits.
    pub excerpts: Option<usize>,
    /// Files besides `.txt`, `.md`, `.docx` and `.pdf`.
    pub globs: Vec<String>,
    /// Files that are never read: where results go.
    pub skip: Vec<PathBuf>,
    /// If the folder was named by somebody else: what is not looked at, as if it were not there. Then files whose names
    /// say that they hold secrets are not read either.
    pub private: Option<Private>,
    /// Limits.
    pub limits: Limits,
    /// What makes text of PDFs; without it they are left out.
    pub pdf: Option<PdfReader>,
}

/// What was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// Every file that was found: those that are included, then the others whose text is kept, then the rest, each kind in
    /// order of path.
    pub files: Vec<Entry>,
    /// The whole texts of those that are kept, in the same order.
    pub texts: Vec<String>,
    /// How many tokens they are, as estimated.
    pub tokens: usize,
    /// Whether there are files that were not looked at, because there are too many.
    pub stopped: bool,
}

/// Reads the documents of a folder, or one file. It ends early with an error once `stop` is set.
pub fn read(folder: &Path, order: &Order, stop: &AtomicBool) -> Result<Reading, Error> {
    let find = Find::new(folder, order)?;
    read_all(folder, find.all(stop)?, order, stop)
}

/// Reads documents that a client has uploaded.
pub(crate) fn read_uploads(
    uploads: Vec<Uploaded>,
    order: &Order,
    stop: &AtomicBool,
) -> Result<Reading, Error> {
    let found = Files {
        files: uploads::files(uploads, &order.limits),
        stopped: false,
    };
    read_all(Path::new(uploads::PLACE), found, order, stop)
}

fn read_all(
    folder: &Path,
    found: Files,
    order: &Order,
    stop: &AtomicBool,
) -> Result<Reading, Error> {
    let words = Words::new(&order.query);
    let mut seen = Vec::with_capacity(found.files.len());
    let mut left = ReadBudget {
        bytes: order.limits.total_bytes,
        kept: MOST_KEPT,
    };
    for file in found.files {
        halt(folder, stop)?;
        seen.push(look(file, &words, order, &mut left));
    }
    keep(&mut seen, &words);
    let mut reading = take(folder, seen, order, stop)?;
    reading.stopped = found.stopped;
    let is_shown = reading.files.iter().any(|it| it.fate.tokens().is_some());
    if !is_shown {
        let more = reading.files.len().saturating_sub(LISTED);
        reading.files.truncate(LISTED);
        return Err(ErrorKind::NothingToRead {
            folder: crate::error::shown(folder),
            found: reading.files,
            more,
        }
        .into());
    }
    Ok(reading)
}

fn halt(folder: &Path, stop: &AtomicBool) -> Result<(), Error> {
    if stop.load(Ordering::Relaxed) {
        return Err(Error::folder(folder, "reading was cancelled"));
    }
    Ok(())
}

/// How much text a thread keeps of its documents, in bytes: the closest to the query come first.
pub const MOST_TEXT: usize = 16 << 20;

/// How much text of DOCX and PDF files is held from the first pass, as to take it again takes long.
const MOST_KEPT: usize = 32 << 20;

/// What is left for files that were not looked at yet.
struct ReadBudget {
    /// Bytes to be read.
    bytes: u64,
    /// Bytes of text to be kept.
    kept: usize,
}

/// A file after the first pass: figures, no text but that of a few packed files.
struct Measured {
    source: FileSource,
    entry: Entry,
    count: Count,
    /// The bytes of its text.
    length: usize,
    text: Option<Text>,
    is_kept: bool,
}

/// Looks at a file and forgets its text, unless it took long to get it.
fn look(file: FolderFile, words: &Words, order: &Order, left: &mut ReadBudget) -> Measured {
    let mut seen = Measured {
        entry: Entry {
            path: file.name,
            sha256: None,
            bytes: file.bytes,
            encoding: None,
            fate: Fate::Left(Why::Budget),
        },
        source: file.source,
        count: Count::default(),
        length: 0,
        text: None,
        is_kept: false,
    };
    if let Some(why) = file.why {
        seen.entry.fate = Fate::Left(why);
        return seen;
    }
    if file.bytes > left.bytes {
        seen.entry.fate = Fate::Left(Why::TooMuch);
        return seen;
    }
    match text_of(&seen.source, order) {
        Err(why) => seen.entry.fate = Fate::Left(why),
        Ok(text) => {
            left.bytes = left.bytes.saturating_sub(text.bytes);
            seen.count = words.count([seen.entry.path.as_str(), &text.decoded.text]);
            seen.length = text.decoded.text.len();
            seen.entry.bytes = text.bytes;
            seen.entry.sha256 = Some(text.sha256.clone());
            seen.entry.encoding = Some(text.decoded.encoding);
            let is_packed = matches!(text.decoded.encoding, Encoding::Docx | Encoding::Pdf);
            if is_packed && seen.length <= left.kept {
                left.kept -= seen.length;
                seen.text = Some(text);
            }
        }
    }
    seen
}

struct Text {
    bytes: u64,
    sha256: String,
    decoded: Decoded,
}

fn text_of(source: &FileSource, order: &Order) -> Result<Text, Why> {
    let (packed, bytes) = match source {
        FileSource::Path(path) => {
            let packed = Packed::of(path);
            (packed, open::bytes(path, order.limits.of(packed))?)
        }
        FileSource::Upload(name, bytes) => (Packed::of(Path::new(name)), bytes.to_vec()),
    };
    let (length, sha256) = (bytes.len(), hash(&bytes));
    let unreadable = |message: String| Why::Unreadable { message };
    let decoded = match packed {
        None => decode::text(&bytes).ok_or(Why::Binary)?,
        Some(Packed::Docx) => Decoded {
            text: docx::text(&bytes).map_err(unreadable)?,
            encoding: Encoding::Docx,
        },
        Some(Packed::Pdf) => {
            let reader = order.pdf.as_ref().ok_or(Why::NoPdfReader)?;
            Decoded {
                text: reader.text(bytes)?,
                encoding: Encoding::Pdf,
            }
        }
    };
    if decoded.text.trim().is_empty() {
        return Err(Why::Empty);
    }
    Ok(Text {
        bytes: u64::try_from(length).unwrap_or(u64::MAX),
        sha256,
        decoded,
    })
}

/// A kind of file that text must be taken out of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packed {
    Docx,
    Pdf,
}

impl Packed {
    /// What the ending of a name says.
    fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?;
        let kinds = [("docx", Self::Docx), ("pdf", Self::Pdf)];
        let mut kinds = kinds.into_iter();
        kinds
            .find(|(name, _)| ending.eq_ignore_ascii_case(name))
            .map(|(_, kind)| kind)
    }
}

impl Limits {
    fn of(&self, packed: Option<Packed>) -> u64 {
        match packed {
            Some(_) => self.packed_bytes,
            None => self.file_bytes,
        }
    }
}

pub(crate) fn hash(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Says which texts are kept: the closest to the query, as long as there is room.
fn keep(seen: &mut [Measured], words: &Words) {
    let mut known = HashSet::new();
    let mut files = Vec::new();
    for seen in seen.iter_mut() {
        match &seen.entry.sha256 {
            None => {}
            Some(sha256) if known.insert(sha256.clone()) => files.push(seen),
            Some(_) => seen.entry.fate = Fate::Left(Why::Copy),
        }
    }
    let counts: Vec<&Count> = files.iter().map(|seen| &seen.count).collect();
    let scores = words.scores(&counts);
    let mut ranked: Vec<_> = files.into_iter().zip(scores).collect();
    ranked.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    let mut room = MOST_TEXT;
    for (seen, _) in ranked {
        seen.is_kept = seen.length <= room;
        if seen.is_kept {
            room -= seen.length;
        }
    }
}

/// The texts of the files that are kept, and what of them is shown first. A file that changed since it was looked at is
/// taken as it is now.
fn take(
    folder: &Path,
    seen: Vec<Measured>,
    order: &Order,
    stop: &AtomicBool,
) -> Result<Reading, Error> {
    let (mut kept, mut rest) = (Vec::new(), Vec::new());
    let mut documents = Vec::new();
    for Measured {
        source,
        mut entry,
        text,
        is_kept,
        ..
    } in seen
    {
        if !is_kept {
            rest.push(entry);
            continue;
        }
        halt(folder, stop)?;
        let text = match text {
            Some(text) => Ok(text),
            None => text_of(&source, order),
        };
        match text {
            Err(why) => {
                entry.fate = Fate::Left(why);
                rest.push(entry);
            }
            Ok(text) => {
                entry.bytes = text.bytes;
                entry.sha256 = Some(text.sha256.clone());
                entry.encoding = Some(text.decoded.encoding);
                documents.push(Document {
                    path: entry.path.clone(),
                    sha256: text.sha256,
                    text: text.decoded.text,
                });
                kept.push(entry);
            }
        }
    }
    let room = Room {
        whole: order.budget,
        excerpts: order.excerpts,
    };
    let wanted = Wanted {
        message: &order.query,
        ..Wanted::default()
    };
    let mut reading = Reading::default();
    for shown in select(&documents, &wanted, room) {
        reading.tokens += shown.tokens;
        if let Some(entry) = kept.get_mut(shown.document) {
            entry.fate = match shown.is_whole() {
                true => Fate::Whole {
                    tokens: shown.tokens,
                },
                false => Fate::Cut {
                    tokens: shown.tokens,
                    of: shown.of,
                },
            };
        }
    }
    let texts = documents.into_iter().map(|document| document.text);
    let (shown, others): (Vec<_>, Vec<_>) = kept
        .into_iter()
        .zip(texts)
        .partition(|(entry, _)| entry.fate.tokens().is_some());
    (reading.files, reading.texts) = shown.into_iter().chain(others).unzip();
    reading.files.extend(rest);
    Ok(reading)
}
