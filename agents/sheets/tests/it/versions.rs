//! Versions by hash: forks, older checkpoints and replays have the workbook of theirs.

use std::{collections::BTreeSet, sync::Arc};

use serde_json::json;
use superstep::{
    Backends,
    model::{Model, Script},
    sqlite::Database,
    store::{Blobs as _, UPLOADS},
};
use superstep_sheets::{Models, Settings, Sheets, SheetsState, Status, WORKBOOKS};

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
    let versions: BTreeSet<_> = state.op_log.iter().map(|record| &record.version).collect();
    assert_eq!(versions.len(), 5, "one for each step");
}

#[tokio::test]
async fn versions_are_in_the_database_for_other_processes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("threads.db");
    let database = Database::open(&path).unwrap();
    let blobs = database.blobs();
    let open = |steps| {
        let planner: Arc<dyn Model> = Arc::new(Script::new(steps));
        let models = Models {
            planner,
            informer: None,
        };
        let backends = Backends {
            blobs: Some(Arc::new(database.blobs())),
            ..Backends::on(database.saver())
        };
        Sheets::new(models, Settings::default(), backends).unwrap()
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
    let all = blobs.list(WORKBOOKS, None, 10).await.unwrap();
    let all: BTreeSet<String> = all.iter().map(ToString::to_string).collect();
    let expected = BTreeSet::from([
        state.problem.workbook.clone(),
        state.version.clone(),
        state.op_log[0].log.clone().unwrap(),
    ]);
    assert_eq!(all, expected);
    // What is damaged is not used, what is gone is said.
    let damage = "UPDATE store_blobs SET body = zeroblob(length(body))";
    rusqlite::Connection::open(&path)
        .and_then(|connection| connection.execute(damage, []))
        .unwrap();
    let error = open(Vec::new()).workbook(&state).await.unwrap_err();
    assert_eq!(error.code(), "SS7704");
    let hash = state.version.parse().unwrap();
    blobs.remove(WORKBOOKS, hash).await.unwrap();
    let error = open(Vec::new()).workbook(&state).await.unwrap_err();
    assert_eq!(error.code(), "SS7703");
}

#[tokio::test]
async fn a_name_that_is_no_hash_leads_nowhere() {
    let agent = agent(Vec::new());
    for name in ["../secret", "secret", &"A".repeat(64)] {
        let state = SheetsState {
            version: name.to_owned(),
            ..SheetsState::default()
        };
        let error = agent.bytes(&state).await.unwrap_err();
        assert_eq!(error.code(), "SS7703", "{name}");
    }
}

#[tokio::test]
async fn an_upload_that_a_thread_uses_stays_when_its_client_removes_it() {
    let backends = Backends::in_memory();
    let blobs = backends.blobs.clone().unwrap();
    let models = Models {
        planner: Arc::new(Script::new(Vec::new())),
        informer: None,
    };
    let agent = Sheets::new(models, Settings::default(), backends).unwrap();
    let hash = blobs.put(UPLOADS, b"abc".to_vec()).await.unwrap();
    let state = SheetsState {
        version: hash.to_string(),
        ..SheetsState::default()
    };
    assert_eq!(agent.bytes(&state).await.unwrap(), b"abc");
    blobs.remove(UPLOADS, hash).await.unwrap();
    assert_eq!(agent.bytes(&state).await.unwrap(), b"abc");
}
