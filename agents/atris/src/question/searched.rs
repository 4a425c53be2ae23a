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

/// The verb that asks for what names begin with.
pub(super) const AUTOCOMPLETE: &str = "autocomplete";

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

/// What is searched for by `search rain` or `find harbor`: words behind the verb that no question is made of. Whatever is
/// behind `autocomplete` is the begin of a name.
pub(super) fn bare(question: &str) -> Option<&str> {
    let (verb, text) = question.trim().split_once(' ')?;
    let text = trimmed(text.trim_start_matches("up "));
    if verb.eq_ignore_ascii_case(AUTOCOMPLETE) {
        return (!text.is_empty()).then_some(text);
    }
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
    text.trim_matches(|c: char| c.is_whitespace() || "?.!,#'‘’`".contains(c))
}
