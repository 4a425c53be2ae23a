//! What is made of the command line itself: completions and manual pages.

use std::path::Path;

use clap::CommandFactory;
use clap_complete::env::Shells;

use crate::{
    args::Args,
    failure::Failure,
    output::{Output, plain},
};

/// The variable that tells the binary that a shell asks for completions.
pub(crate) const COMPLETE: &str = "COMPLETE";

/// Answers a shell that asks for completions; says whether one did.
pub(crate) fn complete() -> bool {
    let asked = clap_complete::CompleteEnv::with_factory(Args::command)
        .var(COMPLETE)
        .bin("superstep");
    let folder = std::env::current_dir().ok();
    let answered = asked.try_complete(std::env::args_os(), folder.as_deref());
    answered.unwrap_or_else(|error| error.exit())
}

/// Prints what makes a shell ask.
pub(crate) fn completions(shell: &str, output: &Output) -> Result<(), Failure> {
    let shells = Shells::builtins();
    let Some(completer) = shells.completer(shell) else {
        return Err(Failure::Usage(format!("there is no shell `{shell}`")));
    };
    let mut script = Vec::new();
    completer.write_registration(COMPLETE, "superstep", "superstep", "superstep", &mut script)?;
    for line in String::from_utf8_lossy(&script).lines() {
        output.data(&[plain(line)])?;
    }
    Ok(())
}

/// Writes a page for every command.
pub(crate) fn manual(folder: &Path, output: &Output) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)?;
    clap_mangen::generate_to(Args::command(), folder)?;
    output.say(&[plain(format!("written to {}", folder.display()))]);
    Ok(())
}
