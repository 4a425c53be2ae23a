//! The e-mail assistant: the API for programs. Questions and answers are in `questions`, edits
//! that wait in `edits`, mail that arrives in `ingest`.

use std::sync::Arc;

use superstep::{
    AskId, Backends, BuildErrors, Category, Graph, Provenance, RunOptions, Saver,
    model::NodeModels, store::Store,
};
use tokio::sync::Mutex;

use crate::{
    Calendar, MailError, MailId, Mailbox, Memory, MemoryError, Mode, Settings,
    attempts::Attempts,
    graph::{self, MailState, TopNode},
    queue::Queue,
    services::Services,
    settings::Zone,
};

/// Why the assistant cannot do something.
#[derive(Debug, thiserror::Error, superstep::Coded)]
#[non_exhaustive]
pub enum AgentError {
    /// A mailbox or a calendar failed.
    #[error(transparent)]
    #[coded(transparent)]
    Mail(#[from] MailError),
    /// The run failed; its thread is kept.
    #[error(transparent)]
    #[coded(transparent)]
    Run(#[from] superstep::Error),
    /// Memory failed.
    #[error(transparent)]
    #[coded(transparent)]
    Memory(#[from] MemoryError),
    /// The store failed.
    #[error("what waits cannot be reached: {0}")]
    #[coded("SS7007", Unavailable, hint = "check the database; nothing was lost")]
    Store(#[from] superstep::store::StoreError),
    /// The backends have no saver or no store.
    #[error("the assistant needs a {0} to remember what it does")]
    #[coded(
        "SS7008",
        Internal,
        hint = "give it a saver and a store: threads and memory live there"
    )]
    NoBackend(&'static str),
    /// The settings name a zone that is not known.
    #[error("`{name}` is no time zone")]
    #[coded("SS7009", InvalidInput, hint = "write one such as `Europe/Berlin`")]
    NoZone {
        /// The name.
        name: String,
    },
    /// The question was answered before, or never asked.
    #[error("the question {ask} is not open")]
    #[coded("SS7015", Conflict, hint = "list the open questions")]
    NotOpen {
        /// The question.
        ask: AskId,
    },
    /// The changes that are kept with a question are not those that were shown.
    #[error("the changes of question {question} are others by now")]
    #[coded(
        "SS7026",
        Conflict,
        hint = "look at the question again: nothing was done"
    )]
    EditedMeanwhile {
        /// The question.
        question: String,
    },
    /// Runs ended while they parsed a mail, so it is not parsed again by itself.
    #[error(
        "mail `{}` is set aside: {runs} runs ended while they parsed it. It may be harmless, and the runs ended for \
         another reason",
        crate::parse::one_line(&mail.0, 200)
    )]
    #[coded(
        "SS7021",
        InvalidInput,
        hint = "`superstep mail ingest --retry ID` takes it back and parses it again; look at it with another program before, \
                if you do not trust it"
    )]
    SetAside {
        /// The mail.
        mail: MailId,
        /// How many.
        runs: u64,
    },
    /// The thread was imported or shaped over HTTP, and no person agreed to run it.
    #[error("thread `{thread}` was imported or shaped over HTTP: its content is untrusted")]
    #[coded(
        "SS7022",
        Refused,
        hint = "look at it with `superstep threads show`; `superstep threads resume` asks whether to run it"
    )]
    Foreign {
        /// The thread.
        thread: String,
    },
    /// The graph could not be built: a mistake in this library.
    #[error("the graph of the assistant: {0}")]
    #[coded("SS7014", Internal, hint = "report it: this is a mistake in superstep")]
    Graph(BuildErrors),
}

impl AgentError {
    /// Whether an answer was not taken: its question is no longer open, or another run has the thread.
    pub fn is_answer_not_taken(&self) -> bool {
        matches!(self, Self::NotOpen { .. })
            || matches!(self, Self::Run(error) if error.is_answer_not_taken())
    }
}

/// The parts that an assistant is made of.
pub struct MailParts {
    /// The models: one for all nodes, and others for some of [`MODEL_NODES`](crate::MODEL_NODES).
    pub models: NodeModels,
    /// The mailbox of its owner.
    pub mailbox: Arc<dyn Mailbox>,
    /// The calendar of its owner.
    pub calendar: Arc<dyn Calendar>,
    /// How it works.
    pub settings: Settings,
    /// A saver for threads, and a store for memory.
    pub backends: Backends,
}

/// An e-mail assistant that asks before it acts; cheap to clone.
#[derive(Clone)]
pub struct MailAgent {
    pub(crate) services: Arc<Services>,
    pub(crate) saver: Arc<dyn Saver>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) attempts: Attempts,
    /// The mail that waits for threads of the assistant's own.
    pub(crate) queue: Queue,
    graph: Graph<MailState, TopNode>,
    /// What is known about a thread must hold until a mail is put into it.
    pub(crate) intake: Arc<Mutex<()>>,
}

impl MailAgent {
    /// An assistant for the owner of a mailbox.
    pub fn new(parts: MailParts) -> Result<Self, AgentError> {
        let MailParts {
            models,
            mailbox,
            calendar,
            settings,
            backends,
        } = parts;
        let saver = backends
            .saver
            .clone()
            .ok_or(AgentError::NoBackend("saver"))?;
        let store = backends
            .store
            .clone()
            .ok_or(AgentError::NoBackend("store"))?;
        let name = settings
            .time_zone
            .clone()
            .unwrap_or_else(|| calendar.time_zone());
        let zone = Zone::find(&name).ok_or(AgentError::NoZone { name })?;
        let services = Arc::new(Services {
            models,
            mailbox,
            calendar,
            settings,
            zone,
            notes: Memory::new(store.clone()),
            provenance: Provenance::new(store.clone()),
        });
        let graph = graph::build(&services, backends).map_err(AgentError::Graph)?;
        Ok(Self {
            services,
            saver,
            store: store.clone(),
            queue: Queue::new(store.clone()),
            attempts: Attempts::new(store),
            graph,
            intake: Arc::default(),
        })
    }

    /// The same assistant whose runs are meant differently, as in
    /// `agent.with_options(|options| options.log = Modes::ALL)`.
    #[must_use]
    pub fn with_options(mut self, change: impl FnOnce(&mut RunOptions)) -> Self {
        self.graph = self.graph.with_options(change);
        self
    }

    /// The graph, to be run, watched, drawn or served.
    pub fn graph(&self) -> &Graph<MailState, TopNode> {
        &self.graph
    }

    /// What it has learnt, for whom it belongs to. A run on a store of its own, as a server gives each of its owners,
    /// learns there.
    pub fn memory(&self) -> &Memory {
        &self.services.notes
    }

    /// The mailbox it works on.
    pub fn mailbox(&self) -> &Arc<dyn Mailbox> {
        &self.services.mailbox
    }

    /// The calendar it works on.
    pub fn calendar(&self) -> &Arc<dyn Calendar> {
        &self.services.calendar
    }

    /// How it is meant to work.
    pub fn settings(&self) -> &Settings {
        &self.services.settings
    }

    /// Whether it makes the calls that are approved through it.
    pub fn mode(&self) -> Mode {
        self.services.settings.mode()
    }
}
