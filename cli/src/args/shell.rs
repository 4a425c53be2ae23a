//! Arguments of `shell`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueHint};

/// Where the shell begins.
#[derive(Debug, Default, ClapArgs)]
#[command(after_help = "Examples:
  superstep shell
  superstep shell --inputs docs --model ollama:qwen3:8b
  superstep --continue
  printf 'threads list\\nexit\\n' | superstep shell

Type commands without `superstep`. Any other line is a question to Archie, answered from the documents of the folder. Tab completes
commands, paths and threads; Alt-Enter starts a new line; `/help` lists more; `exit` or Ctrl-D ends.")]
pub(crate) struct ShellArgs {
    /// Documents to answer from [default: those of this folder, at a terminal]
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) inputs: Option<PathBuf>,
    /// Continue the thread that was used last
    #[arg(long = "continue", short = 'c')]
    pub(crate) resumes: bool,
}
