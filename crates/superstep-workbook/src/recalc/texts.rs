//! Texts as Excel makes and compares them: numbers become texts of 15 digits, and letters of all scripts have two cases.

use formualizer_common::LiteralValue;
use formualizer_eval::traits::CalcValue;

use super::call::{Call, Evaluated};

/// The longest text of a number that is written without an exponent, its sign left out.
const LONGEST: usize = 21;

/// A number as it stands in a text: 15 digits, and an exponent where it would be very long.
pub(super) fn number(value: f64) -> String {
    let exact = format!("{:.14e}", value.abs());
    let (digits, exponent) = exact.split_once('e').unwrap_or((&exact, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let digits: String = digits.chars().filter(char::is_ascii_digit).collect();
    let digits = match digits.trim_end_matches('0') {
        "" => return "0".to_owned(),
        digits => digits,
    };
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or(0));
    let sign = if value < 0.0 { "-" } else { "" };
    let whole = exponent + 1;
    let length = match exponent {
        ..0 => 1 - exponent + count,
        _ => whole.max(count + i32::from(count > whole)),
    };
    if usize::try_from(length).unwrap_or(usize::MAX) > LONGEST {
        let (first, rest) = digits.split_at_checked(1).unwrap_or((digits, ""));
        let point = if rest.is_empty() { "" } else { "." };
        let mark = if exponent < 0 { '-' } else { '+' };
        let exponent = exponent.abs();
        return format!("{sign}{first}{point}{rest}E{mark}{exponent:02}");
    }
    match exponent {
        ..0 => format!("{sign}0.{}{digits}", zeros(-whole)),
        _ if count <= whole => format!("{sign}{digits}{}", zeros(whole - count)),
        _ => {
            let at = usize::try_from(whole).unwrap_or(0);
            let (whole, part) = digits.split_at_checked(at).unwrap_or((digits, ""));
            format!("{sign}{whole}.{part}")
        }
    }
}

/// A value where a text is made of it: numbers whose usual text would be another one become texts.
pub(super) fn made<'b>(call: &Call<'_, '_, 'b>) -> Evaluated<'b> {
    let value = call.first()?;
    if let Some(LiteralValue::Text(_) | LiteralValue::Int(_) | LiteralValue::Empty) =
        value.as_scalar()
    {
        return Ok(value);
    }
    Ok(CalcValue::Scalar(as_text(value.into_literal())))
}

fn as_text(value: LiteralValue) -> LiteralValue {
    match value {
        LiteralValue::Number(it) if it.is_finite() => {
            let text = number(it);
            match text == it.to_string() {
                true => LiteralValue::Number(it),
                false => LiteralValue::Text(text),
            }
        }
        LiteralValue::Array(rows) => LiteralValue::Array(
            rows.into_iter()
                .map(|row| row.into_iter().map(as_text).collect())
                .collect(),
        ),
        other => other,
    }
}

/// A text in small letters. Letters that would become several stay as they are, as in Excel.
pub(super) fn lower_case(text: &str) -> String {
    text.chars()
        .map(|c| {
            let mut all = c.to_lowercase();
            match (all.next(), all.next()) {
                (Some(one), None) => one,
                _ => c,
            }
        })
        .collect()
}

fn upper_case(text: &str) -> String {
    text.chars()
        .map(|c| {
            let mut all = c.to_uppercase();
            match (all.next(), all.next()) {
                (Some(one), None) => one,
                _ => c,
            }
        })
        .collect()
}

/// Applies a function to the text of the first argument; what is no text, and texts for which it makes no difference, are
/// left to the usual function.
fn of_text<'b>(
    call: &Call<'_, '_, 'b>,
    is_meant: fn(&str) -> bool,
    change: fn(&str) -> String,
) -> Evaluated<'b> {
    match call.first()?.as_scalar() {
        Some(LiteralValue::Text(text)) if is_meant(text) => {
            Ok(CalcValue::Scalar(LiteralValue::Text(change(text))))
        }
        _ => call.usual(),
    }
}

pub(super) fn upper<'b>(call: &Call<'_, '_, 'b>) -> Evaluated<'b> {
    of_text(call, |text| !text.is_ascii(), upper_case)
}

pub(super) fn lower<'b>(call: &Call<'_, '_, 'b>) -> Evaluated<'b> {
    of_text(call, |text| !text.is_ascii(), lower_case)
}

/// Only plain spaces are taken away: those that do not break a line stay.
pub(super) fn trim<'b>(call: &Call<'_, '_, 'b>) -> Evaluated<'b> {
    of_text(
        call,
        |_| true,
        |text| {
            let words = text.split(' ').filter(|word| !word.is_empty());
            words.collect::<Vec<_>>().join(" ")
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_15_digits_in_texts() {
        for (value, text) in [
            (0.1 + 0.2, "0.3"),
            (1.0 / 3.0, "0.333333333333333"),
            (-2.5, "-2.5"),
            (0.0, "0"),
            (-0.0, "0"),
            (100.0, "100"),
            (1234.5678, "1234.5678"),
            (123_456_789_012_345_680.0, "123456789012346000"),
            (1e20, "100000000000000000000"),
            (1e21, "1E+21"),
            (1.5e-7, "0.00000015"),
            (1.0 / 3e10, "3.33333333333333E-11"),
            (-1.25e300, "-1.25E+300"),
            (2.0_f64.sqrt() * 1e6, "1414213.5623731"),
        ] {
            assert_eq!(number(value), text, "{value}");
        }
    }

    #[test]
    fn letters_that_would_become_several_stay() {
        assert_eq!(upper_case("straße ärger éλд"), "STRAßE ÄRGER ÉΛД");
        assert_eq!(lower_case("ÄÉΛД"), "äéλд");
    }
}
