//! What formulas compare and make texts of, under functions of ours: comparisons look at 15 digits and at letters without
//! their case, and texts are made of 15 digits.

use super::functions::{COMPARED, TEXTED, plain};
use crate::formula::{bracketed, is_word, quoted};

/// How deep calls in formulas are followed.
const DEEPEST: usize = 200;

/// Functions that make a text of their arguments, and of which.
const MAKE_TEXT: [(&str, &[usize]); 19] = [
    ("LEN", &[0]),
    ("LEFT", &[0]),
    ("RIGHT", &[0]),
    ("MID", &[0]),
    ("UPPER", &[0]),
    ("LOWER", &[0]),
    ("PROPER", &[0]),
    ("TRIM", &[0]),
    ("REPT", &[0]),
    ("CODE", &[0]),
    ("EXACT", &[0, 1]),
    ("FIND", &[0, 1]),
    ("SEARCH", &[0, 1]),
    ("REPLACE", &[0, 3]),
    ("SUBSTITUTE", &[0, 1, 2]),
    ("TEXTBEFORE", &[0, 1]),
    ("TEXTAFTER", &[0, 1]),
    ("CONCAT", &[]),
    ("CONCATENATE", &[]),
];

/// Whether a function makes a text of an argument.
fn makes_text(name: &str, at: usize) -> bool {
    let name = plain(name);
    if name.eq_ignore_ascii_case("TEXTJOIN") {
        return at != 1;
    }
    let mut all = MAKE_TEXT.iter();
    all.find(|(known, _)| known.eq_ignore_ascii_case(name))
        .is_some_and(|(_, places)| places.is_empty() || places.contains(&at))
}

/// The formula with what it compares and joins under our functions, if it does so.
pub(super) fn operands(formula: &str) -> Option<String> {
    if !formula.contains(['=', '<', '>', '&', '(']) {
        return None;
    }
    let mut rest = formula;
    let mut out = String::with_capacity(formula.len() * 2);
    let mut changed = false;
    while !rest.is_empty() {
        let part = Part::read(&mut rest, 0)?;
        changed |= part.changed;
        out.push_str(&part.text);
        // A comma that joins areas, or what is no formula at all.
        let end = rest.chars().next().map_or(0, char::len_utf8);
        let (separator, after) = rest.split_at_checked(end)?;
        out.push_str(separator);
        rest = after;
    }
    changed.then_some(out)
}

/// What is between two separators.
struct Part {
    text: String,
    changed: bool,
}

impl Part {
    /// Reads up to a separator or a closing bracket. Comparisons bind weakest of all, so what is between them is whole.
    fn read(rest: &mut &str, depth: usize) -> Option<Self> {
        if depth > DEEPEST {
            return None;
        }
        // Between comparisons, and in each of them what is joined by `&`.
        let mut operands = vec![vec![String::new()]];
        let mut operators: Vec<&str> = Vec::new();
        let mut changed = false;
        while let Some(c) = rest.chars().next() {
            let taken = match c {
                ')' | ',' | ';' | '}' => break,
                '"' | '\'' => quoted(rest, c),
                '[' => bracketed(rest),
                '{' => braced(rest),
                '<' | '>' | '=' => {
                    let pair = rest.get(..2).filter(|it| matches!(*it, "<=" | ">=" | "<>"));
                    let length = pair.map_or(1, str::len);
                    let (operator, after) = rest.split_at_checked(length)?;
                    operators.push(operator);
                    operands.push(vec![String::new()]);
                    *rest = after;
                    continue;
                }
                '&' => {
                    operands.last_mut()?.push(String::new());
                    *rest = rest.get(1..)?;
                    continue;
                }
                '(' => {
                    let operand = operands.last_mut()?.last_mut()?;
                    let before = operand.trim_end_matches(is_word).len();
                    let function = operand.get(before..)?.to_owned();
                    operand.push('(');
                    *rest = rest.get(1..)?;
                    for at in 0.. {
                        let part = Self::read(rest, depth + 1)?;
                        changed |= part.changed;
                        match makes_text(&function, at) && may_be_number(&part.text) {
                            true => {
                                changed = true;
                                operand.push_str(&format!("{TEXTED}({})", part.text));
                            }
                            false => operand.push_str(&part.text),
                        }
                        let end = rest.chars().next()?;
                        operand.push(end);
                        *rest = rest.get(end.len_utf8()..)?;
                        if end == ')' {
                            break;
                        }
                    }
                    continue;
                }
                c => c.len_utf8(),
            };
            let (piece, after) = rest.split_at_checked(taken)?;
            operands.last_mut()?.last_mut()?.push_str(piece);
            *rest = after;
        }
        let operands: Vec<String> = operands
            .into_iter()
            .map(|pieces| joined(pieces, &mut changed))
            .collect();
        // Something with nothing before or behind it is no comparison that is understood.
        let is_whole = operands.iter().all(|operand| !operand.trim().is_empty());
        let is_plain = operators.is_empty() || !is_whole;
        let needs_none = operators.len() == 1 && operands.iter().any(|it| is_exact(it));
        let mut text = String::new();
        for (number, operand) in operands.iter().enumerate() {
            let before = number.checked_sub(1).and_then(|at| operators.get(at));
            text.push_str(before.copied().unwrap_or_default());
            match is_plain || needs_none || is_number(operand) {
                true => text.push_str(operand),
                false => {
                    changed = true;
                    text.push_str(&format!("{COMPARED}({operand})"));
                }
            }
        }
        Some(Self { text, changed })
    }
}

/// What is joined by `&`, each piece as a text is made of it.
fn joined(pieces: Vec<String>, changed: &mut bool) -> String {
    // Something with nothing before or behind it is not understood.
    let is_whole = pieces.iter().all(|piece| !piece.trim().is_empty());
    if pieces.len() < 2 || !is_whole {
        return pieces.join("&");
    }
    // Of an area the cell of the row is taken, which a function would hide.
    let is_area = |piece: &str| piece.contains(':') && !piece.contains('(');
    let is_meant = |piece: &str| may_be_number(piece) && !is_area(piece);
    let pieces = pieces.into_iter().map(|piece| match is_meant(&piece) {
        true => {
            *changed = true;
            format!("{TEXTED}({piece})")
        }
        false => piece,
    });
    pieces.collect::<Vec<_>>().join("&")
}

/// Whether it may give a number whose text has to be made: no text, no nothing, no number of few digits.
fn may_be_number(operand: &str) -> bool {
    let operand = operand.trim();
    !operand.is_empty() && !is_text(operand) && !is_number(operand)
}

fn is_text(operand: &str) -> bool {
    operand.starts_with('"') && quoted(operand, '"') == operand.len()
}

/// Whether a comparison with this looks at no digits and no accents: with a plain text, or with nothing.
fn is_exact(operand: &str) -> bool {
    let operand = operand.trim();
    let is_text = is_text(operand) && operand.is_ascii();
    let is_bool = ["TRUE", "FALSE", "TRUE()", "FALSE()"]
        .iter()
        .any(|it| it.eq_ignore_ascii_case(operand));
    is_text || is_bool || operand == "0"
}

/// Whether it is a number of so few digits that none is cut.
fn is_number(operand: &str) -> bool {
    let operand = operand.trim();
    let is_digit = |byte: u8| byte.is_ascii_digit() || byte == b'.';
    !operand.is_empty() && operand.len() < 15 && operand.bytes().all(is_digit)
}

/// The length of a constant array.
pub(super) fn braced(text: &str) -> usize {
    let mut at = 0;
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        at += match c {
            '"' => quoted(text.get(at..).unwrap_or_default(), '"'),
            c => c.len_utf8(),
        };
        if c == '}' {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_compared_and_joined_is_marked() {
        let changed = |formula: &str| operands(formula).unwrap_or_else(|| formula.to_owned());
        let (c, t) = (COMPARED, TEXTED);
        assert_eq!(changed("A1&\"x\"&B1+1"), format!("{t}(A1)&\"x\"&{t}(B1+1)"));
        assert_eq!(changed("LEFT(A1,2)"), format!("LEFT({t}(A1),2)"));
        assert_eq!(
            changed("_xlfn.TEXTJOIN(\",\",TRUE,A1:A3,,B1)"),
            format!("_xlfn.TEXTJOIN(\",\",TRUE,{t}(A1:A3),,{t}(B1))")
        );
        assert_eq!(
            changed("A1&B1=\"É\""),
            format!("{c}({t}(A1)&{t}(B1))={c}(\"É\")")
        );
        assert_eq!(changed("SUM(A1:B2)"), "SUM(A1:B2)");
        assert_eq!(changed("0.1+0.2=0.3"), format!("{c}(0.1+0.2)=0.3"));
        assert_eq!(changed("A1=\"x\""), "A1=\"x\"");
        assert_eq!(changed("A1>0"), "A1>0");
        assert_eq!(
            changed("IF(A1+B1>=C1,\"a=b\",'x=y'!A1<>T[a=b])"),
            format!("IF({c}(A1+B1)>={c}(C1),\"a=b\",{c}('x=y'!A1)<>{c}(T[a=b]))")
        );
        assert_eq!(
            changed("SUMPRODUCT((A1:A3={1,2;\"=\",4})*1)"),
            format!("SUMPRODUCT(({c}(A1:A3)={c}({{1,2;\"=\",4}}))*1)")
        );
        assert_eq!(changed("COUNTIF(A:A,\">=3\")"), "COUNTIF(A:A,\">=3\")");
    }

    #[test]
    fn formulas_that_are_none_stay_as_they_are() {
        for formula in [
            "=", "A1=", "(", "(A1=B1", ")=", "<>", "IF(=)", "'=", "\"=", "{=", "[=", "&", "A1&",
            "&&", "LEN(",
        ] {
            let text = operands(formula);
            assert!(text.is_none_or(|text| text.contains(COMPARED)), "{formula}");
        }
        assert_eq!(operands(&"(".repeat(10_000)), None);
    }
}
