//! `superstep trust`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueHint};

/// What to do about a project's file.
#[derive(Debug, ClapArgs)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:
  superstep trust                 what the project's file asks for; asks whether to trust it
  superstep trust --yes           trust it until it is changed
  superstep trust --ignore        leave it out, whatever is in it
  superstep trust --revoke        forget what was decided
  superstep trust list            every decision

A file that only names scripts, recordings to play, prompts and plain values needs no consent.
Ends with 3 if the file is not trusted."
)]
pub(crate) struct TrustArgs {
    #[command(subcommand)]
    pub(crate) command: Option<TrustCommand>,
    /// The superstep.toml, or its folder [default: the one of this folder, or of one above]
    #[arg(value_hint = ValueHint::AnyPath)]
    pub(crate) file: Option<PathBuf>,
    /// Forget what was decided about it
    #[arg(long, conflicts_with_all = ["ignore", "yes"])]
    pub(crate) revoke: bool,
    /// Do not use it, now and after any change
    #[arg(long, conflicts_with = "yes")]
    pub(crate) ignore: bool,
}

/// What else can be done.
#[derive(Debug, Subcommand)]
pub(crate) enum TrustCommand {
    /// List what was decided about project files
    #[command(after_help = "Examples:
  superstep trust list
  superstep trust list --json")]
    List,
}
