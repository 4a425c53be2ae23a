//! Words that ask for nothing: what questions are held together by, and what is said out of politeness. Every other
//! word of a question asks for something (`account`).

/// Words that hold questions together.
const PLAIN: &[&str] = &[
    "a",
    "about",
    "actually",
    "all",
    "am",
    "an",
    "and",
    "any",
    "anybody",
    "anyone",
    "anything",
    "are",
    "as",
    "at",
    "audius",
    "basically",
    "be",
    "been",
    "being",
    "bring",
    "by",
    "called",
    "can",
    "could",
    "currently",
    "data",
    "describe",
    "detail",
    "details",
    "did",
    "display",
    "do",
    "does",
    "doing",
    "done",
    "everybody",
    "everyone",
    "everything",
    "exactly",
    "fetch",
    "find",
    "folks",
    "for",
    "from",
    "get",
    "gets",
    "getting",
    "gimme",
    "give",
    "go",
    "got",
    "gotten",
    "had",
    "has",
    "have",
    "having",
    "he",
    "hello",
    "her",
    "here",
    "hers",
    "hey",
    "hi",
    "him",
    "his",
    "how",
    "if",
    "in",
    "info",
    "information",
    "into",
    "is",
    "it",
    "its",
    "just",
    "kindly",
    "know",
    "let",
    "lets",
    "list",
    "look",
    "looking",
    "may",
    "maybe",
    "might",
    "must",
    "name",
    "named",
    "names",
    "need",
    "now",
    "of",
    "off",
    "ok",
    "okay",
    "on",
    "one",
    "ones",
    "only",
    "onto",
    "or",
    "out",
    "over",
    "people",
    "perhaps",
    "person",
    "persons",
    "platform",
    "please",
    "pls",
    "plz",
    "print",
    "pull",
    "put",
    "quickly",
    "really",
    "right",
    "see",
    "shall",
    "she",
    "should",
    "show",
    "simply",
    "site",
    "so",
    "some",
    "somebody",
    "someone",
    "something",
    "stuff",
    "tell",
    "thank",
    "thanks",
    "that",
    "the",
    "their",
    "theirs",
    "them",
    "then",
    "there",
    "these",
    "they",
    "thing",
    "things",
    "this",
    "those",
    "titled",
    "to",
    "try",
    "up",
    "want",
    "wants",
    "was",
    "well",
    "were",
    "what",
    "whats",
    "whether",
    "which",
    "who",
    "whom",
    "whos",
    "whose",
    "will",
    "with",
    "would",
    "yo",
    "you",
    "your",
];

/// Words of taste and vagueness. They change nothing in what is asked, and are told.
const VAGUE: &[&str] = &[
    "amazing",
    "awesome",
    "bit",
    "bunch",
    "cool",
    "couple",
    "decent",
    "ever",
    "far",
    "few",
    "fun",
    "good",
    "great",
    "interesting",
    "lately",
    "lot",
    "lots",
    "nice",
    "recently",
    "still",
    "very",
];

/// What is before or behind `I` or `me` in turns of phrase that do not ask about whoever asks.
const BEFORE_ME: [&str; 16] = [
    "show",
    "give",
    "tell",
    "recommend",
    "find",
    "get",
    "surprise",
    "make",
    "bring",
    "let",
    "send",
    "fetch",
    "play",
    "suggest",
    "list",
    "help",
];
const BESIDE_I: [&str; 14] = [
    "can", "should", "could", "may", "would", "want", "need", "d", "m", "ll", "wanna", "wish",
    "must", "might",
];

/// Words for whoever asks.
const ASKER: [&str; 9] = ["i", "me", "my", "mine", "myself", "we", "us", "our", "ours"];

/// What a word of a question is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weight {
    /// It asks for nothing.
    Plain,
    /// It changes nothing, and is told.
    Vague,
    /// It stands for whoever asks.
    Asker,
    /// It asks for something.
    Content,
}

/// What a word is for, between the one before and the one behind it.
pub(super) fn weight(word: &str, before: &str, behind: &str) -> Weight {
    let is_letter = word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
    if ASKER.contains(&word) {
        let is_turn = match word {
            "me" => BEFORE_ME.contains(&before),
            "i" => BESIDE_I.contains(&before) || BESIDE_I.contains(&behind),
            "us" => before == "let" || BEFORE_ME.contains(&before),
            _ => false,
        };
        return match is_turn {
            true => Weight::Plain,
            false => Weight::Asker,
        };
    }
    // What is left of `it's` and `I'd`; `I'd like to see` likes nothing.
    let is_part = ["ll", "re", "ve"].contains(&word) || is_letter;
    let is_wish = word == "like" && ["d", "would"].contains(&before);
    if is_part || is_wish || PLAIN.contains(&word) {
        return Weight::Plain;
    }
    match VAGUE.contains(&word) {
        true => Weight::Vague,
        false => Weight::Content,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_asks_is_told_from_a_turn_of_phrase() {
        assert_eq!(weight("me", "show", "tracks"), Weight::Plain);
        assert_eq!(weight("me", "follows", ""), Weight::Asker);
        assert_eq!(weight("i", "can", "remix"), Weight::Plain);
        assert_eq!(weight("i", "do", "follow"), Weight::Asker);
        assert_eq!(weight("my", "", "followers"), Weight::Asker);
    }

    #[test]
    fn a_wish_is_no_liking() {
        assert_eq!(weight("like", "d", "to"), Weight::Plain);
        assert_eq!(weight("like", "artists", "nova"), Weight::Content);
        assert_eq!(weight("total", "", "plays"), Weight::Content);
        assert_eq!(weight("good", "", "tracks"), Weight::Vague);
    }
}
