//! The mode in the words of a question: whether approved mail is sent, or only described.

use superstep::{
    text::{Hidden, reveal},
    tools::Mode,
};

/// The line of a question that names the mode.
fn note(mode: Mode) -> &'static str {
    match mode {
        Mode::Dry => "(dry run: nothing will leave)",
        Mode::Send => "(for real: what is accepted is sent or scheduled)",
    }
}

/// The description of a question: its heading, the mode, a warning of hidden characters, and the text with these
/// characters named.
pub(crate) fn describe(mode: Mode, heading: &str, about: &str) -> String {
    format!("# {heading}\n\n{}\n\n{}", note(mode), revealed(about))
}

/// A description that names this mode in place of the one it was asked in.
pub(crate) fn renamed(mode: Mode, description: &str) -> String {
    match split(description) {
        Some((heading, about)) => format!("{heading}\n\n{}\n\n{about}", note(mode)),
        None => description.to_owned(),
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
    let notes = [note(Mode::Dry), note(Mode::Send)];
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
        let about = format!("To: ann@example.org\n\n{}\n", note(Mode::Dry));
        let asked = describe(Mode::Dry, "A reply", &about);
        let real = describe(Mode::Send, "A reply", &about);
        assert_eq!(renamed(Mode::Send, &asked), real);
        assert_eq!(renamed(Mode::Dry, &real), asked);
        assert_eq!(without_mode(&real), format!("# A reply\n\n{about}"));
        // What a model wrote is left as it is, wherever it is.
        for other in [
            &about,
            "# A reply\n\nTo: x\n\n(dry run: nothing will leave)\n\n",
            "",
        ] {
            assert_eq!(renamed(Mode::Send, other), other);
            assert_eq!(without_mode(other), other);
        }
    }

    #[test]
    fn a_warning_of_hidden_characters_hides_no_mode() {
        let about = "To: ann@example.org\n\nFine.\u{200b}\n";
        let asked = describe(Mode::Dry, "A reply", about);
        let real = describe(Mode::Send, "A reply", about);
        assert!(
            real.contains("**It holds ") && real.contains("Fine.<U+200B>"),
            "{real}"
        );
        assert_eq!(renamed(Mode::Send, &asked), real);
        assert!(!without_mode(&asked).contains(note(Mode::Dry)));
        // As it was stored before.
        let (head, rest) = asked.split_once("\n\n").unwrap();
        let rest = rest.replace(&format!("{}\n\n", note(Mode::Dry)), "");
        let (warning, rest) = rest.split_once("\n\n").unwrap();
        let old = format!("{head}\n\n{warning}\n\n{}\n\n{rest}", note(Mode::Dry));
        assert_eq!(renamed(Mode::Send, &old), real);
    }
}
