//! Versions by hash: forks, older checkpoints and replays have the workbook of theirs.

use std::sync::Arc;

use serde_json::json;
use superstep::{
    Backends, MemorySaver,
    model::{Model, Script},
};
use superstep_sheets::{
    FolderVersions, MemoryVersions, Models, Settings, Sheets, Status, Versions, hash,
};

use crate::support::{agent, apply, done, finish, input, sales, set, shown};

#[tokio::test]
async fn a_fork_in_the_middle_leaves_two_valid_branches() {
    let steps = (1..=5).map(|row| apply(json!([set("Data", &format!("H{row}"), f64::from(row))])));
    let agent = agent(steps.chain([finish("five")]).collect());
    let state = done(&agent, sales()).await;
    assert_eq!(state.step, 5);
    let history = agent.graph().history("t").await.unwrap();
    let second = history
        .iter()
        .find(|it| it.state.step == 2 && it.state.open_call().is_none())
        .unwrap();
    let at = agent.workbook(&second.state).await.unwrap();
    assert_eq!(shown(&at, "Data", "H2"), "2");
    assert_eq!(shown(&at, "Data", "H3"), "");
    // The branch goes another way from there.
    let branch = agent.graph().at(second.id.unwrap());
    let next = agent.instruct(&second.state, "something else").unwrap();
    let forked = branch.run("t", next).await.unwrap().done().unwrap();
    let book = agent.workbook(&forked).await.unwrap();
    assert_eq!(shown(&book, "Data", "H2"), "2");
    assert_eq!(forked.status, Status::Finished);
    // The first branch is as it was.
    let first = agent.workbook(&state).await.unwrap();
    assert_eq!(shown(&first, "Data", "H5"), "5");
    let versions: std::collections::BTreeSet<_> =
        state.op_log.iter().map(|record| &record.version).collect();
    assert_eq!(versions.len(), 5, "one for each step");
}

#[tokio::test]
async fn versions_are_files_that_other_processes_read() {
    let folder = tempfile::tempdir().unwrap();
    let versions = FolderVersions::beside(&folder.path().join("threads.db"));
    let saver = MemorySaver::default();
    let open = |steps| {
        let planner: Arc<dyn Model> = Arc::new(Script::new(steps));
        let models = Models {
            planner,
            informer: None,
        };
        let backends = Backends::on(saver.clone());
        let versions = Arc::new(versions.clone());
        Sheets::new(models, versions, Settings::default(), backends).unwrap()
    };
    let first = open(vec![apply(json!([set("Data", "F1", 1.0)])), finish("x")]);
    let update = input(&first, "do it", sales()).await;
    let state = first
        .graph()
        .run("t", update)
        .await
        .unwrap()
        .done()
        .unwrap();
    let other = open(Vec::new());
    let again = other.graph().state("t").await.unwrap().state;
    let book = other.workbook(&again).await.unwrap();
    assert_eq!(shown(&book, "Data", "F1"), "1");
    // The input, the result, and the operations between them.
    let mut all = versions.all().unwrap();
    all.sort();
    let mut expected = vec![
        state.problem.workbook.clone(),
        state.version.clone(),
        state.op_log[0].log.clone().unwrap(),
    ];
    expected.sort();
    assert_eq!(all, expected);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let file = versions.folder().join(&state.version);
        let mode = std::fs::metadata(file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    // What is damaged is not used, what is gone is said.
    std::fs::write(versions.folder().join(&state.version), b"x").unwrap();
    let error = open(Vec::new()).workbook(&state).await.unwrap_err();
    assert_eq!(error.code(), "SS7704");
    versions.remove(&state.version).unwrap();
    let error = open(Vec::new()).workbook(&state).await.unwrap_err();
    assert_eq!(error.code(), "SS7703");
}

#[test]
fn a_name_that_is_no_hash_leads_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("secret"), b"x").unwrap();
    let versions = FolderVersions::new(folder.path().join("versions"));
    for name in ["../secret", "secret", "", &"A".repeat(64)] {
        assert_eq!(versions.get(name).unwrap_err().code(), "SS7703", "{name}");
    }
    let stored = versions.put(b"abc").unwrap();
    assert_eq!(stored, hash(b"abc"));
    assert_eq!(versions.get(&stored).unwrap(), b"abc");
    assert_eq!(MemoryVersions::default().put(b"abc").unwrap(), stored);
}

#[cfg(unix)]
#[test]
fn a_version_that_is_a_pipe_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let versions = FolderVersions::new(folder.path());
    let name = hash(b"abc");
    let made = std::process::Command::new("mkfifo")
        .arg(folder.path().join(&name))
        .status();
    assert!(made.unwrap().success());
    assert!(versions.get(&name).is_err());
}
