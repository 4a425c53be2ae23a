//! A call to one of Google's services.
//!
//! A call that is safe to repeat is repeated when the service is busy or out of reach; one that
//! is not is made once, and [`Failed`] says whether it may have had its effect. A token that is
//! refused is renewed once: a refused call had no effect, so this is safe for all of them.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use superstep::{
    Secret,
    http::{Client, Method, Response, StatusCode, Url, header, retry_after},
};

use super::{GoogleSettings, fault, fault::Failed, http, token::Keys};
use crate::MailError;

/// The most bytes of an answer: a mail of the largest size that the service takes, encoded.
pub(super) const MAX_ANSWER: usize = 96 << 20;

/// The bytes that go over a slow line in a second.
const SLOW_LINE: usize = 50_000;

/// A service of an account.
#[derive(Clone, Debug)]
pub(super) struct Api {
    pub(super) place: &'static str,
    pub(super) base: Url,
    pub(super) client: Client,
    pub(super) keys: Arc<Keys>,
    pub(super) settings: GoogleSettings,
}

/// One call.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) body: Option<Json>,
    /// The most bytes of its answer.
    pub(super) limit: usize,
    /// What is missing if the service does not find it.
    pub(super) what: String,
}

impl Api {
    /// An address below the service's, each piece encoded.
    pub(super) fn url(&self, path: &[&str], query: &[(&str, &str)]) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        url
    }

    /// A call that is safe to repeat.
    pub(super) async fn repeat<T: DeserializeOwned>(&self, call: Call) -> Result<T, Failed> {
        let backoff = self.settings.backoff;
        let rng = backoff.rng();
        let mut tried = 1;
        loop {
            let error = match self.once(&call).await {
                Ok(answer) => return Ok(answer),
                Err(Failed::Refused(error) | Failed::Unsure(error)) if error.is_transient() => {
                    error
                }
                Err(failed) => return Err(failed),
            };
            let asked = match &error {
                MailError::Busy { retry_after, .. } => retry_after.map(Duration::from_secs),
                _ => None,
            };
            // A service that is busy now is not asked at once, whatever it says.
            let asked = asked.map(|asked| asked.max(backoff.delay(tried)));
            let Some(wait) = backoff.wait(tried, asked, &rng) else {
                return Err(Failed::Unsure(error));
            };
            tokio::time::sleep(wait).await;
            tried += 1;
        }
    }

    /// A call that is made once.
    pub(super) async fn once<T: DeserializeOwned>(&self, call: &Call) -> Result<T, Failed> {
        let key = self.keys.current(&self.client).await?;
        let response = self.send(call, &key).await?;
        if response.status() != StatusCode::UNAUTHORIZED {
            return self.read(response, call).await;
        }
        let key = self.keys.renewed(&self.client, &key).await?;
        let response = self.send(call, &key).await?;
        self.read(response, call).await
    }

    async fn send(&self, call: &Call, key: &Secret) -> Result<Response, Failed> {
        let body = call.body.as_ref().map(Json::to_string);
        let size = body.as_ref().map_or(0, String::len);
        let request = self.client.request(call.method.clone(), call.url.clone());
        let request = request
            .timeout(self.settings.limit + slow(size))
            .bearer_auth(key.expose());
        let request = match body {
            Some(body) => request
                .header(header::CONTENT_TYPE, "application/json")
                .body(body),
            None => request,
        };
        let sent = self.client.send(request).await;
        sent.map_err(|error| http::failed(self.place, error))
    }

    async fn read<T: DeserializeOwned>(
        &self,
        response: Response,
        call: &Call,
    ) -> Result<T, Failed> {
        let status = response.status();
        if !status.is_success() {
            let retry_after = retry_after(response.headers(), SystemTime::now());
            let retry_after = retry_after.map(|wait| wait.as_secs());
            let body = response.read_some(http::MAX_FAILURE).await;
            let status = status.as_u16();
            return Err(fault::refusal(
                self.place, status, retry_after, &body, &call.what,
            ));
        }
        let body = http::bytes(self.place, response, call.limit).await?;
        // A call without an answer to give is read as null.
        let body: &[u8] = if body.is_empty() { b"null" } else { &body };
        serde_json::from_slice(body).map_err(|error| {
            Failed::Unsure(MailError::Refused {
                place: self.place.into(),
                why: format!("it answered what cannot be understood: {error}"),
            })
        })
    }
}

/// What so many bytes take on a slow line.
fn slow(size: usize) -> Duration {
    Duration::from_secs(u64::try_from(size / SLOW_LINE).unwrap_or(0))
}
