//! `superstep shell`: an interactive shell for commands and questions to Archie, who reads the documents of the folder.

use std::{
    io::{self, IsTerminal},
    path::{Path, PathBuf},
};

use clap::{CommandFactory, Parser};

use superstep::model::did_you_mean;
use superstep_agent::slash::{self, Parsed, TypedAt};

use crate::{
    agents::Agent,
    app::App,
    archie,
    args::{Args, Ask, Command, Global, ShellArgs, ThreadsCommand},
    environment,
    error::Error,
    files,
    output::{Output, faint, plain, strong},
    shell_words,
    terminal::{Line, Topic},
    thread_reader::{LAST, ThreadReader},
};

/// Endings of documents, as Archie reads them.
const DOCUMENTS: [&str; 4] = ["txt", "md", "docx", "pdf"];

/// How many entries of a folder are looked at for documents.
const MOST_ENTRIES: usize = 1_000;

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

pub(crate) async fn run(what: &ShellArgs, app: &mut App<'_>) -> Result<(), Error> {
    let output = app.output;
    let mut shell = Shell {
        global: app.global.clone(),
        thread: None,
        inputs: None,
    };
    if let Some(folder) = &what.inputs {
        shell.inputs = Some(files::folder(folder)?);
    } else if app.terminal.is_interactive() {
        shell.inputs = std::env::current_dir().ok().filter(|it| has_documents(it));
    }
    if app.terminal.is_interactive() {
        output.say(&[
            strong("superstep shell. "),
            faint("Type a command or a question; /help lists commands, /exit or Ctrl-D ends."),
        ]);
        shell.tell_inputs(output);
    }
    if what.resumes {
        // An error was printed; the shell is there all the same.
        let _told = shell.take_up(Some(LAST.to_owned()), app).await;
    }
    // What a command of a script failed with is what the script failed with.
    let mut ended = Ok(());
    loop {
        let line = app
            .terminal
            .read_line(Topic::Command, "archie> ", output)
            .await?;
        let line = match line {
            Line::Text(line) => line,
            Line::CtrlC | Line::End => break,
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
    /// The folder that the first question of a thread is answered from.
    inputs: Option<PathBuf>,
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
            // A thread knows its folder.
            inputs: self.inputs.clone().filter(|_| self.thread.is_none()),
            limits: Default::default(),
        };
        crate::database::warn_of_orphans(&self.global, &own);
        let mut command = app.with(&self.global, &own);
        let asked = archie::question(&ask, &mut self.thread, &mut command);
        told(Box::pin(asked).await, &own)
    }

    /// Continues a thread, whose questions the next ones follow if it is one of Archie.
    async fn take_up(&mut self, named: Option<String>, app: &mut App<'_>) -> Result<(), Error> {
        let own = Output::new(&self.global);
        let mut command = app.with(&self.global, &own);
        let done = Box::pin(async {
            let reader = ThreadReader::open(&self.global)?;
            let thread = match named {
                Some(name) => reader.named(&name).await?,
                None => crate::threads::choose(&reader, &mut command).await?,
            };
            let agent = reader.agent(&thread).await?;
            drop(reader);
            self.thread = (agent == Agent::ARCHIE).then(|| thread.clone());
            let resume = Command::Threads(ThreadsCommand::Resume {
                thread: Some(thread),
                question: None,
                talk: Default::default(),
                account: Default::default(),
            });
            crate::dispatch(resume, &mut command).await
        });
        told(done.await, &own)
    }

    /// The folder that questions are answered from.
    fn tell_inputs(&self, output: &Output) {
        match &self.inputs {
            Some(folder) => output.say(&[
                faint("questions are answered from the documents in "),
                plain(folder.display()),
                faint("; /inputs none turns that off"),
            ]),
            None => output.say(&[faint(
                "questions are answered without documents; /inputs DIR names a folder of them",
            )]),
        }
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
            Parsed::Inputs(folder) => {
                match folder.as_deref() {
                    None => {}
                    Some("none") => (self.inputs, self.thread) = (None, None),
                    Some(folder) => match files::folder(Path::new(folder)) {
                        // A thread keeps its folder: another one begins another thread.
                        Ok(folder) => (self.inputs, self.thread) = (Some(folder), None),
                        Err(error) => output.error(&error.into()),
                    },
                }
                self.tell_inputs(output);
            }
            Parsed::Resume(thread) => {
                // An error was printed.
                let _told = self.take_up(thread, app).await;
            }
            Parsed::Thread => match &self.thread {
                Some(thread) => output.say(&[plain(thread)]),
                None => output.say(&[faint("no question was asked yet")]),
            },
            Parsed::Tokens | Parsed::Documents => match &self.thread {
                Some(thread) => {
                    let mut own = app.with(&self.global, output);
                    let is_about_tokens = command == Parsed::Tokens;
                    archie::tell(thread, is_about_tokens, &mut own).await?;
                }
                None => output.say(&[faint("no question was asked yet")]),
            },
            Parsed::Editor => output.say(&[plain(slash::NO_EDITOR)]),
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
    let prompt = format!("Did you mean `{meant}`? [y] run it, [n] ask Archie, Enter: cancel ");
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
        "exit" | "quit" | "bye" | ":q" | ":quit" | ":wq" | "q" => {
            return Input::Slash(Parsed::Exit);
        }
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
        Ok(args) if matches!(args.command, Some(Command::Shell(_))) => {
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

/// The commands in their groups, as on the first page of the help.
fn help(output: &Output) {
    for line in Args::groups() {
        match line.strip_prefix("  ").and_then(|it| it.split_once(' ')) {
            Some((name, about)) => {
                output.say(&[strong(format!("  {name:<14}")), plain(about.trim_start())]);
            }
            None => output.say(&[faint(line)]),
        }
    }
    output.say(&[faint("In the shell:")]);
    for (name, about) in slash::commands(TypedAt::Shell) {
        output.say(&[strong(format!("  {name:<14}")), plain(about)]);
    }
    output.say(&[faint(
        "COMMAND --help shows the options of a command. Any other line is a question to Archie, who knows what was said \
         before; @FILE in it adds a text file. Tab completes, Alt-Enter starts a new line, Ctrl-R searches the history.",
    )]);
}

/// Whether a folder has documents that Archie reads, in it or one folder below. A home folder is no folder of documents.
fn has_documents(folder: &Path) -> bool {
    let is_home = std::env::home_dir().is_some_and(|home| home == folder);
    if is_home || folder.parent().is_none() {
        return false;
    }
    let entries = |folder: &Path| {
        let read = std::fs::read_dir(folder).into_iter().flatten().flatten();
        read.map(|it| it.path())
            .take(MOST_ENTRIES)
            .collect::<Vec<_>>()
    };
    let is_hidden = |path: &Path| {
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        name.is_none_or(|name| name.starts_with('.'))
    };
    let is_document = |path: &PathBuf| {
        let ends = path.extension().and_then(|it| it.to_str());
        !is_hidden(path) && ends.is_some_and(|it| DOCUMENTS.contains(&it)) && path.is_file()
    };
    let here = entries(folder);
    let mut below = here.iter().filter(|it| it.is_dir() && !is_hidden(it));
    here.iter().any(is_document) || below.any(|it| entries(it).iter().any(is_document))
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
