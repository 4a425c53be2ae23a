//! Commands that are suggested: they work as they are printed.
//!
//! A suggestion repeats the options that decide where a thread is (`--db`), whose mail it is about, and which
//! model was named, and quotes what a shell would take apart. Texts that are written elsewhere name commands in
//! backticks, and are completed with the same options where they are printed.

use std::path::Path;

use crate::{
    args::{AccountArgs, Global},
    program_name,
    shell_words::quoted,
};

/// Commands that read or change a database.
const ON_A_DATABASE: [&str; 9] = [
    "ask", "atris", "db", "inbox", "mail", "memory", "sheet", "threads", "trace",
];

/// Commands that work on the mail of somebody.
const ON_MAIL: [&str; 2] = ["inbox", "mail"];

/// Commands about one thread, whose name they need.
const ON_A_THREAD: [&str; 5] = ["show", "history", "resume", "export", "diff"];

/// The options that a suggested command needs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    common: String,
    account: String,
    /// Whether what was approved is done for real.
    sends: bool,
    /// Whether its files are gone when the command has ended.
    is_demo: bool,
}

impl Options {
    /// Those that this command was given.
    pub(crate) fn of(global: &Global) -> Self {
        let mut common = String::new();
        if is_demo(global) {
            return Self {
                is_demo: true,
                ..Self::default()
            };
        }
        if let Some(db) = &global.db {
            common.push_str(&format!(" --db {}", path(db)));
        }
        if let Some(model) = &global.model {
            common.push_str(&format!(" --model {}", quoted(model)));
        }
        Self {
            common,
            ..Self::default()
        }
    }

    /// With those of a mail account, for commands about mail.
    pub(crate) fn with_account(mut self, account: &AccountArgs) -> Self {
        if self.is_demo {
            return self;
        }
        self.sends = account.send;
        let places = [
            ("--folder", &account.folder),
            ("--calendar", &account.calendar),
        ];
        for (option, place) in places {
            if let Some(place) = place {
                self.account.push_str(&format!(" {option} {}", path(place)));
            }
        }
        if let Some(owner) = &account.owner {
            self.account
                .push_str(&format!(" --owner {}", quoted(owner)));
        }
        self
    }

    /// A text in which commands in backticks have the options.
    pub(crate) fn completed(&self, text: &str) -> String {
        self.completed_for(text, None)
    }

    /// The same, with the name of the thread that it is about.
    pub(crate) fn completed_for(&self, text: &str, thread: Option<&str>) -> String {
        let parts = text.split('`').enumerate();
        let parts = parts.map(|(at, part)| match at % 2 == 1 {
            true => self.whole(part, thread),
            false => part.to_owned(),
        });
        parts.collect::<Vec<_>>().join("`")
    }

    /// A command with the options.
    fn whole(&self, line: &str, thread: Option<&str>) -> String {
        let words: Vec<&str> = line.split(' ').collect();
        let ["superstep", command, rest @ ..] = &*words else {
            return line.to_owned();
        };
        let mut line = line.replacen("superstep", program_name::get(), 1);
        if let (Some(thread), "threads", [verb]) = (thread, *command, rest)
            && ON_A_THREAD.contains(verb)
        {
            line.push_str(&format!(" {}", quoted(thread)));
        }
        if ON_A_DATABASE.contains(command) && !line.contains(" --db ") {
            line.push_str(&self.common);
        }
        if ON_MAIL.contains(command) && !line.contains(" --folder ") {
            line.push_str(&self.account);
        }
        // What was approved for real is asked about again by a dry run.
        if self.sends && line.contains(" mail ingest") && !line.contains(" --send") {
            line.push_str(" --send");
        }
        line
    }
}

/// The thread that a message names, as messages do: ``thread `NAME` ``.
pub(crate) fn thread_in(message: &str) -> Option<&str> {
    let (_, behind) = message.split_once("thread `")?;
    let (name, _) = behind.split_once('`')?;
    Some(name)
}

/// `superstep WORDS`, or the program in its place, with the options that this command was given.
pub(crate) fn command(global: &Global, words: &[&str]) -> String {
    let mut line = vec![program_name::get().to_owned()];
    line.extend(words.iter().map(|word| quoted(word)));
    line.join(" ") + &Options::of(global).common
}

/// The same with the options of a mail account.
pub(crate) fn with_account(global: &Global, account: &AccountArgs, words: &[&str]) -> String {
    let mut line = command(global, words);
    let options = Options::of(global).with_account(account);
    line.push_str(&options.account);
    if account.send {
        line.push_str(" --send");
    }
    line
}

/// Whether a command is one of the demo: it reads no settings, and its files are deleted.
fn is_demo(global: &Global) -> bool {
    global.without_settings
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
            "superstep", "--db", "my threads.db", "--model", "script:it's.jsonl", "doctor",
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

    #[test]
    fn what_was_approved_for_real_is_continued_for_real_and_a_demo_names_no_file() {
        let given = ["superstep", "--db", "my.db", "doctor"];
        let mut global = Args::try_parse_from(given).unwrap().global;
        let account = AccountArgs {
            folder: Some("mail".into()),
            send: true,
            ..AccountArgs::default()
        };
        let text = "`superstep mail ingest` continues";
        let options = Options::of(&global).with_account(&account);
        assert_eq!(
            options.completed(text),
            "`superstep mail ingest --db my.db --folder mail --send` continues"
        );
        global.without_settings = true;
        let options = Options::of(&global).with_account(&account);
        assert_eq!(options.completed(text), text);
        assert_eq!(command(&global, &["inbox"]), "superstep inbox");
    }

    #[test]
    fn commands_in_a_text_are_completed() {
        let given = ["superstep", "--db", "my.db", "--model", "m", "doctor"];
        let global = Args::try_parse_from(given).unwrap().global;
        let account = AccountArgs {
            folder: Some("mail".into()),
            ..AccountArgs::default()
        };
        let options = Options::of(&global).with_account(&account);
        let text = options.completed_for(
            "`superstep threads show` and `superstep inbox --send`, or `superstep model pull`",
            Some("a b"),
        );
        assert_eq!(
            text,
            "`superstep threads show 'a b' --db my.db --model m` and `superstep inbox --send --db my.db --model m --folder \
             mail`, or `superstep model pull`"
        );
        assert_eq!(thread_in("the thread `x-1` has no step 9"), Some("x-1"));
    }
}
