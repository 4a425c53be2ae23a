//! `cargo xtask ci`: all that a change must pass, step by step, stopping at the first failure.

use std::path::Path;
use std::time::Instant;

use crate::cargo::Cargo;
use crate::error::Error;
use crate::examples;
use crate::tidy;
use crate::weights;
use crate::workspace::Workspace;

/// One step; what it returns is repeated in the summary.
struct Step {
    name: &'static str,
    run: fn(&Workspace) -> Result<String, Error>,
}

const STEPS: [Step; 9] = [
    Step {
        name: "format",
        run: |w| plain(&w.root, "fmt --all --check"),
    },
    Step {
        name: "lints",
        run: |w| {
            plain(
                &w.root,
                &format!(
                    "clippy {WORKSPACE},superstep-local/weights-tests --all-targets -- -D warnings"
                ),
            )
        },
    },
    Step {
        name: "tests",
        run: tests,
    },
    Step {
        name: "doctests",
        run: |w| plain(&w.root, &format!("test {WORKSPACE} --doc")),
    },
    Step {
        name: "docs",
        run: docs,
    },
    Step {
        name: "tidy",
        run: tidy::run,
    },
    Step {
        name: "conformance",
        run: conformance,
    },
    Step {
        name: "examples",
        run: examples::run,
    },
    Step {
        name: "model",
        run: model,
    },
];

/// All crates, with the parts that are not built unless asked for.
const WORKSPACE: &str = "--workspace --features superstep-model/remote,superstep-model/fake,\
                         superstep-local/vectors,superstep-local/chat,superstep-tools/mcp,\
                         superstep-mail/google,superstep-mail/imap,superstep-mail/fake,\
                         superstep-examples/otlp,superstep/otlp,superstep/encryption";
const CONFORMANCE: &str =
    "run --release -q -p superstep-conformance -- conformance/cases conformance/fuzz";
/// Tests of the model inside the process that need weights, of which the smallest suffice.
const MODEL: &str = "test -p superstep-local --features chat,weights-tests --lib --test chat";
/// Set to 1 where there is a network: then what cannot be fetched is a failure, and not left out.
const FULL: &str = "SUPERSTEP_CI_FULL";
/// What the recorded cases run on.
const WAYS: [&str; 3] = ["--saver memory", "--saver sqlite", "--restart"];

/// Runs all steps; the closing line says how long they took.
pub(crate) fn run(workspace: &Workspace) -> Result<String, Error> {
    let start = Instant::now();
    let mut passed = String::new();
    for (number, step) in (1..).zip(&STEPS) {
        println!("\n== {number}/{} {}", STEPS.len(), step.name);
        let begun = Instant::now();
        let outcome = (step.run)(workspace);
        let took = begun.elapsed().as_secs_f64();
        let note = match outcome {
            Ok(note) => note,
            Err(error) => {
                println!("== {} failed after {took:.1} s", step.name);
                return Err(Error::failed(
                    format!("ci: step {} failed", step.name),
                    error.to_string(),
                ));
            }
        };
        println!("== {} passed in {took:.1} s", step.name);
        passed.push_str(format!("{:<12} {took:>7.1} s  {note}", step.name).trim_end());
        passed.push('\n');
    }
    let took = start.elapsed().as_secs_f64();
    Ok(format!(
        "\n{passed}ci: all {} steps passed in {took:.1} s",
        STEPS.len()
    ))
}

fn plain(root: &Path, args: &str) -> Result<String, Error> {
    Cargo::new(root, args).run().map(|()| String::new())
}

fn tests(workspace: &Workspace) -> Result<String, Error> {
    let root = &workspace.root;
    if Cargo::new(root, "nextest --version").works() {
        return plain(root, &format!("nextest run {WORKSPACE}"));
    }
    println!("cargo-nextest is not installed, so `cargo test` runs the tests");
    plain(root, &format!("test {WORKSPACE} --lib --bins --tests"))
}

fn docs(workspace: &Workspace) -> Result<String, Error> {
    Cargo::new(&workspace.root, &format!("doc {WORKSPACE} --no-deps"))
        .with_env("RUSTDOCFLAGS", "-D warnings")
        .run()
        .map(|()| String::new())
}

fn conformance(workspace: &Workspace) -> Result<String, Error> {
    let mut notes = Vec::new();
    for way in WAYS {
        let passed = cases(&workspace.root, &format!("{CONFORMANCE} {way}"))?;
        notes.push(format!("{way}: {passed} passed"));
    }
    Ok(notes.join(", "))
}

/// Runs the tests with a real model, which is kept in the build folder.
fn model(workspace: &Workspace) -> Result<String, Error> {
    let root = &workspace.root;
    let cache = root.join("target").join("weights");
    let path = match weights::run_in(workspace, "tiny", &cache.to_string_lossy()) {
        Ok(path) => path,
        Err(error) if !is_full() => {
            println!("{error}");
            return Ok(format!(
                "NOT RUN: 98 MB of weights could not be fetched; {FULL}=1 makes that a failure"
            ));
        }
        Err(error) => return Err(error),
    };
    Cargo::new(root, MODEL)
        .with_env("SUPERSTEP_TEST_MODEL", &path)
        .run()
        .map(|()| String::new())
}

fn is_full() -> bool {
    std::env::var_os(FULL).is_some_and(|value| value == "1")
}

/// Runs cases and returns how many passed; one that failed is an error.
fn cases(root: &Path, args: &str) -> Result<u64, Error> {
    let mut tally = None;
    Cargo::new(root, args).run_lines(|line| {
        println!("{line}");
        tally = Tally::parse(line).or(tally);
    })?;
    // An exit status of 0 is not enough: a runner that found no cases would have it too.
    match tally {
        Some(Tally { passed, failed: 0 }) if passed > 0 => Ok(passed),
        Some(Tally { passed, failed }) => Err(Error::failed(
            "conformance",
            format!("{passed} passed, {failed} failed"),
        )),
        None => Err(Error::failed(
            "conformance",
            "the runner did not close with `N passed, N failed`",
        )),
    }
}

/// The closing line of the conformance runner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Tally {
    passed: u64,
    failed: u64,
}

impl Tally {
    fn parse(line: &str) -> Option<Self> {
        let mut words = line.split([' ', ',']).filter(|word| !word.is_empty());
        let mut count = |what| {
            let mut before = words.next()?;
            for word in words.by_ref() {
                if word == what {
                    return before.parse().ok();
                }
                before = word;
            }
            None
        };
        Some(Self {
            passed: count("passed")?,
            failed: count("failed")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closing_line_of_the_runner_is_understood() {
        let tally = |passed, failed| Some(Tally { passed, failed });
        assert_eq!(Tally::parse("411 passed, 0 failed"), tally(411, 0));
        assert_eq!(Tally::parse("total: 9 passed, 2 failed"), tally(9, 2));
    }

    #[test]
    fn other_lines_are_no_tally() {
        for line in [
            "",
            "passed",
            "case a passed",
            "3 passed",
            "many passed, 0 failed",
            "6 skipped: the node cache ends with its process",
        ] {
            assert_eq!(Tally::parse(line), None, "{line}");
        }
    }

    #[test]
    fn every_step_has_a_name_of_its_own() {
        let mut names: Vec<_> = STEPS.iter().map(|step| step.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), STEPS.len());
    }
}
