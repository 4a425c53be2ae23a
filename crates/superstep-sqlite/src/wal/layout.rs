//! The format of a write-ahead log (WAL), and which beginnings of one a crash can leave.
//!
//! A header of 32 bytes is followed by frames: 24 bytes and a page each. Frames of one generation
//! have the salts of the header, and each continues the checksum of the one before; the first
//! continues that of the header. When all frames are in the database the next generation overwrites
//! them from the start, with a first salt that is one more.
//!
//! What a crash leaves follows from the order of SQLite's writes. The header is fsync'd before any
//! frame is written, so an invalid one that frames follow is damage. Frames are not fsync'd one by
//! one, so after a power cut any sector of them may be as it was before. But a sector is written as
//! a whole: the header of the first frame shares the first sector of the file with the beginning of
//! its page, and either both are as before or the frame's header is new.

use std::collections::BTreeMap;

pub(super) const HEADER: usize = 32;
pub(super) const FRAME: usize = 24;

/// The smallest unit that a disk writes as a whole.
const SECTOR: usize = 512;

/// Magic number without its last bit, which is the byte order of the checksums.
const MAGIC: u32 = 0x377f_0682;
const VERSION: u32 = 3_007_000;

/// No page has a larger number. Four bytes of text, taken as a number, are larger.
const MAX_PAGES: u32 = 0x0800_0000;

/// State of the beginning of a WAL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WalStart {
    /// No complete frame.
    Empty,
    /// Its first frame belongs to its header.
    Valid,
    /// Its first frame was not written before a crash.
    Unwritten,
    /// No crash leaves it like this.
    Damaged,
}

/// The bytes of a WAL.
pub(super) struct WalFile<'a> {
    bytes: &'a [u8],
    page: usize,
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
    pub(super) fn new(bytes: &'a [u8], page: usize) -> Self {
        let (header, frames) = bytes.split_at(bytes.len().min(HEADER));
        let frames = frames.chunks_exact(FRAME + page).filter_map(|frame| {
            let (header, page) = frame.split_at_checked(FRAME)?;
            Some(Frame { header, page })
        });
        Self {
            bytes,
            page,
            header,
            frames: frames.collect(),
        }
    }

    pub(super) fn start(&self) -> WalStart {
        if self.bytes.len() <= HEADER {
            return match self.is_header_begun() {
                true => WalStart::Empty,
                false => WalStart::Damaged,
            };
        }
        if !self.is_sound() {
            return WalStart::Damaged;
        }
        match self.frames.first() {
            None => WalStart::Empty,
            Some(first) if first.salts() == self.salts() => WalStart::Valid,
            Some(first) if self.is_unwritten(first) => WalStart::Unwritten,
            Some(_) => WalStart::Damaged,
        }
    }

    /// Whether a crash can leave these bytes, and none behind them: a header that was being written,
    /// or room for one.
    fn is_header_begun(&self) -> bool {
        let page = u32::try_from(self.page).unwrap_or_default();
        let begins = |magic: u32| {
            let words = [magic, VERSION, page].map(u32::to_be_bytes);
            let same = self.header.iter().zip(words.as_flattened());
            same.into_iter().all(|(found, expected)| found == expected)
        };
        self.header.iter().all(|byte| *byte == 0) || begins(MAGIC) || begins(MAGIC | 1)
    }

    /// Whether a crash can leave this first frame behind a valid header with other salts.
    fn is_unwritten(&self, first: &Frame<'_>) -> bool {
        // Only its salts differ, and both parts are written at once.
        if first.sum(self.order(), self.sum()) == first.stored_sum() {
            return false;
        }
        let sector = self.bytes.get(HEADER..SECTOR).unwrap_or_default();
        let (found, own) = (first.salts(), self.salts());
        // Nothing was there before.
        sector.iter().all(|byte| *byte == 0)
            // The generation before.
            || found.0.wrapping_add(1) == own.0
            // That, with the first half of its header overwritten.
            || found.0 == own.0
            // A generation without a commit: the salts of one that never was restarted are random.
            || (word(self.header, 12) == 0 && first.is_plausible())
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
        let covered = self.header.get(..24).unwrap_or_default();
        word(0) | 1 == MAGIC | 1
            && word(4) == VERSION
            && usize::try_from(word(8)) == Ok(self.page)
            && checksum(self.order(), (0, 0), covered) == self.sum()
    }

    fn salts(&self) -> (u32, u32) {
        (word(self.header, 16), word(self.header, 20))
    }

    fn sum(&self) -> (u32, u32) {
        (word(self.header, 24), word(self.header, 28))
    }

    /// Whether the frames commit something, and a database has all of it.
    pub(super) fn is_in(&self, database: &[u8]) -> bool {
        let mut chains = [Order::Little, Order::Big]
            .map(|order| self.committed(order))
            .into_iter()
            .filter(|chain| !chain.is_empty())
            .peekable();
        chains.peek().is_some()
            && chains.all(|chain| {
                chain.iter().all(|(number, page)| {
                    let before = usize::try_from(*number).map_or(usize::MAX, |number| number - 1);
                    let at = before.saturating_mul(page.len());
                    database.get(at..at.saturating_add(page.len())) == Some(*page)
                })
            })
    }

    /// The pages that the frames commit. The first frame is taken as it is; each further one must
    /// continue the checksum of the one before.
    fn committed(&self, order: Order) -> BTreeMap<u32, &'a [u8]> {
        let salts = match (self.is_sound(), self.frames.first()) {
            (false, Some(first)) => first.salts(),
            _ => self.salts(),
        };
        let (mut pending, mut committed, mut pages) = (BTreeMap::new(), BTreeMap::new(), 0);
        let mut before = None;
        for frame in &self.frames {
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
        committed
    }
}

impl Frame<'_> {
    fn number(&self) -> u32 {
        word(self.header, 0).max(1)
    }

    /// Whether its header can be that of a frame.
    fn is_plausible(&self) -> bool {
        (1..=MAX_PAGES).contains(&word(self.header, 0)) && word(self.header, 4) <= MAX_PAGES
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
