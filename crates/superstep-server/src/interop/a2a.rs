//! `/a2a/{assistant_id}`: assistants as agents of the Agent2Agent protocol, over JSON-RPC.
//!
//! A context is a thread, a task is a run of it: `THREAD:RUN`. A message to a thread that has an open question
//! answers it; one that names a task answers what that task asked, and nothing else. A message that is sent again, as
//! after a lost connection, answers nothing a second time. Which task a message is for is in `addressed`, what a task
//! looks like in `task`, the card in `card`.

mod addressed;
pub(crate) mod card;
mod task;

use std::sync::Arc;

use axum::{
    body::Bytes,
    extract::{Path, State},
    response::{IntoResponse, Response},
};
use serde_json::{Map, Value as Json, json};
use superstep::{Cancel, Ending, LogItem, RunRecord, dynamic::DynGraph};
use tokio::{sync::mpsc, time};
use uuid::Uuid;

use self::{addressed::mark, task::Task};
use crate::{
    app::App,
    error::ServerError,
    forms::thread_name::public,
    owners::visitor::Visitor,
    refusal::{Refusal, answer},
    request::payload::Payload,
    runs::{
        sse,
        stream::{HEARTBEAT, Over},
        stream_mode::Mode,
        submit::Accepted,
        waiting::{AHEAD, BEAT},
        wire::{RunPlace, Wire},
    },
};

const INVALID: i64 = -32602;
const UNKNOWN_TASK: i64 = -32001;
const INTERNAL: i64 = -32603;

/// Why a call is not answered: a code of JSON-RPC, and words.
struct CallError(i64, String);

impl From<Refusal> for CallError {
    fn from(refusal: Refusal) -> Self {
        let code = match refusal.status().as_u16() {
            404 => UNKNOWN_TASK,
            400..500 => INVALID,
            _ => INTERNAL,
        };
        Self(code, refusal.to_string())
    }
}

impl From<superstep::Error> for CallError {
    fn from(error: superstep::Error) -> Self {
        Refusal::from(error).into()
    }
}

/// `POST /a2a/{assistant_id}`
pub(crate) async fn post(
    State(app): State<Arc<App>>,
    Path(assistant): Path<String>,
    caller: Visitor,
    body: Payload,
) -> Result<Response, Refusal> {
    let (assistant, found) = app.assistant_named(&assistant).await?;
    if !caller.may_use(found.owner.as_deref()) {
        return Err(Refusal::missing("Assistant not found"));
    }
    let call: Map<String, Json> = body.whole()?;
    let id = call.get("id").cloned().unwrap_or_default();
    let params = call.get("params").cloned().unwrap_or_default();
    let method = call.get("method").and_then(Json::as_str);
    let visit = Visit {
        app,
        caller,
        assistant,
    };
    let result = match method.unwrap_or_default() {
        "message/send" | "SendMessage" => visit.send(&params).await,
        "message/stream" | "SendStreamingMessage" => {
            return Ok(match visit.submit(&params).await {
                Ok(Taken::New(accepted, message)) => visit.stream(id, *accepted, message),
                Ok(Taken::Before(run, graph)) => visit.stream_again(id, *run, graph),
                Err(why) => answer(&reply(&id, Err(why))),
            });
        }
        "tasks/get" | "GetTask" => visit.task(&params).await,
        "tasks/cancel" | "CancelTask" => visit.cancel(&params).await,
        "" => Err(CallError(-32600, "a call needs a `method`".to_owned())),
        other => Err(CallError(-32601, format!("Method not found: {other}"))),
    };
    Ok(answer(&reply(&id, result)).into_response())
}

fn reply(id: &Json, result: Result<Json, CallError>) -> Json {
    match result {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(CallError(code, message)) => {
            json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
        }
    }
}

/// What became of a message.
enum Taken {
    /// Its run was accepted.
    New(Box<Accepted>, Json),
    /// It was taken before, as this run.
    Before(Box<RunRecord>, DynGraph),
}

/// Somebody who calls an assistant.
struct Visit {
    app: Arc<App>,
    caller: Visitor,
    assistant: String,
}

impl Visit {
    /// Runs a message, and answers with the task when that has ended.
    async fn send(&self, params: &Json) -> Result<Json, CallError> {
        let (accepted, message) = match self.submit(params).await? {
            Taken::New(accepted, message) => (accepted, message),
            Taken::Before(run, graph) => return Ok(self.done_before(&run, &graph).await),
        };
        let end = self.app.end_here(&accepted.graph, accepted.run.id).await;
        let end = end.ok_or_else(|| Refusal::from(ServerError::Stopping))?;
        let task = Task::new(&accepted.run, &self.assistant).ended(&end, Some(&message));
        accepted.leave(Over::Run).await;
        Ok(task)
    }

    /// The task of a message that was taken before, when it has ended.
    async fn done_before(&self, run: &RunRecord, graph: &DynGraph) -> Json {
        let end = self.app.end_of(graph, run.id).await;
        Task::new(run, &self.assistant).ended(&end, None)
    }

    /// Accepts the run of a message.
    async fn submit(&self, params: &Json) -> Result<Taken, CallError> {
        let wrong = |why: &str| CallError(INVALID, why.to_owned());
        let message = params.get("message").filter(|it| it.is_object());
        let message = message
            .ok_or_else(|| wrong("`message` is missing"))?
            .clone();
        let (texts, data) = parts(&message).ok_or_else(|| wrong("`parts` has nothing to run"))?;
        let named = |name: &str| {
            let id = message.get(name).or(params.get(name))?.as_str()?;
            Some(id.to_owned()).filter(|id| !id.is_empty())
        };
        let context = match named("contextId") {
            Some(id) => Some(
                Uuid::parse_str(&id)
                    .map_err(|_| wrong("`contextId` must be a UUID"))?
                    .to_string(),
            ),
            None => None,
        };
        let task = match named("taskId") {
            Some(task) => Some(self.named(&task).await?),
            None => None,
        };
        let thread = match (context, &task) {
            (Some(context), Some((of, _))) if context != *of => {
                return Err(wrong("`taskId` is a task of another context"));
            }
            (Some(context), _) => context,
            (None, Some((of, _))) => of.clone(),
            (None, None) => self.app.new_id(),
        };
        let mark = mark(&message);
        let is_asked = !self.open_asks(&thread).await?.is_empty();
        if let Some(mark) = mark.as_deref().filter(|_| is_asked || task.is_some())
            && let Some((run, graph)) = self.taken_before(&thread, mark).await?
        {
            return Ok(Taken::Before(Box::new(run), graph));
        }
        // Of a message that comes while another is worked on, nobody knows yet whether it answers a question.
        let mut body = json!({
            "assistant_id": self.assistant, "if_not_exists": "create", "multitask_strategy": "reject",
            "metadata": { addressed::MESSAGE: mark },
        });
        let said = |data: Option<Json>| data.unwrap_or_else(|| texts.clone().into());
        let (name, given) = match (task, is_asked, data) {
            (Some((_, run)), _, data) => {
                let resume = self.answer_to(&thread, &run, said(data)).await?;
                ("command", json!({ "resume": resume }))
            }
            (None, true, data) => ("command", json!({ "resume": said(data) })),
            (None, false, Some(data)) => ("input", data),
            (None, false, None) => {
                let id = message.get("messageId").cloned().unwrap_or_default();
                let said = json!({ "role": "user", "content": texts, "id": id });
                ("input", json!({ "messages": [said] }))
            }
        };
        if let Json::Object(fields) = &mut body {
            fields.insert(name.to_owned(), given);
        }
        let fields = body.as_object().cloned().unwrap_or_default();
        let mut body = Payload::of(fields);
        let accepted = self
            .app
            .submit(&self.caller, Some(&thread), &mut body)
            .await?;
        Ok(Taken::New(Box::new(accepted), message))
    }

    /// Runs a message, and tells what happens as it happens.
    fn stream(self, id: Json, accepted: Accepted, message: Json) -> Response {
        let (out, frames) = mpsc::channel(AHEAD);
        tokio::spawn(async move {
            let over = self.pass(&id, &accepted, &message, &out).await;
            accepted.leave(over).await;
        });
        sse(frames)
    }

    /// The stream of a message that was taken before: its task.
    fn stream_again(self, id: Json, run: RunRecord, graph: DynGraph) -> Response {
        let (out, frames) = mpsc::channel(AHEAD);
        tokio::spawn(async move {
            let task = self.done_before(&run, &graph).await;
            // A client that has left needs no answer.
            let _ = out.send(frame(&id, task)).await;
        });
        sse(frames)
    }

    async fn pass(
        &self,
        id: &Json,
        accepted: &Accepted,
        message: &Json,
        out: &mpsc::Sender<Bytes>,
    ) -> Over {
        let task = Task::new(&accepted.run, &self.assistant);
        let tell = |result: Json| async { out.send(frame(id, result)).await.is_ok() };
        if !tell(task.submitted(message)).await {
            return Over::Client;
        }
        let modes = vec![Mode::Messages];
        let reader = accepted
            .graph
            .follow_run(accepted.run.id, None, Mode::engine(&modes));
        let mut reader = reader.with_subgraphs();
        let place = RunPlace::new(&accepted.run, &accepted.kwargs, "");
        let mut wire = Wire::new(place, modes, false);
        let mut beat = time::interval_at(time::Instant::now() + BEAT, BEAT);
        loop {
            tokio::select! {
                item = reader.next() => match item {
                    Ok(Some((_, LogItem::Event(event)))) => {
                        for frame in wire.frames(&event, reader.at()) {
                            let text = frame.data.pointer("/0/content").and_then(Json::as_str);
                            let is_said = frame.event == "messages/partial";
                            if let (true, Some(text)) = (is_said, text)
                                && !tell(task.working(text)).await
                            {
                                return Over::Client;
                            }
                        }
                    }
                    Ok(Some((_, LogItem::Started { .. } | LogItem::Ended(Ending::Drained { .. })))) => {}
                    // Whatever ended it, its record says how.
                    Ok(Some((_, LogItem::Ended(_))) | None) | Err(_) => break,
                },
                () = out.closed() => return Over::Client,
                // The task continues, and its client asks for it again.
                () = self.app.left_behind(accepted.run.id) => return Over::Run,
                _ = beat.tick() => {
                    if out.send(Bytes::from_static(HEARTBEAT)).await.is_err() {
                        return Over::Client;
                    }
                }
            }
        }
        let Some(end) = self.app.end_here(&accepted.graph, accepted.run.id).await else {
            return Over::Run;
        };
        for update in task.updates(&end) {
            if !tell(update).await {
                return Over::Client;
            }
        }
        Over::Run
    }

    /// A task, as it is now.
    async fn task(&self, params: &Json) -> Result<Json, CallError> {
        let (thread, run) = self.named(task_named(params)).await?;
        let (run, hosted) = self.app.find_run(&self.caller, &thread, &run).await?;
        let task = Task::new(&run, &self.assistant);
        if run.ending.is_none() {
            return Ok(task.going());
        }
        let mut end = self.app.end_of(&hosted.graph, run.id).await;
        // What it asked was answered, in a task of its own.
        let open = self.open_asks(&thread).await?;
        if let Json::Object(fields) = &mut end
            && let Some(asked) = fields.get("__interrupt__")
            && !addressed::ids(asked).any(|id| open.contains(&id))
        {
            fields.remove("__interrupt__");
        }
        Ok(task.ended(&end, None))
    }

    async fn cancel(&self, params: &Json) -> Result<Json, CallError> {
        let (thread, run) = self.named(task_named(params)).await?;
        let (run, _) = self.app.find_run(&self.caller, &thread, &run).await?;
        let why = "a client cancelled its task";
        if !self.app.cancel_run(run.id, Cancel::Now, why).await? {
            return Err(CallError(-32002, "the task has ended".to_owned()));
        }
        self.app.to_end(run.id).await?;
        Ok(Task::new(&run, &self.assistant).canceled())
    }

    /// The thread and the run of a task that a client names, if they are the client's.
    async fn named(&self, id: &str) -> Result<(String, String), CallError> {
        let unknown = || CallError(UNKNOWN_TASK, "Task not found".to_owned());
        let (thread, run) = id.split_once(':').ok_or_else(unknown)?;
        self.app.check_owner(&self.caller, thread).await?;
        Ok((thread.to_owned(), run.to_owned()))
    }
}

/// The task that the parameters of a call name.
fn task_named(params: &Json) -> &str {
    params.get("id").and_then(Json::as_str).unwrap_or_default()
}

/// A result as a piece of a stream.
fn frame(id: &Json, result: Json) -> Bytes {
    let data = reply(id, Ok(result));
    format!("event: message\r\ndata: {data}\r\n\r\n").into()
}

/// The texts of a message, and its data; nothing if it has neither.
fn parts(message: &Json) -> Option<(String, Option<Json>)> {
    let all = message.get("parts")?.as_array()?;
    let texts: Vec<&str> = all
        .iter()
        .filter_map(|it| it.get("text")?.as_str())
        .collect();
    let mut data: Option<Json> = None;
    for part in all.iter().filter_map(|it| it.get("data")) {
        match (&mut data, part) {
            (Some(Json::Object(fields)), Json::Object(more)) => fields.extend(more.clone()),
            (data, part) => *data = Some(part.clone()),
        }
    }
    let is_any = !texts.is_empty() || data.is_some();
    is_any.then(|| (texts.join("\n"), data))
}

/// The id of the task of a run.
fn task_id(run: &RunRecord) -> (String, String) {
    let thread = public(&run.thread);
    (format!("{thread}:{}", run.id), thread)
}
