//! Aligns two texts line by line.

/// One line of two texts laid over each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// In both.
    Both(&'a str),
    /// Only in the expected text.
    Expected(&'a str),
    /// Only in the actual text.
    Actual(&'a str),
}

/// Beyond this many comparisons everything between the common ends counts as different.
const MOST_WORK: usize = 1_000_000;

/// Lays the texts over each other so that as many lines as possible coincide.
pub(super) fn align<'a>(expected: &'a [String], actual: &'a [String]) -> Vec<Line<'a>> {
    let pairs = expected.iter().zip(actual);
    let start = pairs.take_while(|(a, b)| a == b).count();
    let (head, expected) = expected.split_at(start);
    let (_, actual) = actual.split_at(start);
    let pairs = expected.iter().rev().zip(actual.iter().rev());
    let end = pairs.take_while(|(a, b)| a == b).count();
    let (expected, tail) = expected.split_at(expected.len() - end);
    let (actual, _) = actual.split_at(actual.len() - end);

    let mut lines: Vec<Line<'a>> = head.iter().map(|line| Line::Both(line)).collect();
    middle(expected, actual, &mut lines);
    lines.extend(tail.iter().map(|line| Line::Both(line)));
    lines
}

fn middle<'a>(mut expected: &'a [String], mut actual: &'a [String], lines: &mut Vec<Line<'a>>) {
    let common = match expected.len() * actual.len() <= MOST_WORK {
        true => common_lengths(expected, actual),
        false => Vec::new(),
    };
    let length = |expected: &[String], actual: &[String]| {
        let row: Option<&Vec<u32>> = common.get(expected.len());
        row.and_then(|row| row.get(actual.len()))
            .copied()
            .unwrap_or(0)
    };
    loop {
        match (expected.split_first(), actual.split_first()) {
            (None, None) => return,
            (Some((a, after)), Some((b, behind))) if a == b => {
                lines.push(Line::Both(a));
                (expected, actual) = (after, behind);
            }
            (Some((a, after)), Some((_, behind)))
                if length(after, actual) >= length(expected, behind) =>
            {
                lines.push(Line::Expected(a));
                expected = after;
            }
            (Some((a, after)), None) => {
                lines.push(Line::Expected(a));
                expected = after;
            }
            (_, Some((b, behind))) => {
                lines.push(Line::Actual(b));
                actual = behind;
            }
        }
    }
}

/// For every pair of tails, given by their lengths, how many lines they have in common.
fn common_lengths(expected: &[String], actual: &[String]) -> Vec<Vec<u32>> {
    let mut rows = vec![vec![0; actual.len() + 1]];
    let mut last = vec![0; actual.len() + 1];
    for a in expected.iter().rev() {
        let mut row = vec![0];
        let (mut diagonal, mut left) = (0, 0);
        for (b, above) in actual.iter().rev().zip(last.iter().skip(1)) {
            let here = match a == b {
                true => diagonal + 1,
                false => left.max(*above),
            };
            row.push(here);
            (diagonal, left) = (*above, here);
        }
        rows.push(row.clone());
        last = row;
    }
    rows
}
