//! `superstep shell`: every command, one after the other; other words are questions to Archie.

pub(crate) mod words;

use std::io::{self, IsTerminal};

use clap::{CommandFactory, Parser};

use crate::{
    args::{Args, Ask, Command, Global},
    failure::Failure,
    output::{Output, faint, plain, strong},
    person::{Person, Said, Topic},
};

/// What to do with a line.
enum Line {
    Nothing,
    Leave,
    Help,
    Model(Option<String>),
    Run(Box<Args>),
    /// A usage error, as the command line would print it.
    Wrong(String),
}

pub(crate) async fn run(
    mut global: Global,
    output: &Output,
    person: &mut Person,
) -> Result<(), Failure> {
    if person.is_there() {
        output.say(&[
            strong("Archie's shell. "),
            faint("Commands, or a question; /help tells more, exit or Ctrl-D ends."),
        ]);
    }
    // What a command of a script failed with is what the script failed with.
    let mut ended = Ok(());
    loop {
        let said = person.words(Topic::Command, "archie> ", output).await?;
        let line = match said {
            Said::Words(line) => line,
            Said::Stop => continue,
            Said::End => break,
        };
        let args = match read(&line, &global) {
            Line::Nothing => continue,
            Line::Leave => break,
            Line::Help => {
                help(output);
                continue;
            }
            Line::Model(None) => {
                let name = global
                    .model
                    .as_deref()
                    .unwrap_or("not chosen; see `model show`");
                output.say(&[plain(name)]);
                continue;
            }
            Line::Model(name) => {
                global.model = name;
                continue;
            }
            Line::Wrong(text) => {
                for line in text.trim_end().lines() {
                    output.say(&[plain(line)]);
                }
                ended = Err(Failure::Told { exit: 2 });
                continue;
            }
            Line::Run(args) => args,
        };
        // A command has its own form of output; the shell keeps its own.
        let own = Output::new(args.global.form(), args.global.color);
        match Box::pin(crate::dispatch(*args, &own, person)).await {
            Ok(()) => ended = Ok(()),
            Err(failure @ Failure::Closed) => return Err(failure),
            Err(failure) => {
                own.failure(&failure);
                let exit = failure.exit();
                ended = Err(Failure::Told { exit });
            }
        }
    }
    if person.is_there() || io::stdin().is_terminal() {
        return Ok(());
    }
    ended
}

fn read(line: &str, global: &Global) -> Line {
    let line = line.trim();
    match line {
        "" => return Line::Nothing,
        "exit" | "quit" | "/exit" | "/quit" => return Line::Leave,
        "help" | "/help" | "?" => return Line::Help,
        _ => {}
    }
    if let Some(rest) = line.strip_prefix("/model") {
        let name = rest.trim();
        return Line::Model((!name.is_empty()).then(|| name.to_owned()));
    }
    let words = match words::split(line) {
        Ok(words) => words,
        // An apostrophe in a question opens no quote.
        Err(_) if !is_command(line) => return question(line, global),
        Err(open) => return Line::Wrong(open.to_string()),
    };
    if let Some(unknown) = line.strip_prefix('/') {
        let known = ["/help", "/model", "/exit"];
        let hint = superstep_model::near::hint(&format!("/{unknown}"), known);
        return Line::Wrong(format!("there is no command /{unknown}{hint}"));
    }
    if !is_command(line) {
        return question(line, global);
    }
    let line = std::iter::once("superstep".to_owned()).chain(words);
    match Args::try_parse_from(line) {
        Ok(args) if matches!(args.command, Command::Shell) => {
            Line::Wrong("this is the shell already".into())
        }
        Ok(mut args) => {
            args.global.inherit(global);
            Line::Run(Box::new(args))
        }
        Err(error) => Line::Wrong(error.render().to_string()),
    }
}

/// Whether a line begins with a command or an option.
fn is_command(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    let all = Args::command();
    let mut named = all.get_subcommands().map(clap::Command::get_name);
    first.starts_with('-') || named.any(|name| name == first)
}

fn question(line: &str, global: &Global) -> Line {
    let ask = Ask {
        words: vec![line.to_owned()],
        inputs: None,
        limits: Default::default(),
    };
    Line::Run(Box::new(Args {
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
        ("/model [MODEL]", "the model from here on"),
        ("COMMAND --help", "what a command takes"),
        ("exit", "leave; Ctrl-D does too"),
    ] {
        output.say(&[strong(format!("  {name:<15}")), plain(about)]);
    }
    output.say(&[faint(
        "  Anything else is a question to Archie. Tab completes, Alt-Enter begins another line,",
    )]);
    output.say(&[faint(
        "  Ctrl-O opens your editor, Ctrl-R searches what you typed before.",
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
            let Line::Run(args) = read(line, &global()) else {
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
        let Line::Run(args) = read("threads list", &global()) else {
            panic!("a command")
        };
        assert_eq!(args.global.model.as_deref(), Some("script:a"));
        let Line::Run(args) = read("threads list --model script:b", &global()) else {
            panic!("a command")
        };
        assert_eq!(args.global.model.as_deref(), Some("script:b"));
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
            assert!(matches!(read(line, &global()), Line::Wrong(_)), "{line}");
        }
    }
}
