//! `GET /threads/{id}/view`: a thread as people see it, and the short form of it for lists.

use std::sync::Arc;

use axum::{
    extract::{Path, State},
    response::Response,
};
use serde_json::{Map, Value as Json, json};
use superstep::{
    ErrorKind, OpenAsk, RunQuery, RunRecord,
    dynamic::{Snapshot, state::Depth},
    runs::RunCost,
    text::single_line,
};
use superstep_agent::{AgentError, Notice, OpenAgent, Outcome, Turn, bad, plain};

use super::{
    question::{context, questions},
    transcript::transcript,
};
use crate::{
    app::App,
    owners::visitor::Visitor,
    records::thread::Record,
    refusal::{Refusal, answer},
    registry::Hosted,
};

/// The most runs of a thread that are looked at.
const RUNS: usize = 1000;

/// The most characters of a title.
const TITLE: usize = 200;

/// `GET /threads/{id}/view`
pub(crate) async fn get(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    caller: Visitor,
) -> Result<Response, Refusal> {
    let (id, record) = app.find_thread(&caller, &id).await?;
    Ok(answer(&app.view(&id, &record).await?))
}

impl App {
    async fn view(&self, id: &str, record: &Record) -> Result<Json, Refusal> {
        let thread = record.thread(id);
        let row = self.thread(id, record).await?;
        let newest = RunQuery {
            limit: Some(RUNS),
            ..RunQuery::default()
        };
        let runs = self.saver.runs().load_runs(&thread, &newest).await?;
        let hosted = record
            .graph()
            .and_then(|graph| self.registry.graph(graph).ok());
        let Some(hosted) = hosted else {
            let title = own_title(record);
            let seen = Seen::default();
            return Ok(shown(title, seen, &row, &runs, Vec::new()));
        };
        let state = match hosted.graph.state(&thread, None, Depth::Here).await {
            Ok(state) => Some(state),
            Err(error) if matches!(&*error.kind, ErrorKind::Saver(_)) => return Err(error.into()),
            // The row says why its graph cannot read it.
            Err(_) => None,
        };
        let mut agent = hosted.agent().await;
        let mut seen = match &state {
            Some(state) => Seen::of(hosted, &**agent, state, &row),
            None => Seen::failed(),
        };
        let mut report = Vec::new();
        // A run that failed left no result to report.
        if seen.is_finished() && error_text(&row).is_none() {
            match agent.review(&context(&thread)).await {
                Ok(reviewed) => {
                    if reviewed.exit.is_some() && seen.status == DONE {
                        seen.status = FAILED;
                    }
                    report = reviewed.notices;
                }
                Err(error) => report = vec![failed(&error)],
            }
        }
        let values = state.as_ref().map(|state| state.values.to_json());
        let values = values.unwrap_or_default();
        let turns = transcript(&**agent, &hosted.card, &values, &runs, &report);
        let asked = state.as_ref().map(|state| questions(&mut **agent, state));
        drop(agent);
        let title = title(record, hosted, &values, &turns);
        let notices = match report.is_empty() {
            true => error_of(&row).into_iter().collect(),
            false => report,
        };
        let mut view = shown(title, seen, &row, &runs, notices);
        if let Json::Object(fields) = &mut view {
            fields.insert("transcript".to_owned(), json!(turns));
            fields.insert("questions".to_owned(), asked.unwrap_or_default().into());
            let status = fields.get("outcome").and_then(|it| it.get("status"));
            let status = status.and_then(Json::as_str).unwrap_or_default().to_owned();
            fields.insert("actions".to_owned(), json!(actions(&status, hosted)));
        }
        Ok(view)
    }

    /// The title, the subtitle and the status of a thread, for a row of a list. `seen` is its state, if its graph can read
    /// it.
    pub(crate) async fn brief(
        &self,
        seen: Option<&(&Hosted, Snapshot)>,
        record: &Record,
        row: &Json,
    ) -> Json {
        let Some((hosted, state)) = seen else {
            let status = match row.get("status").and_then(Json::as_str) {
                Some("busy") => "running",
                Some("error") => FAILED,
                _ => "idle",
            };
            return json!({
                "title": own_title(record),
                "subtitle": error_text(row),
                "outcome": { "status": status },
            });
        };
        let seen = Seen::of(hosted, &**hosted.agent().await, state, row);
        let values = row.get("values").cloned().unwrap_or_default();
        json!({
            "title": title(record, hosted, &values, &[]),
            "subtitle": seen.subtitle,
            "outcome": { "status": seen.status },
        })
    }
}

/// The status of a thread without anything left to do.
const DONE: &str = "done";

/// The status of a thread without its result.
const FAILED: &str = "failed";

/// What people see of the state of a thread.
#[derive(Default)]
struct Seen {
    status: &'static str,
    subtitle: String,
}

impl Seen {
    fn failed() -> Self {
        Self {
            status: FAILED,
            subtitle: String::new(),
        }
    }

    fn of(hosted: &Hosted, agent: &dyn OpenAgent, state: &Snapshot, row: &Json) -> Self {
        let question = state.asks().next().map(OpenAsk::from);
        let standing = row.get("status").and_then(Json::as_str);
        let status = match standing.unwrap_or_default() {
            "busy" => "running",
            _ if question.is_some() => "waiting",
            "error" => FAILED,
            "interrupted" => "stopped",
            _ if state.checkpoint.is_none() => "idle",
            _ => match agent.outcome(&state.values.to_json()) {
                Outcome::Done => DONE,
                Outcome::Failed => FAILED,
                Outcome::Refused => "refused",
            },
        };
        let subtitle = match (&question, error_text(row)) {
            (Some(question), _) => agent.question_view(question).title,
            (None, Some(error)) => short(&error),
            (None, None) => label(hosted),
        };
        Self { status, subtitle }
    }

    /// Whether the agent can report a result.
    fn is_finished(&self) -> bool {
        matches!(self.status, DONE | FAILED | "refused")
    }
}

/// The view with what is known without an agent.
fn shown(title: String, seen: Seen, row: &Json, runs: &[RunRecord], notices: Vec<Notice>) -> Json {
    let usage = runs.iter().map(|run| run.cost);
    let usage = usage.fold(RunCost::default(), RunCost::and);
    let status = match seen.status {
        "" => "idle",
        status => status,
    };
    json!({
        "thread_id": row.get("thread_id"),
        "title": title,
        "subtitle": seen.subtitle,
        "status": row.get("status"),
        "outcome": { "status": status, "notices": notices },
        "transcript": [],
        "questions": [],
        "usage": {
            "calls": usage.calls,
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "micro_usd": usage.micro_usd,
            "unpriced": usage.unpriced,
        },
        "actions": [],
    })
}

/// What a person can do with a thread.
fn actions(status: &str, hosted: &Hosted) -> Vec<&'static str> {
    let follow_up = hosted.card.follow_up.as_ref().map(|_| "follow_up");
    let own = match status {
        "running" => Some("cancel"),
        "waiting" => Some("answer"),
        "stopped" => Some("resume"),
        FAILED => Some("retry"),
        _ => None,
    };
    let takes_more = matches!(status, DONE | FAILED | "refused");
    let follow_up = follow_up.filter(|_| takes_more);
    own.into_iter().chain(follow_up).collect()
}

/// The title of a thread: its own, or that of the agent, or the first words of the person.
fn title(record: &Record, hosted: &Hosted, values: &Json, turns: &[Turn]) -> String {
    let own = own_title(record);
    if !own.is_empty() {
        return own;
    }
    let of_card = hosted.card.title(values).map(|title| {
        let paths = hosted.card.paths_in(values);
        let is_path = paths.iter().any(|(_, path)| *path == title);
        // A path of a server is long, and its last part tells threads apart.
        let last = title.rsplit(['/', '\\']).find(|part| !part.is_empty());
        last.filter(|_| is_path).unwrap_or(title).to_owned()
    });
    let messages = || {
        let messages = values.get("messages").map(Turn::of_messages);
        let first = messages.unwrap_or_default().into_iter().next();
        first.and_then(|turn| turn.text)
    };
    let first = || turns.iter().find_map(|turn| turn.text.clone());
    let found = of_card.or_else(messages).or_else(first);
    short(&found.unwrap_or_else(|| label(hosted)))
}

/// The title that a client gave a thread.
fn own_title(record: &Record) -> String {
    let own = record.metadata.get("title").and_then(Json::as_str);
    short(own.unwrap_or_default())
}

fn label(hosted: &Hosted) -> String {
    super::ui::label(&hosted.card.name)
}

/// A text on one line, cut where it is too long for a title.
fn short(text: &str) -> String {
    let line = single_line(text);
    match line.char_indices().nth(TITLE) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

/// Why the last run of a thread failed.
fn error_text(row: &Json) -> Option<String> {
    let error: &Map<String, Json> = row.get("error")?.as_object()?;
    Some(error.get("message")?.as_str()?.to_owned())
}

fn error_of(row: &Json) -> Option<Notice> {
    let code = row.get("error")?.get("error").and_then(Json::as_str);
    let text = error_text(row)?;
    let code = code.map(|code| format!("{code}: ")).unwrap_or_default();
    Some(Notice::say([bad(code), plain(text)]))
}

/// A report that could not be made.
fn failed(error: &AgentError) -> Notice {
    Notice::say([bad(error.get().code()), plain(format!(": {error}"))])
}
