//! `GET /.well-known/agent-card.json`: what an assistant can do, for agents that look for one.

use std::sync::Arc;

use axum::{
    extract::{OriginalUri, State},
    http::{HeaderMap, StatusCode, Uri, header::HOST},
    response::{IntoResponse, Response},
};
use serde_json::json;

use crate::{
    app::App,
    owners::visitor::Visitor,
    refusal::{Refusal, answer},
    request::query::Params,
};

/// `GET /.well-known/agent-card.json?assistant_id=…`
pub(crate) async fn get(
    State(app): State<Arc<App>>,
    caller: Visitor,
    params: Params,
    uri: Uri,
    OriginalUri(original): OriginalUri,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let Some(id) = params.get("assistant_id") else {
        let why = "Missing required query parameter: assistant_id";
        let error = json!({ "error": { "code": -32602, "message": why }, "detail": why });
        return Ok((StatusCode::BAD_REQUEST, answer(&error)).into_response());
    };
    let (id, assistant) = app.assistant_named(id).await?;
    let hosted = app.registry.graph(&assistant.graph_id)?;
    let is_shared = hosted.is_for(caller.name());
    if !is_shared || !caller.may_use(assistant.owner.as_deref()) {
        return Err(Refusal::missing("Assistant not found"));
    }
    let version = assistant.now();
    let about = version.description;
    let about = about.unwrap_or_else(|| format!("{} assistant", version.name));
    // It goes by the name that the caller knows.
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    // The routes may be nested under a path of an application.
    let mount = original.path().strip_suffix(uri.path()).unwrap_or_default();
    let url = format!("http://{}{mount}/a2a/{id}", host.unwrap_or("127.0.0.1"));
    let forms = json!(["application/json", "text/plain"]);
    let skill = json!({
        "id": format!("{id}-main"),
        "name": format!("{} Capabilities", version.name),
        "description": about,
        "tags": ["assistant", "langgraph"],
        "examples": [],
        "inputModes": forms,
        "outputModes": forms,
        "metadata": { "inputSchema": hosted.schemas.input },
    });
    let interface = json!({ "url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0" });
    Ok(answer(&json!({
        "name": version.name,
        "description": about,
        "url": url,
        "preferredTransport": "JSONRPC",
        "protocolVersion": "0.3.0",
        "supportedInterfaces": [interface],
        "capabilities": {
            "streaming": true,
            "pushNotifications": false,
            "stateTransitionHistory": false,
        },
        "defaultInputModes": forms,
        "defaultOutputModes": forms,
        "skills": [skill],
        "version": env!("CARGO_PKG_VERSION"),
    })))
}
