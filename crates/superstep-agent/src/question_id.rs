//! Ids of questions in commands: a command answers the question it was printed for, and no other one.

use superstep::AskId;

/// Letters of an id that say where a question is asked; the others say what it asks.
const PLACE: usize = 16;

/// Letters of each part in a command.
const SHORT: (usize, usize) = (4, 8);

/// Minimum length of a prefix: a shorter one is more likely the number of a list.
pub const SHORTEST_ID: usize = 4;

/// The id of a question in commands. It covers the place of the question and what is asked there: a question about
/// other arguments has another one.
pub fn short_id(id: AskId) -> String {
    let id = id.to_string();
    let part = |from: usize, count: usize| id.get(from..from + count).unwrap_or_default();
    format!("{}-{}", part(0, SHORT.0), part(PLACE, SHORT.1))
}

/// Whether a text names a question: its id, or what [`short_id`] says.
pub fn names_question(text: &str, id: AskId) -> bool {
    let text = text.trim().to_lowercase();
    text == id.to_string() || text == short_id(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_in_a_command_covers_what_is_asked() {
        let id = AskId(0x3b0e_935b_0000_0000_1c2b_3d4e_0000_0001);
        assert_eq!(short_id(id), "3b0e-1c2b3d4e");
        for text in ["3b0e-1c2b3d4e", " 3B0E-1C2B3D4E", &id.to_string()] {
            assert!(names_question(text, id), "{text}");
        }
        let other = AskId(0x3b0e_935b_0000_0000_ffff_3d4e_0000_0001);
        for text in ["3b0e-1c2b3d4e", "3b0e935b", "3b0e", ""] {
            assert!(!names_question(text, other), "{text}");
        }
    }
}
