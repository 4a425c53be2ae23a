//! Sanitized text for one line of a terminal.

use superstep_text::sanitize;

/// The text without what a terminal would obey or a reader would not see. Breaks become spaces.
pub(crate) fn sanitize_line(text: &str) -> String {
    sanitize(text).replace(['\n', '\t'], " ")
}

#[cfg(test)]
mod tests {
    use super::sanitize_line;

    #[test]
    fn escape_sequences_are_gone_with_their_parameters() {
        assert_eq!(sanitize_line("a\u{1b}[31;1mred\u{1b}[0m b"), "ared b");
        assert_eq!(
            sanitize_line("\u{1b}]0;title\u{7}x\u{1b}]8;;http://a\u{1b}\\y"),
            "xy"
        );
        assert_eq!(sanitize_line("\u{9b}2Jx\u{1b}cy\u{1b}"), "xy");
        assert_eq!(sanitize_line("\u{1b}]52;c;never ends"), "");
    }

    #[test]
    fn control_characters_and_marks_of_direction_are_gone() {
        assert_eq!(sanitize_line("a\u{8}\u{7f}\u{0}b\u{85}c"), "abc");
        assert_eq!(
            sanitize_line("safe\u{202e}exe.txt\u{2066}\u{200f}"),
            "safeexe.txt"
        );
        assert_eq!(
            sanitize_line("hidden\u{e0041}\u{e0042}\u{200b}\u{feff}"),
            "hidden"
        );
    }

    #[test]
    fn breaks_are_spaces_and_other_letters_stay() {
        assert_eq!(sanitize_line("a\nb\r\nc\td"), "a b c d");
        assert_eq!(sanitize_line("Grüße, 世界 👩‍👩‍👧"), "Grüße, 世界 👩‍👩‍👧");
    }
}
