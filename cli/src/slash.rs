//! Slash commands of a conversation.

use superstep::model::did_you_mean;

/// The commands and their help.
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

/// A message as it is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Parsed {
    /// Text for Archie, an approval among it.
    Text,
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

/// Parses a message. A path or a sentence that begins with `/` is no command.
pub(crate) fn parse(message: &str) -> Parsed {
    let message = message.trim();
    match message {
        "/documents" => return Parsed::Documents,
        "/tokens" | "/cost" => return Parsed::Tokens,
        "/undo" => return Parsed::Undo,
        "/editor" => return Parsed::Editor,
        "/model" => return Parsed::Model,
        "/thread" => return Parsed::Thread,
        "/help" | "/?" => return Parsed::Help,
        "/exit" | "/quit" => return Parsed::Exit,
        _ => {}
    }
    let is_approval = message.eq_ignore_ascii_case("/approve");
    let is_one_word = message.starts_with('/') && !message.contains(char::is_whitespace);
    let slashes = message.matches('/').count();
    if !is_one_word || is_approval || slashes > 1 {
        return Parsed::Text;
    }
    let hint = did_you_mean::hint(message, COMMANDS.iter().map(|(name, _)| *name));
    Parsed::Unknown(format!("there is no command {message}{hint}"))
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
            assert_eq!(parse(words), Parsed::Text, "{words}");
        }
        assert_eq!(parse(" /undo "), Parsed::Undo);
        let Parsed::Unknown(text) = parse("/aprove") else {
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
            assert!(name == "/approve" || parse(name) != Parsed::Text, "{name}");
            assert!(!matches!(parse(name), Parsed::Unknown(_)), "{name}");
        }
    }
}
