//! A server in a process of its own, to be killed.

use std::{
    io::{BufRead as _, BufReader, Read as _},
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
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
use tokio::sync::oneshot;

/// What tells the test that it is the server: where its database is.
pub(crate) const PLACE: &str = "SUPERSTEP_TEST_KILLED_SERVER";

/// How many steps a run takes. Each takes a moment, so that a kill comes in between.
pub(crate) const STEPS: i64 = 12;

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

/// Takes some steps after a person has answered.
fn asks() -> DynGraph {
    let ask = |ctx: DynCtx| async move {
        let said = ctx.ask(json!("go on?"))?;
        Ok::<_, Halt>(json!({ "said": [said] }))
    };
    let after = |ctx: DynCtx| async move {
        let until = SystemTime::now() + Duration::from_millis(40);
        ctx.sleep_until(until).await?;
        Ok::<_, Halt>(json!({ "said": ["done"] }))
    };
    DynGraphBuilder::new()
        .name("asks")
        .reduce("said", DynReducer::Add, json!([]))
        .node("ask", ask)
        .node("after", after)
        .edge(START, "ask")
        .edge("ask", "after")
        .build()
        .unwrap()
}

/// The server, when the test runs in a process of its own.
pub(crate) async fn serve(place: &str) {
    let database = Database::open(place).unwrap();
    let backends = Backends {
        store: Some(Arc::new(database.store())),
        ..Backends::on(database.saver())
    };
    let server = Server::on(backends)
        .dynamic("steps", &steps(), Schemas::default())
        .dynamic("asks", &asks(), Schemas::default());
    let server = server.bind("127.0.0.1:0").await.unwrap();
    println!("listens on {}", server.address());
    // It stops when its parent closes the pipe.
    let (closed, stop) = oneshot::channel();
    std::thread::spawn(move || {
        let _end = std::io::stdin().read_to_end(&mut Vec::new());
        closed.send(())
    });
    let stop = async {
        let _closed = stop.await;
    };
    server.serve(stop).await.unwrap();
    // The harness would write to a pipe that nobody reads.
    std::process::exit(0);
}

/// A server in a process of its own.
pub(crate) struct Process {
    pub(crate) child: Child,
    /// It stops when this is closed; a child that is waited for has no pipe any more.
    pub(crate) pipe: Option<ChildStdin>,
    client: Client,
    address: String,
}

impl Process {
    pub(crate) fn start(place: &Path) -> Self {
        let name = "killed::a_killed_server_loses_no_run_that_it_accepted";
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([name, "--exact", "--nocapture"])
            .env(PLACE, place)
            .stdin(Stdio::piped())
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
            pipe: child.stdin.take(),
            address: addresses.next().unwrap(),
            client: Client::new(&Settings::default()).unwrap(),
            child,
        }
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let url = Url::parse(&format!("http://{}{path}", self.address)).unwrap();
        self.client.request(method, url)
    }

    /// The status and the body of an answer.
    pub(crate) async fn answer(&self, request: RequestBuilder) -> (u16, Vec<u8>) {
        let response = self.client.send(request).await.unwrap();
        let status = response.status().as_u16();
        (status, response.read(1 << 24).await.unwrap())
    }

    pub(crate) async fn call(&self, method: Method, path: &str, body: Json) -> Json {
        let request = self.request(method, path).body(body.to_string());
        let (status, body) = self.answer(request).await;
        let text = String::from_utf8_lossy(&body);
        assert_eq!(status, 200, "{path}: {text}");
        serde_json::from_slice(&body).unwrap()
    }

    /// Reads events of a stream until there are enough, or until it ends: their ids, names and data.
    pub(crate) async fn events(
        &self,
        request: RequestBuilder,
        most: usize,
    ) -> Vec<(String, String, Json)> {
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
                if let (Some(name), Some(data)) = (field("event: "), field("data: ")) {
                    let id = field("id: ").unwrap_or_default();
                    events.push((id, name, serde_json::from_str(&data).unwrap()));
                }
                text = rest.to_owned();
            }
        }
        events
    }

    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}
