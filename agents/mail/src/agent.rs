//! The assistant as programs use it.

use std::sync::Arc;

use superstep::{
    AskId, Backends, BuildErrors, Graph, Outcome,
    dynamic::{Snapshot, SubState, state::Depth},
    model::Model,
};

use crate::{
    Answer, Calendar, InboxItem, MailError, Mailbox, Memory, MemoryError, Settings,
    graph::{self, MailState, Office, TopNode},
    queue::Queue,
    settings::Zone,
};

/// Why the assistant cannot do something.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AgentError {
    /// A mailbox or a calendar failed.
    #[error(transparent)]
    Mail(#[from] MailError),
    /// The run failed; its thread is kept.
    #[error(transparent)]
    Run(#[from] superstep::Error),
    /// Memory failed.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The store failed.
    #[error("what waits cannot be reached: {0}")]
    Store(#[from] superstep::store::StoreError),
    /// The backends have no saver or no store.
    #[error("the assistant needs a {0} to remember what it does")]
    NoBackend(&'static str),
    /// The settings name a zone that is not known.
    #[error("`{name}` is no time zone")]
    NoZone {
        /// The name.
        name: String,
    },
    /// The graph could not be built: a mistake in this library.
    #[error("the graph of the assistant: {0}")]
    Graph(BuildErrors),
}

impl AgentError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Mail(error) => error.code(),
            Self::Run(error) => error.kind.code(),
            Self::Memory(error) => error.code(),
            Self::Store(_) => "SS7007",
            Self::NoBackend(_) => "SS7008",
            Self::NoZone { .. } => "SS7009",
            Self::Graph(_) => "SS7014",
        }
    }
}

/// An e-mail assistant that asks before it acts; cheap to clone.
#[derive(Clone)]
pub struct MailAgent {
    pub(crate) office: Arc<Office>,
    graph: Graph<MailState, TopNode>,
}

impl MailAgent {
    /// An assistant for the owner of a mailbox. The backends need a saver for threads and a store
    /// for memory.
    pub fn new(
        model: Arc<dyn Model>,
        mailbox: Arc<dyn Mailbox>,
        calendar: Arc<dyn Calendar>,
        settings: Settings,
        backends: Backends,
    ) -> Result<Self, AgentError> {
        if backends.saver.is_none() {
            return Err(AgentError::NoBackend("saver"));
        }
        let store = backends
            .store
            .clone()
            .ok_or(AgentError::NoBackend("store"))?;
        let name = settings
            .time_zone
            .clone()
            .unwrap_or_else(|| calendar.time_zone());
        let zone = Zone::find(&name).ok_or(AgentError::NoZone { name })?;
        let office = Arc::new(Office {
            model,
            mailbox,
            calendar,
            settings,
            zone,
            memory: Memory::new(store.clone()),
            queue: Queue::new(store),
        });
        let graph = graph::build(&office, backends).map_err(AgentError::Graph)?;
        Ok(Self { office, graph })
    }

    /// The graph, to be run, watched, drawn or served.
    pub fn graph(&self) -> &Graph<MailState, TopNode> {
        &self.graph
    }

    /// What it has learnt.
    pub fn memory(&self) -> &Memory {
        &self.office.memory
    }

    /// The mailbox it works on.
    pub fn mailbox(&self) -> &Arc<dyn Mailbox> {
        &self.office.mailbox
    }

    /// The calendar it works on.
    pub fn calendar(&self) -> &Arc<dyn Calendar> {
        &self.office.calendar
    }

    /// How it is meant to work.
    pub fn settings(&self) -> &Settings {
        &self.office.settings
    }

    /// The open questions of a thread.
    pub async fn open(&self, thread: &str) -> Result<Vec<InboxItem>, AgentError> {
        let found = self.graph.state(thread).await?;
        let open = self.unanswered(thread).await?;
        let asks = found.asks.iter().filter(|ask| open.contains(&ask.id));
        Ok(asks.filter_map(|ask| InboxItem::of(thread, ask)).collect())
    }

    /// The questions that nobody has answered. A graph above another still shows a question that
    /// was answered when the run stopped behind it; the graph that asked it knows.
    pub(crate) async fn unanswered(&self, thread: &str) -> Result<Vec<AskId>, AgentError> {
        let graph = self.graph.dynamic();
        let found = graph.state(&thread.into(), None, Depth::Subgraphs).await?;
        let mut open = Vec::new();
        unanswered(&found, &mut open);
        Ok(open)
    }

    /// Answers open questions of a thread, any number of them, and goes on. An answer that does not
    /// fit is refused, and its question stays open.
    pub async fn answer(
        &self,
        thread: &str,
        answers: impl IntoIterator<Item = (AskId, Answer)>,
    ) -> Result<Outcome<MailState>, AgentError> {
        let answers = answers.into_iter().map(|(ask, answer)| (ask, vec![answer]));
        Ok(self.graph.answer(thread, answers).await?)
    }
}

fn unanswered(snapshot: &Snapshot, open: &mut Vec<AskId>) {
    for task in &snapshot.tasks {
        match &task.state {
            Some(SubState::Snapshot(inner)) if inner.checkpoint.is_some() => {
                unanswered(inner, open);
            }
            _ => open.extend(task.asks.iter().map(|ask| ask.id)),
        }
    }
}
