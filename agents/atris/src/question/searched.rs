//! What is searched for, out of what stands behind `for`, `called` or `tagged`.
//!
//! The words of a person around it (`the track harbor`, `rain, please`, `summer in the name`) are not searched for: the
//! search would find nothing, and that would be no answer. See [`super::values`] for where the text begins.

use super::{comparison::is_degree, nouns::noun};
use crate::catalogue::is_known;

/// Words in front of what is searched for, besides nouns for what it is.
const BEFORE: [&str; 16] = [
    "the", "a", "an", "any", "all", "some", "me", "named", "called", "titled", "containing",
    "with", "word", "words", "about", "after",
];

/// What may follow it.
const BEHIND: [&str; 9] = [
    "please", "in the name", "in the names", "in their name", "in their names", "in its name",
    "in the title", "in their title", "in their titles",
];

/// The text to search for, unless that is more than one text.
pub(super) fn searched(text: &str) -> Option<&str> {
    let mut text = trimmed(text);
    while let Some((word, rest)) = text.split_once(' ') {
        // A name is written with capitals, and may begin with any word.
        if !BEFORE.contains(&word) && noun(word).is_none() {
            break;
        }
        text = trimmed(rest);
    }
    for end in BEHIND {
        if let Some(before) = text.strip_suffix(end)
            && before.ends_with([' ', ','])
        {
            text = trimmed(before);
        }
    }
    // `with the most remixes` is compared, not searched for.
    let is_compared = text.split(' ').any(is_degree);
    let is_one = !text.contains(" or ") && !names_maker(text) && !is_compared;
    (is_one && !text.is_empty()).then_some(text)
}

/// What is searched for by `search rain` or `find harbor`: words behind the verb that no question is made of.
pub(super) fn bare(question: &str) -> Option<&str> {
    let (verb, text) = question.trim().split_once(' ')?;
    let text = trimmed(text.trim_start_matches("up "));
    let is_verb = ["search", "find", "look"].contains(&verb.to_lowercase().as_str());
    let mut words = text.split(' ');
    let is_text = words.all(|word| !is_known(word) && !word.contains(['@', '/', '$', '"']));
    (is_verb && !text.is_empty() && is_text).then_some(text)
}

/// Whether the words behind a name say whose it is: `rain from Glass House`.
fn names_maker(text: &str) -> bool {
    let maker = text.split_once(" from ").map(|(_, maker)| maker);
    maker.is_some_and(|maker| maker.starts_with(char::is_uppercase))
}

fn trimmed(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || "?.!,#".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_around_it_are_not_searched_for() {
        for (said, wanted) in [
            ("track harbor", "harbor"),
            ("the track harbor", "harbor"),
            ("the artist Mira Voss", "Mira Voss"),
            ("rain, please", "rain"),
            ("containing the word harbor", "harbor"),
            ("summer in the name", "summer"),
            ("rain in their name", "rain"),
            ("The Night", "The Night"),
            ("love and war", "love and war"),
            ("Songs for Rain?", "Songs for Rain"),
        ] {
            assert_eq!(searched(said), Some(wanted), "{said}");
        }
    }

    #[test]
    fn a_verb_and_words_of_no_question_are_a_search() {
        assert_eq!(bare("search rain"), Some("rain"));
        assert_eq!(bare("find harbor?"), Some("harbor"));
        for question in ["search tracks", "find @novakane", "rain", "find me rain"] {
            assert_eq!(bare(question), None, "{question}");
        }
    }

    #[test]
    fn what_is_more_than_a_text_is_none() {
        for said in [
            "summer or rain", "rain from Glass House", "the most remixes", "fewest comments", "",
        ] {
            assert_eq!(searched(said), None, "{said}");
        }
    }
}
