//! Arguments of `new`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueHint};

/// A project with an agent of its own.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  superstep new greeter
  superstep new greeter --superstep ../superstep
  superstep new --agent clerk.toml")]
pub(crate) struct NewArgs {
    /// The name of the folder, the crate and the agent
    #[arg(required_unless_present = "agent")]
    pub(crate) name: Option<String>,
    /// Write an agent without Rust to this file: instructions, tools, a form
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["name", "superstep"])]
    pub(crate) agent: Option<PathBuf>,
    /// A checkout of superstep to build on, instead of the published crates
    #[arg(long, value_name = "FOLDER")]
    pub(crate) superstep: Option<PathBuf>,
}
