//! A process that is killed between steps, and another one that continues.

use std::{
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    sync::Arc,
};

use serde_json::json;
use superstep::{
    Backends,
    model::{Model, Script, script::Step},
    sqlite::Database,
};
use superstep_sheets::{Models, Settings, Sheets, Status};

use crate::support::{apply, finish, input, sales, set, shown};

/// Set in the child: where its database is.
const DATABASE: &str = "SUPERSTEP_SHEETS_DATABASE";

/// What the child prints when it is about to wait for its end.
const HANGS: &str = "the model hangs";

fn on_disk(path: &Path, steps: Vec<Step>) -> Sheets {
    let database = Database::open(path).unwrap();
    let backends = Backends {
        blobs: Some(Arc::new(database.blobs())),
        ..Backends::on(database.saver())
    };
    let planner: Arc<dyn Model> = Arc::new(Script::new(steps));
    let models = Models {
        planner,
        informer: None,
    };
    Sheets::new(models, Settings::default(), backends).unwrap()
}

fn rows(from: u32, to: u32) -> Vec<Step> {
    let one = |row: u32| apply(json!([set("Data", &format!("H{row}"), f64::from(row))]));
    (from..=to).map(one).collect()
}

/// The child of the test below.
async fn work(path: &Path) {
    // Two steps are taken; the third reply never comes.
    let mut steps = rows(1, 2);
    steps.push(Step::hang());
    let agent = on_disk(path, steps);
    let update = input(&agent, "do it", sales()).await;
    let graph = agent.graph().clone();
    let run = tokio::spawn(async move { graph.run("t", update).await.map(drop) });
    loop {
        let state = agent.graph().state("t").await;
        if state.is_ok_and(|now| now.state.step == 2 && now.state.open_call().is_none()) {
            println!("{HANGS}");
            break;
        }
        tokio::task::yield_now().await;
    }
    run.await.unwrap().unwrap();
}

fn child(database: &Path) -> Child {
    let own_name = "killed::a_thread_whose_process_was_killed_goes_on_and_takes_no_step_twice";
    Command::new(std::env::current_exe().unwrap())
        .args([own_name, "--exact", "--nocapture"])
        .env(DATABASE, database)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thread_whose_process_was_killed_goes_on_and_takes_no_step_twice() {
    if let Some(path) = std::env::var_os(DATABASE) {
        return work(Path::new(&path)).await;
    }
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("threads.db");
    let mut killed = child(&database);
    let lines = BufReader::new(killed.stdout.take().unwrap()).lines();
    assert!(lines.map_while(Result::ok).any(|line| line.contains(HANGS)));
    killed.kill().unwrap();
    killed.wait().unwrap();
    let steps = rows(1, 4).into_iter().chain([finish("four")]).collect();
    let agent = on_disk(&database, steps);
    let before = agent.graph().state("t").await.unwrap().state;
    assert_eq!(before.step, 2);
    let state = agent.graph().resume("t").await.unwrap().done().unwrap();
    assert_eq!(state.status, Status::Finished);
    let taken: Vec<u32> = state.op_log.iter().map(|record| record.step).collect();
    assert_eq!(taken, [1, 2, 3, 4]);
    assert_eq!(state.op_log[..2], before.op_log[..]);
    let book = agent.workbook(&state).await.unwrap();
    for row in 1..=4 {
        assert_eq!(shown(&book, "Data", &format!("H{row}")), row.to_string());
    }
}
