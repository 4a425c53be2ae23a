//! What the program puts right about a worded reply: whom it greets, what it repeats of the mail, who signs it.

use std::collections::BTreeSet;

use superstep::tools::guided::{grounding, sentences};

use super::greeting::greeting;

/// How many words a sentence has at least to count as repeated.
const LONG: usize = 5;

/// How many words a greeting has at most.
const GREETING: usize = 4;

/// A reply that greets its reader, does not tell them their own sentences, and is signed. What was decided stays in it.
pub(super) fn finished(
    reply: &str,
    mail: &str,
    decision: &str,
    reader: Option<&str>,
    owner: &str,
) -> String {
    let unrepeated = without_repeated(reply, mail);
    let kept = match grounding::missing(decision, &unrepeated).is_empty() {
        true => &unrepeated,
        false => reply,
    };
    let mut lines: Vec<&str> = kept.trim().lines().map(str::trim_end).collect();
    let greeting = greeting(kept, mail, reader);
    match lines.first_mut() {
        Some(first) if is_greeting(first) => {
            let is_to_reader = reader.is_none_or(|name| has_word(first, name));
            if has_word(first, owner) || !is_to_reader {
                *first = &greeting;
            }
        }
        _ => lines.splice(0..0, [greeting.as_str(), ""]).for_each(drop),
    }
    if !lines.last().is_some_and(|last| has_word(last, owner)) {
        lines.push(owner);
    }
    lines.join("\n")
}

fn is_greeting(line: &str) -> bool {
    line.trim_end().ends_with([',', '!']) && line.split_whitespace().count() <= GREETING
}

fn has_word(line: &str, word: &str) -> bool {
    let mut words = line.split(|c: char| !c.is_alphanumeric() && !"-'’".contains(c));
    words.any(|it| it == word)
}

/// The reply without sentences that the mail has word for word.
fn without_repeated(reply: &str, mail: &str) -> String {
    let bare = |sentence: &str| -> Vec<String> {
        let words = sentence.split(|c: char| !c.is_alphanumeric());
        let words = words.filter(|it| !it.is_empty());
        words.map(str::to_lowercase).collect()
    };
    let of_mail: BTreeSet<Vec<String>> = mail.lines().flat_map(sentences).map(bare).collect();
    let is_new = |sentence: &&str| {
        let words = bare(sentence);
        words.len() < LONG || !of_mail.contains(&words)
    };
    let mut lines: Vec<String> = Vec::new();
    for line in reply.lines() {
        let kept: Vec<&str> = sentences(line)
            .into_iter()
            .map(str::trim)
            .filter(is_new)
            .collect();
        let was_emptied = kept.is_empty() && !line.trim().is_empty();
        let is_double = kept.is_empty() && lines.last().is_none_or(String::is_empty);
        if !was_emptied && !is_double {
            lines.push(kept.join(" "));
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAIL: &str = "From: Ann Keller <ann@example.net>\nSubject: Contract\n\nHello Max,\n\nthe support contract ends in \
        December. Would you like to renew it for one year or for two?\n\nAnn";

    fn finish(reply: &str, decision: &str) -> String {
        finished(reply, MAIL, decision, Some("Ann"), "Max")
    }

    #[test]
    fn the_reader_is_greeted_and_their_sentences_are_not_repeated() {
        let reply = "Hello Max,\n\nthe support contract ends in December. Would you like to renew it for one year or for two? \
                     I would like to renew it for two years.\n\nBest wishes";
        assert_eq!(
            finish(reply, "renew for two years"),
            "Hello Ann,\n\nI would like to renew it for two years.\n\nBest wishes\nMax"
        );
    }

    #[test]
    fn what_is_right_stays_as_it_is() {
        let reply = "Hi Ann,\n\nyes, we renew. The price of 3.5 EUR stays.\n\nMax";
        assert_eq!(finish(reply, "renew"), reply);
    }

    #[test]
    fn a_sentence_that_says_the_decision_stays_even_if_the_mail_has_it() {
        let reply = "The support contract ends in December.";
        assert_eq!(
            finish(reply, "contract ends in December"),
            "Hello Ann,\n\nThe support contract ends in December.\nMax"
        );
    }
}
