//! Health, and what the server is.

pub(crate) mod metrics;

use std::sync::Arc;

use axum::{extract::State, response::Response};
use serde_json::json;

use crate::{
    app::App,
    error::ServerError,
    owners::visitor::Visitor,
    refusal::{Refusal, answer},
};

/// `GET /ok`: the server answers, and so does its storage. A server that stops is not ready.
pub(crate) async fn ok(State(app): State<Arc<App>>) -> Result<Response, Refusal> {
    if app.shutdown.has_begun() {
        return Err(ServerError::Stopping.into());
    }
    app.threads.find(&Visitor::SERVER, "ok").await?;
    app.assistants.find("ok").await?;
    Ok(answer(&json!({ "ok": true, "services": {} })))
}

/// `GET /me`: whom the server takes the caller for.
pub(crate) async fn me(State(app): State<Arc<App>>, caller: Visitor) -> Response {
    let kind = match caller.is_owner() {
        true => "owner",
        false => "operator",
    };
    let roles: Vec<&str> = [kind].into_iter().chain(caller.caller().roles()).collect();
    answer(&json!({
        "owner": caller.owner(),
        "roles": roles,
        "whole_server": !caller.is_owner(),
        "settings": !caller.is_owner() && app.settings.is_some(),
    }))
}

/// `GET /info`: what clients look at to know whom they talk to.
pub(crate) async fn info() -> Response {
    answer(&json!({
        "version": env!("CARGO_PKG_VERSION"),
        "langgraph_py_version": null,
        "flags": { "assistants": true, "crons": true, "langsmith": false },
        "host": {
            "kind": "self-hosted",
            "project_id": null,
            "host_revision_id": null,
            "revision_id": null,
            "tenant_id": null,
        },
    }))
}
