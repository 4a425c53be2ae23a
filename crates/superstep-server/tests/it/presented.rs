//! Threads, questions and agents as people see them.

use serde_json::{Value as Json, json};
use superstep::{
    Schemas, Secret,
    dynamic::{DynCtx, DynGraphBuilder, Halt, START},
    http::Method,
    prelude::*,
};
use superstep_agent::{
    AgentError, Answer, Card, Context, Notice, OpenAgent, Outcome, Prompt, Reading, Report, plain,
};
use superstep_server::{Need, Readiness, Server, Standing};

use crate::{
    client::{Reply, Running},
    graphs::{Draft, Publish, Step, chat, hitl, memory, server},
    sse::Events,
};

/// An agent over the graph that writes drafts.
struct Writer(Graph<Draft, Step>);

impl OpenAgent for Writer {
    fn graph(&self) -> &superstep::dynamic::DynGraph {
        self.0.dynamic()
    }

    fn schemas(&self) -> Schemas {
        self.0.schemas()
    }

    fn present(&mut self, ask: &superstep::OpenAsk, _: &Context) -> Result<Prompt, AgentError> {
        let question = ask.question::<Publish>()?;
        Ok(Prompt::new(Notice::say([plain(format!(
            "Publish “{}”?",
            question.draft
        ))])))
    }

    fn read(&mut self, ask: &superstep::OpenAsk, text: &str) -> Result<Reading, AgentError> {
        Ok(match text {
            "publish it" => Reading::Answer(Answer::from(ask.answer::<Publish>(&true)?)),
            "" => Reading::Empty,
            _ => Reading::Unclear("say: publish it".to_owned()),
        })
    }

    fn outcome(&self, values: &Json) -> Outcome {
        match values["topic"] == "nothing" {
            true => Outcome::Refused,
            false => Outcome::Done,
        }
    }

    fn report<'a>(
        &'a mut self,
        with: &'a Context,
    ) -> superstep::future::BoxFuture<'a, Result<Report, AgentError>> {
        Box::pin(async move {
            let state = self.0.state(&*with.thread).await?.state;
            let notices = vec![Notice::data([plain(state.log.join(", "))])];
            Ok(Report {
                notices,
                exit: None,
            })
        })
    }
}

fn writer() -> Server {
    let backends = memory();
    let card = Card {
        titles: vec!["/topic".into()],
        ..Card::new("writer_agent", "Writes drafts").taking("topic")
    };
    let agent = Writer(hitl().with_backends(backends.clone()));
    server(backends).agent("writer", &card, Box::new(agent))
}

async fn thread_of(server: &Running, graph: &str, input: Json) -> String {
    let thread = server.post("/threads", json!({})).await.ok();
    let id = thread["thread_id"].as_str().unwrap().to_owned();
    let run = json!({"assistant_id": graph, "input": input});
    server
        .post(&format!("/threads/{id}/runs/wait"), run)
        .await
        .ok();
    id
}

#[tokio::test]
async fn an_agent_is_introduced_with_its_card_and_what_it_lacks() {
    let lacks = Standing {
        state: Readiness::Rehearsal,
        needs: vec![Need {
            what: "model".to_owned(),
            why: "there is no model yet".to_owned(),
            fix: "superstep model".to_owned(),
        }],
    };
    let server = writer()
        .dynamic("chat", &chat(), Schemas::default())
        .standing("writer", lacks);
    let server = Running::start(server).await;
    let all = server
        .post("/assistants/search", json!({"limit": 10}))
        .await
        .ok();
    let ui = |graph: &str| {
        let all = all.as_array().unwrap();
        let found = all.iter().find(|it| it["graph_id"] == graph).unwrap();
        let one = found["metadata"]["ui"].clone();
        (one, found["assistant_id"].as_str().unwrap().to_owned())
    };
    let (of_writer, id) = ui("writer");
    assert_eq!(of_writer["title"], "Writer agent");
    assert_eq!(of_writer["about"], "Writes drafts");
    assert_eq!(
        (&of_writer["takes"], &of_writer["text_field"]),
        (&json!("text"), &json!("topic"))
    );
    assert_eq!(of_writer["follow_up_template"], json!({"topic": "$text"}));
    assert_eq!(
        of_writer["nodes"],
        json!({"write": "Write", "review": "Review"})
    );
    assert_eq!(of_writer["state"], "rehearsal");
    assert_eq!(of_writer["needs"][0]["what"], "model");
    let one = server.get(&format!("/assistants/{id}")).await.ok();
    assert_eq!(one["metadata"]["ui"], of_writer);
    let (of_hitl, _) = ui("hitl");
    assert_eq!(
        (&of_hitl["takes"], &of_hitl["state"]),
        (&json!("form"), &json!("ready"))
    );
    assert_eq!(
        (&of_hitl["follow_up"], &of_hitl["example"]),
        (&json!(false), &Json::Null)
    );
    let (of_chat, _) = ui("chat");
    assert_eq!(of_chat["takes"], "text");
    assert_eq!(of_chat["input_template"]["messages"][0]["content"], "$text");
    // A client's version of the assistant does not store what is shown of the graph.
    let path = format!("/assistants/{id}");
    let patch = server.call(Method::PATCH, &path, json!({"name": "mine"}));
    assert_eq!(patch.await.ok()["metadata"]["ui"], of_writer);
    let versions = server
        .post(&format!("/assistants/{id}/versions"), json!({}))
        .await
        .ok();
    assert!(versions[0]["metadata"].get("ui").is_none(), "{versions}");
}

#[tokio::test]
async fn a_question_is_presented_and_a_typed_line_is_read_by_the_agent() {
    let server = Running::start(writer()).await;
    let id = thread_of(&server, "writer", json!({"topic": "tea"})).await;
    let view = server.get(&format!("/threads/{id}/view")).await.ok();
    assert_eq!(view["title"], "tea");
    assert_eq!(view["outcome"]["status"], "waiting");
    assert_eq!(view["actions"], json!(["answer"]));
    assert_eq!(view["transcript"][0]["text"], "tea");
    assert_eq!(view["transcript"][0]["role"], "person");
    let question = &view["questions"][0];
    assert_eq!(
        (&question["kind"], &question["node"]),
        (&json!("choice"), &json!("review"))
    );
    assert_eq!(
        (&question["title"], &view["subtitle"]),
        (&json!("Publish"), &json!("Publish"))
    );
    let said = &question["prompt"]["notice"]["blocks"][0]["spans"][0]["text"];
    assert_eq!(said, "Publish “Draft about tea”?");
    assert_eq!(
        question["options"][0],
        json!({"label": "Yes", "answer": true, "danger": false})
    );
    assert_eq!(
        question["facts"],
        json!([{"label": "draft", "value": "Draft about tea"}])
    );
    let state = server.get(&format!("/threads/{id}/state")).await.ok();
    assert_eq!(&state["interrupts"][0]["view"], question);
    assert_eq!(&state["tasks"][0]["interrupts"][0]["view"], question);

    let path = format!("/threads/{id}/answer");
    let asked = question["id"].clone();
    for (text, unclear) in [("perhaps", "say: publish it"), ("", "the answer is empty")] {
        let reply = server
            .post(&path, json!({"question": asked, "text": text}))
            .await;
        assert_eq!(
            (reply.status, &reply.json["unclear"]),
            (422, &json!(unclear))
        );
    }
    server
        .post(&path, json!({"question": "0000-00000000", "text": "x"}))
        .await
        .detail(409);
    server
        .post(&path, json!({"text": "publish it"}))
        .await
        .detail(422);
    let answer = json!({"question": asked, "text": "publish it"});
    let taken = server.post(&path, answer.clone()).await.ok();
    assert_eq!(taken["answer"], true);
    let run = taken["run_id"].as_str().unwrap();
    server
        .get(&format!("/threads/{id}/runs/{run}/join"))
        .await
        .ok();
    server.post(&path, answer).await.detail(409);

    let view = server.get(&format!("/threads/{id}/view")).await.ok();
    assert_eq!(view["outcome"]["status"], "done");
    let shown = &view["outcome"]["notices"][0]["blocks"][0]["spans"][0]["text"];
    assert_eq!(shown, "written, published: true");
    let turns = view["transcript"].as_array().unwrap();
    let said: Vec<&Json> = turns.iter().map(|turn| &turn["text"]).collect();
    assert_eq!(said, [&json!("tea"), &json!("Yes"), &Json::Null]);
    assert_eq!(turns[2]["notices"], view["outcome"]["notices"]);
    assert_eq!(turns[1]["run"], run);
    assert_eq!(view["actions"], json!(["follow_up"]));
    assert_eq!(
        (&view["questions"], &view["usage"]["calls"]),
        (&json!([]), &json!(0))
    );
}

#[tokio::test]
async fn a_refusal_and_a_failure_are_no_success() {
    let server = Running::start(writer()).await;
    let id = thread_of(&server, "writer", json!({"topic": "nothing"})).await;
    let end = json!({"values": null, "as_node": "__end__"});
    server.post(&format!("/threads/{id}/state"), end).await.ok();
    let view = server.get(&format!("/threads/{id}/view")).await.ok();
    assert_eq!(view["outcome"]["status"], "refused");
    let id = thread_of(&server, "one", json!({"x": -1})).await;
    let view = server.get(&format!("/threads/{id}/view")).await.ok();
    assert_eq!(view["outcome"]["status"], "failed");
    let told = view["outcome"]["notices"].to_string();
    assert!(
        told.contains("ValueError") && told.contains("boom"),
        "{told}"
    );
    assert_eq!(view["actions"], json!(["retry"]));
    let new = server.post("/threads", json!({})).await.ok();
    let new = new["thread_id"].as_str().unwrap();
    let view = server.get(&format!("/threads/{new}/view")).await.ok();
    assert_eq!(
        (&view["outcome"]["status"], &view["transcript"]),
        (&json!("idle"), &json!([]))
    );
}

#[tokio::test]
async fn a_conversation_is_shown_as_its_messages() {
    let server = writer().dynamic("chat", &chat(), Schemas::default());
    let server = Running::start(server).await;
    let said = json!({"messages": [{"role": "user", "content": "Hello there"}]});
    let id = thread_of(&server, "chat", said).await;
    let view = server.get(&format!("/threads/{id}/view")).await.ok();
    let turns = view["transcript"].as_array().unwrap().iter();
    let turns: Vec<(&Json, &Json)> = turns.map(|turn| (&turn["role"], &turn["text"])).collect();
    let (person, agent) = (json!("person"), json!("agent"));
    assert_eq!(
        turns,
        [(&person, &json!("Hello there")), (&agent, &json!("hello"))]
    );
    assert_eq!(view["title"], "Hello there");
}

#[tokio::test]
async fn threads_are_found_by_words_and_counted_by_status() {
    let server = Running::start(writer()).await;
    let tea = thread_of(&server, "writer", json!({"topic": "Green tea"})).await;
    thread_of(&server, "writer", json!({"topic": "Coffee"})).await;
    thread_of(&server, "one", json!({"x": 1})).await;
    let search = json!({"query": "TEA green", "select": ["thread_id", "view"]});
    let found = server.post("/threads/search", search).await.ok();
    let view = json!({
        "title": "Green tea", "subtitle": "Publish",
        "outcome": {"status": "waiting"},
    });
    assert_eq!(found, json!([{"thread_id": tea, "view": view}]));
    let count = |body: Json| server.post("/threads/count", body);
    assert_eq!(count(json!({"query": "draft about"})).await.ok(), 2);
    assert_eq!(count(json!({"query": "milk"})).await.ok(), 0);
    let all = json!({"busy": 0, "error": 0, "idle": 1, "interrupted": 2});
    assert_eq!(count(json!({"group_by": "status"})).await.ok(), all);
    let some = count(json!({"group_by": "status", "query": "coffee"}))
        .await
        .ok();
    assert_eq!(some["interrupted"], 1);
    count(json!({"group_by": "graph"})).await.detail(422);
    let long = "x".repeat(201);
    server
        .post("/threads/search", json!({"query": long}))
        .await
        .detail(422);
}

#[tokio::test]
async fn an_answer_beside_another_that_has_not_taken_effect_is_refused() {
    let server = Running::start(writer()).await;
    let id = thread_of(&server, "writer", json!({"topic": "tea"})).await;
    let view = server.get(&format!("/threads/{id}/view")).await.ok();
    let later = json!({
        "assistant_id": "writer", "command": {"resume": true}, "after_seconds": 3600,
    });
    let path = format!("/threads/{id}/runs");
    server.post(&path, later).await.ok();
    let line = json!({"question": view["questions"][0]["id"], "text": "publish it"});
    let path = format!("/threads/{id}/answer");
    server.post(&path, line).await.detail(409);
}

#[tokio::test]
async fn another_owners_thread_has_no_view_and_takes_no_answer() {
    let server = writer()
        .token(Secret::new("whole"))
        .owner("ann", Secret::new("the token of ann"))
        .owner("bob", Secret::new("the token of bob"));
    let server = Running::start(server).await;
    let call = async |token: &str, method: Method, path: &str, body: Json| -> Reply {
        let request = server.request(method, path).header("x-api-key", token);
        server.send(request.body(body.to_string())).await
    };
    let ann = "the token of ann";
    let thread = call(ann, Method::POST, "/threads", json!({})).await.ok();
    let id = thread["thread_id"].as_str().unwrap();
    let run = json!({"assistant_id": "writer", "input": {"topic": "secret"}});
    call(ann, Method::POST, &format!("/threads/{id}/runs/wait"), run)
        .await
        .ok();
    let path = format!("/threads/{id}/view");
    let view = call(ann, Method::GET, &path, json!({})).await.ok();
    let question = &view["questions"][0]["id"];
    let answer = json!({"question": question, "text": "publish it"});
    let bob = "the token of bob";
    call(bob, Method::GET, &path, json!({})).await.detail(404);
    let path = format!("/threads/{id}/answer");
    call(bob, Method::POST, &path, answer.clone())
        .await
        .detail(404);
    let search = json!({"query": "secret"});
    let found = call(bob, Method::POST, "/threads/search", search)
        .await
        .ok();
    assert_eq!(found, json!([]));
    let count = json!({"group_by": "status"});
    let count = call(bob, Method::POST, "/threads/count", count).await.ok();
    assert_eq!(count["interrupted"], 0);
    call(ann, Method::POST, &path, answer).await.ok();
    let me = call(bob, Method::GET, "/me", json!({})).await.ok();
    assert_eq!(
        me,
        json!({"owner": "bob", "roles": ["owner"], "whole_server": false, "settings": false})
    );
    let me = call("whole", Method::GET, "/me", json!({})).await.ok();
    assert_eq!(
        me,
        json!({"owner": null, "roles": ["operator"], "whole_server": true, "settings": false})
    );
}

#[tokio::test]
async fn progress_has_one_form_whatever_nodes_emit() {
    let graph = DynGraphBuilder::new()
        .name("reader")
        .last_value("x")
        .node("read_files", |ctx: DynCtx| async move {
            let told = json!({"phase": "files", "label": "Reading a.txt", "done": 1, "total": 3});
            ctx.emit(told).await;
            ctx.emit(json!({"done": 2, "total": 3})).await;
            ctx.emit(json!({"found": "nothing to count"})).await;
            Ok::<_, Halt>(json!({ "x": 1 }))
        })
        .edge(START, "read_files")
        .build()
        .unwrap();
    let server = server(memory()).dynamic("reader", &graph, Schemas::default());
    let server = Running::start(server).await;
    let run = json!({"assistant_id": "reader", "input": {"x": 0}, "stream_mode": "progress"});
    let request = server
        .request(Method::POST, "/runs/stream")
        .body(run.to_string());
    let events = Events::open(&server, request).await.rest().await;
    let told: Vec<&Json> = events
        .iter()
        .filter(|(name, _)| name == "progress")
        .map(|(_, data)| data)
        .collect();
    let progress = |phase: Json, label: Json, done: Json, total: Json| {
        json!({
            "phase": phase, "label": label, "done": done, "total": total, "agent": null,
            "waiting": null,
        })
    };
    let begun = progress(
        json!("read_files"),
        json!("Read files"),
        Json::Null,
        Json::Null,
    );
    let first = progress(json!("files"), json!("Reading a.txt"), json!(1), json!(3));
    let second = progress(Json::Null, Json::Null, json!(2), json!(3));
    assert_eq!(told, [&begun, &first, &second]);
}
