//! Words of questions: what is left of them for a search, synonyms, genres and moods.

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

use superstep::model::did_you_mean;

use super::fillers::is_filler;

/// The genres of Audius.
pub const GENRES: [&str; 51] = [
    "Acoustic", "Alternative", "Ambient", "Audiobooks", "Blues", "Classical", "Comedy", "Country",
    "Dancehall", "Deep House", "Devotional", "Disco", "Downtempo", "Drum & Bass", "Dubstep",
    "Electro", "Electronic", "Experimental", "Folk", "Funk", "Future Bass", "Future House",
    "Glitch Hop", "Hardstyle", "Hip-Hop/Rap", "House", "Hyperpop", "Jazz", "Jersey Club", "Jungle",
    "Kids", "Latin", "Lo-Fi", "Metal", "Moombahton", "Podcasts", "Pop", "Progressive House",
    "Punk", "R&B/Soul", "Reggae", "Rock", "Soundtrack", "Spoken Word", "Tech House", "Techno",
    "Trance", "Trap", "Tropical House", "Vaporwave", "World",
];

/// The moods of Audius.
pub const MOODS: [&str; 23] = [
    "Aggressive", "Brooding", "Cool", "Defiant", "Easygoing", "Empowering", "Energizing",
    "Excited", "Fiery", "Gritty", "Melancholy", "Other", "Peaceful", "Romantic", "Rowdy",
    "Sensual", "Sentimental", "Serious", "Sophisticated", "Stirring", "Tender", "Upbeat",
    "Yearning",
];

/// How people write genres otherwise.
const GENRE_NAMES: [(&str, &[&str]); 6] = [
    ("Hip-Hop/Rap", &["hip hop", "hip-hop", "hiphop", "rap"]),
    ("R&B/Soul", &["r&b", "rnb", "soul"]),
    ("Drum & Bass", &["dnb", "drum and bass", "drum n bass"]),
    ("Lo-Fi", &["lofi", "lo fi"]),
    ("Podcasts", &["podcast"]),
    ("Electronic", &["electronica"]),
];

/// These names, each with the genre that it means.
fn genre_names() -> impl Iterator<Item = (&'static str, &'static str)> {
    let genres = GENRE_NAMES.iter();
    genres.flat_map(|(genre, names)| names.iter().map(move |name| (*name, *genre)))
}

/// The genre that a text means, or the nearest one it may mean.
pub fn genre(text: &str) -> Result<&'static str, Option<&'static str>> {
    let lower = text.trim().to_lowercase();
    if let Some(exact) = GENRES.iter().find(|known| known.to_lowercase() == lower) {
        return Ok(exact);
    }
    if let Some((_, meant)) = genre_names().find(|(name, _)| *name == lower) {
        return Ok(meant);
    }
    Err(did_you_mean::nearest(&lower, GENRES))
}

/// The mood that a text means, or the nearest one it may mean.
pub fn mood(text: &str) -> Result<&'static str, Option<&'static str>> {
    let lower = text.trim().to_lowercase();
    let exact = MOODS.iter().find(|known| known.to_lowercase() == lower);
    exact
        .copied()
        .ok_or_else(|| did_you_mean::nearest(&lower, MOODS))
}

/// The genre that is named somewhere in a text in lower case, the longest first, and its words.
pub(crate) fn genre_in(lower: &str) -> Option<(&'static str, String)> {
    let names = GENRES.iter().map(|genre| (genre.to_lowercase(), *genre));
    let others = genre_names().map(|(name, genre)| (name.to_owned(), genre));
    let mut found: Vec<_> = names
        .chain(others)
        .filter(|(name, _)| has_words(lower, name))
        .collect();
    found.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    found.into_iter().next().map(|(name, genre)| (genre, name))
}

/// Whether a word in lower case is a part of a genre's name: `house` of `Deep House`.
pub(crate) fn is_part_of_genre(lower: &str) -> bool {
    let mut names = GENRES.iter();
    names.any(|genre| has_words(&genre.to_lowercase(), lower))
}

/// The mood that is named in a text in lower case.
pub(crate) fn mood_in(lower: &str) -> Option<&'static str> {
    let named = |mood: &&&str| **mood != "Other" && has_words(lower, &mood.to_lowercase());
    MOODS.iter().find(named).copied()
}

/// Whether a text has these words as whole words.
pub(crate) fn has_words(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(at, found)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text.get(at + found.len()..);
        let after = after.and_then(|text| text.chars().next());
        let ends = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
        ends(before) && ends(after)
    })
}

/// Words that ask for something and say nothing about an operation.
const UNSEARCHED: &[&str] = &[
    "all", "any", "below", "between", "ever", "i", "long", "lot", "many", "me", "most", "much",
    "my", "our", "people", "s", "some", "t", "than", "these", "thing", "those", "today", "too",
    "us", "we", "when", "where", "why",
];

/// Words that mean another one here.
const SAME_WORDS: &str = "
    track: song music tune single upload sound
    user: artist musician producer dj profile account
    favorite: like liked love saved favourite favorited favourited
    repost: reposted reposting
    trending: hot hottest chart charting
    latest: newest
    recent: recently
    history: listened heard
    play: played
    following: followed
    supporting: support
    tip: tipped
    remix: remixed remixing
    comment: commented
    album: lp ep
    coin: token cash
    contest: competition
    related: similar alike
    selling: sell seller
    tag: label hashtag
";

/// Words besides those that questions are made of, also in the plural.
const OWN: [&str; 13] = [
    "member", "loved", "shared", "popular", "best", "new", "recent", "follow", "follower", "fan",
    "supporter", "genre", "listen",
];

static SAME: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    let lines = SAME_WORDS.lines().filter_map(|line| line.split_once(": "));
    let words = lines.flat_map(|(to, from)| from.split(' ').map(move |it| (it, to.trim())));
    words.collect()
});

fn is_unsearched(word: &str) -> bool {
    is_filler(word) || UNSEARCHED.contains(&word)
}

/// The words of a text that a search uses: lower case, singular, synonyms replaced.
pub(crate) fn tokens(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric());
    words
        .filter(|word| !word.is_empty() && !is_unsearched(word))
        .map(|word| same(&singular(word)))
        .collect()
}

/// Whether a word is one that questions are made of, and so no name.
pub(crate) fn is_known(word: &str) -> bool {
    let lower = word.to_lowercase();
    let lower = lower.trim_matches(|c: char| !c.is_alphanumeric());
    is_unsearched(lower)
        || KNOWN.contains(lower)
        || OWN.contains(&singular(lower).as_str())
        || SAME
            .iter()
            .any(|(from, to)| *from == singular(lower) || *to == singular(lower))
        || is_part_of_genre(lower)
        || genre_names().any(|(name, _)| has_words(name, lower))
        || mood(lower).is_ok()
        || lower.chars().all(|c| c.is_ascii_digit())
}

/// Words of questions that are neither names nor accepted by the lists above.
const KNOWN_WORDS: &str = "
    above access active after against aggregate ago airing also among amount anybody anyone anything aren around
    autocomplete available away back because before behind belongs biggest bio bit both bpm build buy came
    cannot check circle claimed collected come compare compared count counts create created daily date day days
    delete desc description develop didn difference doesn don down download downloadable downloaded downloads
    dropped duration during each eight else ended event events everybody everyone everything exclusive explain
    faster fastest few fewer fewest fifth first five folks four fourth free friends going good great handle hear
    highest holders id inside instead isn join key kind last lately leaders least length less listeners
    listening located location longer longest looked lots made make makes making market mine minutes month
    monthly mood more needs newer nine no not number numbers older oldest ones open page per playlist playlists
    popularity posted price prizes produced published purchase radar rank ranking received recommend recommended
    released releases remixes run running runs said sale same say says search second seven shorter shortest
    since six slower slowest sold somebody someone something sort stems still stream stuff supported ten third
    three time times top total two under underground until uploaded upon uses verified via wanted wasn way week
    weekly while winners within without won written wrote year yearly yes
";

static KNOWN: LazyLock<HashSet<&str>> = LazyLock::new(|| KNOWN_WORDS.split_whitespace().collect());

fn same(word: &str) -> String {
    SAME.get(word).map_or(word, |to| to).to_owned()
}

fn singular(word: &str) -> String {
    const OTHERS: [&str; 10] = [
        "ids", "us", "this", "series", "news", "has", "was", "is", "bass", "always",
    ];
    match word.strip_suffix('s') {
        _ if OTHERS.contains(&word) => word.to_owned(),
        Some(stem) if word.len() > 4 && stem.ends_with("ie") => {
            format!("{}y", stem.strip_suffix("ie").unwrap_or(stem))
        }
        Some(stem) if word.len() > 3 && !stem.ends_with('s') => stem.to_owned(),
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_singular_and_synonyms_are_one() {
        let found = tokens("Show me the hottest songs & playlists of this artist!");
        assert_eq!(found, ["trending", "track", "playlist", "user"]);
    }

    #[test]
    fn genres_are_found_by_other_names_and_the_longest_counts() {
        assert_eq!(genre("hip hop"), Ok("Hip-Hop/Rap"));
        assert_eq!(genre("ELECTRONIC"), Ok("Electronic"));
        assert_eq!(genre("elektronic"), Err(Some("Electronic")));
        assert_eq!(genre("zydeco"), Err(None));
        let found = genre_in("the best deep house of the year").map(|it| it.0);
        assert_eq!(found, Some("Deep House"));
        assert_eq!(genre_in("a trapdoor"), None);
        assert_eq!(mood_in("melancholy techno"), Some("Melancholy"));
    }

    #[test]
    fn names_are_no_words_of_questions() {
        for word in [
            "trending", "Artist", "10", "Electronic", "followers", "Which",
        ] {
            assert!(is_known(word), "{word}");
        }
        for word in ["Skrillex", "deadmau5", "Nyan"] {
            assert!(!is_known(word), "{word}");
        }
    }
}
