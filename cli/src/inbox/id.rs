//! Lookup of a question by its id or a unique prefix.
//!
//! Places in a list are not taken: between two commands a question may come or go, and the same number
//! would mean another one.
//!
//! A thread and its copies share the ids of their questions: `THREAD:ID` names the one of a thread.

use superstep_agent::{SHORTEST_ID, names_question};

use super::questions::Question;
use crate::error::{AskedBy, IdError, IdErrorKind};

/// How many questions an error names.
const MOST_NAMED: usize = 8;

/// The question with this id, or whose id alone begins so.
pub(super) fn find<'a>(all: &'a [Question], text: &str) -> Result<&'a Question, IdError> {
    let (thread, id) = match text.trim().rsplit_once(':') {
        Some((thread, id)) => (Some(thread), id),
        None => (None, text.trim()),
    };
    let wanted = id.to_lowercase();
    let found: Vec<&Question> = all
        .iter()
        .filter(|question| thread.is_none_or(|thread| question.thread == thread))
        .filter(|it| it.id().starts_with(&wanted) || names_question(&wanted, it.ask.id))
        .collect();
    let error = |kind, candidates: &[&Question]| IdError {
        text: text.trim().to_owned(),
        kind,
        asked_by: AskedBy::Inbox,
        candidates: named(candidates, kind),
    };
    if wanted.chars().count() < SHORTEST_ID {
        let every: Vec<&Question> = all.iter().collect();
        return Err(error(IdErrorKind::TooShort, &every));
    }
    match found.as_slice() {
        [only] => Ok(only),
        [] => {
            let every: Vec<&Question> = all.iter().collect();
            Err(error(IdErrorKind::NotOpen, &every))
        }
        several => Err(error(IdErrorKind::Ambiguous, several)),
    }
}

/// What names a question and no other: its id, with its thread where a copy has the same.
pub(super) fn unique(all: &[Question], question: &Question) -> String {
    let id = question.id();
    match all.iter().filter(|it| it.ask.id == question.ask.id).count() {
        0 | 1 => id,
        _ => format!("{}:{id}", question.thread),
    }
}

/// Questions in a line each. Where a beginning means several, all of their ids is shown.
fn named(questions: &[&Question], kind: IdErrorKind) -> Vec<String> {
    let is_shared = |question: &Question| {
        let same = questions.iter().filter(|it| it.ask.id == question.ask.id);
        same.count() > 1
    };
    let line = |question: &&Question| {
        let id = match kind {
            IdErrorKind::Ambiguous if is_shared(question) => {
                format!("{}:{}", question.thread, question.id())
            }
            IdErrorKind::Ambiguous => question.id(),
            IdErrorKind::TooShort | IdErrorKind::NotOpen => question.short_id.clone(),
        };
        let (asks, sender, subject) = (&question.asks, &question.sender, &question.subject);
        format!("  {id}  {asks} · {sender} · {subject}")
    };
    let mut lines: Vec<String> = questions.iter().take(MOST_NAMED).map(line).collect();
    if let Some(more) = questions.len().checked_sub(MOST_NAMED).filter(|it| *it > 0) {
        lines.push(format!("  … and {more} more"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use superstep::{AskId, OpenAsk, Value, dynamic::DynAsk};
    use superstep_agent::{InboxQuestion, Notice, QuestionView};

    use super::*;
    use crate::{agents::Agent, error::Error};

    fn asked(id: u128) -> Question {
        let ask = OpenAsk::from(&DynAsk {
            id: AskId(id),
            value: Value::from(format!("subject {id:x}")),
            schema: None,
            kind: None,
            deadline: None,
        });
        let view = QuestionView::of(&ask);
        let shown = Notice::people(Vec::new());
        Question {
            agent: Some(Agent::MAIL),
            is_foreign: false,
            about: InboxQuestion::of("mail-1", &ask, "ann@example.org", &shown, view),
        }
    }

    const ONE: u128 = 0x1111_0000_0000_0000_0000_0000_0000_0000;

    #[test]
    fn an_id_or_a_beginning_of_four_letters_that_only_it_has_is_found() {
        let all = [asked(ONE), asked(ONE << 1)];
        for text in ["1111", " 1111 ", "11110000000000000000000000000000"] {
            assert_eq!(find(&all, text).unwrap().ask.id, AskId(ONE), "{text}");
        }
    }

    #[test]
    fn a_question_of_a_copy_is_named_with_its_thread() {
        let mut all = [asked(ONE), asked(ONE), asked(ONE << 1)];
        all[1].about.thread = "mail-copy".into();
        let error = |text: &str| Error::from(find(&all, text).unwrap_err());
        let several = error("1111");
        assert_eq!(several.code(), Some("SS6031"));
        for (question, thread) in all.iter().zip(["mail-1", "mail-copy"]) {
            let name = unique(&all, question);
            assert_eq!(name, format!("{thread}:{ONE:032x}"));
            assert!(several.to_string().contains(&name), "{several}");
            assert_eq!(find(&all, &name).unwrap().thread, thread);
            let short = format!("{thread}:1111");
            assert_eq!(find(&all, &short).unwrap().thread, thread);
        }
        assert_eq!(unique(&all, &all[2]), all[2].id());
        assert_eq!(error("mail-2:1111").code(), Some("SS6032"));
        assert_eq!(error("mail-1:1").code(), Some("SS6030"));
    }

    #[test]
    fn what_is_short_ambiguous_or_unknown_is_told_with_the_questions_that_are_open() {
        let all = [asked(ONE), asked(ONE + 1), asked(ONE << 1)];
        let error = |text: &str| Error::from(find(&all, text).unwrap_err());
        for text in ["", "1", "2", "111", "0x1"] {
            let error = error(text);
            assert_eq!((error.code(), error.exit()), (Some("SS6030"), 2), "{text}");
            assert_eq!(error.to_string().lines().count(), 4, "{error}");
        }
        let several = error("1111");
        assert_eq!((several.code(), several.exit()), (Some("SS6031"), 2));
        assert!(several.to_string().contains(&format!("{:032x}", ONE + 1)));
        assert!(!several.to_string().contains("subject 2222"), "{several}");
        for text in ["3333", "-1-1", "11110000000000000000000000000000 "] {
            let found = find(&all, text);
            assert_eq!(found.is_ok(), text.len() > 30, "{text}");
        }
        let unknown = error("3333");
        assert_eq!((unknown.code(), unknown.exit()), (Some("SS6032"), 1));
        assert!(error("3333").to_string().contains("; open are\n"));
        let none = find(&[], "3333").unwrap_err().to_string();
        assert_eq!(none, "no question `3333` is open");
        let many: Vec<Question> = (1..=20).map(asked).collect();
        let text = find(&many, "1").unwrap_err().to_string();
        assert!(text.ends_with("… and 12 more"), "{text}");
    }
}
