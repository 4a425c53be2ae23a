//! Labels of passages: what is open by rule, everything else by a model, one call each.

use serde::Deserialize;
use serde_json::json;
use superstep::{
    model::{Message, Model, ModelError, Schema, SchemaError},
    tools::guided::{Guide, Passage},
};

use crate::fact::Label;

const EXAMPLES: [(&str, &str); 12] = [
    (
        "Goal: The portal lets members book rooms without calling the office.",
        "purpose",
    ),
    (
        "Overview: Orders are kept in a PostgreSQL database that the web shop writes to.",
        "part",
    ),
    ("Costs: The licence costs 1,200 EUR a year.", "rule"),
    (
        "Hosting: We agreed to stay with the current provider until 2027.",
        "decision",
    ),
    (
        "Ideas: A queue between both services would make them independent, but adds a part to run.",
        "option",
    ),
    (
        "Rules: Personal data must be deleted after 90 days.",
        "rule",
    ),
    (
        "Parts: The scanner sends every parcel number to the gateway.",
        "part",
    ),
    (
        "Hosting: Two small servers instead of one large one would be possible.",
        "option",
    ),
    (
        "Meeting of 3 May: Decided: the mobile app comes after the web version.",
        "decision",
    ),
    (
        "Users: Nurses look up the duty roster on their phones.",
        "purpose",
    ),
    (
        "Notes: Thanks to everybody who joined the workshop.",
        "other",
    ),
    (
        "Backups: Nobody has said yet who restores them at night.",
        "open",
    ),
];

#[derive(Deserialize)]
struct Labeled {
    label: Label,
}

/// How a small model sorts sentences.
pub(super) fn guide() -> Result<Guide, SchemaError> {
    let labels = [
        "purpose", "part", "rule", "decision", "option", "open", "other",
    ];
    let schema = json!({
        "type": "object",
        "properties": {"label": {"type": "string", "enum": labels}},
        "required": ["label"],
        "additionalProperties": false,
    });
    let guide = Guide::form(
        Schema::new("label", schema)?,
        include_str!("../../prompts/small/label.md"),
    );
    let guide = guide.max_tokens(Some(24));
    Ok(EXAMPLES.iter().fold(guide, |guide, (sentence, label)| {
        guide.example(*sentence, json!({"label": label}).to_string())
    }))
}

/// The label of a passage.
pub(super) async fn of(
    guide: &Guide,
    model: &dyn Model,
    passage: &Passage,
) -> Result<Label, ModelError> {
    let about = match passage.heading.as_str() {
        "" => passage.text.clone(),
        heading => format!("{heading}: {}", passage.text),
    };
    let answer = guide
        .ask::<Labeled>(model, Message::untrusted(about))
        .await?;
    Ok(answer.value.label)
}

/// Words that leave something open.
const OPEN: [&str; 24] = [
    "open question", "undecided", "not decided", "not yet decided", "to be decided",
    "to be defined", "to be clarified", "to be determined", "not yet clear", "not clear",
    "unclear", "is unknown", "are unknown", "not known", "nobody knows", "still open",
    "remains open", "left open", "tbd", "todo", "asks whether", "asked whether", "asks who",
    "wonders",
];

/// Whether a passage leaves something open, by its words or its heading.
pub(super) fn is_open(passage: &Passage) -> bool {
    let text = passage.text.to_lowercase();
    let heading = passage.heading.to_lowercase();
    let ends = text.trim_end_matches(['"', '”', ')', '*', '`', ' ']);
    let of_heading = [
        "open question", "open point", "open issue", "unknown", "to clarify", "to decide",
    ];
    let words = format!(" {} ", text.replace(|c: char| !c.is_alphanumeric(), " "));
    let has = |phrase: &&str| words.contains(&format!(" {phrase} "));
    ends.ends_with('?')
        || OPEN.iter().any(has)
        || of_heading.iter().any(|it| heading.contains(it))
        || heading.trim() == "open"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_open_is_found_by_rule() {
        let passage = |heading: &str, text: &str| Passage {
            line: 1,
            heading: heading.into(),
            text: text.into(),
        };
        for (heading, text) in [
            ("Costs", "Who pays for it?"),
            ("Costs", "The owner is TBD."),
            ("Costs", "Whether we keep logs is still open."),
            ("Open questions", "Backups at night"),
            ("", "It is not yet decided."),
            ("Minutes", "Jonas asks whether parcels are insured."),
        ] {
            assert!(is_open(&passage(heading, text)), "{heading}: {text}");
        }
        for (heading, text) in [
            ("Opening hours", "The shop is open from 9 to 17."),
            ("Costs", "The todolist app costs 3 EUR."),
        ] {
            assert!(!is_open(&passage(heading, text)), "{heading}: {text}");
        }
    }
}
