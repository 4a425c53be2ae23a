//! Amounts of money that add up: whole millionths of a dollar.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

const MICROS: u64 = 1_000_000;

/// An amount of money in millionths of a US dollar.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Money(u64);

/// A text that is no amount of money.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no amount of dollars, such as 2 or 0.25")]
pub struct NotMoney(String);

impl Money {
    /// That many millionths of a dollar.
    pub const fn micros(micros: u64) -> Self {
        Self(micros)
    }

    /// That many dollars.
    pub const fn dollars(dollars: u64) -> Self {
        Self(dollars.saturating_mul(MICROS))
    }

    /// In millionths of a dollar.
    pub const fn as_micros(self) -> u64 {
        self.0
    }

    /// Both together. What is too much to count stays at the most that can be counted.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// What is left when that much is taken.
    #[must_use]
    pub const fn less(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cents = format!("{:06}", self.0 % MICROS);
        let (shown, tiny) = cents.split_at(2);
        let tiny = tiny.trim_end_matches('0');
        write!(f, "${}.{shown}{tiny}", self.0 / MICROS)
    }
}

impl FromStr for Money {
    type Err = NotMoney;

    /// Reads dollars: `2`, `$0.25`. More than six decimals are refused.
    fn from_str(text: &str) -> Result<Self, NotMoney> {
        let bad = || NotMoney(text.into());
        let digits = text.trim().trim_start_matches('$');
        let (whole, part) = digits.split_once('.').unwrap_or((digits, "0"));
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if !is_number(whole) || !is_number(part) || part.len() > 6 {
            return Err(bad());
        }
        let whole: u64 = whole.parse().map_err(|_| bad())?;
        let part: u64 = format!("{part:0<6}").parse().map_err(|_| bad())?;
        let micros = whole.checked_mul(MICROS).and_then(|n| n.checked_add(part));
        micros.map(Self).ok_or_else(bad)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_shown_and_read() {
        let table = [
            (0, "$0.00"),
            (1, "$0.000001"),
            (250_000, "$0.25"),
            (1_234_500, "$1.2345"),
        ];
        for (micros, text) in table {
            assert_eq!(Money::micros(micros).to_string(), text);
            assert_eq!(text.parse(), Ok(Money::micros(micros)));
        }
        assert_eq!("2".parse(), Ok(Money::dollars(2)));
        for text in [
            "", "-1", "1e3", "NaN", "0.0000001", ".", "1.", "99999999999999999999",
        ] {
            assert_eq!(text.parse::<Money>(), Err(NotMoney(text.into())));
        }
    }

    #[test]
    fn amounts_never_wrap() {
        let most = Money::micros(u64::MAX);
        assert_eq!(most.plus(Money::micros(1)), most);
        assert_eq!(Money::micros(1).less(most), Money::default());
        assert_eq!(Money::dollars(u64::MAX), most);
    }
}
