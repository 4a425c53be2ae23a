//! `superstep threads diff`: changes of the state. For people by field, with messages as they were said; as JSON by
//! JSON pointer, all of them.

use serde_json::{Value as Json, json};
use superstep::{Value, dynamic::Snapshot};

use super::{
    ThreadReader,
    words::{Utterance, lines, scalar, shortened},
};
use crate::{
    error::Error,
    output::{Form, Output, Span, bad, faint, good, plain, shown, strong},
};

/// How many lines of one field are shown to people.
const MOST_LINES: usize = 20;

/// How many letters of one line.
const MOST_LETTERS: usize = 400;

/// One difference.
#[derive(Debug, PartialEq)]
struct Change<'a> {
    at: String,
    from: Option<&'a Json>,
    to: Option<&'a Json>,
}

pub(super) async fn run(
    reader: &ThreadReader,
    thread: &str,
    (from, to): (Option<&str>, Option<&str>),
    output: &Output,
) -> Result<(), Error> {
    let agent = reader.agent(thread).await?;
    let graph = reader.graph_of(agent)?;
    let (from, to) = match (from, to) {
        (None, _) => {
            // The parent of the newest: the one before it in time may be of another branch.
            let mut all = reader.history(&graph, thread, None).await?;
            let parent = all.first().and_then(|newest| newest.parent);
            let before = |it: &Snapshot| it.checkpoint.is_some() && it.checkpoint == parent;
            let from = all.iter().position(before).map(|at| all.swap_remove(at));
            let Some((to, from)) = all.into_iter().next().zip(from) else {
                return Err(Error::Missing {
                    what: shown(format!(
                        "thread `{thread}` has nothing before its last checkpoint"
                    )),
                    hint: "`superstep threads history` lists the steps of a thread",
                });
            };
            (from, to)
        }
        (Some(from), to) => (
            reader.snapshot(&graph, thread, Some(from)).await?,
            reader.snapshot(&graph, thread, to).await?,
        ),
    };
    let (from, to) = (plain_state(&from.values), plain_state(&to.values));
    let mut changes = Vec::new();
    compare(String::new(), Some(&from), Some(&to), &mut changes);
    if output.form == Form::Json {
        return changes.iter().try_for_each(|change| {
            output.json(&json!({"path": change.at, "from": change.from, "to": change.to}))
        });
    }
    if changes.is_empty() {
        output.say(&[faint("nothing changed")]);
    }
    for (name, rows) in by_field(&from, &to, agent.name()) {
        output.data(&[strong(shown(name))])?;
        let left = rows.len().saturating_sub(MOST_LINES);
        for row in rows.into_iter().take(MOST_LINES) {
            output.data(&row.spans())?;
        }
        if left > 0 {
            output.data(&[faint(format!("  … {left} more lines; --json has all"))])?;
        }
    }
    Ok(())
}

/// One line of a difference.
#[derive(Debug, PartialEq)]
enum DiffLine {
    Gone(String),
    New(String),
}

impl DiffLine {
    fn spans(&self) -> [Span; 2] {
        match self {
            Self::Gone(text) => [bad("  - "), plain(shortened(text, MOST_LETTERS))],
            Self::New(text) => [good("  + "), plain(shortened(text, MOST_LETTERS))],
        }
    }
}

/// The fields that differ, and how.
fn by_field(from: &Json, to: &Json, agent: &str) -> Vec<(String, Vec<DiffLine>)> {
    let names = |state: &Json| -> Vec<String> {
        let fields = state.as_object().into_iter().flatten();
        fields.map(|(name, _)| name.clone()).collect()
    };
    let mut all = names(to);
    all.extend(names(from).into_iter().filter(|it| to.get(it).is_none()));
    let mut found = Vec::new();
    for name in all {
        let (old, new) = (from.get(&name), to.get(&name));
        if old == new {
            continue;
        }
        let rows = rows(
            old.unwrap_or(&Json::Null),
            new.unwrap_or(&Json::Null),
            agent,
        );
        found.push((name, rows));
    }
    found
}

fn rows(old: &Json, new: &Json, agent: &str) -> Vec<DiffLine> {
    match (old, new) {
        (Json::Array(old), Json::Array(new)) => {
            let same = old.iter().zip(new).take_while(|(one, other)| one == other);
            let same = same.count();
            let told = |item: &Json| lines(&item_in_words(item, agent));
            let gone = old.iter().skip(same).flat_map(told).map(DiffLine::Gone);
            let added = new.iter().skip(same).flat_map(told).map(DiffLine::New);
            gone.chain(added).collect()
        }
        (Json::Object(_), Json::Object(_)) => {
            let mut changes = Vec::new();
            compare(String::new(), Some(old), Some(new), &mut changes);
            let mut rows = Vec::new();
            for change in changes {
                let at = change.at.trim_start_matches('/').to_owned();
                let told = |value: &Json| format!("{at}: {}", one_line(value));
                rows.extend(
                    change
                        .from
                        .filter(|it| !it.is_null())
                        .map(told)
                        .map(DiffLine::Gone),
                );
                rows.extend(
                    change
                        .to
                        .filter(|it| !it.is_null())
                        .map(told)
                        .map(DiffLine::New),
                );
            }
            rows
        }
        _ => {
            let told = |value: &Json| match value {
                Json::Null => Vec::new(),
                value => lines(&item_in_words(value, agent)),
            };
            let (old, new) = (told(old), told(new));
            // Lines that both have at the beginning are not told again.
            let same = old.iter().zip(&new).take_while(|(one, other)| one == other);
            let same = same.count();
            let gone = old.into_iter().skip(same).map(DiffLine::Gone);
            gone.chain(new.into_iter().skip(same).map(DiffLine::New))
                .collect()
        }
    }
}

fn item_in_words(item: &Json, agent: &str) -> String {
    match Utterance::of(item, agent) {
        Some(said) => format!("{}: {}", said.who, said.text),
        None => scalar(item),
    }
}

fn one_line(value: &Json) -> String {
    superstep::text::single_line(&scalar(value))
}

/// The fields of the state that differ.
pub(super) fn fields(from: &Value, to: &Value) -> Vec<String> {
    let (from, to) = (plain_state(from), plain_state(to));
    let mut names = Vec::new();
    for name in to.as_object().into_iter().flat_map(|fields| fields.keys()) {
        if from.get(name) != to.get(name) {
            names.push(name.clone());
        }
    }
    names
}

fn plain_state(values: &Value) -> Json {
    serde_json::to_value(values).unwrap_or(Json::Null)
}

fn compare<'a>(
    at: String,
    from: Option<&'a Json>,
    to: Option<&'a Json>,
    changes: &mut Vec<Change<'a>>,
) {
    if from == to {
        return;
    }
    match (from, to) {
        (Some(Json::Object(one)), Some(Json::Object(other))) => {
            let gone = one.keys().filter(|key| !other.contains_key(*key));
            for key in other.keys().chain(gone) {
                let below = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
                compare(below, one.get(key), other.get(key), changes);
            }
        }
        (Some(Json::Array(one)), Some(Json::Array(other))) => {
            for n in 0..one.len().max(other.len()) {
                compare(format!("{at}/{n}"), one.get(n), other.get(n), changes);
            }
        }
        _ => changes.push(Change { at, from, to }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_told_by_where_they_are() {
        let from = json!({"a": 1, "b": [1, 2], "c/d": {"e": "x"}, "gone": null});
        let to = json!({"a": 1, "b": [1, 3, 4], "c/d": {"e": "y"}});
        let mut changes = Vec::new();
        compare(String::new(), Some(&from), Some(&to), &mut changes);
        let found: Vec<_> = changes
            .iter()
            .map(|change| (change.at.as_str(), change.from.cloned(), change.to.cloned()))
            .collect();
        let wanted = vec![
            ("/b/1", Some(json!(2)), Some(json!(3))),
            ("/b/2", None, Some(json!(4))),
            ("/c~1d/e", Some(json!("x")), Some(json!("y"))),
            ("/gone", Some(json!(null)), None),
        ];
        assert_eq!(found, wanted);
    }

    #[test]
    fn people_read_what_was_said_and_not_its_ids() {
        let from =
            json!({"history": [{"id": "1", "type": "human", "content": "one"}], "query": null});
        let to = json!({
            "history": [
                {"id": "1", "type": "human", "content": "one"},
                {"id": "2", "type": "ai", "content": "Two?\nThree?", "usage_metadata": {"n": 1}},
            ],
            "query": "Two?",
            "inputs": {"folder": "docs"},
        });
        let new = |text: &str| DiffLine::New(text.to_owned());
        let wanted = vec![
            (
                "history".to_owned(),
                vec![new("archie: Two?"), new("Three?")],
            ),
            ("inputs".to_owned(), vec![new("folder: docs")]),
            ("query".to_owned(), vec![new("Two?")]),
        ];
        let mut found = by_field(&from, &to, "archie");
        found.sort_by(|one, other| one.0.cmp(&other.0));
        assert_eq!(found, wanted);
    }
}
