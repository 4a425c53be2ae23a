//! Triage on a small model: it says what a mail does and of which kind it is, and the program makes a class of both.
//!
//! Asked for the class itself a small model goes by the topic: it shows who asks for a renewal, and answers whoever tells of a
//! meeting. What somebody does and the kind of mail it gets right far more often, and where the two disagree, the headers
//! say whether anybody can wait for an answer.

mod rules;

use serde::{Deserialize, Serialize};
use serde_json::{Map, json};
use superstep::{
    model::{Schema, SchemaError},
    tools::guided::Guide,
};

use crate::{class::Class, prompt::filled};

/// What a mail does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Act {
    Asks,
    Tells,
    Sells,
    Tricks,
}

const FRAUD: &str = "fraud";
const SURVEY: &str = "survey";

/// What the owner's own words say is done with such a mail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Wish {
    #[default]
    Nothing,
    Answer,
    Show,
    Ignore,
}

/// The kinds of mail, and the class that each is of by itself.
const KINDS: [(&str, Class); 35] = [
    ("question", Class::Respond),
    ("request", Class::Respond),
    ("decision", Class::Respond),
    ("approval", Class::Respond),
    ("review", Class::Respond),
    ("meeting", Class::Respond),
    ("invitation", Class::Respond),
    ("complaint", Class::Respond),
    ("alert", Class::Notify),
    ("failure", Class::Notify),
    ("security", Class::Notify),
    ("status", Class::Notify),
    ("absence", Class::Notify),
    ("changed plan", Class::Notify),
    ("finished work", Class::Notify),
    ("minutes", Class::Notify),
    ("confirmation", Class::Notify),
    ("thanks", Class::Notify),
    ("reminder", Class::Notify),
    ("deadline", Class::Notify),
    ("renewal", Class::Notify),
    ("payment due", Class::Notify),
    ("payslip", Class::Notify),
    ("delivery", Class::Notify),
    ("document", Class::Notify),
    ("newsletter", Class::Ignore),
    ("advertising", Class::Ignore),
    ("sales", Class::Ignore),
    ("recruiting", Class::Ignore),
    ("social network", Class::Ignore),
    ("receipt", Class::Ignore),
    ("digest", Class::Ignore),
    (SURVEY, Class::Ignore),
    ("statistics", Class::Ignore),
    (FRAUD, Class::Ignore),
];

/// Mails with the headers they come with, one for each way into a class: the mail, what it says, does and is. The last one has
/// the most weight, and most mistakes are persons who ask nothing.
const EXAMPLES: [(&str, &str, Act, &str); 11] = [
    (
        "From: Growth Team <hello@leadrocket.example>\nSent: to you\nSubject: Quick question\n\nHi there, do you have 15 minutes this week? We help teams like yours to double their leads.",
        "A stranger wants to sell leads.",
        Act::Sells,
        "sales",
    ),
    (
        "From: Ines <ines@example.org>\nSent: to you\nSubject: Import branch\n\nHi, the branch is ready. Could you look at the error paths before Thursday?\n\nInes",
        "Ines asks to look at a branch.",
        Act::Asks,
        "review",
    ),
    (
        "From: Monitoring <monitoring@status.example.com>\nSent: by a program\nSubject: [WARN] disk usage 91% on db-2\n\nThe volume /data on db-2 is above 90%.",
        "A program warns of a full disk.",
        Act::Tells,
        "alert",
    ),
    (
        "From: Accounts <no-reply@accounts.example.com>\nSent: by a program\nSubject: Your password was changed\n\nThe password of your account was changed today. If it was you, there is nothing to do.",
        "A service tells that a password was changed.",
        Act::Tells,
        "security",
    ),
    (
        "From: Mail Admin <admin@account-check.example>\nSent: to you\nSubject: Mailbox full\n\nDear user, verify your password under the link or your mailbox will be closed today.",
        "A stranger tries to get a password.",
        Act::Tricks,
        FRAUD,
    ),
    (
        "From: Claims Office <office@claims-fund.example>\nSent: to you\nSubject: Your prize\n\nDear friend, 900,000 USD are waiting for you. Send us your account number to receive them.",
        "A stranger promises money to get an account number.",
        Act::Tricks,
        FRAUD,
    ),
    (
        "From: The Weekly Stack <news@weeklystack.example>\nSent: in bulk, with an unsubscribe link\nSubject: Issue 112: faster builds\n\nThis week: five articles and a podcast. Read online.",
        "A magazine offers articles.",
        Act::Sells,
        "newsletter",
    ),
    (
        "From: Petra <petra@customer.example.net>\nSent: to you\nSubject: Invoice 3381\n\nHello, the invoice has the old address. Please send us a corrected one.\n\nPetra",
        "Petra asks for a corrected invoice.",
        Act::Asks,
        "request",
    ),
    (
        "From: Jonas <jonas@example.org>\nTo: team@example.org\nSent: to a group\nSubject: Monday\n\nHi all, I am out on Monday and back on Tuesday. Kim covers for me.\n\nJonas",
        "Jonas tells that he is away.",
        Act::Tells,
        "absence",
    ),
    (
        "From: Bookshop <orders@bookshop.example.com>\nSent: by a program\nSubject: Your purchase\n\nThank you. 1 book, 24.00 EUR, paid by card.",
        "A shop confirms what was paid.",
        Act::Tells,
        "receipt",
    ),
    (
        "From: Nina <nina@customer.example.net>\nSent: to you\nSubject: Re: Login\n\nIt works again now. Have a nice weekend!\n\nNina",
        "Nina tells that it works.",
        Act::Tells,
        "finished work",
    ),
];

/// A mail as a small model sees it.
#[derive(Debug, Deserialize)]
pub(crate) struct SmallReading {
    says: String,
    act: Act,
    kind: String,
    #[serde(default)]
    wish: Wish,
}

/// How a small model sorts the mail of somebody.
pub(crate) fn guide(owner: &str, learned: &str) -> Result<Guide, SchemaError> {
    let has_learned = !learned.is_empty();
    let wishes = match has_learned {
        false => String::new(),
        true => format!(
            "- wish: answer, show or ignore if {owner} said so about such mail, otherwise nothing. {owner} said:\n{learned}\n"
        ),
    };
    let kinds: Vec<&str> = KINDS.iter().map(|(kind, _)| *kind).collect();
    let listed = kinds.join(", ");
    let places = [("owner", owner), ("kinds", &*listed), ("wishes", &*wishes)];
    let system = filled(include_str!("../../prompts/small/triage.md"), &places);
    let one_of = |names: &[&str]| json!({"type": "string", "enum": names});
    // What it says comes first: a small model that thinks before it chooses chooses better.
    let mut fields = vec![
        ("says", json!({"type": "string", "maxLength": 120})),
        ("act", one_of(&["asks", "tells", "sells", "tricks"])),
        ("kind", one_of(&kinds)),
    ];
    if has_learned {
        fields.push(("wish", one_of(&["nothing", "answer", "show", "ignore"])));
    }
    let required: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    let named = fields.into_iter().map(|(name, it)| (name.to_owned(), it));
    let properties: Map<_, _> = named.collect();
    let schema = json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    let guide = Guide::form(Schema::new("triage", schema)?, system);
    let examples = EXAMPLES.iter();
    Ok(examples.fold(guide, |guide, (mail, says, act, kind)| {
        let answer = match has_learned {
            false => json!({"says": says, "act": act, "kind": kind}),
            true => json!({"says": says, "act": act, "kind": kind, "wish": Wish::Nothing}),
        };
        guide.example(*mail, answer.to_string())
    }))
}

impl SmallReading {
    /// Why it is of its class, for people.
    pub(crate) fn reason(self) -> String {
        format!("{} ({})", self.says, self.kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_the_examples_is_offered() {
        for (_, says, _, kind) in EXAMPLES {
            assert!(KINDS.iter().any(|(name, _)| *name == kind), "{says} {kind}");
        }
    }
}
