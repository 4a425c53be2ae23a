//! Answers that say no: `{"detail": "…"}` with the status that clients map to their errors.

use axum::{
    http::{StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
};
use serde_json::{Value as Json, json};
use superstep::{Category, ErrorKind, dynamic::Repeated, store::StoreError};

use crate::error::ServerError;

/// The field by which a client says that it means it: what was done since a checkpoint may be done again.
pub(crate) const REPEATS: &str = "repeat_effects";

/// An answer that says no.
#[derive(Debug)]
pub(crate) struct Refusal {
    status: StatusCode,
    detail: String,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        Self { status, detail }
    }

    /// What was sent does not have the form it must have.
    pub(crate) fn invalid(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, detail)
    }

    /// There is no such thing.
    pub(crate) fn missing(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, detail)
    }

    /// There is no such run, for this caller.
    pub(crate) fn no_run() -> Self {
        Self::missing("Run not found")
    }

    /// A run was to be taken back and is not, since what it did would be done a second time.
    pub(crate) fn kept(effects: Vec<Repeated>) -> Self {
        let error = superstep::Error::from(ErrorKind::RepeatsEffects { effects });
        let detail = format!(
            "The run was stopped, and its steps are kept ({}): {error}. A rollback with `{REPEATS}` \
             takes a run back all the same; a run from an earlier checkpoint with `{REPEATS}`: true \
             goes back now",
            error.code(),
        );
        Self::coded(error.code(), error.category(), detail)
    }

    pub(crate) fn status(&self) -> StatusCode {
        self.status
    }

    pub(crate) fn is_missing(&self) -> bool {
        self.status == StatusCode::NOT_FOUND
    }

    fn coded(code: &str, category: Category, detail: String) -> Self {
        // Clients expect 400 of an update that the graph does not take.
        let status = match code {
            "SS1108" | "SS1109" | "SS1110" => 400,
            // Sent by a client, as an edit; a node that returns one fails its run.
            "SS1004" => 422,
            _ => category.http_status(),
        };
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Self::new(status, detail)
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.detail)
    }
}

impl From<superstep::Error> for Refusal {
    fn from(error: superstep::Error) -> Self {
        let detail = match &*error.kind {
            ErrorKind::RepeatsEffects { .. } => format!(
                "{error}. Settle what nobody knows (resume the thread with `input`: null and answer what it asks), or send \
                 `{}`: true",
                REPEATS
            ),
            _ => error.to_string(),
        };
        Self::coded(error.code(), error.category(), detail)
    }
}

impl From<ServerError> for Refusal {
    fn from(error: ServerError) -> Self {
        let hint = error.hint().unwrap_or_default();
        let detail = format!("[{}] {error}; {hint}", error.code());
        Self::coded(error.code(), error.category(), detail)
    }
}

impl From<superstep::SaverError> for Refusal {
    fn from(error: superstep::SaverError) -> Self {
        Self::from(superstep::Error::from(error))
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        Self::coded(error.code(), error.category(), error.to_string())
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut response = answer(&json!({ "detail": self.detail }));
        *response.status_mut() = self.status;
        response
    }
}

/// A JSON answer.
pub(crate) fn answer(body: &Json) -> Response {
    ([(CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}
