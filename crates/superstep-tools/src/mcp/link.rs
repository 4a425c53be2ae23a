//! The transport of an MCP session: a child process or HTTP.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use serde_json::Value as Json;

use super::{
    http::Web,
    stdio::Pipe,
    wire::{Incoming, Refusal},
};

/// Why a request has no result.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Fault {
    /// The server did not get it, or says that it did not take it up.
    Unsent(String),
    /// The server may have got it.
    Lost(String),
    /// The server answered that it will not.
    Refused(Refusal),
}

/// A way to a server.
pub(super) enum Link {
    Pipe(Pipe),
    Web(Web),
}

impl Link {
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

/// How often a server said that its list of tools changed.
#[derive(Clone, Debug, Default)]
pub(super) struct Changed(Arc<AtomicU64>);

impl Changed {
    pub(super) fn hear(&self, incoming: &Incoming) {
        if let Incoming::Notice { method } = incoming
            && method == "notifications/tools/list_changed"
        {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    pub(super) fn times(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unsent(why) | Self::Lost(why) => f.write_str(why),
            Self::Refused(refusal) => {
                let Refusal { code, message } = refusal;
                write!(f, "it answered with error {code}: {message}")
            }
        }
    }
}
