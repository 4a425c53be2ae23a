//! What a mail shows of itself, whatever a small model makes of it: how it was sent, and what its words want.
//!
//! The rules are about what mails of a kind have in common, in English and German; of a text in another language nothing is
//! known, and what the model says stands. Each kind of sign has a file of its own.

mod asking;
mod claim;
mod mail_text;
mod pitch;
mod trick;

use crate::{
    Address,
    parse::{Mail, is_nobody},
    small::addressing::Addressing,
};
use mail_text::MailText;

/// Where anybody gets an address, so that it makes nobody a colleague.
const PUBLIC: [&str; 14] = [
    "gmail.com", "googlemail.com", "outlook.com", "hotmail.com", "live.com", "yahoo.com", "gmx.de",
    "gmx.net", "web.de", "icloud.com", "me.com", "aol.com", "proton.me", "protonmail.com",
];

/// Whether anybody gets an address at a domain.
pub(crate) fn is_public(domain: &str) -> bool {
    PUBLIC.contains(&domain)
}

/// What people do in social networks.
const SOCIAL: &str = "\
    a post, your post, posts, your photo, photos, your profile, followers, follows you, followed you, people you may \
    know, your network, your connections, to connect, liked, likes, dein profil, deinem netzwerk, beitrag \
    kommentiert, folgt dir, gefällt";

/// What a mail shows of itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evidence {
    pub(crate) addressing: Addressing,
    /// Whether the owner has to do with its sender: a colleague, or somebody who answers what was written here.
    pub(crate) is_known: bool,
    /// Whether anybody reads what is answered to it.
    pub(crate) takes_answers: bool,
    /// Whether its words may ask for something.
    pub(crate) may_ask: bool,
    /// Whether its words complain or say that something is due.
    pub(crate) claims: bool,
    /// Whether somebody claims that for themselves.
    pub(crate) demands: bool,
    /// Whether there is any offer in it.
    pub(crate) may_sell: bool,
    /// Whether a stranger offers something that nobody asked for.
    pub(crate) pitches: bool,
    /// Whether somebody wants what the owner has: to buy, to apply, to write about it.
    pub(crate) inquires: bool,
    /// Whether it is about something that the owner knows.
    pub(crate) refers: bool,
    /// How many signs of a fraud it has.
    pub(crate) tricks: usize,
    /// Whether it says the name of the owner.
    pub(crate) is_named: bool,
    /// Whether a program sends it to those who follow a thing, and offers nothing.
    pub(crate) is_from_tracker: bool,
    /// Whether it is about what people post and like.
    pub(crate) is_social: bool,
    /// Whether it leads somewhere else, as all that is sent to many does.
    pub(crate) has_link: bool,
}

impl Evidence {
    pub(crate) fn of(mail: &Mail, owner: &Address) -> Self {
        let addressing = Addressing::of(mail, owner);
        let said = MailText::by(mail);
        let is_known = is_colleague(mail, owner) || is_answer(mail);
        let is_strange = !is_known && addressing.is_by_person();
        let claims = claim::claims(&said);
        let may_sell = pitch::may_sell(&said);
        Self {
            addressing,
            is_known,
            takes_answers: !mail.from.as_ref().is_some_and(is_nobody) || !mail.reply_to.is_empty(),
            may_ask: asking::may_ask(&said),
            claims,
            demands: claim::demands(&said),
            may_sell,
            pitches: is_strange && !claims && pitch::pitches(&said),
            inquires: pitch::inquires(&said),
            refers: pitch::refers(&said),
            tricks: trick::signs(&said),
            is_named: is_named(owner, mail),
            is_from_tracker: mail.sending.through_list && mail.sending.by_program && !may_sell,
            is_social: said.has(SOCIAL),
            has_link: mail.text.contains("://"),
        }
    }
}

fn is_colleague(mail: &Mail, owner: &Address) -> bool {
    let from = mail.from.as_ref().and_then(domain);
    from.is_some_and(|from| {
        Some(&from) == domain(owner).as_ref() && !PUBLIC.contains(&from.as_str())
    })
}

/// Whether it answers a mail of somebody else, as it says itself. Who reminds of their own mail answers only themselves.
fn is_answer(mail: &Mail) -> bool {
    let from = mail.from.as_ref().and_then(domain);
    let ids = mail.in_reply_to.iter().chain(&mail.references);
    let mut domains = ids.filter_map(|id| id.rsplit_once('@'));
    domains.any(|(_, domain)| Some(domain.to_lowercase()) != from)
}

/// Whether it says the name of the owner, which who writes to thousands may not know.
fn is_named(owner: &Address, mail: &Mail) -> bool {
    let name = owner.name.as_deref().unwrap_or_default().to_lowercase();
    let text = mail.text.to_lowercase();
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    words.any(|word| !word.is_empty() && name.split_whitespace().any(|part| part == word))
}

fn domain(address: &Address) -> Option<String> {
    let (_, domain) = address.email.rsplit_once('@')?;
    Some(domain.trim().to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mail(from: &str, text: &str) -> Mail {
        Mail {
            from: Some(Address::new(from)),
            to: vec![Address::new("me@example.org")],
            text: text.to_owned(),
            ..Mail::default()
        }
    }

    fn evidence(mail: &Mail) -> Evidence {
        let owner = Address {
            name: Some("Max Muster".into()),
            email: "me@Example.org".into(),
        };
        Evidence::of(mail, &owner)
    }

    fn said(text: &str) -> Evidence {
        evidence(&mail("a@b.example", text))
    }

    #[test]
    fn whoever_asks_has_words_for_it() {
        for text in [
            "Who covers for Tom?",
            "Please refund one of the invoices.",
            "For the statement we still need the lease of the van.",
            "Send me the numbers for the board by noon.",
            "can we move it to thursday, i have to see the doctor",
            "Hast du noch den Schlüssel. Ich brauche ihn am Samstag.",
            "Geben Sie uns bis Freitag Bescheid, ob das Kind mitkommt.",
            "Por favor, envíe la factura.",
            "The slides are at https://x.example/?id=1, did you see them?",
        ] {
            assert!(said(text).may_ask, "{text}");
        }
    }

    #[test]
    fn courtesy_asks_for_nothing() {
        for text in [
            "The keys are with Miriam, and I can be reached from 11 on.",
            "Please find the signed agreement attached for your files.",
            "Please note that the office is closed. Let me know if you have any questions.",
            "We would like to thank you for the good work.",
            "They will get back to you next week.",
            "FYI: the parking spaces are closed, please use the other side.",
            "Die Schlüssel sind bei Miriam, und ich bin ab 11 da.",
            "The report is at https://x.example/?id=1 now.",
            "Agreed, the smaller one.\n\n> Would that be ok for you? Please let me know.",
            "Lina has accepted this invitation.",
            "Anbei der Vertrag für Ihre Unterlagen. Bei Fragen melden Sie sich gern.",
        ] {
            assert!(!said(text).may_ask, "{text}");
        }
    }

    #[test]
    fn the_subject_of_an_answer_is_the_question_of_whoever_is_answered() {
        let titled = |subject: &str| Mail {
            subject: subject.into(),
            ..mail("a@b.example", "Agreed, that is fine for us.")
        };
        assert!(evidence(&titled("The smaller one?")).may_ask);
        assert!(!evidence(&titled("Re: The smaller one?")).may_ask);
        assert!(!evidence(&titled("AW: Die kleinere?")).may_ask);
    }

    #[test]
    fn a_stranger_who_offers_something_and_wants_a_call_pitches() {
        for text in [
            "Hi Max, I came across your company. We help teams to grow. Could we talk for 15 minutes?",
            "Your profile caught my eye. I am looking for a Head of Platform. Are you open to a chat?",
            "Dear Sir, we provide web development at competitive rates and would like to explore a partnership.",
            "I know you are busy. Did you see my last email? Invoicely saves finance teams ten hours a month. Worth a look?",
            "Teams like yours get 20% off this month, terms apply. Shall I send you a quick intro? Copyright 2026 X Ltd",
            "Wir helfen Unternehmen wie Ihrem, die Kosten zu senken. Hätten Sie 15 Minuten für ein Telefonat?",
            "Ihr Profil hat mich überzeugt. Für einen Mandanten suche ich einen Leiter. Sind Sie offen für ein Gespräch?",
        ] {
            assert!(said(text).pitches, "{text}");
        }
    }

    #[test]
    fn whoever_buys_applies_complains_reports_or_is_known_does_not() {
        for text in [
            "I came across your company. We need your product for 30 people. Could we talk, and what does it cost?",
            "We came across your profile. For a study I would like to interview you for 30 minutes.",
            "We met at the fair. I would like to show you our platform and talk about a partnership.",
            "Your API fails since Monday. We offer it to many people. Can we talk today?",
            "We offer you a discount of 5 % if you renew for two years. Shall we talk?",
            "I would like to introduce you to Kim, who builds sensors. Would a call next week suit you?",
            "Please find my CV attached. I look for a new role. Are you open to a first call?",
            "Wir sind auf Ihre Website gestoßen. Könnten Sie uns ein Angebot machen, gern in einem Telefonat?",
            "Our foundation helps companies. The annual report is out.",
            "We would like to book a demo for our team.",
        ] {
            assert!(!said(text).pitches, "{text}");
        }
        let text = "I came across your company. We help teams to grow. Could we talk?";
        assert!(!evidence(&mail("lina@example.org", text)).pitches);
        let answers = |id: &str| Mail {
            in_reply_to: vec![id.into()],
            ..mail("a@b.example", text)
        };
        assert!(!evidence(&answers("1@example.org")).pitches);
        assert!(evidence(&answers("without a domain")).pitches);
        assert!(evidence(&answers("1@b.example")).pitches);
    }

    #[test]
    fn a_fraud_has_several_signs_and_an_honest_mail_few() {
        for (text, signs) in [
            (
                "Dear customer, a fee was not paid. Pay within 48 hours with the link below.",
                4..=5,
            ),
            (
                "Your password expires today. Click here, otherwise your mailbox will be closed.",
                3..=5,
            ),
            (
                "I need you to buy five gift cards right now. Send me the codes.",
                3..=5,
            ),
            (
                "Sehr geehrter Kunde, bestätigen Sie Ihre Daten über den Link, sonst wird das Paket zurückgeschickt.",
                3..=5,
            ),
            (
                "I cannot log in to my account, the link leads to an error. Please reset my password.",
                0..=1,
            ),
            ("Could you send me the link to the slides?", 0..=1),
        ] {
            let found = said(text).tricks;
            assert!(signs.contains(&found), "{found}: {text}");
        }
    }

    #[test]
    fn colleagues_have_the_domain_of_the_owner_if_it_is_not_everybodys() {
        assert!(evidence(&mail("lina@example.org", "x")).is_known);
        assert!(!evidence(&mail("lina@other.example", "x")).is_known);
        let public = mail("a@gmail.com", "x");
        assert!(!Evidence::of(&public, &Address::new("me@gmail.com")).is_known);
    }

    #[test]
    fn nobody_reads_what_is_answered_to_a_program_that_names_no_other_address() {
        let form = mail("noreply@example.net", "Do you offer training?");
        assert!(!evidence(&form).takes_answers);
        let reply_to = vec![Address::new("lea@example.com")];
        assert!(evidence(&Mail { reply_to, ..form }).takes_answers);
    }
}
