//! Arguments of `new`.

use std::path::PathBuf;

use clap::Args as ClapArgs;

/// A project with an agent of its own.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  superstep new greeter
  superstep new greeter --superstep ../superstep")]
pub(crate) struct NewArgs {
    /// The name of the folder, the crate and the agent
    pub(crate) name: String,
    /// A checkout of superstep to build on, instead of the published crates
    #[arg(long, value_name = "FOLDER")]
    pub(crate) superstep: Option<PathBuf>,
}
