//! What can be chosen about Atris and its client.

mod table;

use std::time::Duration;

use superstep::{
    Secret,
    http::{Backoff, Jitter, RetryAfter},
};

pub use table::AtrisTable;

/// Where the API is.
pub const USUAL_HOST: &str = "https://api.audius.co";

/// Settings of the agent.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The client.
    pub client: ClientSettings,
    /// Whether operations that change something may be called, each approved by a person.
    pub writes: bool,
    /// How many records a list has if the question does not say; the usual ten otherwise.
    pub limit: Option<u64>,
    /// The day that a model is told, such as `Wednesday, 2026-11-18`; the real one if there is none. A recording is
    /// replayed with the day on which it was made.
    pub today: Option<String>,
}

/// Settings of the client.
#[derive(Clone, Debug)]
pub struct ClientSettings {
    /// How this program calls itself; the API wants it with every call.
    pub app_name: String,
    /// A key of the API, if there is one.
    pub api_key: Option<Secret>,
    /// A token of a signed-in user: writes and private data need it.
    pub token: Option<Secret>,
    /// The hosts, in the order they are tried.
    pub hosts: Vec<String>,
    /// What the first host is called in approvals, where its address is another one in each process.
    pub alias: Option<String>,
    /// Whether the first host is asked which others there are.
    pub discover: bool,
    /// Domains that a discovered host may be in.
    pub domains: Vec<String>,
    /// Whether only this machine may be asked.
    pub offline: bool,
    /// How long one attempt may take.
    pub timeout: Duration,
    /// How long a call may take with all its attempts.
    pub deadline: Duration,
    /// Attempts and the time between them.
    pub backoff: Backoff,
    /// The most bytes of a reply.
    pub max_bytes: usize,
}

impl Default for ClientSettings {
    fn default() -> Self {
        Self {
            app_name: "superstep-atris".into(),
            api_key: None,
            token: None,
            hosts: vec![USUAL_HOST.into()],
            alias: None,
            discover: true,
            domains: vec!["audius.co".into()],
            offline: false,
            timeout: Duration::from_secs(10),
            deadline: Duration::from_secs(45),
            backoff: Backoff {
                attempts: 4,
                initial: Duration::from_millis(500),
                factor: 3,
                cap: Duration::from_secs(4),
                jitter: Jitter::None,
                retry_after: RetryAfter::GiveUpAbove(Duration::from_secs(30)),
                seed: None,
            },
            max_bytes: 4 << 20,
        }
    }
}
