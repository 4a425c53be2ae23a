//! Questions that are marked, to be accepted together.

use std::collections::BTreeSet;

use superstep_mail::{AnswerKind, Mode};

use super::question::{Question, QuestionKey};

/// The marked questions, and those of which all was shown.
#[derive(Default)]
pub(super) struct Marked {
    keys: BTreeSet<QuestionKey>,
    seen: BTreeSet<QuestionKey>,
}

impl Marked {
    /// Notes that all of a question was on the screen.
    pub(super) fn saw(&mut self, question: &Question) {
        self.seen.insert(question.key());
    }

    pub(super) fn has(&self, question: &Question) -> bool {
        self.keys.contains(&question.key())
    }

    /// Marks a question, or takes its mark away. One that cannot be accepted is not marked.
    pub(super) fn toggle(&mut self, question: &Question) -> bool {
        if self.keys.remove(&question.key()) {
            return true;
        }
        question.allows(AnswerKind::Accept) && self.keys.insert(question.key())
    }

    /// Marks all that can be accepted; if they are, takes all marks away.
    pub(super) fn toggle_all(&mut self, questions: &[Question]) {
        let can = questions.iter().filter(|it| it.allows(AnswerKind::Accept));
        let all: BTreeSet<QuestionKey> = can.map(Question::key).collect();
        self.keys = match all.is_subset(&self.keys) {
            true => BTreeSet::new(),
            false => all,
        };
    }

    pub(super) fn clear(&mut self) {
        self.keys.clear();
    }

    /// The marked ones among these.
    pub(super) fn of(&self, questions: &[Question]) -> Vec<Question> {
        let marked = questions.iter().filter(|it| self.has(it));
        marked.cloned().collect()
    }

    /// What is asked before they are accepted.
    pub(super) fn question(&self, marked: &[Question], mode: Mode) -> String {
        let unseen = marked.iter().filter(|it| !self.seen.contains(&it.key()));
        let (all, unseen) = (marked.len(), unseen.count());
        let leaving = marked.iter().filter(|it| it.is_effect()).count();
        let mut text = match all {
            1 => "accept 1 question".to_owned(),
            all => format!("accept {all} questions"),
        };
        if mode == Mode::Send && leaving > 0 {
            text.push_str(&format!(", {leaving} of them sent or scheduled for real"));
        }
        if unseen > 0 {
            text.push_str(&format!(", {unseen} of which were not shown in full"));
        }
        text + "? "
    }
}
