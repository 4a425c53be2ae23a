//! What a person reads around the text of a call before an answer: warnings above it, the day of a meeting below it.

use crate::{
    Judgement, Warning, agenda::Agenda, danger::judged_fraud, prompt::gutter, view::marked,
};

/// Warnings about a call, and the day of its meeting.
pub(crate) struct Cautions {
    pub(crate) warnings: Vec<Warning>,
    pub(crate) day: Option<String>,
}

impl Cautions {
    /// What triage says of the mail, and the calendar of the meeting.
    pub(crate) fn of(judged: Option<&Judgement>, agenda: Option<Agenda>) -> Self {
        let mut warnings: Vec<Warning> = judged.into_iter().flat_map(judged_fraud).collect();
        let mut day = None;
        if let Some(agenda) = agenda {
            let conflicts = agenda.conflicts.iter();
            warnings.extend(conflicts.map(|it| Warning::new(format!("Conflict: {it}"))));
            warnings.extend(agenda.unread.map(Warning::new));
            match agenda.day {
                Ok(text) => day = Some(text),
                Err(why) => warnings.push(Warning::new(why)),
            }
        }
        Self { warnings, day }
    }

    /// The text of a call with the warnings above it.
    pub(crate) fn above(&self, text: &str) -> String {
        format!("{}{text}", marked(&self.warnings))
    }

    /// The day, as a question shows it below the text of its call.
    pub(crate) fn below(&self) -> String {
        let day = self.day.as_ref();
        day.map_or_else(String::new, |day| format!("\n{}\n", gutter(day)))
    }
}
