//! Model of a disk at a power cut, fed with recorded operations.
//!
//! A disk keeps what was synced. Of what was written since, each sector is as it was at some moment
//! since: it has its first so many writes, whatever other sectors have. What a failed sync dropped it
//! never gets. Of a name that was made or removed since its folder was synced, it may or may not know.
//! [`Disk::synced`] is the poorest outcome, [`Disk::torn`] one of the others.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;

use super::Op;

/// Something that happened, in order.
#[derive(Clone, Debug)]
pub enum Event {
    /// A file was opened for writing.
    Open {
        /// Its name.
        name: String,
        /// It was not there before.
        created: bool,
        /// Its first sync syncs its folder too.
        dir_sync: bool,
    },
    /// Bytes were written.
    Write {
        /// To which file.
        name: String,
        /// Where.
        at: u64,
        /// What.
        bytes: Vec<u8>,
    },
    /// A file was synced.
    Sync {
        /// Which.
        name: String,
    },
    /// A sync of a file failed. Linux takes what it could not write for written: it is read, but
    /// never reaches the disk, whatever later syncs say.
    SyncFailed {
        /// Which.
        name: String,
    },
    /// All bytes of a file were written again as they are read, and synced, past the VFS.
    Rewritten {
        /// Which.
        name: String,
    },
    /// A file was cut or grown.
    Truncate {
        /// Which.
        name: String,
        /// Its new length.
        len: u64,
    },
    /// A file was removed.
    Delete {
        /// Which.
        name: String,
        /// Its folder was synced then.
        dir_sync: bool,
    },
    /// A line was written to a file that is always synced.
    Mark {
        /// The file.
        file: &'static str,
        /// The line.
        line: String,
    },
}

impl Event {
    pub(super) fn of(name: &str, op: Op<'_>) -> Self {
        let name = name.to_owned();
        match op {
            Op::Open { created, dir_sync } => Self::Open {
                name,
                created,
                dir_sync,
            },
            Op::Write { at, bytes } => Self::Write {
                name,
                at,
                bytes: bytes.to_vec(),
            },
            Op::Sync => Self::Sync { name },
            Op::SyncFailed => Self::SyncFailed { name },
            Op::Truncate { len } => Self::Truncate { name, len },
            Op::Delete { dir_sync } => Self::Delete { name, dir_sync },
        }
    }
}

/// Files by name.
pub type Image = BTreeMap<String, Vec<u8>>;

/// The disk, the writes on their way to it, and the names its folder has and is about to have.
#[derive(Clone, Debug, Default)]
pub struct Disk {
    files: Vec<File>,
    names: BTreeMap<String, usize>,
    synced_names: BTreeMap<String, usize>,
    marks: BTreeMap<&'static str, String>,
}

#[derive(Clone, Debug, Default)]
struct File {
    synced: Vec<u8>,
    pending: Vec<Change>,
    /// What programs read.
    cached: Vec<u8>,
    dir_sync: bool,
}

#[derive(Clone, Debug)]
enum Change {
    Write(u64, Vec<u8>),
    Truncate(u64),
}

impl Disk {
    /// The disk after one more event.
    pub fn apply(&mut self, event: &Event) {
        match event {
            Event::Open { name, dir_sync, .. } => {
                if !self.names.contains_key(name) {
                    self.names.insert(name.clone(), self.files.len());
                    self.files.push(File::default());
                }
                if let Some(file) = self.file(name) {
                    file.dir_sync |= dir_sync;
                }
            }
            Event::Write { name, at, bytes } => {
                if let Some(file) = self.file(name) {
                    file.change(Change::Write(*at, bytes.clone()));
                }
            }
            Event::Truncate { name, len } => {
                if let Some(file) = self.file(name) {
                    file.change(Change::Truncate(*len));
                }
            }
            Event::SyncFailed { name } => {
                if let Some(file) = self.file(name) {
                    file.pending.clear();
                }
            }
            Event::Rewritten { name } => {
                if let Some(file) = self.file(name) {
                    file.pending.clear();
                    file.synced.clone_from(&file.cached);
                }
            }
            Event::Sync { name } => {
                let Some(file) = self.file(name) else { return };
                for change in std::mem::take(&mut file.pending) {
                    change.apply(&mut file.synced);
                }
                if std::mem::take(&mut file.dir_sync) {
                    self.synced_names = self.names.clone();
                }
            }
            Event::Delete { name, dir_sync } => {
                self.names.remove(name);
                if *dir_sync {
                    self.synced_names = self.names.clone();
                }
            }
            Event::Mark { file, line } => {
                let text = self.marks.entry(file).or_default();
                text.push_str(line);
                text.push('\n');
            }
        }
    }

    fn file(&mut self, name: &str) -> Option<&mut File> {
        let at = *self.names.get(name)?;
        self.files.get_mut(at)
    }

    /// What is left when nothing but synced bytes and names made it.
    pub fn synced(&self) -> Image {
        let names = self.synced_names.iter();
        let files = names.filter_map(|(name, at)| {
            let file = self.files.get(*at)?;
            Some((name.clone(), file.synced.clone()))
        });
        files.chain(self.marked()).collect()
    }

    /// What is left when a seeded half of all that was not synced made it, sector by sector.
    pub fn torn(&self, seed: u64) -> Image {
        let mut rng = Rng::with_seed(seed);
        let sector = if rng.bool() { 512 } else { 4096 };
        let mut names = self.synced_names.clone();
        for name in self.synced_names.keys().chain(self.names.keys()) {
            if rng.bool() {
                match self.names.get(name) {
                    Some(at) => names.insert(name.clone(), *at),
                    None => names.remove(name),
                };
            }
        }
        let mut image: Image = self.marked().collect();
        for (name, at) in names {
            let Some(file) = self.files.get(at) else {
                continue;
            };
            let (mut bytes, mut behind) = (file.synced.clone(), BTreeSet::new());
            for change in &file.pending {
                change.apply_torn(&mut bytes, sector, &mut behind, &mut rng);
            }
            image.insert(name, bytes);
        }
        image
    }

    fn marked(&self) -> impl Iterator<Item = (String, Vec<u8>)> {
        let marks = self.marks.iter();
        marks.map(|(file, text)| ((*file).to_owned(), text.clone().into_bytes()))
    }
}

impl File {
    fn change(&mut self, change: Change) {
        change.apply(&mut self.cached);
        self.pending.push(change);
    }
}

impl Change {
    fn apply(&self, to: &mut Vec<u8>) {
        match self {
            Self::Write(at, bytes) => put(to, *at, bytes),
            Self::Truncate(len) => to.resize(usize::try_from(*len).unwrap_or_default(), 0),
        }
    }

    /// Applies what the disk got of it. A sector that misses a write is `behind` and misses all
    /// later ones: memory has them all, and a sector is written from there as a whole.
    fn apply_torn(&self, to: &mut Vec<u8>, sector: u64, behind: &mut BTreeSet<u64>, rng: &mut Rng) {
        let Self::Write(at, bytes) = self else {
            if rng.bool() {
                self.apply(to);
            }
            return;
        };
        let (mut at, mut rest) = (*at, bytes.as_slice());
        while !rest.is_empty() {
            // Sectors are those of the file, whatever the write began at.
            let room = usize::try_from(sector - at % sector).unwrap_or(rest.len());
            let (here, later) = rest.split_at(room.min(rest.len()));
            if !behind.contains(&(at / sector)) && rng.bool() {
                put(to, at, here);
            } else {
                behind.insert(at / sector);
            }
            at += here.len() as u64;
            rest = later;
        }
    }
}

fn put(to: &mut Vec<u8>, at: u64, bytes: &[u8]) {
    let start = usize::try_from(at).unwrap_or_default();
    let end = start + bytes.len();
    if to.len() < end {
        to.resize(end, 0);
    }
    if let Some(place) = to.get_mut(start..end) {
        place.copy_from_slice(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(name: &str, dir_sync: bool) -> Event {
        let (name, created) = (name.to_owned(), true);
        Event::Open {
            name,
            created,
            dir_sync,
        }
    }

    fn write(name: &str, at: u64, bytes: &[u8]) -> Event {
        let (name, bytes) = (name.to_owned(), bytes.to_vec());
        Event::Write { name, at, bytes }
    }

    fn sync(name: &str) -> Event {
        let name = name.to_owned();
        Event::Sync { name }
    }

    fn disk(events: &[Event]) -> Disk {
        let mut disk = Disk::default();
        events.iter().for_each(|event| disk.apply(event));
        disk
    }

    #[test]
    fn only_synced_bytes_of_synced_names_are_left() {
        let mut disk = disk(&[
            open("wal", true),
            open("db", false),
            write("wal", 0, b"ab"),
            sync("wal"),
            write("wal", 1, b"xy"),
        ]);
        let left = disk.synced();
        assert_eq!(left.get("wal").unwrap(), b"ab");
        assert_eq!(
            left.get("db").unwrap(),
            b"",
            "the folder was synced with it"
        );
        disk.apply(&open("late", false));
        disk.apply(&sync("late"));
        assert!(!disk.synced().contains_key("late"));
    }

    #[test]
    fn what_a_failed_sync_dropped_is_read_but_never_comes_to_the_disk() {
        let mut disk = disk(&[open("wal", true), write("wal", 0, b"ab"), sync("wal")]);
        disk.apply(&write("wal", 2, b"cd"));
        let name = "wal".to_owned();
        disk.apply(&Event::SyncFailed { name });
        disk.apply(&write("wal", 4, b"ef"));
        disk.apply(&sync("wal"));
        assert_eq!(disk.synced().get("wal").unwrap(), b"ab\0\0ef");
        assert_eq!(disk.torn(1).get("wal").unwrap(), b"ab\0\0ef");
        let name = "wal".to_owned();
        disk.apply(&Event::Rewritten { name });
        assert_eq!(disk.synced().get("wal").unwrap(), b"abcdef");
    }

    #[test]
    fn a_removed_file_may_come_back_until_its_folder_is_synced() {
        let mut disk = disk(&[open("wal", true), write("wal", 0, b"a"), sync("wal")]);
        let (name, dir_sync) = ("wal".to_owned(), false);
        disk.apply(&Event::Delete { name, dir_sync });
        assert!(disk.synced().contains_key("wal"));
        let (name, dir_sync) = ("other".to_owned(), true);
        disk.apply(&Event::Delete { name, dir_sync });
        assert!(!disk.synced().contains_key("wal"));
    }

    #[test]
    fn a_torn_write_keeps_whole_sectors_and_some_seed_keeps_some_of_them() {
        let disk = disk(&[open("db", true), sync("db"), write("db", 0, &[1; 4 * 4096])]);
        let mut partial = 0;
        for seed in 0..64 {
            let image = disk.torn(seed);
            let bytes = image.get("db").unwrap();
            assert!(bytes.chunks(512).all(|s| s.iter().all(|b| *b == s[0])));
            partial += usize::from(bytes.contains(&0) && bytes.contains(&1));
        }
        assert!(partial > 16, "{partial}");
    }

    #[test]
    fn a_sector_that_has_a_write_has_all_earlier_ones() {
        let mut disk = disk(&[open("db", true), write("db", 0, &[0; 1024]), sync("db")]);
        for at in [0, 8, 16, 512, 520] {
            disk.apply(&write("db", at, &[1; 8]));
        }
        let mut seen = BTreeSet::new();
        for seed in 0..64 {
            let image = disk.torn(seed);
            let bytes = image.get("db").unwrap();
            seen.insert([0, 8, 16, 512, 520].map(|at: usize| bytes[at]));
        }
        for [a, b, c, d, e] in &seen {
            assert!(a >= b && b >= c && d >= e, "{seen:?}");
        }
        assert!(seen.len() > 6, "{seen:?}");
    }

    #[test]
    fn marks_are_always_there() {
        let (file, line) = ("log", "a".to_owned());
        let disk = disk(&[Event::Mark { file, line }]);
        assert_eq!(disk.synced().get("log").unwrap(), b"a\n");
        assert_eq!(disk.torn(1).get("log").unwrap(), b"a\n");
    }
}
