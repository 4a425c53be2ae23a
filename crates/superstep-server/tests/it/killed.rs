//! The server is killed while runs continue and wait: what it accepted is finished by the next one, and streams
//! continue from where their clients were. `kill_matrix` kills it in every state that a run can be in.

use serde_json::{Value as Json, json};
use superstep::http::Method;

use crate::victim::{PLACE, Process, STEPS, serve};

#[tokio::test]
async fn a_killed_server_loses_no_run_that_it_accepted() {
    if let Ok(place) = std::env::var(PLACE) {
        return serve(&place).await;
    }
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("threads.db");
    let server = Process::start(&place);
    let thread = server.call(Method::POST, "/threads", json!({})).await;
    let thread = thread["thread_id"].as_str().unwrap().to_owned();
    let runs = format!("/threads/{thread}/runs");
    let body = json!({
        "assistant_id": "steps",
        "input": { "n": 0 },
        "stream_mode": ["values"],
        "stream_resumable": true,
    });
    // One run that continues and is read along with, and one that waits behind it.
    let stream = server.request(Method::POST, &format!("{runs}/stream"));
    let seen = server.events(stream.body(body.to_string()), 4).await;
    let first = seen[0].2["run_id"].as_str().unwrap().to_owned();
    let second = server.call(Method::POST, &runs, body.clone()).await;
    let second = second["run_id"].as_str().unwrap().to_owned();
    server.kill();

    let server = Process::start(&place);
    let last = &seen.last().unwrap().0;
    let stream = server.request(Method::GET, &format!("{runs}/{first}/stream"));
    let rest = server
        .events(stream.header("last-event-id", last), usize::MAX)
        .await;
    let values = |events: &[(String, String, Json)]| -> Vec<i64> {
        let values = events.iter().filter(|(_, name, _)| name == "values");
        values
            .map(|(.., data)| data["n"].as_i64().unwrap_or_default())
            .collect()
    };
    let (had, got) = (values(&seen), values(&rest));
    let mut all: Vec<i64> = had.iter().chain(&got).copied().collect();
    assert!(all.is_sorted(), "{had:?} {got:?}");
    all.dedup();
    assert_eq!(all, (0..=STEPS).collect::<Vec<_>>(), "{had:?} {got:?}");
    assert!(
        rest.iter().all(|(id, ..)| id != last),
        "what it had comes again"
    );

    let end = server
        .call(Method::GET, &format!("{runs}/{second}/join"), json!({}))
        .await;
    let once: Vec<i64> = (1..=STEPS).collect();
    // Each step of each run happened once.
    assert_eq!(end["log"], json!([once.clone(), once].concat()));
    for run in [first, second] {
        let run = server
            .call(Method::GET, &format!("{runs}/{run}"), json!({}))
            .await;
        assert_eq!(run["status"], "success");
    }
    server.kill();
}

#[tokio::test]
async fn a_run_that_ends_every_server_is_given_up_and_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("a.db");
    let mut server = Process::start(&place);
    let thread = server.call(Method::POST, "/threads", json!({})).await;
    let thread = thread["thread_id"].as_str().unwrap().to_owned();
    // It begins once its client has heard of it.
    let body = json!({"assistant_id": "steps", "input": {"n": -9}, "after_seconds": 1});
    let run = server
        .call(Method::POST, &format!("/threads/{thread}/runs"), body)
        .await;
    let path = format!("/threads/{thread}/runs/{}", run["run_id"].as_str().unwrap());
    for _ in 0..5 {
        assert!(!server.child.wait().unwrap().success());
        server = Process::start(&place);
    }
    let end = server
        .call(Method::GET, &format!("{path}/join"), json!(null))
        .await;
    assert_eq!(end["__error__"]["error"], "SS9007", "{end}");
    let run = server.call(Method::GET, &path, json!(null)).await;
    assert_eq!(run["status"], "error", "{run}");
    let why = run["error"].as_str().unwrap();
    assert!(
        why.contains("ended 5 times") && why.contains("without input"),
        "{why}"
    );
    server.kill();
}
