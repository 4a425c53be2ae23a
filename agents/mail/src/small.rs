//! Mail on a small model: it sorts, fills in a form and words a decision; the program does the rest.
//!
//! ```text
//! triage ─► understand (a form) ─► decide (the owner, among proposed answers) ─► word ─► approve (the owner)
//!              │ a meeting: days by rule, free time by the calendar                 │ checked against mail and decision
//! ```
//!
//! The graph, the tools and the questions are those of every profile: what the program decides next is a call of a tool, as if
//! a model had made it (`graph/guided`). The prompts are in `prompts/small`.

pub(crate) mod addressing;
pub(crate) mod evidence;
mod finish;
pub(crate) mod form;
pub(crate) mod free;
mod greeting;
mod mentioned;
pub(crate) mod sort;
pub(crate) mod word;

use superstep::text::sanitize;

use crate::{
    Address,
    memory::Topic,
    parse::{Mail, clipped},
    prompt::person,
};

use self::addressing::Addressing;

/// How much of a mail a small model reads.
const MOST: usize = 1_500;

/// A mail as a small model reads it: who writes to whom about what, and the text; and how it was sent, if that matters.
pub(crate) fn short(mail: &Mail, owner: &Address, sent: Option<Addressing>) -> String {
    let from = mail.from.as_ref().map_or_else(|| "(nobody)".into(), person);
    let mut text = format!("From: {from}\n");
    let others = mail
        .to
        .iter()
        .chain(&mail.cc)
        .filter(|it| !it.is_same(owner));
    let others: Vec<String> = others.take(3).map(person).collect();
    if !others.is_empty() {
        text.push_str(&format!("To: {}\n", others.join(", ")));
    }
    if let Some(sent) = sent {
        text.push_str(&format!("Sent: {}\n", sent.written()));
    }
    text.push_str(&format!("Subject: {}\n\n", mail.subject));
    let said = sanitize(&mail.text);
    text.push_str(match clipped(said.trim(), MOST) {
        "" => "(no text)",
        said => said,
    });
    text
}

/// What a note says besides what it says at first: what was learnt of the owner.
pub(crate) fn learned(topic: Topic, note: &str) -> String {
    let first: Vec<&str> = topic.default_text().lines().map(str::trim).collect();
    let new = note.lines().map(str::trim);
    let new: Vec<&str> = new
        .filter(|line| !line.is_empty() && !first.contains(line))
        .collect();
    new.join("\n")
}

/// The name of somebody, or their address.
pub(crate) fn called(address: &Address) -> String {
    address
        .name
        .clone()
        .unwrap_or_else(|| address.email.clone())
}

/// What somebody is called in a greeting or at the end of a mail.
pub(crate) fn first_name(address: &Address) -> Option<String> {
    let name = address.name.as_deref()?.trim();
    let is_name = |word: &&str| word.chars().all(|c| c.is_alphabetic() || "-'’".contains(c));
    let first = name.split_whitespace().next().filter(is_name)?;
    Some(first.to_owned())
}
