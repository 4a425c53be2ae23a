//! Report of a [`Mismatch`]: which operation, where in its answer, and a diff.
//!
//! Lines marked `-` were expected, lines marked `+` came; below the first pair of them carets
//! show where they part. Layout of JSON is in `layout`, the alignment of lines in `diff`.

mod diff;
mod layout;

use serde_json::{Map, Value as Json};

use self::diff::Line;
use crate::case::Case;
use crate::compare::Mismatch;

const MOST_LINES: usize = 40;
const CONTEXT: usize = 4;
const WIDTH: usize = 120;
const ELLIPSIS: &str = "    ...";

/// Renders a mismatch as a few dozen lines at most.
pub fn render(case: &Case, mismatch: &Mismatch) -> String {
    let mut out = vec![headline(case, mismatch)];
    let path = match mismatch.path.as_str() {
        "" => "the answer",
        path => path,
    };
    out.push(cut(&format!("  at {path}: {}", mismatch.why), 0));
    let expected = layout::lines(&mismatch.expected);
    let actual = layout::lines(&mismatch.actual);
    let lines = diff::align(&expected, &actual);
    draw(&lines, &mut out);
    out.push(String::new());
    out.join("\n")
}

fn headline(case: &Case, mismatch: &Mismatch) -> String {
    let Some(op) = case.script.get(mismatch.op) else {
        return format!("{}: after the last operation", case.name);
    };
    let quirk = match op.quirk {
        Some(_) => " (a quirk)",
        None => "",
    };
    let line = format!(
        "{}: operation {}{quirk}: {}",
        case.name,
        mismatch.op,
        one_line(&op.source)
    );
    cut(&line, 0)
}

/// The operation as `invoke thread="2" input={"x":1}`.
fn one_line(source: &Map<String, Json>) -> String {
    let mut line = source
        .get("op")
        .and_then(Json::as_str)
        .unwrap_or("?")
        .to_owned();
    for (key, value) in source {
        if key != "op" && key != "quirk" {
            line += &format!(" {key}={value}");
        }
    }
    line
}

/// Draws the differing lines with some that agree around them.
fn draw(lines: &[Line<'_>], out: &mut Vec<String>) {
    let differs = |line: &Line<'_>| !matches!(line, Line::Both(_));
    let first = lines.iter().position(differs).unwrap_or(0);
    let last = lines.iter().rposition(differs).unwrap_or(0);
    let from = first.saturating_sub(CONTEXT);
    let to = (last + CONTEXT + 1).min(from + MOST_LINES).min(lines.len());

    let carets = carets(lines, first);
    if from > 0 {
        out.push(ELLIPSIS.to_owned());
    }
    for (index, line) in lines.iter().enumerate().take(to).skip(from) {
        let (mark, text) = match line {
            Line::Both(text) => (' ', text),
            Line::Expected(text) => ('-', text),
            Line::Actual(text) => ('+', text),
        };
        let caret = carets.filter(|carets| carets.lines.contains(&index));
        let column = caret.map_or(0, |carets| carets.column);
        out.push(format!("  {mark} {}", cut(text, column)));
        if caret.is_some() {
            let space = " ".repeat(column - skipped(text, column));
            out.push(format!("    {space}^"));
        }
    }
    if to < lines.len() {
        out.push(ELLIPSIS.to_owned());
    }
}

/// The two lines to mark, and the column at which they part.
#[derive(Clone, Copy)]
struct Carets {
    lines: [usize; 2],
    column: usize,
}

/// Marks the first expected line that differs and the actual one in its place, if there is one.
fn carets(lines: &[Line<'_>], first: usize) -> Option<Carets> {
    let Line::Expected(expected) = lines.get(first)? else {
        return None;
    };
    let missing = |(_, line): &(usize, &Line<'_>)| matches!(line, Line::Expected(_));
    let mut after = lines.iter().enumerate().skip(first).skip_while(missing);
    let (second, Line::Actual(actual)) = after.next()? else {
        return None;
    };
    let pairs = expected.chars().zip(actual.chars());
    Some(Carets {
        lines: [first, second],
        column: pairs.take_while(|(a, b)| a == b).count(),
    })
}

/// How many characters are left out on the left so that the column can be seen.
fn skipped(text: &str, column: usize) -> usize {
    match text.chars().count() > WIDTH && column > WIDTH / 2 {
        true => column - WIDTH / 2,
        false => 0,
    }
}

/// At most a line's width of the text, with the column in it.
fn cut(text: &str, column: usize) -> String {
    let skip = skipped(text, column);
    let mut cut: String = text.chars().skip(skip).take(WIDTH).collect();
    if text.chars().count() > skip + WIDTH {
        cut.push('…');
    }
    cut
}

#[cfg(test)]
mod tests;
