//! Nouns for what lists are made of: `tracks`, `followers`, `comments`. One list for whatever looks for them: how many are
//! wanted, what is compared, what is searched for.

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

/// One, several, and what they are.
const NOUNS: [(&str, &str, Noun); 31] = [
    ("track", "tracks", Track),
    ("song", "songs", Track),
    ("tune", "tunes", Track),
    ("single", "singles", Track),
    ("hit", "hits", Track),
    ("remix", "remixes", Track),
    ("artist", "artists", Person),
    ("user", "users", Person),
    ("musician", "musicians", Person),
    ("producer", "producers", Person),
    ("person", "people", Person),
    ("follower", "followers", Person),
    ("fan", "fans", Person),
    ("supporter", "supporters", Person),
    ("listener", "listeners", Person),
    ("playlist", "playlists", Playlist),
    ("album", "albums", Playlist),
    ("repost", "reposts", Other),
    ("favorite", "favorites", Other),
    ("comment", "comments", Other),
    ("coin", "coins", Other),
    ("genre", "genres", Other),
    ("result", "results", Other),
    ("contest", "contests", Other),
    ("tip", "tips", Other),
    ("event", "events", Other),
    ("winner", "winners", Other),
    ("tag", "tags", Other),
    ("release", "releases", Other),
    ("dj", "djs", Person),
    ("band", "bands", Person),
];

/// What a word stands for, and whether for several.
pub(super) fn noun(word: &str) -> Option<(Noun, bool)> {
    let found = NOUNS
        .iter()
        .find(|(one, several, _)| *one == word || *several == word);
    found.map(|(one, _, noun)| (*noun, *one != word))
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
