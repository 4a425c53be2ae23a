//! Ids of questions in commands: a command answers the question it was printed for, and no other one.

use superstep::AskId;

/// Length of the prefix that commands carry.
const LETTERS: usize = 8;

/// Minimum length of a prefix: a shorter one is more likely the number of a list.
pub const SHORTEST_ID: usize = 4;

/// The prefix of a question's id that names it in its thread.
pub fn short_id(id: AskId) -> String {
    id.to_string().chars().take(LETTERS).collect()
}

/// Whether a text names a question.
pub fn names_question(text: &str, id: AskId) -> bool {
    let text = text.trim().to_lowercase();
    text.chars().count() >= SHORTEST_ID && id.to_string().starts_with(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_of_four_letters_names_a_question() {
        let id = AskId(0x3b0e_935b_0000_0000_0000_0000_0000_0001);
        assert_eq!(short_id(id), "3b0e935b");
        for text in ["3b0e935b", "3b0e", "3B0E"] {
            assert!(names_question(text, id), "{text}");
        }
        for text in ["3b0", "", "3b0f935b"] {
            assert!(!names_question(text, id), "{text}");
        }
    }
}
