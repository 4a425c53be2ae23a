//! Slash commands of a conversation.

use superstep_model::near;

/// The commands and what they do.
pub(crate) const COMMANDS: [(&str, &str); 9] = [
    ("/approve", "approve the analysis and write it"),
    ("/documents", "list the documents, included or not"),
    ("/tokens", "tokens and cost so far"),
    ("/undo", "undo your last answer"),
    ("/editor", "write your answer in $EDITOR"),
    ("/model", "the current model"),
    ("/thread", "the name of the thread"),
    ("/help", "this list"),
    ("/exit", "leave; the thread is kept"),
];

/// What a message is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Meant {
    /// Words for Archie, an approval among them.
    Words,
    Documents,
    Tokens,
    Undo,
    Editor,
    Model,
    Thread,
    Help,
    Exit,
    /// A mistyped command.
    Unknown(String),
}

/// What somebody meant by a message. A path or a sentence that begins with `/` is no command.
pub(crate) fn meant(message: &str) -> Meant {
    let message = message.trim();
    match message {
        "/documents" => return Meant::Documents,
        "/tokens" | "/cost" => return Meant::Tokens,
        "/undo" => return Meant::Undo,
        "/editor" => return Meant::Editor,
        "/model" => return Meant::Model,
        "/thread" => return Meant::Thread,
        "/help" | "/?" => return Meant::Help,
        "/exit" | "/quit" => return Meant::Exit,
        _ => {}
    }
    let is_approval = message.eq_ignore_ascii_case("/approve");
    let is_one_word = message.starts_with('/') && !message.contains(char::is_whitespace);
    let slashes = message.matches('/').count();
    if !is_one_word || is_approval || slashes > 1 {
        return Meant::Words;
    }
    let hint = near::hint(message, COMMANDS.iter().map(|(name, _)| *name));
    Meant::Unknown(format!("there is no command {message}{hint}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_known_and_other_words_are_not_commands() {
        for words in [
            "/approve",
            "/etc/hosts",
            "/ledger is wrong",
            "help",
            "not /help",
        ] {
            assert_eq!(meant(words), Meant::Words, "{words}");
        }
        assert_eq!(meant(" /undo "), Meant::Undo);
        let Meant::Unknown(text) = meant("/aprove") else {
            panic!("it is mistyped")
        };
        assert_eq!(
            text,
            "there is no command /aprove; did you mean `/approve`?"
        );
    }

    #[test]
    fn every_command_of_the_list_is_one() {
        for (name, _) in COMMANDS {
            assert!(name == "/approve" || meant(name) != Meant::Words, "{name}");
            assert!(!matches!(meant(name), Meant::Unknown(_)), "{name}");
        }
    }
}
