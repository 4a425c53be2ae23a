//! `/threads`: made, read, changed, removed and found.

mod adopt;
pub(crate) mod answer;
pub(crate) mod branches;
pub(crate) mod protocol;
mod search;
pub(crate) mod state;
pub(crate) mod stream;
pub(crate) mod trace;
mod view;

use std::sync::Arc;

use axum::{
    extract::{Path, State},
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::Value as Json;
use superstep::{
    ThreadId,
    dynamic::{DynUpdate, GraphPath, state::Depth},
    saver::At,
};

use self::{
    search::ThreadSearch,
    state::{StateUpdate, update_of},
};
use crate::{
    app::App,
    forms::thread_name::{no_thread, thread_id},
    owners::visitor::Visitor,
    records::thread::Record,
    refusal::{Refusal, answer},
    request::{page::Page, payload::Payload},
};

const SORTABLE: &[&str] = &[
    "created_at", "state_updated_at", "status", "thread_id", "updated_at",
];

/// A step that a new thread begins with.
#[derive(serde::Deserialize)]
struct Superstep {
    updates: Vec<StateUpdate>,
}

/// `POST /threads`
pub(crate) async fn create(
    State(app): State<Arc<App>>,
    caller: Visitor,
    mut body: Payload,
) -> Result<Response, Refusal> {
    let id = match body.field::<String>("thread_id")? {
        Some(id) => thread_id(&id)?,
        None => app.new_id(),
    };
    let if_exists = body.word("if_exists", &["raise", "do_nothing"])?;
    if body.field::<Json>("ttl")?.is_some() {
        let why = "`ttl` is not supported: threads stay until they are deleted";
        return Err(Refusal::invalid(why));
    }
    let mut metadata = body.object("metadata")?;
    let graph: Option<String> = body.field("graph_id")?;
    if let (Some(graph), false) = (graph, metadata.contains_key("graph_id")) {
        metadata.insert("graph_id".to_owned(), graph.into());
    }
    let record = Record::new(metadata).of(caller.owner());
    app.check_files(&caller, &body.look("supersteps")).await?;
    let steps = body
        .field::<Vec<Superstep>>("supersteps")?
        .unwrap_or_default();
    let steps = steps.into_iter().map(|step| {
        let updates = step.updates.into_iter().map(update_of);
        updates.collect::<Result<Vec<DynUpdate>, Refusal>>()
    });
    let steps = steps.collect::<Result<Vec<_>, _>>()?;
    // What the thread is to begin with must fit before there is a thread.
    let graph = match (steps.is_empty(), record.graph()) {
        (true, _) => None,
        (false, Some(graph)) => Some(app.registry.graph_for(graph, caller.owner().as_deref())?),
        (false, None) => return Err(Refusal::invalid("`supersteps` need a `graph_id`")),
    };
    if let Some(hosted) = graph {
        let mut updates = steps.iter().flatten();
        updates.try_for_each(|update| hosted.graph.check_update(None, update))?;
    }
    let is_stored = graph.is_some() && app.is_stored(&record.thread(&id)).await?;
    if !app.make_thread(&id, &record).await? {
        let there = app.threads.find(&caller, &id).await;
        return match (if_exists, there) {
            (Some("do_nothing"), Ok(Some(there))) => Ok(answer(&app.thread(&id, &there).await?)),
            _ => {
                let why = format!("Thread with ID {id} already exists");
                Err(Refusal::new(StatusCode::CONFLICT, why))
            }
        };
    }
    if let Some(hosted) = graph {
        let thread = record.thread(&id);
        app.mark_edited(&thread).await?;
        let made = hosted.graph.bulk_update(&thread, None, steps);
        if let Err(error) = made.await {
            // What another program stored stays.
            if !is_stored {
                app.delete_thread(&id, &record).await?;
            }
            return Err(error.into());
        }
    }
    app.events
        .change(&record.thread(&id), record.owner.as_deref());
    Ok(answer(&app.thread(&id, &record).await?))
}

/// `GET /threads/{id}`
pub(crate) async fn get(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    caller: Visitor,
) -> Result<Response, Refusal> {
    let (id, record) = app.find_thread(&caller, &id).await?;
    Ok(answer(&app.thread(&id, &record).await?))
}

/// `PATCH /threads/{id}`
pub(crate) async fn patch(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    caller: Visitor,
    mut body: Payload,
) -> Result<Response, Refusal> {
    let id = thread_id(&id)?;
    let metadata = body.object("metadata")?;
    let (_, record) = app.find_thread(&caller, &id).await?;
    let thread = record.thread(&id);
    // A thread of one graph is not given to another, which could not read it.
    let graph = metadata.get("graph_id").and_then(Json::as_str);
    if let Some(Ok(hosted)) = graph.map(|graph| app.registry.graph(graph)) {
        hosted.graph.state(&thread, None, Depth::Here).await?;
    }
    let record = app.threads.merge(&caller, &thread, metadata).await?;
    app.events.change(&thread, record.owner.as_deref());
    Ok(answer(&app.thread(&id, &record).await?))
}

/// `DELETE /threads/{id}`
pub(crate) async fn delete(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    caller: Visitor,
) -> Result<Response, Refusal> {
    let (id, record) = app.find_thread(&caller, &id).await?;
    app.delete_thread(&id, &record).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// `POST /threads/{id}/copy`
pub(crate) async fn copy(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    caller: Visitor,
) -> Result<Response, Refusal> {
    let (id, record) = app.find_thread(&caller, &id).await?;
    let to = app.new_id();
    let (from, into) = (record.thread(&id), ThreadId::from(&*to));
    let copy = Record::new(record.metadata).of(record.owner);
    // One that was imported stays so in its copy, from before the copy is there.
    app.provenance().copy(&from, &into).await?;
    app.threads.make(&to, &copy).await?;
    let root = GraphPath::default();
    if app.saver.load(&from, &root, At::Latest).await?.is_some()
        && let Err(error) = app.saver.copy(&from, &into).await
    {
        app.delete_thread(&to, &copy).await?;
        return Err(error.into());
    }
    // An edit may have marked the thread while it was copied.
    app.provenance().copy(&from, &into).await?;
    app.events.change(&into, copy.owner.as_deref());
    Ok(answer(&app.thread(&to, &copy).await?))
}

/// `POST /threads/search`
pub(crate) async fn search(
    State(app): State<Arc<App>>,
    caller: Visitor,
    mut body: Payload,
) -> Result<Response, Refusal> {
    let page = Page::of(&mut body, SORTABLE)?;
    let wanted = ThreadSearch::of(&mut body, page.selects("view"))?;
    let (by, is_ascending) = page.order();
    let found = app.find_threads(&caller, &wanted, by, is_ascending, page.enough());
    Ok(page.answer_in_order(found.await?))
}

/// `POST /threads/count`
pub(crate) async fn count(
    State(app): State<Arc<App>>,
    caller: Visitor,
    mut body: Payload,
) -> Result<Response, Refusal> {
    let is_grouped = body.word("group_by", &["status"])?.is_some();
    let wanted = ThreadSearch::of(&mut body, false)?;
    if is_grouped {
        return Ok(answer(&app.count_by_status(&caller, &wanted).await?));
    }
    Ok(answer(&app.count_threads(&caller, &wanted).await?.into()))
}

impl App {
    /// Removes a thread with all that belongs to it.
    pub(crate) async fn delete_thread(&self, id: &str, record: &Record) -> Result<(), Refusal> {
        let thread = record.thread(id);
        let calls = self.calls_left(&thread).await?;
        self.saver.delete(&thread).await?;
        for call in calls {
            tokio::spawn(call);
        }
        // A mark that stays behind trusts less, not more.
        self.provenance().forget(&thread).await?;
        self.events.change(&thread, record.owner.as_deref());
        Ok(())
    }

    /// The record of a thread that a caller named and may see, and the thread's id in its usual form.
    pub(crate) async fn find_thread(
        &self,
        caller: &Visitor,
        id: &str,
    ) -> Result<(String, Record), Refusal> {
        let id = thread_id(id)?;
        match self.find_record(caller, &id).await? {
            Some(record) => Ok((id, record)),
            None => Err(no_thread(&id)),
        }
    }

    /// The record of a thread, by its id in its usual form. One that the caller may not see is refused as missing.
    pub(crate) async fn find_record(
        &self,
        caller: &Visitor,
        id: &str,
    ) -> Result<Option<Record>, Refusal> {
        match self.threads.find(caller, id).await? {
            Some(record) => Ok(Some(record)),
            None => self.find_stored(caller, id).await,
        }
    }

    /// A thread in its storage, by its id. It need not exist.
    pub(crate) async fn stored_thread(
        &self,
        caller: &Visitor,
        id: &str,
    ) -> Result<ThreadId, Refusal> {
        let record = self.find_record(caller, id).await?;
        Ok(record.map_or_else(|| ThreadId::from(id), |record| record.thread(id)))
    }
}
