//! MCP transport over HTTP: one POST per message, answered with JSON or server-sent events.
//!
//! The client is the one that models use: no redirects, no plain HTTP but to this machine, no
//! proxy that could read along, no compression. A stream that breaks is not resumed: what it would
//! have answered is unknown.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use serde_json::Value as Json;
use superstep_http::{
    Client, Error, Method, RequestBuilder, Response, Settings, StatusCode, Url,
    header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue},
};
use tokio::time::timeout;

use super::{
    at::Endpoint,
    changed::Changed,
    fault::Fault,
    version::WITHOUT_HANDSHAKE,
    wire::{self, Incoming},
};
use superstep_core::sync::lock;

const SESSION: &str = "mcp-session-id";

/// How long telling a server something that changes nothing here may take.
const ASIDE: Duration = Duration::from_secs(5);

/// A server at an address. Clones are the same.
#[derive(Clone)]
pub(super) struct Web(Arc<WebInner>);

struct WebInner {
    http: Client,
    url: Url,
    headers: HeaderMap,
    spoken: Mutex<Spoken>,
    next: AtomicU64,
    gone: AtomicBool,
    changed: Changed,
    max_bytes: usize,
}

/// What was agreed on.
#[derive(Clone, Default)]
struct Spoken {
    version: Option<&'static str>,
    session: Option<HeaderValue>,
}

impl Web {
    pub(super) fn open(
        endpoint: &Endpoint,
        max_bytes: usize,
        changed: Changed,
    ) -> Result<Self, Fault> {
        let unsent = |why: &dyn ToString| Fault::Unsent(why.to_string());
        let url = Url::parse(&endpoint.url).map_err(|error| unsent(&error))?;
        let settings = Settings::default();
        settings
            .egress
            .check(&url)
            .map_err(|error| unsent(&error))?;
        let http = Client::new(&settings).map_err(|error| unsent(&error))?;
        Ok(Self(Arc::new(WebInner {
            http,
            url,
            headers: headers(&endpoint.headers)?,
            spoken: Mutex::default(),
            next: AtomicU64::new(1),
            gone: AtomicBool::new(false),
            changed,
            max_bytes,
        })))
    }

    /// Says the version from now on.
    pub(super) fn speak(&self, version: &'static str) {
        self.spoken().version = Some(version);
    }

    pub(super) async fn request(
        &self,
        method: &str,
        params: &Json,
        limit: Duration,
    ) -> Result<Json, Fault> {
        let id = self.0.next.fetch_add(1, Ordering::SeqCst);
        let mut open = Open {
            web: self,
            id,
            replied: false,
        };
        let message = wire::request(id, method, params);
        let replied = timeout(limit, self.exchange(id, &message)).await;
        open.replied = replied.is_ok();
        replied.unwrap_or_else(|_| {
            let why = format!("no reply came within {limit:?}");
            Err(Fault::Lost(why))
        })
    }

    pub(super) async fn notify(&self, message: &Json, limit: Duration) -> Result<(), Fault> {
        let sent = timeout(limit, self.0.http.send(self.post(message))).await;
        let sent = sent.map_err(|_| Fault::Unsent(format!("no reply came within {limit:?}")))?;
        let response = sent.map_err(failed)?;
        match response.status().is_success() {
            true => Ok(()),
            false => Err(status(response.status())),
        }
    }

    pub(super) fn is_open(&self) -> bool {
        !self.0.gone.load(Ordering::SeqCst)
    }

    /// Ends the session, if the server keeps one.
    pub(super) async fn close(&self) {
        self.0.gone.store(true, Ordering::SeqCst);
        let Spoken { version, session } = self.spoken().clone();
        let Some(session) = session else {
            return;
        };
        let request = self.0.http.request(Method::DELETE, self.0.url.clone());
        let mut request = request
            .headers(self.0.headers.clone())
            .header(SESSION, session);
        if let Some(version) = version {
            request = request.header("mcp-protocol-version", version);
        }
        // A server that does not end it will forget it.
        let _ = timeout(ASIDE, self.0.http.send(request)).await;
    }

    fn post(&self, message: &Json) -> RequestBuilder {
        let Spoken { version, session } = self.spoken().clone();
        let mut request = self
            .0
            .http
            .post(self.0.url.clone())
            .headers(self.0.headers.clone())
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "application/json, text/event-stream")
            .body(message.to_string());
        if let Some(version) = version {
            request = request.header("mcp-protocol-version", version);
        }
        if let Some(session) = session {
            request = request.header(SESSION, session);
        }
        if version == Some(WITHOUT_HANDSHAKE) {
            for (header, at) in [("mcp-method", "/method"), ("mcp-name", "/params/name")] {
                if let Some(value) = message.pointer(at).and_then(Json::as_str) {
                    request = request.header(header, value);
                }
            }
        }
        request
    }

    async fn exchange(&self, id: u64, message: &Json) -> Result<Json, Fault> {
        let sent = self.0.http.send(self.post(message)).await;
        let response = sent.map_err(failed)?;
        let (code, headers) = (response.status(), response.headers());
        if !code.is_success() {
            if code == StatusCode::NOT_FOUND && self.spoken().session.is_some() {
                self.0.gone.store(true, Ordering::SeqCst);
                return Err(Fault::Unsent("its session is over".into()));
            }
            let body = self.whole(response).await.unwrap_or_default();
            let refused = wire::refused(&body).map(Fault::Refused);
            return Err(refused.unwrap_or_else(|| status(code)));
        }
        if let Some(session) = headers.get(SESSION) {
            let mut spoken = self.spoken();
            // Only the answer to the handshake, before which no version is agreed, gives one.
            if spoken.version.is_none() {
                spoken.session = Some(session.clone());
            }
        }
        let kind = headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok());
        if kind.is_some_and(|kind| kind.starts_with("text/event-stream")) {
            return self.events(id, response).await;
        }
        let body = self.whole(response).await?;
        match wire::read(&body) {
            Some(Incoming::Reply { id: of, outcome }) if of == id => {
                outcome.map_err(Fault::Refused)
            }
            _ => Err(Fault::Lost("its answer is no reply".into())),
        }
    }

    async fn whole(&self, response: Response) -> Result<Vec<u8>, Fault> {
        response.read(self.0.max_bytes).await.map_err(lost)
    }

    /// Reads events until the reply is among them.
    async fn events(&self, id: u64, mut response: Response) -> Result<Json, Fault> {
        let mut events = Events::default();
        let mut read = 0;
        while let Some(piece) = response.chunk().await.map_err(lost)? {
            read += piece.len();
            if read > self.0.max_bytes {
                return Err(too_large(self.0.max_bytes));
            }
            for data in events.push(&piece) {
                let Some(incoming) = wire::read(&data) else {
                    continue;
                };
                self.0.changed.hear(&incoming);
                match incoming {
                    Incoming::Reply { id: of, outcome } if of == id => {
                        return outcome.map_err(Fault::Refused);
                    }
                    Incoming::Request { id, method } => {
                        let answer = wire::answer(&id, &method);
                        // It asked for nothing that matters here.
                        let _ = self.notify(&answer, ASIDE).await;
                    }
                    _ => {}
                }
            }
        }
        Err(Fault::Lost("its answer ended before the reply".into()))
    }

    fn spoken(&self) -> MutexGuard<'_, Spoken> {
        lock(&self.0.spoken)
    }
}

/// A request without a reply. Dropping it tells the server that nobody waits.
struct Open<'a> {
    web: &'a Web,
    id: u64,
    replied: bool,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        let version = self.web.spoken().version;
        // The handshake cannot be taken back, and later versions take the end of a connection for it.
        let tell = version.is_some_and(|version| version != WITHOUT_HANDSHAKE);
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        if !self.replied && tell {
            let (web, id) = (self.web.clone(), self.id);
            runtime.spawn(async move {
                let _ = web.notify(&wire::cancelled(id), ASIDE).await;
            });
        }
    }
}

/// The data of server-sent events, from bytes cut anywhere.
#[derive(Default)]
struct Events {
    line: Vec<u8>,
    data: Vec<u8>,
}

impl Events {
    fn push(&mut self, bytes: &[u8]) -> Vec<Vec<u8>> {
        let mut events = Vec::new();
        for byte in bytes {
            if *byte != b'\n' {
                self.line.push(*byte);
                continue;
            }
            let line = std::mem::take(&mut self.line);
            let line = line.strip_suffix(b"\r").unwrap_or(&line);
            if line.is_empty() {
                let data = std::mem::take(&mut self.data);
                events.extend(Some(data).filter(|data| !data.is_empty()));
            } else if let Some(data) = line.strip_prefix(b"data:") {
                self.data.extend_from_slice(data);
                // JSON takes line ends for spaces.
                self.data.push(b'\n');
            }
        }
        events
    }
}

fn headers(given: &BTreeMap<String, String>) -> Result<HeaderMap, Fault> {
    let mut headers = HeaderMap::new();
    for (name, value) in given {
        let wrong = || Fault::Unsent(format!("`{}` is no header", name.escape_debug()));
        let name = HeaderName::try_from(name).map_err(|_| wrong())?;
        let mut value = HeaderValue::try_from(value).map_err(|_| wrong())?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}

/// What it means that a request has no answer.
fn failed(error: Error) -> Fault {
    match error {
        Error::Redirected { .. } => Fault::Unsent(error.to_string()),
        error if error.is_unsent() => Fault::Unsent("it cannot be reached".into()),
        error => lost(error),
    }
}

/// What it means that an answer is not whole.
fn lost(error: Error) -> Fault {
    match error {
        Error::TooLarge { limit } => too_large(limit),
        Error::Encoded => Fault::Lost(format!("its answer has {error}")),
        _ => Fault::Lost("the connection broke".into()),
    }
}

fn too_large(limit: usize) -> Fault {
    Fault::Lost(format!("the server sent more than {limit} bytes"))
}

fn status(code: StatusCode) -> Fault {
    let why = format!("it answered with status {code}");
    match code.is_server_error() {
        true => Fault::Lost(why),
        false => Fault::Unsent(why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read_however_they_are_cut() {
        let stream =
            b": hello\r\nevent: message\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\nid: 3\n\ndata:x\n\n";
        for size in 1..stream.len() {
            let mut events = Events::default();
            let pieces = stream.chunks(size);
            let found: Vec<_> = pieces.flat_map(|piece| events.push(piece)).collect();
            assert_eq!(found, [&b" {\"a\":\n 1}\n"[..], b"x\n"], "{size}");
        }
    }
}
