//! One record of a reply, with the names that the source document uses.

use serde_json::{Map, Value as Json, json};
use superstep::text::{Redactor, sanitize, single_line};

use crate::catalogue::{Model, Models, Shape};

/// The most characters of a text.
const MAX_TEXT: usize = 200;

/// The most characters of an answer.
const MAX_ANSWER: usize = 6_000;

/// The fields of a record that were worked out, by their names.
pub(crate) const WORKED_OUT: &str = "@worked_out";

/// The most plain fields of a model that has no record of its own.
const MAX_FIELDS: usize = 14;

/// The most tags.
const MAX_TAGS: usize = 20;

/// The model that is read instead: some differ only in what they leave out.
pub(super) fn canonical(model: &str) -> &str {
    match model {
        "SearchTrack" => "Track",
        "SearchPlaylist" | "PlaylistWithoutTracks" => "Playlist",
        model => model,
    }
}

/// Text of others: on one line, sanitized, without secrets, not long.
pub(crate) fn clean(text: &str) -> String {
    let cut: String = text.chars().take(MAX_TEXT * 4).collect();
    let line = single_line(&Redactor::standard().text(&cut));
    let mut letters = line.chars();
    let mut short: String = letters.by_ref().take(MAX_TEXT).collect();
    if letters.next().is_some() || cut.len() < text.len() {
        short.push('…');
    }
    short
}

/// Text of several lines: sanitized, without secrets, not longer than an answer is.
pub(crate) fn clean_text(text: &str) -> String {
    let cut: String = text.chars().take(MAX_ANSWER).collect();
    sanitize(&Redactor::standard().text(cut.trim()))
}

/// The name on the wire of a field that a record has of its own; nothing for one that was worked out.
pub(crate) fn wire_name(record: &Json, field: &str) -> Option<String> {
    let worked_out = record.get(WORKED_OUT).and_then(Json::as_array);
    if worked_out.is_some_and(|all| all.iter().any(|known| known == field)) {
        return None;
    }
    Some(match (record.get("type").and_then(Json::as_str), field) {
        (Some("playlist"), "title") => "playlist_name".to_owned(),
        (Some("playlist"), "playCount") => "total_play_count".to_owned(),
        (Some("track"), "remixOf") => "remix_of/tracks/0/parent_track_id".to_owned(),
        (Some("track" | "playlist" | "user"), field) => {
            let field = field.replace('.', "/");
            let mut wire = String::new();
            for letter in field.chars() {
                if letter.is_uppercase() {
                    wire.push('_');
                }
                wire.extend(letter.to_lowercase());
            }
            wire
        }
        (_, field) => field.replace('.', "/"),
    })
}

/// A plain value, sanitized; null for what is not plain.
pub(super) fn scalar(value: &Json) -> Json {
    match value {
        Json::String(text) => clean(text).into(),
        Json::Number(_) | Json::Bool(_) => value.clone(),
        _ => Json::Null,
    }
}

/// A record and its type.
pub(super) fn of(
    models: &Models,
    name: &str,
    wire: &Map<String, Json>,
    notes: &mut Vec<String>,
) -> (String, Json) {
    let name = canonical(name);
    let Some(model) = models.get(name) else {
        return ("record".into(), plain(None, wire));
    };
    let mut fields = Fields { model, wire, notes };
    match name {
        "Track" => ("track".into(), fields.of(TRACK)),
        "User" => ("user".into(), fields.of(USER)),
        "Playlist" => ("playlist".into(), fields.of(PLAYLIST)),
        name => (snake(name), plain(Some(model), wire)),
    }
}

/// The fields that a record of a model can have, `user.name` being one of its user.
pub(crate) fn fields_of(models: &Models, name: &str) -> Vec<String> {
    let of_user = |name: &str| ["name", "handle", "id"].map(|own| format!("{name}.{own}"));
    let (_, record) = of(models, name, &Map::new(), &mut Vec::new());
    let own = record.as_object().filter(|own| !own.is_empty());
    if let Some(own) = own {
        let told = own.keys().filter(|name| *name != "artwork");
        let told = told.flat_map(|name| match name.as_str() {
            "user" => of_user(name).into(),
            name => vec![name.to_owned()],
        });
        return told.collect();
    }
    let model = models.get(canonical(name));
    let fields = model.into_iter().flat_map(Model::fields);
    let told = fields.filter_map(|(name, field)| match &field.shape {
        Shape::Text | Shape::Number | Shape::Boolean => Some(vec![name.to_owned()]),
        Shape::Model(inner) => {
            let is_user = models
                .get(inner)
                .is_some_and(|it| it.field("handle").is_some());
            is_user.then(|| of_user(name).into())
        }
        _ => None,
    });
    told.take(MAX_FIELDS).flatten().collect()
}

struct Fields<'a> {
    model: &'a Model,
    wire: &'a Map<String, Json>,
    notes: &'a mut Vec<String>,
}

impl Fields<'_> {
    /// A field, if it is of the type that the model says.
    fn get(&mut self, name: &str) -> Json {
        let Some(kind) = self.model.field(name) else {
            return Json::Null;
        };
        let value = match self.wire.get(name) {
            None | Some(Json::Null) => {
                if kind.required && name != "remix_of" {
                    self.notes.push(format!("`{name}` is missing"));
                }
                return Json::Null;
            }
            Some(value) => value,
        };
        let (fits, wanted) = match kind.shape {
            Shape::Text => (value.is_string(), "a string"),
            Shape::Number => (is_count(value), "a number"),
            Shape::Boolean => (value.is_boolean(), "a boolean"),
            Shape::List(_) => (value.is_array(), "a list"),
            _ => (value.is_object(), "an object"),
        };
        if !fits {
            self.notes.push(format!("`{name}` is not {wanted}"));
            return Json::Null;
        }
        scalar(value)
    }

    fn owner(&mut self) -> Json {
        match self.wire.get("user").and_then(Json::as_object) {
            Some(user) => short_user(user),
            None => {
                self.notes.push("`user` is missing".into());
                Json::Null
            }
        }
    }

    fn artwork(&self) -> Json {
        let artwork = self.wire.get("artwork").and_then(Json::as_object);
        artwork.map_or(Json::Null, |sizes| {
            let sizes = sizes.iter().filter(|(_, value)| value.is_string()).take(4);
            let sizes = sizes.map(|(size, value)| (clean(size), scalar(value)));
            Json::Object(sizes.collect())
        })
    }

    /// These fields in their order, under the names of the document.
    fn of(&mut self, names: &[&str]) -> Json {
        let fields = names.iter().map(|name| {
            let value = match *name {
                "user" => self.owner(),
                "artwork" => self.artwork(),
                "remix_of" => self.remix_of(),
                "tags" => self.tags(),
                "permalink" => permalink(&self.get(name)),
                name => self.get(name),
            };
            (name_of(name), value)
        });
        Json::Object(fields.collect())
    }

    fn tags(&mut self) -> Json {
        let tags = self.get("tags");
        let tags = tags.as_str().unwrap_or_default().split(',').map(str::trim);
        let tags = tags.filter(|tag| !tag.is_empty()).take(MAX_TAGS);
        tags.collect()
    }

    fn remix_of(&self) -> Json {
        let tracks = self.wire.get("remix_of").and_then(|it| it.get("tracks"));
        let parent = tracks.and_then(|tracks| tracks.get(0)?.get("parent_track_id"));
        parent.map_or(Json::Null, scalar)
    }
}

/// The fields of a track that are used, by their names on the wire.
const TRACK: &[&str] = &[
    "id", "title", "play_count", "user", "artwork", "description", "genre", "mood", "release_date",
    "remix_of", "repost_count", "favorite_count", "comment_count", "tags", "duration",
    "is_downloadable", "permalink", "bpm", "musical_key",
];

/// Those of a user.
const USER: &[&str] = &[
    "id", "name", "handle", "follower_count", "followee_count", "track_count", "playlist_count",
    "album_count", "repost_count", "supporter_count", "is_verified", "location", "bio",
];

/// Those of a playlist.
const PLAYLIST: &[&str] = &[
    "id", "playlist_name", "is_album", "user", "track_count", "total_play_count", "repost_count",
    "favorite_count", "description", "release_date", "permalink",
];

/// A name on the wire as the source document writes it: `play_count` is `playCount`.
pub(crate) fn name_of(wire: &str) -> String {
    match wire {
        "playlist_name" => "title".to_owned(),
        "total_play_count" => "playCount".to_owned(),
        wire => {
            let mut parts = wire.split('_').filter(|part| !part.is_empty());
            let mut camel = clean(parts.next().unwrap_or_default());
            for part in parts {
                let mut letters = part.chars();
                camel.extend(letters.next().into_iter().flat_map(char::to_uppercase));
                camel.push_str(letters.as_str());
            }
            camel
        }
    }
}

/// The plain fields under their names on the wire, those of the model first, and people by name.
fn plain(model: Option<&Model>, wire: &Map<String, Json>) -> Json {
    let mut record = Map::new();
    let known: Vec<&str> = model
        .map(|it| it.fields().map(|it| it.0).collect())
        .unwrap_or_default();
    let others = wire.keys().map(|it| &**it).filter(|it| !known.contains(it));
    let names: Vec<&str> = known.iter().copied().chain(others).collect();
    for name in names {
        if record.len() >= MAX_FIELDS {
            break;
        }
        let Some(value) = wire.get(name) else {
            continue;
        };
        match value {
            Json::String(_) | Json::Number(_) | Json::Bool(_) => {
                record.insert(clean(name), scalar(value));
            }
            Json::Object(inner) if inner.contains_key("handle") => {
                record.insert(clean(name), short_user(inner));
            }
            _ => {}
        }
    }
    // A record of lists alone, such as somebody's wallets, is its lists.
    if record.is_empty() {
        let lists = wire.iter().filter_map(|(name, value)| {
            let items = value.as_array()?;
            let items = items
                .iter()
                .filter(|item| item.is_string() || item.is_number());
            let items: Vec<Json> = items.take(MAX_TAGS).map(scalar).collect();
            Some((clean(name), items.into()))
        });
        record.extend(lists.take(MAX_FIELDS));
    }
    Json::Object(record)
}

fn short_user(user: &Map<String, Json>) -> Json {
    let text = |name: &str| {
        user.get(name)
            .filter(|it| it.is_string())
            .map_or(Json::Null, scalar)
    };
    json!({"name": text("name"), "handle": text("handle"), "id": text("id")})
}

/// A link as people open it: replies have its path only.
fn permalink(path: &Json) -> Json {
    match path.as_str() {
        Some(path) if path.starts_with('/') => format!("https://audius.co{path}").into(),
        _ => path.clone(),
    }
}

/// Whether a number can be one of plays or seconds: finite, not negative, and exact.
fn is_count(value: &Json) -> bool {
    value.as_u64().is_some() || value.as_f64().is_some_and(|it| (0.0..1e15).contains(&it))
}

fn snake(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}
