//! Owners: a named token sees the threads, runs, files and memory of that name, and no others.
//!
//! What belongs to another owner is answered as missing. A thread record is read only together with the check of its
//! caller (`records::threads`), so no handler can forget it. The layers here let every route of one thread, run or
//! assistant refuse alike, before it reads its body.

use std::{collections::HashMap, sync::Arc};

use axum::{
    extract::{Path, Request, State},
    http::{Method, StatusCode},
    middleware::Next,
    response::{IntoResponse, Response},
};
use superstep::{
    RunId,
    store::{Store, StoreError},
};

use crate::{
    app::App,
    forms::thread_name::{no_thread, public, thread_id},
    owners::{store::OwnerStore, visitor::Visitor},
    refusal::Refusal,
};

/// Answers for a thread, or for a run of one, only if it is the caller's. One that does not exist is for the
/// handler to say.
pub(crate) async fn own_thread(
    State(app): State<Arc<App>>,
    Path(names): Path<HashMap<String, String>>,
    caller: Visitor,
    request: Request,
    next: Next,
) -> Response {
    let of_thread = async {
        if let Some(id) = names.get("id") {
            app.check_owner(&caller, id).await?;
        } else if let Some(run) = names.get("run")
            && let Ok(run) = run.parse::<RunId>()
            && let Some(run) = app.saver.runs().load_run(run).await?
        {
            let is_own = app.check_owner(&caller, &public(&run.thread)).await;
            // The refusal of a thread would name it.
            is_own.map_err(|_| Refusal::no_run())?;
        }
        Ok::<_, Refusal>(())
    };
    match of_thread.await {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    }
}

/// Answers for an assistant that the caller may use, and changes only the caller's own.
pub(crate) async fn own_assistant(
    State(app): State<Arc<App>>,
    Path(names): Path<HashMap<String, String>>,
    caller: Visitor,
    request: Request,
    next: Next,
) -> Response {
    let id = names.get("id").map(String::as_str).unwrap_or_default();
    // What is not found the handler says.
    if let (Some(owner), Ok((id, found))) = (caller.owner(), app.assistant_named(id).await) {
        let is_shared = app.registry.graph(&found.graph_id);
        let is_shared = is_shared.is_ok_and(|hosted| hosted.is_for(Some(&owner)));
        if !is_shared || !caller.may_use(found.owner.as_deref()) {
            let why = format!("Assistant with ID {id} not found");
            return Refusal::missing(why).into_response();
        }
        let reads = request.method() == Method::GET || request.uri().path().ends_with("/versions");
        if !reads && found.owner != Some(owner) {
            let why = "this assistant is everybody's: make one of your own";
            return Refusal::new(StatusCode::FORBIDDEN, why).into_response();
        }
    }
    next.run(request).await
}

/// Answers those only who see everything.
pub(crate) async fn no_owner(caller: Visitor, request: Request, next: Next) -> Response {
    match caller.is_owner() {
        false => next.run(request).await,
        true => {
            let why = "this is for the token of the whole server, not for that of an owner";
            Refusal::new(StatusCode::FORBIDDEN, why).into_response()
        }
    }
}

impl App {
    /// Refuses a thread of another owner. One that does not exist is for its handler to refuse.
    pub(crate) async fn check_owner(&self, caller: &Visitor, thread: &str) -> Result<(), Refusal> {
        match thread_id(thread) {
            Ok(id) if caller.is_owner() => self.find_record(caller, &id).await.map(drop),
            _ => Ok(()),
        }
    }

    /// Refuses what is read of a thread unless that is the caller's now. A stream asks before each event: its thread may
    /// not have existed when the stream was opened, and may since be another owner's.
    pub(crate) async fn check_reader(&self, caller: &Visitor, id: &str) -> Result<(), Refusal> {
        if caller.is_owner() && self.find_record(caller, id).await?.is_none() {
            return Err(no_thread(id));
        }
        Ok(())
    }

    /// Refuses an assistant that a caller may not run.
    pub(crate) async fn check_assistant(&self, caller: &Visitor, id: &str) -> Result<(), Refusal> {
        let (_, found) = self.assistant(id).await?;
        let hosted = self.registry.graph(&found.graph_id)?;
        match caller.may_use(found.owner.as_deref()) && hosted.is_for(caller.name()) {
            true => Ok(()),
            false => Err(Refusal::missing(format!(
                "Assistant with ID {id} not found"
            ))),
        }
    }

    /// The long-term store as a caller sees it.
    pub(crate) fn store_of(&self, caller: &Visitor) -> Result<Arc<dyn Store>, StoreError> {
        Ok(match caller.name() {
            Some(owner) => Arc::new(OwnerStore::new(self.store.clone(), owner)?),
            None => self.store.clone(),
        })
    }
}
