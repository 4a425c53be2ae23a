//! The id of a run: text wherever people read it, a number in binary formats.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{ParseIdError, hyphenated, parse_hex};

/// Names one run of a thread.
///
/// ```
/// use superstep_core::id::RunId;
///
/// let id: RunId = "0190e3a1-7c2b-7000-8000-00000000002a".parse()?;
/// assert_eq!(id.to_string(), "0190e3a1-7c2b-7000-8000-00000000002a");
/// # Ok::<(), superstep_core::id::ParseIdError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RunId(pub u128);

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hyphenated(self.0, f)
    }
}

impl FromStr for RunId {
    type Err = ParseIdError;

    fn from_str(text: &str) -> Result<Self, ParseIdError> {
        parse_hex(text).map(Self)
    }
}

impl Serialize for RunId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match serializer.is_human_readable() {
            true => serializer.collect_str(self),
            false => self.0.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for RunId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            return u128::deserialize(deserializer).map(Self);
        }
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_id_is_text_in_json() -> Result<(), serde_json::Error> {
        let id = RunId(u128::MAX - 41);
        let value = serde_json::to_value(id)?;
        assert_eq!(value, "ffffffff-ffff-ffff-ffff-ffffffffffd6");
        assert_eq!(serde_json::from_value::<RunId>(value)?, id);
        Ok(())
    }

    #[test]
    fn what_is_no_run_id_is_refused() {
        for text in ["", "7", "ffffffff-ffff-ffff-ffff-ffffffffffzz"] {
            assert_eq!(text.parse::<RunId>(), Err(ParseIdError(text.into())));
            assert!(serde_json::from_value::<RunId>(text.into()).is_err());
        }
    }
}
