//! What a write-ahead log holds by itself, and whether SQLite reads it.
//!
//! SQLite takes a log whose header or first frame does not fit for an empty one, and overwrites it.
//! Of a torn end that is right, and of frames from before the log was begun anew. But the header is
//! synced before any frame is written, so one that is not as SQLite wrote it is damaged. Whether that
//! does harm shows by comparing the frames with the database, which may have them all.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Read, Seek, SeekFrom, Write},
    path::Path,
    sync::OnceLock,
};

use superstep_core::error::SaverError;

use crate::file::{beside, refused};

const HEADER: usize = 32;
const FRAME: usize = 24;

/// The first words of a log, but for the last bit, which is the byte order of its checksums.
const MAGIC: u32 = 0x377f_0682;
const VERSION: u32 = 3_007_000;

/// What a look at the beginning of a log tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// It has no whole frame.
    Empty,
    /// SQLite reads its first frame.
    Read,
    /// It was begun anew, and has frames from before that only.
    Begun,
    /// It is damaged: it has frames, and SQLite reads none of them.
    Damaged,
}

/// Looks at the beginning of the log beside a database of pages of this size.
pub(crate) fn start(database: &Path, page: usize) -> Result<Start, SaverError> {
    let mut first = Vec::new();
    let path = beside(database, "-wal");
    // Opening a pipe would wait for somebody who writes to it.
    if fs::metadata(&path).is_ok_and(|log| !log.is_file()) {
        let why = "in the place of the write-ahead log there is something that is no file";
        return Err(SaverError::Io(why.to_owned()));
    }
    let log = match fs::File::open(path) {
        Ok(log) => log,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Start::Empty),
        Err(error) => return Err(refused(&error)),
    };
    log.take((HEADER + FRAME + page) as u64)
        .read_to_end(&mut first)
        .map_err(|error| refused(&error))?;
    Ok(match Log::new(&first, page) {
        None => Start::Empty,
        Some(log) => log.start(),
    })
}

/// Whether the log beside a database holds something that the database, these bytes, does not.
pub(crate) fn holds_more(database: &Path, page: usize, bytes: &[u8]) -> Result<bool, SaverError> {
    let log = fs::read(beside(database, "-wal")).map_err(|error| refused(&error))?;
    Ok(Log::new(&log, page).is_some_and(|log| log.holds_more(bytes)))
}

/// Writes the log beside a database anew, byte by byte as it is, and syncs it.
///
/// When a sync fails, Linux takes what it could not write for written: programs still read it, but
/// it never reaches the disk, and the next sync succeeds. Writing it again is what makes it count.
pub(crate) fn rewrite(database: &Path) -> Result<(), SaverError> {
    let path = beside(database, "-wal");
    let copied = (|| {
        let mut log = fs::File::options().read(true).write(true).open(&path)?;
        let (mut piece, mut at) = (vec![0; 1 << 20], 0);
        loop {
            let read = log.read(&mut piece)?;
            let Some(bytes @ [_, ..]) = piece.get(..read) else {
                return log.sync_data();
            };
            log.seek(SeekFrom::Start(at))?;
            log.write_all(bytes)?;
            at += read as u64;
        }
    })();
    match copied {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(refused(&error)),
        _ => {
            if let Some(watch) = REWRITTEN.get() {
                watch(&path);
            }
            Ok(())
        }
    }
}

static REWRITTEN: OnceLock<fn(&Path)> = OnceLock::new();

/// Calls a function with the path of each log that was written anew: a VFS below SQLite that models
/// a disk does not see it otherwise. Of several calls the first counts.
#[doc(hidden)]
pub fn watch_rewritten_logs(watch: fn(&Path)) {
    let _first_counts = REWRITTEN.set(watch);
}

/// The bytes of a log that has at least one whole frame.
struct Log<'a> {
    header: &'a [u8],
    frames: Vec<Frame<'a>>,
}

struct Frame<'a> {
    header: &'a [u8],
    page: &'a [u8],
}

/// The order of bytes in the words that a checksum is made of.
#[derive(Clone, Copy)]
enum Order {
    Little,
    Big,
}

impl<'a> Log<'a> {
    fn new(bytes: &'a [u8], page: usize) -> Option<Self> {
        let (header, frames) = bytes.split_at_checked(HEADER)?;
        let frames = frames.chunks_exact(FRAME + page).filter_map(|frame| {
            let (header, page) = frame.split_at_checked(FRAME)?;
            Some(Frame { header, page })
        });
        let frames: Vec<_> = frames.collect();
        (!frames.is_empty()).then_some(Self { header, frames })
    }

    fn start(&self) -> Start {
        let salts = self.frames.first().map(Frame::salts);
        match self.is_sound() {
            true if salts == Some(self.salts()) => Start::Read,
            // Its salts are not what they were.
            true if self.has_first_frame() => Start::Damaged,
            true => Start::Begun,
            false => Start::Damaged,
        }
    }

    /// Whether the first frame continues the checksum of the header, whatever its salts are.
    fn has_first_frame(&self) -> bool {
        let first = self.frames.first();
        first.is_some_and(|first| first.sum(self.order(), self.sum()) == first.stored_sum())
    }

    /// The order that the header says.
    fn order(&self) -> Order {
        match word(self.header, 0) & 1 {
            0 => Order::Little,
            _ => Order::Big,
        }
    }

    /// Whether the header is as SQLite wrote it.
    fn is_sound(&self) -> bool {
        let word = |at| word(self.header, at);
        let size = self.frames.first().map(|first| first.page.len());
        let covered = self.header.get(..24).unwrap_or_default();
        word(0) | 1 == MAGIC | 1
            && word(4) == VERSION
            && usize::try_from(word(8)).ok() == size
            && checksum(self.order(), (0, 0), covered) == self.sum()
    }

    fn salts(&self) -> (u32, u32) {
        (word(self.header, 16), word(self.header, 20))
    }

    fn sum(&self) -> (u32, u32) {
        (word(self.header, 24), word(self.header, 28))
    }

    fn holds_more(&self, database: &[u8]) -> bool {
        [Order::Little, Order::Big]
            .into_iter()
            .any(|order| self.holds_more_in(order, database))
    }

    /// Frames of one generation have the same salts, and each continues the checksum of the one
    /// before. The first continues that of the header; if the header is damaged, the first of which a
    /// commit follows stands for the generation.
    fn holds_more_in(&self, order: Order, database: &[u8]) -> bool {
        let starts = match self.is_sound() {
            true => 1,
            false => self.frames.len(),
        };
        for start in 0..starts {
            let chain = self.committed(order, start);
            if !chain.is_empty() {
                return chain.iter().any(|(number, page)| {
                    let before = usize::try_from(*number).map_or(usize::MAX, |number| number - 1);
                    let at = before.saturating_mul(page.len());
                    database.get(at..at.saturating_add(page.len())) != Some(*page)
                });
            }
        }
        false
    }

    /// The pages that frames from one on commit.
    fn committed(&self, order: Order, start: usize) -> BTreeMap<u32, &'a [u8]> {
        let frames = self.frames.get(start..).unwrap_or_default();
        let salts = match (self.is_sound(), frames.first()) {
            (false, Some(first)) => first.salts(),
            _ => self.salts(),
        };
        let (mut pending, mut committed, mut pages) = (BTreeMap::new(), BTreeMap::new(), 0);
        let mut before = None;
        for frame in frames {
            let fits = before.is_none_or(|sum| {
                frame.salts() == salts && frame.sum(order, sum) == frame.stored_sum()
            });
            if !fits {
                break;
            }
            before = Some(frame.stored_sum());
            pending.insert(frame.number(), frame.page);
            if let size @ 1.. = word(frame.header, 4) {
                committed.append(&mut pending);
                pages = size;
            }
        }
        // What was cut off the database is not missed.
        committed.retain(|number, _| *number <= pages);
        // A frame alone has nothing that shows that it is one.
        match before {
            Some(sum) if frames.first().map(Frame::stored_sum) == Some(sum) && start > 0 => {
                BTreeMap::new()
            }
            _ => committed,
        }
    }
}

impl Frame<'_> {
    fn number(&self) -> u32 {
        word(self.header, 0).max(1)
    }

    fn salts(&self) -> (u32, u32) {
        (word(self.header, 8), word(self.header, 12))
    }

    fn stored_sum(&self) -> (u32, u32) {
        (word(self.header, 16), word(self.header, 20))
    }

    fn sum(&self, order: Order, before: (u32, u32)) -> (u32, u32) {
        let begun = checksum(order, before, self.header.get(..8).unwrap_or_default());
        checksum(order, begun, self.page)
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    let word = bytes.get(at..at + 4).and_then(|word| word.try_into().ok());
    u32::from_be_bytes(word.unwrap_or_default())
}

/// SQLite's checksum of a log, continued.
fn checksum(order: Order, (mut a, mut b): (u32, u32), bytes: &[u8]) -> (u32, u32) {
    for pair in bytes.chunks_exact(8) {
        let (x, y) = (word(pair, 0), word(pair, 4));
        let (x, y) = match order {
            Order::Big => (x, y),
            Order::Little => (x.swap_bytes(), y.swap_bytes()),
        };
        a = a.wrapping_add(x).wrapping_add(b);
        b = b.wrapping_add(y).wrapping_add(a);
    }
    (a, b)
}
