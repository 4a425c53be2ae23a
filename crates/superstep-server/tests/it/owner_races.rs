//! Threads that another owner makes while a caller is at it: whatever was checked before, nothing of them is read or done.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use serde_json::{Value as Json, json};
use superstep::{
    Backends, MemorySaver, RunOptions, Saver, Schemas, Secret, ThreadId,
    http::Method,
    saver::{MaybeReady, SaverLayer, StampThread, ThreadRecord, ThreadRecords},
};
use superstep_server::{Access, Server, routes, thread_uuid};

use crate::{
    client::{Reply, Running},
    graphs::{Draft, hitl, memory, one, server},
    socket::Socket,
    sse::Events,
};

const ID: &str = "55555555-5555-4555-8555-555555555555";
const ANN: &str = "the token of ann";
const BOB: &str = "the token of bob";

fn owned(backends: Backends) -> Server {
    server(backends)
        .token(Secret::new("whole"))
        .owner("ann", Secret::new(ANN))
        .owner("bob", Secret::new(BOB))
}

async fn call(server: &Running, token: &str, method: Method, path: &str, body: Json) -> Reply {
    let request = server.request(method, path).header("x-api-key", token);
    server.send(request.body(body.to_string())).await
}

/// Ann makes the thread, with a question at its end.
async fn ann_asks(server: &Running) -> Json {
    let run =
        json!({"assistant_id": "hitl", "input": {"topic": "secret"}, "if_not_exists": "create"});
    let path = format!("/threads/{ID}/runs/wait");
    let end = call(server, ANN, Method::POST, &path, run).await.ok();
    end["__interrupt__"][0]["id"].clone()
}

#[tokio::test]
async fn a_stream_that_was_opened_before_its_thread_ends_when_another_owner_makes_it() {
    let server = Running::start(owned(memory())).await;
    let path = format!("/threads/{ID}/stream/events");
    let wanted = json!({"channels": ["lifecycle", "values", "updates", "input"]});
    let request = server.request(Method::POST, &path);
    let request = request.header("x-api-key", BOB).body(wanted.to_string());
    let stream = Events::open(&server, request).await;
    ann_asks(&server).await;
    assert_eq!(stream.rest().await, [], "no event of ann's");
    let again = call(&server, BOB, Method::POST, &path, wanted).await;
    assert_eq!(again.status, 404);
}

#[tokio::test]
async fn a_socket_that_was_opened_before_its_thread_answers_nothing_for_another_owner() {
    let server = Running::start(owned(memory())).await;
    let path = format!("/threads/{ID}/stream/events");
    let mut socket = Socket::open(&server, BOB, &path).await;
    let wanted = json!({"channels": ["lifecycle", "values", "updates", "input"]});
    let subscribe = json!({"id": 1, "method": "subscription.subscribe", "params": wanted});
    socket.send(&subscribe).await;
    assert_eq!(socket.next().await["type"], "success");
    let question = ann_asks(&server).await;
    let answer = json!({"interrupt_id": question, "response": true});
    let start = json!({"assistant_id": "hitl", "input": {"topic": "bob's"}});
    for (method, params) in [
        ("input.respond", answer),
        ("run.start", start),
        ("agent.getTree", json!({})),
    ] {
        let command = json!({"id": 2, "method": method, "params": params});
        socket.send(&command).await;
        let reply = socket.next().await;
        assert_eq!(reply["type"], "error", "{method}: {reply}");
        assert_eq!(reply["error"], "not_found", "{method}: {reply}");
    }
    let state = format!("/threads/{ID}/state");
    let state = call(&server, ANN, Method::GET, &state, json!({}))
        .await
        .ok();
    assert_eq!(state["values"]["log"], json!(["written"]), "it still waits");
}

#[tokio::test]
async fn a_stream_of_a_thread_ends_when_another_owner_makes_it_anew() {
    let server = Running::start(owned(memory())).await;
    let made = json!({"thread_id": ID});
    let path = format!("/threads/{ID}");
    call(&server, BOB, Method::POST, "/threads", made)
        .await
        .ok();
    let wanted = json!({"channels": ["lifecycle", "values", "updates", "input"]});
    let mut streams = Vec::new();
    for (method, rest) in [(Method::GET, "stream"), (Method::POST, "stream/events")] {
        let request = server.request(method, &format!("{path}/{rest}"));
        let request = request.header("x-api-key", BOB).body(wanted.to_string());
        streams.push(Events::open(&server, request).await);
    }
    let gone = call(&server, BOB, Method::DELETE, &path, json!({})).await;
    assert_eq!(gone.status, 204);
    ann_asks(&server).await;
    for stream in streams {
        assert_eq!(stream.rest().await, [], "no event of ann's");
    }
}

/// A saver in which ann makes the thread right after the first look for its record.
struct Racing {
    saver: MemorySaver,
    is_made: AtomicBool,
}

impl SaverLayer for Racing {
    fn inner(&self) -> &dyn Saver {
        &self.saver
    }

    fn thread_records(&self) -> &dyn ThreadRecords {
        self
    }
}

impl ThreadRecords for Racing {
    fn load_record(&self, thread: &ThreadId) -> MaybeReady<'_, Option<ThreadRecord>> {
        let thread = thread.clone();
        MaybeReady::Later(Box::pin(async move {
            let records = self.saver.thread_records();
            let found = records.load_record(&thread).await?;
            if thread.as_str() == ID && !self.is_made.swap(true, Ordering::SeqCst) {
                let metadata = json!({"graph_id": "one", "secret": "of ann"});
                let stamp = StampThread {
                    owner: Some("ann".into()),
                    ..StampThread::at(1, metadata.into())
                };
                records.stamp(&thread, stamp).await?;
            }
            Ok(found)
        }))
    }

    fn thread_of_uuid(&self, uuid: u128) -> MaybeReady<'_, Option<ThreadId>> {
        self.saver.thread_records().thread_of_uuid(uuid)
    }

    fn stamp(&self, thread: &ThreadId, stamp: StampThread) -> MaybeReady<'_, ThreadRecord> {
        self.saver.thread_records().stamp(thread, stamp)
    }
}

#[tokio::test]
async fn a_thread_that_another_owner_makes_during_a_request_is_not_there_on_any_route() {
    let mut tried = 0;
    for route in routes() {
        let is_of_one = ["/threads/{id}", "/inbox/threads/{id}"]
            .iter()
            .any(|way| route.path.starts_with(way));
        if !is_of_one || route.access == Access::Whole {
            continue;
        }
        tried += 1;
        let saver = Arc::new(Racing {
            saver: MemorySaver::default(),
            is_made: AtomicBool::new(false),
        });
        let shared: Arc<dyn Saver> = saver.clone();
        let server = Running::start(owned(Backends {
            saver: Some(shared),
            ..memory()
        }))
        .await;
        let path = route.path.replace("{id}", ID).replace("{run}", ID);
        let path = path.replace("{checkpoint}", ID);
        let body = json!({"assistant_id": "one", "input": {"x": 1}, "if_not_exists": "create",
            "metadata": {"by": "bob"}, "id": 1, "method": "run.start", "schedule": "0 0 1 1 *",
            "params": {"assistant_id": "one", "input": {"x": 1}},
            "values": {"x": 1}, "channels": ["values"]});
        let request = server.request(route.method.clone(), &path);
        let request = request.header("x-api-key", BOB).body(body.to_string());
        let what = format!("{} {path}", route.method);
        let reply = server.send(request).await;
        assert!(saver.is_made.load(Ordering::SeqCst), "{what}");
        let said = reply.json.to_string();
        assert!(!said.contains("of ann"), "{what}: {said}");
        let is_refused = match reply.json["type"].as_str() {
            Some(kind) => kind == "error",
            None => (400..500).contains(&reply.status),
        };
        assert!(is_refused, "{what}: {reply:?}");
        let place = format!("/threads/{ID}");
        let left = call(&server, ANN, Method::GET, &place, json!({}))
            .await
            .ok();
        assert_eq!(left["metadata"]["by"], json!(null), "{what}");
        assert_eq!(left["values"], json!(null), "{what}");
        let runs = format!("{place}/runs");
        let runs = call(&server, ANN, Method::GET, &runs, json!({})).await;
        assert_eq!(runs.ok(), json!([]), "{what}");
    }
    assert!(tried > 20, "{tried}");
}

/// A storage with threads of other programs: one under a UUID, one under a name, one of a graph that is not hosted.
async fn stored() -> Backends {
    let backends = memory();
    let graph = hitl().with_backends(backends.clone());
    let topic = || Draft {
        topic: "of the user".to_owned(),
        ..Draft::default()
    };
    graph.run(ID, topic()).await.unwrap();
    graph.run("mail-of-the-user", topic()).await.unwrap();
    let other = one().with_backends(backends.clone());
    let options = RunOptions::on(FOREIGN);
    other.invoke(json!({"x": 1}), &options).await.unwrap();
    backends
}

const FOREIGN: &str = "66666666-6666-4666-8666-666666666666";

#[tokio::test]
async fn an_owner_gets_no_thread_that_is_stored_without_a_record() {
    let backends = stored().await;
    let saver = backends.saver.clone().unwrap();
    let server = Server::on(backends)
        .graph("hitl", &hitl())
        .dynamic("chat", &crate::graphs::chat(), Schemas::default())
        .token(Secret::new("whole"))
        .owner("bob", Secret::new(BOB));
    let server = Running::start(server).await;
    let named = thread_uuid("mail-of-the-user").to_string();
    for id in [ID, &*named, FOREIGN] {
        for if_exists in ["raise", "do_nothing"] {
            let make = json!({"thread_id": id, "if_exists": if_exists, "graph_id": "hitl"});
            let made = call(&server, BOB, Method::POST, "/threads", make).await;
            assert!([409, 422].contains(&made.status), "{id}: {made:?}");
        }
        let run =
            json!({"assistant_id": "hitl", "input": {"topic": "bob's"}, "if_not_exists": "create"});
        for path in ["runs", "runs/wait", "runs/stream"] {
            let path = format!("/threads/{id}/{path}");
            let refused = call(&server, BOB, Method::POST, &path, run.clone()).await;
            assert_eq!(refused.status, 404, "{path}: {refused:?}");
        }
        let mut batch = run.clone();
        batch["thread_id"] = json!(id);
        let refused = call(&server, BOB, Method::POST, "/runs/batch", json!([batch])).await;
        assert_eq!(refused.status, 404, "{refused:?}");
        let said = json!({"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {"message": {
            "contextId": id, "messageId": "m", "role": "user", "parts": [{"kind": "data", "data": {"topic": "b"}}]}}});
        let refused = call(&server, BOB, Method::POST, "/a2a/hitl", said)
            .await
            .ok();
        assert!(refused["error"].is_object(), "{refused}");
        let start = json!({"id": 1, "method": "run.start", "params": {"assistant_id": "hitl", "input": {}}});
        let path = format!("/threads/{id}/commands");
        let refused = call(&server, BOB, Method::POST, &path, start).await;
        assert_eq!(refused.status, 404, "{refused:?}");
        let state = format!("/threads/{id}/state");
        let state = call(&server, BOB, Method::GET, &state, json!({})).await;
        assert_eq!(state.status, 404, "{state:?}");
    }
    assert_eq!(saver.threads().await.unwrap().len(), 3, "as before");
    let waiting = json!({"status": "interrupted"});
    let seen = call(&server, "whole", Method::POST, "/threads/search", waiting)
        .await
        .ok();
    assert_eq!(
        seen.as_array().unwrap().len(),
        2,
        "its user still has them: {seen}"
    );
}

#[tokio::test]
async fn an_owner_cannot_take_the_id_of_a_named_thread_before_it_is_stored() {
    let backends = memory();
    let server = Running::start(owned(backends.clone())).await;
    let id = thread_uuid("mail-that-will-come").to_string();
    let make = json!({"thread_id": id});
    let refused = call(&server, BOB, Method::POST, "/threads", make).await;
    assert!(refused.detail(422).contains("version 5"), "{refused:?}");
    let run = json!({"assistant_id": "one", "input": {"x": 1}, "if_not_exists": "create"});
    let path = format!("/threads/{id}/runs/wait");
    let refused = call(&server, BOB, Method::POST, &path, run).await;
    assert!(refused.detail(422).contains("version 5"), "{refused:?}");
    let graph = hitl().with_backends(backends);
    graph
        .run("mail-that-will-come", Draft::default())
        .await
        .unwrap();
    let seen = call(
        &server,
        "whole",
        Method::GET,
        &format!("/threads/{id}"),
        json!({}),
    )
    .await;
    assert_eq!(seen.ok()["status"], "interrupted");
}

/// A saver whose file is gone: every load fails, and names the file.
struct Failing(superstep::MemorySaver);

impl superstep::saver::SaverLayer for Failing {
    fn inner(&self) -> &dyn superstep::Saver {
        &self.0
    }

    fn load(
        &self,
        _: &superstep::ThreadId,
        _: &superstep::dynamic::GraphPath,
        _: superstep::saver::At,
    ) -> superstep::saver::MaybeReady<'_, Option<superstep::saver::Loaded>> {
        let why = "/srv/private/superstep.db: the disk failed".to_owned();
        superstep::saver::MaybeReady::now(Err(superstep::SaverError::Io(why)))
    }
}

#[tokio::test]
async fn an_error_names_no_path_of_the_server_to_an_owner() {
    let backends = Backends {
        saver: Some(Arc::new(Failing(superstep::MemorySaver::default()))),
        ..memory()
    };
    let server = owned(backends).private_path("/srv/private/superstep.db");
    let server = Running::start(server).await;
    let make = json!({"metadata": {"graph_id": "one"}});
    let run = json!({"assistant_id": "one", "input": {"x": 1}});
    for (token, is_shown) in [(BOB, false), ("whole", true)] {
        let made = call(&server, token, Method::POST, "/threads", make.clone()).await;
        let waited = call(&server, token, Method::POST, "/runs/wait", run.clone()).await;
        let streamed = call(&server, token, Method::POST, "/runs/stream", run.clone()).await;
        for reply in [made, waited, streamed] {
            let said = reply.json.to_string();
            assert!(said.contains("the disk failed"), "{said}");
            assert_eq!(said.contains("/srv/private"), is_shown, "{said}");
        }
    }
}
