//! Dry-run mode: whether approved calls are made or only described. A run has a mode, and so has every
//! approval: an approval allows nothing in another mode than the one it was given in.

use serde::{Deserialize, Serialize};
use superstep::text::{Hidden, reveal};

use crate::markdown;

/// Whether approved calls are made. The order is that of what is allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// A dry run: they are answered with what would have been done. What was stored without a mode
    /// has this one.
    #[default]
    Dry,
    /// For real: mail is sent, meetings are made.
    Send,
}

impl Mode {
    /// The line of a question that names the mode.
    fn note(self) -> &'static str {
        match self {
            Self::Dry => "(dry run: nothing will leave)",
            Self::Send => "(for real: what is accepted is sent or scheduled)",
        }
    }

    /// The description of a question: its heading, the mode, a warning of what nobody sees, and what
    /// it is about, in which what is hidden is named.
    pub(crate) fn describe(self, heading: &str, about: &str) -> String {
        format!("# {heading}\n\n{}\n\n{}", self.note(), revealed(about))
    }

    /// A description that names this mode in place of the one it was asked in.
    pub(crate) fn renamed(self, description: &str) -> String {
        match split(description) {
            Some((heading, about)) => format!("{heading}\n\n{}\n\n{about}", self.note()),
            None => description.to_owned(),
        }
    }
}

/// A description without the line that names a mode, for inboxes that know in which mode an answer
/// will be given and say so themselves.
pub fn without_mode(description: &str) -> String {
    match split(description) {
        Some((heading, about)) => format!("{heading}\n\n{about}"),
        None => description.to_owned(),
    }
}

/// The description of a question on the wire as text without a mode, for readers that show no Markdown.
pub fn shown_description(description: &str) -> String {
    without_mode(&markdown::plain(description))
}

/// A text in which what is hidden is named, and warned of in front.
pub(crate) fn revealed(text: &str) -> String {
    let hidden = Hidden::of(text);
    match hidden.is_empty() {
        true => text.to_owned(),
        false => format!("**It holds {hidden}.**\n\n{}", reveal(text)),
    }
}

/// The parts before and behind the line with the mode. Its place is fixed, so that no text of a model
/// or a mail can be taken for it.
fn split(description: &str) -> Option<(String, String)> {
    let (heading, rest) = description.split_once("\n\n")?;
    if !heading.starts_with("# ") || heading.contains('\n') {
        return None;
    }
    // In questions of older versions the warning is in front.
    let (warning, rest) = match rest.split_once("**\n\n") {
        Some((warning, rest)) if warning.starts_with("**It holds ") => {
            (Some(format!("{warning}**\n\n")), rest)
        }
        _ => (None, rest),
    };
    let notes = [Mode::Dry.note(), Mode::Send.note()];
    let about = notes.iter().find_map(|note| rest.strip_prefix(note))?;
    let about = about.strip_prefix("\n\n")?;
    let about = warning.unwrap_or_default() + about;
    Some((heading.to_owned(), about))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_names_the_mode_of_whoever_answers_it() {
        let about = format!("To: ann@example.org\n\n{}\n", Mode::Dry.note());
        let asked = Mode::Dry.describe("A reply", &about);
        let real = Mode::Send.describe("A reply", &about);
        assert_eq!(Mode::Send.renamed(&asked), real);
        assert_eq!(Mode::Dry.renamed(&real), asked);
        assert_eq!(without_mode(&real), format!("# A reply\n\n{about}"));
        // What a model wrote is left as it is, wherever it is.
        for other in [
            &about,
            "# A reply\n\nTo: x\n\n(dry run: nothing will leave)\n\n",
            "",
        ] {
            assert_eq!(Mode::Send.renamed(other), other);
            assert_eq!(without_mode(other), other);
        }
    }

    #[test]
    fn a_warning_of_hidden_characters_hides_no_mode() {
        let about = "To: ann@example.org\n\nFine.\u{200b}\n";
        let asked = Mode::Dry.describe("A reply", about);
        let real = Mode::Send.describe("A reply", about);
        assert!(
            real.contains("**It holds ") && real.contains("Fine.<U+200B>"),
            "{real}"
        );
        assert_eq!(Mode::Send.renamed(&asked), real);
        assert!(!without_mode(&asked).contains(Mode::Dry.note()));
        // As it was stored before.
        let (head, rest) = asked.split_once("\n\n").unwrap();
        let rest = rest.replace(&format!("{}\n\n", Mode::Dry.note()), "");
        let (warning, rest) = rest.split_once("\n\n").unwrap();
        let old = format!("{head}\n\n{warning}\n\n{}\n\n{rest}", Mode::Dry.note());
        assert_eq!(Mode::Send.renamed(&old), real);
    }

    #[test]
    fn what_was_stored_without_a_mode_allows_nothing() {
        assert_eq!(Mode::default(), Mode::Dry);
        assert_eq!(Mode::Send.min(Mode::Dry), Mode::Dry);
        assert_eq!(serde_json::to_string(&Mode::Send).unwrap(), "\"send\"");
    }
}
