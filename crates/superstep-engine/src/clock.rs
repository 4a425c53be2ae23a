//! The real clock: checkpoint ids that grow with time, and the time of the long-term store.

use std::{
    hash::{BuildHasher, RandomState},
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use superstep_core::{
    clock::expiry,
    id::{CheckpointId, IdSource},
};
use superstep_store::{Clock, UnixMillis};

/// The clock of the operating system. Where a test has paused the time of tokio, this stands still too, and moves
/// with it.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> UnixMillis {
        // Equal but for the time between the two calls, unless it is paused.
        let of_runtime = tokio::time::Instant::now().into_std();
        let of_machine = std::time::Instant::now();
        let now = Duration::from_micros(now_micros());
        let now = match of_runtime.checked_duration_since(of_machine) {
            Some(ahead) => now + ahead,
            None => now.saturating_sub(of_machine - of_runtime),
        };
        i64::try_from(now.as_millis()).unwrap_or(i64::MAX)
    }
}

/// Time-ordered ids from the system clock, in the layout of UUID version 7.
#[derive(Debug)]
pub struct ClockIds {
    last: AtomicU64,
    tail: u64,
}

impl Default for ClockIds {
    fn default() -> Self {
        let seed = (
            now_micros(),
            std::process::id(),
            std::thread::current().id(),
        );
        Self {
            last: AtomicU64::new(0),
            tail: RandomState::new().hash_one(seed),
        }
    }
}

impl IdSource for ClockIds {
    fn next(&self, floor: Option<CheckpointId>) -> CheckpointId {
        let floor = floor.map_or(0, |id| id.ticks() + 1);
        let now = (now_micros() << 2).max(floor);
        let previous = self.last.fetch_max(now, Ordering::Relaxed);
        let ticks = if previous < now {
            now
        } else {
            self.last.fetch_add(1, Ordering::Relaxed) + 1
        };
        from_ticks(ticks, self.tail)
    }
}

/// Microseconds times four: the low bits let ids of one microsecond stay ordered.
fn from_ticks(ticks: u64, tail: u64) -> CheckpointId {
    let high = (u128::from(ticks >> 12) << 80) | (0x7 << 76) | (u128::from(ticks & 0xfff) << 64);
    CheckpointId(high | (0b10 << 62) | u128::from(tail >> 2))
}

/// When an id of [`ClockIds`] was made, in microseconds since 1970.
pub fn made_at(id: CheckpointId) -> u64 {
    id.made_at()
}

/// When a checkpoint was made, if its id has the layout of [`ClockIds`]; other ids do not tell.
pub fn created_at(id: CheckpointId) -> Option<UnixMillis> {
    let is_dated = id.0 >> 76 & 0xf == 0x7 && id.0 >> 62 & 0b11 == 0b10;
    let made = is_dated.then(|| made_at(id) / 1000)?;
    i64::try_from(made).ok()
}

pub(crate) fn now_micros() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |age| age.as_micros() as u64)
}

/// A time on the clock; times before 1970 are long past.
pub(crate) fn unix_millis(time: SystemTime) -> UnixMillis {
    let age = time.duration_since(UNIX_EPOCH);
    age.map_or(0, |age| expiry(0, age))
}

/// A time of the clock, as programs see it.
pub(crate) fn time(millis: UnixMillis) -> SystemTime {
    let millis = u64::try_from(millis).unwrap_or_default();
    UNIX_EPOCH + Duration::from_millis(millis)
}

/// Waits until a clock shows a time. The clock is looked at now and then, since it may be set, and the
/// timers of a process stand still while the machine is suspended.
pub(crate) async fn until(clock: &dyn Clock, time: UnixMillis) {
    const LOOK: Duration = Duration::from_secs(10);
    loop {
        let left = time.saturating_sub(clock.now());
        let Some(left) = u64::try_from(left).ok().filter(|left| *left > 0) else {
            return;
        };
        tokio::time::sleep(Duration::from_millis(left).min(LOOK)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_from_the_clock_grow() {
        let ids = ClockIds::default();
        let made: Vec<_> = (0..1000).map(|_| ids.next(None)).collect();
        assert!(made.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn only_ids_of_a_clock_say_when_they_were_made() {
        let before = SystemClock.now();
        let made = created_at(ClockIds::default().next(None)).unwrap();
        assert!((before..=SystemClock.now()).contains(&made));
        assert_eq!(created_at(CheckpointId(7)), None);
    }

    #[test]
    fn an_id_is_above_the_floor_even_when_the_clock_stands_behind_it() {
        let far = from_ticks(now_micros() * 8, 0);
        assert!(ClockIds::default().next(Some(far)) > far);
    }
}
