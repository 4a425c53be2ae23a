//! The server is killed while runs continue and wait: what it accepted is finished by the next one, and streams
//! continue from where their clients were.

use std::{
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    sync::Arc,
    time::{Duration, SystemTime},
};

use serde_json::{Value as Json, json};
use superstep::{
    Backends, Schemas,
    dynamic::{DynCtx, DynGraph, DynGraphBuilder, DynReducer, Halt, START},
    http::{Client, Method, RequestBuilder, Settings, Url},
    sqlite::Database,
};
use superstep_server::Server;

/// What tells the test that it is the server: where its database is.
const PLACE: &str = "SUPERSTEP_TEST_KILLED_SERVER";

/// How many steps a run takes. Each takes a moment, so that a kill comes in between.
const STEPS: i64 = 12;

fn steps() -> DynGraph {
    let step = |ctx: DynCtx| async move {
        let n: i64 = ctx.get("n").as_i64().unwrap_or_default() + 1;
        if n < 0 {
            std::process::abort();
        }
        let until = SystemTime::now() + Duration::from_millis(40);
        ctx.sleep_until(until).await?;
        Ok::<_, Halt>(json!({ "n": n, "log": [n] }))
    };
    DynGraphBuilder::new()
        .last_value("n")
        .reduce("log", DynReducer::Add, json!([]))
        .node("step", step)
        .edge(START, "step")
        .route_map(
            "step",
            [("step", "step"), ("__end__", "__end__")],
            |state| {
                let n = state.get("n")?.as_i64().unwrap_or_default();
                Ok::<_, superstep::Failure>(if n < STEPS { "step" } else { "__end__" })
            },
        )
        .build()
        .unwrap()
}

/// The server, when the test runs in a process of its own.
async fn serve(place: &str) {
    let database = Database::open(place).unwrap();
    let backends = Backends {
        store: Some(Arc::new(database.store())),
        ..Backends::on(database.saver())
    };
    let server = Server::on(backends).dynamic("steps", &steps(), Schemas::default());
    let server = server.bind("127.0.0.1:0").await.unwrap();
    println!("listens on {}", server.address());
    server.serve(std::future::pending()).await.unwrap();
}

/// A server in a process of its own.
struct Process {
    child: Child,
    client: Client,
    address: String,
}

impl Process {
    fn start(place: &Path) -> Self {
        let name = "killed::a_killed_server_loses_no_run_that_it_accepted";
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([name, "--exact", "--nocapture"])
            .env(PLACE, place)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut addresses = lines.filter_map(|line| {
            let line = line.unwrap();
            let (_, address) = line.split_once("listens on ")?;
            Some(address.to_owned())
        });
        Self {
            address: addresses.next().unwrap(),
            client: Client::new(&Settings::default()).unwrap(),
            child,
        }
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let url = Url::parse(&format!("http://{}{path}", self.address)).unwrap();
        self.client.request(method, url)
    }

    async fn call(&self, method: Method, path: &str, body: Json) -> Json {
        let request = self.request(method, path).body(body.to_string());
        let response = self.client.send(request).await.unwrap();
        assert_eq!(response.status().as_u16(), 200, "{path}");
        let body = response.read(1 << 24).await.unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    /// Reads events of a stream until there are enough, or until it ends: their ids, names and data.
    async fn events(&self, request: RequestBuilder, most: usize) -> Vec<(String, String, Json)> {
        let mut response = self.client.send(request).await.unwrap();
        let (mut text, mut events) = (String::new(), Vec::new());
        while events.len() < most {
            let Some(chunk) = response.chunk().await.unwrap() else {
                break;
            };
            text.push_str(std::str::from_utf8(&chunk).unwrap());
            while let Some((event, rest)) = text.clone().split_once("\r\n\r\n") {
                let field = |name: &str| {
                    let mut lines = event.lines();
                    lines.find_map(|line| Some(line.strip_prefix(name)?.to_owned()))
                };
                if let (Some(id), Some(name), Some(data)) =
                    (field("id: "), field("event: "), field("data: "))
                {
                    events.push((id, name, serde_json::from_str(&data).unwrap()));
                }
                text = rest.to_owned();
            }
        }
        events
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

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
