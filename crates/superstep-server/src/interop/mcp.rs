//! `POST /mcp`: assistants as tools of the Model Context Protocol, over streamable HTTP without sessions.

use std::{collections::HashSet, sync::Arc};

use axum::{
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::{Map, Value as Json, json};

use crate::{
    app::App,
    owners::visitor::Visitor,
    records::assistant::Assistant,
    refusal::{Refusal, answer},
    request::payload::Payload,
    runs::stream::Over,
};

/// Versions of the protocol that clients may speak, newest first.
const VERSIONS: &[&str] = &["2025-06-18", "2025-03-26", "2024-11-05"];

/// Why a call is not answered: a code of JSON-RPC, and words.
type Unanswered = (i64, String);

/// `POST /mcp`
pub(crate) async fn post(
    State(app): State<Arc<App>>,
    caller: Visitor,
    body: Payload,
) -> Result<Response, Refusal> {
    let call: Map<String, Json> = body.whole()?;
    let method = call.get("method").and_then(Json::as_str);
    let Some(method) = method else {
        let why = "a call needs a `method`";
        return Ok(answer(&reply(&Json::Null, Err((-32600, why.to_owned())))));
    };
    let Some(id) = call.get("id").filter(|id| !id.is_null()) else {
        // A notification.
        return Ok(StatusCode::ACCEPTED.into_response());
    };
    let params = call.get("params").cloned().unwrap_or_default();
    let result = app.mcp(&caller, method, &params).await?;
    Ok(answer(&reply(id, result)))
}

/// `DELETE /mcp`: there are no sessions to end.
pub(crate) async fn delete() -> Refusal {
    Refusal::missing("Not Found")
}

fn reply(id: &Json, result: Result<Json, Unanswered>) -> Json {
    match result {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err((code, message)) => {
            json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
        }
    }
}

impl App {
    async fn mcp(
        self: &Arc<Self>,
        caller: &Visitor,
        method: &str,
        params: &Json,
    ) -> Result<Result<Json, Unanswered>, Refusal> {
        Ok(match method {
            "initialize" => {
                let wanted = params.get("protocolVersion").and_then(Json::as_str);
                let known = VERSIONS.iter().find(|version| Some(**version) == wanted);
                Ok(json!({
                    "protocolVersion": known.or(VERSIONS.first()),
                    "capabilities": { "tools": { "listChanged": false } },
                    "serverInfo": { "name": "superstep", "version": env!("CARGO_PKG_VERSION") },
                }))
            }
            "ping" => Ok(json!({})),
            "tools/list" => Ok(json!({ "tools": self.tools(caller).await? })),
            "tools/call" => self.call_tool(caller, params).await?,
            other => Err((-32601, format!("Method not found: {other}"))),
        })
    }

    /// The assistants that are tools: those of the server and the caller's own, not those that an owner made. A name is that of
    /// the graph's own assistant if there is one, so that nobody's assistant takes its place.
    async fn tool_assistants(&self, caller: &Visitor) -> Result<Vec<(String, Assistant)>, Refusal> {
        let mut all = self.all_assistants(caller).await?;
        let owner = caller.owner();
        all.retain(|(_, it)| it.owner.is_none() || it.owner == owner);
        let own: Vec<String> = self
            .registry
            .all()
            .iter()
            .map(|hosted| hosted.assistant.to_string())
            .collect();
        all.sort_by_key(|(id, _)| !own.contains(id));
        let mut names = HashSet::new();
        all.retain(|(_, it)| names.insert(it.now().name));
        Ok(all)
    }

    /// One tool for each assistant.
    async fn tools(&self, caller: &Visitor) -> Result<Vec<Json>, Refusal> {
        let mut tools = Vec::new();
        for (_, assistant) in self.tool_assistants(caller).await? {
            let version = assistant.now();
            let Ok(hosted) = self.registry.graph(&assistant.graph_id) else {
                continue;
            };
            let about = version.description;
            let about = about.unwrap_or_else(|| format!("Runs the assistant {}", version.name));
            let any = || json!({ "type": "object" });
            tools.push(json!({
                "name": version.name,
                "title": version.name,
                "description": about,
                "inputSchema": hosted.schemas.input.clone().unwrap_or_else(any),
                "annotations": {
                    "readOnlyHint": false,
                    "destructiveHint": false,
                    "idempotentHint": false,
                    "openWorldHint": true,
                },
            }));
        }
        Ok(tools)
    }

    /// Runs an assistant on a thread of its own, and returns what it left.
    async fn call_tool(
        self: &Arc<Self>,
        caller: &Visitor,
        params: &Json,
    ) -> Result<Result<Json, Unanswered>, Refusal> {
        let name = params
            .get("name")
            .and_then(Json::as_str)
            .unwrap_or_default();
        let all = self.tool_assistants(caller).await?;
        let found = all
            .iter()
            .find(|(_, assistant)| assistant.now().name == name);
        let Some((assistant, _)) = found else {
            return Ok(Err((-32602, format!("Unknown tool: {name}"))));
        };
        let input = params
            .get("arguments")
            .cloned()
            .unwrap_or_else(|| json!({}));
        let fields = json!({ "assistant_id": assistant, "input": input });
        let fields = fields.as_object().cloned().unwrap_or_default();
        let accepted = match self.submit(caller, None, &mut Payload::of(fields)).await {
            Ok(accepted) => accepted,
            // Arguments that the graph does not take are an error of the call, not of the request.
            Err(refused) if refused.status() == StatusCode::UNPROCESSABLE_ENTITY => {
                return Ok(Err((-32602, refused.to_string())));
            }
            Err(refused) => return Err(refused),
        };
        let end = self.end_of(&accepted.graph, accepted.run.id).await;
        accepted.leave(Over::Run).await;
        Ok(Ok(match end.get("__error__") {
            Some(failure) => {
                let text = |name: &str| failure.get(name).and_then(Json::as_str).unwrap_or("");
                let text = format!("{}: {}", text("error"), text("message"));
                json!({ "isError": true, "content": [{ "type": "text", "text": text }] })
            }
            None => json!({
                "isError": false,
                "content": [{ "type": "text", "text": end.to_string() }],
                "structuredContent": end,
            }),
        }))
    }
}
