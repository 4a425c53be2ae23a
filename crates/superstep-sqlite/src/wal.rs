//! Parser for SQLite write-ahead logs (WAL): whether SQLite would ignore committed frames.
//!
//! SQLite treats a WAL whose header or first frame is invalid as empty, and overwrites it. That is
//! right for a torn end, and for frames from before a restart. But the header is fsync'd before any
//! frame is written, so an invalid header means damage. Whether data is lost shows by comparing the
//! frames with the database, which may have them all.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Read, Seek, SeekFrom, Write},
    path::Path,
    sync::OnceLock,
};

use superstep_core::error::SaverError;

use crate::file::{beside, io_error};

const HEADER: usize = 32;
const FRAME: usize = 24;

/// Magic number without its last bit, which is the byte order of the checksums.
const MAGIC: u32 = 0x377f_0682;
const VERSION: u32 = 3_007_000;

/// State of the beginning of a WAL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WalStart {
    /// No complete frame.
    Empty,
    /// SQLite accepts its first frame.
    Valid,
    /// It was restarted, and only has frames from before.
    Restarted,
    /// It has frames, and SQLite accepts none of them.
    Damaged,
}

/// Inspects the beginning of the WAL of a database with this page size.
pub(crate) fn start(database: &Path, page: usize) -> Result<WalStart, SaverError> {
    let mut first = Vec::new();
    let log = match fs::File::open(beside(database, "-wal")) {
        Ok(log) => log,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(WalStart::Empty),
        Err(error) => return Err(io_error(&error)),
    };
    log.take((HEADER + FRAME + page) as u64)
        .read_to_end(&mut first)
        .map_err(|error| io_error(&error))?;
    Ok(match WalFile::new(&first, page) {
        None => WalStart::Empty,
        Some(log) => log.start(),
    })
}

/// Whether the WAL of a database holds pages that the database, given as bytes, does not have.
pub(crate) fn holds_more(database: &Path, page: usize, bytes: &[u8]) -> Result<bool, SaverError> {
    let log = fs::read(beside(database, "-wal")).map_err(|error| io_error(&error))?;
    Ok(WalFile::new(&log, page).is_some_and(|log| log.holds_more(bytes)))
}

/// Rewrites the WAL of a database byte by byte, and fsyncs it.
///
/// After a failed fsync Linux marks the pages clean: programs still read them, but they never reach
/// the disk, and the next fsync succeeds. Writing them again makes them dirty again.
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
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(io_error(&error)),
        _ => {
            if let Some(watch) = REWRITTEN.get() {
                watch(&path);
            }
            Ok(())
        }
    }
}

static REWRITTEN: OnceLock<fn(&Path)> = OnceLock::new();

/// Calls a function with the path of each WAL that was rewritten: a VFS that models a disk does not
/// see it otherwise. Only the first call has an effect.
#[doc(hidden)]
pub fn watch_rewritten_logs(watch: fn(&Path)) {
    let _first_counts = REWRITTEN.set(watch);
}

/// The bytes of a WAL with at least one complete frame.
struct WalFile<'a> {
    header: &'a [u8],
    frames: Vec<Frame<'a>>,
}

struct Frame<'a> {
    header: &'a [u8],
    page: &'a [u8],
}

/// Byte order of the words in a checksum.
#[derive(Clone, Copy)]
enum Order {
    Little,
    Big,
}

impl<'a> WalFile<'a> {
    fn new(bytes: &'a [u8], page: usize) -> Option<Self> {
        let (header, frames) = bytes.split_at_checked(HEADER)?;
        let frames = frames.chunks_exact(FRAME + page).filter_map(|frame| {
            let (header, page) = frame.split_at_checked(FRAME)?;
            Some(Frame { header, page })
        });
        let frames: Vec<_> = frames.collect();
        (!frames.is_empty()).then_some(Self { header, frames })
    }

    fn start(&self) -> WalStart {
        let salts = self.frames.first().map(Frame::salts);
        match self.is_sound() {
            true if salts == Some(self.salts()) => WalStart::Valid,
            // Only its salts are damaged.
            true if self.has_first_frame() => WalStart::Damaged,
            true => WalStart::Restarted,
            false => WalStart::Damaged,
        }
    }

    /// Whether the first frame continues the checksum of the header, whatever its salts are.
    fn has_first_frame(&self) -> bool {
        let first = self.frames.first();
        first.is_some_and(|first| first.sum(self.order(), self.sum()) == first.stored_sum())
    }

    /// The byte order in the header.
    fn order(&self) -> Order {
        match word(self.header, 0) & 1 {
            0 => Order::Little,
            _ => Order::Big,
        }
    }

    /// Whether the header is valid.
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

    /// Frames of one generation share their salts, and each continues the checksum of the one before.
    /// The first continues that of the header; if the header is damaged, the first frame that leads to
    /// a commit is taken as the start of the generation.
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

    /// The pages that the frames from `start` on commit.
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
        // Pages beyond the end of the database were truncated.
        committed.retain(|number, _| *number <= pages);
        // A single frame has nothing to verify it against.
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

/// SQLite's WAL checksum, continued.
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
