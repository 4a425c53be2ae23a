//! Runs whose client waits for the end, or reads along.

use serde_json::{Value as Json, json};
use superstep::{Backends, RunStatus, Schemas, ThreadId, http::Method};

use crate::{
    client::Running,
    graphs::{Gate, chat, gate, memory, server},
    sse::Events,
};

const ID: &str = "44444444-4444-4444-8444-444444444444";

fn at(rest: &str) -> String {
    format!("/threads/{ID}{rest}")
}

/// A server with a thread, and with a gate if one is given.
async fn started(backends: Backends, shut: Option<&std::sync::Arc<Gate>>) -> Running {
    let mut server = server(backends).dynamic("chat", &chat(), Schemas::default());
    if let Some(shut) = shut {
        server = server.dynamic("gate", &gate(shut), Schemas::default());
    }
    let server = Running::start(server).await;
    server.post("/threads", json!({"thread_id": ID})).await.ok();
    server
}

async fn wait(server: &Running, body: Json) -> Json {
    server.post(&at("/runs/wait"), body).await.ok()
}

async fn stream(server: &Running, body: Json) -> Vec<(String, Json)> {
    let request = server.request(Method::POST, &at("/runs/stream"));
    Events::open(server, request.body(body.to_string()))
        .await
        .rest()
        .await
}

#[tokio::test]
async fn a_run_is_waited_for_and_leaves_its_graph_with_the_thread() {
    let server = started(memory(), None).await;
    let body = json!({"assistant_id": "one", "input": {"x": 1}});
    let reply = server.post(&at("/runs/wait"), body).await;
    let place = reply.header("content-location").unwrap();
    assert!(place.starts_with(&at("/runs/")), "{place}");
    assert_eq!(reply.ok(), json!({"x": 2}));
    let thread = server.get(&at("")).await.ok();
    assert_eq!(thread["values"], json!({"x": 2}));
    assert_eq!(thread["status"], "idle");
    let assistant = "39a68923-35d8-56bc-9761-3a809a9e6a7f";
    assert_eq!(
        thread["metadata"],
        json!({"graph_id": "one", "assistant_id": assistant})
    );
    // The assistant can be named by its id, and the thread remembers.
    let again = wait(
        &server,
        json!({"assistant_id": assistant, "input": {"x": 5}}),
    )
    .await;
    assert_eq!(again, json!({"x": 6}));
}

#[tokio::test]
async fn a_run_that_asks_is_answered_by_the_next_one() {
    let server = started(memory(), None).await;
    let asked = wait(
        &server,
        json!({"assistant_id": "hitl", "input": {"topic": "rust"}}),
    )
    .await;
    assert_eq!(asked["draft"], "Draft about rust");
    let question = &asked["__interrupt__"][0];
    assert_eq!(question["value"], json!({"draft": "Draft about rust"}));
    let keys: Vec<&String> = question.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["value", "id", "response_schema"]);
    // Nothing new: it asks again.
    let again = wait(&server, json!({"assistant_id": "hitl", "input": null})).await;
    assert_eq!(again["__interrupt__"][0]["id"], question["id"]);
    // As a page does it: with the newest checkpoint, and with what its library adds.
    let state = server.get(&at("/state")).await.ok();
    let command = json!({"lg_name": "Command", "resume": {(question["id"].as_str().unwrap()): true}, "goto": []});
    let checkpoint = json!({"checkpoint_id": state["checkpoint_id"], "checkpoint_ns": ""});
    let body = json!({"assistant_id": "hitl", "command": command, "checkpoint": checkpoint});
    let done = wait(&server, body).await;
    assert_eq!(done["log"], json!(["written", "published: true"]));
    assert_eq!(done.get("__interrupt__"), None);
    assert_eq!(server.get(&at("")).await.ok()["status"], "idle");
}

#[tokio::test]
async fn a_stream_shows_values_and_updates_as_they_come() {
    let server = started(memory(), None).await;
    let modes = json!(["values", "updates"]);
    let body = json!({"assistant_id": "hitl", "input": {"topic": "rust"}, "stream_mode": modes});
    let events = stream(&server, body).await;
    let names: Vec<&str> = events.iter().map(|(name, _)| &**name).collect();
    let expected = [
        "metadata", "values", "updates", "values", "updates", "values",
    ];
    assert_eq!(names, expected, "{events:?}");
    assert_eq!(events[0].1["attempt"], 1);
    assert_eq!(events[1].1["topic"], "rust");
    assert_eq!(events[2].1["write"]["draft"], "Draft about rust");
    let asked = &events[4].1["__interrupt__"];
    assert_eq!(asked[0]["value"], json!({"draft": "Draft about rust"}));
    assert_eq!(events[5].1["__interrupt__"], *asked);

    let body =
        json!({"assistant_id": "hitl", "command": {"resume": false}, "stream_mode": "updates"});
    let events = stream(&server, body).await;
    assert_eq!(events.len(), 2, "{events:?}");
    assert_eq!(
        events[1].1,
        json!({"review": {"log": ["published: false"]}})
    );
}

#[tokio::test]
async fn a_stream_has_the_headers_that_clients_and_proxies_look_at() {
    let server = started(memory(), None).await;
    let body = json!({"assistant_id": "one", "input": {"x": 1}});
    let request = server.request(Method::POST, &at("/runs/stream"));
    let events = Events::open(&server, request.body(body.to_string())).await;
    let headers = events.response.headers().clone();
    let header = |name: &str| headers.get(name).map(|value| value.to_str().unwrap());
    assert_eq!(
        header("content-type"),
        Some("text/event-stream; charset=utf-8")
    );
    assert_eq!(header("cache-control"), Some("no-store"));
    assert_eq!(header("x-accel-buffering"), Some("no"));
    let place = header("content-location").unwrap().to_owned();
    let all = events.rest().await;
    let run = all[0].1["run_id"].as_str().unwrap();
    assert_eq!(place, at(&format!("/runs/{run}")));
    let values: Vec<&Json> = all[1..].iter().map(|(_, data)| data).collect();
    assert_eq!(values, [&json!({"x": 1}), &json!({"x": 2})]);
}

#[tokio::test]
async fn a_stream_shows_messages_and_what_nodes_emit() {
    let server = started(memory(), None).await;
    let input = json!({"messages": [{"type": "human", "content": "hi"}]});
    let modes = json!(["messages-tuple", "custom"]);
    let body = json!({"assistant_id": "chat", "input": input, "stream_mode": modes});
    let events = stream(&server, body).await;
    let names: Vec<&str> = events.iter().map(|(name, _)| &**name).collect();
    assert_eq!(names, ["metadata", "custom", "messages"], "{events:?}");
    assert_eq!(events[1].1, json!({"progress": "speaking"}));
    let (message, metadata) = (&events[2].1[0], &events[2].1[1]);
    assert_eq!(message["content"], "hello");
    assert_eq!(metadata["langgraph_node"], "speak");
    assert_eq!(metadata["langgraph_step"], 1);
    assert_eq!(metadata["thread_id"], ID);
    assert_eq!(metadata["run_id"], events[0].1["run_id"]);
}

#[tokio::test]
async fn a_run_that_fails_says_why() {
    let server = started(memory(), None).await;
    let failing = json!({"assistant_id": "one", "input": {"x": -1}});
    let why = json!({"error": "ValueError", "message": "boom"});
    assert_eq!(
        wait(&server, failing.clone()).await,
        json!({"__error__": why})
    );
    let events = stream(&server, failing).await;
    assert_eq!(events.last(), Some(&("error".to_owned(), why)));
    assert_eq!(server.get(&at("")).await.ok()["status"], "error");
    // The thread is not lost: with a better input it continues.
    let better = json!({"assistant_id": "one", "input": {"x": 3}});
    assert_eq!(wait(&server, better).await, json!({"x": 4}));
}

#[tokio::test]
async fn a_run_pauses_where_it_is_told_to_and_goes_on_without_input() {
    let server = started(memory(), None).await;
    let body = json!({"assistant_id": "one", "input": {"x": 1}, "interrupt_before": ["count"]});
    assert_eq!(wait(&server, body).await, json!({"x": 1}));
    let state = server.get(&at("/state")).await.ok();
    assert_eq!(state["next"], json!(["count"]));
    assert_eq!(server.get(&at("")).await.ok()["status"], "interrupted");
    let body = json!({"assistant_id": "one", "input": null, "interrupt_after": "*"});
    assert_eq!(wait(&server, body).await, json!({"x": 2}));
    // From the older checkpoint, as another branch.
    let command = json!({"update": {"x": 10}, "goto": "count"});
    let body =
        json!({"assistant_id": "one", "command": command, "checkpoint_id": state["checkpoint_id"]});
    assert_eq!(wait(&server, body).await, json!({"x": 11}));
}

#[tokio::test]
async fn a_run_that_cannot_begin_is_refused() {
    let server = started(memory(), None).await;
    let one = |more: Json| {
        let mut body = json!({"assistant_id": "one", "input": {"x": 1}});
        body.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        body
    };
    let both = json!({"context": {"a": 1}, "config": {"configurable": {"a": 2}}});
    for (body, status, says) in [
        (json!({"input": {}}), 422, "`assistant_id`"),
        (
            json!({"assistant_id": "nope"}),
            422,
            "Invalid assistant: 'nope'",
        ),
        (json!({"assistant_id": ID}), 404, "not found"),
        (
            one(json!({"stream_mode": "zzz"})),
            422,
            "values, updates, messages, messages-tuple, custom",
        ),
        (
            one(json!({"multitask_strategy": "zzz"})),
            422,
            "`multitask_strategy`",
        ),
        (
            one(json!({"webhook": "http://example.com/"})),
            422,
            "may not call example.com",
        ),
        (one(json!({"after_seconds": -1})), 422, "`after_seconds`"),
        (
            one(json!({"config": {"recursion_limit": 0}})),
            422,
            "recursion_limit",
        ),
        (one(json!({"command": {"goto": 5}})), 422, "`command.goto`"),
        (one(both), 400, "both configurable and context"),
    ] {
        for path in ["/runs/wait", "/runs/stream"] {
            let reply = server.post(&at(path), body.clone()).await;
            assert!(reply.detail(status).contains(says), "{body}: {reply:?}");
        }
    }
    let elsewhere = "/threads/99999999-9999-4999-8999-999999999999";
    let path = format!("{elsewhere}/runs/wait");
    server.post(&path, one(json!({}))).await.detail(404);
    let made = server
        .post(&path, one(json!({"if_not_exists": "create"})))
        .await;
    assert_eq!(made.ok(), json!({"x": 2}));
    assert_eq!(server.get(elsewhere).await.ok()["values"], json!({"x": 2}));
}

#[tokio::test]
async fn a_busy_thread_takes_no_other_run_that_does_not_want_to_wait() {
    let shut = Gate::shut();
    let server = started(memory(), Some(&shut)).await;
    let body = json!({"assistant_id": "gate", "input": {"x": 0}});
    let first = wait(&server, body.clone());
    let others = async {
        shut.entered.acquire().await.unwrap().forget();
        assert_eq!(server.get(&at("")).await.ok()["status"], "busy");
        let mut rejected = body.clone();
        rejected["multitask_strategy"] = "reject".into();
        let reply = server.post(&at("/runs/wait"), rejected).await;
        assert!(reply.detail(409).contains("in use"), "{reply:?}");
        server
            .call(Method::DELETE, &at(""), json!({}))
            .await
            .detail(409);
        shut.open.add_permits(1);
    };
    let (first, ()) = tokio::join!(first, others);
    assert_eq!(first, json!({"x": 1}));
}

#[tokio::test]
async fn a_run_goes_on_without_its_client_unless_that_wanted_otherwise() {
    for on_disconnect in ["continue", "cancel"] {
        let shut = Gate::shut();
        let backends = memory();
        let saver = backends.saver.clone().unwrap();
        let server = started(backends, Some(&shut)).await;
        let body =
            json!({"assistant_id": "gate", "input": {"x": 0}, "on_disconnect": on_disconnect});
        let request = server.request(Method::POST, &at("/runs/stream"));
        let mut events = Events::open(&server, request.body(body.to_string())).await;
        let (_, first) = events.next().await.unwrap();
        let run = first["run_id"].as_str().unwrap().parse().unwrap();
        shut.entered.acquire().await.unwrap().forget();
        drop(events);
        match on_disconnect {
            "cancel" => shut.left.acquire().await.unwrap().forget(),
            _ => shut.open.add_permits(1),
        }
        let graph = gate(&shut).with_backends(Backends {
            saver: Some(saver),
            ..Backends::default()
        });
        // Its reader ends with it.
        let mut reader = graph.follow_run(run, None, superstep::Modes::NONE);
        while reader.next().await.unwrap().is_some() {}
        let status = graph.status(ThreadId::from(ID)).await.unwrap();
        let expected = match on_disconnect {
            "cancel" => RunStatus::Cancelled,
            _ => RunStatus::Done,
        };
        assert_eq!(status, expected);
    }
}

/// Two questions in the form of inboxes, asked at once.
fn two_reviews() -> superstep::dynamic::DynGraph {
    use superstep::dynamic::{DynCtx, DynGraphBuilder, DynReducer, Halt, START};
    let review = |action: &'static str| {
        move |ctx: DynCtx| async move {
            let item = json!([{
                "action_request": {"action": action, "args": {}},
                "config": {"allow_accept": true, "allow_ignore": true},
            }]);
            let answer = ctx.ask(item)?.to_json();
            let kind = answer[0]["type"].as_str().unwrap_or("?").to_owned();
            Ok::<_, Halt>(json!({ "log": [format!("{action}: {kind}")] }))
        }
    };
    DynGraphBuilder::new()
        .name("two_reviews")
        .reduce("log", DynReducer::Add, json!([]))
        .node("a", review("send"))
        .node("b", review("schedule"))
        .edge(START, "a")
        .edge(START, "b")
        .build()
        .unwrap()
}

#[tokio::test]
async fn an_answer_of_an_inbox_is_for_the_first_question_that_it_fits() {
    let server = server(memory()).dynamic("two", &two_reviews(), superstep::Schemas::default());
    let server = Running::start(server).await;
    let thread = server.post("/threads", json!({})).await.ok();
    let path = format!(
        "/threads/{}/runs/wait",
        thread["thread_id"].as_str().unwrap()
    );
    let run = |command: Json| json!({"assistant_id": "two", "command": command});
    let begin = json!({"assistant_id": "two", "input": {"log": []}});
    let asked = server.post(&path, begin).await.ok();
    assert_eq!(asked["__interrupt__"].as_array().unwrap().len(), 2);
    // What names no question and is no answer of an inbox could be for either.
    let unclear = server.post(&path, run(json!({"resume": "yes"}))).await.ok();
    assert!(
        unclear["__error__"]["message"]
            .as_str()
            .unwrap()
            .contains("2 open questions")
    );
    let about = json!({"action": "schedule", "args": {}});
    let one = run(json!({"resume": [{"type": "accept", "args": about}]}));
    let left = server.post(&path, one).await.ok();
    assert_eq!(left["__interrupt__"].as_array().unwrap().len(), 1, "{left}");
    let other = run(json!({"resume": [{"type": "ignore", "args": null}]}));
    let done = server.post(&path, other).await.ok();
    let mut log: Vec<&str> = done["log"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it.as_str().unwrap())
        .collect();
    log.sort_unstable();
    assert_eq!(log, ["schedule: accept", "send: ignore"], "{done}");
}

#[tokio::test]
async fn a_stream_of_a_run_that_cannot_begin_ends_with_its_error() {
    let server = started(memory(), None).await;
    let empty = json!({"assistant_id": "one", "input": null, "stream_resumable": true});
    let request = server.request(Method::POST, "/runs/stream");
    let alone = Events::open(&server, request.body(empty.to_string())).await;
    let on_thread = server.request(Method::POST, &at("/runs/stream"));
    let on_thread = Events::open(&server, on_thread.body(empty.to_string())).await;
    let joined = server.request(Method::GET, on_thread.header("location"));
    let (alone, on_thread) = (alone.rest().await, on_thread.rest().await);
    let joined = joined.header("last-event-id", "0");
    let joined = Events::open(&server, joined).await.rest().await;
    for events in [alone, on_thread, joined] {
        let names: Vec<&str> = events.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["metadata", "error"], "{events:?}");
        assert_eq!(events[1].1["error"], "SS1101", "{events:?}");
    }
    let a2a = json!({"jsonrpc": "2.0", "id": 1, "method": "message/stream", "params": {"message": {
        "messageId": "m", "role": "user", "parts": [{"kind": "data", "data": null}]}}});
    let request = server.request(Method::POST, "/a2a/one");
    let a2a = Events::open(&server, request.body(a2a.to_string())).await;
    let told = a2a.rest().await;
    let last = &told.last().unwrap().1;
    assert_eq!(last["result"]["status"]["state"], "failed", "{told:?}");
}

#[tokio::test]
async fn a_stream_of_a_run_that_is_cancelled_before_it_begins_ends() {
    let shut = Gate::shut();
    let server = started(memory(), Some(&shut)).await;
    let body = json!({"assistant_id": "gate", "input": {"x": 1}});
    let first = server.post(&at("/runs"), body.clone()).await.ok();
    shut.entered.acquire().await.unwrap().forget();
    let request = server.request(Method::POST, &at("/runs/stream"));
    let waiting = Events::open(&server, request.body(body.to_string())).await;
    let place = waiting.header("content-location").to_owned();
    server.post(&format!("{place}/cancel"), json!({})).await;
    let events = waiting.rest().await;
    assert_eq!(events.len(), 1, "{events:?}");
    shut.open.add_permits(1);
    let first = first["run_id"].as_str().unwrap();
    server.get(&at(&format!("/runs/{first}/join"))).await.ok();
}
