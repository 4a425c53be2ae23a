//! Tab completion: the command line in the shell, slash commands in a conversation.

use std::ffi::OsString;

use clap_complete::engine::complete;
use reedline::{Completer, CompletionResult, Span, Suggestion};
use superstep_agent::slash::{self, TypedAt};

use super::Topic;
use crate::shell_words;

pub(super) fn for_topic(topic: Topic, command: fn() -> clap::Command) -> Box<dyn Completer + Send> {
    match topic {
        Topic::Command => Box::new(Commands(command)),
        Topic::Chat => Box::new(Slashes(TypedAt::Chat)),
        Topic::Message | Topic::Detail => Box::new(Slashes(TypedAt::Analysis)),
    }
}

/// Commands, options, paths and threads.
struct Commands(fn() -> clap::Command);

impl Completer for Commands {
    fn complete(&mut self, line: &str, pos: usize) -> CompletionResult {
        let before = line.get(..pos).unwrap_or(line);
        if before.starts_with('/') {
            return Slashes(TypedAt::Shell).complete(line, pos);
        }
        // Suggestions that are printed begin with the name of the program.
        let line = before.strip_prefix("superstep ").unwrap_or(before);
        let skipped = before.len() - line.len();
        let before = line;
        let open = shell_words::open_word(before);
        let Ok(mut args) = shell_words::split(before.get(..open).unwrap_or(before)) else {
            return CompletionResult::fresh(Vec::new());
        };
        args.insert(0, "superstep".to_owned());
        args.push(before.get(open..).unwrap_or_default().to_owned());
        let last = args.len() - 1;
        let args: Vec<OsString> = args.into_iter().map(OsString::from).collect();
        let folder = std::env::current_dir().ok();
        let found = complete(&mut (self.0)(), args, last, folder.as_deref());
        let offered = found.unwrap_or_default();
        let offered = offered.into_iter().filter(|it| !it.is_hide_set());
        let suggestions = offered.map(|candidate| {
            let value = candidate.get_value().to_string_lossy();
            let help = candidate.get_help().map(ToString::to_string);
            let value = shell_words::quoted(&value);
            suggestion(value, help, open + skipped, pos)
        });
        CompletionResult::fresh(suggestions.collect::<Vec<_>>())
    }
}

/// Slash commands of a place.
struct Slashes(TypedAt);

impl Completer for Slashes {
    fn complete(&mut self, line: &str, pos: usize) -> CompletionResult {
        let before = line.get(..pos).unwrap_or(line);
        let known = slash::commands(self.0);
        let fitting = known.filter(|(name, _)| !before.is_empty() && name.starts_with(before));
        let suggestions = fitting
            .map(|(name, about)| suggestion(name.to_owned(), Some(about.to_owned()), 0, pos));
        CompletionResult::fresh(suggestions.collect::<Vec<_>>())
    }
}

fn suggestion(value: String, about: Option<String>, start: usize, end: usize) -> Suggestion {
    Suggestion {
        append_whitespace: !value.ends_with('/'),
        value,
        description: about,
        span: Span::new(start, end),
        ..Suggestion::default()
    }
}
