//! The conversation: run, ask the person, run again, until it is approved.

use std::{collections::HashMap, iter, path::PathBuf, time::Duration};

use serde_json::json;
use superstep::{
    AskId, CheckpointId, EventStream, Graph, Modes, OpenAsk, Outcome, SaverError, Snap,
};
use superstep_archie::{Analysis, AnalysisUpdate, Archie, Node, Question};

use super::{answers::Answers, result, screen::Screen};
use crate::{
    app::App,
    error::Error,
    output::{Output, faint, plain, strong},
    slash::{self, Parsed, TypedAt, parse},
    suggest,
    terminal::{Line, Terminal, Topic},
};

/// Seconds of silence after which a progress line is shown.
const QUIET_SECONDS: u64 = 3;

/// What comes next.
pub(super) enum TalkStep {
    /// A new thread.
    Start(Box<AnalysisUpdate>),
    /// An answer.
    Answer((AskId, serde_json::Value)),
    /// A run that was interrupted, or failed.
    Resume,
    /// A question that is open.
    Ask(OpenAsk),
    /// Nothing: there is a result.
    Done(Snap<Analysis>),
}

/// How a thread begins with other words, for flows that begin with words.
pub(super) type BeginAgain = Box<dyn Fn(&Archie, &str) -> AnalysisUpdate + Send>;

/// A conversation.
pub(super) struct Talk<'a> {
    agent: Archie,
    graph: Graph<Analysis, Node>,
    thread: String,
    answers: Answers,
    out: Option<PathBuf>,
    /// Whether it is said where the figures and names of the result come from.
    explains: bool,
    output: &'a Output,
    screen: Screen<'a>,
    /// The command that resumes the thread.
    resume: String,
    /// Nothing if the thread does not begin with words of the person.
    begin_again: Option<BeginAgain>,
    /// What the person said last; it can be changed when a reply was stopped.
    said: Option<String>,
    /// The answer to the next question, given while the thread went back to it.
    ready: Option<String>,
}

impl<'a> Talk<'a> {
    pub(super) fn new(
        agent: Archie,
        thread: String,
        answers: Answers,
        out: Option<PathBuf>,
        app: &App<'a>,
    ) -> Self {
        let output = app.output;
        let resume = suggest::command(app.global, &["threads", "resume", &thread]);
        let graph = agent.graph().with_options(|options| {
            options.modes = Modes::MESSAGES.with(Modes::CUSTOM).with(Modes::UPDATES);
            options.log = Modes::TRACE;
        });
        Self {
            agent,
            graph,
            thread,
            answers,
            out,
            explains: false,
            output,
            screen: Screen::new(output),
            resume,
            begin_again: None,
            said: None,
            ready: None,
        }
    }

    /// The words that the thread begins with, and how it begins with others.
    pub(super) fn beginning(mut self, words: &str, begin_again: BeginAgain) -> Self {
        self.said = Some(words.to_owned());
        self.begin_again = Some(begin_again);
        self
    }

    /// The same, which says where the figures and names of the result come from if that is wanted.
    pub(super) fn explaining(mut self, explains: bool) -> Self {
        self.explains = explains;
        self
    }

    /// Talks until the thread is done or the person leaves. Whatever happens, the thread is kept.
    pub(super) async fn run(
        mut self,
        next: TalkStep,
        terminal: &mut Terminal,
    ) -> Result<(), Error> {
        self.screen.thread(&self.thread)?;
        // A question may follow others of its thread.
        let known = self.graph.state(&*self.thread).await?;
        self.screen.knows(&known.state);
        let ended = self.all(next, terminal).await;
        if let Err(error) = &ended
            && !matches!(error, Error::Closed)
        {
            // A reply that was interrupted has no end of the line yet.
            self.screen = Screen::new(self.output);
            self.kept(error).await;
        }
        ended
    }

    async fn all(&mut self, mut next: TalkStep, terminal: &mut Terminal) -> Result<(), Error> {
        loop {
            let stream = match next {
                TalkStep::Start(input) => self.graph.stream(&*self.thread, *input),
                TalkStep::Answer(answer) => {
                    let answers = [answer];
                    self.graph.stream_answer(&*self.thread, answers)?
                }
                TalkStep::Resume => self.graph.stream_resume(&*self.thread),
                TalkStep::Ask(ask) => {
                    next = self.ask(&ask, terminal).await?;
                    continue;
                }
                TalkStep::Done(state) => {
                    let out = self.out.as_deref();
                    result::publish(&state, out, &mut self.screen, self.output)?;
                    if self.explains {
                        let traces = self.agent.explain(&state).await?;
                        result::explain(&traces, &self.screen, self.output)?;
                    }
                    return Ok(());
                }
            };
            next = match self.watch(stream, terminal).await {
                Ok(Outcome::Done(state)) => TalkStep::Done(state),
                Ok(Outcome::Waiting { asks, .. }) => match asks.into_iter().next() {
                    Some(ask) => TalkStep::Ask(ask),
                    None => TalkStep::Resume,
                },
                // Paused: nobody is asked anything.
                Ok(_) => TalkStep::Resume,
                Err(error) => self.after(error, terminal).await?,
            };
        }
    }

    /// Shows a run while it goes. Ctrl-C drops it; what was stored stays.
    async fn watch(
        &mut self,
        mut stream: EventStream<Analysis, Node>,
        terminal: &mut Terminal,
    ) -> Result<Outcome<Analysis>, Error> {
        let _unechoed = terminal.unechoed();
        let mut tick = tokio::time::interval(Duration::from_secs(1));
        let mut silent = 0;
        loop {
            let event = tokio::select! {
                event = stream.next() => event,
                () = terminal.ctrl_c() => return Err(Error::Cancelled),
                _ = tick.tick() => {
                    silent += 1;
                    if silent > QUIET_SECONDS {
                        self.screen.wait(silent - 1);
                    }
                    continue;
                }
            };
            silent = 0;
            match event {
                Some(event) => self.screen.show(event)?,
                None => break,
            }
        }
        let outcome = stream.outcome().await?;
        self.screen.end(outcome.state())?;
        Ok(outcome)
    }

    /// A person may retry after a failure; otherwise the command ends.
    async fn after(&mut self, error: Error, terminal: &mut Terminal) -> Result<TalkStep, Error> {
        let is_over = matches!(error, Error::Closed | Error::Io(_)) || error.exit() == 6;
        if is_over || !terminal.is_interactive() || !self.answers.asks() {
            return Err(error);
        }
        self.screen = Screen::new(self.output);
        let state = self.graph.state(&*self.thread).await?;
        self.screen.knows(&state.state);
        match &error {
            Error::Cancelled => self.output.say(&[faint("stopped")]),
            error => self.output.error(error),
        }
        let said = match &self.said {
            Some(said) => said.clone(),
            None => state.state.user_input.clone(),
        };
        if said.is_empty()
            || (self.begin_again.is_none() && state.state.analysis_history.is_empty())
        {
            let prompt = "Press Enter to try again (Ctrl-D leaves): ";
            return match terminal
                .read_line(Topic::Detail, prompt, self.output)
                .await?
            {
                Line::Text(words) if parse(&words, TypedAt::Analysis) == Parsed::Exit => Err(error),
                Line::Text(_) => Ok(TalkStep::Resume),
                Line::CtrlC => Err(Error::Cancelled),
                Line::End => Err(error),
            };
        }
        self.output.say(&[faint(
            "Enter sends your message again; change it to send another one. Ctrl-C leaves.",
        )]);
        self.said_again(error, &said, terminal).await
    }

    /// Reads what the person says after a reply was stopped or failed; what they said before is in the line.
    async fn said_again(
        &mut self,
        error: Error,
        said: &str,
        terminal: &mut Terminal,
    ) -> Result<TalkStep, Error> {
        loop {
            let line = terminal
                .read_draft(Topic::Message, "you> ", said, self.output)
                .await?;
            let words = match line {
                Line::Text(words) => words,
                Line::CtrlC => return Err(Error::Cancelled),
                Line::End => return Err(error),
            };
            let words = match parse(&words, TypedAt::Analysis) {
                Parsed::Text if words.trim().is_empty() => continue,
                Parsed::Text => words,
                Parsed::Exit => return Err(error),
                Parsed::Undo => match self.undo().await? {
                    Some(next) => return Ok(next),
                    None => continue,
                },
                other => {
                    self.tell(&other).await?;
                    continue;
                }
            };
            let is_same = words.trim() == said.trim();
            self.said = Some(words.clone());
            let state = self.graph.state(&*self.thread).await?;
            if let Some(ask) = state.asks.first() {
                self.screen.answered(&words)?;
                return Ok(TalkStep::Answer(ask.answer::<Question>(&words)?));
            }
            return match is_same {
                true => Ok(TalkStep::Resume),
                false => self.instead(words).await,
            };
        }
    }

    /// Goes back to the question that was answered last and answers it with other words; without one, begins
    /// with other words.
    async fn instead(&mut self, words: String) -> Result<TalkStep, Error> {
        if let Some(question) = self.questions().await?.into_iter().next() {
            self.graph.fork(&*self.thread, question).await?;
            self.ready = Some(words);
            return Ok(TalkStep::Resume);
        }
        Ok(match &self.begin_again {
            Some(begin) => TalkStep::Start(Box::new(begin(&self.agent, &words))),
            None => TalkStep::Resume,
        })
    }

    /// Asks until there is an answer for Archie.
    async fn ask(&mut self, ask: &OpenAsk, terminal: &mut Terminal) -> Result<TalkStep, Error> {
        let question = ask.question::<Question>()?;
        if let Some(words) = self.ready.take() {
            self.screen.answered(&words)?;
            return Ok(TalkStep::Answer(ask.answer::<Question>(&words)?));
        }
        self.screen.question(ask.id, &question)?;
        loop {
            let said = self.answers.next(&question, self.output, terminal).await?;
            let words = match said {
                Line::End => return Err(self.waiting()),
                Line::CtrlC => return Err(Error::Cancelled),
                Line::Text(words) => words,
            };
            if words.trim().is_empty() {
                continue;
            }
            let words = match parse(&words, TypedAt::Analysis) {
                Parsed::Text => words,
                Parsed::Exit => return Err(self.waiting()),
                Parsed::Undo => match self.undo().await? {
                    Some(next) => return Ok(next),
                    None => continue,
                },
                other => {
                    self.tell(&other).await?;
                    continue;
                }
            };
            self.said = Some(words.clone());
            self.screen.answered(&words)?;
            // A person sees what they typed; whoever reads a conversation of a file should, too.
            let is_seen = terminal.is_interactive() && self.answers.asks();
            if !self.screen.is_json() && !is_seen {
                self.output.note(&[faint("you> "), plain(&words)]);
            }
            return Ok(TalkStep::Answer(ask.answer::<Question>(&words)?));
        }
    }

    async fn tell(&self, command: &Parsed) -> Result<(), Error> {
        let state = self.graph.state(&*self.thread).await?.state;
        match command {
            Parsed::Documents => {
                for entry in self.agent.manifest(&state).await? {
                    self.output.say(&[plain(entry)]);
                }
            }
            Parsed::Tokens => {
                let spent = self.agent.spent(&*self.thread).await?;
                self.screen.tokens(state.turn(), &spent);
            }
            Parsed::Model(_) => self.output.say(&[plain(&state.model_name)]),
            Parsed::Thread => self.output.say(&[plain(&self.thread)]),
            Parsed::Unknown(text) => self.output.say(&[plain(text)]),
            Parsed::Editor => self.output.say(&[plain(slash::NO_EDITOR)]),
            _ => {
                for (name, about) in slash::commands(TypedAt::Analysis) {
                    self.output
                        .say(&[strong(format!("  {name:<12}")), plain(about)]);
                }
            }
        }
        Ok(())
    }

    /// The checkpoints that the thread asked at, the newest first. Along the parents: what was undone is in
    /// the history too, and is nobody's parent.
    async fn questions(&self) -> Result<Vec<CheckpointId>, Error> {
        let history = self.graph.history(&*self.thread).await?;
        let steps: HashMap<_, _> = history.iter().map(|step| (step.id, step)).collect();
        let line = iter::successors(history.first(), |step| {
            let parent = step.parent?;
            steps.get(&Some(parent)).copied()
        });
        let asked = line.filter(|step| step.next == [Node::AnalysisInterrupt]);
        Ok(asked.filter_map(|step| step.id).collect())
    }

    /// Goes back to the question before this one.
    async fn undo(&mut self) -> Result<Option<TalkStep>, Error> {
        // The first is the question that is open now.
        let before = self.questions().await?.into_iter().nth(1);
        let Some(checkpoint) = before else {
            self.output.say(&[faint("there is no answer to undo")]);
            return Ok(None);
        };
        self.graph.fork(&*self.thread, checkpoint).await?;
        self.output.say(&[faint("back at the previous question")]);
        Ok(Some(TalkStep::Resume))
    }

    fn waiting(&self) -> Error {
        Error::Waiting {
            thread: self.thread.clone(),
        }
    }

    /// Says how to resume, for people and for programs, if there is something to resume: a thread that was not stored, or
    /// that another process works on, is not called saved.
    async fn kept(&self, error: &Error) {
        let is_stored = match self.graph.state(&*self.thread).await {
            Ok(stored) => stored.id.is_some() || !stored.is_done(),
            Err(_) => false,
        };
        let refused = error.saver();
        if !is_stored || matches!(refused, Some(SaverError::Busy { .. })) {
            return;
        }
        let line = &self.resume;
        if self.screen.is_json() {
            // A closed stdout is reported by the error itself.
            let _printed = self
                .screen
                .event("kept", json!({"thread": self.thread, "resume": line}));
            return;
        }
        let how = match refused {
            Some(_) => "Saved up to its last stored step. Resume with: ",
            None => "Saved. Resume with: ",
        };
        self.output.say(&[faint(how), plain(line)]);
    }
}
