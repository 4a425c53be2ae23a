//! The client of the API: one call, over the hosts that answer.
//!
//! Every call carries `app_name`. A host that cannot be reached, is slow or fails is left for the next
//! one; a host that limits the rate is waited for as it asks. Calls that change something are sent
//! once. `hosts` knows which hosts there are and which may be asked, `secrets` takes keys out of replies.

mod hosts;
mod secrets;

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use serde_json::Value as Json;
use superstep::{
    http::{self, Address, Client, Egress, StatusCode, Url, header, retry_after},
    text::{Redactor, single_line},
};
use tokio::time::Instant;

use crate::{
    catalogue::{Method, Operation, ParameterIn, Parameters},
    error::Error,
    settings::ClientSettings,
};

use hosts::Hosts;
use secrets::{Secrets, without_secrets};

/// The most bytes of a refusal that are read, and characters of it that are shown.
const MAX_REFUSAL: usize = 64 << 10;
const MAX_WHY: usize = 300;

/// A client of the API.
#[derive(Debug)]
pub struct Audius {
    http: Client,
    settings: ClientSettings,
    hosts: Hosts,
    /// Knows the key and the token, which a host may repeat.
    secrets: Secrets,
}

/// A reply.
#[derive(Clone, Debug, PartialEq)]
pub struct Fetched {
    /// The host that answered.
    pub host: String,
    /// The address that was asked, without keys.
    pub url: String,
    /// The status.
    pub status: u16,
    /// The body.
    pub body: Json,
}

/// Why an attempt at one host has no reply.
enum Attempt {
    /// Another host will say the same.
    Final(Error),
    /// It wants to be asked later.
    Busy {
        why: String,
        after: Option<Duration>,
    },
    /// It did not answer, or failed.
    Down(String),
    /// Its answer cannot be read.
    Broken(String),
}

impl Audius {
    /// A client with these settings.
    pub fn new(settings: ClientSettings) -> Result<Self, Error> {
        let wrong = |why: String| Error::Settings { why };
        if settings.app_name.trim().is_empty() {
            return Err(wrong("the app name is empty".into()));
        }
        let http = Client::new(&http::Settings {
            connect: settings.timeout.min(Duration::from_secs(10)),
            egress: Egress::HttpsOrLoopback,
            redirects: 0,
            ..http::Settings::default()
        });
        let http = http.map_err(|error| wrong(error.to_string()))?;
        let hosts = Hosts::new(&settings)?;
        let secrets = Secrets::of(&settings)?;
        Ok(Self {
            http,
            settings,
            hosts,
            secrets,
        })
    }

    /// What takes its key and its token out of texts.
    pub(crate) fn redactor(&self) -> &Arc<Redactor> {
        &self.secrets.redactor
    }

    /// The name of the one host that gets a call which a person approves, for [`Audius::bound`].
    pub(crate) fn bind(&self, sticky: Option<&str>) -> String {
        let host = self.hosts.one(&self.settings, sticky);
        let is_first = host.as_ref() == self.hosts.written().first();
        match (&self.settings.alias, host) {
            (Some(alias), _) if is_first => alias.clone(),
            (_, host) => host.map(|host| host.to_string()).unwrap_or_default(),
        }
    }

    /// The host that a call was approved for, if it may be asked with these settings.
    pub(crate) fn bound(&self, name: &str) -> Result<Address, Error> {
        let first = || self.hosts.written().first().cloned();
        let host = match self.settings.alias.as_deref() == Some(name) {
            true => first(),
            false => Address::new(name)
                .ok()
                .filter(|host| self.hosts.has(host, &self.settings)),
        };
        host.ok_or_else(|| Error::OtherHost {
            asked: single_line(name),
            here: self.names().join(", "),
        })
    }

    /// The hosts of the settings, as a person knows them.
    pub(crate) fn names(&self) -> Vec<String> {
        let written = self.hosts.written().iter().map(ToString::to_string);
        let alias = self.settings.alias.clone();
        let left = usize::from(alias.is_some());
        alias.into_iter().chain(written.skip(left)).collect()
    }

    /// Its settings.
    pub fn settings(&self) -> &ClientSettings {
        &self.settings
    }

    /// Makes a call whose parameters were checked. What anybody may read is read from the host that answered
    /// before or another one, anything else from the very host that is named.
    pub async fn call(
        &self,
        operation: &Operation,
        parameters: &Parameters,
        host: Option<&str>,
    ) -> Result<Fetched, Error> {
        let ends = Instant::now() + self.settings.deadline;
        let hosts = match (operation.is_public(), host) {
            (true, sticky) => {
                let hosts = self.hosts.in_order(&self.http, &self.settings, sticky);
                hosts.await
            }
            (false, Some(host)) => vec![self.bound(host)?],
            (false, None) => vec![self.bound(&self.bind(None))?],
        };
        let (backoff, rng) = (self.settings.backoff, self.settings.backoff.rng());
        let mut tried = 0;
        loop {
            tried += 1;
            let mut seen: Vec<String> = Vec::new();
            let mut broken = None;
            let mut busy = None;
            for host in &hosts {
                let left = ends.saturating_duration_since(Instant::now());
                match self.once(host, operation, parameters, left).await {
                    Ok(fetched) => {
                        self.hosts.answered(host);
                        return Ok(fetched);
                    }
                    Err(Attempt::Final(error)) => return Err(error),
                    Err(Attempt::Busy { why, after }) => {
                        busy = Some((why, after));
                        break;
                    }
                    Err(Attempt::Down(why)) => seen.push(format!("{}: {why}", host.host())),
                    Err(Attempt::Broken(why)) => {
                        seen.push(format!("{}: {why}", host.host()));
                        broken = Some(why);
                    }
                }
                self.hosts.failed(host);
            }
            let asked = busy.as_ref().and_then(|(_, after)| *after);
            let wait = match operation.is_read() {
                true => backoff.wait(tried, asked, &rng),
                false => None,
            };
            let wait = wait.filter(|wait| Instant::now() + *wait < ends);
            let Some(wait) = wait else {
                return Err(match (busy, broken) {
                    (Some((why, after)), _) => Error::RateLimited {
                        why,
                        retry_after: after.map(|after| after.as_secs()),
                    },
                    (None, Some(why)) => Error::Malformed {
                        operation: operation.id.clone(),
                        why,
                    },
                    (None, None) => Error::Unreachable {
                        why: seen.join("; "),
                    },
                });
            };
            tokio::time::sleep(wait).await;
        }
    }

    async fn once(
        &self,
        host: &Address,
        operation: &Operation,
        parameters: &Parameters,
        left: Duration,
    ) -> Result<Fetched, Attempt> {
        if self.settings.offline && !host.is_local() {
            return Err(Attempt::Down(
                "not asked, as only this machine may be".into(),
            ));
        }
        let url = address(host, operation, parameters);
        let shown = url.to_string();
        let method = match operation.method {
            Method::Get => http::Method::GET,
            Method::Post => http::Method::POST,
            Method::Put => http::Method::PUT,
            Method::Delete => http::Method::DELETE,
        };
        let mut whole = url;
        whole
            .query_pairs_mut()
            .append_pair("app_name", &self.settings.app_name);
        if let Some(key) = &self.settings.api_key {
            whole.query_pairs_mut().append_pair("api_key", key.expose());
        }
        let mut request = self.http.request(method, whole);
        request = request.timeout(self.settings.timeout.min(left));
        request = request.header(header::ACCEPT, "application/json");
        if let Some(token) = &self.settings.token
            && (!operation.is_read() || operation.is_private())
        {
            request = request.bearer_auth(token.expose());
        }
        if let Some(body) = parameters.get("body") {
            request = request
                .header(header::CONTENT_TYPE, "application/json")
                .body(body.to_string());
        }
        let response = self.http.send(request).await.map_err(|error| match error {
            http::Error::Redirected { .. } => Attempt::Final(Error::Malformed {
                operation: operation.id.clone(),
                why: self.said(&error.to_string()),
            }),
            error => Attempt::Down(self.said(&error.to_string())),
        })?;
        let status = response.status();
        if !status.is_success() {
            let after = retry_after(response.headers(), SystemTime::now());
            let body = response.read_some(MAX_REFUSAL).await;
            return Err(self.refusal(operation, parameters, (status, after, &body)));
        }
        let body = response.read(self.settings.max_bytes).await;
        let body = body.map_err(|error| match error {
            http::Error::TooLarge { .. } | http::Error::Encoded => {
                Attempt::Final(Error::Malformed {
                    operation: operation.id.clone(),
                    why: format!("it has {error}"),
                })
            }
            error => Attempt::Down(self.said(&error.to_string())),
        })?;
        let body = match body.is_empty() {
            // A write may answer with nothing.
            true if !operation.is_read() => Json::Null,
            _ => serde_json::from_slice(&body)
                .map_err(|error| Attempt::Broken(format!("it is no JSON: {error}")))?,
        };
        Ok(Fetched {
            host: host.to_string(),
            url: shown,
            status: status.as_u16(),
            body: without_secrets(body, &self.secrets),
        })
    }

    /// What a status means, with the words that came along.
    fn refusal(
        &self,
        operation: &Operation,
        parameters: &Parameters,
        (status, after, body): (StatusCode, Option<Duration>, &[u8]),
    ) -> Attempt {
        let words = serde_json::from_slice::<Json>(body).ok().and_then(|body| {
            let keys = ["error", "message", "detail"];
            let text = |key: &&str| body.get(key)?.as_str().map(str::to_owned);
            keys.iter().find_map(text)
        });
        let why = words.map_or_else(
            || format!("status {}", status.as_u16()),
            |words| self.said(&words),
        );
        match status.as_u16() {
            429 => Attempt::Busy { why, after },
            404 => {
                let names = operation.path_parameters();
                let what = names.map(|name| {
                    let value = parameters.get(name).map(text).unwrap_or_default();
                    format!("{name} `{}`", self.said(&value))
                });
                let what: Vec<String> = what.collect();
                let what = match what.as_slice() {
                    [] => format!("what {} asks for", operation.id),
                    what => format!("{} for {}", what.join(" and "), operation.id),
                };
                Attempt::Final(Error::Missing { what })
            }
            500.. => Attempt::Down(why),
            status => Attempt::Final(Error::Denied {
                operation: operation.id.clone(),
                status,
                why,
            }),
        }
    }

    /// Words of others: one line, without secrets, not many.
    fn said(&self, text: &str) -> String {
        let line = single_line(&self.secrets.text(text));
        line.chars().take(MAX_WHY).collect()
    }
}

/// The address of a call, without what every call carries.
fn address(host: &Address, operation: &Operation, parameters: &Parameters) -> Url {
    let mut url = host.at("");
    let mut parts: Vec<String> = vec!["v1".into()];
    for part in operation.path.split('/').filter(|part| !part.is_empty()) {
        let name = part
            .strip_prefix('{')
            .and_then(|part| part.strip_suffix('}'));
        let value = name.and_then(|name| parameters.get(name));
        parts.push(value.map_or_else(|| part.to_owned(), text));
    }
    if let Ok(mut segments) = url.path_segments_mut() {
        segments.pop_if_empty().extend(&parts);
    }
    let query = operation
        .parameters
        .iter()
        .filter(|it| it.place == ParameterIn::Query);
    for parameter in query {
        let Some(value) = parameters.get(&parameter.name) else {
            continue;
        };
        let one = std::slice::from_ref(value);
        for item in value.as_array().map_or(one, Vec::as_slice) {
            url.query_pairs_mut()
                .append_pair(&parameter.name, &text(item));
        }
    }
    url
}

fn text(value: &Json) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}
