//! Open questions of all agents, collected over threads.

use std::{ops::Deref, sync::Arc};

use jiff::Timestamp;
use serde_json::json;
use superstep::{
    OpenAsk, ThreadId,
    clock::made_at,
    dynamic::{DynAsk, GraphPath, TaskNote, state::Depth},
    saver::{At, ThreadOrder, ThreadQuery},
    text::single_line,
    tools::Mode,
};
use superstep_agent::{Block, Commands, Context, InboxQuestion, Notice, OpenAgent, Weight};

use crate::{
    agents::Agent,
    app::App,
    args::InboxArgs,
    consent,
    error::Error,
    output::{Span, bad, faint, plain, shown, strong},
    running::{self, OpenedDesk},
    thread_reader::ThreadReader,
};

/// An open question, and the agent that asks it.
#[derive(Clone, Debug)]
pub(super) struct Question {
    /// Nothing if this program does not have it.
    pub(super) agent: Option<Agent>,
    /// Whether others shaped its thread, and a person has to agree before it runs.
    pub(super) is_foreign: bool,
    pub(super) about: InboxQuestion,
}

impl Question {
    /// Asks a person before a foreign thread runs.
    pub(super) async fn agree(&mut self, app: &mut App<'_>) -> Result<(), Error> {
        if std::mem::take(&mut self.is_foreign) {
            let agreement = consent::to_run(self.answerer()?, &self.about.thread, app);
            agreement.await?.store().await?;
        }
        Ok(())
    }

    /// The agent, which has to be one of this program to take an answer.
    pub(super) fn answerer(&self) -> Result<Agent, Error> {
        self.agent.ok_or_else(|| Error::Missing {
            what: format!(
                "this program does not have the agent `{}`, which asks this",
                shown(&self.about.agent)
            ),
            hint: "answer it with the program that has the agent",
        })
    }
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

    /// The desk of an agent.
    pub(super) fn desk_of(&self, agent: Agent) -> Option<&OpenedDesk> {
        let mut desks = self.desks.iter();
        let found = desks.find(|(known, _)| *known == agent);
        found.map(|(_, opened)| opened)
    }

    /// The desk that takes the answer to a question; without one it is given in a conversation.
    pub(super) fn desk(&self, question: &Question) -> Option<&OpenedDesk> {
        let is_taken = question.is_of_desk && !question.is_foreign;
        self.desk_of(question.agent.filter(|_| is_taken)?)
    }

    /// Whether what a question asks for is done when it is accepted. Only a desk has dry runs.
    pub(super) fn mode(&self, question: &Question) -> Mode {
        let opened = self.desk(question);
        opened.map_or(Mode::Send, |opened| opened.desk.mode())
    }

    /// Which of the agents that ask act for real, in a line.
    pub(super) fn modes(&self, questions: &[Question]) -> Vec<Span> {
        let named = |mode: Mode| {
            let mut names: Vec<&str> = Vec::new();
            for question in questions.iter().filter(|it| self.mode(it) == mode) {
                if !names.contains(&&*question.about.agent) {
                    names.push(&question.about.agent);
                }
            }
            names.join(", ")
        };
        let (dry, real) = (named(Mode::Dry), named(Mode::Send));
        let mail = Agent::MAIL.name();
        let dry = match (&*dry, &*real) {
            ("", _) => String::new(),
            (dry, "") if dry == mail => "  dry run: nothing is sent or scheduled".to_owned(),
            (dry, _) => format!("  dry run: {dry}"),
        };
        let real = match &*real {
            "" => String::new(),
            real if real == mail => {
                "  for real: accepted actions are sent and scheduled".to_owned()
            }
            real => format!("  for real: {real}"),
        };
        vec![faint(dry), bad(real)]
    }

    /// What the answers cost so far, in a line; nothing if no desk takes any.
    pub(super) fn cost(&self) -> Option<String> {
        let costs = self.desks.iter().map(|(_, opened)| opened.cost());
        let costs: Vec<String> = costs.collect();
        (!costs.is_empty()).then(|| costs.join("; "))
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
            None => self.may_ask().await?,
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

    /// The threads that may have open questions: those that have something left to run, and those that are damaged.
    async fn may_ask(&self) -> Result<Vec<ThreadId>, Error> {
        let query = ThreadQuery {
            pending: Some(true),
            order: ThreadOrder::Name,
            ..ThreadQuery::default()
        };
        let found = self.threads.saver.find_threads(&query).await?;
        let mut all = found.unreadable;
        all.extend(found.threads.into_iter().map(|info| info.id));
        all.sort();
        Ok(all)
    }

    /// The open questions of a thread, with the time of the checkpoint at which it waits.
    async fn of_thread(&mut self, thread: &ThreadId) -> Result<Vec<(u64, Question)>, Error> {
        let root = GraphPath::default();
        let newest = self.threads.saver.load(thread, &root, At::Latest).await?;
        let Some((newest, head)) = newest.as_ref().and_then(|it| Some((it, it.head()?))) else {
            return Ok(Vec::new());
        };
        let mut asks = newest.notes.iter().flat_map(TaskNote::open_asks).peekable();
        if asks.peek().is_none() {
            return Ok(Vec::new());
        }
        let Some(agent) = self.threads.agent_of(thread).await else {
            return Ok(of_absent(
                &head.layout.graph,
                (thread, made_at(head.id)),
                asks,
            ));
        };
        if self.left_out.contains(&agent) {
            return Ok(Vec::new());
        }
        // The agents with an account refuse foreign threads themselves.
        let is_foreign = !running::of(agent).has_account()
            && consent::is_wanted(&self.threads.provenance()?, thread.as_str()).await?;
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
            agent.name().clone_into(&mut about.agent);
            // A mail says who sent it and when; others ask in the name of their agent, since the thread waits.
            if !about.is_of_desk {
                agent.name().clone_into(&mut about.sender);
                about.date = date(since);
            }
            questions.push((
                since,
                Question {
                    agent: Some(agent),
                    is_foreign,
                    about,
                },
            ));
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

/// The open questions of a thread whose agent this program does not have, as they are stored.
fn of_absent<'a>(
    graph: &str,
    (thread, since): (&ThreadId, u64),
    asks: impl Iterator<Item = &'a DynAsk>,
) -> Vec<(u64, Question)> {
    let mut questions: Vec<(u64, Question)> = Vec::new();
    for ask in asks.map(OpenAsk::from) {
        if questions.iter().any(|(_, known)| known.ask.id == ask.id) {
            continue;
        }
        let about = InboxQuestion {
            date: date(since),
            ..InboxQuestion::generic(thread.as_str(), &ask, graph)
        };
        let question = Question {
            agent: None,
            is_foreign: true,
            about,
        };
        questions.push((since, question));
    }
    questions
}

/// A time in microseconds since 1970.
fn date(since: u64) -> Option<Timestamp> {
    Timestamp::from_microsecond(i64::try_from(since).ok()?).ok()
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
