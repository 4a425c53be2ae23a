//! A question in lines: its description with warnings highlighted, and the arguments that the description does not show.

use serde_json::{Map, Value as Json};
use superstep::text::{Hidden, reveal, sanitize, single_line};
use superstep_agent::{Diff, Span, bad, faint, plain, strong};

use super::question::Question;
use crate::tools::{self, EffectKind};

/// Arguments of a reply that have one possible value: the mail that is answered, and the address of its owner.
const FIXED: [&str; 2] = ["email_id", "email_address"];

/// What marks the lines of a model.
const GUTTER: &str = "│ ";

/// A question as it is shown.
pub struct Described {
    /// The lines.
    pub lines: Vec<Vec<Span>>,
    /// What a person should not overlook.
    pub warnings: Vec<String>,
}

/// Our part of a description, and the part below its rule, which others wrote.
fn parts(description: &str) -> (&str, &str) {
    if !description.starts_with("# ") {
        return ("", description);
    }
    let parts = description.split_once("\n---\n");
    parts.unwrap_or((description, ""))
}

impl Question {
    /// A question in lines. Warnings come before any text of a mail: before the recipients of a reply, in the list of guests of a
    /// meeting.
    pub fn described(&self) -> Described {
        let action = self.item.action_request.action.as_str();
        let mut all = Described {
            lines: Vec::new(),
            warnings: Vec::new(),
        };
        let hidden = Hidden::of_json(&Json::Object(self.args().clone()));
        if !hidden.is_empty() {
            all.warn(&format!(
                "The arguments contain {hidden}; they are shown as <U+...>."
            ));
        }
        if self.edit.is_some() {
            let how = "edited by you: this is what is accepted";
            all.lines.push(vec![faint(how)]);
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
                () if is_flag => all.warn(&line.replace("**", "")),
                () if is_head && line.starts_with("# ") => {
                    let heading = strong(line.trim_start_matches("# "));
                    all.lines.push(vec![heading]);
                }
                () if is_rule => all.lines.push(vec![faint("────────")]),
                () => all.lines.push(vec![plain(line)]),
            }
        }
        let left = self.args().iter();
        let left: Vec<_> = left
            .filter(|(key, value)| !is_shown(self, key, value))
            .collect();
        if !left.is_empty() {
            all.lines.push(Vec::new());
            all.lines.push(vec![faint("arguments")]);
        }
        for (key, value) in left {
            all.lines.extend(argument(key, value));
        }
        all
    }

    /// Who gets what a question is about: the recipients of a reply, the guests of a meeting.
    pub fn recipients(&self) -> String {
        let (ours, _) = parts(&self.item.description);
        let named = ours.lines().filter_map(|line| {
            let people = ["To: ", "Cc: "].iter().find_map(|it| line.strip_prefix(it));
            let guest = || line.strip_prefix("- ")?.split(" **").next();
            people.or_else(guest)
        });
        let named: Vec<String> = named.map(single_line).collect();
        let to = self.args().get("to").and_then(Json::as_str);
        match (named.is_empty(), to) {
            (false, _) => named.join(", "),
            (true, Some(to)) => single_line(to),
            (true, None) => self.subject.clone(),
        }
    }

    /// The arguments that a person changed.
    pub fn changes(&self, args: &Map<String, Json>) -> Vec<Diff> {
        let asked = &self.item.action_request.args;
        let gone = asked.keys().filter(|key| !args.contains_key(*key));
        let changed = args.keys().chain(gone).filter_map(|key| {
            let [old, new] = [asked, args].map(|it| it.get(key).map(text).unwrap_or_default());
            (old != new).then(|| Diff::between(key, &old, &new))
        });
        changed.collect()
    }
}

impl Described {
    /// The lines without their styles.
    pub fn texts(&self) -> Vec<String> {
        self.lines.iter().map(|line| text_of(line)).collect()
    }

    fn warn(&mut self, text: &str) {
        self.lines.push(vec![bad(format!("! {text}"))]);
        self.warnings.push(text.to_owned());
    }
}

/// Whether the description says what an argument is, or there is nothing else that it could be.
fn is_shown(question: &Question, key: &str, value: &Json) -> bool {
    let (ours, _) = parts(&question.item.description);
    let action = question.item.action_request.action.as_str();
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

/// A line without its styles.
pub(super) fn text_of(line: &[Span]) -> String {
    line.iter().map(Span::text).collect()
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
