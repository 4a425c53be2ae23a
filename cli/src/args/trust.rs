//! Arguments of `superstep trust`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueHint};

/// What to do about a project's file.
#[derive(Debug, ClapArgs)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:
  superstep trust                 show what the project's file asks for; ask whether to trust it
  superstep trust --yes           trust it until it is changed
  superstep trust --ignore        ignore it, whatever is in it
  superstep trust --revoke        forget the decision
  superstep trust list            every decision

A file that only names scripts, recordings to play, prompts and plain values needs no consent.
Exits with 3 if the file is not trusted."
)]
pub(crate) struct TrustArgs {
    #[command(subcommand)]
    pub(crate) command: Option<TrustCommand>,
    /// The superstep.toml or its folder [default: searched from this folder upwards]
    #[arg(value_hint = ValueHint::AnyPath)]
    pub(crate) file: Option<PathBuf>,
    /// Forget the decision
    #[arg(long, conflicts_with_all = ["ignore", "yes"])]
    pub(crate) revoke: bool,
    /// Never use it, even after a change
    #[arg(long, conflicts_with = "yes")]
    pub(crate) ignore: bool,
}

/// What else can be done.
#[derive(Debug, Subcommand)]
pub(crate) enum TrustCommand {
    /// List the decisions about project files
    #[command(after_help = "Examples:
  superstep trust list
  superstep trust list --json")]
    List,
}
