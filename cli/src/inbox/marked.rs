//! Questions that are marked, to be accepted together.

use std::collections::BTreeSet;

use superstep_mail::{
    AnswerKind, Mode,
    inbox::{Question, QuestionKey},
    tools::{self, EffectKind},
};

use crate::output::count;

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

    /// What is asked before these are accepted together: who gets what.
    pub(super) fn question(&self, batch: &[Question], mode: Mode) -> String {
        let unseen = batch.iter().filter(|it| !self.seen.contains(&it.key()));
        let unseen = unseen.count();
        let people = |is_of: fn(&str) -> bool| {
            let action = |it: &&Question| is_of(&it.item.action_request.action);
            let found = batch.iter().filter(action);
            found.map(Question::recipients).collect::<Vec<_>>()
        };
        let replies = people(|action| action.starts_with(tools::SEND));
        let mails = people(|action| {
            !action.starts_with(tools::SEND) && EffectKind::of(action) == Some(EffectKind::Mail)
        });
        let meetings = people(|action| EffectKind::of(action) == Some(EffectKind::Calendar));
        let (send, schedule) = match mode {
            Mode::Send => ("Send", "Schedule"),
            Mode::Dry => ("Accept", "Accept"),
        };
        let mut parts = Vec::new();
        let batches = [
            (send, ["reply", "replies"], &replies),
            (send, ["mail", "mails"], &mails),
            (schedule, ["meeting", "meetings"], &meetings),
        ];
        for (does, [one, several], people) in batches {
            let named = people.join("; ");
            match people.len() {
                0 => {}
                1 => parts.push(format!("{does} 1 {one}: {named}")),
                many => parts.push(format!("{does} {many} {several}: {named}")),
            }
        }
        let others = batch.len() - replies.len() - mails.len() - meetings.len();
        if others > 0 {
            parts.push(format!("Accept {}", count(others, "question")));
        }
        let mut text = parts.join(". ");
        if unseen > 0 {
            text.push_str(&format!(" ({unseen} not fully shown)"));
        }
        text + "? "
    }
}

/// A batch that can be accepted together, and the questions with warnings, which are accepted one by one.
pub(super) fn without_warnings(marked: Vec<Question>) -> (Vec<Question>, Vec<String>) {
    let mut batch = Vec::new();
    let mut left_out = Vec::new();
    for question in marked {
        match question.described().warnings.first() {
            None => batch.push(question),
            Some(why) => left_out.push(format!("{} ({why})", question.subject)),
        }
    }
    (batch, left_out)
}
