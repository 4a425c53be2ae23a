//! Filters and orders of lists, as the catalogue names them: `genre`, `mood`, `has_downloads`, `sort`, `sort_method` and
//! `sort_direction`.

use std::cmp::Ordering;

use serde_json::Value as Json;

use crate::{request::ApiRequest, world::Track};

/// What a search wants of the sound of tracks.
pub(crate) struct Sound {
    genres: Vec<String>,
    moods: Vec<String>,
    is_downloadable: bool,
}

impl Sound {
    pub(crate) fn of(asked: &ApiRequest<'_>) -> Self {
        let is_on = |name: &str| asked.text(name) == "true";
        Self {
            genres: asked.all("genre"),
            moods: asked.all("mood"),
            is_downloadable: is_on("has_downloads") || is_on("only_downloadable"),
        }
    }

    /// Whether it wants nothing.
    pub(crate) fn is_any(&self) -> bool {
        self.genres.is_empty() && self.moods.is_empty() && !self.is_downloadable
    }

    pub(crate) fn fits(&self, track: &Track) -> bool {
        let is_one = |wanted: &[String], known: &str| {
            wanted.is_empty() || wanted.iter().any(|it| it == known)
        };
        is_one(&self.genres, track.genre)
            && is_one(&self.moods, track.mood)
            && (!self.is_downloadable || track.is_downloadable)
    }
}

/// Records in the order that was asked for. An order that they have no field for leaves them as they are.
pub(crate) fn ordered(mut records: Vec<Json>, asked: &ApiRequest<'_>) -> Vec<Json> {
    let method = match asked.text("sort_method") {
        method if method.is_empty() => asked.text("sort"),
        method => method,
    };
    let (fields, is_falling): (&[&str], bool) = match method.as_str() {
        "title" => (&["/title", "/playlist_name"], false),
        "artist_name" => (&["/user/name"], false),
        "date" | "release_date" | "recent" | "newest" => (&["/release_date", "/created_at"], true),
        "plays" => (&["/play_count", "/total_play_count"], true),
        "popular" => (
            &["/play_count", "/total_play_count", "/follower_count"],
            true,
        ),
        "reposts" => (&["/repost_count"], true),
        "saves" | "likes" => (&["/favorite_count"], true),
        "top" => (&["/react_count"], true),
        _ => return records,
    };
    let is_falling = match asked.text("sort_direction").as_str() {
        "asc" => false,
        "desc" => true,
        _ => is_falling,
    };
    let value = |record: &Json| {
        // What somebody did is a record around the thing that it was done to.
        let record = record.get("item").unwrap_or(record);
        fields.iter().find_map(|it| record.pointer(it)).cloned()
    };
    records.sort_by(|a, b| {
        let order = compared(value(a).as_ref(), value(b).as_ref());
        match is_falling {
            true => order.reverse(),
            false => order,
        }
    });
    records
}

fn compared(a: Option<&Json>, b: Option<&Json>) -> Ordering {
    let text = |it: Option<&Json>| it.and_then(Json::as_str).map(str::to_owned);
    match (a.and_then(Json::as_f64), b.and_then(Json::as_f64)) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        _ => text(a).cmp(&text(b)),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use crate::{Call, Manner, World, respond};

    fn get(path: &str, query: &[(&str, &str)]) -> Vec<Json> {
        let call = Call {
            method: "GET".into(),
            path: path.split('/').map(str::to_owned).collect(),
            query: query
                .iter()
                .map(|(name, value)| ((*name).into(), (*value).into()))
                .collect(),
        };
        let reply = respond(&World::new(1), &Manner::default(), &call);
        assert_eq!(reply.status, 200, "{path}: {}", reply.body);
        reply.body["data"].as_array().unwrap().clone()
    }

    fn is_falling(records: &[Json], field: &str) -> bool {
        let mut pairs = records.windows(2);
        pairs.all(|it| compared(it[0].pointer(field), it[1].pointer(field)).is_ge())
    }

    #[test]
    fn lists_are_sorted_by_what_is_asked_for() {
        let user = &get("v1/users/search", &[("query", "Orbit Theory")])[0];
        let own = format!("v1/users/{}", user["id"].as_str().unwrap());
        let track = &get("v1/tracks/search", &[("query", "Paper Moons")])[0];
        let comments = format!("v1/tracks/{}/comments", track["id"].as_str().unwrap());
        let library = format!("{own}/favorites/tracks");
        for (path, sort, field) in [
            (
                "v1/playlists/search",
                ("sort_method", "popular"),
                "/total_play_count",
            ),
            (
                "v1/playlists/search",
                ("sort_method", "recent"),
                "/release_date",
            ),
            (
                "v1/users/search",
                ("sort_method", "popular"),
                "/follower_count",
            ),
            (&library, ("sort_method", "plays"), "/item/play_count"),
            (&comments, ("sort_method", "top"), "/react_count"),
            (&comments, ("sort_method", "newest"), "/created_at"),
        ] {
            let records = get(path, &[sort, ("limit", "100")]);
            assert!(records.len() > 1, "{path}");
            assert!(is_falling(&records, field), "{path} {sort:?}");
        }
    }

    #[test]
    fn searches_are_filtered() {
        let users = get(
            "v1/users/search",
            &[("is_verified", "true"), ("limit", "100")],
        );
        assert!(!users.is_empty());
        assert!(users.iter().all(|user| user["is_verified"] == true));
        let all = get("v1/playlists/search", &[("limit", "100")]).len();
        let jazz = get(
            "v1/playlists/search",
            &[("genre", "Jazz"), ("limit", "100")],
        );
        assert!(
            !jazz.is_empty() && jazz.len() < all,
            "{} of {all}",
            jazz.len()
        );
        let tracks = get(
            "v1/tracks/search",
            &[("has_downloads", "true"), ("limit", "100")],
        );
        assert!(tracks.iter().all(|track| track["is_downloadable"] == true));
    }
}
