//! A process that is killed in the middle of a question, and another one that continues.

use std::{
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use superstep::{Backends, sqlite::Database};
use superstep_atris::{Atris, Question, Status};

use crate::support::{answered, open, run, server, settings};

/// Set in the child: where its database is.
const DATABASE: &str = "SUPERSTEP_ATRIS_DATABASE";
/// Set in the child: the host it asks.
const HOST: &str = "SUPERSTEP_ATRIS_HOST";
/// Set in the child: the question.
const QUERY: &str = "SUPERSTEP_ATRIS_QUERY";

fn on_disk(database: &Path, host: &str) -> Atris {
    let database = Database::open(database).unwrap();
    let backends = Backends::on(database.saver());
    let mut settings = settings([host.to_owned()]);
    // It is killed long before.
    settings.client.timeout = Duration::from_secs(120);
    settings.client.deadline = Duration::from_secs(240);
    Atris::new(None, settings, backends).unwrap()
}

/// The test whose process is the child where [`DATABASE`] is set.
const CHILD_TEST: &str = "killed::a_question_to_the_person_waits_for_another_process";

/// Asks one question: the child.
async fn ask(database: &Path) {
    let agent = on_disk(database, &std::env::var(HOST).unwrap());
    run(&agent, "t", &std::env::var(QUERY).unwrap()).await;
}

fn child(database: &Path, host: &str, query: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args([CHILD_TEST, "--exact", "--nocapture"])
        .env(DATABASE, database)
        .env(HOST, host)
        .env(QUERY, query)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_whose_process_was_killed_during_the_call_is_answered_by_the_next() {
    let server = server().await;
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("threads.db");
    server.hold_next();
    let mut killed = child(
        &database,
        &server.address(),
        "top 10 trending tracks this week",
    );
    // The list of hosts, and the call that is held.
    server.asked(2).await;
    killed.kill().unwrap();
    killed.wait().unwrap();
    let agent = on_disk(&database, &server.address());
    let state = agent.graph().state("t").await.unwrap();
    assert_eq!(state.next, [superstep_atris::Node::ExecuteRequestNode]);
    let selected = state.state.best_api.clone();
    let answer = answered(agent.graph().resume("t").await.unwrap());
    assert_eq!(answer.status, Status::Answered);
    assert_eq!(answer.operation, selected.map(|api| api.id));
    assert_eq!(server.calls().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_to_the_person_waits_for_another_process() {
    if let Some(database) = std::env::var_os(DATABASE) {
        return ask(Path::new(&database)).await;
    }
    let server = server().await;
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("threads.db");
    let first = child(&database, &server.address(), "tracks by Sol Rivera").wait_with_output();
    assert!(first.unwrap().status.success());
    let calls = server.calls().len();
    let agent = on_disk(&database, &server.address());
    let state = agent.graph().state("t").await.unwrap();
    assert_eq!(server.calls().len(), calls, "looking calls nobody");
    let [ask] = state.asks.as_slice() else {
        panic!("it asks")
    };
    let chosen = ask.answer::<Question>(&"@solrivera".to_owned()).unwrap();
    let outcome = agent.graph().answer("t", [chosen]).await.unwrap();
    if let superstep::Outcome::Waiting { .. } = &outcome {
        open(&outcome);
    }
    let answer = answered(outcome);
    assert_eq!(answer.operation.as_deref(), Some("getTracksByUser"));
    assert_eq!(server.calls().len(), calls + 1);
}
