//! A question in lines: its description with warnings highlighted, and the arguments that the description does not show.

use serde_json::{Map, Value as Json};
use superstep::text::{Hidden, reveal, sanitize, single_line};
use superstep_agent::{Span, bad, faint, plain, strong};

use crate::{
    Item,
    tools::{self, EffectKind},
};

/// Arguments of a reply that have one possible value: the mail that is answered, and the address of its owner.
const FIXED: [&str; 2] = ["email_id", "email_address"];

/// What marks the lines of a model.
const GUTTER: &str = "│ ";

/// How many lines of a reply are shown before it is sent.
const FIRST: usize = 8;

/// How many lines of anything else.
const MOST: usize = 16;

/// A question, and the arguments as a person changed them.
pub(super) struct Description<'a> {
    pub(super) item: &'a Item,
    pub(super) edit: Option<&'a Map<String, Json>>,
}

/// Lines as they are collected.
#[derive(Default)]
struct Lines {
    all: Vec<Vec<Span>>,
    warnings: Vec<String>,
}

/// Our part of a description, and the part below its rule, which others wrote.
fn parts(description: &str) -> (&str, &str) {
    if !description.starts_with("# ") {
        return ("", description);
    }
    let parts = description.split_once("\n---\n");
    parts.unwrap_or((description, ""))
}

impl Description<'_> {
    /// The lines, and what a person should not overlook. Warnings come before any text of a mail: before the recipients of a
    /// reply, in the list of guests of a meeting.
    pub(super) fn lines(&self) -> (Vec<Vec<Span>>, Vec<String>) {
        let action = self.item.action_request.action.as_str();
        let mut lines = Lines::default();
        let hidden = Hidden::of_json(&Json::Object(self.args().clone()));
        if !hidden.is_empty() {
            lines.warn(&format!(
                "The arguments contain {hidden}; they are shown as <U+...>."
            ));
        }
        if self.edit.is_some() {
            let how = "edited by you: this is what is accepted";
            lines.all.push(vec![faint(how)]);
        }
        let mut is_ours = self.item.description.starts_with("# ");
        let mut is_head = is_ours;
        // Below a rule are the words of others, which may have lines like it.
        let mut is_ruled = false;
        for line in sanitize(&self.item.description).lines() {
            let line = line.replace('\t', "    ");
            let is_rule = line == "---" && !is_ruled;
            is_ruled |= is_rule;
            is_ours &= !is_rule;
            is_head &= is_ours && !line.starts_with("To: ");
            // Lines of a model or a mail are marked, so a strong line is one of the program's.
            let is_guest = EffectKind::of(action) == Some(EffectKind::Calendar)
                && line.starts_with("- ")
                && line.ends_with("**");
            let is_flag = is_head && line.starts_with("**") || is_ours && is_guest;
            match () {
                () if is_flag => lines.warn(&line.replace("**", "")),
                () if is_head && line.starts_with("# ") => {
                    let heading = strong(line.trim_start_matches("# "));
                    lines.all.push(vec![heading]);
                }
                () if is_rule => lines.all.push(vec![faint("────────")]),
                () => lines.all.push(vec![plain(line)]),
            }
        }
        let left = self.args().iter();
        let left: Vec<_> = left
            .filter(|(key, value)| !is_shown(self.item, key, value))
            .collect();
        if !left.is_empty() {
            lines.all.push(Vec::new());
            lines.all.push(vec![faint("arguments")]);
        }
        for (key, value) in left {
            lines.all.extend(argument(key, value));
        }
        (lines.all, lines.warnings)
    }

    /// Who gets what a question is about: the recipients of a reply, the guests of a meeting.
    pub(super) fn recipients(&self) -> Option<String> {
        let (ours, _) = parts(&self.item.description);
        let named = ours.lines().filter_map(|line| {
            let people = ["To: ", "Cc: "].iter().find_map(|it| line.strip_prefix(it));
            let guest = || line.strip_prefix("- ")?.split(" **").next();
            people.or_else(guest)
        });
        let named: Vec<String> = named.map(single_line).collect();
        match named.is_empty() {
            false => Some(named.join(", ")),
            true => self
                .args()
                .get("to")
                .and_then(Json::as_str)
                .map(single_line),
        }
    }

    /// The time of the meeting that a question is about.
    pub(super) fn when(&self) -> Option<String> {
        let (ours, _) = parts(&self.item.description);
        let action = self.item.action_request.action.split(':').next();
        let mut lines = ours.lines();
        let line = match action? {
            // It stands below the title.
            tools::SCHEDULE => lines
                .skip_while(|line| !line.starts_with(GUTTER))
                .find(|line| !line.starts_with(GUTTER)),
            tools::MOVE => lines.find_map(|line| line.strip_prefix("New: ")),
            tools::CANCEL => lines.find_map(|line| line.strip_prefix("Cancelled: ")),
            _ => None,
        };
        line.map(single_line).filter(|line| !line.is_empty())
    }

    /// How many lines say what is about to be done: to whom, the subject and the first lines of a reply; the first lines of
    /// anything else.
    pub(super) fn brief(&self, lines: &[Vec<Span>]) -> usize {
        let starts = |line: &Vec<Span>, with: &str| {
            let first = line.first().map_or("", Span::text);
            first.starts_with(with)
        };
        let to = lines.iter().position(|line| starts(line, "To: "));
        let subject = to.and_then(|to| {
            let mut rest = lines.iter().skip(to);
            Some(to + rest.position(|line| starts(line, "Subject: "))?)
        });
        let is_reply = EffectKind::of(&self.item.action_request.action) == Some(EffectKind::Mail);
        match subject.filter(|_| is_reply) {
            // An empty line is between the subject and the text.
            Some(subject) => subject + 2 + FIRST,
            None => MOST,
        }
    }

    fn args(&self) -> &Map<String, Json> {
        self.edit.unwrap_or(&self.item.action_request.args)
    }
}

impl Lines {
    fn warn(&mut self, text: &str) {
        self.all.push(vec![bad(format!("! {text}"))]);
        self.warnings.push(text.to_owned());
    }
}

/// Whether the description says what an argument is, or there is nothing else that it could be.
fn is_shown(item: &Item, key: &str, value: &Json) -> bool {
    let (ours, _) = parts(&item.description);
    let action = item.action_request.action.as_str();
    if action.starts_with(tools::SEND) && FIXED.contains(&key) {
        return true;
    }
    match value {
        Json::String(text) => {
            let text = reveal(text);
            let wanted: Vec<&str> = text
                .trim_end()
                .split(['\n', '\r', '\u{2028}', '\u{2029}'])
                .collect();
            let shown: Vec<Option<&str>> =
                ours.lines().map(|line| line.strip_prefix(GUTTER)).collect();
            let is_it = |lines: &[Option<&str>]| {
                let mut pairs = lines.iter().zip(&wanted);
                pairs.all(|(line, wanted)| *line == Some(*wanted))
            };
            shown.windows(wanted.len()).any(is_it)
        }
        Json::Array(items) => {
            let is_named = |item: &Json| item.as_str().is_some_and(|it| ours.contains(it));
            items.iter().all(is_named)
        }
        _ => false,
    }
}

/// The text of an argument.
fn text(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Array(items) => {
            let texts = items.iter().map(|item| match item {
                Json::String(text) => text.clone(),
                other => other.to_string(),
            });
            texts.collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

/// An argument of a call, in as many lines as it has.
fn argument(key: &str, value: &Json) -> Vec<Vec<Span>> {
    let text = reveal(&text(value)).replace('\t', "    ");
    let mut rows = text.lines();
    let first = rows.next().unwrap_or_default();
    let key = single_line(&reveal(key));
    let mut lines = vec![vec![faint(format!("  {key}: ")), plain(first)]];
    lines.extend(rows.map(|row| vec![plain(format!("    {row}"))]));
    lines
}
