//! Who does something to whom: `who follows X` and `whom X follows` have the same words in another order, so
//! that the order decides, not the words.

use super::{Computation, Maker, Reference, Understanding, maker_of};
use crate::catalogue::{EntityType, has_words};

/// What else a question about somebody's tracks may be about than those they made.
const NOT_OWN: [&str; 15] = [
    "history", "listened", "listens", "library", "feed", "recommended", "playlist", "playlists",
    "album", "albums", "liked by", "favorited by", "favorites of", "reposted by", "remixes",
];

/// The operation that the order of the words asks for, if it is such a question.
pub(super) fn directed(question: &str, understood: &Understanding) -> Option<&'static str> {
    let [named] = understood.references.as_slice() else {
        return None;
    };
    if understood.aspect.is_some() {
        return None;
    }
    let maker = maker_of(question, &understood.references);
    if let (Some(Maker::Asked(_)), Some(kind)) = (&maker, understood.entity_type) {
        return match kind {
            EntityType::Track => Some("getTrack"),
            EntityType::Playlist => Some("getPlaylist"),
            EntityType::User => None,
        };
    }
    let lower = question.to_lowercase();
    let name = match named {
        // A link is kept in another form than it is written in.
        Reference::Url(url) => url.trim_start_matches("https://").to_lowercase(),
        named => named.text().to_lowercase(),
    };
    let at = match named {
        // `it` is in other words too, and comes last.
        Reference::Earlier(_) => lower.rfind(&name)?,
        _ => lower.find(&name)?,
    };
    let before = lower.get(..at)?;
    let after = lower.get(at + name.len()..)?;
    let any = |text: &str, cues: &[&str]| cues.iter().any(|cue| has_words(text, cue));
    match understood.entity_type {
        Some(EntityType::User) => {
            if own_tracks(&lower, understood) {
                return Some("getTracksByUser");
            }
            // What somebody likes; who they like is not known.
            let likes = ["favorited", "favourited", "liked", "likes", "loves", "like"];
            let is_what = any(before, &["what", "which", "tracks", "songs"]);
            if is_what && any(after, &likes) && !any(after, &["by"]) && !any(&lower, &["most"]) {
                return Some("getUserFavoriteTracks");
            }
            // `artists like X`, `who sounds like X`; what X likes is behind the name.
            if any(before, &["sounds like", "sound like"]) || is_alike(before) {
                return Some("getRelatedUsers");
            }
            let follows = ["follow", "follows", "following"];
            if any(before, &["followed by"]) || any(after, &["follow", "follows"]) {
                return Some("getFollowing");
            }
            if any(after, &["followed by"]) {
                return Some("getFollowers");
            }
            let is_list = any(before, &["following of", "following list"]);
            // `does anyone follow X`: whoever is behind the verb is followed, whatever is before it.
            if any(before, &follows) && !is_list {
                return Some("getFollowers");
            }
            let supports = [
                "support", "supports", "supported", "supporting", "tip", "tips", "tipped",
            ];
            // Who gave or got something is behind the word that says so.
            if any(
                before,
                &[
                    "tips to", "tips for", "tips received by", "tips sent to", "tip to",
                ],
            ) {
                return Some("getSupporters");
            }
            if any(
                before,
                &["tips by", "tips from", "tips sent by", "tip from"],
            ) {
                return Some("getSupportedUsers");
            }
            if any(before, &["supported by", "tipped by"]) {
                return Some("getSupportedUsers");
            }
            if any(after, &["supported by", "tipped by"]) {
                return Some("getSupporters");
            }
            if any(after, &supports) {
                return Some("getSupportedUsers");
            }
            let is_tips = any(before, &["tips of"]);
            (any(before, &supports) && !is_tips).then_some("getSupporters")
        }
        Some(EntityType::Track) => {
            let remixed = any(before, &["remixed"]) && any(before, &["who", "anyone", "anybody"]);
            if remixed && !any(&lower, &["original", "parent"]) {
                return Some("getTrackRemixes");
            }
            if any(before, &["remix of", "remixes of"]) && !any(before, &["original"]) {
                return Some("getTrackRemixes");
            }
            let is_remix = any(after, &["a remix", "the remix"]) && any(before, &["is", "was"]);
            if is_remix || any(before, &["original of"]) || any(after, &["s original"]) {
                return Some("getTrackRemixParents");
            }
            let likes = [
                "likes", "loves", "liked", "favorited", "favourited", "saved",
            ];
            (any(before, &["who"]) && any(before, &likes)).then_some("getUsersFromFavorites")
        }
        Some(EntityType::Playlist) => {
            let inside = ["on", "in", "inside"];
            let before = before
                .trim_end_matches("https://")
                .trim_end_matches("http://");
            let before = before.trim_end();
            let is_inside = inside
                .iter()
                .any(|word| before.ends_with(&format!(" {word}")));
            (matches!(named, Reference::Url(_)) && is_inside).then_some("getPlaylistTracks")
        }
        None => None,
    }
}

/// Whether a question wants the most or the least of the tracks that somebody made.
fn own_tracks(lower: &str, understood: &Understanding) -> bool {
    let has = |cues: &[&str]| cues.iter().any(|cue| has_words(lower, cue));
    let is_extreme = matches!(
        understood.computation,
        Some(Computation::Most(_) | Computation::Least(_))
    ) || has(&["most plays", "most played", "top", "biggest", "best"]);
    is_extreme
        && has(&[
            "track", "tracks", "song", "songs", "tune", "tunes", "hit", "hits",
        ])
        && !has(&NOT_OWN)
}

/// Whether what is before a name asks for people like it: `artists like`, `someone like`.
fn is_alike(before: &str) -> bool {
    let words: Vec<&str> = before.split_whitespace().collect();
    let [.., who, "like"] = words.as_slice() else {
        return false;
    };
    [
        "artist", "artists", "user", "users", "musicians", "producers", "djs", "bands", "people",
        "someone", "anyone", "are",
    ]
    .contains(who)
}
