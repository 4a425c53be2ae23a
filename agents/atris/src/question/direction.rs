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
    let is = |rule: &&Rule| {
        let at = match rule.0 {
            Before => before,
            Behind => after,
        };
        rule.1.split('|').any(|cue| has_words(at, cue))
    };
    let by_order = |rules: &'static [Rule]| rules.iter().find(is).map(|rule| rule.2);
    match understood.entity_type? {
        EntityType::User => {
            if own_tracks(&lower, understood) {
                return Some("getTracksByUser");
            }
            // What somebody likes; who they like is not known.
            let is_what = any(before, &["what", "which", "tracks", "songs"]);
            if is_what && any(after, LIKES) && !any(after, &["by"]) && !any(&lower, &["most"]) {
                return Some("getUserFavoriteTracks");
            }
            // `artists like X`; what X likes is behind the name.
            if is_alike(before) {
                return Some("getRelatedUsers");
            }
            let is_list = any(before, &["following of", "following list", "tips of"]);
            by_order(OF_USERS).or_else(|| by_order(UNLISTED).filter(|_| !is_list))
        }
        EntityType::Track => {
            let is_original = any(&lower, &["original", "parent"]);
            if any(before, &["remixed"])
                && any(before, &["who", "anyone", "anybody"])
                && !is_original
            {
                return Some("getTrackRemixes");
            }
            if any(before, &["remix of", "remixes of"]) && !any(before, &["original"]) {
                return Some("getTrackRemixes");
            }
            let is_remix = any(after, &["a remix", "the remix"]) && any(before, &["is", "was"]);
            if is_remix || any(before, &["original of"]) || any(after, &["s original"]) {
                return Some("getTrackRemixParents");
            }
            (any(before, &["who"]) && any(before, LIKES)).then_some("getUsersFromFavorites")
        }
        EntityType::Playlist => {
            let before = before
                .trim_end_matches("https://")
                .trim_end_matches("http://")
                .trim_end();
            let mut inside = [" on", " in", " inside"].iter();
            let is_inside = inside.any(|word| before.ends_with(word));
            (matches!(named, Reference::Url(_)) && is_inside).then_some("getPlaylistTracks")
        }
    }
}

/// Where words are that decide: before what is named, or behind it.
enum Place {
    Before,
    Behind,
}

use Place::{Before, Behind};

/// Words at a place, and the operation that they ask for.
type Rule = (Place, &'static str, &'static str);

const LIKES: &[&str] = &[
    "favorited", "favourited", "liked", "likes", "loves", "like", "saved",
];

/// Who does something to whom, the first that fits.
const OF_USERS: &[Rule] = &[
    (Before, "sounds like|sound like", "getRelatedUsers"),
    (Before, "followed by", "getFollowing"),
    (Behind, "follow|follows", "getFollowing"),
    (Behind, "followed by", "getFollowers"),
];

/// The same unless the question names a list.
const UNLISTED: &[Rule] = &[
    // `does anyone follow X`: whoever is behind the verb is followed, whatever is before it.
    (Before, "follow|follows|following", "getFollowers"),
    (
        Before,
        "tips to|tips for|tips received by|tips sent to|tip to",
        "getSupporters",
    ),
    (
        Before,
        "tips by|tips from|tips sent by|tip from",
        "getSupportedUsers",
    ),
    (Before, "supported by|tipped by", "getSupportedUsers"),
    (Behind, "supported by|tipped by", "getSupporters"),
    (Behind, SUPPORTS, "getSupportedUsers"),
    (Before, SUPPORTS, "getSupporters"),
];

const SUPPORTS: &str = "support|supports|supported|supporting|tip|tips|tipped";

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
