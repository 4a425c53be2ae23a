//! What can be chosen about Atris and its client.

mod table;

use std::{collections::BTreeMap, time::Duration};

use superstep::{
    Secret,
    http::{Backoff, Jitter, RetryAfter},
    model::Model,
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
    /// What a model does, if there is one.
    pub role: ModelRole,
    /// What the models of single nodes do, where that is something else.
    pub node_roles: BTreeMap<String, ModelRole>,
    /// How many records a list has if the question does not say; the usual ten otherwise.
    pub limit: Option<u64>,
}

impl Settings {
    /// What the model of a node does.
    pub fn role_of(&self, node: &str) -> ModelRole {
        self.node_roles.get(node).copied().unwrap_or(self.role)
    }
}

/// What a model does with a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ModelRole {
    /// It says what the question names, chooses the operation and fills in parameters.
    #[default]
    Whole,
    /// It chooses between operations that fit about as well; names and parameters are found by rules. For
    /// small models, which are slow and invent values.
    Choice,
}

impl ModelRole {
    /// The role of a model: one inside the process is small, and chooses only.
    pub fn of(model: Option<&dyn Model>) -> Self {
        match model {
            Some(model) if model.id().provider == "local" => Self::Choice,
            _ => Self::Whole,
        }
    }
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
