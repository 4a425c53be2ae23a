//! The form that a small model fills in about a mail, and what rules know better.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::json;
use superstep::{
    model::{Schema, SchemaError},
    tools::guided::{Guide, Sources},
};

use super::mentioned;
use crate::{parse::one_line, prompt::filled};

/// How long a meeting is if nobody says.
const USUAL: u32 = 30;

const EXAMPLES: [(&str, &str); 4] = [
    (
        "From: Ines <ines@example.org>\nSubject: Review of the import branch\n\nHi, the branch is ready. Could you look at the error \
         paths before Thursday?\n\nInes",
        r#"{"asks": "Ines asks for a review of the import branch before Thursday.", "meeting": "no", "minutes": 0, "part": "any", "answer_1": "Yes, I will look at it before Thursday", "answer_2": "No, I have no time before Thursday"}"#,
    ),
    (
        "From: Boris <boris@example.net>\nSubject: New contract\n\nHello, I would like to talk about the new contract. Do you have half \
         an hour on Tuesday afternoon or on Wednesday?\n\nBoris",
        r#"{"asks": "Boris wants to talk about the new contract for half an hour.", "meeting": "yes", "minutes": 30, "part": "afternoon", "answer_1": "Yes, we can talk about the contract", "answer_2": "No, please write me your points"}"#,
    ),
    (
        "From: Supply Desk <orders@supplier.example.com>\nSubject: Your order 5512\n\nYou ordered 12 keyboards, but we have 10. Shall we \
         send 10 now or wait for all 12?",
        r#"{"asks": "The supplier asks whether to send 10 keyboards now or to wait for all 12.", "meeting": "no", "minutes": 0, "part": "any", "answer_1": "Send 10 now", "answer_2": "Wait for all 12"}"#,
    ),
    (
        "From: Lea <lea@example.org>\nSubject: Interview on Friday\n\nCould we move the interview from 9 to 11 on Friday morning? It takes \
         45 minutes.\n\nLea",
        r#"{"asks": "Lea wants to move the interview on Friday from 9 to 11.", "meeting": "yes", "minutes": 45, "part": "morning", "answer_1": "Yes, 11 on Friday is fine", "answer_2": "No, please keep 9 on Friday"}"#,
    ),
];

#[derive(Deserialize)]
pub(crate) struct Form {
    asks: String,
    meeting: YesNo,
    minutes: u32,
    part: DayPart,
    answer_1: String,
    answer_2: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum YesNo {
    Yes,
    No,
}

/// A part of the day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DayPart {
    #[default]
    Any,
    Morning,
    Afternoon,
}

/// What a mail asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Understood {
    /// In one sentence.
    pub(crate) asks: String,
    /// The meeting it asks for, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) meeting: Option<Wanted>,
    /// Short answers that the owner may give.
    #[serde(skip)]
    pub(crate) answers: Vec<String>,
}

/// A meeting that somebody asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Wanted {
    /// On these days; none if the mail names none.
    pub(crate) days: Vec<Date>,
    pub(crate) minutes: u32,
    pub(crate) part: DayPart,
}

/// How a small model reads the mail of somebody.
pub(crate) fn guide(owner: &str) -> Result<Guide, SchemaError> {
    let system = filled(
        include_str!("../../prompts/small/understand.md"),
        &[("owner", owner)],
    );
    let text = |longest: usize| json!({"type": "string", "minLength": 1, "maxLength": longest});
    // The same for every mail, so that a model that has read it need not read it again.
    let schema = json!({
        "type": "object",
        "properties": {
            "asks": text(160),
            "meeting": {"type": "string", "enum": ["yes", "no"]},
            "minutes": {"type": "integer", "enum": [0, 15, 30, 45, 60, 90, 120]},
            "part": {"type": "string", "enum": ["any", "morning", "afternoon"]},
            "answer_1": text(80),
            "answer_2": text(80),
        },
        "required": ["asks", "meeting", "minutes", "part", "answer_1", "answer_2"],
        "additionalProperties": false,
    });
    Ok(Guide::form(Schema::new("understand", schema)?, system).examples(&EXAMPLES))
}

impl Form {
    /// What is understood of a mail: what a rule finds in its text goes before what the model says, and answers that name what
    /// nobody named are left out.
    pub(crate) fn checked(self, mail: &str, written: Date) -> Understood {
        let sources = Sources::of([mail]);
        let answers = [self.answer_1, self.answer_2].map(|it| one_line(&it, 80));
        let is_grounded = |it: &String| !it.is_empty() && sources.unsupported(it).is_empty();
        let mut answers: Vec<String> = answers.into_iter().filter(is_grounded).collect();
        answers.dedup();
        let (days, length) = (mentioned::days(mail, written), mentioned::minutes(mail));
        // Whoever wants to meet says so, or names a day or how long it takes.
        let is_meeting = self.meeting == YesNo::Yes
            && (!days.is_empty() || length.is_some() || mentioned::is_meeting(mail));
        let meeting = is_meeting.then(|| Wanted {
            days,
            // A length that the mail does not name is the model's own.
            minutes: length.unwrap_or(match self.minutes {
                said if said > 0 && sources.has(&said.to_string()) => said,
                _ => USUAL,
            }),
            part: match mentioned::part(mail) {
                Some("morning") => DayPart::Morning,
                Some(_) => DayPart::Afternoon,
                None => self.part,
            },
        });
        Understood {
            asks: one_line(&self.asks, 160),
            meeting,
            answers,
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn a_length_that_the_mail_does_not_name_is_not_taken_from_the_model() {
        for (mail, said, wanted) in [
            ("Lunch on Monday?", 90, USUAL),
            ("Lunch on Monday?", 0, USUAL),
            (
                "Lunch on Monday, 90 or so of your precious minutes?",
                90,
                90,
            ),
            ("Do you have an hour on Monday?", 15, 60),
        ] {
            let form = Form {
                asks: "Ann asks.".into(),
                meeting: YesNo::Yes,
                minutes: said,
                part: DayPart::Any,
                answer_1: "Yes".into(),
                answer_2: "No".into(),
            };
            let understood = form.checked(mail, date(2026, 11, 2));
            let minutes = understood.meeting.map(|it| it.minutes);
            assert_eq!(minutes, Some(wanted), "{mail}");
        }
    }

    #[test]
    fn a_mail_that_names_no_time_and_no_meeting_asks_for_none() {
        let understood = |mail: &str| {
            let form = Form {
                asks: "Ann asks.".into(),
                meeting: YesNo::Yes,
                minutes: 60,
                part: DayPart::Any,
                answer_1: "Yes".into(),
                answer_2: "No".into(),
            };
            form.checked(mail, date(2026, 11, 2)).meeting
        };
        assert_eq!(understood("Would you give a talk to our students?"), None);
        assert!(understood("Could we have a call?").is_some());
        assert!(understood("Do you have time on Monday?").is_some());
        assert_eq!(understood("Could you look at it before Wednesday?"), None);
    }
}
