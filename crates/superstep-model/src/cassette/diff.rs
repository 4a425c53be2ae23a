//! How a request differs from the nearest one that was recorded.

use std::{collections::BTreeMap, fmt::Write};

use serde_json::Value as Json;

use super::request::Canonical;

/// How many differences are shown.
const SHOWN: usize = 6;

/// The differences to the recorded request that has the fewest.
pub(super) fn nearest<'a>(
    asked: &Canonical,
    recorded: impl Iterator<Item = &'a Canonical>,
) -> String {
    let asked = leaves(asked.json());
    let near = recorded
        .map(|one| differences(&leaves(one.json()), &asked))
        .min_by_key(Vec::len);
    let Some(differences) = near else {
        return "nothing is recorded".into();
    };
    let mut message = String::from("the nearest one recorded differs at");
    for (place, before, now) in differences.iter().take(SHOWN) {
        // Writing to a string does not fail.
        let _ = write!(
            message,
            "\n  {place}: recorded {}, asked {}",
            shown(before),
            shown(now)
        );
    }
    if let Some(more) = differences.len().checked_sub(SHOWN + 1) {
        let _ = write!(message, "\n  and {} more", more + 1);
    }
    message
}

type Leaves<'a> = BTreeMap<String, &'a Json>;
type Difference<'a> = (String, Option<&'a Json>, Option<&'a Json>);

fn differences<'a>(before: &Leaves<'a>, now: &Leaves<'a>) -> Vec<Difference<'a>> {
    let mut places: Vec<&String> = before.keys().chain(now.keys()).collect();
    places.sort_unstable();
    places.dedup();
    places
        .into_iter()
        .map(|place| {
            let (before, now) = (before.get(place).copied(), now.get(place).copied());
            (place.clone(), before, now)
        })
        .filter(|(_, before, now)| before != now)
        .collect()
}

/// All values that hold no others, by JSON pointer. Numbers are padded, so that places sort as they
/// stand.
fn leaves(json: &Json) -> Leaves<'_> {
    let mut found = Leaves::new();
    let mut open = vec![(String::new(), json)];
    while let Some((place, json)) = open.pop() {
        match json {
            Json::Object(fields) if !fields.is_empty() => {
                let below = fields.iter();
                open.extend(below.map(|(key, value)| (format!("{place}/{key}"), value)));
            }
            Json::Array(items) if !items.is_empty() => {
                let below = items.iter().enumerate();
                open.extend(below.map(|(at, value)| (format!("{place}/{at:02}"), value)));
            }
            leaf => {
                found.insert(place, leaf);
            }
        }
    }
    found
}

fn shown(value: &Option<&Json>) -> String {
    const LENGTH: usize = 100;
    let Some(value) = value else {
        return "nothing".into();
    };
    let text = value.to_string();
    let mut shown: String = text.chars().take(LENGTH).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}
