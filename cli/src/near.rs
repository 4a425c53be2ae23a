//! A command that does not exist: what was probably meant, the nearest first.

use clap::{
    CommandFactory,
    builder::StyledStr,
    error::{ContextKind, ContextValue, ErrorKind},
};
use superstep::model::did_you_mean;

use crate::{args::Args, program_name, shell_words::quoted};

/// How many commands are named.
const MOST: usize = 3;

/// Words for what other programs have, below `threads`.
const UNDO: [&str; 4] = ["undo", "back", "rewind", "revert"];

/// Commands of other programs, and what they are here.
const ELSEWHERE: [(&str, &str); 16] = [
    ("ls", "threads list"),
    ("list", "threads list"),
    ("rm", "threads delete"),
    ("delete", "threads delete"),
    ("resume", "threads resume"),
    ("history", "threads history"),
    ("continue", "--continue"),
    ("version", "--version"),
    ("logs", "trace show last"),
    ("log", "trace show last"),
    ("ui", "serve"),
    ("web", "serve"),
    ("chat", "shell"),
    ("init", "new"),
    ("settings", "config show"),
    ("models", "model list"),
];

/// The error of a command line, with better suggestions.
pub(crate) fn improved(mut error: clap::Error) -> clap::Error {
    let word = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) => word.clone(),
        _ => return error,
    };
    if error.kind() != ErrorKind::InvalidSubcommand {
        return error;
    }
    let usage = match error.get(ContextKind::Usage) {
        Some(ContextValue::StyledStr(usage)) => usage.to_string(),
        _ => String::new(),
    };
    let name = program_name::get();
    let is_first = usage.contains(&format!("{name} [OPTIONS]"));
    let is_threads = usage.contains(&format!("{name} threads"));
    let found = match () {
        () if is_first && is_question(&word) => {
            vec![format!("to ask a question: {name} ask {}", quoted(&word))]
        }
        () if is_threads && UNDO.contains(&word.as_str()) => vec![format!(
            "`{name} threads fork THREAD --at STEP` goes back in a copy; `{name} threads history THREAD` lists the steps"
        )],
        () if is_first && let Some((_, path)) = ELSEWHERE.iter().find(|it| it.0 == word) => {
            vec![format!("did you mean `{name} {path}`?")]
        }
        () if is_first => {
            let near = paths(&word).into_iter().take(MOST);
            near.map(|path| format!("did you mean `{name} {path}`?"))
                .collect()
        }
        () => return error,
    };
    if !found.is_empty() {
        error.remove(ContextKind::SuggestedSubcommand);
        let found = found.into_iter().map(StyledStr::from).collect();
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(found));
    }
    error
}

/// Whether a word is what somebody wants to know, and no command.
fn is_question(word: &str) -> bool {
    word.split_whitespace().count() > 1 || word.ends_with('?')
}

/// The commands whose name, or whose last word, is near to a word: the nearest first, and of those that are equally near
/// the shorter ones.
fn paths(word: &str) -> Vec<String> {
    let all = Args::command();
    let mut found = Vec::new();
    for command in all.get_subcommands().filter(|it| !it.is_hide_set()) {
        let name = command.get_name();
        found.push((name.to_owned(), name.to_owned()));
        let below = command.get_subcommands().filter(|it| !it.is_hide_set());
        found.extend(below.map(|it| {
            (
                it.get_name().to_owned(),
                format!("{name} {}", it.get_name()),
            )
        }));
    }
    // Of those that are equally near the first is taken.
    found.sort_by_key(|(_, path)| path.matches(' ').count());
    let mut near = Vec::new();
    while let Some(last) = did_you_mean::nearest(word, found.iter().map(|(last, _)| &**last)) {
        let last = last.to_owned();
        let place = found.iter().position(|(it, _)| *it == last);
        let Some(place) = place else { break };
        near.push(found.remove(place).1);
    }
    near
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(words: &[&str]) -> String {
        let words = std::iter::once("superstep").chain(words.iter().copied());
        let words = words.map(std::ffi::OsString::from);
        improved(Args::parse_words(words, false).unwrap_err()).to_string()
    }

    #[test]
    fn a_command_that_does_not_exist_is_told_with_what_was_meant() {
        let init = told(&["inti"]);
        assert!(
            init.contains("did you mean `superstep config init`?"),
            "{init}"
        );
        let logs = told(&["logs"]);
        assert!(
            logs.contains("`superstep trace show last`") && !logs.contains("login"),
            "{logs}"
        );
        let list = told(&["thraeds"]);
        assert!(list.contains("`superstep threads`"), "{list}");
        let ask = told(&["what is this?"]);
        assert!(ask.contains("superstep ask 'what is this?'"), "{ask}");
        let undo = told(&["threads", "undo"]);
        assert!(undo.contains("threads fork THREAD --at STEP"), "{undo}");
    }
}
