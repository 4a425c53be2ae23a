//! Functions of texts as Excel counts: a letter outside of the first 65,536 (an emoji) is two. They differ from the usual
//! ones only for texts with such letters.

use formualizer_common::{ExcelError, ExcelErrorKind, LiteralValue};
use formualizer_eval::traits::CalcValue;

use super::{
    call::{Call, Evaluated},
    texts::lower_case,
};
use crate::formula::{Word, words};

/// What is said of a text that would end within a letter: no file can hold it.
pub(super) const HALF: &str = "it cuts a letter of two units in half";

/// Whether a formula can cut a text within a letter.
pub(super) fn cuts(formula: &str) -> bool {
    let mut cuts = false;
    words(formula, |word| {
        if let Word::Function(name) = word {
            let all = ["LEFT", "RIGHT", "MID", "REPLACE"];
            cuts |= all.iter().any(|known| known.eq_ignore_ascii_case(name));
        }
    });
    cuts
}

/// Whether a text has letters of two units.
pub(super) fn is_wide(text: &str) -> bool {
    // They are the ones of four bytes.
    text.bytes().any(|byte| byte >= 0xF0)
}

impl Call<'_, '_, '_> {
    /// The text of an argument, if it is one.
    fn text(&self, at: usize) -> Result<Option<String>, ExcelError> {
        let Some(argument) = self.args.get(at) else {
            return Ok(None);
        };
        Ok(match argument.value()?.as_scalar() {
            Some(LiteralValue::Text(text)) => Some(text.clone()),
            _ => None,
        })
    }

    /// Texts, if all are and one of them has letters of two units: only then there is something to be done.
    fn wide<const N: usize>(&self, at: [usize; N]) -> Result<Option<[String; N]>, ExcelError> {
        self.texts(at, is_wide)
    }

    /// Texts, if all are and one of them is meant.
    fn texts<const N: usize>(
        &self,
        at: [usize; N],
        is_meant: fn(&str) -> bool,
    ) -> Result<Option<[String; N]>, ExcelError> {
        let mut texts: [String; N] = std::array::from_fn(|_| String::new());
        for (text, at) in texts.iter_mut().zip(at) {
            match self.text(at)? {
                Some(found) => *text = found,
                None => return Ok(None),
            }
        }
        Ok(texts.iter().any(|text| is_meant(text)).then_some(texts))
    }

    /// A whole number that is not below the least; none leaves it to the usual function to say what is wrong.
    fn number(&self, at: usize, absent: usize, least: usize) -> Result<Option<usize>, ExcelError> {
        let Some(argument) = self.args.get(at) else {
            return Ok(Some(absent));
        };
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "what is not a number of letters is refused"
        )]
        let number = match argument.value()?.as_scalar() {
            Some(LiteralValue::Int(number)) => usize::try_from(*number).ok(),
            Some(LiteralValue::Number(number)) if *number >= 0.0 => Some(*number as usize),
            _ => None,
        };
        Ok(number.filter(|number| *number >= least))
    }
}

fn units(text: &str) -> Vec<u16> {
    text.encode_utf16().collect()
}

fn text<'b>(units: &[u16]) -> Evaluated<'b> {
    match String::from_utf16(units) {
        Ok(text) => Ok(CalcValue::Scalar(LiteralValue::Text(text))),
        // No value of a cell: the formula is left out, and named.
        Err(_) => Err(ExcelError::new(ExcelErrorKind::NImpl)),
    }
}

fn place<'b>(found: Option<usize>) -> Evaluated<'b> {
    match found.and_then(|at| i64::try_from(at + 1).ok()) {
        Some(at) => Ok(CalcValue::Scalar(LiteralValue::Int(at))),
        None => Err(ExcelError::new_value()),
    }
}

pub(super) fn len<'b>(call: &Call<'_, '_, 'b>) -> Evaluated<'b> {
    match call.wide([0])? {
        Some([text]) => {
            let count = i64::try_from(units(&text).len()).unwrap_or(i64::MAX);
            Ok(CalcValue::Scalar(LiteralValue::Int(count)))
        }
        None => call.usual(),
    }
}

pub(super) fn left<'b>(call: &Call<'_, '_, 'b>) -> Evaluated<'b> {
    match (call.wide([0])?, call.number(1, 1, 0)?) {
        (Some([whole]), Some(count)) => {
            let whole = units(&whole);
            text(whole.get(..count.min(whole.len())).unwrap_or_default())
        }
        _ => call.usual(),
    }
}

pub(super) fn right<'b>(call: &Call<'_, '_, 'b>) -> Evaluated<'b> {
    match (call.wide([0])?, call.number(1, 1, 0)?) {
        (Some([whole]), Some(count)) => {
            let whole = units(&whole);
            let first = whole.len().saturating_sub(count);
            text(whole.get(first..).unwrap_or_default())
        }
        _ => call.usual(),
    }
}

pub(super) fn mid<'b>(call: &Call<'_, '_, 'b>) -> Evaluated<'b> {
    let numbers = (call.number(1, 1, 1)?, call.number(2, 0, 0)?);
    match (call.wide([0])?, numbers) {
        (Some([whole]), (Some(first), Some(count))) => {
            let whole = units(&whole);
            let first = (first - 1).min(whole.len());
            let end = first.saturating_add(count).min(whole.len());
            text(whole.get(first..end).unwrap_or_default())
        }
        _ => call.usual(),
    }
}

pub(super) fn replace<'b>(call: &Call<'_, '_, 'b>) -> Evaluated<'b> {
    let numbers = (call.number(1, 1, 1)?, call.number(2, 0, 0)?);
    match (call.wide([0, 3])?, numbers) {
        (Some([whole, new]), (Some(first), Some(count))) => {
            let whole = units(&whole);
            let first = (first - 1).min(whole.len());
            let end = first.saturating_add(count).min(whole.len());
            let mut made = whole.get(..first).unwrap_or_default().to_vec();
            made.extend(new.encode_utf16());
            made.extend(whole.get(end..).unwrap_or_default());
            text(&made)
        }
        _ => call.usual(),
    }
}

pub(super) fn find<'b>(call: &Call<'_, '_, 'b>) -> Evaluated<'b> {
    match (call.wide([0, 1])?, call.number(2, 1, 1)?) {
        (Some([wanted, whole]), Some(first)) => {
            let (wanted, whole) = (units(&wanted), units(&whole));
            let rest = whole.get(first - 1..).unwrap_or_default();
            let found = match wanted.is_empty() {
                true => Some(0),
                false => rest.windows(wanted.len()).position(|it| it == wanted),
            };
            place(found.map(|at| at + first - 1))
        }
        _ => call.usual(),
    }
}

/// The usual function knows the cases of letters without accents alone.
pub(super) fn search<'b>(call: &Call<'_, '_, 'b>) -> Evaluated<'b> {
    let texts = call.texts([0, 1], |text| !text.is_ascii())?;
    match (texts, call.number(2, 1, 1)?) {
        (Some([wanted, whole]), Some(first)) => {
            let whole = units(&lower_case(&whole));
            let wanted = pieces(&lower_case(&wanted));
            let mut places = first - 1..=whole.len();
            place(places.find(|at| begins(whole.get(*at..).unwrap_or_default(), &wanted)))
        }
        _ => call.usual(),
    }
}

/// A pattern: what is between two `*`, where nothing is any unit.
type Pattern = Vec<Vec<Option<u16>>>;

/// Reads a pattern: `*` is anything, `?` one unit, and `~` takes that from the next one.
fn pieces(pattern: &str) -> Pattern {
    let mut pieces: Pattern = vec![Vec::new()];
    let mut letters = pattern.chars().peekable();
    while let Some(letter) = letters.next() {
        let literal = match letter {
            '*' => {
                pieces.push(Vec::new());
                continue;
            }
            '?' => None,
            '~' => Some(
                letters
                    .next_if(|next| matches!(next, '*' | '?' | '~'))
                    .unwrap_or('~'),
            ),
            letter => Some(letter),
        };
        let Some(piece) = pieces.last_mut() else {
            continue;
        };
        match literal {
            None => piece.push(None),
            Some(letter) => {
                piece.extend(letter.encode_utf16(&mut [0; 2]).iter().copied().map(Some))
            }
        }
    }
    pieces
}

/// Whether a text begins with a pattern. What is between two `*` is looked for from where the last piece ended: nothing is
/// tried twice.
fn begins(text: &[u16], pattern: &Pattern) -> bool {
    let fits = |at: usize, piece: &[Option<u16>]| {
        let here = text.get(at..).and_then(|rest| rest.get(..piece.len()));
        here.is_some_and(|here| {
            let mut pairs = here.iter().zip(piece);
            pairs.all(|(unit, wanted)| wanted.is_none_or(|wanted| wanted == *unit))
        })
    };
    let mut at = 0;
    for (number, piece) in pattern.iter().enumerate() {
        let found = match number {
            0 => fits(0, piece).then_some(0),
            _ => (at..=text.len()).find(|at| fits(*at, piece)),
        };
        match found {
            Some(found) => at = found + piece.len(),
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_found_at_the_beginning() {
        let is = |text: &str, pattern: &str| begins(&units(text), &pieces(pattern));
        assert!(is("abc", "") && is("abc", "a?c") && is("abc", "*c") && is("a*c", "a~*"));
        assert!(!is("abc", "b") && !is("abc", "a~*") && !is("", "?") && !is("abc", "a*d"));
        assert!(!is(
            &"a".repeat(1_000),
            &"a*".repeat(500).replace("a*a*", "a*b*")
        ));
    }
}
