//! Numbers of JSON: compared by value, whatever their spelling.

use std::cmp::Ordering;

use serde_json::{Number, Value as Json};

/// Up to here floats are exact.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// How two numbers compare. Whole numbers are compared exactly.
pub(super) fn compare(a: &Number, b: &Number) -> Ordering {
    if let (Some(a), Some(b)) = (whole(a), whole(b)) {
        return a.cmp(&b);
    }
    let (a, b) = (a.as_f64(), b.as_f64());
    a.partial_cmp(&b).unwrap_or(Ordering::Equal)
}

/// Whether it has no fraction: `2` and `2.0` are both whole.
pub(super) fn is_whole(number: &Number) -> bool {
    whole(number).is_some() || number.as_f64().is_some_and(|n| n.fract() == 0.0)
}

/// Whether a whole number can be stored as the format says. Formats that are none of these allow
/// everything.
pub(super) fn fits(number: &Number, format: &str) -> bool {
    let (low, high): (i128, i128) = match format {
        "int8" => (i8::MIN.into(), i8::MAX.into()),
        "int16" => (i16::MIN.into(), i16::MAX.into()),
        "int32" => (i32::MIN.into(), i32::MAX.into()),
        "int64" | "int" => (i64::MIN.into(), i64::MAX.into()),
        "uint8" => (0, u8::MAX.into()),
        "uint16" => (0, u16::MAX.into()),
        "uint32" => (0, u32::MAX.into()),
        "uint64" | "uint" => (0, u64::MAX.into()),
        _ => return true,
    };
    let exact = |n: &f64| n.fract() == 0.0 && n.abs() <= EXACT;
    let spelled_as_float = || number.as_f64().filter(exact).map(|n| n as i128);
    let n = whole(number).or_else(spelled_as_float);
    n.is_some_and(|n| (low..=high).contains(&n))
}

/// Whether `number` is a multiple of `unit`, as well as floats can say.
pub(super) fn is_multiple(number: &Number, unit: &Number) -> bool {
    match (whole(number), whole(unit)) {
        (Some(n), Some(unit)) if unit != 0 => n % unit == 0,
        _ => match (number.as_f64(), unit.as_f64()) {
            (Some(n), Some(unit)) if unit > 0.0 => {
                let times = n / unit;
                (times - times.round()).abs() < 1e-9
            }
            _ => true,
        },
    }
}

/// Whether two values are the same, numbers compared by value.
pub(super) fn same(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Number(a), Json::Number(b)) => compare(a, b).is_eq(),
        _ => a == b,
    }
}

fn whole(number: &Number) -> Option<i128> {
    let signed = number.as_i64().map(i128::from);
    signed.or_else(|| number.as_u64().map(i128::from))
}
