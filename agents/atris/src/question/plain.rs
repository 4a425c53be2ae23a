//! Words that ask for nothing: what questions are held together by, and what is said out of politeness. Every other
//! word of a question asks for something (`account`). Those that hold any text together are `catalogue`'s fillers.

use crate::catalogue::is_filler;

/// Words for anybody and anything, however many. A question about them is about what is known of all; an order is
/// about one thing, and these make more of it.
const WHOEVER: &[&str] = &[
    "all", "any", "anybody", "anyone", "anything", "each", "every", "everybody", "everyone",
    "everything", "folks", "ones", "people", "person", "persons", "some", "somebody", "someone",
    "something", "stuff", "these", "thing", "things", "those",
];

/// Words of taste and vagueness. They change nothing in what is asked, and are told.
const VAGUE: &[&str] = &[
    "amazing", "awesome", "bit", "bunch", "cool", "couple", "decent", "ever", "far", "few", "fun",
    "good", "great", "interesting", "lately", "lot", "lots", "nice", "recently", "still", "very",
];

/// What is before or behind `I` or `me` in turns of phrase that do not ask about whoever asks.
const BEFORE_ME: [&str; 16] = [
    "show", "give", "tell", "recommend", "find", "get", "surprise", "make", "bring", "let", "send",
    "fetch", "play", "suggest", "list", "help",
];
const BESIDE_I: [&str; 14] = [
    "can", "should", "could", "may", "would", "want", "need", "d", "m", "ll", "wanna", "wish",
    "must", "might",
];

/// Words for whoever asks.
const ASKER: [&str; 9] = ["i", "me", "my", "mine", "myself", "we", "us", "our", "ours"];

/// Whether a question has a word for whoever asks.
pub(super) fn is_asker_in(question: &str) -> bool {
    let lower = question.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    words.any(is_asker)
}

/// Whether a word is for whoever asks.
pub(super) fn is_asker(word: &str) -> bool {
    ASKER.contains(&word)
}

/// What a word of a question is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weight {
    /// It asks for nothing.
    Plain,
    /// It stands for anybody or anything, which asks for nothing in a question, and for more than one thing in an order.
    Whoever,
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
    // What somebody should do is a recommendation.
    let is_advice = word == "should" && behind == "i";
    let is_plain = is_filler(word) && !is_advice;
    if is_part || is_wish || is_plain {
        return Weight::Plain;
    }
    match (VAGUE.contains(&word), WHOEVER.contains(&word)) {
        (true, _) => Weight::Vague,
        (_, true) => Weight::Whoever,
        _ => Weight::Content,
    }
}

impl Weight {
    /// Whether a word asks for nothing in a question.
    pub(super) fn is_plain(self) -> bool {
        matches!(self, Self::Plain | Self::Whoever)
    }
}
