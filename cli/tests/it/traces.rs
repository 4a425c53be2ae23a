//! Traces of threads in a database.

use std::sync::Arc;

use serde_json::json;
use superstep::{
    Backends, Modes, RunOptions,
    dynamic::{DynCtx, DynGraphBuilder, DynReducer, Halt, START},
    sqlite::Database,
};
use superstep_loopback::{Answer, Server};

use crate::env::TestEnv;

/// A database with a thread whose run says something for the terminal.
fn database(env: &TestEnv) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let path = env.path("home/.local/share/superstep/superstep.db");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let saver = Arc::new(Database::open(path).unwrap().saver());
        for thread in ["one", "two"] {
            let said = format!("hi\u{1b}]0;title\u{7}\u{202e}, a word of {thread}");
            let graph = DynGraphBuilder::new()
                .name("talk")
                .reduce("said", DynReducer::Add, json!([]))
                .backends(Backends {
                    saver: Some(saver.clone()),
                    ..Backends::default()
                })
                .node("speak", move |_: DynCtx| {
                    let said = said.clone();
                    async move { Ok::<_, Halt>(json!({"said": [said]})) }
                })
                .edge(START, "speak")
                .build()
                .unwrap();
            let options = RunOptions {
                log: Modes::TRACE,
                ..RunOptions::on(thread)
            };
            graph.invoke(json!({"said": []}), &options).await.unwrap();
        }
    });
}

#[test]
fn looking_makes_no_database() {
    let env = TestEnv::new();
    let ran = env.run("trace list");
    ran.is_like("trace-no-database");
    assert!(!env.path("home/.local").exists());
    assert_eq!(env.run("trace list --db other.db").code, 1);
}

#[test]
fn threads_and_their_runs_are_listed_shown_and_exported() {
    let env = TestEnv::new();
    database(&env);
    let list = env.run("trace list");
    list.is_like("trace-list");
    let runs = env.run("trace list one --json");
    let tree: serde_json::Value = serde_json::from_str(&runs.stdout).unwrap();
    assert_eq!(tree["schema"], "superstep.trace/1");
    let shown = env.run("trace show one --content 80");
    assert!(shown.stdout.contains("speak"), "{}", shown.stdout);
    assert!(shown.stdout.contains("hi"), "{}", shown.stdout);
    let exported = env.run("trace export two --format otlp");
    let request: serde_json::Value = serde_json::from_str(&exported.stdout).unwrap();
    assert!(request["resourceSpans"].is_array());
    let hidden = env.run("trace export two --no-content");
    assert!(!hidden.stdout.contains("\"hi"), "{}", hidden.stdout);
    for ran in [list, runs, shown, exported] {
        assert!(
            !ran.stdout.contains(['\x1b', '\u{7}', '\u{202e}']),
            "{}",
            ran.stdout
        );
    }
}

#[test]
fn a_damaged_log_is_named_beside_the_runs_of_the_other_threads() {
    let env = TestEnv::new();
    database(&env);
    // What is in the log of the database moves into it first.
    assert_eq!(env.run("db compact").code, 0);
    let path = env.path("home/.local/share/superstep/superstep.db");
    let mut bytes = std::fs::read(&path).unwrap();
    let word = b"a word of one";
    let mut places = Vec::new();
    for (at, part) in bytes.windows(word.len()).enumerate() {
        if part == word {
            places.push(at);
        }
    }
    assert!(!places.is_empty());
    for at in places {
        bytes[at] = b'A';
    }
    std::fs::write(&path, bytes).unwrap();
    let ran = env.run("trace list");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines.len(), 3, "{}", ran.stdout);
    assert!(lines[0].starts_with("THREAD"), "{}", ran.stdout);
    for (line, name, told) in [(lines[1], "one", "[SS2005]"), (lines[2], "two", "done")] {
        assert!(line.starts_with(name) && line.contains(told), "{line}");
    }
    let listed = env.run("trace list --json").events();
    assert_eq!(listed[0]["error"]["code"], "SS2005", "{listed:?}");
    assert_eq!(listed[1]["status"], "done", "{listed:?}");
    let ran = env.run("trace show one");
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    assert!(ran.stderr.contains("SS2005"), "{}", ran.stderr);
    assert_eq!(env.run("trace show two").code, 0);
}

#[test]
fn what_is_not_there_is_said() {
    let env = TestEnv::new();
    database(&env);
    env.run("trace show three").is_like("trace-no-thread");
    env.run("trace show one --run 99").is_like("trace-no-run");
}

/// A collector that answers every request with a status.
fn collector(status: u16) -> (Server, String) {
    let server = Server::on_thread(move |_| Answer::status(status, &[], "")).unwrap();
    let address = format!("{}/v1/traces", server.address());
    (server, address)
}

#[test]
fn runs_are_sent_to_a_collector() {
    let env = TestEnv::new();
    database(&env);
    let (server, address) = collector(200);
    let ran = env.run(&format!("trace export one --to {address} --json"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(report["sent"], 1);
    let body = &server.requests()[0].bytes;
    let has = |text: &str| body.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(
        has("invoke_agent talk") || has("talk"),
        "the graph is in it"
    );
    assert!(has("speak"), "the node is in it");
}

#[test]
fn a_collector_that_refuses_is_told_and_ends_with_a_failure() {
    let env = TestEnv::new();
    database(&env);
    let (_server, address) = collector(401);
    let ran = env.run(&format!("trace export one --to {address}"));
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("did not arrive"), "{}", ran.stderr);
    let ran = env.run("trace export one --to nowhere");
    assert_eq!(ran.code, 2, "{}", ran.stderr);
}
