//! Rollbacks over HTTP: none takes back a run that made an effect, unless the client means it.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::{Value as Json, json};
use superstep::{
    Backends, Schemas,
    dynamic::{DynCtx, DynGraph, DynGraphBuilder, Halt, START},
    sqlite::Database,
};
use superstep_server::Server;

use crate::{
    client::Running,
    graphs::{Gate, gate, memory},
};

const ID: &str = "44444444-4444-4444-8444-444444444444";

fn at(rest: &str) -> String {
    format!("/threads/{ID}{rest}")
}

/// Asks whether to send a mail, sends it once, and waits.
fn mailer(sent: &Arc<AtomicUsize>, gates: &Arc<Gate>) -> DynGraph {
    let (sent, gates) = (sent.clone(), gates.clone());
    DynGraphBuilder::new()
        .name("mailer")
        .last_value("x")
        .node("ask", |ctx: DynCtx| async move {
            ctx.ask(json!("send?"))?;
            Ok::<_, Halt>(())
        })
        .node("send", move |ctx: DynCtx| {
            let sent = sent.clone();
            async move {
                let send = || async move { Ok(sent.fetch_add(1, Ordering::SeqCst) + 1) };
                let n: usize = ctx.once("mail", send).await?;
                Ok::<_, Halt>(json!({ "x": n }))
            }
        })
        .node("wait", move |_: DynCtx| {
            let gates = gates.clone();
            async move {
                gates.entered.add_permits(1);
                gates.open.acquire().await.unwrap().forget();
                Ok::<_, Halt>(())
            }
        })
        .edge(START, "ask")
        .edge("ask", "send")
        .edge("send", "wait")
        .build()
        .unwrap()
}

struct Mail {
    server: Running,
    gates: Arc<Gate>,
    sent: Arc<AtomicUsize>,
    /// The run that was approved, sent the mail and waits.
    run: String,
}

impl Mail {
    async fn sent() -> Self {
        Self::sent_on(memory(), "sync").await
    }

    async fn sent_on(backends: Backends, durability: &str) -> Self {
        let (sent, gates) = (Arc::new(AtomicUsize::new(0)), Gate::shut());
        let server = Server::on(backends)
            .dynamic("mailer", &mailer(&sent, &gates), Schemas::default())
            .dynamic("gate", &gate(&gates), Schemas::default());
        let server = Running::start(server).await;
        server.post("/threads", json!({"thread_id": ID})).await.ok();
        let first = json!({"assistant_id": "mailer", "input": {"x": 0}});
        let asked = server.post(&at("/runs/wait"), first).await.ok();
        assert!(asked["__interrupt__"].is_array(), "{asked}");
        let approval = json!({
            "assistant_id": "mailer", "command": {"resume": true}, "durability": durability,
        });
        let run = server.post(&at("/runs"), approval).await.ok();
        gates.entered.acquire().await.unwrap().forget();
        assert_eq!(sent.load(Ordering::SeqCst), 1);
        Self {
            server,
            gates,
            sent,
            run: run["run_id"].as_str().unwrap().to_owned(),
        }
    }

    async fn status(&self) -> Json {
        let run = at(&format!("/runs/{}", self.run));
        self.server.get(&run).await.ok()["status"].clone()
    }

    /// Runs the thread without input to its end.
    async fn continues(&self) -> Json {
        self.ends(json!({"assistant_id": "mailer", "input": null}))
            .await
    }

    /// A run to its end, which is let go when it waits: the one before it has left then.
    async fn ends(&self, body: Json) -> Json {
        let path = at("/runs/wait");
        let open = async {
            self.gates.entered.acquire().await.unwrap().forget();
            self.gates.open.add_permits(1);
        };
        let (end, ()) = tokio::join!(self.server.post(&path, body), open);
        end.ok()
    }
}

fn refused(why: &str) {
    for said in ["mail", "happened", "repeat_effects"] {
        assert!(why.contains(said), "{why}");
    }
}

#[tokio::test]
async fn no_rollback_repeats_an_effect_unasked() {
    let many = json!({"thread_id": ID});
    for (path, body) in [
        (None, json!({})),
        (Some("/runs/cancel?action=rollback"), many.clone()),
        (
            Some("/runs/cancel"),
            json!({"thread_id": ID, "status": "all", "action": "rollback"}),
        ),
        (
            Some("/runs/cancel?action=rollback&repeat_effects=false"),
            many,
        ),
        (
            Some("/runs/cancel?action=rollback"),
            json!({"status": "all"}),
        ),
    ] {
        let mail = Mail::sent().await;
        let one = at(&format!("/runs/{}/cancel?action=rollback", mail.run));
        let path = path.map_or(one, str::to_owned);
        let reply = mail.server.post(&path, body).await;
        let why = reply.detail(409);
        refused(why);
        for said in ["SS1205", "was stopped", "kept"] {
            assert!(why.contains(said), "{path}: {why}");
        }
        assert_eq!(mail.status().await, "interrupted", "{path}");
        // The thread still knows of the mail.
        let history = mail.server.post(&at("/history"), json!({})).await.ok();
        let mut states = history.as_array().unwrap().iter();
        let before = states.find(|state| state["next"] == json!(["send"]));
        let before = &before.unwrap()["checkpoint_id"];
        let fork = json!({"assistant_id": "mailer", "input": null, "checkpoint_id": before});
        refused(mail.server.post(&at("/runs/wait"), fork).await.detail(409));
        assert_eq!(mail.continues().await["x"], 1, "{path}");
        assert_eq!(mail.sent.load(Ordering::SeqCst), 1, "{path}");
    }
}

#[tokio::test]
async fn an_effect_is_found_however_and_wherever_it_is_stored() {
    for durability in ["sync", "async", "exit"] {
        for is_memory in [true, false] {
            let folder = tempfile::tempdir().unwrap();
            let backends = match is_memory {
                true => memory(),
                false => {
                    let database = Database::open(folder.path().join("mail.db")).unwrap();
                    Backends {
                        store: Some(Arc::new(database.store())),
                        ..Backends::on(database.saver())
                    }
                }
            };
            let case = format!("{durability}, memory: {is_memory}");
            let mail = Mail::sent_on(backends, durability).await;
            let second = json!({
                "assistant_id": "mailer", "input": null, "multitask_strategy": "rollback",
            });
            refused(mail.server.post(&at("/runs"), second).await.detail(409));
            let cancel = at(&format!("/runs/{}/cancel?action=rollback", mail.run));
            refused(mail.server.post(&cancel, json!({})).await.detail(409));
            assert_eq!(mail.continues().await["x"], 1, "{case}");
            assert_eq!(mail.sent.load(Ordering::SeqCst), 1, "{case}");
        }
    }
}

#[tokio::test]
async fn no_second_run_takes_back_one_that_made_an_effect() {
    let mail = Mail::sent().await;
    let second = json!({
        "assistant_id": "mailer", "input": null, "multitask_strategy": "rollback",
    });
    for path in ["/runs", "/runs/wait", "/runs/stream"] {
        let reply = mail.server.post(&at(path), second.clone()).await;
        refused(reply.detail(409));
    }
    assert_eq!(mail.status().await, "running");
    mail.gates.open.add_permits(1);
    let join = at(&format!("/runs/{}/join", mail.run));
    assert_eq!(mail.server.get(&join).await.ok()["x"], 1);
    assert_eq!(mail.sent.load(Ordering::SeqCst), 1);
    let runs = mail.server.get(&at("/runs")).await.ok();
    assert_eq!(runs.as_array().unwrap().len(), 2, "none was queued");
}

#[tokio::test]
async fn a_client_that_means_it_takes_the_run_back() {
    let second = json!({
        "assistant_id": "mailer", "input": null, "multitask_strategy": "rollback",
        "repeat_effects": true,
    });
    let one = "/cancel?wait=1&action=rollback&repeat_effects=true";
    let many = "/runs/cancel?action=rollback&repeat_effects=1";
    for door in ["second", "one", "many"] {
        let mail = Mail::sent().await;
        let run = at(&format!("/runs/{}", mail.run));
        match door {
            "second" => {
                assert_eq!(mail.ends(second.clone()).await["x"], 2, "{door}");
            }
            "one" => {
                let path = format!("{run}{one}");
                assert_eq!(mail.server.post(&path, json!({})).await.status, 200);
                assert_eq!(mail.continues().await["x"], 2, "{door}");
            }
            _ => {
                let body = json!({"thread_id": ID});
                assert_eq!(mail.server.post(many, body).await.status, 204);
                assert_eq!(mail.continues().await["x"], 2, "{door}");
            }
        }
        mail.server.get(&run).await.detail(404);
        assert_eq!(mail.sent.load(Ordering::SeqCst), 2, "{door}");
    }
}

#[tokio::test]
async fn a_run_without_effects_is_taken_back_as_ever() {
    let gates = Gate::shut();
    let server = Server::on(memory()).dynamic("gate", &gate(&gates), Schemas::default());
    let server = Running::start(server).await;
    server.post("/threads", json!({"thread_id": ID})).await.ok();
    let body = json!({"assistant_id": "gate", "input": {"x": 0}});
    let run = server.post(&at("/runs"), body).await.ok();
    gates.entered.acquire().await.unwrap().forget();
    let run = at(&format!("/runs/{}", run["run_id"].as_str().unwrap()));
    let reply = server
        .post(&format!("{run}/cancel?wait=1&action=rollback"), json!({}))
        .await;
    assert_eq!((reply.status, reply.json), (200, json!({})));
    server.get(&run).await.detail(404);
    let history = server.post(&at("/history"), json!({})).await.ok();
    assert_eq!(history, json!([]));
}
