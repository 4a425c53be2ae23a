//! `superstep-fuzz`: mutated inputs for one target or all. Ends with 1 if a promise is broken.

use std::{io::Write, process::ExitCode};

use clap::Parser;
use superstep_fuzz::{Campaign, targets};

/// Feeds mutated inputs to readers.
#[derive(Parser)]
#[command(name = "superstep-fuzz")]
struct Args {
    /// Only this target: archive, codec, mime, script or sse.
    target: Option<String>,
    /// The seed of the first input.
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,
    /// How many inputs for each target.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    runs: u64,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let chosen = match args.target.as_deref() {
        None => targets::ALL.to_vec(),
        Some(name) => match targets::named(name) {
            Some(target) => vec![target],
            None => {
                say(&format!("there is no target {name}; see --help"));
                return ExitCode::from(2);
            }
        },
    };
    let campaign = Campaign {
        seed: args.seed,
        runs: args.runs,
    };
    for target in chosen {
        match campaign.run(target) {
            Ok(Ok(runs)) => say(&format!("{}: {runs} inputs, none failed", target.name)),
            Ok(Err(failure)) => {
                say(&format!("{failure:?}"));
                return ExitCode::FAILURE;
            }
            Err(error) => {
                say(&format!("{}: {error}", target.name));
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

fn say(line: &str) {
    // A closed output is no reason to fail.
    let _ = writeln!(std::io::stdout(), "{line}");
}
