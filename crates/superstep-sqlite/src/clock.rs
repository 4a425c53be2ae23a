//! Clock for lease expiry.
//!
//! Other processes decide whether a lease has expired, so the clock must be the same for all of them
//! and must not jump: adjusting the wall clock must not take a thread from a live process. On Linux it
//! is the time since boot, suspend included, tagged with the boot id. On other Unix systems it is the
//! monotonic clock; that a process did not survive a reboot shows by the lock it no longer holds (see
//! `worker`). Elsewhere it is the wall clock.
//!
//! A moment is one number: a tag in the upper bits and milliseconds in the lower ones. Tag 0 is the
//! wall clock, in which files of older versions keep their leases.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Bits for milliseconds: enough for 278 years.
const MILLIS: u32 = 43;

/// A moment at which a lease ends, or now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment(i64);

impl Moment {
    /// Now, on the clock of this boot.
    pub(crate) fn now() -> Self {
        #[cfg(unix)]
        return Self::tagged(boot::tag(), boot::millis());
        #[cfg(not(unix))]
        return Self::tagged(0, wall_millis());
    }

    /// As it is stored.
    pub(crate) fn stored(self) -> i64 {
        self.0
    }

    /// This long after it.
    pub(crate) fn after(self, time: Duration) -> Self {
        let millis = i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
        Self::tagged(self.tag(), self.millis().saturating_add(millis))
    }

    /// The time until a later moment of the same boot.
    pub(crate) fn until(self, later: Self) -> Option<Duration> {
        let passed = u64::try_from(later.millis() - self.millis()).ok()?;
        (self.tag() == later.tag()).then(|| Duration::from_millis(passed))
    }

    /// Whether a lease with this stored expiry is still valid. One of another boot is not.
    pub(crate) fn is_before(self, stored: i64) -> bool {
        let end = Self(stored);
        match end.tag() {
            0 => end.millis() > wall_millis(),
            tag => tag == self.tag() && end.millis() > self.millis(),
        }
    }

    fn tagged(tag: i64, millis: i64) -> Self {
        Self((tag << MILLIS) | millis.clamp(0, (1 << MILLIS) - 1))
    }

    fn tag(self) -> i64 {
        self.0 >> MILLIS
    }

    fn millis(self) -> i64 {
        self.0 & ((1 << MILLIS) - 1)
    }
}

/// Milliseconds since 1970.
pub(crate) fn wall_millis() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    })
}

#[cfg(unix)]
mod boot {
    use std::sync::OnceLock;

    use rustix::time::{ClockId, clock_gettime};

    #[cfg(target_os = "linux")]
    const CLOCK: ClockId = ClockId::Boottime;
    #[cfg(not(target_os = "linux"))]
    const CLOCK: ClockId = ClockId::Monotonic;

    /// Costs no system call.
    pub(super) fn millis() -> i64 {
        let time = clock_gettime(CLOCK);
        time.tv_sec.saturating_mul(1000) + time.tv_nsec / 1_000_000
    }

    /// Identifies this boot; never 0.
    pub(super) fn tag() -> i64 {
        static TAG: OnceLock<i64> = OnceLock::new();
        *TAG.get_or_init(|| {
            let id = std::fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_default();
            let digest = xxhash_rust::xxh3::xxh3_64(&id);
            i64::try_from(digest >> 45).unwrap_or_default() | 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_ends_by_the_clock_of_its_boot() {
        let now = Moment::now();
        let end = now.after(Duration::from_secs(30));
        assert!(now.is_before(end.stored()));
        assert!(!end.is_before(end.stored()));
        assert_eq!(now.until(end), Some(Duration::from_secs(30)));
        assert_eq!(end.until(now), None);
    }

    #[test]
    fn a_lease_of_another_boot_has_ended() {
        let now = Moment::now();
        let other = Moment::tagged(now.tag() ^ 2, now.millis() + 60_000);
        assert!(!now.is_before(other.stored()));
    }

    #[test]
    fn a_lease_of_an_older_version_ends_by_the_wall_clock() {
        let now = Moment::now();
        assert!(now.is_before(wall_millis() + 10_000));
        assert!(!now.is_before(wall_millis() - 10_000));
    }

    #[test]
    fn no_moment_overflows() {
        let end = Moment::now().after(Duration::MAX);
        assert!(Moment::now().is_before(end.stored()));
        assert!(end.stored() > 0);
    }
}
