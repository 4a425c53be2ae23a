//! `superstep shell`: an interactive shell for commands and questions to Archie.

use std::io::{self, IsTerminal};

use clap::{CommandFactory, Parser};

use superstep::model::did_you_mean;
use superstep_agent::slash::{self, Parsed, TypedAt};

use crate::{
    app::App,
    archie,
    args::{Args, Ask, Command, Global},
    environment,
    error::Error,
    output::{Output, faint, plain, strong},
    shell_words,
    terminal::{Line, Topic},
};

/// What to do with a line.
enum Input {
    Nothing,
    Slash(Parsed),
    Run(Box<Args>),
    /// Words for Archie.
    Question(String),
    /// It is no command, and nearly one: the line as it may be meant.
    Unsure {
        meant: String,
    },
    /// A usage error, as the command line would print it.
    Wrong(String),
}

pub(crate) async fn run(app: &mut App<'_>) -> Result<(), Error> {
    let output = app.output;
    if app.terminal.is_interactive() {
        output.say(&[
            strong("superstep shell. "),
            faint("Type a command or a question; /help lists commands, /exit or Ctrl-D ends."),
        ]);
    }
    let mut shell = Shell {
        global: app.global.clone(),
        thread: None,
    };
    // What a command of a script failed with is what the script failed with.
    let mut ended = Ok(());
    loop {
        let line = app
            .terminal
            .read_line(Topic::Command, "archie> ", output)
            .await?;
        let line = match line {
            Line::Text(line) => line,
            Line::CtrlC => return Err(Error::Cancelled),
            Line::End => break,
        };
        let input = match read(&line, &shell.global) {
            Input::Unsure { meant } if app.terminal.is_interactive() => {
                match is_meant(&meant, app).await? {
                    Some(true) => read(&meant, &shell.global),
                    Some(false) => Input::Question(line.trim().to_owned()),
                    None => continue,
                }
            }
            input => input,
        };
        let done = match input {
            Input::Nothing => continue,
            Input::Slash(Parsed::Exit) => break,
            Input::Slash(command) => {
                shell.slash(command, app).await?;
                continue;
            }
            Input::Wrong(text) => {
                for line in text.trim_end().lines() {
                    output.say(&[plain(line)]);
                }
                ended = Err(Error::Reported { exit: 2 });
                continue;
            }
            Input::Unsure { meant } => {
                output.say(&[plain(format!("did you mean `{meant}`?"))]);
                ended = Err(Error::Reported { exit: 2 });
                continue;
            }
            Input::Question(words) => shell.question(words, app).await,
            Input::Run(args) => shell.command(*args, app).await,
        };
        ended = match done {
            Ok(()) => Ok(()),
            Err(error @ Error::Closed) => return Err(error),
            Err(error) => Err(Error::Reported { exit: error.exit() }),
        };
    }
    if app.terminal.is_interactive() || io::stdin().is_terminal() {
        return Ok(());
    }
    ended
}

/// The shell between two lines.
struct Shell {
    global: Global,
    /// The thread of the last question or analysis, which questions follow.
    thread: Option<String>,
}

impl Shell {
    /// Runs a command and prints how it failed. Questions that follow one to Archie are asked in its thread, with its
    /// documents.
    async fn command(&mut self, args: Args, app: &mut App<'_>) -> Result<(), Error> {
        // A command has its own form of output; the shell keeps its own.
        let own = Output::new(&args.global);
        let mut context = app.with(&args.global, &own);
        if matches!(args.command, Some(Command::Ask(_) | Command::Analyze(_))) {
            crate::database::warn_of_orphans(&args.global, &own);
        }
        let mut thread = None;
        let done = match args.command {
            Some(Command::Ask(what)) => {
                Box::pin(archie::ask(&what, &mut thread, &mut context)).await
            }
            Some(Command::Analyze(what)) => {
                Box::pin(archie::analyze(&what, &mut thread, &mut context)).await
            }
            Some(command) => Box::pin(crate::dispatch(command, &mut context)).await,
            None => Err(Error::Usage("there is no command, only options".into())),
        };
        if done.is_ok() && thread.is_some() {
            self.thread = thread;
        }
        told(done, &own)
    }

    /// Asks Archie, in the thread of the questions before.
    async fn question(&mut self, words: String, app: &mut App<'_>) -> Result<(), Error> {
        let own = Output::new(&self.global);
        let ask = Ask {
            words: vec![words],
            thread: None,
            inputs: None,
            limits: Default::default(),
        };
        crate::database::warn_of_orphans(&self.global, &own);
        let mut command = app.with(&self.global, &own);
        let asked = archie::question(&ask, &mut self.thread, &mut command);
        told(Box::pin(asked).await, &own)
    }

    async fn slash(&mut self, command: Parsed, app: &mut App<'_>) -> Result<(), Error> {
        let output = app.output;
        match command {
            Parsed::Model(Some(name)) => {
                // A mistake shows now, not with the next question.
                match environment::check_name(&name, &self.global) {
                    Ok(()) => {
                        output.say(&[faint("the next question goes to "), plain(&name)]);
                        self.global.model = Some(name);
                    }
                    Err(error) => output.error(&error),
                }
            }
            Parsed::Model(None) => {
                let name = self.global.model.as_deref();
                output.say(&[plain(name.unwrap_or("not chosen; see `model show`"))]);
            }
            Parsed::New => {
                self.thread = None;
                output.say(&[faint("the next question begins another conversation")]);
            }
            Parsed::Thread => match &self.thread {
                Some(thread) => output.say(&[plain(thread)]),
                None => output.say(&[faint("no question was asked yet")]),
            },
            Parsed::Tokens => match &self.thread {
                Some(thread) => {
                    let mut own = app.with(&self.global, output);
                    archie::tell_tokens(thread, &mut own).await?;
                }
                None => output.say(&[faint("no question was asked yet")]),
            },
            Parsed::Clear if app.terminal.is_interactive() => output.clear()?,
            Parsed::Unknown(text) => output.say(&[plain(text)]),
            _ => help(output),
        }
        Ok(())
    }
}

/// Prints an error, and passes on what the shell needs of it.
fn told(done: Result<(), Error>, output: &Output) -> Result<(), Error> {
    if let Err(error) = &done
        && !matches!(error, Error::Closed)
    {
        output.error(error);
    }
    done
}

/// Whether a person means this line; nothing if they mean neither.
async fn is_meant(meant: &str, app: &mut App<'_>) -> Result<Option<bool>, Error> {
    let prompt = format!("Did you mean `{meant}`? [y]es, [n]o: ask Archie, Enter: neither ");
    let said = app
        .terminal
        .read_line(Topic::Detail, &prompt, app.output)
        .await?;
    Ok(match said {
        Line::Text(words) => match words.trim().to_lowercase().as_str() {
            "y" | "yes" => Some(true),
            "n" | "no" => Some(false),
            _ => None,
        },
        Line::CtrlC | Line::End => None,
    })
}

fn read(line: &str, global: &Global) -> Input {
    let line = line.trim();
    // Suggestions that are printed begin with the name of the program.
    let line = line.strip_prefix("superstep ").unwrap_or(line).trim();
    match line {
        "" | "superstep" => return Input::Nothing,
        "exit" | "quit" | ":q" | ":quit" | ":wq" | "q" => return Input::Slash(Parsed::Exit),
        "help" | "?" => return Input::Slash(Parsed::Help),
        "clear" => return Input::Slash(Parsed::Clear),
        _ => {}
    }
    match slash::parse(line, TypedAt::Shell) {
        Parsed::Text => {}
        command => return Input::Slash(command),
    }
    let words = match shell_words::split(line) {
        Ok(words) => words,
        // An apostrophe in a question opens no quote.
        Err(_) if !is_command(line) => return Input::Question(line.to_owned()),
        Err(open) => return Input::Wrong(open.to_string()),
    };
    if !is_command(line) {
        return match meant(line, &words) {
            Some(meant) => Input::Unsure { meant },
            None => Input::Question(line.to_owned()),
        };
    }
    match parse(&words) {
        Ok(args) if matches!(args.command, Some(Command::Shell)) => {
            Input::Wrong("this is the shell already".into())
        }
        Ok(mut args) => {
            let own = args.global.yes;
            args.global.inherit(global);
            // Only its own `--yes` trusts a file.
            if matches!(args.command, Some(Command::Trust(_))) {
                args.global.yes = own;
            }
            Input::Run(Box::new(args))
        }
        Err(_) if is_sentence(&words) => Input::Question(line.to_owned()),
        Err(error) => Input::Wrong(error.render().to_string()),
    }
}

fn parse(words: &[String]) -> Result<Args, clap::Error> {
    let line = std::iter::once("superstep").chain(words.iter().map(String::as_str));
    Args::try_parse_from(line)
}

/// Whether a line begins with a command or an option.
fn is_command(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    first.starts_with('-') || names().iter().any(|name| name == first)
}

/// The names of all commands.
fn names() -> Vec<String> {
    let all = Args::command();
    let named = all.get_subcommands().map(clap::Command::get_name);
    named.chain(["help"]).map(str::to_owned).collect()
}

/// The line with its first word put right, if it would be a command then.
fn meant(line: &str, words: &[String]) -> Option<String> {
    let first = words.first()?;
    let names = names();
    let nearest = did_you_mean::nearest(first, names.iter().map(String::as_str))?;
    let mut corrected = words.to_vec();
    *corrected.first_mut()? = nearest.to_owned();
    let is_one = match parse(&corrected) {
        Ok(_) => true,
        Err(error) => !error.use_stderr(),
    };
    is_one.then(|| line.trim().replacen(first.as_str(), nearest, 1))
}

/// Whether words that begin with the name of a command are a sentence all the same: several words, no option, and
/// no subcommand of that name.
fn is_sentence(words: &[String]) -> bool {
    if words.len() < 4 || words.iter().any(|word| word.starts_with('-')) {
        return false;
    }
    let all = Args::command();
    let first = words.first().and_then(|name| all.find_subcommand(name));
    let second = words.get(1).map_or("", String::as_str);
    let Some(first) = first else { return false };
    let named = first.get_subcommands().map(clap::Command::get_name);
    did_you_mean::nearest(second, named).is_none()
}

fn help(output: &Output) {
    let all = Args::command();
    for command in all.get_subcommands().filter(|it| it.get_name() != "shell") {
        let about = command.get_about().map(ToString::to_string);
        let name = format!("  {:<15}", command.get_name());
        output.say(&[strong(name), plain(about.unwrap_or_default())]);
    }
    for (name, about) in slash::commands(TypedAt::Shell) {
        output.say(&[strong(format!("  {name:<15}")), plain(about)]);
    }
    output.say(&[faint(
        "  COMMAND --help shows the options of a command. Any other line is a question to Archie,",
    )]);
    output.say(&[faint(
        "  who knows what was said before. Tab completes, Alt-Enter starts a new line, Ctrl-O opens",
    )]);
    output.say(&[faint("  your editor, Ctrl-R searches the history.")]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn global() -> Global {
        Args::try_parse_from(["superstep", "--model", "script:a", "doctor"])
            .unwrap()
            .global
    }

    #[test]
    fn what_is_no_command_is_a_question() {
        for line in [
            "what's a superstep?",
            "why not two services",
            "it's 'so",
            "does it scale?",
            "model the booking domain for me",
            "inbox is empty, why?",
        ] {
            let Input::Question(words) = read(line, &global()) else {
                panic!("{line} is a question")
            };
            assert_eq!(words, line);
        }
    }

    #[test]
    fn what_is_nearly_a_command_is_asked_about_and_not_sent() {
        for (line, wanted) in [
            ("thraeds list", "threads list"),
            ("docter", "doctor"),
            ("superstep inbx list", "inbox list"),
        ] {
            let Input::Unsure { meant } = read(line, &global()) else {
                panic!("{line} is nearly a command")
            };
            assert_eq!(meant, wanted);
        }
    }

    #[test]
    fn a_suggested_command_can_be_pasted_and_habits_of_other_programs_are_known() {
        assert!(matches!(
            read("superstep threads list", &global()),
            Input::Run(_)
        ));
        for line in ["exit", ":q", "/quit"] {
            assert!(matches!(read(line, &global()), Input::Slash(Parsed::Exit)));
        }
        assert!(matches!(
            read("clear", &global()),
            Input::Slash(Parsed::Clear)
        ));
    }

    #[test]
    fn a_command_has_the_options_of_the_shell_unless_it_says_otherwise() {
        let Input::Run(args) = read("threads list", &global()) else {
            panic!("a command")
        };
        assert_eq!(args.global.model.as_deref(), Some("script:a"));
        let Input::Run(args) = read("threads list --model script:b", &global()) else {
            panic!("a command")
        };
        assert_eq!(args.global.model.as_deref(), Some("script:b"));
    }

    #[test]
    fn a_consent_of_the_shell_trusts_no_file() {
        let shell = Args::try_parse_from(["superstep", "--yes", "shell"]).unwrap();
        for (line, is_given) in [
            ("trust", false),
            ("trust --yes", true),
            ("-y trust", true),
            ("threads delete archie-1", true),
        ] {
            let Input::Run(args) = read(line, &shell.global) else {
                panic!("{line} is a command")
            };
            assert_eq!(args.global.yes, is_given, "{line}");
        }
    }

    #[test]
    fn mistakes_are_told() {
        for line in ["threads lst", "shell", "ask --inputs 'x", "analyze"] {
            assert!(matches!(read(line, &global()), Input::Wrong(_)), "{line}");
        }
        assert!(matches!(
            read("/modl", &global()),
            Input::Slash(Parsed::Unknown(_))
        ));
    }
}
