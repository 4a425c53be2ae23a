//! `POST /threads/{id}/commands`: runs are started and questions answered.

use std::{sync::Arc, time::Duration};

use axum::{
    extract::{Path, State},
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::{Map, Value as Json, json};
use superstep::{
    dynamic::{DynCommand, Resume, state::Depth},
    runs::QueuedInput,
};

use crate::{
    app::App,
    forms::thread_name::thread_id,
    owners::visitor::Visitor,
    refusal::{Refusal, answer},
    request::payload::Payload,
    runs,
};

/// Why a command is not carried out.
pub(super) struct Failed {
    code: &'static str,
    message: String,
}

impl Failed {
    pub(super) fn new(code: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { code, message }
    }
}

impl From<Refusal> for Failed {
    fn from(refused: Refusal) -> Self {
        let code = match refused.status().as_u16() {
            400 | 422 => "invalid_argument",
            403 => "permission_denied",
            404 => "not_found",
            409 => "conflict",
            _ => "unknown_error",
        };
        Self::new(code, refused.to_string())
    }
}

impl From<superstep::Error> for Failed {
    fn from(error: superstep::Error) -> Self {
        Refusal::from(error).into()
    }
}

/// A command with its number.
pub(super) struct Command {
    id: Json,
    pub(super) method: String,
    pub(super) params: Map<String, Json>,
}

impl Command {
    pub(super) fn read(given: &Json) -> Option<Self> {
        let id = given.get("id").filter(|id| id.is_i64() || id.is_u64())?;
        let params = given.get("params").and_then(Json::as_object);
        Some(Self {
            id: id.clone(),
            method: given.get("method")?.as_str()?.to_owned(),
            params: params.cloned().unwrap_or_default(),
        })
    }

    pub(super) fn answered(&self, result: Result<Json, Failed>) -> Json {
        match result {
            Ok(result) => json!({
                "type": "success",
                "id": self.id,
                "result": result,
                "meta": { "applied_through_seq": 0 },
            }),
            Err(Failed { code, message }) => {
                json!({ "type": "error", "id": self.id, "error": code, "message": message })
            }
        }
    }

    /// What is answered to what is no command.
    pub(super) fn malformed() -> Json {
        json!({
            "type": "error",
            "id": null,
            "error": "invalid_argument",
            "message": "Protocol commands must include an integer id and string method.",
        })
    }
}

/// `POST /threads/{id}/commands`
pub(crate) async fn post(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    caller: Visitor,
    body: Payload,
) -> Result<Response, Refusal> {
    let id = thread_id(&id)?;
    let Some(command) = Command::read(&body.whole::<Json>()?) else {
        let mut response = answer(&Command::malformed());
        *response.status_mut() = StatusCode::BAD_REQUEST;
        return Ok(response);
    };
    let result = app.command(&caller, &id, &command).await;
    Ok(answer(&command.answered(result)).into_response())
}

impl App {
    /// Carries out a command for a thread.
    pub(super) async fn command(
        self: &Arc<Self>,
        caller: &Visitor,
        thread: &str,
        command: &Command,
    ) -> Result<Json, Failed> {
        let params = command.params.clone();
        match &*command.method {
            "run.start" => self.start(caller, thread, params).await,
            "input.respond" => self.respond(caller, thread, params).await,
            "agent.getTree" => self.tree(caller, thread).await,
            other => Err(Failed::new(
                "unknown_command",
                format!("Unknown protocol command: {other}"),
            )),
        }
    }

    async fn start(
        self: &Arc<Self>,
        caller: &Visitor,
        thread: &str,
        mut params: Map<String, Json>,
    ) -> Result<Json, Failed> {
        params.insert("if_not_exists".to_owned(), "create".into());
        let strategy = params.entry("multitask_strategy");
        strategy.or_insert("enqueue".into());
        let mut body = Payload::of(params);
        let accepted = self.submit(caller, Some(thread), &mut body).await?;
        Ok(json!({ "run_id": accepted.run.id.to_string() }))
    }

    /// Answers one question, or several at once.
    async fn respond(
        self: &Arc<Self>,
        caller: &Visitor,
        thread: &str,
        mut params: Map<String, Json>,
    ) -> Result<Json, Failed> {
        let (id, record) = self.find_thread(caller, thread).await?;
        let assistant = record.metadata.get("assistant_id").cloned();
        let graph = record.graph().unwrap_or_default();
        let hosted = self.registry.graph(graph)?;
        let at = record.thread(&id);
        let state = hosted.graph.state(&at, None, Depth::Here).await?;
        let open: Vec<String> = state.asks().map(|ask| ask.id.to_string()).collect();
        let responses = match params.remove("responses") {
            Some(Json::Array(many)) => many,
            _ => vec![Json::Object(params.clone())],
        };
        let (mut resume, mut gone) = (Map::new(), None);
        for response in &responses {
            let asked = response.get("interrupt_id").and_then(Json::as_str);
            let asked = asked.unwrap_or_default();
            if !open.iter().any(|open| open == asked) {
                gone = Some(asked);
            }
            let answer = response.get("response").cloned().unwrap_or_default();
            resume.insert(asked.to_owned(), answer);
        }
        if let Some(asked) = gone {
            let again = Resume::from_wire(Json::Object(resume.clone()).into());
            let again = QueuedInput::Command(DynCommand::default(), Some(again));
            let on = (&hosted.graph, &at);
            let brought = self.answered_before(on, &again, Duration::ZERO);
            if brought.await?.is_none() {
                let message = format!("Unknown or already-consumed interrupt: {asked}");
                return Err(Failed::new("no_such_interrupt", message));
            }
        }
        let mut command = Map::from_iter([("resume".to_owned(), Json::Object(resume))]);
        for name in ["update", "goto"] {
            command.extend(params.remove(name).map(|value| (name.to_owned(), value)));
        }
        let mut body = Map::from_iter([
            ("assistant_id".to_owned(), assistant.unwrap_or(graph.into())),
            ("command".to_owned(), Json::Object(command)),
        ]);
        for name in ["config", "metadata"] {
            body.extend(params.remove(name).map(|value| (name.to_owned(), value)));
        }
        self.submit(caller, Some(&id), &mut Payload::of(body))
            .await?;
        Ok(json!({}))
    }

    /// What runs on a thread now.
    async fn tree(&self, caller: &Visitor, thread: &str) -> Result<Json, Failed> {
        let thread = self.stored_thread(caller, thread).await?;
        let newest = self.newest_run(&thread).await;
        let newest = newest.map_err(superstep::Error::from)?;
        let Some(run) = newest.filter(|run| run.ending.is_none()) else {
            let message = "No active run is bound to this thread.";
            return Err(Failed::new("no_such_run", message));
        };
        let status = match runs::view::status(&run) {
            "pending" => "started",
            _ => "running",
        };
        let tree = json!({ "namespace": [], "status": status, "graph_name": run.graph });
        Ok(json!({ "tree": tree }))
    }
}
