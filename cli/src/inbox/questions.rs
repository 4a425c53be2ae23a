//! Open questions of all agents, collected over threads.

use std::{ops::Deref, sync::Arc};

use jiff::Timestamp;
use serde_json::json;
use superstep::{
    OpenAsk, ThreadId,
    clock::made_at,
    dynamic::{GraphPath, state::Depth},
    saver::At,
    text::single_line,
    tools::Mode,
};
use superstep_agent::{Block, Commands, Context, InboxQuestion, Notice, OpenAgent, Weight};

use crate::{
    agents::Agent,
    app::App,
    args::InboxArgs,
    error::Error,
    output::{bad, faint, plain, strong},
    running::{self, OpenedDesk},
    thread_reader::ThreadReader,
};

/// An open question, and the agent that asks it.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub(super) agent: Agent,
    pub(super) about: InboxQuestion,
}

impl Deref for Question {
    type Target = InboxQuestion;

    fn deref(&self) -> &InboxQuestion {
        &self.about
    }
}

/// The open questions of all threads, or of one.
pub(super) struct Questions {
    pub(super) threads: ThreadReader,
    /// The only thread whose questions are shown.
    only: Option<ThreadId>,
    desks: Vec<(Agent, OpenedDesk)>,
    /// The other agents, which present their questions without a model.
    readers: Vec<(Agent, Box<dyn OpenAgent>)>,
    left_out: Vec<Agent>,
    commands: Commands,
}

impl Questions {
    /// The questions of all threads, or of one.
    pub(super) fn new(threads: ThreadReader, only: Option<&str>) -> Self {
        Self {
            threads,
            only: only.map(ThreadId::from),
            desks: Vec::new(),
            readers: Vec::new(),
            left_out: Vec::new(),
            commands: Arc::new(|words| format!("superstep {}", words.join(" "))),
        }
    }

    /// Opens an agent if it takes answers in the background. From then on it presents its questions, as it knows more than a
    /// reader.
    pub(super) async fn open_desk(
        &mut self,
        agent: Agent,
        with: &InboxArgs,
        app: &mut App<'_>,
    ) -> Result<(), Error> {
        let opened = running::of(agent).desk(with, app).await?;
        self.desks.extend(opened.map(|opened| (agent, opened)));
        Ok(())
    }

    /// The desk of an agent; without one it is answered in a conversation.
    pub(super) fn desk(&self, agent: Agent) -> Option<&OpenedDesk> {
        let mut desks = self.desks.iter();
        let found = desks.find(|(known, _)| *known == agent);
        found.map(|(_, opened)| opened)
    }

    /// Whether something is sent by an answer; nothing if no agent has a desk.
    pub(super) fn mode(&self) -> Option<Mode> {
        let (_, opened) = self.desks.first()?;
        Some(opened.desk.mode())
    }

    /// What the answers cost so far, in a line.
    pub(super) fn cost(&self) -> Option<String> {
        let (_, opened) = self.desks.first()?;
        Some(opened.cost())
    }

    /// Leaves the questions of an agent out.
    pub(super) fn leave_out(&mut self, agent: Agent) {
        self.left_out.push(agent);
    }

    /// The open questions, the most urgent first.
    pub(super) async fn open(&mut self) -> Result<Vec<Question>, Error> {
        Ok(self.read().await?.0)
    }

    /// The open questions, and notices about threads that cannot be read.
    pub(super) async fn read(&mut self) -> Result<(Vec<Question>, Vec<Notice>), Error> {
        let threads = match &self.only {
            Some(thread) => vec![thread.clone()],
            None => self.threads.saver.threads().await?,
        };
        let (mut found, mut unreadable) = (Vec::new(), Vec::new());
        for thread in threads {
            match self.of_thread(&thread).await {
                Ok(open) => found.extend(open),
                Err(error) if self.only.is_some() => return Err(error),
                // Threads of other programs may be in the same file.
                Err(_) if Agent::of_name(thread.as_str()).is_none() => {}
                Err(error) => unreadable.push(not_read(thread.as_str(), &error)),
            }
        }
        // What waits longest comes first among equals.
        found.sort_by_key(|(since, question)| (question.rank(), *since));
        let questions = found.into_iter().map(|(_, question)| question);
        Ok((questions.collect(), unreadable))
    }

    /// The open questions of a thread, with the time of the checkpoint at which it waits.
    async fn of_thread(&mut self, thread: &ThreadId) -> Result<Vec<(u64, Question)>, Error> {
        let root = GraphPath::default();
        let newest = self.threads.saver.load(thread, &root, At::Latest).await?;
        let is_open = newest.is_some_and(|newest| {
            let mut notes = newest.notes.iter();
            notes.any(|note| note.open_asks().next().is_some())
        });
        let agent = match is_open {
            true => self.threads.agent_of(thread).await,
            false => None,
        };
        let Some(agent) = agent.filter(|agent| !self.left_out.contains(agent)) else {
            return Ok(Vec::new());
        };
        let commands = Arc::clone(&self.commands);
        let Some(opened) = self.presenter(agent)? else {
            return Ok(Vec::new());
        };
        let snapshot = opened.graph().state(thread, None, Depth::Here).await?;
        let since = snapshot.checkpoint.map(made_at).unwrap_or_default();
        let context = Context {
            thread: thread.as_str().to_owned(),
            commands,
        };
        let mut questions = Vec::new();
        for ask in snapshot.asks() {
            let mut about = opened.inbox_question(&OpenAsk::from(ask), &context).await?;
            // A mail says who sent it and when; others ask in the name of their agent, since the thread waits.
            if opened.desk().is_none() {
                about.sender = agent.name().to_owned();
                let asked = i64::try_from(since).ok();
                about.date = asked.and_then(|asked| Timestamp::from_microsecond(asked).ok());
            }
            questions.push((since, Question { agent, about }));
        }
        Ok(questions)
    }

    /// The agent that presents its questions.
    fn presenter(&mut self, agent: Agent) -> Result<Option<&mut dyn OpenAgent>, Error> {
        let mut desks = self.desks.iter_mut();
        if let Some((_, opened)) = desks.find(|(known, _)| *known == agent) {
            return Ok(Some(&mut *opened.agent));
        }
        if self.readers.iter().all(|(known, _)| *known != agent) {
            let reader = agent.reader(self.threads.backends().clone())?;
            self.readers.push((agent, reader));
        }
        let mut readers = self.readers.iter_mut();
        let found = readers.find(|(known, _)| *known == agent);
        Ok(found.map(|(_, reader)| &mut **reader as &mut dyn OpenAgent))
    }
}

/// A thread that may have questions and cannot be read.
fn not_read(thread: &str, error: &Error) -> Notice {
    let (code, why) = (error.code().unwrap_or_default(), error.to_string());
    let event = json!({"thread": thread, "error": {"code": code, "message": why}});
    let lines = [
        vec![
            bad(format!("[{code}] ")),
            strong(thread),
            plain(format!(" cannot be read: {}", single_line(&why))),
        ],
        vec![
            faint("  superstep db check shows what is damaged; to remove it: "),
            plain(format!("superstep threads delete {thread}")),
        ],
    ];
    let lines = lines.map(|line| Block::Line(Weight::Say, line));
    Notice::event(event).with(lines.into())
}
