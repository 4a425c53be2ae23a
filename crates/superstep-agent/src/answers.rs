//! Sources of answers: lines that were written down before, an answer of an inbox, or a person.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use superstep::sync::lock;

use crate::inbox::InboxAnswer;

/// Answers that a conversation uses before it asks a person. Clones take from the same lines: conversations that
/// follow each other share them.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    written: Option<Arc<Mutex<VecDeque<Written>>>>,
    is_automatic: bool,
}

/// An answer that was given before its conversation.
#[derive(Clone, Debug)]
pub(crate) enum Written {
    /// A line, as a person types it.
    Line(String),
    /// An answer of an inbox: what it means does not depend on its words.
    Inbox(InboxAnswer),
}

impl Answers {
    /// Only a person answers.
    pub fn person() -> Self {
        Self::default()
    }

    /// Only these, in their order. No person is asked.
    pub fn written(answers: impl IntoIterator<Item = String>) -> Self {
        Self::given(answers.into_iter().map(Written::Line))
    }

    /// Only this answer of an inbox. No person is asked.
    pub fn inbox(answer: InboxAnswer) -> Self {
        Self::given([Written::Inbox(answer)])
    }

    fn given(answers: impl IntoIterator<Item = Written>) -> Self {
        Self {
            written: Some(Arc::new(Mutex::new(answers.into_iter().collect()))),
            is_automatic: false,
        }
    }

    /// Marks answers as automatic: a failed run ends without a retry prompt.
    #[must_use]
    pub fn automatic(mut self, is_automatic: bool) -> Self {
        self.is_automatic = is_automatic;
        self
    }

    /// Whether only a person answers.
    pub(crate) fn are_a_persons(&self) -> bool {
        self.written.is_none() && !self.is_automatic
    }

    /// Whether they were written down.
    pub(crate) fn are_written(&self) -> bool {
        self.written.is_some()
    }

    pub(crate) fn next(&self) -> Option<Written> {
        lock(self.written.as_ref()?).pop_front()
    }
}

/// The answers of a file: one per line. A backslash at the end continues a line; empty lines and lines that begin
/// with `#` are skipped.
pub fn written_answers(text: &str) -> Vec<String> {
    let text = text.trim_start_matches('\u{feff}');
    let mut answers = Vec::new();
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
                answers.push(std::mem::take(&mut open));
            }
        }
    }
    if !open.is_empty() {
        answers.push(open);
    }
    answers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversations_that_follow_each_other_share_the_answers() {
        let answers = Answers::written(["one".to_owned(), "two".to_owned()]);
        let next = |answers: &Answers| match answers.next() {
            Some(Written::Line(line)) => Some(line),
            _ => None,
        };
        assert_eq!(next(&answers.clone()).as_deref(), Some("one"));
        assert_eq!(next(&answers).as_deref(), Some("two"));
        assert_eq!(next(&answers.clone()), None);
    }

    #[test]
    fn a_file_has_an_answer_a_line() {
        let read = written_answers("\u{feff}# what I say\none\n\n two \\\nand more\n/approve");
        assert_eq!(read, ["one", " two \nand more", "/approve"]);
    }
}
