//! The field of a reply that a question asks for: plays, followers, duration.

use serde::{Deserialize, Serialize};

use super::{maker::GAP, numbers::number, plain::weight};
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
    Description,
    Downloadable,
    Link,
}

use Aspect::{
    Albums, Bio, Bpm, Comments, Description, Downloadable, Duration, Favorites, Followers,
    Following, Genre, Key, Link, Location, Mood, Playlists, Plays, ReleaseDate, Reposts,
    Supporters, Tracks, Verified,
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
    (&["difference", "followers"], Followers),
    (&["difference", "plays"], Plays),
    (&["difference", "length"], Duration),
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
    (&["more supporters"], Supporters),
    (&["more comments"], Comments),
    (&["more albums"], Albums),
    (&["more playlists"], Playlists),
    (&["faster"], Bpm),
    (&["slower"], Bpm),
    (&["which", "older"], ReleaseDate),
    (&["which", "newer"], ReleaseDate),
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
    (&["what year", "released"], ReleaseDate),
    (&["which year", "released"], ReleaseDate),
    (&["what year", "come out"], ReleaseDate),
    (&["where", "from"], Location),
    (&["where", "located"], Location),
    (&["where", "based"], Location),
    (&["where", "live"], Location),
    (&["where", "lives"], Location),
    (&["where", "living"], Location),
    (&["bio"], Bio),
    (&["verified"], Verified),
];

/// Nouns for fields: `X's plays`, `bpm of X`, `X description`.
const FIELDS: &[(&str, Aspect)] = &[
    ("plays", Plays),
    ("bpm", Bpm),
    ("tempo", Bpm),
    ("key", Key),
    ("genre", Genre),
    ("mood", Mood),
    ("duration", Duration),
    ("length", Duration),
    ("description", Description),
    ("location", Location),
    ("bio", Bio),
    ("link", Link),
    ("url", Link),
];

/// Nouns that are counted: `has X 12 followers`. Of somebody they are lists, of something earlier they are numbers.
const COUNTED: &[(&str, Aspect)] = &[
    ("favorites", Favorites),
    ("favourites", Favorites),
    ("likes", Favorites),
    ("reposts", Reposts),
    ("plays", Plays),
    ("followers", Followers),
    ("comments", Comments),
    ("tracks", Tracks),
    ("songs", Tracks),
    ("albums", Albums),
    ("playlists", Playlists),
    ("supporters", Supporters),
];

/// How many of [`COUNTED`] are numbers of something earlier: `and favorites?`.
const OF_EARLIER: usize = 5;

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

    /// The field that a question asks for, and the words that do so. `shape` has its words, with a gap for its name.
    pub(super) fn read(
        question: &str,
        shape: &[String],
        is_earlier: bool,
    ) -> Option<(Self, Vec<String>)> {
        if let Some(aspect) = Self::of(question) {
            let words = Self::words_in(question).into_iter();
            return Some((aspect, words.map(str::to_owned).collect()));
        }
        let shape: Vec<&str> = shape.iter().map(String::as_str).collect();
        let gap = shape.iter().position(|word| *word == GAP)?;
        let (aspect, words) = counted(&shape)
            .or_else(|| downloadable(&shape, gap))
            .or_else(|| field(&shape, gap, is_earlier))?;
        Some((aspect, words.into_iter().map(str::to_owned).collect()))
    }

    /// The words of a question that ask for it.
    fn words_in(question: &str) -> Vec<&'static str> {
        let cues = asked(question).map_or(&[][..], |(cues, _)| cues);
        let mut words: Vec<&str> = cues.iter().flat_map(|cue| cue.split(' ')).collect();
        // Who has fewer is worked out from the same numbers.
        if words.contains(&"more") {
            words.extend(["fewer", "less"]);
        }
        // `how many more followers has X than Y`
        if words.contains(&"more")
            && crate::catalogue::has_words(&question.to_lowercase(), "how many")
        {
            words.extend(["how", "many"]);
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
            Description => "description",
            Downloadable => "downloadable",
            Link => "link",
        }
    }

    /// What has such a field, if nothing else says what a question is about.
    pub fn entity(self) -> EntityType {
        match self {
            Followers | Following | Tracks | Playlists | Albums | Supporters | Location | Bio
            | Verified => EntityType::User,
            Plays | Reposts | Favorites | Comments | Duration | Genre | Mood | Bpm | Key
            | ReleaseDate | Description | Downloadable | Link => EntityType::Track,
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
            (Description, Track | Playlist) => "description",
            (Downloadable, Track) => "is_downloadable",
            (Link, Track | Playlist) => "permalink",
            _ => return None,
        })
    }
}

/// A field and the words for it.
type FieldSaid<'a> = (Aspect, Vec<&'a str>);

/// `does X have 12 followers`: its record has the number.
fn counted<'a>(shape: &[&'a str]) -> Option<FieldSaid<'a>> {
    let first = shape.first()?;
    if !["does", "do", "has", "have", "did", "is", "are"].contains(first) {
        return None;
    }
    let at = shape.iter().position(|word| number(word).is_some())?;
    let (count, noun) = (shape.get(at)?, shape.get(at + 1)?);
    let (_, aspect) = COUNTED.iter().find(|(known, _)| known == noun)?;
    Some((*aspect, vec![*count, *noun]))
}

/// `is X downloadable`.
fn downloadable<'a>(shape: &[&'a str], gap: usize) -> Option<FieldSaid<'a>> {
    let is_asked = ["is", "was"].contains(shape.first()?) && gap == 1;
    let word = shape.last().filter(|word| **word == "downloadable")?;
    is_asked.then(|| (Downloadable, vec![*word]))
}

/// `X's plays`, `plays of X`, `its tempo`: a noun and a name, and nothing else that asks for something.
fn field<'a>(shape: &[&'a str], gap: usize, is_earlier: bool) -> Option<FieldSaid<'a>> {
    let more = COUNTED.iter().take(OF_EARLIER).filter(|_| is_earlier);
    let known: Vec<&(&str, Aspect)> = FIELDS.iter().chain(more).collect();
    let mut found = shape.iter().enumerate().filter_map(|(at, word)| {
        let (_, aspect) = known.iter().find(|(known, _)| known == word)?;
        Some((at, *word, *aspect))
    });
    let (at, noun, aspect) = found.next()?;
    let is_alone = shape.iter().enumerate().all(|(place, word)| {
        let before = place.checked_sub(1).and_then(|it| shape.get(it));
        let behind = shape.get(place + 1).copied().unwrap_or_default();
        place == at
            || *word == GAP
            || weight(word, before.copied().unwrap_or_default(), behind).is_plain()
    });
    let is_of = at < gap && matches!(shape.get(at + 1), Some(&("of" | "to" | "for")));
    (is_alone && (is_of || at > gap)).then(|| (aspect, vec![noun]))
}
