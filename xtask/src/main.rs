//! The chores of the workspace, run as `cargo xtask <command>`.
//!
//! `tidy` holds the tree to its rules (see [`tidy`]), `docs` builds the docs site (see [`mod@book`]), `examples` runs every example (see
//! [`examples`]), `ci` does all that a change must pass (see [`ci`]), `crash` does what takes too
//! long for that (see [`crash`]), `bench` compares the speed of two revisions (see [`mod@bench`]), `features` checks features one by
//! one (see [`features`]), and `weights` fetches a local model (see [`weights`]).

mod bench;
mod book;
mod cargo;
mod ci;
mod contents;
mod crash;
mod error;
mod examples;
mod features;
mod markdown;
mod suite;
mod tidy;
mod tree;
mod weights;
mod workspace;

use std::env;
use std::process::ExitCode;

use crate::error::Error;
use crate::workspace::Workspace;

const USAGE: &str = "\
usage: cargo xtask <command>

  tidy      check the rules of the tree: arrows, lengths, pages, leftovers, paths, manifests, codes
  docs      check the pages of the docs site and build it with mdBook, where that is installed
  examples  build and run every example
  ci        all that a change must pass: format, lints, tests, docs, tidy, conformance, examples,
            tests with a real model and with real mail servers; --fast: format, tidy, lints and tests of
            core, engine, sqlite and tools
  crash     the long campaigns against crashes, power cuts and bad disks; takes a while
  bench     --against REV: the benches of this tree and of another revision in turns; fails if one is slower
  features  check every crate without features, and with each one alone
  weights   bring the weights of a local model into the cache: default, tiny or minilm";

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let chore: &dyn Fn(&Workspace) -> Result<String, Error> = match words.as_slice() {
        ["tidy"] => &tidy::run,
        ["docs"] => &book::run,
        ["examples"] => &examples::run,
        ["ci"] => &ci::run,
        ["ci", "--fast"] => &ci::run_fast,
        ["crash"] => &crash::run,
        ["bench", "--against", revision] => {
            &|workspace: &Workspace| bench::run(workspace, revision)
        }
        ["features"] => &features::run,
        ["weights", name] => &|workspace: &Workspace| weights::run(workspace, name),
        ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match Workspace::load().and_then(|workspace| chore(&workspace)) {
        Ok(closing) => {
            println!("{closing}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
