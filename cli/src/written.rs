//! Answers that were written down before: a file with one answer per line.

use std::{collections::VecDeque, path::Path};

use crate::{error::Error, files};

/// The answers of a file that are left.
pub(crate) struct WrittenAnswers(VecDeque<String>);

impl WrittenAnswers {
    pub(crate) fn read(file: &Path) -> Result<Self, Error> {
        Ok(Self(lines(&files::text(file)?)))
    }

    /// One answer.
    pub(crate) fn one(text: String) -> Self {
        Self(VecDeque::from([text]))
    }

    /// The next one.
    pub(crate) fn next(&mut self) -> Option<String> {
        self.0.pop_front()
    }
}

/// The answers of a file: one per line; a backslash at the end continues a line; empty lines and lines that
/// begin with `#` are skipped.
fn lines(text: &str) -> VecDeque<String> {
    let text = text.trim_start_matches('\u{feff}');
    let mut answers = VecDeque::new();
    let mut open = String::new();
    for line in text.lines() {
        if open.is_empty() && (line.trim().is_empty() || line.starts_with('#')) {
            continue;
        }
        match line.strip_suffix('\\') {
            Some(part) => {
                open.push_str(part);
                open.push('\n');
            }
            None => {
                open.push_str(line);
                answers.push_back(std::mem::take(&mut open));
            }
        }
    }
    if !open.is_empty() {
        answers.push_back(open);
    }
    answers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_an_answer_a_line() {
        let read = lines("\u{feff}# what I say\none\n\n two \\\nand more\n/approve");
        assert_eq!(read, ["one", " two \nand more", "/approve"]);
    }
}
