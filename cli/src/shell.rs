//! `superstep shell`: an interactive shell for commands and questions to Archie.

use std::io::{self, IsTerminal};

use clap::{CommandFactory, Parser};

use crate::{
    app::App,
    args::{Args, Ask, Command, Global},
    error::Error,
    output::{Output, faint, plain, strong},
    shell_words,
    terminal::{Line, Topic},
};

/// What to do with a line.
enum Input {
    Nothing,
    Leave,
    Help,
    Model(Option<String>),
    Run(Box<Args>),
    /// A usage error, as the command line would print it.
    Wrong(String),
}

pub(crate) async fn run(app: &mut App<'_>) -> Result<(), Error> {
    let output = app.output;
    let mut global = app.global.clone();
    if app.terminal.is_interactive() {
        output.say(&[
            strong("superstep shell. "),
            faint("Type a command or a question; /help lists commands, exit or Ctrl-D ends."),
        ]);
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
            Line::CtrlC => continue,
            Line::End => break,
        };
        let args = match read(&line, &global) {
            Input::Nothing => continue,
            Input::Leave => break,
            Input::Help => {
                help(output);
                continue;
            }
            Input::Model(None) => {
                let name = global
                    .model
                    .as_deref()
                    .unwrap_or("not chosen; see `model show`");
                output.say(&[plain(name)]);
                continue;
            }
            Input::Model(name) => {
                global.model = name;
                continue;
            }
            Input::Wrong(text) => {
                for line in text.trim_end().lines() {
                    output.say(&[plain(line)]);
                }
                ended = Err(Error::Reported { exit: 2 });
                continue;
            }
            Input::Run(args) => *args,
        };
        // A command has its own form of output; the shell keeps its own.
        let own = Output::new(&args.global);
        let mut command = app.with(&args.global, &own);
        match Box::pin(crate::dispatch(args.command, &mut command)).await {
            Ok(()) => ended = Ok(()),
            Err(error @ Error::Closed) => return Err(error),
            Err(error) => {
                own.error(&error);
                let exit = error.exit();
                ended = Err(Error::Reported { exit });
            }
        }
    }
    if app.terminal.is_interactive() || io::stdin().is_terminal() {
        return Ok(());
    }
    ended
}

fn read(line: &str, global: &Global) -> Input {
    let line = line.trim();
    match line {
        "" => return Input::Nothing,
        "exit" | "quit" | "/exit" | "/quit" => return Input::Leave,
        "help" | "/help" | "?" => return Input::Help,
        _ => {}
    }
    if let Some(rest) = line.strip_prefix("/model") {
        let name = rest.trim();
        return Input::Model((!name.is_empty()).then(|| name.to_owned()));
    }
    let words = match shell_words::split(line) {
        Ok(words) => words,
        // An apostrophe in a question opens no quote.
        Err(_) if !is_command(line) => return question(line, global),
        Err(open) => return Input::Wrong(open.to_string()),
    };
    if let Some(unknown) = line.strip_prefix('/') {
        let known = ["/help", "/model", "/exit"];
        let hint = superstep::model::did_you_mean::hint(&format!("/{unknown}"), known);
        return Input::Wrong(format!("there is no command /{unknown}{hint}"));
    }
    if !is_command(line) {
        return question(line, global);
    }
    let line = std::iter::once("superstep".to_owned()).chain(words);
    match Args::try_parse_from(line) {
        Ok(args) if matches!(args.command, Command::Shell) => {
            Input::Wrong("this is the shell already".into())
        }
        Ok(mut args) => {
            let own = args.global.yes;
            args.global.inherit(global);
            // Only its own `--yes` trusts a file.
            if matches!(args.command, Command::Trust(_)) {
                args.global.yes = own;
            }
            Input::Run(Box::new(args))
        }
        Err(error) => Input::Wrong(error.render().to_string()),
    }
}

/// Whether a line begins with a command or an option.
fn is_command(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    let all = Args::command();
    let mut named = all.get_subcommands().map(clap::Command::get_name);
    first.starts_with('-') || named.any(|name| name == first)
}

fn question(line: &str, global: &Global) -> Input {
    let ask = Ask {
        words: vec![line.to_owned()],
        inputs: None,
        limits: Default::default(),
    };
    Input::Run(Box::new(Args {
        global: global.clone(),
        command: Command::Ask(ask),
    }))
}

fn help(output: &Output) {
    let all = Args::command();
    for command in all.get_subcommands().filter(|it| it.get_name() != "shell") {
        let about = command.get_about().map(ToString::to_string);
        let name = format!("  {:<15}", command.get_name());
        output.say(&[strong(name), plain(about.unwrap_or_default())]);
    }
    for (name, about) in [
        ("/model [MODEL]", "change the model"),
        ("COMMAND --help", "options of a command"),
        ("exit", "leave; Ctrl-D does too"),
    ] {
        output.say(&[strong(format!("  {name:<15}")), plain(about)]);
    }
    output.say(&[faint(
        "  Any other line is a question to Archie. Tab completes, Alt-Enter starts a new line,",
    )]);
    output.say(&[faint(
        "  Ctrl-O opens your editor, Ctrl-R searches the history.",
    )]);
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
        for line in ["what's a superstep?", "why not two services", "it's 'so"] {
            let Input::Run(args) = read(line, &global()) else {
                panic!("{line} is a question")
            };
            let Command::Ask(ask) = args.command else {
                panic!("{line} is a question")
            };
            assert_eq!(ask.words, [line]);
        }
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
        for line in [
            "threads lst",
            "/modl",
            "shell",
            "ask --inputs 'x",
            "analyze",
        ] {
            assert!(matches!(read(line, &global()), Input::Wrong(_)), "{line}");
        }
    }
}
