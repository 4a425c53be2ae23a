//! Shell completions and manual pages, generated from the command line.
//!
//! Names of threads and ids of questions are looked up in the database when a shell asks for them. They may
//! come from anywhere, so only words that mean the same in every shell, without quotes, are offered.

use std::path::Path;

use clap::{CommandFactory, Parser};
use clap_complete::{
    engine::{ArgValueCandidates, CompletionCandidate},
    env::Shells,
};
use superstep::text::is_hidden;

use crate::{
    args::{Args, Global},
    database,
    error::Error,
    inbox,
    output::{Output, plain},
    program_name,
};

/// The variable by which a shell asks for completions.
pub(crate) const COMPLETE: &str = "COMPLETE";

/// The command line, with candidates for arguments that name a thread or a question.
pub(crate) fn command() -> clap::Command {
    with_candidates(Args::whole_command())
}

fn with_candidates(command: clap::Command) -> clap::Command {
    let command = command.mut_args(|arg| match arg.get_id().as_str() {
        "thread" | "threads" => arg.add(ArgValueCandidates::new(thread_names)),
        "id" => arg.add(ArgValueCandidates::new(question_ids)),
        "model" | "provider" => arg.add(ArgValueCandidates::new(provider_names)),
        _ => arg,
    });
    command.mut_subcommands(with_candidates)
}

fn thread_names() -> Vec<CompletionCandidate> {
    candidates(|global| async move {
        let names = database::threads(&global)?.threads().await?;
        Ok(names.iter().map(ToString::to_string).collect())
    })
}

/// The names of providers: a model is named by one, with or without the name that it has there.
fn provider_names() -> Vec<CompletionCandidate> {
    let names = superstep::model::providers().names().into_iter();
    let names = names.filter(|name| !matches!(name.as_str(), "script" | "cassette"));
    names.map(CompletionCandidate::new).collect()
}

fn question_ids() -> Vec<CompletionCandidate> {
    candidates(|global| async move { inbox::question_ids(&global).await })
}

/// Looks candidates up in the database of the environment and the settings.
fn candidates<F: Future<Output = Result<Vec<String>, Error>>>(
    look_up: impl FnOnce(Global) -> F + Send,
) -> Vec<CompletionCandidate> {
    let found = || {
        let args = Args::try_parse_from(["superstep", "threads", "list"]).ok()?;
        let runtime = tokio::runtime::Builder::new_current_thread().build().ok()?;
        runtime.block_on(look_up(args.global)).ok()
    };
    // Completion may run inside a runtime, which does not take another one on its thread.
    let found = std::thread::scope(|scope| scope.spawn(found).join().ok().flatten());
    let found = found.unwrap_or_default().into_iter();
    let plain = found.filter(|name| is_plain_word(name));
    plain.map(CompletionCandidate::new).collect()
}

/// Whether a word needs no quotes in any shell, and shows all that is in it.
fn is_plain_word(word: &str) -> bool {
    let is_plain = |c: char| {
        (c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '@' | '+')) && !is_hidden(c)
    };
    word.starts_with(char::is_alphanumeric) && word.chars().all(is_plain)
}

/// Answers a shell that asks for completions; returns whether one did.
pub(crate) fn complete() -> bool {
    let asked = clap_complete::CompleteEnv::with_factory(command)
        .var(COMPLETE)
        .bin(program_name::get());
    let folder = std::env::current_dir().ok();
    let answered = asked.try_complete(std::env::args_os(), folder.as_deref());
    answered.unwrap_or_else(|error| error.exit())
}

/// Prints the script that makes a shell ask for completions.
pub(crate) fn print(shell: &str, output: &Output) -> Result<(), Error> {
    let shells = Shells::builtins();
    let Some(completer) = shells.completer(shell) else {
        return Err(Error::Usage(format!("there is no shell `{shell}`")));
    };
    let mut script = Vec::new();
    let name = program_name::get();
    completer.write_registration(COMPLETE, name, name, name, &mut script)?;
    for line in String::from_utf8_lossy(&script).lines() {
        output.data(&[plain(line)])?;
    }
    Ok(())
}

/// Writes one manual page per command.
pub(crate) fn manual(folder: &Path, output: &Output) -> Result<(), Error> {
    std::fs::create_dir_all(folder)?;
    clap_mangen::generate_to(Args::command(), folder)?;
    output.say(&[plain(format!("written to {}", folder.display()))]);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_that_need_no_quotes_are_offered() {
        for word in [
            "archie-7f3k2m", "mail-a.b_c@d/e+f", "archie-größe", "archie-日本",
        ] {
            assert!(is_plain_word(word), "{word}");
        }
        for word in [
            "", "-rf", "~root", "a b", "a;b", "a$(b)", "a`b`", "a|b", "a&b", "a>b", "a<b", "a*b",
            "a?b", "a[b]", "a{b,c}", "a!b", "a#b", "a'b", "a\"b", "a\\b", "a:b", "a=b", "a%b",
            "a^b", "a,b", "a(b", "a)b", "a\nb", "a\tb", "a\x0bb", "a\x1b[1mb", "a\u{202e}b",
            "a\u{3164}b",
        ] {
            assert!(!is_plain_word(word), "{word:?}");
        }
    }
}
