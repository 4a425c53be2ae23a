//! Every recorded case is answered as recorded.

use std::fs;
use std::path::{Path, PathBuf};

use superstep_conformance::{
    backing::Backing,
    case::Case,
    compare::{Level, Quirks, check_case},
    report,
    runner::run_case,
};

/// Cases that are known to fail, by name. There are none, and there should be none.
const KNOWN: &[&str] = &[];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_case_is_answered_as_recorded() {
    let paths = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("cases"));
    assert!(paths.len() > 100, "only {} cases were found", paths.len());
    let mut failed = Vec::new();
    for path in &paths {
        let case = Case::load(path).unwrap();
        let results = run_case(&case, &Backing::memory()).await;
        let mismatches = check_case(&case, &results, Level::Normal, Quirks::Skip);
        assert!(
            !(mismatches.is_empty() && KNOWN.contains(&case.name.as_str())),
            "{} passes and is still on the list",
            case.name
        );
        if let Some(first) = mismatches.first()
            && !KNOWN.contains(&case.name.as_str())
        {
            failed.push(report::render(&case, first));
        }
    }
    let shown = failed.join("\n");
    assert!(failed.is_empty(), "{shown}\n{} cases failed", failed.len());
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .collect();
    files.sort();
    files
}
