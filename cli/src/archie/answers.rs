//! Source of answers: a file, automatic approval, or the terminal.

use std::collections::VecDeque;

use superstep_archie::Question;

use crate::{
    args::TalkOptions,
    error::Error,
    files,
    output::Output,
    terminal::{Line, Terminal, Topic},
};

/// Where the next answer comes from.
pub(super) struct Answers {
    /// Answers that were written down before; nobody is asked then.
    written: Option<VecDeque<String>>,
    approve_after: Option<usize>,
}

impl Answers {
    /// Only the person.
    pub(super) fn none() -> Self {
        Self {
            written: None,
            approve_after: None,
        }
    }

    pub(super) fn of(talk: &TalkOptions) -> Result<Self, Error> {
        let text = talk.answers.as_deref().map(files::text).transpose()?;
        Ok(Self {
            written: text.map(|text| lines(&text)),
            approve_after: talk.approve_after.map(|count| count as usize),
        })
    }

    /// Whether a person is asked.
    pub(super) fn asks(&self) -> bool {
        self.written.is_none() && self.approve_after.is_none()
    }

    /// The answer to a question.
    pub(super) async fn next(
        &mut self,
        question: &Question,
        output: &Output,
        terminal: &mut Terminal,
    ) -> Result<Line, Error> {
        if let Some(words) = self.written.as_mut().and_then(VecDeque::pop_front) {
            return Ok(Line::Text(words));
        }
        if self
            .approve_after
            .is_some_and(|count| question.turn >= count)
        {
            return Ok(Line::Text("/approve".into()));
        }
        if self.written.is_some() {
            return Ok(Line::End);
        }
        terminal.read_line(Topic::Message, "you> ", output).await
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
