//! The query of a request: parameters that may come several times.

use axum::{
    extract::{FromRequestParts, Query},
    http::request::Parts,
};

use crate::refusal::Refusal;

/// The parameters of a query.
#[derive(Debug)]
pub(crate) struct Params(Vec<(String, String)>);

impl Params {
    /// All values of a parameter.
    pub(crate) fn all(&self, name: &str) -> Vec<&str> {
        let is_it = |(key, _): &&(String, String)| key == name;
        let found = self.0.iter().filter(is_it);
        found.map(|(_, value)| &**value).collect()
    }

    /// The last value of a parameter.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.all(name).pop()
    }

    /// Whether a parameter says yes.
    pub(crate) fn flag(&self, name: &str) -> bool {
        matches!(self.get(name), Some("1" | "true" | "True"))
    }

    pub(crate) fn number(&self, name: &str) -> Result<Option<usize>, Refusal> {
        let wrong = |error| Refusal::invalid(format!("`{name}`: {error}"));
        let given = self.get(name).map(str::parse);
        given.transpose().map_err(wrong)
    }

    /// A parameter that is one of some words.
    pub(crate) fn word<'a>(
        &self,
        name: &str,
        words: &[&'a str],
    ) -> Result<Option<&'a str>, Refusal> {
        let Some(given) = self.get(name) else {
            return Ok(None);
        };
        let found = words.iter().find(|word| **word == given);
        let wrong = || Refusal::invalid(format!("`{name}` must be one of {}", words.join(", ")));
        found.copied().map(Some).ok_or_else(wrong)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Params {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refusal> {
        let read = Query::<Vec<(String, String)>>::try_from_uri(&parts.uri);
        let wrong = |error| Refusal::invalid(format!("the query cannot be read: {error}"));
        Ok(Self(read.map_err(wrong)?.0))
    }
}
