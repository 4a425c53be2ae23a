//! Reading ids: text or a number where people or scripts write them, a number elsewhere.

use std::{fmt, marker::PhantomData};

use serde::{Deserialize, Deserializer, de};

use super::ParseIdError;

/// A number as wide as an id.
pub(crate) trait Wide: for<'de> Deserialize<'de> {
    /// A smaller number.
    fn from_small(n: u64) -> Self;
    /// A number that may be too wide.
    fn from_wide(n: u128) -> Option<Self>;
}

impl Wide for u128 {
    fn from_small(n: u64) -> Self {
        n.into()
    }
    fn from_wide(n: u128) -> Option<Self> {
        Some(n)
    }
}

impl Wide for u64 {
    fn from_small(n: u64) -> Self {
        n
    }
    fn from_wide(n: u128) -> Option<Self> {
        n.try_into().ok()
    }
}

/// Reads an id.
pub(crate) fn read<'de, W: Wide, D: Deserializer<'de>>(
    from: D,
    parse: fn(&str) -> Result<W, ParseIdError>,
) -> Result<W, D::Error> {
    if !from.is_human_readable() {
        #[derive(Deserialize)]
        #[serde(transparent)]
        struct Id<W>(W);
        return Id::deserialize(from).map(|Id(n)| n);
    }
    from.deserialize_any(Readable {
        parse,
        wide: PhantomData,
    })
}

struct Readable<W> {
    parse: fn(&str) -> Result<W, ParseIdError>,
    wide: PhantomData<W>,
}

impl<W: Wide> de::Visitor<'_> for Readable<W> {
    type Value = W;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = 2 * size_of::<W>();
        write!(f, "an id: text of {digits} hexadecimal digits")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<W, E> {
        (self.parse)(text).map_err(E::custom)
    }

    fn visit_u64<E: de::Error>(self, n: u64) -> Result<W, E> {
        Ok(W::from_small(n))
    }

    fn visit_u128<E: de::Error>(self, n: u128) -> Result<W, E> {
        let wide = W::from_wide(n);
        wide.ok_or_else(|| E::custom("the number is too large for an id"))
    }
}
