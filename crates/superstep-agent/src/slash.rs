//! Slash commands: one list for conversations, the shell and chats.

use superstep::model::did_you_mean;

/// The place of a typed line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypedAt {
    /// A conversation with Archie that ends in an analysis.
    Analysis,
    /// The shell.
    Shell,
    /// A chat with a model.
    Chat,
}

/// A command, its help, and where it is one.
struct SlashCommand(&'static str, &'static str, &'static [TypedAt]);

/// The reply to `/editor` where no line is edited.
pub const NO_EDITOR: &str = "an editor needs a terminal: write the message as a line";

/// Writes the message in another editor, wherever a message is typed.
pub const EDITOR: &str = "/editor";

/// Clears the screen, wherever a message is typed.
pub const CLEAR: &str = "/clear";

const ALL: [SlashCommand; 14] = [
    SlashCommand(
        "/approve",
        "approve the analysis and write it",
        &[TypedAt::Analysis],
    ),
    SlashCommand(
        "/documents",
        "list the documents, included or not",
        &[TypedAt::Analysis, TypedAt::Shell],
    ),
    SlashCommand(
        "/tokens",
        "tokens and cost so far",
        &[TypedAt::Analysis, TypedAt::Shell, TypedAt::Chat],
    ),
    SlashCommand(
        "/undo",
        "undo your last answer",
        &[TypedAt::Analysis, TypedAt::Chat],
    ),
    SlashCommand(
        EDITOR,
        "write your message in $EDITOR",
        &[TypedAt::Analysis, TypedAt::Shell, TypedAt::Chat],
    ),
    SlashCommand(
        "/inputs",
        "the folder that questions are answered from; `/inputs DIR` changes it, `/inputs none` removes it",
        &[TypedAt::Shell],
    ),
    SlashCommand(
        "/new",
        "begin another conversation",
        &[TypedAt::Shell, TypedAt::Chat],
    ),
    SlashCommand(
        "/resume",
        "continue another thread: `/resume THREAD`, or choose from a list",
        &[TypedAt::Shell],
    ),
    SlashCommand(
        "/model",
        "the current model; in the shell `/model MODEL` changes it",
        &[TypedAt::Analysis, TypedAt::Shell, TypedAt::Chat],
    ),
    SlashCommand(
        "/thread",
        "the name of the thread",
        &[TypedAt::Analysis, TypedAt::Shell],
    ),
    SlashCommand(
        CLEAR,
        "clear the screen",
        &[TypedAt::Analysis, TypedAt::Shell, TypedAt::Chat],
    ),
    SlashCommand(
        "/help",
        "this list",
        &[TypedAt::Analysis, TypedAt::Shell, TypedAt::Chat],
    ),
    SlashCommand(
        "/exit",
        "leave",
        &[TypedAt::Analysis, TypedAt::Shell, TypedAt::Chat],
    ),
    SlashCommand(
        "/quit",
        "the same",
        &[TypedAt::Analysis, TypedAt::Shell, TypedAt::Chat],
    ),
];

/// The commands of a place and their help.
pub fn commands(place: TypedAt) -> impl Iterator<Item = (&'static str, &'static str)> {
    let here = ALL.iter().filter(move |it| it.2.contains(&place));
    here.map(|SlashCommand(name, about, _)| (*name, *about))
}

/// A parsed input line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parsed {
    /// Text for Archie or the model, an approval among it.
    Text,
    /// The list of documents.
    Documents,
    /// Tokens and cost.
    Tokens,
    /// The last answer, taken back.
    Undo,
    /// A message that is written in an editor.
    Editor,
    /// Another conversation.
    New,
    /// The current model, or the one to change to.
    Model(Option<String>),
    /// The folder of documents, or the one to change to.
    Inputs(Option<String>),
    /// Another thread: this one, or one that is chosen.
    Resume(Option<String>),
    /// The name of the thread.
    Thread,
    /// An empty screen.
    Clear,
    /// The list of commands.
    Help,
    /// The end of the conversation.
    Exit,
    /// A mistyped command, or one of another place.
    Unknown(String),
}

/// Parses a message. A path or a sentence that begins with `/` is no command.
pub fn parse(message: &str, place: TypedAt) -> Parsed {
    let message = message.trim();
    let known = match message {
        "/documents" => Some(Parsed::Documents),
        "/tokens" | "/cost" => Some(Parsed::Tokens),
        "/undo" => Some(Parsed::Undo),
        EDITOR => Some(Parsed::Editor),
        "/new" => Some(Parsed::New),
        "/model" => Some(Parsed::Model(None)),
        "/inputs" => Some(Parsed::Inputs(None)),
        "/resume" => Some(Parsed::Resume(None)),
        "/thread" => Some(Parsed::Thread),
        CLEAR => Some(Parsed::Clear),
        "/help" | "/?" => Some(Parsed::Help),
        "/exit" | "/quit" => Some(Parsed::Exit),
        _ => None,
    };
    let name = match message {
        "/cost" => "/tokens",
        "/?" => "/help",
        other => other,
    };
    let is_here = commands(place).any(|(it, _)| it == name);
    if let Some(known) = known
        && is_here
    {
        return known;
    }
    if let Some((name, rest)) = message.split_once(' ')
        && place == TypedAt::Shell
    {
        let rest = Some(rest.trim().to_owned());
        match name {
            "/model" => return Parsed::Model(rest),
            "/inputs" => return Parsed::Inputs(rest),
            "/resume" => return Parsed::Resume(rest),
            _ => {}
        }
    }
    let is_approval = message.eq_ignore_ascii_case("/approve") && place == TypedAt::Analysis;
    let is_one_word = message.starts_with('/') && !message.contains(char::is_whitespace);
    let slashes = message.matches('/').count();
    if !is_one_word || is_approval || slashes > 1 {
        return Parsed::Text;
    }
    let hint = did_you_mean::hint(message, commands(place).map(|(name, _)| name));
    let hint = match hint.is_empty() {
        true => "; /help lists them".to_owned(),
        false => hint,
    };
    Parsed::Unknown(format!("there is no command {message} here{hint}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACES: [TypedAt; 3] = [TypedAt::Analysis, TypedAt::Shell, TypedAt::Chat];

    #[test]
    fn commands_are_known_and_other_words_are_not_commands() {
        for words in [
            "/approve", "/etc/hosts", "/ledger is wrong", "help", "not /help",
        ] {
            assert_eq!(parse(words, TypedAt::Analysis), Parsed::Text, "{words}");
        }
        assert_eq!(parse(" /undo ", TypedAt::Analysis), Parsed::Undo);
        let Parsed::Unknown(text) = parse("/aprove", TypedAt::Analysis) else {
            panic!("it is mistyped")
        };
        assert_eq!(
            text,
            "there is no command /aprove here; did you mean `/approve`?"
        );
    }

    #[test]
    fn every_command_of_a_list_is_one_there() {
        for place in PLACES {
            for (name, _) in commands(place) {
                let parsed = parse(name, place);
                assert!(name == "/approve" || parsed != Parsed::Text, "{name}");
                assert!(!matches!(parsed, Parsed::Unknown(_)), "{name} in {place:?}");
            }
        }
    }

    #[test]
    fn a_command_of_another_place_is_not_sent_to_a_model() {
        for (words, place) in [
            ("/documents", TypedAt::Chat),
            ("/approve", TypedAt::Chat),
            ("/inputs", TypedAt::Analysis),
        ] {
            assert!(matches!(parse(words, place), Parsed::Unknown(_)), "{words}");
        }
        let model = Parsed::Model(Some("ollama:qwen3:8b".into()));
        assert_eq!(parse("/model ollama:qwen3:8b", TypedAt::Shell), model);
        let folder = Parsed::Inputs(Some("my docs".into()));
        assert_eq!(parse("/inputs my docs", TypedAt::Shell), folder);
    }
}
