//! What a mail shows of itself, whatever a small model makes of it: how it was sent, and what its words want.

use crate::{Address, parse::Mail, small::addressing::Addressing};

/// What somebody has to do for a fraud to succeed.
const BAIT: [&str; 22] = [
    "click",
    "link",
    "confirm",
    "verify",
    "validate",
    "update",
    "pay",
    "transfer",
    "send",
    "reply",
    "respond",
    "contact",
    "call",
    "provide",
    "enter",
    "claim",
    "download",
    "open",
    "attached",
    "attachment",
    "unlock",
    "log",
];

/// What a fraud is after, or leads to.
const LURES: [&str; 18] = [
    "link", "click", "http", "https", "www", "password", "account", "bank", "wallet", "bitcoin",
    "crypto", "prize", "usd", "verify", "unlock", "login", "fee", "winner",
];

/// Words without which nobody asks for anything without a question mark, in the languages of [`COMMON`].
const REQUESTS: [&str; 38] = [
    "please",
    "let me know",
    "let us know",
    "tell me",
    "tell us",
    "send me",
    "send us",
    "need you",
    "need your",
    "we need",
    "i need",
    "can you",
    "could you",
    "would you",
    "will you",
    "are you",
    "we ask",
    "i ask",
    "waiting for",
    "wait for your",
    "your answer",
    "your reply",
    "your decision",
    "your approval",
    "get back to",
    "sign off",
    "looking forward",
    "we expect",
    "asap",
    "bitte",
    "kannst du",
    "können sie",
    "könnten sie",
    "würden sie",
    "wir brauchen",
    "ich brauche",
    "rückmeldung",
    "um antwort",
];

/// Words that a text in English or German has.
const COMMON: [&str; 10] = [
    "the", "and", "is", "are", "to", "der", "die", "das", "und", "ist",
];

/// Where anybody gets an address, so that it makes nobody a colleague.
const PUBLIC: [&str; 14] = [
    "gmail.com",
    "googlemail.com",
    "outlook.com",
    "hotmail.com",
    "live.com",
    "yahoo.com",
    "gmx.de",
    "gmx.net",
    "web.de",
    "icloud.com",
    "me.com",
    "aol.com",
    "proton.me",
    "protonmail.com",
];

/// What a mail shows of itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evidence {
    pub(crate) addressing: Addressing,
    /// Whether it is from the owner's own domain.
    pub(crate) is_by_colleague: bool,
    /// Whether its words may ask for something.
    pub(crate) may_ask: bool,
    /// Whether it wants something done that a fraud wants done.
    pub(crate) baits: bool,
    /// Whether it names what a fraud is after.
    pub(crate) lures: bool,
}

impl Evidence {
    pub(crate) fn of(mail: &Mail, owner: &Address) -> Self {
        let words = words(&mail.text);
        let has = |wanted: &[&str]| wanted.iter().any(|it| words.contains(&format!(" {it} ")));
        let from = mail.from.as_ref().and_then(domain);
        let is_own = from.is_some() && from == domain(owner);
        let is_public = from.is_some_and(|it| PUBLIC.contains(&it.as_str()));
        // Of a text in another language nothing is known.
        let may_ask = mail.text.contains('?') || has(&REQUESTS) || !has(&COMMON);
        Self {
            addressing: Addressing::of(mail, owner),
            is_by_colleague: is_own && !is_public,
            may_ask,
            baits: has(&BAIT),
            lures: has(&LURES),
        }
    }
}

fn domain(address: &Address) -> Option<String> {
    let (_, domain) = address.email.rsplit_once('@')?;
    Some(domain.trim().to_lowercase())
}

/// The words of a text in lower case, a blank around each.
fn words(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let mut all = " ".to_owned();
    for word in words.filter(|word| !word.is_empty()) {
        all.push_str(&word.to_lowercase());
        all.push(' ');
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence(from: &str, text: &str) -> Evidence {
        let mail = Mail {
            from: Some(Address::new(from)),
            text: text.to_owned(),
            ..Mail::default()
        };
        Evidence::of(&mail, &Address::new("me@Example.org"))
    }

    #[test]
    fn whoever_asks_has_words_for_it() {
        for (text, wanted) in [
            ("Who covers for Tom?", true),
            ("Please refund one of the invoices.", true),
            (
                "The keys are with Miriam, and I can be reached from 11 on.",
                false,
            ),
            (
                "Die Schlüssel sind bei Miriam, und ich bin ab 11 da.",
                false,
            ),
            ("Por favor, envíe la factura.", true),
        ] {
            assert_eq!(evidence("a@b.example", text).may_ask, wanted, "{text}");
        }
    }

    #[test]
    fn colleagues_have_the_domain_of_the_owner_if_it_is_not_everybodys() {
        assert!(evidence("lina@example.org", "x").is_by_colleague);
        assert!(!evidence("lina@other.example", "x").is_by_colleague);
        let mail = Mail {
            from: Some(Address::new("a@gmail.com")),
            ..Mail::default()
        };
        assert!(!Evidence::of(&mail, &Address::new("me@gmail.com")).is_by_colleague);
    }
}
