//! The binary `superstep`.

use std::process::ExitCode;

fn main() -> ExitCode {
    superstep_cli::app().run()
}
