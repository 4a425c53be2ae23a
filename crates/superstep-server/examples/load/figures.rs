//! Times, and what they say.

use std::time::Duration;

/// How long each of many things took.
#[derive(Default)]
pub(crate) struct Times(Vec<Duration>);

impl Times {
    pub(crate) fn add(&mut self, time: Duration) {
        self.0.push(time);
    }

    pub(crate) fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// The time within which so many of a hundred were done.
    pub(crate) fn at(&self, percent: usize) -> String {
        let mut all = self.0.clone();
        all.sort_unstable();
        let last = all.len().saturating_sub(1);
        let place = (all.len() * percent).div_ceil(100).saturating_sub(1);
        match all.get(place.min(last)) {
            Some(time) => format!("{:.1} ms", time.as_secs_f64() * 1000.0),
            None => "nothing was done".to_owned(),
        }
    }

    pub(crate) fn per_second(&self, time: Duration) -> f64 {
        let count = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        f64::from(count) / time.as_secs_f64()
    }
}
