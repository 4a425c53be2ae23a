//! The body of a request: a JSON object whose fields are read one by one.
//!
//! A field that is null counts as left out; fields that nobody reads are ignored, as clients expect.

use axum::{
    body::Bytes,
    extract::{FromRequest, Request},
    http::StatusCode,
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};

use crate::refusal::Refusal;

/// The body of a request.
#[derive(Debug)]
pub(crate) struct Payload(Map<String, Json>);

impl Payload {
    /// A field, taken out of the body.
    pub(crate) fn field<T: DeserializeOwned>(&mut self, name: &str) -> Result<Option<T>, Refusal> {
        let Some(value) = self.0.remove(name).filter(|value| !value.is_null()) else {
            return Ok(None);
        };
        let wrong = |error| Refusal::invalid(format!("`{name}`: {error}"));
        serde_json::from_value(value).map(Some).map_err(wrong)
    }

    /// A body of these fields.
    pub(crate) fn of(fields: Map<String, Json>) -> Self {
        Self(fields)
    }

    /// The whole body as one value.
    pub(crate) fn whole<T: DeserializeOwned>(self) -> Result<T, Refusal> {
        let wrong = |error| Refusal::invalid(format!("the body: {error}"));
        serde_json::from_value(Json::Object(self.0)).map_err(wrong)
    }

    /// A field as it is, left where it is.
    pub(crate) fn look(&self, name: &str) -> Json {
        self.0.get(name).cloned().unwrap_or_default()
    }

    /// A field that is one of some words.
    pub(crate) fn word<'a>(
        &mut self,
        name: &str,
        words: &[&'a str],
    ) -> Result<Option<&'a str>, Refusal> {
        let Some(given) = self.field::<String>(name)? else {
            return Ok(None);
        };
        let found = words.iter().find(|word| **word == given);
        let wrong = || Refusal::invalid(format!("`{name}` must be one of {}", words.join(", ")));
        found.copied().map(Some).ok_or_else(wrong)
    }

    /// A field that is an object; an empty one if it is left out.
    pub(crate) fn object(&mut self, name: &str) -> Result<Map<String, Json>, Refusal> {
        Ok(self.field(name)?.unwrap_or_default())
    }
}

impl<S: Send + Sync> FromRequest<S> for Payload {
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &S) -> Result<Self, Refusal> {
        match json(request, state).await? {
            None => Ok(Self(Map::new())),
            Some(Json::Object(fields)) => Ok(Self(fields)),
            Some(_) => Err(Refusal::invalid("the body must be a JSON object")),
        }
    }
}

/// A body that is a list of such objects.
#[derive(Debug)]
pub(crate) struct Payloads(pub(crate) Vec<Payload>);

impl<S: Send + Sync> FromRequest<S> for Payloads {
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &S) -> Result<Self, Refusal> {
        let wrong = || Refusal::invalid("the body must be a list of JSON objects");
        let Some(Json::Array(many)) = json(request, state).await? else {
            return Err(wrong());
        };
        let read = many.into_iter().map(|one| match one {
            Json::Object(fields) => Ok(Payload(fields)),
            _ => Err(wrong()),
        });
        Ok(Self(read.collect::<Result<_, _>>()?))
    }
}

/// The JSON of a body; nothing if it is empty.
async fn json<S: Send + Sync>(request: Request, state: &S) -> Result<Option<Json>, Refusal> {
    let body = Bytes::from_request(request, state).await;
    let body = body.map_err(|error| match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => {
            Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "the body is too large")
        }
        status => Refusal::new(status, error.body_text()),
    })?;
    if body.iter().all(u8::is_ascii_whitespace) {
        return Ok(None);
    }
    let read = serde_json::from_slice(&body);
    let wrong = |error| Refusal::invalid(format!("Invalid JSON: {error}"));
    read.map(Some).map_err(wrong)
}
