//! Times as clients read them.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use serde_json::Value as Json;

/// Microseconds since 1970.
pub(crate) type Micros = i64;

/// The time on the system clock.
pub(crate) fn now() -> Micros {
    let age = SystemTime::now().duration_since(UNIX_EPOCH);
    age.map_or(0, |age| i64::try_from(age.as_micros()).unwrap_or(i64::MAX))
}

/// As text, such as `2026-11-15T00:09:39.409332+00:00`; null if it is beyond the calendar.
pub(crate) fn text(time: Micros) -> Json {
    match Timestamp::from_microsecond(time) {
        Ok(time) => time
            .strftime("%Y-%m-%dT%H:%M:%S.%6f+00:00")
            .to_string()
            .into(),
        Err(_) => Json::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_six_digits_and_an_offset() {
        assert_eq!(
            text(1_794_701_379_409_332),
            "2026-11-15T00:09:39.409332+00:00"
        );
        assert_eq!(text(0), "1970-01-01T00:00:00.000000+00:00");
        assert_eq!(text(i64::MAX), Json::Null);
    }
}
