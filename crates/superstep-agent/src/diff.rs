//! Texts compared by lines.

use serde::Serialize;
use superstep::text::{reveal, single_line};

use crate::span::{Span, bad, faint, good, plain};

/// The most pairs of lines that are compared. Longer texts differ as a whole between their equal ends.
const MOST_PAIRS: usize = 5_000_000;

/// A text before and after it was changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diff {
    /// What was changed, such as the name of a file or a field.
    pub title: String,
    /// The places that differ; none if nothing does.
    pub hunks: Vec<Hunk>,
}

/// A place where two texts differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hunk {
    /// The number of its first line in the old text, from 1.
    pub old_line: usize,
    /// The same in the new text.
    pub new_line: usize,
    /// The lines that were there.
    pub old: Vec<String>,
    /// The lines in their place.
    pub new: Vec<String>,
}

/// One part of a comparison, such as a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// In both.
    Kept(String),
    /// Only in the newer one.
    Added(String),
    /// Only in the older one.
    Removed(String),
}

impl Diff {
    /// The differences between two texts.
    pub fn between(title: impl Into<String>, old: &str, new: &str) -> Self {
        let mut hunks: Vec<Hunk> = Vec::new();
        let (mut old_line, mut new_line, mut is_open) = (1, 1, false);
        for change in Change::between(old, new) {
            if let Change::Kept(_) = change {
                (old_line, new_line, is_open) = (old_line + 1, new_line + 1, false);
                continue;
            }
            if !std::mem::replace(&mut is_open, true) {
                hunks.push(Hunk {
                    old_line,
                    new_line,
                    old: Vec::new(),
                    new: Vec::new(),
                });
            }
            let Some(hunk) = hunks.last_mut() else {
                continue;
            };
            match change {
                Change::Removed(line) => {
                    hunk.old.push(line);
                    old_line += 1;
                }
                Change::Added(line) | Change::Kept(line) => {
                    hunk.new.push(line);
                    new_line += 1;
                }
            }
        }
        Self {
            title: title.into(),
            hunks,
        }
    }

    /// The title and the lines that differ, hidden characters revealed. No line of a text can be taken for another part.
    pub fn lines(&self) -> Vec<Vec<Span>> {
        let title = vec![faint(format!("{}:", single_line(&reveal(&self.title))))];
        let shown = |sign: Span, text: &str| vec![sign, plain(reveal(text).replace('\t', "    "))];
        let hunks = self.hunks.iter().flat_map(|hunk| {
            let old = hunk.old.iter().map(|line| shown(bad("  - "), line));
            old.chain(hunk.new.iter().map(|line| shown(good("  + "), line)))
        });
        [title].into_iter().chain(hunks).collect()
    }
}

impl Change {
    /// The lines of two texts, compared.
    pub fn between(old: &str, new: &str) -> Vec<Self> {
        let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
        Self::of_parts(&old, &new)
    }

    /// Two lists of lines or words, compared: as much as can be is kept.
    pub fn of_parts(old: &[&str], new: &[&str]) -> Vec<Self> {
        let pairs = old.iter().zip(new);
        let head = pairs.take_while(|(one, other)| one == other).count();
        let (same, old) = old.split_at(head);
        let new = new.get(head..).unwrap_or_default();
        let pairs = old.iter().rev().zip(new.iter().rev());
        let tail = pairs.take_while(|(one, other)| one == other).count();
        let (old, end) = old.split_at(old.len() - tail);
        let new = new.get(..new.len() - tail).unwrap_or_default();
        let kept = |part: &&str| Self::Kept((*part).to_owned());
        let mut changes: Vec<Self> = same.iter().map(kept).collect();
        changes.extend(differences(old, new));
        changes.extend(end.iter().map(kept));
        changes
    }
}

/// What changed between two lists without a common beginning and end, by their longest common subsequence.
fn differences(old: &[&str], new: &[&str]) -> Vec<Change> {
    let removed = |part: &&str| Change::Removed((*part).to_owned());
    let added = |part: &&str| Change::Added((*part).to_owned());
    let width = new.len() + 1;
    if (old.len() + 1).saturating_mul(width) > MOST_PAIRS {
        let gone = old.iter().map(removed);
        return gone.chain(new.iter().map(added)).collect();
    }
    let mut lengths = vec![0_u32; (old.len() + 1) * width];
    let get = |lengths: &[u32], row: usize, column: usize| {
        lengths
            .get(row * width + column)
            .copied()
            .unwrap_or_default()
    };
    for (row, one) in old.iter().enumerate().rev() {
        for (column, other) in new.iter().enumerate().rev() {
            let length = match one == other {
                true => get(&lengths, row + 1, column + 1) + 1,
                false => get(&lengths, row + 1, column).max(get(&lengths, row, column + 1)),
            };
            if let Some(cell) = lengths.get_mut(row * width + column) {
                *cell = length;
            }
        }
    }
    let (mut row, mut column) = (0, 0);
    let mut changes = Vec::new();
    loop {
        match (old.get(row), new.get(column)) {
            (None, None) => return changes,
            (Some(one), Some(other)) if one == other => {
                changes.push(Change::Kept((*one).to_owned()));
                (row, column) = (row + 1, column + 1);
            }
            (Some(one), other)
                if other.is_none()
                    || get(&lengths, row + 1, column) >= get(&lengths, row, column + 1) =>
            {
                changes.push(removed(one));
                row += 1;
            }
            (_, Some(other)) => {
                changes.push(added(other));
                column += 1;
            }
            (Some(_), None) => return changes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_both_texts_are_kept() {
        let changes = Change::between("a\nb\nc", "a\nx\nc\nd");
        let kept = |text: &str| Change::Kept(text.into());
        let expected = [
            kept("a"),
            Change::Removed("b".into()),
            Change::Added("x".into()),
            kept("c"),
            Change::Added("d".into()),
        ];
        assert_eq!(changes, expected);
    }

    #[test]
    fn a_hunk_has_its_place_in_both_texts() {
        let diff = Diff::between("note", "a\nb\nc\nd\ne", "x\na\nb\nd\nE\nf");
        let texts = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
        let hunk = |old_line, new_line, old: &[&str], new: &[&str]| Hunk {
            old_line,
            new_line,
            old: texts(old),
            new: texts(new),
        };
        let expected = [
            hunk(1, 1, &[], &["x"]),
            hunk(3, 4, &["c"], &[]),
            hunk(5, 5, &["e"], &["E", "f"]),
        ];
        assert_eq!(diff.hunks, expected);
        assert_eq!(Diff::between("same", "a\n", "a\n").hunks, []);
    }

    #[test]
    fn texts_that_are_too_long_to_compare_are_replaced_between_their_equal_ends() {
        let numbers = |from: usize| (from..from + 3_000).map(|it| it.to_string());
        let text = |from| {
            ["first".to_owned()]
                .into_iter()
                .chain(numbers(from))
                .collect::<Vec<_>>()
        };
        let (old, new) = (text(0).join("\n"), text(1_500).join("\n"));
        let hunks = Diff::between("long", &old, &new).hunks;
        let sizes: Vec<_> = hunks
            .iter()
            .map(|it| (it.old_line, it.old.len(), it.new.len()))
            .collect();
        assert_eq!(sizes, [(2, 3_000, 3_000)]);
    }
}
