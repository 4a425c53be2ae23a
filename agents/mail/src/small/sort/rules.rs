//! The class of a mail, of what a small model takes it for and what the mail shows of itself.
//!
//! To lose a mail is the worst that can happen, and to show an advertisement the least. So the word of the model alone makes no
//! person a seller or a fraud: there must be an offer or a sign of fraud in the mail. Nor do phrases alone: who wants to buy
//! has the words of who sells. What reads like either against the word of the model is shown, and a person decides.

use super::{Act, FRAUD, KINDS, SURVEY, SmallReading, Wish};
use crate::{
    class::Class,
    small::{addressing::Addressing, evidence::Evidence},
};

/// The kinds that offer something.
const SALES: [&str; 3] = ["advertising", "sales", "recruiting"];

/// How many signs of a fraud make one possible, and how many make it certain.
const POSSIBLE: usize = 2;
const CERTAIN: usize = 3;

impl SmallReading {
    /// The class of a mail that shows this of itself.
    pub(crate) fn class(&self, shown: &Evidence) -> Class {
        match self.wish {
            Wish::Answer => return Class::Respond,
            Wish::Show => return Class::Notify,
            Wish::Ignore => return Class::Ignore,
            Wish::Nothing => {}
        }
        let class = match (shown.addressing.is_by_person(), shown.is_known) {
            (true, true) => self.of_acquaintance(shown),
            (true, false) => self.of_stranger(shown),
            (false, _) => self.of_program(shown),
        };
        match class {
            Class::Respond if !shown.takes_answers => Class::Notify,
            class => class,
        }
    }

    /// Who is known neither sells nor tricks, and the owner sees what is written in their name. Whether it is theirs, only the
    /// owner knows.
    fn of_acquaintance(&self, shown: &Evidence) -> Class {
        if self.is_fraud(shown) {
            return Class::Notify;
        }
        match (self.of_kind(), self.act) {
            (Class::Ignore, Act::Sells) if self.kind != FRAUD => Class::Notify,
            (_, Act::Tells) if self.kind != FRAUD => Class::Notify,
            _ => asked(shown),
        }
    }

    fn of_stranger(&self, shown: &Evidence) -> Class {
        let of_kind = self.of_kind();
        let if_asked = match self.act {
            Act::Tells => Class::Notify,
            _ => asked(shown),
        };
        let is_fraud = self.is_fraud(shown);
        let is_sold = of_kind == Class::Ignore || self.act == Act::Sells;
        if (is_fraud && self.votes() > 0) || (shown.pitches && is_sold) {
            return Class::Ignore;
        }
        if is_fraud || shown.pitches {
            return Class::Notify;
        }
        if shown.may_ask && (shown.demands || (shown.claims && self.act != Act::Tells)) {
            return Class::Respond;
        }
        match (of_kind, self.act) {
            // Whoever wants nothing tricks nobody; a warning that is real must not be lost.
            (_, Act::Tricks) => Class::Notify,
            (Class::Ignore, _) if self.kind == FRAUD => if_asked,
            (Class::Respond, Act::Sells) if shown.inquires || shown.refers => if_asked,
            (Class::Respond, Act::Sells) if !shown.may_sell => if_asked,
            // What it does alone says so, neither its kind nor its words.
            (Class::Respond, Act::Sells) => Class::Notify,
            (Class::Ignore, _) if !SALES.contains(&self.kind.as_str()) => match self.act {
                Act::Asks if self.kind != SURVEY => asked(shown),
                _ if shown.may_sell || shown.has_link => Class::Ignore,
                _ if shown.addressing == Addressing::ThroughList => Class::Ignore,
                // Nobody sends a newsletter or a survey to one person and without a link.
                _ => Class::Notify,
            },
            (Class::Ignore, _) if shown.inquires || !shown.may_sell => if_asked,
            (Class::Ignore, Act::Asks | Act::Tells) if shown.refers => if_asked,
            // Its kind alone says so.
            (Class::Ignore, Act::Asks | Act::Tells) => Class::Notify,
            (Class::Ignore, _) => Class::Ignore,
            // What leads to where money is taken is shown; a person decides.
            (Class::Notify, Act::Asks) if shown.tricks >= POSSIBLE => Class::Notify,
            (Class::Notify, Act::Sells) => Class::Notify,
            _ => if_asked,
        }
    }

    fn of_program(&self, shown: &Evidence) -> Class {
        let is_bulk = shown.addressing == Addressing::InBulk;
        match (self.of_kind(), self.act) {
            // Programs warn of frauds in the words that frauds have, so that one sign more is asked for.
            (Class::Ignore, _) if self.kind == FRAUD => match shown.tricks + self.votes() > CERTAIN
            {
                true => Class::Ignore,
                // A warning that is real must not be lost.
                false => Class::Notify,
            },
            (Class::Ignore, _) if SALES.contains(&self.kind.as_str()) && !shown.may_sell => {
                Class::Notify
            }
            (Class::Ignore, _) => Class::Ignore,
            (Class::Notify, _) => Class::Notify,
            (Class::Respond, _) if is_bulk && shown.is_social => Class::Ignore,
            // Nobody waits for the answer of one of many, and what a tracker wants of one of them is seen there.
            (Class::Respond, Act::Asks) if is_bulk && shown.is_from_tracker => Class::Notify,
            (Class::Respond, Act::Asks) if is_bulk => Class::Ignore,
            (Class::Respond, Act::Asks) => asked(shown),
            (Class::Respond, Act::Tells) if is_bulk && shown.may_sell => Class::Ignore,
            (Class::Respond, Act::Tells) => Class::Notify,
            (Class::Respond, Act::Sells | Act::Tricks) if is_bulk => Class::Ignore,
            // What a program sends to one person alone is about something of theirs.
            (Class::Respond, Act::Sells | Act::Tricks) => Class::Notify,
        }
    }

    /// How often the model takes it for a fraud.
    fn votes(&self) -> usize {
        usize::from(self.kind == FRAUD) + usize::from(self.act == Act::Tricks)
    }

    /// The more often the model takes it for a fraud, the fewer signs make it one. If the model does not at all, a mail that says
    /// the owner's name needs one sign more.
    fn is_fraud(&self, shown: &Evidence) -> bool {
        let against = usize::from(shown.is_named && self.votes() == 0);
        shown.tricks + self.votes() >= CERTAIN + against
    }

    /// A kind that nobody offered is shown: that loses nothing.
    fn of_kind(&self) -> Class {
        let of_kind = KINDS.iter().find(|(kind, _)| *kind == self.kind);
        of_kind.map_or(Class::Notify, |(_, class)| *class)
    }
}

/// A small model takes what somebody tells for a question; nobody asks without words for it.
fn asked(shown: &Evidence) -> Class {
    match shown.may_ask {
        true => Class::Respond,
        false => Class::Notify,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::{Value as Json, json};

    use super::*;
    use crate::{
        Address,
        parse::{Mail, parse},
    };

    fn json_of(line: &str) -> Json {
        serde_json::from_str(line).expect("a line of JSON")
    }

    /// What a mail from a stranger shows that asks a question and has no other sign.
    fn plain(addressing: Addressing) -> Evidence {
        let mail = Mail {
            text: "Is it the blue one?".into(),
            ..Mail::default()
        };
        Evidence {
            addressing,
            ..Evidence::of(&mail, &Address::new("me@example.org"))
        }
    }

    fn seen(act: Act, kind: &str) -> SmallReading {
        SmallReading {
            says: "Somebody writes.".into(),
            act,
            kind: kind.into(),
            wish: Wish::Nothing,
        }
    }

    #[test]
    fn what_it_does_and_its_kind_make_the_class() {
        use Addressing::{ByProgram, InBulk, ThroughList, ToGroup, ToOwner};
        for (act, kind, addressing, wanted) in [
            (Act::Asks, "question", ToOwner, Class::Respond),
            (Act::Asks, "question", ByProgram, Class::Respond),
            (Act::Asks, "invitation", InBulk, Class::Ignore),
            (Act::Asks, "question", ThroughList, Class::Respond),
            (Act::Asks, "renewal", ToOwner, Class::Respond),
            (Act::Asks, "renewal", ByProgram, Class::Notify),
            (Act::Tells, "meeting", ToGroup, Class::Notify),
            (Act::Sells, "payslip", ByProgram, Class::Notify),
            (Act::Sells, "approval", ByProgram, Class::Notify),
            (Act::Tells, "receipt", ByProgram, Class::Ignore),
            (Act::Tells, "never offered", ToOwner, Class::Notify),
        ] {
            let class = seen(act, kind).class(&plain(addressing));
            assert_eq!(class, wanted, "{act:?} {kind} {addressing:?}");
        }
    }

    #[test]
    fn what_the_owner_said_goes_before_the_kind() {
        let seen: SmallReading = serde_json::from_value(json!({
            "says": "A program sends a payslip.", "act": "tells", "kind": "payslip", "wish": "ignore",
        }))
        .expect("the form");
        assert_eq!(seen.class(&plain(Addressing::ByProgram)), Class::Ignore);
    }

    #[test]
    fn the_surer_the_model_is_the_fewer_signs_make_a_fraud() {
        let signs = |tricks| Evidence {
            tricks,
            ..plain(Addressing::ToOwner)
        };
        for (act, kind, tricks, wanted) in [
            (Act::Asks, "payment due", 3, Class::Notify),
            (Act::Asks, "request", 3, Class::Notify),
            (Act::Asks, "request", 2, Class::Respond),
            (Act::Asks, "payment due", 2, Class::Notify),
            (Act::Asks, FRAUD, 2, Class::Ignore),
            (Act::Asks, FRAUD, 1, Class::Respond),
            (Act::Tricks, FRAUD, 1, Class::Ignore),
            (Act::Tricks, FRAUD, 0, Class::Notify),
        ] {
            let class = seen(act, kind).class(&signs(tricks));
            assert_eq!(class, wanted, "{act:?} {kind} {tricks}");
        }
        let named = Evidence {
            is_named: true,
            ..signs(4)
        };
        assert_eq!(seen(Act::Asks, "request").class(&named), Class::Notify);
        let fewer = Evidence { tricks: 3, ..named };
        assert_eq!(seen(Act::Asks, "request").class(&fewer), Class::Respond);
        let known = Evidence {
            is_known: true,
            ..named
        };
        assert_eq!(seen(Act::Asks, FRAUD).class(&known), Class::Notify);
        let program = |tricks| Evidence {
            tricks,
            ..plain(Addressing::ByProgram)
        };
        assert_eq!(seen(Act::Tells, FRAUD).class(&program(2)), Class::Notify);
        assert_eq!(seen(Act::Tricks, FRAUD).class(&program(2)), Class::Ignore);
    }

    #[test]
    fn a_stranger_sells_only_if_there_is_an_offer() {
        let nothing = plain(Addressing::ToOwner);
        let offer = Evidence {
            may_sell: true,
            ..nothing
        };
        let pitch = Evidence {
            pitches: true,
            ..offer
        };
        let inquiry = Evidence {
            inquires: true,
            ..offer
        };
        let told = Evidence {
            may_ask: false,
            ..nothing
        };
        for (act, kind, shown, wanted) in [
            (Act::Asks, "meeting", pitch, Class::Notify),
            (Act::Tells, "absence", pitch, Class::Notify),
            (Act::Asks, "sales", pitch, Class::Ignore),
            (Act::Sells, "meeting", pitch, Class::Ignore),
            (Act::Asks, "meeting", offer, Class::Respond),
            (Act::Sells, "meeting", offer, Class::Notify),
            (Act::Asks, "sales", offer, Class::Notify),
            (Act::Sells, "sales", offer, Class::Ignore),
            (Act::Sells, "sales", inquiry, Class::Respond),
            (Act::Asks, "sales", nothing, Class::Respond),
            (Act::Tells, "sales", told, Class::Notify),
            (Act::Sells, "sales", told, Class::Notify),
            (Act::Asks, "receipt", nothing, Class::Respond),
        ] {
            assert_eq!(seen(act, kind).class(&shown), wanted, "{act:?} {kind}");
        }
    }

    #[test]
    fn whoever_claims_something_is_answered_and_who_is_known_is_not_ignored() {
        let claim = Evidence {
            claims: true,
            ..plain(Addressing::ToOwner)
        };
        assert_eq!(seen(Act::Sells, "complaint").class(&claim), Class::Respond);
        assert_eq!(seen(Act::Tells, "delivery").class(&claim), Class::Notify);
        let known = Evidence {
            is_known: true,
            ..plain(Addressing::ToOwner)
        };
        assert_eq!(seen(Act::Tells, FRAUD).class(&known), Class::Respond);
        assert_eq!(seen(Act::Sells, "sales").class(&known), Class::Notify);
        assert_eq!(seen(Act::Sells, "meeting").class(&known), Class::Respond);
    }

    /// What qwen2.5-coder-1.5b says about the mails of `tasks/mails.jsonl`, and the class that the rules make of it. Instructions
    /// that are changed want it taken anew.
    #[test]
    fn what_a_small_model_has_said_of_the_mails_is_sorted_as_well_as_it_was() {
        let lines = |text: &'static str| text.lines().map(json_of);
        let mails = lines(include_str!("../../../tasks/mails.jsonl"));
        let said = lines(include_str!("../../../tasks/said.jsonl"));
        let owner = Address {
            name: Some("Max Muster".into()),
            email: "me@example.org".into(),
        };
        let mut right = BTreeMap::new();
        for (task, mut form) in mails.zip(said) {
            assert_eq!(
                form.as_object_mut().and_then(|it| it.remove("id")),
                task.get("id").cloned()
            );
            let seen: SmallReading = serde_json::from_value(form).expect("the form");
            let text = task["mail"].as_str().expect("a mail");
            let mail = parse(text.as_bytes()).expect("a mail");
            let class = seen.class(&Evidence::of(&mail, &owner));
            let is_right = json!(class) == task["class"];
            let half = task["half"].as_str().expect("a half").to_owned();
            *right.entry(half).or_insert(0) += u32::from(is_right);
            if !is_right {
                println!(
                    "{} {} {class:?} {:?} {:?} {}",
                    task["half"], task["id"], seen.act, seen.kind, seen.says
                );
            }
        }
        let wanted = [
            ("choosing", 31),
            ("held", 27),
            ("unseen", 29),
            ("fresh", 36),
        ];
        for (half, wanted) in wanted {
            let right = right.get(half).copied().unwrap_or(0);
            assert!(right >= wanted, "{half}: {right} right, {wanted} before");
        }
    }

    #[test]
    fn an_address_that_nobody_reads_gets_no_answer() {
        let unread = Evidence {
            takes_answers: false,
            ..plain(Addressing::ByProgram)
        };
        assert_eq!(seen(Act::Asks, "question").class(&unread), Class::Notify);
    }

    #[test]
    fn a_tracker_is_shown_and_a_social_network_is_not() {
        let bulk = plain(Addressing::InBulk);
        let tracker = Evidence {
            is_from_tracker: true,
            ..bulk
        };
        let network = Evidence {
            is_social: true,
            ..tracker
        };
        assert_eq!(seen(Act::Asks, "review").class(&tracker), Class::Notify);
        assert_eq!(seen(Act::Tells, "review").class(&network), Class::Ignore);
        let untrue = seen(Act::Sells, "advertising");
        assert_eq!(untrue.class(&bulk), Class::Notify);
    }
}
