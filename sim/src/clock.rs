//! Virtual clocks: a monotonic one, which orders events, and a wall clock, which can jump and from which
//! leases and checkpoint ids are made.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use superstep_core::id::{CheckpointId, IdSource};

/// The wall clock all workers look at.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wall(Arc<AtomicU64>);

impl Wall {
    /// What it shows, in milliseconds.
    pub(crate) fn now(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Sets it.
    pub(crate) fn set(&self, now: u64) {
        self.0.store(now, Ordering::Relaxed);
    }
}

/// Whether ids keep above what is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Floor {
    /// As an id source must.
    Kept,
    /// A planted mistake.
    Ignored,
}

/// Ids of one process, from the wall clock and, where that is behind, from what is stored.
#[derive(Debug)]
pub(crate) struct Ids {
    wall: Wall,
    floor: Floor,
    process: u128,
    last: AtomicU64,
}

/// Ids of one millisecond.
const PER_MILLI: u64 = 64;

impl Ids {
    /// The ids of a process that has just started.
    pub(crate) fn new(wall: &Wall, floor: Floor, process: u64) -> Arc<Self> {
        Arc::new(Self {
            wall: wall.clone(),
            floor,
            process: u128::from(process & 0xffff),
            last: AtomicU64::new(0),
        })
    }
}

impl IdSource for Ids {
    fn next(&self, floor: Option<CheckpointId>) -> CheckpointId {
        let floor = match (floor, self.floor) {
            (Some(id), Floor::Kept) => u64::try_from(id.0 >> 16).unwrap_or(u64::MAX - 1) + 1,
            _ => 0,
        };
        let last = self.last.load(Ordering::Relaxed);
        let ticks = (self.wall.now() * PER_MILLI).max(floor).max(last + 1);
        self.last.store(ticks, Ordering::Relaxed);
        CheckpointId((u128::from(ticks) << 16) | self.process)
    }
}
