//! Owners: who has a token with a name sees the threads, runs, files and memory of that name, and no others.
//!
//! What belongs to somebody else is answered as what is not there. Routes of one thread are guarded by the table of
//! routes itself (`own_thread`), so that no handler can forget it.

use std::{collections::HashMap, convert::Infallible, sync::Arc};

use axum::{
    extract::{FromRequestParts, Path, Request, State},
    http::{Method, StatusCode, request::Parts},
    middleware::Next,
    response::{IntoResponse, Response},
};
use superstep::{RunId, store::Store};

use crate::{
    app::App,
    assistant_record::Assistant,
    refusal::Refusal,
    thread_name::{no_thread, public, thread_id},
    thread_record::Record,
};

/// Who calls: an owner, or somebody who sees everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Visitor(Option<Arc<str>>);

impl Visitor {
    pub(crate) fn of(owner: Option<String>) -> Self {
        Self(owner.map(Into::into))
    }

    pub(crate) fn named(owner: Option<Arc<str>>) -> Self {
        Self(owner)
    }

    pub(crate) fn owner(&self) -> Option<String> {
        self.0.as_deref().map(str::to_owned)
    }

    /// Whether an assistant may be read and run: everybody's, or the caller's own.
    pub(crate) fn may_use(&self, assistant: &Assistant) -> bool {
        assistant.owner.is_none() || self.sees(assistant.owner.as_deref())
    }

    /// Whether something is shown, by whose it is.
    pub(crate) fn sees(&self, owner: Option<&str>) -> bool {
        self.0.is_none() || self.0.as_deref() == owner
    }
}

impl<S: Sync> FromRequestParts<S> for Visitor {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get().cloned().unwrap_or_default())
    }
}

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
        if !caller.may_use(&found) {
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
    match caller.0 {
        None => next.run(request).await,
        Some(_) => {
            let why = "this is for the token of the whole server, not for that of an owner";
            Refusal::new(StatusCode::FORBIDDEN, why).into_response()
        }
    }
}

impl App {
    /// Refuses a thread of somebody else.
    pub(crate) async fn check_owner(&self, caller: &Visitor, thread: &str) -> Result<(), Refusal> {
        let Ok(id) = thread_id(thread) else {
            return Ok(());
        };
        // Who sees everything need not look.
        if caller.0.is_none() {
            return Ok(());
        }
        match self.find_record(&id).await? {
            Some(record) if !caller.sees(record.owner.as_deref()) => Err(no_thread(&id)),
            _ => Ok(()),
        }
    }

    /// Refuses an assistant that a caller may not run.
    pub(crate) async fn check_assistant(&self, caller: &Visitor, id: &str) -> Result<(), Refusal> {
        let (_, found) = self.assistant(id).await?;
        let hosted = self.registry.graph(&found.graph_id)?;
        match caller.may_use(&found) && hosted.is_for(caller.0.as_deref()) {
            true => Ok(()),
            false => Err(Refusal::missing(format!(
                "Assistant with ID {id} not found"
            ))),
        }
    }

    /// Whether runs of an owner can be run here.
    pub(crate) fn knows_owner(&self, owner: Option<&str>) -> bool {
        owner.is_none_or(|owner| self.owner_stores.contains_key(owner))
    }

    /// All threads that a caller sees.
    pub(crate) async fn all_threads(
        &self,
        caller: &Visitor,
    ) -> Result<Vec<(String, Record)>, Refusal> {
        let mut all = self.served_threads().await?;
        all.retain(|(_, record)| caller.sees(record.owner.as_deref()));
        Ok(all)
    }

    /// The long-term store as a caller sees it.
    pub(crate) fn store_of(&self, caller: &Visitor) -> Arc<dyn Store> {
        let own = caller
            .0
            .as_ref()
            .and_then(|owner| self.owner_stores.get(owner));
        own.unwrap_or(&self.store).clone()
    }
}
