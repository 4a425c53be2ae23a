//! Child processes: what they see, how they end, and what a call learns of it.

use serde_json::json;
use superstep::tools::mcp::{At, Command, Server};

use super::bench::{End, Ledger, approved, call, call_of, said, tools, until};

/// Whether there is such a process; one that ended and was not waited for counts.
fn exists(process: &str) -> bool {
    std::path::Path::new("/proc").join(process).exists()
}

fn is_dead(process: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat"));
    stat.map_or(true, |stat| stat.contains(") Z "))
}

async fn processes(client: &superstep::tools::mcp::Client) -> (String, String) {
    let End::Said(ids) = call(client, "fake_child", json!({})).await else {
        panic!("it says its numbers");
    };
    let (server, child) = ids.split_once(' ').unwrap();
    (server.into(), child.into())
}

#[tokio::test]
async fn dropping_the_client_ends_and_reaps_the_server_and_all_it_started() {
    let ledger = Ledger::new();
    let client = approved(ledger.reading(&[])).await;
    let (server, child) = processes(&client).await;
    assert!(exists(&server) && exists(&child));
    drop(client);
    until("the server is reaped", || !exists(&server)).await;
    until("its child is dead", || is_dead(&child)).await;
}

#[tokio::test]
async fn a_server_that_takes_the_hint_ends_by_itself() {
    let ledger = Ledger::new();
    approved(ledger.reading(&[])).await.close().await;
    assert_eq!(ledger.lines(), ["ended by itself"]);
}

#[tokio::test]
async fn close_returns_when_the_server_is_gone() {
    let ledger = Ledger::new();
    let client = approved(ledger.reading(&[])).await;
    let (server, child) = processes(&client).await;
    client.close().await;
    assert!(!exists(&server));
    until("its child is dead", || is_dead(&child)).await;
    let end = call(&client, "fake_echo", json!({"text": "again"})).await;
    assert_eq!(end, said("again"), "the next call starts it anew");
}

#[test]
fn the_end_of_the_runtime_is_the_end_of_the_server() {
    let ledger = Ledger::new();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (client, (server, child)) = runtime.block_on(async {
        let client = approved(ledger.reading(&[])).await;
        let processes = processes(&client).await;
        (client, processes)
    });
    drop(runtime);
    let second = tokio::runtime::Runtime::new().unwrap();
    second.block_on(async {
        until("the server is dead", || is_dead(&server)).await;
        until("its child is dead", || is_dead(&child)).await;
    });
    drop(client);
}

#[tokio::test]
async fn a_server_that_dies_in_a_call_leaves_its_outcome_unknown() {
    let ledger = Ledger::new();
    let client = approved(ledger.server(&[])).await;
    let end = call(&client, "fake_die", json!({})).await;
    assert!(end.unknown_with("the server has ended"), "{end:?}");
    assert_eq!(ledger.lines(), ["dies"], "it was not tried again");
    let end = call(&client, "fake_echo", json!({"text": "back"})).await;
    assert_eq!(end, said("back"), "it is started again");
}

#[tokio::test]
async fn a_call_that_reads_just_fails_when_its_server_dies() {
    let ledger = Ledger::new();
    let client = approved(ledger.reading(&[])).await;
    let end = call(&client, "fake_die", json!({})).await;
    assert!(end.failed_with("the server has ended"), "{end:?}");
}

#[tokio::test]
async fn what_was_never_written_did_not_happen() {
    let ledger = Ledger::new();
    let program = ledger.path().with_file_name("server");
    std::fs::copy(env!("CARGO_BIN_EXE_superstep-fake-mcp"), &program).unwrap();
    let mut server = ledger.server(&[]);
    if let At::Command(command) = &mut server.at {
        command.program.clone_from(&program);
    }
    let client = approved(server).await;
    let tools = tools(&client);
    client.close().await;
    std::fs::remove_file(&program).unwrap();
    let end = call_of(&tools, "fake_send", json!({"to": "a", "text": "b"})).await;
    assert!(end.failed_with("cannot be started"), "{end:?}");
    assert!(!ledger.lines().iter().any(|it| it.starts_with("send")));
}

#[tokio::test]
async fn a_server_sees_only_the_variables_it_was_given() {
    let ledger = Ledger::new();
    let mut server = ledger.reading(&[]);
    if let At::Command(command) = &mut server.at {
        command.env.insert("FAKE_TOKEN".into(), "secret".into());
        command.pass.push("CARGO_MANIFEST_DIR".into());
    }
    assert!(!format!("{server:?}").contains("secret"));
    let client = approved(server).await;
    let End::Said(names) = call(&client, "fake_env", json!({})).await else {
        panic!("it lists them");
    };
    let names: Vec<_> = names.split(' ').collect();
    assert!(names.contains(&"FAKE_TOKEN") && names.contains(&"CARGO_MANIFEST_DIR"));
    assert!(std::env::var("CARGO_PKG_NAME").is_ok());
    assert!(!names.contains(&"CARGO_PKG_NAME"), "{names:?}");
}

#[tokio::test]
async fn a_server_that_does_not_start_says_why() {
    let ledger = Ledger::new();
    let error = ledger.reading(&["broken"]).connect().await.unwrap_err();
    assert_eq!(error.code(), "SS5107");
    assert!(error.to_string().contains("no license found"), "{error}");
    let missing = Server::new("gone", Command::new("/no/such/program", [""; 0]));
    let error = missing.connect().await.unwrap_err();
    assert!(error.to_string().contains("cannot be started"), "{error}");
    let nameless = Server::new("not a name", Command::new("x", [""; 0]));
    assert_eq!(nameless.connect().await.unwrap_err().code(), "SS5101");
}
