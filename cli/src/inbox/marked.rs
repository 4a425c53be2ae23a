//! Questions that are marked, to be accepted together.

use std::collections::BTreeSet;

use superstep_agent::{InboxEffect, QuestionKey, Verb};

use super::questions::Question;
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
        question.allows(Verb::Accept) && self.keys.insert(question.key())
    }

    /// Marks all that can be accepted; if they are, takes all marks away.
    pub(super) fn toggle_all(&mut self, questions: &[Question]) {
        let can = questions.iter().filter(|it| it.allows(Verb::Accept));
        let all: BTreeSet<QuestionKey> = can.map(|it| it.key()).collect();
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
    pub(super) fn question(
        &self,
        batch: &[Question],
        is_real: impl Fn(&Question) -> bool,
    ) -> String {
        let unseen = batch.iter().filter(|it| !self.seen.contains(&it.key()));
        let unseen = unseen.count();
        let mut groups: Vec<(&str, &InboxEffect, Vec<&str>)> = Vec::new();
        for question in batch {
            let Some(effect) = &question.effect else {
                continue;
            };
            let does = if is_real(question) {
                effect.verb
            } else {
                "Accept"
            };
            let is_same = |group: &&mut (&str, &InboxEffect, Vec<&str>)| {
                group.0 == does && group.1.noun == effect.noun
            };
            match groups.iter_mut().find(is_same) {
                Some((.., people)) => people.push(&effect.to),
                None => groups.push((does, effect, vec![effect.to.as_str()])),
            }
        }
        let mut parts: Vec<String> = Vec::new();
        for (does, effect, people) in groups {
            let [one, several] = effect.noun;
            let noun = if people.len() == 1 { one } else { several };
            let (many, named) = (people.len(), people.join("; "));
            parts.push(format!("{does} {many} {noun}: {named}"));
        }
        let others = batch.iter().filter(|it| it.effect.is_none()).count();
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

/// A batch that can be accepted together, and the questions that are accepted one by one, with the reason: a warning, or a
/// conversation in the foreground.
pub(super) fn without_warnings(
    marked: Vec<Question>,
    has_desk: impl Fn(&Question) -> bool,
) -> (Vec<Question>, Vec<String>) {
    let mut batch = Vec::new();
    let mut left_out = Vec::new();
    for question in marked {
        match question.warnings.first() {
            Some(why) => left_out.push(format!("{} ({why})", question.subject)),
            None if has_desk(&question) => batch.push(question),
            None => left_out.push(format!("{} (in its conversation)", question.subject)),
        }
    }
    (batch, left_out)
}
