//! The transport of an MCP session: a child process or HTTP.

use std::time::Duration;

use serde_json::Value as Json;

use super::{at::At, changed::Changed, fault::Fault, http::Web, stdio::Pipe};

/// A way to a server.
pub(super) enum Link {
    Pipe(Pipe),
    Web(Web),
}

impl Link {
    /// Starts or reaches a server whose messages may have so many bytes.
    pub(super) fn open(at: &At, most: usize, changed: Changed) -> Result<Self, Fault> {
        match at {
            At::Command(command) => Pipe::open(command, most, changed).map(Self::Pipe),
            At::Url(endpoint) => Web::open(endpoint, most, changed).map(Self::Web),
        }
    }

    /// Asks something and waits for the reply, at most `limit`. Dropping it cancels the request.
    pub(super) async fn request(
        &self,
        method: &str,
        params: &Json,
        limit: Duration,
    ) -> Result<Json, Fault> {
        match self {
            Self::Pipe(pipe) => pipe.request(method, params, limit).await,
            Self::Web(web) => web.request(method, params, limit).await,
        }
    }

    /// Tells something.
    pub(super) async fn notify(&self, message: &Json, limit: Duration) -> Result<(), Fault> {
        match self {
            Self::Pipe(pipe) => pipe.notify(message).await,
            Self::Web(web) => web.notify(message, limit).await,
        }
    }

    /// Whether requests can still be made.
    pub(super) fn is_open(&self) -> bool {
        match self {
            Self::Pipe(pipe) => pipe.is_open(),
            Self::Web(web) => web.is_open(),
        }
    }

    /// The last of what the server wrote for people.
    pub(super) fn stderr(&self) -> String {
        match self {
            Self::Pipe(pipe) => pipe.stderr(),
            Self::Web(_) => String::new(),
        }
    }

    /// Ends it, and waits until the process is gone.
    pub(super) async fn close(&self) {
        match self {
            Self::Pipe(pipe) => pipe.close().await,
            Self::Web(web) => web.close().await,
        }
    }
}
