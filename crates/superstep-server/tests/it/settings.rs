//! Settings of the program around a server, and runs with their totals.

use std::sync::{Arc, Mutex};

use serde_json::{Value as Json, json};
use superstep::{Secret, http::Method, store::BoxFuture};
use superstep_server::{OperatorSettings, SettingsChange, SettingsError};

use crate::{
    client::Running,
    graphs::{memory, server},
};

/// Settings that record what was changed.
#[derive(Clone, Default)]
struct Recorded(Arc<Mutex<Vec<String>>>);

impl OperatorSettings for Recorded {
    fn read(&self) -> BoxFuture<'_, Result<Json, SettingsError>> {
        Box::pin(async { Ok(json!({ "model": null })) })
    }

    fn change(&self, change: SettingsChange) -> BoxFuture<'_, Result<(), SettingsError>> {
        let made = match change {
            SettingsChange::Key { provider, key } => format!("{provider} {}", key.expose()),
            SettingsChange::Model { name } if name == "none" => {
                let refused = SettingsError::Invalid("there is no such model".to_owned());
                return Box::pin(async { Err(refused) });
            }
            other => format!("{other:?}"),
        };
        self.0.lock().unwrap().push(made);
        Box::pin(async { Ok(()) })
    }
}

async fn served(settings: &Recorded) -> Running {
    let server = server(memory())
        .token(Secret::new("the whole token"))
        .owner("ann", Secret::new("the token of ann"))
        .settings(settings.clone());
    Running::start(server).await
}

#[tokio::test]
async fn the_operator_changes_settings_and_a_key_is_never_shown() {
    let settings = Recorded::default();
    let server = served(&settings).await;
    let call = async |method, path: &str, body| {
        let reply = server.call_as("the whole token", method, path, body).await;
        assert!(!format!("{reply:?}").contains("hush"), "{reply:?}");
        reply
    };
    let shown = call(Method::GET, "/settings", Json::Null).await.ok();
    assert_eq!(shown, json!({ "model": null, "can_change": true }));
    let me = call(Method::GET, "/me", Json::Null).await.ok();
    assert_eq!(me["settings"], true);
    let changes = [
        (
            Method::PUT,
            "/settings/keys/openai",
            json!({ "key": "hush" }),
        ),
        (Method::DELETE, "/settings/keys/openai", json!({})),
        (Method::PUT, "/settings/model", json!({ "name": "openai" })),
        (
            Method::POST,
            "/settings/download",
            json!({ "name": "tiny" }),
        ),
        (Method::POST, "/settings/restart", json!({})),
    ];
    for (method, path, body) in changes {
        assert_eq!(call(method, path, body).await.status, 204, "{path}");
    }
    let made = settings.0.lock().unwrap().clone();
    assert_eq!(made.len(), 5, "{made:?}");
    assert_eq!(made[0], "openai hush");
    let refused = call(Method::PUT, "/settings/model", json!({ "name": "none" })).await;
    assert_eq!(refused.detail(422), "there is no such model");
    let missing = call(Method::PUT, "/settings/keys/openai", json!({})).await;
    assert_eq!(missing.detail(422), "`key` is missing");
}

#[tokio::test]
async fn owners_and_other_machines_change_no_settings() {
    let settings = Recorded::default();
    let server = served(&settings).await;
    let me = server.get_as("the token of ann", "/me").await.ok();
    assert_eq!(me["settings"], false);
    let path = "/settings/keys/openai";
    let body = json!({ "key": "hush" });
    let of_owner = server
        .call_as("the token of ann", Method::PUT, path, body.clone())
        .await;
    assert!(of_owner.detail(403).contains("whole server"));
    for proxied in ["forwarded", "x-forwarded-for", "x-real-ip"] {
        let request = server
            .request(Method::PUT, path)
            .header("x-api-key", "the whole token")
            .header(proxied, "for=203.0.113.7")
            .body(body.to_string());
        let reply = server.send(request).await;
        assert!(reply.detail(403).contains("own machine"), "{proxied}");
    }
    assert!(settings.0.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_server_without_settings_has_none() {
    let server = Running::start(server(memory())).await;
    let reply = server.get("/settings").await;
    assert!(reply.detail(404).contains("no settings"));
    assert_eq!(server.get("/me").await.ok()["settings"], false);
}

#[tokio::test]
async fn runs_are_found_by_agent_status_and_words_with_totals_by_day() {
    let server = Running::start(server(memory())).await;
    for (title, x) in [("Low tide", 1), ("High tide", -1), ("Harbor", 2)] {
        let titled = json!({ "metadata": { "title": title } });
        let thread = server.post("/threads", titled).await.ok();
        let thread = thread["thread_id"].as_str().unwrap();
        let run = json!({ "assistant_id": "one", "input": { "x": x } });
        let path = format!("/threads/{thread}/runs/wait");
        server.post(&path, run).await.ok();
    }
    let found = async |wanted| server.post("/runs/search", wanted).await.ok();
    let titles = |found: &Json| -> Vec<String> {
        let runs = found["runs"].as_array().unwrap().iter();
        runs.map(|run| run["title"].as_str().unwrap().to_owned())
            .collect()
    };
    let all = found(json!({})).await;
    assert_eq!(titles(&all), ["Harbor", "High tide", "Low tide"]);
    assert_eq!(all["is_cut"], false);
    let total = &all["totals"][0];
    assert_eq!(total["graph_id"], "one");
    assert_eq!((&total["runs"], &total["failed"]), (&json!(3), &json!(1)));
    let failed = found(json!({ "status": "error", "query": "tide boom" })).await;
    assert_eq!(titles(&failed), ["High tide"]);
    let error = failed["runs"][0]["error"].as_str().unwrap();
    assert!(error.contains("boom"), "{error}");
    assert_eq!(titles(&found(json!({ "graph_id": "hitl" })).await).len(), 0);
    let page = found(json!({ "limit": 1, "offset": 1 })).await;
    assert_eq!(titles(&page), ["High tide"]);
    assert_eq!(page["total"], 3);
    let wrong = server.post("/runs/search", json!({ "days": 0 })).await;
    assert_eq!(wrong.detail(422), "`days` must be 1 to 90");
}

#[tokio::test]
async fn owners_find_their_own_runs_alone() {
    let server = served(&Recorded::default()).await;
    let run = json!({ "assistant_id": "one", "input": { "x": 1 }, "on_completion": "keep" });
    server
        .post_as("the token of ann", "/runs/wait", run.clone())
        .await
        .ok();
    server
        .post_as("the whole token", "/runs/wait", run)
        .await
        .ok();
    let count = async |token| {
        let found = server.post_as(token, "/runs/search", json!({})).await.ok();
        found["total"].as_u64().unwrap()
    };
    assert_eq!(count("the token of ann").await, 1);
    assert_eq!(count("the whole token").await, 2);
}
