//! Questions in a thread: run, ask the person what is missing, print the answer.

use superstep::{
    AskId, ErrorKind, OpenAsk, Outcome,
    tools::{Approval, OutcomeQuestion},
};
use superstep_atris::{Atris, AtrisState, AtrisStateUpdate};
use superstep_fake_audius::FakeAudius;

use super::{
    command,
    said::{Said, host_of, is_unforeseen, said},
    show,
};
use crate::{
    app::App,
    args::AtrisOptions,
    error::{AskedBy, Error},
    output::{Form, bad, faint, plain},
    question_id,
    terminal::{Line, Topic},
    written::WrittenAnswers,
};

/// What leaves a question of the agent.
pub(super) const SKIP: &str = "/skip";

/// A thread and what asks in it.
pub(super) struct Session {
    agent: Atris,
    thread: String,
    options: AtrisOptions,
    /// Answers that were written down before; nobody is asked then.
    written: Option<WrittenAnswers>,
    /// The question that was open before the command: answers were written down with it in view.
    open: Option<AskId>,
    /// The id of the question that the command answers, as it was given.
    question: Option<String>,
    /// Whether what runs is a question of this process: what is asked about it is shown here first.
    is_own: bool,
    /// Whether the person left the open question: the next one takes its place.
    has_left: bool,
    /// Whether the person knows the thread.
    is_announced: bool,
    /// Serves as long as the session is there.
    _fake: Option<FakeAudius>,
}

/// What comes next.
enum SessionStep {
    Input(Box<AtrisStateUpdate>),
    Answer((AskId, serde_json::Value), OpenAsk),
    Resume,
    Ask(OpenAsk),
    /// The person left the question.
    Left,
}

/// What came of it.
enum SessionOutcome {
    Outcome(Outcome<AtrisState>),
    /// The answer does not fit; the question is still open.
    Refused(OpenAsk),
    /// The same is asked in the name of this thread, and what was said is an answer to that.
    Again((AskId, serde_json::Value), OpenAsk),
    Ask(OpenAsk),
    Left,
}

/// A copy of a thread has the question of the thread that it was copied from, and an answer to that fits no question
/// of its own. It has asked again meanwhile: if it asks the same, what was said is for that.
fn again(
    answered: &OpenAsk,
    now: &OpenAsk,
    said: &serde_json::Value,
) -> Option<(AskId, serde_json::Value)> {
    let is_same = |name: &str| answered.body.get(name) == now.body.get(name);
    let shows_same = ["action_request", "description"].into_iter().all(is_same);
    if answered.kind != now.kind || !shows_same || is_same("digest") {
        return None;
    }
    let mut said = said.clone();
    *said.get_mut("digest")? = now.body.get("digest")?.clone();
    Some((now.id, said))
}

impl Session {
    pub(super) fn new(
        agent: Atris,
        thread: String,
        options: AtrisOptions,
        fake: Option<FakeAudius>,
    ) -> Result<Self, Error> {
        let written = options.answers.as_deref().map(WrittenAnswers::read);
        Ok(Self {
            agent,
            thread,
            written: written.transpose()?,
            options,
            open: None,
            question: None,
            is_own: false,
            has_left: false,
            is_announced: false,
            _fake: fake,
        })
    }

    /// Answers what is asked with these.
    pub(super) fn answers_with(&mut self, written: WrittenAnswers) {
        self.written = Some(written);
    }

    pub(super) fn announce(&mut self, app: &App<'_>) {
        self.is_announced = true;
        app.output.note(&[faint("thread "), plain(&self.thread)]);
    }

    /// Whether the thread waits for an answer.
    pub(super) async fn is_waiting(&self) -> bool {
        let state = self.agent.graph().state(&*self.thread).await;
        state.is_ok_and(|state| !state.asks.is_empty())
    }

    pub(super) async fn ask(&mut self, question: &str, app: &mut App<'_>) -> Result<(), Error> {
        let settled = self.settled(app).await;
        if matches!(settled, Ok(false) | Err(Error::Waiting { .. })) {
            self.says_not_asked(question, app);
        }
        if !settled? {
            return Ok(());
        }
        let before = self.agent.graph().state(&*self.thread).await.ok();
        let open = before.as_ref().and_then(|before| before.asks.first());
        if let Some(ask) = open
            && (!self.has_left || ask.is::<OutcomeQuestion>())
        {
            self.says_not_asked(question, app);
            return Err(self.waits(ask, app)?);
        }
        self.has_left = false;
        let before = before.as_ref().map(|before| &*before.state);
        let input = self.agent.ask(question, before);
        self.is_own = true;
        self.run(SessionStep::Input(Box::new(input)), app).await
    }

    /// Settles whether a call that changes something happened, before anything else is asked: another
    /// question would take its place. Whether it is settled.
    async fn settled(&mut self, app: &mut App<'_>) -> Result<bool, Error> {
        self.is_own = false;
        let Ok(known) = self.agent.graph().state(&*self.thread).await else {
            return Ok(true);
        };
        let step = match known.asks.into_iter().next() {
            // Whoever is in a session is asked again; a command says how to answer.
            Some(ask) if ask.is::<OutcomeQuestion>() && self.is_announced => SessionStep::Ask(ask),
            None if Atris::is_unsettled(&known.next, &known.state) => SessionStep::Resume,
            _ => return Ok(true),
        };
        match self.run(step, app).await {
            Ok(()) | Err(Error::Reported { .. }) => {}
            Err(error) => return Err(error),
        }
        let known = self.agent.graph().state(&*self.thread).await?;
        Ok(known.asks.is_empty())
    }

    /// The thread has to be answered first, and a question is not kept for later.
    fn says_not_asked(&self, question: &str, app: &App<'_>) {
        let what = format!("not asked, as the thread waits for an answer: {question}");
        app.output.say(&[bad(what)]);
    }

    /// Answers what the thread asks, if it is the question that is wanted, or finishes what was interrupted.
    pub(super) async fn resume(
        &mut self,
        wanted: Option<&str>,
        app: &mut App<'_>,
    ) -> Result<(), Error> {
        self.is_own = false;
        self.question = wanted.map(str::to_owned);
        let state = self.agent.graph().state(&*self.thread).await?;
        let is_call = |ask: &OpenAsk| ask.is::<Approval>() || ask.is::<OutcomeQuestion>();
        let is_unsettled = Atris::is_unsettled(&state.next, &state.state);
        // What is asked about a call names its host itself.
        if !state.next.is_empty() && !state.asks.iter().any(is_call) && !is_unsettled {
            self.agent.check_world(&state.state)?;
        }
        let is_done = state.is_done();
        match state.asks.into_iter().next() {
            Some(ask) => {
                if let Some(wanted) = wanted
                    && let Err(other) = question_id::require(&ask, wanted, AskedBy::Atris)
                {
                    self.waits(&ask, app)?;
                    return Err(other);
                }
                self.open = Some(ask.id);
                self.run(SessionStep::Ask(ask), app).await
            }
            None if is_done && self.has_answer() => Err(Error::Missing {
                what: format!("thread `{}` asks nothing", self.thread),
                hint: "ask it something with `superstep atris ask QUESTION --thread THREAD`",
            }),
            None if is_done => self.show(&state.state, app),
            None => self.run(SessionStep::Resume, app).await,
        }
    }

    fn has_answer(&self) -> bool {
        self.written.is_some() && self.options.answers.is_none()
    }

    async fn run(&mut self, mut next: SessionStep, app: &mut App<'_>) -> Result<(), Error> {
        let graph = self.agent.graph().with_options(|options| {
            options.log = superstep::Modes::TRACE;
        });
        let thread = self.thread.clone();
        let thread = &*thread;
        let steps = match self.options.debug {
            true => graph
                .history(thread)
                .await
                .map_or(0, |history| history.len()),
            false => 0,
        };
        loop {
            let running = async {
                Ok::<_, Error>(match next {
                    SessionStep::Input(input) => {
                        SessionOutcome::Outcome(graph.run(thread, *input).await?)
                    }
                    SessionStep::Answer(answer, ask) => {
                        let said = answer.1.clone();
                        match graph.answer(thread, [answer]).await {
                            Ok(outcome) => SessionOutcome::Outcome(outcome),
                            Err(error) => match &*error.kind {
                                ErrorKind::BadAnswer { why, asked, .. } => {
                                    let now = asked.as_deref().map(OpenAsk::from);
                                    let again =
                                        now.as_ref().and_then(|now| again(&ask, now, &said));
                                    if again.is_none() {
                                        app.output.say(&[bad("no: "), plain(why)]);
                                    }
                                    let now = now.unwrap_or(ask);
                                    match again {
                                        Some(answer) => SessionOutcome::Again(answer, now),
                                        None => SessionOutcome::Refused(now),
                                    }
                                }
                                _ => return Err(error.into()),
                            },
                        }
                    }
                    SessionStep::Resume => SessionOutcome::Outcome(graph.resume(thread).await?),
                    SessionStep::Ask(ask) => SessionOutcome::Ask(ask),
                    SessionStep::Left => SessionOutcome::Left,
                })
            };
            let came = tokio::select! {
                came = running => came?,
                () = app.terminal.ctrl_c() => return Err(Error::Cancelled),
            };
            next = match came {
                SessionOutcome::Outcome(Outcome::Done(state)) => {
                    return self.done(&state, steps, app).await;
                }
                SessionOutcome::Outcome(Outcome::Waiting { asks, .. }) => {
                    match asks.into_iter().next() {
                        Some(ask) => SessionStep::Ask(ask),
                        None => SessionStep::Resume,
                    }
                }
                SessionOutcome::Outcome(_) => SessionStep::Resume,
                SessionOutcome::Ask(ask) => {
                    show::question(
                        &ask,
                        self.next_command(&ask, app).as_str(),
                        &self.thread,
                        app.output,
                    )?;
                    self.person(&ask, app).await?
                }
                SessionOutcome::Refused(ask) => self.person(&ask, app).await?,
                SessionOutcome::Again(answer, ask) => SessionStep::Answer(answer, ask),
                SessionOutcome::Left => return Ok(()),
            };
        }
    }

    async fn done(&self, state: &AtrisState, steps: usize, app: &mut App<'_>) -> Result<(), Error> {
        if self.options.debug {
            let history = self.agent.graph().history(&*self.thread).await?;
            show::steps(&history, steps, app.output)?;
        }
        self.show(state, app)
    }

    fn show(&self, state: &AtrisState, app: &App<'_>) -> Result<(), Error> {
        let shown = show::answer(state, &self.thread, self.options.explain, app.output);
        if app.output.form == Form::Text && !self.is_announced {
            app.output.note(&[faint("thread "), faint(&self.thread)]);
        }
        shown
    }

    /// Gets an answer: from the file, from the person, or from stdin. Without one the thread waits.
    async fn person(&mut self, ask: &OpenAsk, app: &mut App<'_>) -> Result<SessionStep, Error> {
        // Lines of a pipe were written before the question was asked, in a session too.
        let is_person = self.written.is_none() && app.terminal.is_interactive();
        if is_unforeseen(ask) && !is_person && self.open != Some(ask.id) {
            return Err(self.hinted(ask, app));
        }
        loop {
            let text = match &mut self.written {
                Some(written) => match written.next() {
                    Some(text) => text,
                    None => return Err(self.hinted(ask, app)),
                },
                None => {
                    let is_watched = app.terminal.is_interactive();
                    let can_read = !app.global.no_input;
                    if !can_read || is_watched && app.output.form == Form::Json {
                        return Err(self.hinted(ask, app));
                    }
                    let line = app
                        .terminal
                        .read_line(Topic::Detail, "answer> ", app.output);
                    match line.await? {
                        Line::Text(text) => text,
                        Line::CtrlC => return Err(Error::Cancelled),
                        Line::End => return Err(self.hinted(ask, app)),
                    }
                }
            };
            let text = text.trim();
            if text == SKIP {
                self.has_left = true;
                app.output.say(&[faint("the question is left open")]);
                return Ok(SessionStep::Left);
            }
            // A command is no answer.
            if text.starts_with('/') {
                for line in super::help_of(text) {
                    app.output.say(&[plain(line)]);
                }
                continue;
            }
            match said(ask, text)? {
                Said::Answer { changes, .. } if changes && !self.options.writes => {
                    let why = "that changes something at Audius, which needs --writes";
                    app.output.say(&[bad(why)]);
                    return Err(self.hinted(ask, app));
                }
                Said::Answer { answer, host, .. } => {
                    let checked = host.map_or(Ok(()), |host| self.agent.check_host(&host));
                    if let Err(error) = checked {
                        self.hinted(ask, app);
                        return Err(error.into());
                    }
                    if !is_person && !self.is_meant(ask) {
                        let why = "not taken: it does not say which question it answers, and another one may be open by now";
                        app.output.say(&[bad(why)]);
                        return Err(self.hinted(ask, app));
                    }
                    return Ok(SessionStep::Answer(answer, ask.clone()));
                }
                Said::Nothing => {}
                Said::Unclear(wanted) => {
                    app.output.say(&[plain(wanted)]);
                    // The next line was written for another question too.
                    if !is_person {
                        return Err(self.hinted(ask, app));
                    }
                }
            }
        }
    }

    /// Whether an answer that was written before is for this question. Whether a call may be made, and whether one
    /// happened, was seen by whoever names the question, or is asked about an order of this process.
    fn is_meant(&self, ask: &OpenAsk) -> bool {
        let is_call = ask.is::<Approval>() || ask.is::<OutcomeQuestion>();
        let wanted = self.question.as_deref();
        !is_call || self.is_own || wanted.is_some_and(|it| question_id::names(it, ask.id))
    }

    /// Shows the open question of the thread, and that it has to be answered first.
    fn waits(&self, ask: &OpenAsk, app: &App<'_>) -> Result<Error, Error> {
        show::question(
            ask,
            self.next_command(ask, app).as_str(),
            &self.thread,
            app.output,
        )?;
        Ok(self.hinted(ask, app))
    }

    fn hinted(&self, ask: &OpenAsk, app: &App<'_>) -> Error {
        if app.output.form == Form::Text {
            let line = self.next_command(ask, app);
            app.output.say(&[faint("answer it with "), plain(line)]);
        }
        Error::Waiting {
            thread: self.thread.clone(),
        }
    }

    fn next_command(&self, ask: &OpenAsk, app: &App<'_>) -> String {
        let is_asked = |host: String| self.agent.check_host(&host).is_ok();
        let is_asked_here = host_of(ask).is_none_or(is_asked);
        command::answering(
            &self.thread,
            ask,
            &self.options,
            (is_asked_here, app.global),
        )
    }
}
