//! Every recorded case is answered as recorded, or as the list of differences says.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use superstep_conformance::{
    backing::Backing,
    case::Case,
    compare::{Level, Quirks, check_case},
    differences::{Differences, Judgement},
    profile::{Profile, Untyped},
    report,
    runner::run_case,
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_case_is_answered_as_recorded_under_langgraphs_rules() {
    all(Profile::Langgraph).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_case_is_answered_as_recorded_by_default_but_for_those_listed() {
    all(Profile::Default).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_case_is_answered_as_recorded_with_typed_options_but_for_those_listed() {
    all(Profile::Typed).await;
}

#[test]
fn every_listed_case_is_recorded() {
    let recorded: BTreeSet<String> = ["cases", "generated"]
        .iter()
        .flat_map(|folder| files(folder))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    let list = Differences::load().unwrap();
    let lost: Vec<&str> = list.cases().filter(|it| !recorded.contains(*it)).collect();
    assert!(lost.is_empty(), "{lost:?}");
}

async fn all(profile: Profile) {
    let list = Differences::load().unwrap();
    let paths = files("cases");
    assert!(paths.len() > 100, "only {} cases were found", paths.len());
    let mut failed = Vec::new();
    for path in &paths {
        let case = Case::load(path).unwrap();
        if profile == Profile::Typed && Untyped::check(&case).is_err() {
            continue;
        }
        let results = run_case(&case, &Backing::memory(), profile).await;
        let mismatches = check_case(&case, &results, Level::Normal, Quirks::Skip);
        match list.judge(&case.name, profile, mismatches.is_empty()) {
            Judgement::Equal | Judgement::Differs(_) => {}
            Judgement::Stale => failed.push(format!("{} agrees and is still listed", case.name)),
            Judgement::Unlisted => {
                failed.extend(mismatches.first().map(|first| report::render(&case, first)))
            }
        }
    }
    let shown = failed.join("\n");
    assert!(failed.is_empty(), "{shown}\n{} cases failed", failed.len());
}

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .collect();
    files.sort();
    files
}
