//! Numbers: integers of any size up to a limit, and floats.

use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};

use super::value::Value;

/// How many bits an integer may have.
pub(crate) const MOST_BITS: u64 = 1 << 20;

/// A number that a value is.
#[derive(Clone, Debug)]
pub(crate) enum Number {
    Int(i64),
    Big(BigInt),
    Float(f64),
}

impl Number {
    pub(crate) fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Bool(it) => Some(Self::Int(i64::from(*it))),
            Value::Int(it) => Some(Self::Int(*it)),
            Value::Big(it) => Some(Self::Big((**it).clone())),
            Value::Float(it) => Some(Self::Float(*it)),
            Value::Object(object) => {
                let payload = object.payload.borrow();
                match &*payload {
                    Value::Object(_) => None,
                    payload => Self::of(payload),
                }
            }
            _ => None,
        }
    }

    pub(crate) fn is_float(&self) -> bool {
        matches!(self, Self::Float(_))
    }

    pub(crate) fn to_float(&self) -> f64 {
        match self {
            Self::Int(it) => *it as f64,
            Self::Big(it) => big_to_float(it),
            Self::Float(it) => *it,
        }
    }

    /// As an integer; a float loses its fraction.
    pub(crate) fn to_big(&self) -> BigInt {
        match self {
            Self::Int(it) => BigInt::from(*it),
            Self::Big(it) => it.clone(),
            Self::Float(it) => float_to_big(*it),
        }
    }
}

pub(crate) fn big_to_float(value: &BigInt) -> f64 {
    // The text of a number is rounded right when it is read.
    match value.bits() > 1100 {
        true if value.sign() == Sign::Minus => f64::NEG_INFINITY,
        true => f64::INFINITY,
        false => value.to_string().parse().unwrap_or(f64::NAN),
    }
}

pub(crate) fn float_to_big(value: f64) -> BigInt {
    let text = format!("{:.0}", value.trunc());
    BigInt::parse_bytes(text.as_bytes(), 10).unwrap_or_default()
}

/// A float as a quotient of two integers; nothing if it is not finite.
pub(crate) fn ratio(value: f64) -> Option<(BigInt, BigInt)> {
    if !value.is_finite() {
        return None;
    }
    let (mut value, mut power) = (value, 0_u32);
    while value.fract() != 0.0 && power < 1100 {
        value *= 2.0;
        power += 1;
    }
    Some((float_to_big(value), BigInt::from(1) << power))
}

/// The float nearest to a quotient of two integers; infinite where there is none.
pub(crate) fn quotient(a: &BigInt, b: &BigInt) -> f64 {
    let is_negative = (a.sign() == Sign::Minus) != (b.sign() == Sign::Minus);
    let (top, below) = (a.magnitude().clone(), b.magnitude().clone());
    let bits = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    // So many digits that what is cut off only says on which side of the middle it is.
    let shift = 66 - (bits(top.bits()) - bits(below.bits()));
    let (top, below) = match u64::try_from(shift) {
        Ok(up) => (top << up, below),
        Err(_) => (top, below << shift.unsigned_abs()),
    };
    let (mut whole, rest) = (&top / &below, &top % &below);
    if rest.bits() > 0 {
        whole |= num_bigint::BigUint::from(1_u32);
    }
    // A result below the smallest normal number keeps fewer digits, and is rounded just once.
    let size = bits(whole.bits()) - shift;
    let kept = (size + 1074).min(53);
    if kept < 0 {
        return if is_negative { -0.0 } else { 0.0 };
    }
    let cut = bits(whole.bits()) - kept;
    let mut digits = u128::try_from(whole).unwrap_or(0);
    if cut > 0 {
        let half = 1_u128 << (cut - 1);
        let below = digits & (2 * half - 1);
        digits >>= cut;
        digits += u128::from(below > half || below == half && digits & 1 == 1);
    }
    let mut value = digits as f64;
    let mut power = cut.max(0) - shift;
    while power > 0 && value.is_finite() {
        let step = power.min(1000);
        value *= 2_f64.powi(i32::try_from(step).unwrap_or(0));
        power -= step;
    }
    while power < 0 && value != 0.0 {
        let step = (-power).min(1000);
        value /= 2_f64.powi(i32::try_from(step).unwrap_or(0));
        power += step;
    }
    if is_negative { -value } else { value }
}

/// The order of two numbers; nothing if one is none, nothing within if one is not a number.
pub(crate) fn compare(left: &Value, right: &Value) -> Option<Option<Ordering>> {
    match (left, right) {
        (Value::Int(a), Value::Int(b)) => return Some(Some(a.cmp(b))),
        (Value::Float(a), Value::Float(b)) => return Some(a.partial_cmp(b)),
        _ => {}
    }
    let (left, right) = (Number::of(left)?, Number::of(right)?);
    Some(match (&left, &right) {
        (Number::Int(a), Number::Int(b)) => Some(a.cmp(b)),
        (Number::Float(a), Number::Float(b)) => a.partial_cmp(b),
        (Number::Float(a), other) => compare_float(*a, other),
        (other, Number::Float(b)) => compare_float(*b, other).map(Ordering::reverse),
        (a, b) => Some(a.to_big().cmp(&b.to_big())),
    })
}

fn compare_float(float: f64, integer: &Number) -> Option<Ordering> {
    if float.is_nan() {
        return None;
    }
    if float.is_infinite() {
        return Some(match float > 0.0 {
            true => Ordering::Greater,
            false => Ordering::Less,
        });
    }
    let whole = float_to_big(float).cmp(&integer.to_big());
    Some(whole.then_with(|| float.fract().partial_cmp(&0.0).unwrap_or(Ordering::Equal)))
}

/// Rounds to a number of decimals, halves to the even neighbor, by the decimal text of the number.
pub(crate) fn round(value: f64, digits: i64) -> f64 {
    if !value.is_finite() || digits > 300 {
        return value;
    }
    if digits >= 0 {
        let digits = usize::try_from(digits).unwrap_or(0);
        return format!("{value:.digits$}").parse().unwrap_or(value);
    }
    let scale = 10_f64.powi(i32::try_from(-digits).unwrap_or(300).min(300));
    (value / scale).round_ties_even() * scale
}

/// A float as Python writes it.
pub(crate) fn float_text(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let mut text = format!("{value:e}");
    let digits = text.bytes().filter(u8::is_ascii_digit);
    let places = digits.count() - exponent_of(&text).unsigned_abs().to_string().len() - 1;
    // Of two texts that are as short and as near, the one with the even digit is meant.
    let even = format!("{value:.places$e}");
    if even.parse() == Ok(value) {
        text = even;
    }
    let magnitude = value.abs();
    if magnitude != 0.0 && !(1e-4..1e16).contains(&magnitude) {
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (sign, exponent) = match exponent.strip_prefix('-') {
            Some(rest) => ('-', rest),
            None => ('+', exponent),
        };
        return format!("{digits}e{sign}{exponent:0>2}");
    }
    let places = i64::try_from(places).unwrap_or(0) - exponent_of(&text);
    let decimals = usize::try_from(places).unwrap_or(0).max(1);
    let plain = format!("{value:.decimals$}");
    match plain.parse() == Ok(value) {
        true => plain,
        false => format!("{value:?}"),
    }
}

fn exponent_of(text: &str) -> i64 {
    let exponent = text.split_once('e').map_or("0", |(_, exponent)| exponent);
    exponent.parse().unwrap_or(0)
}
