//! Nouns for what lists are made of: `tracks`, `followers`, `comments`. One list for whatever looks for them: how many are
//! wanted, what is compared, what is searched for.

use crate::catalogue::EntityType;

/// What a noun stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Noun {
    /// A track, whatever it is called.
    Track,
    /// Somebody.
    Person,
    /// A playlist or an album.
    Playlist,
    /// Something else that lists are made of.
    Other,
}

use Noun::{Other, Person, Playlist, Track};

const TRACKS: [&str; 6] = ["track", "song", "tune", "single", "hit", "remix"];
const PEOPLE: [&str; 11] = [
    "artist", "user", "musician", "producer", "dj", "band", "person", "follower", "fan",
    "supporter", "listener",
];
const PLAYLISTS: [&str; 2] = ["playlist", "album"];
const OTHERS: [&str; 12] = [
    "repost", "favorite", "comment", "coin", "genre", "result", "contest", "tip", "event",
    "winner", "tag", "release",
];

/// What a word stands for, and whether for several.
pub(super) fn noun(word: &str) -> Option<(Noun, bool)> {
    let one = match word {
        "people" => "person",
        "remixes" => "remix",
        word => word.strip_suffix('s').unwrap_or(word),
    };
    let noun = match one {
        one if TRACKS.contains(&one) => Track,
        one if PEOPLE.contains(&one) => Person,
        one if PLAYLISTS.contains(&one) => Playlist,
        one if OTHERS.contains(&one) => Other,
        _ => return None,
    };
    Some((noun, one != word))
}

/// The kind of thing that a word for one of them names: `song`, `dj`, `ep`.
pub(super) fn kind_of(word: &str) -> Option<EntityType> {
    match word {
        "hit" | "remix" | "follower" | "fan" | "supporter" | "listener" => None,
        "ep" | "lp" => Some(EntityType::Playlist),
        word if TRACKS.contains(&word) => Some(EntityType::Track),
        word if PEOPLE.contains(&word) => Some(EntityType::User),
        word if PLAYLISTS.contains(&word) => Some(EntityType::Playlist),
        _ => None,
    }
}

/// Whether a word stands for several things or people that somebody has.
pub(super) fn is_several(word: &str) -> bool {
    word == "ones" || matches!(noun(word), Some((Track | Person | Playlist, true)))
}

/// Whether a word names a kind of music: something that somebody made.
pub(super) fn is_music(word: &str) -> bool {
    matches!(noun(word), Some((Track | Playlist, _)))
}

/// Whether a word names people.
pub(super) fn is_people(word: &str) -> bool {
    matches!(noun(word), Some((Person, _)))
}
