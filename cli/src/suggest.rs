//! Commands that are suggested: they work as they are printed.
//!
//! A suggestion repeats the options that decide where a thread is (`--db`), whose mail it is about, and which
//! model was named, and quotes what a shell would take apart.

use std::path::Path;

use crate::{
    args::{AccountArgs, Global},
    shell_words::quoted,
};

/// `superstep WORDS`, with the options that this command was given.
pub(crate) fn command(global: &Global, words: &[&str]) -> String {
    let mut line = vec!["superstep".to_owned()];
    line.extend(words.iter().map(|word| quoted(word)));
    if let Some(db) = &global.db {
        line.extend(["--db".to_owned(), path(db)]);
    }
    if let Some(model) = &global.model {
        line.extend(["--model".to_owned(), quoted(model)]);
    }
    line.join(" ")
}

/// The same with the options of a mail account.
pub(crate) fn with_account(global: &Global, account: &AccountArgs, words: &[&str]) -> String {
    let mut line = command(global, words);
    let places = [
        ("--folder", &account.folder),
        ("--calendar", &account.calendar),
    ];
    for (option, place) in places {
        if let Some(place) = place {
            line.push_str(&format!(" {option} {}", path(place)));
        }
    }
    if let Some(owner) = &account.owner {
        line.push_str(&format!(" --owner {}", quoted(owner)));
    }
    if account.send {
        line.push_str(" --send");
    }
    line
}

fn path(path: &Path) -> String {
    quoted(&path.display().to_string())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::{args::Args, shell_words::split};

    #[test]
    fn a_suggestion_is_read_back_with_the_options_it_was_made_with() {
        let given = [
            "superstep",
            "--db",
            "my threads.db",
            "--model",
            "script:it's.jsonl",
            "doctor",
        ];
        let global = Args::try_parse_from(given).unwrap().global;
        let account = AccountArgs {
            folder: Some("my mail".into()),
            owner: Some("Ada <ada@example.org>".into()),
            ..AccountArgs::default()
        };
        let line = with_account(&global, &account, &["inbox"]);
        let words = split(&line).unwrap();
        let read = Args::try_parse_from(&words).unwrap();
        assert_eq!(read.global.db, global.db);
        assert_eq!(read.global.model, global.model);
        assert!(words.contains(&"my mail".to_owned()), "{line}");
        assert!(
            words.contains(&"Ada <ada@example.org>".to_owned()),
            "{line}"
        );
    }
}
