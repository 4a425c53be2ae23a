//! Who may answer which question: a customer does not approve their own refund, by whatever way.

use serde_json::{Value as Json, json};
use superstep::{
    Caller, Schemas, Secret,
    dynamic::{DynCtx, DynGraph, DynGraphBuilder, Halt, START},
    http::Method,
};
use superstep_server::Server;

use crate::{client::Running, graphs::memory};

const ANN: &str = "the token of ann";
const EVE: &str = "the token of eve, who supervises";

/// Asks whether to refund, and then does, or asks the customer for the reason if it is told to.
fn refunds() -> DynGraph {
    let ask = |ctx: DynCtx| async move {
        let kind = match ctx.get("of_customer").as_bool() {
            Some(true) => "reason",
            _ => "refund",
        };
        let approved = ctx.ask(json!({ "kind": kind }))?;
        Ok::<_, Halt>(json!({ "approved": approved }))
    };
    let pay = |ctx: DynCtx| async move { Ok::<_, Halt>(json!({ "paid": ctx.get("approved") })) };
    DynGraphBuilder::new()
        .name("refunds")
        .last_value("of_customer")
        .last_value("approved")
        .last_value("paid")
        .node("ask", ask)
        .node("pay", pay)
        .edge(START, "ask")
        .edge("ask", "pay")
        .build()
        .unwrap()
}

async fn served() -> Running {
    let server = Server::on(memory())
        .dynamic("refunds", &refunds(), Schemas::default())
        .token(Secret::new("whole"))
        .owner("ann", Secret::new(ANN))
        .owner(Caller::new("eve").role("supervisor"), Secret::new(EVE))
        .approve_with(|caller, ask| {
            ask.body["kind"] != "refund" || caller.is_local() || caller.has_role("supervisor")
        });
    Running::start(server).await
}

/// A thread of a caller's with an open question, and the question's id.
async fn asked(server: &Running, token: &str, input: Json) -> (String, String) {
    let thread = server.post_as(token, "/threads", json!({})).await.ok();
    let thread = thread["thread_id"].as_str().unwrap().to_owned();
    let run = json!({"assistant_id": "refunds", "input": input});
    let path = format!("/threads/{thread}/runs/wait");
    let end = server.post_as(token, &path, run).await.ok();
    let id = end["__interrupt__"][0]["id"].as_str().unwrap().to_owned();
    (thread, id)
}

async fn open(server: &Running, thread: &str) -> usize {
    let path = format!("/threads/{thread}/state");
    let state = server.get_as("whole", &path).await.ok();
    assert_eq!(state["values"]["paid"], Json::Null, "{state}");
    state["interrupts"].as_array().unwrap().len()
}

#[tokio::test]
async fn no_way_to_answer_goes_around_the_rule() {
    let server = served().await;
    let (thread, id) = asked(&server, ANN, json!({})).await;
    let threads = format!("/threads/{thread}");
    let run = |command: Json| json!({"assistant_id": "refunds", "command": command});
    let by_id = json!({"resume": {&id: true}});
    for path in ["runs", "runs/wait", "runs/stream"] {
        for command in [
            by_id.clone(),
            json!({"resume": true}),
            json!({"resume": true, "update": {"approved": true}}),
            json!({"update": {"approved": true}, "goto": "pay"}),
            json!({"goto": "pay"}),
        ] {
            let reply = server
                .post_as(ANN, &format!("{threads}/{path}"), run(command.clone()))
                .await;
            assert!(
                reply.detail(403).contains("may not answer"),
                "{path} {command}"
            );
        }
    }
    for (path, body) in [
        (
            format!("{threads}/answer"),
            json!({"question": id, "text": "true"}),
        ),
        (
            format!("/inbox{threads}/runs"),
            run(json!({"resume": [{"type": "response", "args": "true"}]})),
        ),
        (
            format!("{threads}/state"),
            json!({"values": {"approved": true}, "as_node": "ask"}),
        ),
        (
            format!("/inbox{threads}/state"),
            json!({"values": {"approved": true}, "as_node": "ask"}),
        ),
        (
            "/runs/batch".to_owned(),
            json!([{"assistant_id": "refunds", "command": by_id, "thread_id": thread}]),
        ),
    ] {
        let reply = server.post_as(ANN, &path, body).await;
        assert_eq!(reply.status, 403, "{path}: {reply:?}");
    }
    let respond = json!({"id": 1, "method": "input.respond", "params": {"interrupt_id": id, "response": true}});
    let reply = server
        .post_as(ANN, &format!("{threads}/commands"), respond)
        .await;
    assert_eq!(reply.json["error"], "permission_denied", "{reply:?}");
    let message = json!({"role": "user", "contextId": thread, "messageId": "m",
        "parts": [{"kind": "data", "data": {&id: true}}]});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {"message": message}});
    let reply = server.post_as(ANN, "/a2a/refunds", call).await.ok();
    assert!(
        reply["error"]["message"]
            .as_str()
            .unwrap()
            .contains("may not answer"),
        "{reply}"
    );
    // A schedule has no roles at all, and a copy has the same question.
    let copy = server
        .post_as(ANN, &format!("{threads}/copy"), json!({}))
        .await
        .ok();
    let copy = copy["thread_id"].as_str().unwrap();
    let path = format!("/threads/{copy}/runs/wait");
    server
        .post_as(ANN, &path, run(by_id.clone()))
        .await
        .detail(403);
    assert_eq!(open(&server, &thread).await, 1);

    let reply = server
        .post_as("whole", &format!("{threads}/runs/wait"), run(by_id))
        .await;
    assert_eq!(reply.ok()["paid"], true);
}

#[tokio::test]
async fn who_may_answer_does_and_what_concerns_a_customer_the_customer_answers() {
    let server = served().await;
    let (thread, id) = asked(&server, EVE, json!({})).await;
    let body = json!({"assistant_id": "refunds", "command": {"resume": {id: true}}});
    let path = format!("/threads/{thread}/runs/wait");
    assert_eq!(server.post_as(EVE, &path, body).await.ok()["paid"], true);
    let (thread, _) = asked(&server, ANN, json!({"of_customer": true})).await;
    let body = json!({"assistant_id": "refunds", "command": {"resume": "broken"}});
    let path = format!("/threads/{thread}/runs/wait");
    assert_eq!(
        server.post_as(ANN, &path, body).await.ok()["paid"],
        "broken"
    );
}

#[tokio::test]
async fn an_answer_that_comes_before_its_question_is_refused() {
    let server = served().await;
    let thread = server.post_as(ANN, "/threads", json!({})).await.ok();
    let path = format!("/threads/{}/runs", thread["thread_id"].as_str().unwrap());
    let body = json!({"assistant_id": "refunds", "command": {"resume": true}});
    server.post_as(ANN, &path, body).await.detail(409);
    let me = server
        .call_as(EVE, Method::GET, "/me", json!({}))
        .await
        .ok();
    assert_eq!(me["roles"], json!(["owner", "supervisor"]));
}
