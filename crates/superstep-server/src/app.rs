//! What the handlers of a server share.

pub(crate) mod counts;
pub(crate) mod events;
pub(crate) mod operator_settings;
pub(crate) mod readers;
pub(crate) mod role;
pub(crate) mod shutdown;
pub(crate) mod store_edit;

use std::{collections::HashSet, sync::Arc};

use serde_json::Value as Json;
use superstep::{
    RunId, Saver,
    clock::{ClockIds, IdSource as _},
    runs::RunBudget,
    store::{Blobs, Store},
};

use tokio::sync::{Notify, Semaphore};

use self::{
    counts::Counts, events::ServerEvents, operator_settings::OperatorSettings, readers::Readers,
    role::Role, shutdown::Shutdown, store_edit::StoreEditor,
};
use crate::{
    owners::{answer_rule::AnswerRule, login::Login, private_paths::PrivatePaths},
    records::{
        Records, assistant::Assistant, cron::Cron, file::ResultRecord, files::FileRecords,
        hidden::Hidden, threads::ThreadRecords,
    },
    registry::Registry,
};

/// What the handlers of a server share.
pub(crate) struct App {
    pub(crate) registry: Registry,
    pub(crate) threads: ThreadRecords,
    pub(crate) assistants: Records<Assistant>,
    pub(crate) deleted_runs: Records<Json>,
    pub(crate) saver: Arc<dyn Saver>,
    pub(crate) store: Arc<dyn Store>,
    /// Who looks after parts of it.
    pub(crate) editors: Vec<Box<dyn StoreEditor>>,
    /// What of it is not for clients.
    pub(crate) hidden: Hidden,
    /// The ways in which callers show who they are.
    pub(crate) login: Arc<Login>,
    /// Who may answer which question; any caller who sees the thread without it.
    pub(crate) answer_rule: Option<AnswerRule>,
    /// Names of new things.
    pub(crate) ids: ClockIds,
    pub(crate) events: ServerEvents,
    pub(crate) readers: Arc<Readers>,
    /// One permit for each piece of work after runs that is done now.
    pub(crate) finishing: Semaphore,
    pub(crate) crons: Records<Cron>,
    /// A schedule was made or changed.
    pub(crate) cron_changed: Notify,
    pub(crate) files: FileRecords,
    /// Their bytes, and those of results; a server without it keeps no files.
    pub(crate) blobs: Option<Arc<dyn Blobs>>,
    /// What graphs made for owners on threads that are gone.
    pub(crate) results: Records<ResultRecord>,
    /// The space of files that graphs make.
    pub(crate) results_space: Option<String>,
    /// The most bytes of one.
    pub(crate) file_limit: usize,
    /// Files that are being uploaded.
    pub(crate) counts: Arc<Counts>,
    /// The budget of every run.
    pub(crate) budget: RunBudget,
    pub(crate) runs_at_once: usize,
    pub(crate) role: Role,
    pub(crate) shutdown: Shutdown,
    /// Paths that owners are not shown.
    pub(crate) private: PrivatePaths,
    /// The description of the routes.
    pub(crate) openapi: Json,
    /// The settings of the program around the server.
    pub(crate) settings: Option<Box<dyn OperatorSettings>>,
    /// Hosts beside this machine that webhooks may be on.
    pub(crate) webhook_hosts: HashSet<String>,
}

impl App {
    /// An id for something new.
    pub(crate) fn new_id(&self) -> String {
        self.ids.next(None).to_string()
    }

    /// An id for a new run.
    pub(crate) fn new_run_id(&self) -> RunId {
        RunId(self.ids.next(None).0)
    }
}
