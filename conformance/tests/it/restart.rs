//! Cases whose process is killed and started again between all operations.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value as Json;
use superstep_conformance::{
    case::Case,
    compare::{Level, Quirks, check_case},
    profile::Profile,
    report,
    restart::{self, OneOp, Unfit},
};
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_superstep-conformance");

#[test]
fn asks_are_answered_in_another_process() {
    answered_as_recorded("interrupts-two-in-node");
    answered_as_recorded("interrupts-parallel-siblings");
    answered_as_recorded("durability-exit-interrupt");
    answered_as_recorded("functional-parallel-interrupts");
}

#[test]
fn a_subgraph_goes_on_in_another_process() {
    answered_as_recorded("subgraphs-two-levels");
    answered_as_recorded("subgraphs-parallel-interrupts");
    answered_as_recorded("subgraphs-checkpointer-true-interrupt");
}

#[test]
fn a_fan_out_goes_on_in_another_process() {
    answered_as_recorded("interrupts-in-sends");
    answered_as_recorded("failures-send-sibling-kept");
}

#[test]
fn a_thread_is_replayed_and_forked_in_another_process() {
    answered_as_recorded("timetravel-replay-interrupt");
    answered_as_recorded("delta-fork");
}

#[test]
fn a_graph_that_was_replaced_stays_replaced() {
    answered_as_recorded("timetravel-rebuild");
}

#[test]
fn an_operation_answers_and_leaves_everything_open() {
    let folder = TempDir::new().unwrap();
    let part = OneOp {
        op: 0,
        case: file("interrupts-single"),
        database: folder.path().join("case.db"),
        state: folder.path().join("state.json"),
        profile: Profile::Default,
    };
    let output = Command::new(PROGRAM).args(part.args()).output().unwrap();
    assert!(!output.status.success(), "{}", output.status);
    let answer: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert!(answer.get("chunks").is_some(), "{answer}");
    let left = std::fs::read_dir(folder.path()).unwrap().count();
    assert!(left > 2, "a database that was closed is one file");
}

#[test]
fn a_process_that_cannot_answer_is_an_error_with_its_words() {
    let mut case = load("interrupts-single");
    let one_more = case.script.first().unwrap().clone();
    case.script.push(one_more);
    let file = file("interrupts-single");
    let ended = restart::run_case(Path::new(PROGRAM), &file, &case, Profile::Default);
    let error = ended.unwrap_err().to_string();
    let said = format!("no operation {}", case.script.len() - 1);
    assert!(error.contains(&said), "{error}");
}

#[test]
fn a_case_that_lives_in_one_process_is_unfit() {
    assert_eq!(Unfit::check(&load("cache-hit")), Err(Unfit::Cache));
    let alone = load("interrupts-no-checkpointer");
    assert_eq!(Unfit::check(&alone), Err(Unfit::NoSaver));
    assert_eq!(Unfit::check(&load("interrupts-single")), Ok(()));
}

fn answered_as_recorded(name: &str) {
    let case = load(name);
    assert_eq!(Unfit::check(&case), Ok(()), "{name}");
    for profile in [Profile::Default, Profile::Langgraph] {
        let results = restart::run_case(Path::new(PROGRAM), &file(name), &case, profile).unwrap();
        let mismatches = check_case(&case, &results, Level::Exact, Quirks::Skip);
        let shown: Vec<String> = mismatches
            .iter()
            .map(|m| report::render(&case, m))
            .collect();
        assert!(shown.is_empty(), "{profile}: {}", shown.join("\n"));
    }
}

fn load(name: &str) -> Case {
    Case::load(&file(name)).unwrap()
}

fn file(name: &str) -> PathBuf {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    cases.join(format!("{name}.json"))
}
