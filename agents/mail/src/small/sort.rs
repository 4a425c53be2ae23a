//! Triage on a small model: it says what a mail does and of which kind it is, and the program makes a class of both.
//!
//! Asked for the class itself a small model goes by the topic: it shows who asks for a renewal, and answers whoever tells of a
//! meeting. What somebody does and the kind of mail it gets right far more often, and where the two disagree, the headers
//! say whether anybody can wait for an answer.

use serde::{Deserialize, Serialize};
use serde_json::{Map, json};
use superstep::{
    model::{Schema, SchemaError},
    tools::guided::Guide,
};

use super::{addressing::Addressing, evidence::Evidence};
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
    ("survey", Class::Ignore),
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
        "fraud",
    ),
    (
        "From: Claims Office <office@claims-fund.example>\nSent: to you\nSubject: Your prize\n\nDear friend, 900,000 USD are waiting for you. Send us your account number to receive them.",
        "A stranger promises money to get an account number.",
        Act::Tricks,
        "fraud",
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
pub(crate) struct Seen {
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

impl Seen {
    /// The class of a mail that shows this of itself.
    pub(crate) fn class(&self, shown: &Evidence) -> Class {
        match self.wish {
            Wish::Answer => return Class::Respond,
            Wish::Show => return Class::Notify,
            Wish::Ignore => return Class::Ignore,
            Wish::Nothing => {}
        }
        let addressing = shown.addressing;
        let is_by_person = addressing.is_by_person();
        let asked = match shown.may_ask {
            true => Class::Respond,
            // A small model takes what somebody tells for a question; nobody asks without words for it.
            false => Class::Notify,
        };
        let of_kind = KINDS.iter().find(|(kind, _)| *kind == self.kind);
        // A kind that nobody offered is shown: that loses nothing.
        let of_kind = of_kind.map_or(Class::Notify, |(_, class)| *class);
        match (of_kind, self.act) {
            // A colleague is neither a stranger who sells nor one who tricks, and the owner sees what is written in their name.
            (Class::Ignore, act) if shown.is_by_colleague && is_by_person => {
                match act == Act::Asks || self.kind == FRAUD {
                    true => asked,
                    false => Class::Notify,
                }
            }
            // Whoever asks, and wants none of what a fraud is after, may wait for an answer.
            (Class::Ignore, Act::Asks) if self.kind == FRAUD && is_by_person && !shown.lures => {
                asked
            }
            // Whoever wants nothing tricks nobody; a warning that is real must not be lost.
            (Class::Ignore, _) if self.kind == FRAUD && !shown.baits => Class::Notify,
            (Class::Ignore, _) => Class::Ignore,
            // A renewal that a person asks about waits for an answer; one that a program announces does not, nor one
            // that leads to where money is taken.
            (Class::Notify, Act::Asks) if is_by_person && !shown.lures => asked,
            (Class::Notify, _) => Class::Notify,
            // Nobody waits for the answer of one of many.
            (Class::Respond, Act::Asks) if addressing == Addressing::InBulk => Class::Ignore,
            (Class::Respond, Act::Asks) => asked,
            (Class::Respond, Act::Tells) => Class::Notify,
            // What a program sends to one person alone is about something of theirs.
            (Class::Respond, Act::Sells | Act::Tricks) if addressing == Addressing::ByProgram => {
                Class::Notify
            }
            (Class::Respond, Act::Sells | Act::Tricks) => Class::Ignore,
        }
    }

    /// Why it is of its class, for people.
    pub(crate) fn reason(self) -> String {
        format!("{} ({})", self.says, self.kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A mail that wants the reader to confirm a password under a link, sent like this.
    fn baited(addressing: Addressing) -> Evidence {
        Evidence {
            addressing,
            is_by_colleague: false,
            may_ask: true,
            baits: true,
            lures: true,
        }
    }

    fn class(act: Act, kind: &str, addressing: Addressing) -> Class {
        let seen = Seen {
            says: "Somebody writes.".into(),
            act,
            kind: kind.into(),
            wish: Wish::Nothing,
        };
        let lures = kind == FRAUD;
        seen.class(&Evidence {
            lures,
            ..baited(addressing)
        })
    }

    #[test]
    fn what_it_does_and_its_kind_make_the_class() {
        for (act, kind, addressing, wanted) in [
            (Act::Asks, "question", Addressing::ToOwner, Class::Respond),
            (Act::Asks, "question", Addressing::ByProgram, Class::Respond),
            (Act::Asks, "invitation", Addressing::InBulk, Class::Ignore),
            (
                Act::Asks,
                "question",
                Addressing::ThroughList,
                Class::Respond,
            ),
            (Act::Asks, "renewal", Addressing::ToOwner, Class::Respond),
            (Act::Asks, "renewal", Addressing::ByProgram, Class::Notify),
            (Act::Tells, "meeting", Addressing::ToGroup, Class::Notify),
            (Act::Sells, "meeting", Addressing::ToOwner, Class::Ignore),
            (Act::Sells, "payslip", Addressing::ByProgram, Class::Notify),
            (Act::Asks, "fraud", Addressing::ToOwner, Class::Ignore),
            (Act::Tells, "receipt", Addressing::ByProgram, Class::Ignore),
            (
                Act::Tells,
                "never offered",
                Addressing::ToOwner,
                Class::Notify,
            ),
        ] {
            assert_eq!(
                class(act, kind, addressing),
                wanted,
                "{act:?} {kind} {addressing:?}"
            );
        }
    }

    #[test]
    fn every_kind_of_the_examples_is_offered() {
        for (_, says, _, kind) in EXAMPLES {
            assert!(KINDS.iter().any(|(name, _)| *name == kind), "{says} {kind}");
        }
    }

    #[test]
    fn what_the_owner_said_goes_before_the_kind() {
        let seen: Seen = serde_json::from_value(json!({
            "says": "A program sends a payslip.", "act": "tells", "kind": "payslip", "wish": "ignore",
        }))
        .expect("the form");
        assert_eq!(seen.class(&baited(Addressing::ByProgram)), Class::Ignore);
    }

    #[test]
    fn a_warning_that_wants_nothing_is_shown_even_if_it_looks_like_fraud() {
        let seen = |act| Seen {
            says: "Somebody writes about an account.".into(),
            act,
            kind: FRAUD.into(),
            wish: Wish::Nothing,
        };
        let told = Evidence {
            baits: false,
            ..baited(Addressing::ByProgram)
        };
        for act in [Act::Tells, Act::Tricks] {
            assert_eq!(seen(act).class(&told), Class::Notify);
            let baited = baited(Addressing::ByProgram);
            assert_eq!(seen(act).class(&baited), Class::Ignore);
        }
    }

    #[test]
    fn what_the_mail_shows_of_itself_goes_before_what_a_small_model_takes_it_for() {
        let shown = baited(Addressing::ToOwner);
        let seen = |act, kind: &str| Seen {
            says: "Somebody writes.".into(),
            act,
            kind: kind.into(),
            wish: Wish::Nothing,
        };
        let told = Evidence {
            may_ask: false,
            ..shown
        };
        assert_eq!(seen(Act::Asks, "meeting").class(&told), Class::Notify);
        let colleague = Evidence {
            is_by_colleague: true,
            ..shown
        };
        assert_eq!(seen(Act::Tells, FRAUD).class(&colleague), Class::Respond);
        assert_eq!(seen(Act::Sells, "sales").class(&colleague), Class::Notify);
        let refund = Evidence {
            lures: false,
            ..shown
        };
        assert_eq!(seen(Act::Asks, FRAUD).class(&refund), Class::Respond);
        assert_eq!(seen(Act::Tricks, FRAUD).class(&refund), Class::Ignore);
        let payment = seen(Act::Asks, "payment due");
        assert_eq!(payment.class(&shown), Class::Notify);
        let program = baited(Addressing::ByProgram);
        assert_eq!(seen(Act::Sells, "approval").class(&program), Class::Notify);
    }
}
