//! Triage on a small model: the kinds of mail of each class, and examples as turns.

use serde_json::json;
use superstep::{
    model::{Schema, SchemaError},
    tools::guided::Guide,
};

use crate::prompt::filled;

/// Mails with the headers they come with, one for each way into a class; most mistakes are persons who ask nothing.
const EXAMPLES: [(&str, &str); 9] = [
    (
        "From: Growth Team <hello@leadrocket.example>\nSubject: Quick question\n\nHi there, do you have 15 minutes this week? We \
         help teams like yours to double their leads.",
        r#"{"reasoning": "A stranger sells something, so nothing is lost.", "classification": "ignore"}"#,
    ),
    (
        "From: Ines <ines@example.org>\nSubject: Review of the import branch\n\nHi, the branch is ready. Could you look at the error \
         paths before Thursday?\n\nInes",
        r#"{"reasoning": "Ines asks for a review, so a reply is needed.", "classification": "respond"}"#,
    ),
    (
        "From: monitoring@status.example.com\nSubject: [WARN] disk usage 91% on db-2\n\nThe volume /data on db-2 is above 90%.",
        r#"{"reasoning": "A machine reports a warning, so no reply is needed.", "classification": "notify"}"#,
    ),
    (
        "From: The Weekly Stack <news@weeklystack.example>\nSubject: Issue 112: faster builds\n\nThis week: five articles and a \
         podcast. Read online or unsubscribe.",
        r#"{"reasoning": "A newsletter advertises articles, so nothing is lost.", "classification": "ignore"}"#,
    ),
    (
        "From: Petra <petra@customer.example.net>\nSubject: Invoice 3381\n\nHello, the invoice has the old address. Can you send us a \
         corrected one?\n\nPetra",
        r#"{"reasoning": "Petra asks for a corrected invoice, so a reply is needed.", "classification": "respond"}"#,
    ),
    (
        "From: Jonas <jonas@example.org>\nTo: team@example.org\nSubject: Away on Monday\n\nHi all, I am out on Monday and back on \
         Tuesday. Kim covers for me.\n\nJonas",
        r#"{"reasoning": "Jonas tells that he is away, so no reply is needed.", "classification": "notify"}"#,
    ),
    (
        "From: Registrar <billing@registrar.example.com>\nSubject: Your domain renews on 1 December\n\nexample.org renews \
         automatically. No action is needed.",
        r#"{"reasoning": "A service reminds of a renewal, so no reply is needed.", "classification": "notify"}"#,
    ),
    (
        "From: Sven <sven@example.org>\nSubject: Friday\n\nHi, may I take Friday off? Kim could do the release.\n\nSven",
        r#"{"reasoning": "Sven asks for a day off, so a reply is needed.", "classification": "respond"}"#,
    ),
    (
        "From: Nina <nina@customer.example.net>\nSubject: Re: Export\n\nThank you, it works again. Have a nice weekend!\n\nNina",
        r#"{"reasoning": "Nina thanks and tells that it works, so no reply is needed.", "classification": "notify"}"#,
    ),
];

/// How a small model sorts the mail of somebody.
pub(crate) fn guide(owner: &str, learned: &str) -> Result<Guide, SchemaError> {
    let learned = match learned {
        "" => String::new(),
        lines => format!("What {owner} said about it, which comes first:\n{lines}"),
    };
    let places = [("owner", owner), ("learned", &*learned)];
    let system = filled(include_str!("../../prompts/small/triage.md"), &places);
    // Reasons come first: a small model that thinks before it chooses chooses better.
    let schema = json!({
        "type": "object",
        "properties": {
            "reasoning": {"type": "string", "maxLength": 120},
            "classification": {"type": "string", "enum": ["respond", "notify", "ignore"]},
        },
        "required": ["reasoning", "classification"],
        "additionalProperties": false,
    });
    Ok(Guide::form(Schema::new("triage", schema)?, system).examples(&EXAMPLES))
}
