//! `superstep threads diff`: changes of the state, by JSON pointer.

use serde_json::{Value as Json, json};
use superstep::Value;

use super::ThreadReader;
use crate::{
    error::Error,
    output::{Form, Output, bad, faint, good, plain, shown},
};

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
    from: Option<&str>,
    to: Option<&str>,
    output: &Output,
) -> Result<(), Error> {
    let graph = reader.graph(thread).await?;
    let (from, to) = match (from, to) {
        (None, _) => {
            let mut last = reader.history(&graph, thread, Some(2)).await?.into_iter();
            let Some((to, from)) = last.next().zip(last.next()) else {
                return Err(Error::Missing {
                    what: shown(format!("thread `{thread}` has only one checkpoint")),
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
    for change in &changes {
        tell(change, output)?;
    }
    if changes.is_empty() && output.form == Form::Text {
        output.say(&[faint("nothing changed")]);
    }
    Ok(())
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

fn tell(change: &Change<'_>, output: &Output) -> Result<(), Error> {
    if output.form == Form::Json {
        return output.json(&json!({"path": change.at, "from": change.from, "to": change.to}));
    }
    output.data(&[plain(&change.at)])?;
    if let Some(from) = change.from {
        output.data(&[bad("  - "), plain(from)])?;
    }
    if let Some(to) = change.to {
        output.data(&[good("  + "), plain(to)])?;
    }
    Ok(())
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
}
