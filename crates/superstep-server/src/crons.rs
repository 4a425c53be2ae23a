//! `/runs/crons`: runs by a schedule.

mod clock;

use std::sync::Arc;

use axum::{
    extract::{Path, State},
    http::StatusCode,
    response::{IntoResponse, Response},
};
use jiff::Timestamp;
use serde_json::{Map, Value as Json, json};
use uuid::Uuid;

use crate::{
    app::App,
    owners::visitor::Visitor,
    records::cron::Cron,
    refusal::{Refusal, answer},
    request::{matching::has_all, page::Page, payload::Payload},
    runs::request::RunRequest,
    time,
};

const SORTABLE: &[&str] = &[
    "assistant_id", "created_at", "cron_id", "end_time", "next_run_date", "thread_id", "updated_at",
];

/// What says when, not what.
const OWN: &[&str] = &[
    "schedule", "timezone", "end_time", "enabled", "on_run_completed",
];

/// `POST /runs/crons`: each run on a thread of its own.
pub(crate) async fn create(
    State(app): State<Arc<App>>,
    caller: Visitor,
    body: Payload,
) -> Result<Response, Refusal> {
    app.make_cron(&caller, None, body).await
}

/// `POST /threads/{id}/runs/crons`: all runs on one thread.
pub(crate) async fn create_on(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    caller: Visitor,
    body: Payload,
) -> Result<Response, Refusal> {
    let (id, _) = app.find_thread(&caller, &id).await?;
    app.make_cron(&caller, Some(id), body).await
}

/// `GET /runs/crons/{cron}`
pub(crate) async fn get(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    caller: Visitor,
) -> Result<Response, Refusal> {
    let (id, cron) = app.find_cron(&caller, &id).await?;
    Ok(answer(&cron.shown(&id)))
}

/// `PATCH /runs/crons/{cron}`
pub(crate) async fn patch(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    caller: Visitor,
    body: Payload,
) -> Result<Response, Refusal> {
    let (id, mut cron) = app.find_cron(&caller, &id).await?;
    let given: Map<String, Json> = body.whole()?;
    change(&mut cron, given)?;
    cron.next = cron.due_after(time::now())?;
    app.check_payload(&cron).await?;
    let changed = app.crons.change(&id, |there| {
        let (created, owner) = (there.created, there.owner.clone());
        there.clone_from(&cron);
        (there.created, there.updated) = (created, time::now());
        there.owner = owner;
    });
    let changed = changed.await?.ok_or_else(no_cron)?;
    app.cron_changed.notify_one();
    Ok(answer(&changed.shown(&id)))
}

/// `DELETE /runs/crons/{cron}`
pub(crate) async fn delete(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    caller: Visitor,
) -> Result<Response, Refusal> {
    let (id, _) = app.find_cron(&caller, &id).await?;
    app.crons.forget(&id).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// `POST /runs/crons/search`
pub(crate) async fn search(
    State(app): State<Arc<App>>,
    caller: Visitor,
    mut body: Payload,
) -> Result<Response, Refusal> {
    let page = Page::of(&mut body, SORTABLE)?;
    Ok(page.answer(found(&app, &caller, &mut body).await?))
}

/// `POST /runs/crons/count`
pub(crate) async fn count(
    State(app): State<Arc<App>>,
    caller: Visitor,
    mut body: Payload,
) -> Result<Response, Refusal> {
    let found = found(&app, &caller, &mut body).await?;
    Ok(answer(&found.len().into()))
}

async fn found(app: &App, caller: &Visitor, body: &mut Payload) -> Result<Vec<Json>, Refusal> {
    let mut wanted = Map::new();
    for name in ["assistant_id", "thread_id", "enabled"] {
        let value: Option<Json> = body.field(name)?;
        wanted.extend(value.map(|value| (name.to_owned(), value)));
    }
    let metadata = body.object("metadata")?;
    wanted.insert("metadata".to_owned(), Json::Object(metadata));
    let wanted = Json::Object(wanted);
    let all = app.crons.all().await?;
    let own = all
        .iter()
        .filter(|(_, cron)| caller.sees(cron.owner.as_deref()));
    let rows = own.map(|(id, cron)| cron.shown(id));
    Ok(rows.filter(|row| has_all(row, &wanted)).collect())
}

/// Puts what a request gives into a schedule.
fn change(cron: &mut Cron, given: Map<String, Json>) -> Result<(), Refusal> {
    let wrong = |name: &str, what: &str| Refusal::invalid(format!("`{name}` must be {what}"));
    for (name, value) in given {
        if value.is_null() {
            continue;
        }
        let text = || value.as_str().map(str::to_owned);
        match &*name {
            "schedule" => cron.schedule = text().ok_or_else(|| wrong(&name, "text"))?,
            "timezone" => cron.timezone = Some(text().ok_or_else(|| wrong(&name, "text"))?),
            "enabled" => {
                cron.enabled = value
                    .as_bool()
                    .ok_or_else(|| wrong(&name, "true or false"))?;
            }
            "on_run_completed" => {
                cron.keeps_threads = match value.as_str() {
                    Some("keep") => true,
                    Some("delete") => false,
                    _ => return Err(wrong(&name, "keep or delete")),
                };
            }
            "end_time" => {
                let read = value
                    .as_str()
                    .and_then(|text| text.parse::<Timestamp>().ok());
                let end =
                    read.ok_or_else(|| wrong(&name, "a time such as 2026-11-15T00:00:00Z"))?;
                cron.end_time = Some(end.as_microsecond());
            }
            "metadata" => match &value {
                Json::Object(metadata) => cron.metadata.extend(metadata.clone()),
                _ => return Err(wrong(&name, "an object")),
            },
            _ => {}
        }
        cron.payload.insert(name, value);
    }
    Ok(())
}

impl App {
    async fn make_cron(
        &self,
        caller: &Visitor,
        thread: Option<String>,
        body: Payload,
    ) -> Result<Response, Refusal> {
        let given: Map<String, Json> = body.whole()?;
        let Some(assistant) = given.get("assistant_id").and_then(Json::as_str) else {
            return Err(Refusal::invalid("`assistant_id` is missing"));
        };
        let (assistant, _) = self.assistant_named(assistant).await?;
        let now = time::now();
        let mut cron = Cron {
            assistant_id: assistant,
            thread_id: thread,
            schedule: String::new(),
            timezone: None,
            end_time: None,
            payload: Map::new(),
            metadata: Map::new(),
            keeps_threads: false,
            enabled: true,
            next: None,
            created: now,
            updated: now,
            owner: caller.owner(),
        };
        change(&mut cron, given)?;
        cron.payload
            .insert("assistant_id".to_owned(), (&*cron.assistant_id).into());
        cron.next = cron.due_after(now)?;
        self.check_payload(&cron).await?;
        let id = self.new_id();
        self.crons.make(&id, &cron).await?;
        self.cron_changed.notify_one();
        Ok(answer(&cron.shown(&id)))
    }

    /// Refuses what no run could be started with.
    async fn check_payload(&self, cron: &Cron) -> Result<(), Refusal> {
        let request =
            RunRequest::read_scheduled(self, cron.owner.clone(), &mut cron_body("", cron)).await?;
        let owner = Visitor::of(cron.owner.clone());
        let given = Json::Object(cron.payload.clone());
        self.check_files(&owner, &given).await?;
        self.check_run(&owner, &request).await
    }

    async fn find_cron(&self, caller: &Visitor, id: &str) -> Result<(String, Cron), Refusal> {
        let wrong = |_| Refusal::invalid("Invalid cron ID: must be a UUID");
        let id = Uuid::parse_str(id).map_err(wrong)?.to_string();
        let cron = self.crons.find(&id).await?;
        // What is somebody else's is not there.
        let cron = cron.filter(|cron| caller.sees(cron.owner.as_deref()));
        Ok((id, cron.ok_or_else(no_cron)?))
    }
}

/// What a client would ask of a run of a schedule.
pub(crate) fn cron_body(id: &str, cron: &Cron) -> Payload {
    let mut fields = cron.payload.clone();
    for name in OWN {
        fields.remove(*name);
    }
    let mut metadata = cron.metadata.clone();
    metadata.insert("cron_id".to_owned(), json!(id));
    fields.insert("metadata".to_owned(), Json::Object(metadata));
    let keeps = if cron.keeps_threads { "keep" } else { "delete" };
    fields.insert("on_completion".to_owned(), keeps.into());
    Payload::of(fields)
}

fn no_cron() -> Refusal {
    Refusal::missing("Not Found")
}
