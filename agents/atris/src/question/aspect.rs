//! The field of a reply that a question asks for: plays, followers, duration.

use serde::{Deserialize, Serialize};

use crate::catalogue::EntityType;

/// A field that a question asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "they are named as the fields of replies")]
pub enum Aspect {
    Plays,
    Followers,
    Following,
    Tracks,
    Playlists,
    Albums,
    Reposts,
    Favorites,
    Comments,
    Supporters,
    Duration,
    Genre,
    Mood,
    Bpm,
    Key,
    ReleaseDate,
    Location,
    Bio,
    Verified,
}

use Aspect::{
    Albums, Bio, Bpm, Comments, Duration, Favorites, Followers, Following, Genre, Key, Location,
    Mood, Playlists, Plays, ReleaseDate, Reposts, Supporters, Tracks, Verified,
};

/// What asks for a field: these words, all of them.
const CUES: &[(&[&str], Aspect)] = &[
    (&["how many people", "favorited"], Favorites),
    (&["how many users", "favorited"], Favorites),
    (&["how many people", "liked"], Favorites),
    (&["how many users", "liked"], Favorites),
    (&["how many people", "reposted"], Reposts),
    (&["how many users", "reposted"], Reposts),
    (&["how many followers"], Followers),
    (&["number of followers"], Followers),
    (&["follower count"], Followers),
    (&["has the more followers"], Followers),
    (&["more followers"], Followers),
    (&["compare", "followers"], Followers),
    (&["how many", "does", "follow"], Following),
    (&["how many", "do", "follow"], Following),
    (&["how many", "follow"], Followers),
    (&["how many", "follows"], Followers),
    (&["how many fans"], Followers),
    (&["how many plays"], Plays),
    (&["play count"], Plays),
    (&["number of plays"], Plays),
    (&["how often", "played"], Plays),
    (&["how many times", "played"], Plays),
    (&["compare", "plays"], Plays),
    (&["more plays"], Plays),
    (&["plays of"], Plays),
    (&["plays on"], Plays),
    (&["how many tracks"], Tracks),
    (&["how many songs"], Tracks),
    (&["compare", "number of tracks"], Tracks),
    (&["compare", "number of songs"], Tracks),
    (&["more tracks"], Tracks),
    (&["more songs"], Tracks),
    (&["how many playlists"], Playlists),
    (&["compare", "number of playlists"], Playlists),
    (&["how many albums"], Albums),
    (&["compare", "number of albums"], Albums),
    (&["how many reposts"], Reposts),
    (&["how many times", "reposted"], Reposts),
    (&["how often", "reposted"], Reposts),
    (&["more reposts"], Reposts),
    (&["how many favorites"], Favorites),
    (&["how many favourites"], Favorites),
    (&["how many likes"], Favorites),
    (&["compare", "reposts"], Reposts),
    (&["compare", "favorites"], Favorites),
    (&["compare", "length"], Duration),
    (&["more favorites"], Favorites),
    (&["more likes"], Favorites),
    (&["how many comments"], Comments),
    (&["how many supporters"], Supporters),
    (&["longer"], Duration),
    (&["shorter"], Duration),
    (&["how long is"], Duration),
    (&["how long does"], Duration),
    (&["length of"], Duration),
    (&["duration"], Duration),
    (&["what genre"], Genre),
    (&["genre of"], Genre),
    (&["bpm of"], Bpm),
    (&["which genre"], Genre),
    (&["what mood"], Mood),
    (&["what bpm"], Bpm),
    (&["tempo"], Bpm),
    (&["what key"], Key),
    (&["which key"], Key),
    (&["key of"], Key),
    (&["the key"], Key),
    (&["when", "released"], ReleaseDate),
    (&["when", "come out"], ReleaseDate),
    (&["when", "came out"], ReleaseDate),
    (&["release date"], ReleaseDate),
    (&["where", "from"], Location),
    (&["where", "located"], Location),
    (&["bio"], Bio),
    (&["verified"], Verified),
];

/// What of [`CUES`] a question has. Who has fewer is told by who has more.
fn asked(question: &str) -> Option<&'static (&'static [&'static str], Aspect)> {
    let lower = question.to_lowercase();
    let lower = lower.replace("fewer ", "more ").replace("less ", "more ");
    let has = |cue: &&str| crate::catalogue::has_words(&lower, cue);
    CUES.iter().find(|(cues, _)| cues.iter().all(has))
}

impl Aspect {
    /// The field that a question asks for.
    pub fn of(question: &str) -> Option<Self> {
        asked(question).map(|(_, aspect)| *aspect)
    }

    /// The words of a question that ask for it.
    pub(super) fn words_in(question: &str) -> Vec<&'static str> {
        let cues = asked(question).map_or(&[][..], |(cues, _)| cues);
        let mut words: Vec<&str> = cues.iter().flat_map(|cue| cue.split(' ')).collect();
        // Who has fewer is worked out from the same numbers.
        if words.contains(&"more") {
            words.extend(["fewer", "less"]);
        }
        // `what does her bio say`
        if words.contains(&"bio") {
            words.extend(["say", "says"]);
        }
        words
    }

    /// Whether it is a number of something.
    pub(super) fn is_count(self) -> bool {
        matches!(
            self,
            Plays
                | Followers
                | Following
                | Tracks
                | Playlists
                | Albums
                | Reposts
                | Favorites
                | Comments
                | Supporters
        )
    }

    /// Its name in types of questions.
    pub fn name(self) -> &'static str {
        match self {
            Plays => "plays",
            Followers => "followers",
            Following => "following",
            Tracks => "tracks",
            Playlists => "playlists",
            Albums => "albums",
            Reposts => "reposts",
            Favorites => "favorites",
            Comments => "comments",
            Supporters => "supporters",
            Duration => "duration",
            Genre => "genre",
            Mood => "mood",
            Bpm => "bpm",
            Key => "key",
            ReleaseDate => "release_date",
            Location => "location",
            Bio => "bio",
            Verified => "verified",
        }
    }

    /// What has such a field, if nothing else says what a question is about.
    pub fn entity(self) -> EntityType {
        match self {
            Followers | Following | Tracks | Playlists | Albums | Supporters | Location | Bio
            | Verified => EntityType::User,
            Plays | Reposts | Favorites | Comments | Duration | Genre | Mood | Bpm | Key
            | ReleaseDate => EntityType::Track,
        }
    }

    /// The field on the wire, for what has it.
    pub fn field(self, entity: EntityType) -> Option<&'static str> {
        use EntityType::{Playlist, Track, User};
        Some(match (self, entity) {
            (Plays, Track) => "play_count",
            (Plays, Playlist) => "total_play_count",
            (Followers, User) => "follower_count",
            (Following, User) => "followee_count",
            (Tracks, User | Playlist) => "track_count",
            (Playlists, User) => "playlist_count",
            (Albums, User) => "album_count",
            (Reposts, _) => "repost_count",
            (Favorites, Track | Playlist) => "favorite_count",
            (Comments, Track) => "comment_count",
            (Supporters, User) => "supporter_count",
            (Duration, Track) => "duration",
            (Genre, Track) => "genre",
            (Mood, Track) => "mood",
            (Bpm, Track) => "bpm",
            (Key, Track) => "musical_key",
            (ReleaseDate, Track | Playlist) => "release_date",
            (Location, User) => "location",
            (Bio, User) => "bio",
            (Verified, User) => "is_verified",
            _ => return None,
        })
    }
}
