//! The server is killed in every state that a run can be in: waiting for its turn under each strategy, under way, asking, being
//! answered, on a thread of its own, by a schedule, with a webhook. Whatever it accepted comes to its end with the next one.
//!
//! When it is killed is drawn from a seed: `SUPERSTEP_TEST_SEED` repeats a run, and every failure names its seed.

use std::{
    path::Path,
    time::{Duration, Instant, SystemTime},
};

use serde_json::{Value as Json, json};
use superstep::{
    http::Method,
    sqlite::Database,
    store::{Namespace, PutOptions, Store as _, TtlOnRead},
};
use superstep_loopback::{Answer, Server as Hook};
use tempfile::TempDir;

use crate::victim::{Process, STEPS};

/// What a server may take to do something by itself. A test that passes waits for much less.
const PATIENCE: Duration = Duration::from_secs(60);

/// Numbers that follow from a seed.
struct Draw(u64);

impl Draw {
    fn new() -> Self {
        let given = std::env::var("SUPERSTEP_TEST_SEED").ok();
        let given = given.and_then(|seed| seed.parse().ok());
        let now = || {
            let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
            since.unwrap().as_nanos() as u64
        };
        Self(given.unwrap_or_else(now))
    }

    /// A number below another one.
    fn below(&mut self, end: usize) -> usize {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) as usize % end
    }
}

/// A place for a database, and a server on it.
struct Place {
    folder: TempDir,
    server: Option<Process>,
}

impl Place {
    fn new() -> Self {
        let mut place = Self {
            folder: tempfile::tempdir().unwrap(),
            server: None,
        };
        place.server = Some(Process::start(&place.database()));
        place
    }

    fn database(&self) -> std::path::PathBuf {
        self.folder.path().join("threads.db")
    }

    fn server(&self) -> &Process {
        self.server.as_ref().unwrap()
    }

    /// Kills the server; `then` happens while there is none.
    async fn kill(&mut self, then: impl AsyncFnOnce(&Path)) {
        self.server.take().unwrap().kill();
        then(&self.database()).await;
        self.server = Some(Process::start(&self.database()));
    }

    async fn thread(&self) -> String {
        let made = self.server().call(Method::POST, "/threads", json!({}));
        made.await["thread_id"].as_str().unwrap().to_owned()
    }

    async fn get(&self, path: &str) -> Json {
        self.server().call(Method::GET, path, json!({})).await
    }

    async fn post(&self, path: &str, body: Json) -> Json {
        self.server().call(Method::POST, path, body).await
    }

    /// The status of an answer, whatever its body.
    async fn status(&self, method: Method, path: &str, body: Json) -> u16 {
        let server = self.server();
        let request = server.request(method, path).body(body.to_string());
        server.answer(request).await.0
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(server) = self.server.take() {
            server.kill();
        }
    }
}

fn id(run: &Json) -> String {
    run["run_id"].as_str().unwrap().to_owned()
}

fn steps() -> Json {
    json!({
        "assistant_id": "steps",
        "input": { "n": 0 },
        "stream_mode": ["values"],
        "stream_resumable": true,
    })
}

fn all_steps() -> Vec<i64> {
    (1..=STEPS).collect()
}

/// Asks until there is an answer: the server has no event for what it does by itself.
async fn until<T>(mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = ask().await {
            return found;
        }
        assert!(Instant::now() < end, "it does not happen");
    }
}

#[tokio::test]
async fn a_second_run_of_each_strategy_comes_to_its_end_after_a_kill() {
    let mut draw = Draw::new();
    for strategy in ["enqueue", "interrupt", "reject", "rollback"] {
        let seed = draw.0;
        let mut place = Place::new();
        let thread = place.thread().await;
        let runs = format!("/threads/{thread}/runs");
        let stream = place
            .server()
            .request(Method::POST, &format!("{runs}/stream"));
        let enough = 2 + draw.below(6);
        let stream = stream.body(steps().to_string());
        let seen = place.server().events(stream, enough).await;
        let first = seen[0].2["run_id"].as_str().unwrap().to_owned();
        let mut body = steps();
        body["multitask_strategy"] = json!(strategy);
        let about = format!("{strategy}, seed {seed}");
        let second = match strategy {
            "reject" => {
                assert_eq!(
                    place.status(Method::POST, &runs, body).await,
                    409,
                    "{about}"
                );
                None
            }
            _ => Some(id(&place.post(&runs, body).await)),
        };
        place.kill(async |_| ()).await;
        let last = second.as_ref().unwrap_or(&first);
        let end = place.get(&format!("{runs}/{last}/join")).await;
        let log: Vec<i64> = serde_json::from_value(end["log"].clone()).unwrap();
        let ran = place.get(&format!("{runs}/{last}")).await;
        assert_eq!(ran["status"], "success", "{about}: {ran}");
        let before = format!("{runs}/{first}");
        match strategy {
            "enqueue" => {
                assert_eq!(log, [all_steps(), all_steps()].concat(), "{about}");
                assert_eq!(place.get(&before).await["status"], "success", "{about}");
            }
            "interrupt" => {
                // What the first had stored stays, and the second begins anew on it.
                let kept = log.len() - all_steps().len();
                let (kept, own) = log.split_at(kept);
                assert_eq!(own, all_steps(), "{about}: {log:?}");
                assert!(all_steps().starts_with(kept), "{about}: {log:?}");
                assert_eq!(place.get(&before).await["status"], "interrupted", "{about}");
            }
            "reject" => assert_eq!(log, all_steps(), "{about}"),
            _ => {
                assert_eq!(log, all_steps(), "{about}");
                let gone = place.status(Method::GET, &before, json!({})).await;
                assert_eq!(gone, 404, "{about}");
            }
        }
    }
}

#[tokio::test]
async fn a_reader_goes_on_after_each_event_that_it_may_have_had() {
    let mut draw = Draw::new();
    let seed = draw.0;
    let mut place = Place::new();
    let thread = place.thread().await;
    let runs = format!("/threads/{thread}/runs");
    let stream = place
        .server()
        .request(Method::POST, &format!("{runs}/stream"));
    let stream = stream.body(steps().to_string());
    let mut seen = place.server().events(stream, 2).await;
    let run = seen[0].2["run_id"].as_str().unwrap().to_owned();
    let path = format!("{runs}/{run}/stream");
    for _ in 0..3 {
        place.kill(async |_| ()).await;
        let last = seen.last().unwrap().0.clone();
        let stream = place.server().request(Method::GET, &path);
        let stream = stream.header("last-event-id", &last);
        let more = place.server().events(stream, 1 + draw.below(3)).await;
        seen.extend(more);
    }
    let last = seen.last().unwrap().0.clone();
    let stream = place.server().request(Method::GET, &path);
    let stream = stream.header("last-event-id", &last);
    seen.extend(place.server().events(stream, usize::MAX).await);
    let mut ids: Vec<&String> = seen.iter().map(|(id, ..)| id).collect();
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), count, "an event came twice, seed {seed}");
    let values = seen.iter().filter(|(_, name, _)| name == "values");
    let mut values: Vec<i64> = values.filter_map(|(.., data)| data["n"].as_i64()).collect();
    values.dedup();
    assert_eq!(values, (0..=STEPS).collect::<Vec<_>>(), "seed {seed}");
    // The events of the thread have their own order, and a reader of those goes on too.
    let path = format!("/threads/{thread}/stream/events");
    let wanted = json!({"channels": ["values"], "since": 0}).to_string();
    let all = place.server().request(Method::POST, &path).body(wanted);
    let all = place.server().events(all, 6).await;
    let since: u64 = all[draw.below(all.len() - 1)].0.parse().unwrap();
    place.kill(async |_| ()).await;
    let wanted = json!({"channels": ["values"], "since": since}).to_string();
    let rest = place.server().request(Method::POST, &path).body(wanted);
    let left = all
        .iter()
        .filter(|(id, ..)| id.parse::<u64>().unwrap() > since);
    let left: Vec<_> = left.cloned().collect();
    let rest = place.server().events(rest, left.len()).await;
    assert_eq!(rest, left, "seed {seed}");
}

#[tokio::test]
async fn a_question_stays_open_over_a_kill_and_an_answer_that_was_accepted_is_taken() {
    let mut place = Place::new();
    let thread = place.thread().await;
    let runs = format!("/threads/{thread}/runs");
    let run = json!({"assistant_id": "asks", "input": {"said": []}});
    let asked = place.post(&format!("{runs}/wait"), run).await;
    let ask = asked["__interrupt__"][0]["id"].as_str().unwrap().to_owned();
    place.kill(async |_| ()).await;
    let shown = place.get(&format!("/threads/{thread}")).await;
    assert_eq!(shown["status"], "interrupted", "{shown}");
    assert!(shown["interrupts"].to_string().contains(&ask), "{shown}");
    // By id, and bare: both are of the question that was seen.
    for (n, answer) in [json!({ &ask: "yes" }), json!("again")]
        .into_iter()
        .enumerate()
    {
        let resume = json!({"assistant_id": "asks", "command": {"resume": answer}});
        let run = id(&place.post(&runs, resume).await);
        place.kill(async |_| ()).await;
        let end = place.get(&format!("{runs}/{run}/join")).await;
        let said: Vec<Json> = serde_json::from_value(end["said"].clone()).unwrap();
        assert_eq!(said.len(), 2 * (n + 1), "once each: {end}");
        assert_eq!(said.last(), Some(&json!("done")), "{end}");
        let again = json!({"assistant_id": "asks", "input": {"said": []}});
        place.post(&format!("{runs}/wait"), again).await;
    }
}

#[tokio::test]
async fn a_run_whose_time_has_not_come_and_one_without_a_thread_come_to_their_ends() {
    let mut place = Place::new();
    let thread = place.thread().await;
    let runs = format!("/threads/{thread}/runs");
    let mut later = steps();
    later["after_seconds"] = json!(1);
    let later = id(&place.post(&runs, later).await);
    let alone = place.post("/runs", steps()).await;
    let own = alone["thread_id"].as_str().unwrap().to_owned();
    place.kill(async |_| ()).await;
    let end = place.get(&format!("{runs}/{later}/join")).await;
    assert_eq!(end["log"], json!(all_steps()), "{end}");
    // Its thread goes with it, which is what is left to see.
    let path = format!("/threads/{own}");
    until(async || (place.status(Method::GET, &path, json!({})).await == 404).then_some(())).await;
}

#[tokio::test]
async fn a_schedule_that_was_due_while_no_server_ran_starts_one_run() {
    let mut place = Place::new();
    let thread = place.thread().await;
    let runs = format!("/threads/{thread}/runs");
    let mut body = steps();
    body["schedule"] = json!("0 0 1 1 *");
    let cron = place.post(&format!("{runs}/crons"), body).await;
    let cron = cron["cron_id"].as_str().unwrap().to_owned();
    place
        .kill(async |database| {
            let store = Database::open(database).unwrap().store();
            let space = Namespace::new(["runs", "crons"]).unwrap();
            let found = store.get(&space, &cron, TtlOnRead::Keep).await.unwrap();
            let mut value = found.unwrap().value;
            value["next"] = json!(1);
            let put = store.put(&space, &cron, value, PutOptions::default());
            put.await.unwrap();
        })
        .await;
    let run = until(async || {
        let all = place.get(&runs).await;
        all.as_array().unwrap().first().map(id)
    })
    .await;
    // Killed again while it runs: it is the same run that comes to its end, and no other is started.
    place.kill(async |_| ()).await;
    let end = place.get(&format!("{runs}/{run}/join")).await;
    assert_eq!(end["log"], json!(all_steps()), "{end}");
    assert_eq!(place.get(&runs).await.as_array().unwrap().len(), 1);
    let next = place.get(&format!("/runs/crons/{cron}")).await;
    assert!(next["next_run_date"].as_str().unwrap() > "2026", "{next}");
}

#[tokio::test]
async fn a_webhook_is_called_for_a_run_whose_server_was_killed() {
    let hook = Hook::with(|_| Answer::status(200, &[], "")).await.unwrap();
    let mut place = Place::new();
    let thread = place.thread().await;
    let runs = format!("/threads/{thread}/runs");
    let mut body = steps();
    body["webhook"] = json!(format!("{}/ended", hook.address()));
    let run = id(&place.post(&runs, body).await);
    place.kill(async |_| ()).await;
    let called = tokio::time::timeout(PATIENCE, hook.asked(1)).await;
    called.expect("the hook is called");
    let told = &hook.requests()[0];
    assert_eq!((&*told.method, &*told.path), ("POST", "/ended"));
    assert_eq!(told.body["run_id"], json!(run));
    assert_eq!(told.body["status"], "success", "{}", told.body);
    assert_eq!(told.body["values"]["log"], json!(all_steps()));
}
