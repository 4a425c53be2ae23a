//! The conversation: run, ask the person, run again, until it is approved.

use std::path::PathBuf;

use serde_json::json;
use superstep::{EventStream, Graph, OpenAsk, Outcome, Snap};
use superstep_archie::{Analysis, AnalysisUpdate, Archie, Node, Question};
use superstep_core::{event::Modes, id::AskId};

use super::{
    answers::Answers,
    commands::{COMMANDS, Meant, meant},
    result,
    screen::Screen,
};
use crate::{
    failure::Failure,
    output::{Output, faint, plain, strong},
    person::{Editor, Person, Said, Topic},
};

/// What comes next.
pub(super) enum Next {
    /// A new thread.
    Start(Box<AnalysisUpdate>),
    /// An answer.
    Answer((AskId, serde_json::Value)),
    /// What was cut, or failed.
    GoOn,
    /// A question that is open.
    Ask(OpenAsk),
    /// Nothing: the result is there.
    Done(Snap<Analysis>),
}

/// A conversation.
pub(super) struct Talk<'a> {
    agent: Archie,
    graph: Graph<Analysis, Node>,
    thread: String,
    answers: Answers,
    out: Option<PathBuf>,
    output: &'a Output,
    screen: Screen<'a>,
}

impl<'a> Talk<'a> {
    pub(super) fn new(
        agent: Archie,
        thread: String,
        answers: Answers,
        out: Option<PathBuf>,
        output: &'a Output,
    ) -> Self {
        let graph = agent.graph().with_options(|options| {
            options.modes = Modes::MESSAGES.with(Modes::CUSTOM);
            options.log = Modes::TRACE;
        });
        Self {
            agent,
            graph,
            thread,
            answers,
            out,
            output,
            screen: Screen::new(output),
        }
    }

    /// Talks until the thread is done or the person leaves. Whatever happens, the thread is kept.
    pub(super) async fn run(mut self, next: Next, person: &mut Person) -> Result<(), Failure> {
        self.screen.thread(&self.thread)?;
        if !matches!(next, Next::Start(_)) {
            let known = self.graph.state(&*self.thread).await?;
            self.screen.knows(&known.state);
        }
        let ended = self.all(next, person).await;
        if let Err(failure) = &ended
            && !matches!(failure, Failure::Closed)
        {
            self.kept();
        }
        ended
    }

    async fn all(&mut self, mut next: Next, person: &mut Person) -> Result<(), Failure> {
        loop {
            let stream = match next {
                Next::Start(input) => self.graph.stream(&*self.thread, *input),
                Next::Answer(answer) => {
                    let answers = [answer];
                    self.graph.stream_answer(&*self.thread, answers)?
                }
                Next::GoOn => self.graph.stream_resume(&*self.thread),
                Next::Ask(ask) => {
                    next = self.ask(&ask, person).await?;
                    continue;
                }
                Next::Done(state) => {
                    let out = self.out.as_deref();
                    return result::publish(&state, out, &mut self.screen, self.output);
                }
            };
            next = match self.watch(stream, person).await {
                Ok(Outcome::Done(state)) => Next::Done(state),
                Ok(Outcome::Waiting { asks, .. }) => match asks.into_iter().next() {
                    Some(ask) => Next::Ask(ask),
                    None => Next::GoOn,
                },
                Ok(Outcome::Paused { .. }) => Next::GoOn,
                Err(failure) => self.after(failure, person).await?,
            };
        }
    }

    /// Shows a run while it goes. Ctrl-C drops it; what was stored stays.
    async fn watch(
        &mut self,
        mut stream: EventStream<Analysis, Node>,
        person: &mut Person,
    ) -> Result<Outcome<Analysis>, Failure> {
        loop {
            let event = tokio::select! {
                event = stream.next() => event,
                () = person.pressed() => return Err(Failure::Cancelled),
            };
            match event {
                Some(event) => self.screen.show(event)?,
                None => break,
            }
        }
        let outcome = stream.outcome().await?;
        self.screen.end(outcome.state())?;
        Ok(outcome)
    }

    /// A person may try again after a failure; anybody else is told how.
    async fn after(&mut self, failure: Failure, person: &mut Person) -> Result<Next, Failure> {
        let is_over = matches!(failure, Failure::Closed | Failure::Io(_)) || failure.exit() == 6;
        if is_over || !person.is_there() || !self.answers.asks() {
            return Err(failure);
        }
        self.screen = Screen::new(self.output);
        let state = self.graph.state(&*self.thread).await?;
        self.screen.knows(&state.state);
        match &failure {
            Failure::Cancelled => self.output.say(&[faint("stopped")]),
            failure => self.output.failure(failure),
        }
        let prompt = "Enter tries again, Ctrl-D leaves: ";
        match person.words(Topic::Detail, prompt, self.output).await? {
            Said::Words(_) => Ok(Next::GoOn),
            Said::Stop => Err(Failure::Cancelled),
            Said::End => Err(failure),
        }
    }

    /// Asks the person until they say something that Archie can use.
    async fn ask(&mut self, ask: &OpenAsk, person: &mut Person) -> Result<Next, Failure> {
        let question = ask.question::<Question>()?;
        self.screen.question(&question)?;
        let mut stopped = false;
        loop {
            let said = self.answers.next(&question, self.output, person).await?;
            let words = match said {
                Said::End => return Err(self.waiting()),
                Said::Stop if stopped || !person.is_there() => return Err(Failure::Cancelled),
                Said::Stop => {
                    stopped = true;
                    self.output.say(&[faint("Ctrl-C again leaves")]);
                    continue;
                }
                Said::Words(words) => words,
            };
            stopped = false;
            if words.trim().is_empty() {
                continue;
            }
            let words = match meant(&words) {
                Meant::Words => words,
                Meant::Exit => return Err(self.waiting()),
                Meant::Undo => match self.undo().await? {
                    Some(next) => return Ok(next),
                    None => continue,
                },
                Meant::Editor => match Editor::compose("")? {
                    Some(text) if !text.trim().is_empty() => text,
                    _ => {
                        self.output.say(&[faint("nothing was written; set EDITOR")]);
                        continue;
                    }
                },
                other => {
                    self.tell(&other).await?;
                    continue;
                }
            };
            self.screen.answered(&words)?;
            return Ok(Next::Answer(ask.reply::<Question>(&words)?));
        }
    }

    async fn tell(&self, meant: &Meant) -> Result<(), Failure> {
        let state = self.graph.state(&*self.thread).await?.state;
        match meant {
            Meant::Documents => {
                for entry in self.agent.manifest(&state).await? {
                    self.output.say(&[plain(entry)]);
                }
            }
            Meant::Tokens => self.screen.tokens(&state),
            Meant::Model => self.output.say(&[plain(&state.model_name)]),
            Meant::Thread => self.output.say(&[plain(&self.thread)]),
            Meant::Unknown(told) => self.output.say(&[plain(told)]),
            _ => {
                for (name, about) in COMMANDS {
                    self.output
                        .say(&[strong(format!("  {name:<12}")), plain(about)]);
                }
            }
        }
        Ok(())
    }

    /// Goes back to the question before this one.
    async fn undo(&mut self) -> Result<Option<Next>, Failure> {
        let history = self.graph.history(&*self.thread).await?;
        let asked = |next: &[Node]| next == [Node::AnalysisInterrupt];
        let mut questions = history.iter().filter(|step| asked(&step.next));
        // The first is the question that is open now.
        let before = questions.nth(1).and_then(|step| step.id);
        let Some(checkpoint) = before else {
            self.output.say(&[faint("there is no answer to take back")]);
            return Ok(None);
        };
        self.graph.fork(&*self.thread, checkpoint).await?;
        self.output.say(&[faint("back at the question before")]);
        Ok(Some(Next::GoOn))
    }

    fn waiting(&self) -> Failure {
        Failure::Waiting {
            thread: self.thread.clone(),
        }
    }

    /// Says how to go on, for people and for programs.
    fn kept(&self) {
        let line = format!("superstep threads resume {}", self.thread);
        if self.screen.is_json() {
            // Whoever stopped reading is not told.
            let _told = self
                .screen
                .event("kept", json!({"thread": self.thread, "resume": line}));
            return;
        }
        self.output
            .say(&[faint("the thread is kept; go on with "), plain(line)]);
    }
}
