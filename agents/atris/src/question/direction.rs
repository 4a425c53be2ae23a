//! Who does something to whom: `who follows X` and `whom X follows` have the same words in another order, so
//! that the order decides, not the words.

use super::{Computation, Reference, Understanding};
use crate::catalogue::{EntityType, has_words};

/// What else a question about somebody's tracks may be about than those they made.
const NOT_OWN: [&str; 15] = [
    "history",
    "listened",
    "listens",
    "library",
    "feed",
    "recommended",
    "playlist",
    "playlists",
    "album",
    "albums",
    "liked by",
    "favorited by",
    "favorites of",
    "reposted by",
    "remixes",
];

/// The operation that the order of the words asks for, if it is such a question.
pub(super) fn directed(question: &str, understood: &Understanding) -> Option<&'static str> {
    let [named] = understood.references.as_slice() else {
        return None;
    };
    if understood.aspect.is_some() || matches!(named, Reference::Url(_)) {
        return None;
    }
    let lower = question.to_lowercase();
    let name = named.text().to_lowercase();
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
                "support",
                "supports",
                "supported",
                "supporting",
                "tip",
                "tips",
                "tipped",
            ];
            if any(before, &["supported by", "tipped by"]) {
                return Some("getSupportedUsers");
            }
            if any(after, &["supported by", "tipped by"]) {
                return Some("getSupporters");
            }
            if any(after, &supports) {
                return Some("getSupportedUsers");
            }
            let is_tips = any(before, &["tips of", "tips by", "tips from", "tips to"]);
            (any(before, &supports) && !is_tips).then_some("getSupporters")
        }
        Some(EntityType::Track) => {
            let remixed = any(before, &["remixed"]) && any(before, &["who", "anyone", "anybody"]);
            (remixed && !any(&lower, &["original", "parent"])).then_some("getTrackRemixes")
        }
        _ => None,
    }
}

/// Whether a question wants the most or the least of the tracks that somebody made.
fn own_tracks(lower: &str, understood: &Understanding) -> bool {
    let has = |cues: &[&str]| cues.iter().any(|cue| has_words(lower, cue));
    let is_extreme = matches!(
        understood.computation,
        Some(Computation::Most(_) | Computation::Least(_))
    ) || has(&["most plays", "most played"]);
    is_extreme && has(&["track", "tracks", "song", "songs", "tune"]) && !has(&NOT_OWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_the_words_decides() {
        for (question, operation) in [
            ("who follows Nova Kane", Some("getFollowers")),
            ("people following Nova Kane", Some("getFollowers")),
            ("people Nova Kane follows", Some("getFollowing")),
            ("who does Nova Kane follow?", Some("getFollowing")),
            ("users followed by Nova Kane", Some("getFollowing")),
            ("does anyone follow Nova Kane?", Some("getFollowers")),
            ("do people support Nova Kane?", Some("getSupporters")),
            ("whom did Nova Kane tip?", Some("getSupportedUsers")),
            ("who supports Nova Kane", Some("getSupporters")),
            ("who does Nova Kane support", Some("getSupportedUsers")),
            ("artists Nova Kane supports", Some("getSupportedUsers")),
            ("who remixed \"First Light\"?", Some("getTrackRemixes")),
            (
                "track by Nova Kane with the most plays",
                Some("getTracksByUser"),
            ),
            (
                "track by Nova Kane with the fewest likes",
                Some("getTracksByUser"),
            ),
            ("the longest track in the history of Nova Kane", None),
            ("followers of Nova Kane", None),
        ] {
            let understood = Understanding::of(question);
            assert_eq!(directed(question, &understood), operation, "{question}");
        }
    }
}
