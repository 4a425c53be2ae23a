//! The clock of the operating system, for stores that are given no other.

use std::time::SystemTime;

use superstep_store::{Clock, UnixMillis};

pub(super) struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> UnixMillis {
        let age = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        age.map_or(0, |age| i64::try_from(age.as_millis()).unwrap_or(i64::MAX))
    }
}
