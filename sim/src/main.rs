//! `superstep-sim`: runs histories and prints a summary. Ends with 1 if a promise is broken.

use std::{io::Write, ops::Range, process::ExitCode, time::Instant};

use clap::Parser;
use superstep_sim::{
    report::Counts,
    sim::{FaultMode, Settings, Simulator},
};

fn main() -> ExitCode {
    let args = Args::parse();
    let simulator = match Simulator::new() {
        Ok(simulator) => simulator,
        Err(error) => {
            say(&error.to_string());
            return ExitCode::FAILURE;
        }
    };
    let began = Instant::now();
    match run(&simulator, &args) {
        Ok(counts) => {
            say(&format!(
                "{counts}no promise broken in {:?}",
                began.elapsed()
            ));
            ExitCode::SUCCESS
        }
        Err(violation) => {
            say(&violation);
            ExitCode::FAILURE
        }
    }
}

/// Runs seeded histories of the loop over a store that fails.
#[derive(Parser)]
#[command(name = "superstep-sim")]
struct Args {
    /// How many seeds.
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    seeds: u64,
    /// The first seed.
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    from: u64,
    /// Only this seed.
    #[arg(long, conflicts_with_all = ["seeds", "from"])]
    seed: Option<u64>,
    /// Prints all that happens.
    #[arg(long)]
    trace: bool,
}

impl Args {
    fn range(&self) -> Range<u64> {
        match self.seed {
            Some(seed) => seed..seed.saturating_add(1),
            None => self.from..self.from.saturating_add(self.seeds),
        }
    }
}

/// Every seed once with faults, and every eighth without, too.
fn run(simulator: &Simulator, args: &Args) -> Result<Counts, String> {
    let mut all = Counts::default();
    for seed in args.range() {
        for fault_mode in [FaultMode::Faults, FaultMode::Quiet] {
            let settings = Settings {
                seed,
                fault_mode,
                mutation: None,
            };
            if fault_mode == FaultMode::Quiet && !seed.is_multiple_of(8) {
                continue;
            }
            if args.trace {
                let trace = simulator
                    .trace(settings)
                    .map_err(|found| found.to_string())?;
                say(&format!("{fault_mode:?}\n{}", trace.join("\n")));
            }
            all.absorb(&simulator.run(settings).map_err(|found| found.to_string())?);
        }
    }
    Ok(all)
}

/// A reader that is gone is no error.
fn say(text: &str) {
    let _gone = writeln!(std::io::stdout(), "{text}");
}
