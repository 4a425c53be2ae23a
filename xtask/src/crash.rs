//! `cargo xtask crash`: every campaign of the crash crate at full length, and one table at the end.

use crate::cargo::Cargo;
use crate::error::Error;
use crate::workspace::Workspace;

const PROGRAM: &str = "run --release -q -p superstep-crash --";

/// What is run, in this order.
const CAMPAIGNS: [&str; 15] = [
    "matrix --at ops --ways all",
    "matrix --at points",
    "matrix --at pairs --pairs 500",
    "matrix --at ops --durability normal",
    "matrix --at ops --durability async",
    "power --seeds 4",
    "power --seeds 4 --durability normal",
    "faults",
    "damage --flips 1000",
    "strace",
    "resumers --rounds 1000 --threads 64",
    "resumers --rounds 1000 --processes 64",
    "stopped --rounds 200",
    "recover --steps 10000",
    "load --threads 10000",
];

/// Runs them all, also when one has failed; the closing text is the table.
pub(crate) fn run(workspace: &Workspace) -> Result<String, Error> {
    let (mut table, mut failed) = (String::new(), Vec::new());
    for campaign in CAMPAIGNS {
        let command = format!("{PROGRAM} {campaign}");
        let outcome = Cargo::new(&workspace.root, &command).run_lines(|line| {
            println!("{line}");
            if is_summary(line) {
                table.push_str(line);
                table.push('\n');
            }
        });
        if let Err(error) = outcome {
            println!("{error}");
            failed.push(campaign);
        }
    }
    if failed.is_empty() {
        let count = CAMPAIGNS.len();
        return Ok(format!("\n{table}crash: all {count} campaigns passed"));
    }
    println!("\n{table}");
    Err(Error::failed("crash", failed.join(", ")))
}

/// Whether a line closes a campaign.
fn is_summary(line: &str) -> bool {
    line.contains(", violations ") && line.contains(", took ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closing_line_of_a_campaign_is_told_from_its_violations() {
        assert!(is_summary(
            "stopped: rounds 5, refused 5, violations 0, took 0.9 s"
        ));
        assert!(!is_summary("violation: it took two"));
    }
}
