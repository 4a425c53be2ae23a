//! `superstep-sim [--seeds N] [--from S] [--seed N] [--trace]`: runs histories and says what came of
//! them. Ends with 1 if a promise is broken and with 2 if the arguments make no sense.

use std::{io::Write, process::ExitCode, time::Instant};

use superstep_sim::{
    report::Counts,
    sim::{Lab, Settings, Weather},
};

const USAGE: &str = "usage: superstep-sim [--seeds N] [--from S] [--seed N] [--trace]";

fn main() -> ExitCode {
    let wanted = match Wanted::parse(std::env::args().skip(1)) {
        Ok(wanted) => wanted,
        Err(why) => {
            say(&format!("{why}\n{USAGE}"));
            return ExitCode::from(2);
        }
    };
    let lab = match Lab::new() {
        Ok(lab) => lab,
        Err(error) => {
            say(&error.to_string());
            return ExitCode::FAILURE;
        }
    };
    let began = Instant::now();
    match run(&lab, &wanted) {
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

/// What the arguments ask for.
struct Wanted {
    from: u64,
    seeds: u64,
    trace: bool,
}

impl Wanted {
    fn parse(mut args: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut wanted = Self {
            from: 0,
            seeds: 2_000,
            trace: false,
        };
        while let Some(arg) = args.next() {
            if arg == "--trace" {
                wanted.trace = true;
                continue;
            }
            let number = args.next().ok_or(format!("{arg} needs a number"))?;
            let number: u64 = number
                .parse()
                .map_err(|_| format!("`{number}` is not a number"))?;
            match arg.as_str() {
                "--seeds" => wanted.seeds = number,
                "--from" => wanted.from = number,
                "--seed" => (wanted.from, wanted.seeds) = (number, 1),
                _ => return Err(format!("unknown argument `{arg}`")),
            }
        }
        Ok(wanted)
    }
}

/// Every seed once with faults, and every eighth in peace, too.
fn run(lab: &Lab, wanted: &Wanted) -> Result<Counts, String> {
    let mut all = Counts::default();
    for seed in wanted.from..wanted.from.saturating_add(wanted.seeds) {
        for weather in [Weather::Faults, Weather::Quiet] {
            let settings = Settings {
                seed,
                weather,
                plant: None,
            };
            if weather == Weather::Quiet && !seed.is_multiple_of(8) {
                continue;
            }
            if wanted.trace {
                let trace = lab.trace(settings).map_err(|found| found.to_string())?;
                say(&format!("{weather:?}\n{}", trace.join("\n")));
            }
            all.absorb(&lab.run(settings).map_err(|found| found.to_string())?);
        }
    }
    Ok(all)
}

/// A reader that is gone is no error.
fn say(text: &str) {
    let _gone = writeln!(std::io::stdout(), "{text}");
}
