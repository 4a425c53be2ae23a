//! Replies of the API made into records: checked against the model they should have, sanitized, bounded.
//!
//! A reply is data of strangers. Unknown fields are ignored; a field that is used and missing or of
//! another type is left out and noted, never guessed. `record` has what is used of a track, a user and a
//! playlist; other models give their plain fields.

mod record;

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use crate::{
    catalogue::{Models, Operation, Shape},
    error::Error,
};

pub(crate) use record::{WORKED_OUT, clean, clean_text, fields_of, name_of, wire_name};

/// The most records that are kept of a reply.
const MAX_RECORDS: usize = 100;

/// The most different remarks about a reply.
const MAX_NOTES: usize = 12;

/// What is kept of a reply.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Records {
    /// The records, in the order of the reply, each with its `type`, its `rank` and where it is.
    pub data: Vec<Json>,
    /// What was missing or wrong.
    pub notes: Vec<String>,
}

/// Reads the body of a reply.
pub fn read(operation: &Operation, models: &Models, body: &Json) -> Result<Records, Error> {
    let malformed = |why: String| Error::Malformed {
        operation: operation.id.clone(),
        why,
    };
    let model = operation.response.as_deref().unwrap_or_default();
    let whole = body.as_object().filter(|_| {
        // Some replies are the record itself.
        models
            .get(model)
            .is_some_and(|it| it.field("data").is_none())
    });
    let mut reader = Reader {
        models,
        notes: BTreeMap::new(),
        data: Vec::new(),
    };
    if let Some(fields) = whole {
        reader.model(model, fields, "");
        return Ok(reader.finish());
    }
    let Some(data) = body.as_object().and_then(|body| body.get("data")) else {
        return Err(malformed("it has no field `data`".into()));
    };
    if data.is_null() {
        return Ok(Records::default());
    }
    let resolved = Shape::Model("Resolve".into());
    let shape = match model {
        "Resolve" => Some(&resolved),
        model => models.data_of(model),
    };
    let Some(shape) = shape else {
        return Err(malformed(format!("nothing is known about `{model}`")));
    };
    reader.value(shape, data, "/data").map_err(malformed)?;
    Ok(reader.finish())
}

struct Reader<'a> {
    models: &'a Models,
    notes: BTreeMap<String, usize>,
    data: Vec<Json>,
}

impl Reader<'_> {
    fn note(&mut self, what: impl Into<String>) {
        *self.notes.entry(what.into()).or_insert(0) += 1;
    }

    /// Takes a value that should have this shape. An error says that the whole of it is something else.
    fn value(&mut self, shape: &Shape, value: &Json, at: &str) -> Result<(), String> {
        let wrong = |what: &str| Err(format!("`{at}` is not {what}"));
        match shape {
            Shape::List(item) => {
                let Some(items) = value.as_array() else {
                    return wrong("a list");
                };
                for (number, value) in items.iter().enumerate() {
                    if self.data.len() >= MAX_RECORDS {
                        self.note(format!("only the first {MAX_RECORDS} records are used"));
                        break;
                    }
                    let at = format!("{at}/{number}");
                    if self.value(item, value, &at).is_err() {
                        self.note("a record is not what it should be and was left out");
                    }
                }
                Ok(())
            }
            Shape::Model(name) => match value.as_object() {
                Some(fields) => {
                    self.model(name, fields, at);
                    Ok(())
                }
                None if name == "Resolve" && value.is_array() => {
                    let playlists = Shape::List(Box::new(Shape::Model("Playlist".into())));
                    self.value(&playlists, value, at)
                }
                None => wrong("an object"),
            },
            Shape::Map(item) => {
                let Some(fields) = value.as_object() else {
                    return wrong("an object");
                };
                for (key, value) in fields.iter().take(MAX_RECORDS) {
                    let before = self.data.len();
                    let at = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
                    self.value(item, value, &at)?;
                    for record in self.data.iter_mut().skip(before) {
                        if let Some(record) = record.as_object_mut() {
                            record.insert("key".into(), clean(key).into());
                        }
                    }
                }
                Ok(())
            }
            Shape::Text | Shape::Number | Shape::Boolean => {
                let (fits, what) = match shape {
                    Shape::Text => (value.is_string(), "a string"),
                    Shape::Number => (value.is_number(), "a number"),
                    _ => (value.is_boolean(), "a boolean"),
                };
                if !fits {
                    return wrong(what);
                }
                self.push("value", json!({"value": record::scalar(value)}), at);
                Ok(())
            }
            Shape::Object => match value.as_object() {
                Some(fields) => {
                    self.model("", fields, at);
                    Ok(())
                }
                None => wrong("an object"),
            },
        }
    }

    fn model(&mut self, name: &str, fields: &Map<String, Json>, at: &str) {
        // An activity wraps what it is about.
        if let (Some(item), Some(kind)) = (fields.get("item"), fields.get("item_type")) {
            let name = match kind.as_str() {
                Some("track") => "Track",
                _ => "Playlist",
            };
            if let Some(item) = item.as_object() {
                self.model(name, item, &format!("{at}/item"));
            } else {
                self.note("an activity has no item");
            }
            return;
        }
        let name = match name {
            "Resolve" if fields.contains_key("playlist_name") => "Playlist",
            "Resolve" if fields.contains_key("handle") => "User",
            "Resolve" => "Track",
            name => name,
        };
        // A model that only holds lists of records, such as the groups of a search.
        if let Some(model) = self.models.get(name) {
            let lists: Vec<(String, Shape)> = model
                .fields()
                .filter(|(name, _)| !name.starts_with("saved_") && !name.starts_with("followed_"))
                .filter_map(|(name, field)| match &field.shape {
                    Shape::List(item) if is_record(item) => {
                        Some((name.to_owned(), field.shape.clone()))
                    }
                    _ => None,
                })
                .collect();
            if !lists.is_empty()
                && !["User", "Track", "Playlist"].contains(&record::canonical(name))
            {
                for (name, shape) in lists {
                    if let Some(value) = fields.get(&name).filter(|value| !value.is_null())
                        && let Err(why) = self.value(&shape, value, &format!("{at}/{name}"))
                    {
                        self.note(why);
                    }
                }
                return;
            }
        }
        let mut notes = Vec::new();
        let (kind, record) = record::of(self.models, name, fields, &mut notes);
        for note in notes {
            self.note(note);
        }
        self.push(&kind, record, at);
    }

    fn push(&mut self, kind: &str, mut record: Json, at: &str) {
        if let Some(id) = record.get("id").filter(|id| !id.is_null()) {
            let same = |known: &Json| known.get("id") == Some(id) && known["type"] == kind;
            if self.data.iter().any(same) {
                self.note("a record came twice and is used once");
                return;
            }
        }
        if let Some(fields) = record.as_object_mut() {
            fields.insert("type".into(), kind.into());
            fields.insert("rank".into(), (self.data.len() + 1).into());
            fields.insert("at".into(), at.into());
        }
        self.data.push(record);
    }

    fn finish(self) -> Records {
        let more = self.notes.len().saturating_sub(MAX_NOTES);
        let notes = self.notes.into_iter().take(MAX_NOTES);
        let notes = notes.map(|(note, times)| match times {
            1 => note,
            times => format!("{note} ({times} times)"),
        });
        let mut notes: Vec<String> = notes.collect();
        if more > 0 {
            notes.push(format!("and {more} more remarks"));
        }
        Records {
            data: self.data,
            notes,
        }
    }
}

fn is_record(shape: &Shape) -> bool {
    match shape {
        Shape::Model(name) => {
            ["User", "Track", "Playlist"].contains(&record::canonical(name)) || name == "TrackId"
        }
        _ => false,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use crate::catalogue::Catalogue;

    use super::*;

    fn records(id: &str, body: Json) -> Result<Records, Error> {
        let catalogue = Catalogue::get().unwrap();
        read(catalogue.operation(id).unwrap(), catalogue.models(), &body)
    }

    fn track(id: &str) -> Json {
        json!({
            "id": id, "title": "First Light", "play_count": 1234, "favorite_count": 3, "repost_count": 2,
            "comment_count": 1, "duration": 180, "genre": "Electronic", "permalink": "/a/first-light",
            "is_downloadable": false, "tags": "a,b", "artwork": {}, "remix_of": null,
            "user": {"id": "u1", "name": "Nova", "handle": "nova"}, "surprise": {"x": 1},
        })
    }

    #[test]
    fn a_track_has_the_fields_of_the_document() {
        let found = records("getTrendingTracks", json!({"data": [track("t1")]})).unwrap();
        assert_eq!(found.notes, [""; 0]);
        let first = &found.data[0];
        assert_eq!(first["type"], "track");
        assert_eq!(first["rank"], 1);
        assert_eq!(first["playCount"], 1234);
        assert_eq!(first["tags"], json!(["a", "b"]));
        let user = json!({"name": "Nova", "handle": "nova", "id": "u1"});
        assert_eq!(first["user"], user);
        assert_eq!(first["at"], "/data/0");
        assert_eq!(first["surprise"], Json::Null);
    }

    #[test]
    fn a_used_field_of_another_type_is_left_out_and_noted() {
        let mut broken = track("t1");
        broken["play_count"] = json!("many");
        let mut missing = track("t2");
        missing.as_object_mut().unwrap().remove("title");
        let found = records("getTrendingTracks", json!({"data": [broken, missing]})).unwrap();
        assert_eq!(found.data[0]["playCount"], Json::Null);
        assert_eq!(found.data[1]["title"], Json::Null);
        assert_eq!(
            found.notes,
            ["`play_count` is not a number", "`title` is missing"]
        );
    }

    #[test]
    fn what_is_no_reply_is_refused() {
        for body in [
            json!([]),
            json!({}),
            json!({"data": "x"}),
            json!({"data": {"a": 1}}),
            json!(3),
        ] {
            let error = records("getTrendingTracks", body.clone()).unwrap_err();
            assert_eq!(error.code(), "SS8010", "{body}");
        }
        let empty = records("getTrendingTracks", json!({"data": []})).unwrap();
        assert_eq!(empty, Records::default());
    }

    #[test]
    fn twins_are_used_once_and_hostile_text_is_one_clean_line() {
        let mut hostile = track("t1");
        hostile["title"] = json!(format!("a\u{1b}[2J\n{}\u{202e}", "x".repeat(900)));
        let found = records("getTrendingTracks", json!({"data": [hostile, track("t1")]})).unwrap();
        assert_eq!(found.data.len(), 1);
        let title = found.data[0]["title"].as_str().unwrap();
        assert!(
            title.chars().count() <= 201 && !title.contains(['\u{1b}', '\n', '\u{202e}']),
            "{title}"
        );
        assert_eq!(found.notes, ["a record came twice and is used once"]);
    }

    #[test]
    fn groups_activities_maps_and_values_are_read() {
        let user = json!({"id": "u1", "name": "Nova", "handle": "nova", "follower_count": 5});
        let found = json!({"data": {"users": [user], "tracks": [track("t")], "playlists": [], "albums": []}});
        let found = records("search", found).unwrap();
        let at: Vec<_> = found
            .data
            .iter()
            .map(|it| it["at"].as_str().unwrap())
            .collect();
        assert_eq!(at, ["/data/users/0", "/data/tracks/0"]);
        let activity =
            json!({"data": [{"item_type": "track", "item": track("t"), "timestamp": "x"}]});
        let found = records("getReposts", activity).unwrap();
        assert_eq!(found.data[0]["at"], "/data/0/item");
        let found = records("getTrackCommentCount", json!({"data": 7})).unwrap();
        assert_eq!(found.data[0]["value"], 7);
        let found = records("resolve", json!({"data": track("t")})).unwrap();
        assert_eq!(found.data[0]["type"], "track");
        let listens = json!({"data": {"2026-01": {"totalListens": 4}}});
        let found = records("getUserMonthlyTrackListens", listens).unwrap();
        assert_eq!(found.data[0]["key"], "2026-01");
        assert_eq!(found.data[0]["totalListens"], 4);
    }
}
