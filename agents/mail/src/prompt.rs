//! Prompts: the texts are in the folder `prompts`, filled here.

use jiff::Timestamp;
use superstep::text::sanitize;

use crate::{
    Address,
    input::EmailInput,
    parse::{Attachment, Mail, Sending, clipped},
    settings::Zone,
};

/// Fills the places of a prompt.
pub(crate) fn filled(template: &str, places: &[(&str, &str)]) -> String {
    // One pass, so that a text that looks like a place is left as it is.
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        text.push_str(before);
        let Some((name, behind)) = after.split_once("}}") else {
            text.push_str("{{");
            rest = after;
            continue;
        };
        let found = places.iter().find(|(place, _)| *place == name);
        text.push_str(found.map_or("", |(_, value)| value));
        rest = behind;
    }
    text.push_str(rest);
    text
}

/// Somebody, as a person would write it.
pub(crate) fn person(address: &Address) -> String {
    address.to_string()
}

/// The words of the user, as a model reads them.
pub(crate) fn says(words: &str) -> String {
    format!("The user says: {words}")
}

/// The words of the user in such a text. Earlier versions called them by name.
pub(crate) fn said_by(owner: &str, text: &str) -> Option<String> {
    let mut names = ["The user", owner].into_iter();
    let words = names.find_map(|name| text.strip_prefix(name)?.strip_prefix(" says: "))?;
    Some(words.to_owned())
}

/// The text of a model in a question: each line is marked, so that none can be taken for one of ours.
pub(crate) fn gutter(text: &str) -> String {
    let lines = text.trim_end().split(['\n', '\r', '\u{2028}', '\u{2029}']);
    let lines: Vec<String> = lines.map(|line| format!("│ {line}")).collect();
    lines.join("\n")
}

fn people(addresses: &[Address]) -> String {
    let all: Vec<String> = addresses.iter().take(50).map(person).collect();
    all.join(", ")
}

/// Where answers to a mail go, if that is not its sender. Who pretends to be somebody else wants them so.
pub(crate) fn answers_elsewhere(mail: &Mail) -> Vec<String> {
    let from = mail.from.as_ref();
    let others = mail.reply_to.iter();
    let others = others.filter(|other| from.is_some_and(|from| !from.is_same(other)));
    others
        .map(|other| format!("Answers go to {}, not to the sender.", person(other)))
        .collect()
}

/// How much of a mail is put before a model or a person; small models read no more beside their
/// instructions.
const MAX_SHOWN: usize = 8 << 10;
const MAX_QUOTED: usize = 2 << 10;

/// A mail, as models and people read it.
pub(crate) fn shown(mail: &Mail, zone: &Zone) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        if !value.is_empty() {
            text.push_str(&format!("{name}: {value}\n"));
        }
    };
    line(
        "From",
        mail.from.as_ref().map_or_else(|| "(nobody)".into(), person),
    );
    line("Reply-To", people(&mail.reply_to));
    line("To", people(&mail.to));
    line("Cc", people(&mail.cc));
    line("Subject", mail.subject.clone());
    let date = mail.date.map(|date| day_and_time(date, zone));
    line("Date", date.unwrap_or_default());
    for attachment in &mail.attachments {
        line("Attachment", attached(attachment));
    }
    text.push('\n');
    // A model reads what a person sees, and nothing besides.
    let said = sanitize(&mail.text);
    text.push_str(match said.as_str() {
        "" => "(no text)",
        said => clipped(said, MAX_SHOWN),
    });
    if said.len() > MAX_SHOWN {
        text.push_str("\n(the rest is left out)");
    }
    if let Some(quoted) = &mail.quoted {
        let quoted = sanitize(quoted);
        let quoted = clipped(&quoted, MAX_QUOTED);
        text.push_str(&format!("\n\n(quoted from older mails)\n{quoted}"));
    }
    text
}

fn attached(attachment: &Attachment) -> String {
    let name = attachment.name.as_deref().unwrap_or("(no name)");
    let kind = if attachment.is_meeting {
        ", an invitation"
    } else {
        ""
    };
    format!(
        "{name} ({}, {} bytes{kind})",
        attachment.media_type, attachment.bytes
    )
}

pub(crate) fn day_and_time(at: Timestamp, zone: &Zone) -> String {
    let at = at.to_zoned(zone.zone.clone());
    format!("{} ({})", at.strftime("%A %d-%m-%Y %H:%M"), zone.name)
}

/// A mail as it is put before a model: the mail and no instruction.
pub(crate) fn for_model(input: &EmailInput, zone: &Zone) -> String {
    format!(
        "Email id: {}\n{}----- the mail begins -----\n{}\n----- the mail ends -----",
        input.id.0,
        sent_how(&input.mail.sending),
        shown(&input.mail, zone)
    )
}

/// How a mail was sent, by its headers.
fn sent_how(sending: &Sending) -> String {
    let all = [
        (sending.by_program, "by a program"),
        (sending.through_list, "through a mailing list"),
        (sending.has_unsubscribe, "with a way to unsubscribe"),
    ];
    let said = all.into_iter().filter(|(is_so, _)| *is_so);
    let said: Vec<&str> = said.map(|(_, how)| how).collect();
    match said.is_empty() {
        true => String::new(),
        false => format!("Sent: {}\n", said.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_looks_like_a_place_is_left() {
        let text = filled("a {{x}} b {{y}} {{ c", &[("x", "{{y}}"), ("y", "2")]);
        assert_eq!(text, "a {{y}} b 2 {{ c");
    }
}
