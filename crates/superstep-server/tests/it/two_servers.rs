//! Two servers on one database file: whichever executes a run, the other one's clients and hooks are told, once.

use std::{sync::Arc, time::Duration};

use serde_json::{Value as Json, json};
use superstep::{
    Backends, Drain, RunOptions,
    dynamic::Worker,
    http::{Client, Method, Settings, Url},
    sqlite::Database,
    store::{Namespace, PutOptions, TtlOnRead},
};
use superstep_loopback::{Answer, Server as Hook};
use superstep_server::Role;
use tokio::sync::oneshot;

use crate::{
    client::Running,
    graphs::{memory, one, server},
    victim::{Process, STEPS},
};

/// Backends with a handle of their own on a file, as another process has them.
fn backends(place: &std::path::Path) -> Backends {
    let database = Database::open(place).unwrap();
    Backends {
        store: Some(Arc::new(database.store())),
        blobs: Some(Arc::new(database.blobs())),
        ..Backends::on(database.saver())
    }
}

async fn pair(place: &std::path::Path) -> [Running; 2] {
    let first = Running::start(server(backends(place))).await;
    [first, Running::start(server(backends(place))).await]
}

#[tokio::test]
async fn a_file_that_one_server_took_is_served_and_removed_by_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = pair(&folder.path().join("threads.db")).await;
    let upload = first.request(Method::POST, "/files?name=a.txt").body("abc");
    let kept = first.send(upload).await.ok();
    let place = format!("/files/{}", kept["file_id"].as_str().unwrap());
    assert_eq!(second.get(&place).await.ok(), "abc");
    let found = second.post("/files/search", json!({})).await.ok();
    assert_eq!(found, json!([kept]));
    let removed = second.call(Method::DELETE, &place, json!({})).await;
    assert_eq!(removed.status, 204);
    assert_eq!(first.get(&place).await.status, 404);
}

#[tokio::test]
async fn two_servers_on_one_file_answer_every_wait_and_call_each_webhook_once() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("threads.db");
    let hook = Hook::with(|_| Answer::status(200, &[], "")).await.unwrap();
    let servers = pair(&place).await;
    let waits = (0..120).map(|n| {
        let body = json!({"assistant_id": "one", "input": {"x": n}});
        servers[0].post("/runs/wait", body)
    });
    for (n, reply) in futures(waits).await.into_iter().enumerate() {
        assert_eq!(reply.ok(), json!({"x": n + 1}));
    }
    let address = format!("{}/ended", hook.address());
    for n in 0..8 {
        let body = json!({"assistant_id": "one", "input": {"x": n}, "webhook": address});
        servers[n % 2].post("/runs", body).await.ok();
    }
    hook.asked(8).await;
    // Their threads go after the hook was called.
    for server in &servers {
        while server.post("/threads/count", json!({})).await.ok() != 0 {
            tokio::task::yield_now().await;
        }
    }
    let mut told: Vec<Json> = hook
        .requests()
        .iter()
        .map(|request| request.body["run_id"].clone())
        .collect();
    assert_eq!(told.len(), 8);
    told.sort_by_key(Json::to_string);
    told.dedup();
    assert_eq!(told.len(), 8, "each once");
}

/// Waits for all at once.
async fn futures<T>(all: impl Iterator<Item = impl Future<Output = T>>) -> Vec<T> {
    let mut all: Vec<_> = all.map(Box::pin).collect();
    let mut done: Vec<Option<T>> = all.iter().map(|_| None).collect();
    std::future::poll_fn(|context| {
        for (one, done) in all.iter_mut().zip(&mut done) {
            if done.is_none()
                && let std::task::Poll::Ready(value) = one.as_mut().poll(context)
            {
                *done = Some(value);
            }
        }
        match done.iter().all(Option::is_some) {
            true => std::task::Poll::Ready(()),
            false => std::task::Poll::Pending,
        }
    })
    .await;
    done.into_iter().flatten().collect()
}

#[tokio::test]
async fn a_process_that_only_answers_requests_leaves_webhooks_to_another() {
    let backends = memory();
    let hook = Hook::with(|_| Answer::status(200, &[], "")).await.unwrap();
    let address = format!("{}/ended", hook.address());
    let only = server(backends.clone()).role(Role::Api);
    let bound = only.bind("127.0.0.1:0").await.unwrap();
    let url = Url::parse(&format!("http://{}/runs/wait", bound.address())).unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let served = tokio::spawn(bound.serve(async {
        let _ended = stopped.await;
    }));
    let body = json!({"assistant_id": "one", "input": {"x": 1}, "webhook": address});
    let client = Client::new(&Settings::default()).unwrap();
    let wait = client.send(client.post(url).body(body.to_string()));
    let graph = one().with_backends(backends.clone());
    let worker = Worker::named([(Arc::from("one"), graph)], RunOptions::default()).unwrap();
    let (worker, drain) = (Arc::new(worker), Drain::default());
    let end = tokio::select! {
        reply = async { wait.await.unwrap().read(1 << 20).await.unwrap() } => reply,
        worked = worker.run(&drain, |_| {}) => panic!("{worked:?}"),
    };
    assert_eq!(
        serde_json::from_slice::<Json>(&end).unwrap(),
        json!({"x": 2})
    );
    stop.send(()).unwrap();
    // It has given back by then what it claimed.
    served.await.unwrap().unwrap();
    assert!(hook.requests().is_empty());
    let _other = Running::start(server(backends)).await;
    hook.asked(1).await;
}

#[tokio::test]
async fn two_servers_start_one_run_for_each_time_of_a_schedule() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("threads.db");
    let [first, second] = pair(&place).await;
    let thread = first.post("/threads", json!({})).await.ok();
    let path = format!("/threads/{}", thread["thread_id"].as_str().unwrap());
    let body = json!({"assistant_id": "one", "input": {"x": 1}, "schedule": "0 0 1 1 *"});
    let (place_of_crons, mut crons) = (format!("{path}/runs/crons"), Vec::new());
    for _ in 0..8 {
        let made = first.post(&place_of_crons, body.clone()).await.ok();
        crons.push(made["cron_id"].as_str().unwrap().to_owned());
    }
    let store = Database::open(&place).unwrap().store();
    let space = Namespace::new(["runs", "crons"]).unwrap();
    for cron in &crons {
        let found = superstep::store::Store::get(&store, &space, cron, TtlOnRead::Keep);
        let mut value = found.await.unwrap().unwrap().value;
        value["next"] = json!(1);
        let put = superstep::store::Store::put(&store, &space, cron, value, PutOptions::default());
        put.await.unwrap();
    }
    // What is made makes a server look.
    for server in [&first, &second] {
        server.post("/runs/crons", body.clone()).await.ok();
    }
    for (n, cron) in crons.iter().enumerate() {
        let server = [&first, &second][n % 2];
        while server.get(&format!("/runs/crons/{cron}")).await.ok()["next_run_date"]
            .as_str()
            .is_none_or(|next| next < "2000")
        {
            tokio::task::yield_now().await;
        }
    }
    let runs = second.get(&format!("{path}/runs?limit=100")).await.ok();
    assert_eq!(runs.as_array().unwrap().len(), 8, "{runs}");
}

#[tokio::test]
async fn a_client_gets_the_values_of_a_run_that_another_process_executes() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("threads.db");
    let hook = Hook::with(|_| Answer::status(200, &[], "")).await.unwrap();
    let [first, second] = [(); 2].map(|()| Process::start(&place));
    let address = format!("{}/ended", hook.address());
    let body = json!({"assistant_id": "steps", "input": {"n": 0}, "webhook": address});
    let all: Vec<i64> = (1..=STEPS).collect();
    let waits = (0..12).map(|n| {
        let server = [&first, &second][n % 2];
        server.call(Method::POST, "/runs/wait", body.clone())
    });
    for end in futures(waits).await {
        assert_eq!(end["log"], json!(all), "{end}");
    }
    let called = tokio::time::timeout(Duration::from_secs(60), hook.asked(12)).await;
    called.expect("each hook is called");
    for server in [first, second] {
        while server.call(Method::POST, "/threads/count", json!({})).await != json!(0) {
            tokio::task::yield_now().await;
        }
        server.kill();
    }
    assert_eq!(hook.requests().len(), 12, "each once");
}
