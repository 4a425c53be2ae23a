//! Questions in a thread, and what comes first: a call that may have happened, a question that is open.

use superstep::{
    OpenAsk, Update as _,
    tools::{Approval, OutcomeQuestion},
};
use superstep_agent::{Answers, Conversation, Ended, Next};
use superstep_atris::{Atris, AtrisSession};
use superstep_fake_audius::FakeAudius;

use super::{command, went_on};
use crate::{
    app::App,
    args::{AtrisOptions, Global},
    console::{self, TerminalConsole},
    error::Error,
    output::{bad, faint, plain},
    question_id, written,
};

/// A thread and what asks in it.
pub(super) struct Session {
    agent: AtrisSession,
    thread: String,
    answers: Answers,
    /// Whether the command has the answer.
    has_answer: bool,
    /// Whether the person left the open question: the next one takes its place.
    has_left: bool,
    /// Whether the person knows the thread.
    is_announced: bool,
    /// Serves as long as the session is there.
    _fake: Option<FakeAudius>,
}

impl Session {
    pub(super) fn new(
        agent: Atris,
        thread: String,
        options: AtrisOptions,
        fake: Option<FakeAudius>,
        global: &Global,
    ) -> Result<Self, Error> {
        let answers = written::answers(options.answers.as_deref())?;
        let (explains, shows_states) = (options.explain, options.debug);
        let (global, name) = (global.clone(), thread.clone());
        let answering = Box::new(move |ask: Option<&OpenAsk>, host: Option<&str>| {
            command::answering(&name, ask, &options, (host, &global))
        });
        let agent = AtrisSession::new(agent, answering)
            .explaining(explains)
            .showing_states(shows_states);
        Ok(Self {
            agent,
            thread,
            answers,
            has_answer: false,
            has_left: false,
            is_announced: false,
            _fake: fake,
        })
    }

    /// Answers what is asked with these, unless the command has the answer.
    pub(super) fn set_answers(&mut self, answers: Answers) {
        self.answers = answers;
    }

    /// Answers what is asked with this.
    pub(super) fn answers_with(&mut self, said: String) {
        self.answers = Answers::written([said]);
        self.has_answer = true;
    }

    pub(super) fn announce(&mut self, app: &App<'_>) {
        self.is_announced = true;
        self.agent.announced();
        app.output.note(&[faint("thread "), plain(&self.thread)]);
    }

    /// Whether the thread waits for an answer.
    pub(super) async fn is_waiting(&self) -> bool {
        let state = self.atris().graph().state(&*self.thread).await;
        state.is_ok_and(|state| !state.asks.is_empty())
    }

    pub(super) async fn ask(&mut self, question: &str, app: &mut App<'_>) -> Result<(), Error> {
        let settled = self.settled(app).await;
        if matches!(settled, Ok(false) | Err(Error::Waiting { .. })) {
            says_not_asked(question, app);
        }
        if !settled? {
            return Ok(());
        }
        let before = self.atris().graph().state(&*self.thread).await.ok();
        let open = before.as_ref().and_then(|before| before.asks.first());
        if let Some(ask) = open
            && (!self.has_left || ask.is::<OutcomeQuestion>())
        {
            says_not_asked(question, app);
            return self.waits(ask.clone(), app).await;
        }
        self.has_left = false;
        let before = before.as_ref().map(|before| &*before.state);
        let input = self.atris().ask(question, before);
        self.talk(Next::Input(input.into_value()), None, app).await
    }

    /// Settles whether a call that changes something happened, before anything else is asked: another
    /// question would take its place. Whether it is settled.
    async fn settled(&mut self, app: &mut App<'_>) -> Result<bool, Error> {
        let Ok(known) = self.atris().graph().state(&*self.thread).await else {
            return Ok(true);
        };
        let next = match known.asks.into_iter().next() {
            // Whoever is in a session is asked again; a command says how to answer.
            Some(ask) if ask.is::<OutcomeQuestion>() && self.is_announced => Next::Ask(ask),
            None if Atris::is_unsettled(&known.next, &known.state) => Next::Resume,
            _ => return Ok(true),
        };
        went_on(self.talk(next, None, app).await)?;
        let known = self.atris().graph().state(&*self.thread).await?;
        Ok(known.asks.is_empty())
    }

    /// Answers what the thread asks, if it is the question that is wanted, or finishes what was interrupted.
    pub(super) async fn resume(
        &mut self,
        wanted: Option<&str>,
        app: &mut App<'_>,
    ) -> Result<(), Error> {
        let state = self.atris().graph().state(&*self.thread).await?;
        let is_call = |ask: &OpenAsk| ask.is::<Approval>() || ask.is::<OutcomeQuestion>();
        let is_unsettled = Atris::is_unsettled(&state.next, &state.state);
        // What is asked about a call names its host itself.
        if !state.next.is_empty() && !state.asks.iter().any(is_call) && !is_unsettled {
            self.atris().check_world(&state.state)?;
        }
        let first = state.asks.first().cloned();
        let chosen = question_id::choose(state.asks.clone(), wanted);
        if let (Err(_), Some(first)) = (&chosen, first) {
            console::show_open(&mut self.agent, &self.thread, &first, app)?;
        }
        let next = match (chosen?, state.is_done()) {
            (Some(ask), _) => Next::Ask(ask),
            (None, true) if self.has_answer => {
                return Err(Error::Missing {
                    what: format!("thread `{}` asks nothing", self.thread),
                    hint: "ask it something with `superstep atris ask QUESTION --thread THREAD`",
                });
            }
            (None, true) if state.state.last().is_none() => {
                return Err(Error::Missing {
                    what: format!("thread `{}` has no answer", self.thread),
                    hint: "ask with `superstep atris ask QUESTION`",
                });
            }
            (None, true) => Next::Report,
            (None, false) => Next::Resume,
        };
        self.talk(next, wanted, app).await
    }

    fn atris(&self) -> &Atris {
        self.agent.agent()
    }

    /// Talks until there is an answer. `wanted` is the id of the question that the command answers.
    async fn talk(
        &mut self,
        next: Next,
        wanted: Option<&str>,
        app: &mut App<'_>,
    ) -> Result<(), Error> {
        let (answers, console) = (self.answers.clone(), TerminalConsole::new(app));
        let talk = Conversation::new(&mut self.agent, &*self.thread, answers, console);
        let ended = talk.naming(wanted.map(str::to_owned)).run(next).await?;
        if ended == Ended::Skipped {
            self.has_left = true;
        }
        console::ended(ended, &self.thread)
    }

    /// Shows the open question of the thread, which has to be answered first, and how to answer it.
    async fn waits(&mut self, ask: OpenAsk, app: &mut App<'_>) -> Result<(), Error> {
        let nothing = (Answers::written([]), None);
        console::talk(&mut self.agent, &self.thread, nothing, Next::Ask(ask), app).await
    }
}

/// The thread has to be answered first, and a question is not kept for later.
fn says_not_asked(question: &str, app: &App<'_>) {
    let what = format!("not asked, as the thread waits for an answer: {question}");
    app.output.say(&[bad(what)]);
}
