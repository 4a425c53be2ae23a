//! Questions in a thread: run, ask the person what is missing, print the answer.

use superstep::{
    OpenAsk, Outcome,
    tools::{Approval, ApprovalAnswer, Verdict},
};
use superstep_atris::{Atris, AtrisState, AtrisStateUpdate, Question};
use superstep_fake_audius::FakeAudius;

use super::show;
use crate::{
    app::App,
    args::AtrisOptions,
    error::Error,
    output::{Form, faint, plain, strong},
    terminal::{Line, Topic},
};

/// A thread and what asks in it.
pub(super) struct Session {
    agent: Atris,
    thread: String,
    options: AtrisOptions,
    /// Serves as long as the session is there.
    _fake: Option<FakeAudius>,
}

/// What comes next.
enum SessionStep {
    Input(Box<AtrisStateUpdate>),
    Answer((superstep::AskId, serde_json::Value)),
    Resume,
    Ask(OpenAsk),
}

impl Session {
    pub(super) fn new(
        agent: Atris,
        thread: String,
        options: AtrisOptions,
        fake: Option<FakeAudius>,
    ) -> Self {
        Self {
            agent,
            thread,
            options,
            _fake: fake,
        }
    }

    pub(super) fn announce(&self, app: &App<'_>) {
        app.output.say(&[faint("thread "), plain(&self.thread)]);
    }

    pub(super) async fn ask(&mut self, question: &str, app: &mut App<'_>) -> Result<(), Error> {
        let before = self.agent.graph().state(&*self.thread).await.ok();
        if let Some(ask) = before.as_ref().and_then(|before| before.asks.first()) {
            show::question(ask, app.output)?;
            return Err(self.waiting());
        }
        let before = before.as_ref().map(|before| &*before.state);
        let input = self.agent.ask(question, before);
        self.run(SessionStep::Input(Box::new(input)), app).await
    }

    pub(super) async fn resume(&mut self, app: &mut App<'_>) -> Result<(), Error> {
        let state = self.agent.graph().state(&*self.thread).await?;
        match state.asks.into_iter().next() {
            Some(ask) => self.run(SessionStep::Ask(ask), app).await,
            None if state.next.is_empty() => {
                show::answer(&state.state, &self.thread, self.options.explain, app.output)
            }
            None => self.run(SessionStep::Resume, app).await,
        }
    }

    async fn run(&mut self, mut next: SessionStep, app: &mut App<'_>) -> Result<(), Error> {
        let graph = self.agent.graph().with_options(|options| {
            options.log = superstep::Modes::TRACE;
        });
        let thread = &*self.thread;
        let steps = match self.options.debug {
            true => graph
                .history(thread)
                .await
                .map_or(0, |history| history.len()),
            false => 0,
        };
        loop {
            let running = async {
                match next {
                    SessionStep::Input(input) => Ok(Ok(graph.run(thread, *input).await?)),
                    SessionStep::Answer(answer) => Ok(Ok(graph.answer(thread, [answer]).await?)),
                    SessionStep::Resume => Ok(Ok(graph.resume(thread).await?)),
                    SessionStep::Ask(ask) => Ok::<_, Error>(Err(ask)),
                }
            };
            let outcome = tokio::select! {
                outcome = running => outcome?,
                () = app.terminal.ctrl_c() => return Err(Error::Cancelled),
            };
            next = match outcome {
                Ok(Outcome::Done(state)) => return self.done(&state, steps, app).await,
                Ok(Outcome::Waiting { asks, .. }) => match asks.into_iter().next() {
                    Some(ask) => SessionStep::Ask(ask),
                    None => SessionStep::Resume,
                },
                Ok(_) => SessionStep::Resume,
                Err(ask) => self.person(&ask, app).await?,
            };
        }
    }

    async fn done(&self, state: &AtrisState, steps: usize, app: &mut App<'_>) -> Result<(), Error> {
        if self.options.debug {
            let history = self.agent.graph().history(&*self.thread).await?;
            show::steps(&history, steps, app.output)?;
        }
        show::answer(state, &self.thread, self.options.explain, app.output)
    }

    /// Asks the person until there is an answer that fits.
    async fn person(&self, ask: &OpenAsk, app: &mut App<'_>) -> Result<SessionStep, Error> {
        show::question(ask, app.output)?;
        if app.output.form == Form::Json || !app.terminal.is_interactive() {
            return Err(self.waiting());
        }
        loop {
            let prompt = "answer> ";
            let text = match app
                .terminal
                .read_line(Topic::Detail, prompt, app.output)
                .await?
            {
                Line::Text(text) => text,
                Line::CtrlC => return Err(Error::Cancelled),
                Line::End => return Err(self.waiting()),
            };
            if text.trim().is_empty() {
                continue;
            }
            if ask.is::<Approval>() {
                let approval = ask.question::<Approval>()?;
                let verdict = match text.trim() {
                    "y" | "yes" | "accept" => Verdict::Accept,
                    _ => Verdict::Ignore,
                };
                let answer = ApprovalAnswer {
                    digest: approval.digest,
                    verdict,
                };
                return Ok(SessionStep::Answer(ask.answer::<Approval>(&answer)?));
            }
            return Ok(SessionStep::Answer(ask.answer::<Question>(&text)?));
        }
    }

    fn waiting(&self) -> Error {
        Error::Waiting {
            thread: self.thread.clone(),
        }
    }
}

/// A heading for a question of the agent.
pub(super) fn asks(text: &str) -> [crate::output::Span; 2] {
    [strong("? "), plain(text)]
}
