//! One record as a line, a sentence, or a row of a table.

use serde_json::Value as Json;

use crate::{
    answer::Table,
    catalogue::{Api, EntityType, Parameters},
    question::Aspect,
};

/// The most plain fields of a record that a line shows.
const MAX_SHOWN: usize = 4;

/// A number as people write it, a text as it is.
pub(crate) fn text(value: &Json) -> String {
    match value {
        Json::Number(number) => match number.as_u64() {
            Some(number) => grouped(number),
            None => number.to_string(),
        },
        Json::String(text) => text.clone(),
        Json::Bool(true) => "yes".into(),
        Json::Bool(false) => "no".into(),
        Json::Object(user) => {
            let name = user.get("name").or_else(|| user.get("handle"));
            name.and_then(Json::as_str).unwrap_or("unknown").to_owned()
        }
        Json::Array(items) if items.is_empty() => "none".into(),
        Json::Array(items) => items.iter().map(text).collect::<Vec<_>>().join(", "),
        Json::Null => "unknown".into(),
    }
}

/// `1234567` as `1,234,567`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// What an operation answers with, in words: `trending tracks`.
pub(super) fn subject(api: Option<&Api>) -> String {
    let name = api
        .map(|api| api.tool_name.to_lowercase())
        .unwrap_or_default();
    name.strip_prefix("get ").unwrap_or(&name).to_owned()
}

/// What a list is headed with. Its first record is behind those that were left out.
pub(super) fn title(
    api: Option<&Api>,
    parameters: Option<&Parameters>,
    (skipped, count): (u64, usize),
) -> String {
    let name = subject(api);
    let said = |name: &str| parameters.and_then(|it| it.get(name)).map(text);
    let mut details: Vec<String> = Vec::new();
    for name in [
        "genre", "mood", "time", "time_range", "window", "query", "status", "type",
    ] {
        details.extend(said(name).map(|value| format!("{}: {value}", name.replace('_', " "))));
    }
    let details = match details.is_empty() {
        true => String::new(),
        false => format!(" ({})", details.join(", ")),
    };
    if skipped > 0 {
        let last = skipped.saturating_add(count as u64);
        let first = skipped.saturating_add(1);
        return format!("Here are the results {first} to {last} for {name}{details}:");
    }
    match count {
        1 => format!("Here is what Audius says for {name}{details}:"),
        count if name.contains("trending") || name.contains("top") => {
            let name = name.trim_start_matches("top ");
            format!("Here are the top {count} {name}{details}:")
        }
        count => format!("Here are {count} results for {name}{details}:"),
    }
}

/// A record as a line.
pub(super) fn line(record: &Json) -> String {
    let get = |name: &str| record.get(name).filter(|value| !value.is_null()).map(text);
    let or = |value: Option<String>| value.unwrap_or_else(|| "unknown".into());
    let owner = record.get("user").and_then(|user| user.get("name"));
    let owner = or(owner.filter(|it| !it.is_null()).map(text));
    match record.get("type").and_then(Json::as_str) {
        Some("track") => {
            let plays = or(get("playCount"));
            format!("\"{}\" by {owner} ({plays} plays)", or(get("title")))
        }
        Some("playlist") => {
            let kind = match record.get("isAlbum") {
                Some(Json::Bool(true)) => "album",
                _ => "playlist",
            };
            let tracks = or(get("trackCount"));
            format!(
                "\"{}\" by {owner} ({kind}, {tracks} tracks)",
                or(get("title"))
            )
        }
        Some("user") => {
            let followers = or(get("followerCount"));
            format!(
                "{} (@{}, {followers} followers)",
                or(get("name")),
                or(get("handle"))
            )
        }
        Some("value") => or(get("value")),
        _ => {
            let parts = shown(record).into_iter().map(|(field, wire)| {
                let value = or(get(&field));
                match wire.as_str() {
                    "name" | "message" | "title" => value,
                    wire => format!("{}: {value}", label(wire)),
                }
            });
            match parts.collect::<Vec<_>>().join(", ") {
                line if line.is_empty() => {
                    "a record with nothing that can be shown in a line".into()
                }
                line => line,
            }
        }
    }
}

/// The fields that a line or a row shows, as they are in the record and on the wire.
pub(super) fn shown(record: &Json) -> Vec<(String, String)> {
    let kind = record.get("type").and_then(Json::as_str);
    let known = columns_of(kind.unwrap_or_default());
    if !known.is_empty() {
        let known = known.iter();
        let known = known.filter(|(field, _, _)| record.get(field).is_some_and(|it| !it.is_null()));
        return known
            .map(|(field, wire, _)| ((*field).to_owned(), (*wire).to_owned()))
            .collect();
    }
    let Some(fields) = record.as_object() else {
        return Vec::new();
    };
    let plain = |name: &str, value: &Json| {
        !["type", "rank", "at"].contains(&name)
            && !matches!(value, Json::Null | Json::Bool(false))
            && text(value).len() < 160
    };
    let mut found: Vec<(String, String)> = fields
        .iter()
        .filter(|(name, value)| plain(name, value))
        .map(|(name, _)| (name.clone(), name.clone()))
        .collect();
    // What names a record comes first, ids last.
    found.sort_by_key(|(name, _)| match name.as_str() {
        "name" | "title" | "message" | "key" => 0,
        "ticker" | "user" | "sender" | "count" | "rank" => 1,
        name if name == "id" || name.ends_with("_id") || name.contains("address") => 3,
        _ => 2,
    });
    found.truncate(MAX_SHOWN);
    found
}

/// What a record is of, if that has a name.
fn kind_of(record: &Json) -> Option<EntityType> {
    match record.get("type").and_then(Json::as_str)? {
        "user" => Some(EntityType::User),
        "track" => Some(EntityType::Track),
        "playlist" => Some(EntityType::Playlist),
        _ => None,
    }
}

/// The field that names a record, in it and on the wire.
pub(super) fn name_of(record: &Json) -> Option<(&'static str, &'static str)> {
    Some(match kind_of(record)? {
        EntityType::User => ("name", "name"),
        EntityType::Track => ("title", "title"),
        EntityType::Playlist => ("title", "playlist_name"),
    })
}

/// The field that is asked for, in the record and on the wire.
pub(super) fn field_of(aspect: Aspect, record: &Json) -> Option<(String, &'static str)> {
    let wire = aspect.field(kind_of(record)?)?;
    Some((crate::reply::name_of(wire), wire))
}

/// The columns of records of a kind: in the record, on the wire, and as heads of a table.
fn columns_of(kind: &str) -> &'static [(&'static str, &'static str, &'static str)] {
    match kind {
        "track" => &[
            ("title", "title", "title"),
            ("user", "user/name", "artist"),
            ("playCount", "play_count", "plays"),
            ("favoriteCount", "favorite_count", "favorites"),
            ("genre", "genre", "genre"),
        ],
        "playlist" => &[
            ("title", "playlist_name", "title"),
            ("user", "user/name", "owner"),
            ("trackCount", "track_count", "tracks"),
            ("favoriteCount", "favorite_count", "favorites"),
        ],
        "user" => &[
            ("name", "name", "name"),
            ("handle", "handle", "handle"),
            ("followerCount", "follower_count", "followers"),
            ("trackCount", "track_count", "tracks"),
        ],
        "coin" => &[
            ("name", "name", ""),
            ("ticker", "ticker", ""),
            ("price", "price", ""),
            ("marketCap", "marketCap", ""),
            ("holder", "holder", ""),
        ],
        "value" => &[("value", "", "")],
        _ => &[],
    }
}

/// A sentence that says a field.
pub(super) fn sentence(aspect: Aspect, name: &str, value: &str) -> String {
    match aspect {
        Aspect::Duration => format!("{name} is {value} seconds long."),
        Aspect::Genre | Aspect::Mood | Aspect::Key => {
            format!("The {} of {name} is {value}.", aspect.name())
        }
        Aspect::Bpm => format!("{name} has {value} bpm."),
        Aspect::ReleaseDate => format!("{name} was released on {value}."),
        Aspect::Location => format!("{name} is from {value}."),
        Aspect::Verified if value == "yes" => format!("{name} is verified."),
        Aspect::Verified => format!("{name} is not verified."),
        Aspect::Following => format!("{name} follows {value} users."),
        Aspect::Bio | Aspect::Description | Aspect::Link => format!("{name}: {value}"),
        Aspect::Downloadable if value == "yes" => format!("{name} can be downloaded."),
        Aspect::Downloadable => format!("{name} cannot be downloaded."),
        aspect => format!("{name} has {value} {}.", aspect.name()),
    }
}

/// A value of an order, with what it is one of.
pub(super) fn measured(aspect: Aspect, value: &str) -> String {
    match aspect {
        Aspect::Duration => format!("{value} seconds"),
        Aspect::ReleaseDate => value.to_owned(),
        aspect => format!("{value} {}", aspect.label()),
    }
}

/// Whose a record is: ` by A`, or the handle of a user.
pub(super) fn owner_of(record: &Json) -> String {
    let owner = record.get("user").and_then(|user| user.get("name"));
    let handle = record.get("handle").and_then(Json::as_str);
    match (owner.filter(|it| !it.is_null()), handle) {
        (Some(owner), _) => format!(" by {}", text(owner)),
        (None, Some(handle)) => format!(" (@{handle})"),
        _ => String::new(),
    }
}

/// Records as a table: the columns of the first one's type.
pub(super) fn table(records: &[Json], skipped: u64) -> Option<Table> {
    let first = records.first()?;
    if records.len() < 2 {
        return None;
    }
    kind_of(first)?;
    let columns = columns_of(first.get("type")?.as_str()?);
    let kind = first.get("type");
    if records.iter().any(|record| record.get("type") != kind) {
        return None;
    }
    let rows = records.iter().map(|record| {
        let cell = |(field, _, _): &(&str, &str, &str)| match record.get(field) {
            None | Some(Json::Null) => String::new(),
            Some(value) => text(value),
        };
        let rank = record.get("rank").and_then(Json::as_u64);
        let rank = rank.map(|rank| rank.saturating_add(skipped).to_string());
        let rank = rank.unwrap_or_default();
        std::iter::once(rank)
            .chain(columns.iter().map(cell))
            .collect()
    });
    let heads = columns.iter().map(|(_, _, head)| (*head).to_owned());
    Some(Table {
        rows: rows.collect(),
        columns: std::iter::once("#".to_owned()).chain(heads).collect(),
        is_apart: false,
    })
}

/// A name on the wire as people write it: `end_date` and `marketCap` are `end date` and `market cap`.
fn label(wire: &str) -> String {
    let mut label = String::new();
    for letter in wire.chars() {
        if letter == '_' || letter.is_uppercase() {
            label.push(' ');
        }
        label.extend(letter.to_lowercase().filter(|letter| *letter != '_'));
    }
    label
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        let shown = [0, 999, 1_234, 1_234_567, u64::MAX].map(|it| text(&it.into()));
        let expected = [
            "0", "999", "1,234", "1,234,567", "18,446,744,073,709,551,615",
        ];
        assert_eq!(shown, expected);
    }
}
