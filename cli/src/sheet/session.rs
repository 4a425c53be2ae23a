//! A thread at work: run, show each step, ask the person, write the result.

use std::path::{Path, PathBuf};

use superstep::{
    AskId, Event, EventStream, Modes, OpenAsk, Outcome, Snap,
    tools::{Approval, ApprovalAnswer, Verdict},
};
use superstep_sheets::{
    Node, Progress, Sheets, SheetsState, SheetsStateUpdate, workbook::Overwrite,
};

use super::show;
use crate::{
    app::App,
    error::{AskedBy, Error},
    output::{Form, bad, faint, plain},
    question_id, suggest,
    terminal::{Line, Topic},
};

/// A thread and what works on it.
pub(super) struct SheetSession {
    agent: Sheets,
    thread: String,
    /// Where the result goes; nowhere if nothing is written.
    output: Option<PathBuf>,
    force: bool,
}

/// The code of an answer that does not fit its question.
const MISFIT: &str = "SS1015";

/// Codes of answers that were not taken: the question is no longer open, or another process has the thread.
const NOT_TAKEN: [&str; 2] = ["SS2001", "SS1105"];

/// What comes next.
enum Next {
    Input(Box<SheetsStateUpdate>),
    Answer(OpenAsk, Verdict),
    Resume,
    Ask(OpenAsk),
}

impl SheetSession {
    pub(super) fn new(agent: Sheets, thread: String, output: Option<PathBuf>, force: bool) -> Self {
        Self {
            agent,
            thread,
            output,
            force,
        }
    }

    pub(super) async fn begin(
        self,
        instruction: &str,
        workbook: &Path,
        app: &mut App<'_>,
    ) -> Result<(), Error> {
        let update = self.agent.begin(instruction, workbook).await?;
        let written = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let mut problem = match update.problem.as_ref().and_then(superstep::Put::written) {
            Some(problem) => problem.clone(),
            None => superstep_sheets::Problem::default(),
        };
        problem.input = Some(written(workbook).display().to_string());
        problem.output = self
            .output
            .as_deref()
            .map(|path| written(path).display().to_string());
        problem.thread = Some(self.thread.clone());
        let update = update.problem(problem);
        self.run(Next::Input(Box::new(update)), app).await
    }

    /// Another instruction, on what the thread has come to.
    pub(super) async fn go_on(
        self,
        state: &SheetsState,
        instruction: &str,
        app: &mut App<'_>,
    ) -> Result<(), Error> {
        let update = self.agent.instruct(state, instruction)?;
        self.run(Next::Input(Box::new(update)), app).await
    }

    pub(super) async fn resume(self, app: &mut App<'_>) -> Result<(), Error> {
        let state = self.agent.graph().state(&*self.thread).await?;
        let is_done = state.is_done();
        match state.asks.into_iter().next() {
            Some(ask) => self.run(Next::Ask(ask), app).await,
            None if is_done => self.done(&state.state, app).await,
            None => self.run(Next::Resume, app).await,
        }
    }

    /// Answers the open question as a person said, or the one with this id if it is open.
    pub(super) async fn answer(
        self,
        verdict: Verdict,
        question: Option<&str>,
        app: &mut App<'_>,
    ) -> Result<(), Error> {
        let state = self.agent.graph().state(&*self.thread).await?;
        let Some(ask) = state.asks.into_iter().next() else {
            return Err(Error::Missing {
                what: format!("thread `{}` has no open question", self.thread),
                hint: "see `superstep threads list --waiting`",
            });
        };
        if let Some(wanted) = question {
            question_id::require(&ask, wanted, AskedBy::Sheets)?;
        }
        show::about_to(&ask, &verdict, app.output)?;
        self.run(Next::Answer(ask, verdict), app).await
    }

    async fn run(&self, mut next: Next, app: &mut App<'_>) -> Result<(), Error> {
        match app.output.form {
            Form::Json => {
                let thread = &self.thread;
                app.output
                    .json(&serde_json::json!({"event": "thread", "thread": thread}))?;
            }
            Form::Text => app.output.note(&[faint("thread "), plain(&self.thread)]),
        }
        let graph = self.agent.graph().with_options(|options| {
            options.modes = Modes::CUSTOM;
            options.log = Modes::TRACE;
        });
        loop {
            let mut answered = None;
            let stream = match next {
                Next::Input(input) => graph.stream(&*self.thread, *input),
                Next::Answer(ask, verdict) => {
                    let said = answer(&ask, verdict.clone())?;
                    answered = Some((ask, verdict));
                    graph.stream_answer(&*self.thread, [said])?
                }
                Next::Resume => graph.stream_resume(&*self.thread),
                Next::Ask(ask) => {
                    next = self.person(&ask, app).await?;
                    continue;
                }
            };
            let outcome = match (watch(stream, app).await, answered) {
                (Err(error), Some((ask, verdict))) if error.code() == Some(MISFIT) => {
                    next = self.asked_again(&ask, verdict, error).await?;
                    continue;
                }
                (Err(error), Some(_)) if error.code().is_some_and(|it| NOT_TAKEN.contains(&it)) => {
                    let about = "your answer was not taken: another one came first, or another process works on the thread";
                    app.output.say(&[bad(about)]);
                    return Err(error);
                }
                (outcome, answered) => {
                    let outcome = outcome?;
                    // Another process may have answered first: only now it is known that this answer counts.
                    if let Some((_, verdict)) = &answered {
                        show::answered(verdict, app.output);
                    }
                    outcome
                }
            };
            next = match outcome {
                Outcome::Done(state) => return self.done(&state, app).await,
                Outcome::Waiting { asks, .. } => match asks.into_iter().next() {
                    Some(ask) => Next::Ask(ask),
                    None => Next::Resume,
                },
                _ => Next::Resume,
            };
        }
    }

    /// A copy of a thread has the question of the thread that it was copied from, and an answer to that fits
    /// no question of its own. It has asked again meanwhile: if it asks the same, the answer is for that.
    async fn asked_again(
        &self,
        answered: &OpenAsk,
        verdict: Verdict,
        misfit: Error,
    ) -> Result<Next, Error> {
        let state = self.agent.graph().state(&*self.thread).await?;
        let (Some(ask), old) = (
            state.asks.into_iter().next(),
            answered.question::<Approval>()?,
        ) else {
            return Err(misfit);
        };
        let new = ask.question::<Approval>()?;
        let is_same = new.action_request == old.action_request
            && new.description == old.description
            && new.digest != old.digest;
        match is_same {
            true => Ok(Next::Answer(ask, verdict)),
            false => Err(misfit),
        }
    }

    /// The work has ended: the result is written, and what changed is shown.
    async fn done(&self, state: &Snap<SheetsState>, app: &mut App<'_>) -> Result<(), Error> {
        if let Some(output) = &self.output {
            let overwrite = match self.force {
                true => Overwrite::Replace,
                false => Overwrite::Never,
            };
            let saved = self.agent.save(state, output, overwrite).await;
            if saved.is_err() {
                let words = ["sheet", "save", &self.thread, "-o", "FILE"];
                let save = suggest::command(app.global, &words);
                app.output
                    .say(&[faint("the result is kept: "), plain(save)]);
            }
            saved?;
        }
        let changes = self.agent.changes(state).await?;
        let book = self.agent.workbook(state).await?;
        show::report(
            &show::Report {
                thread: &self.thread,
                state,
                output: self.output.as_deref(),
                changes: &changes,
                book: &book,
            },
            app.output,
        )
    }

    /// Asks the person about changes that would lose something.
    async fn person(&self, ask: &OpenAsk, app: &mut App<'_>) -> Result<Next, Error> {
        show::question(ask, &self.thread, app)?;
        let waiting = |app: &App<'_>| {
            show::to_answer(ask, &self.thread, app);
            Error::Waiting {
                thread: self.thread.clone(),
            }
        };
        if app.output.form == Form::Json || !app.terminal.is_interactive() {
            return Err(waiting(app));
        }
        let prompt = "y makes it, n refuses it, words are for the planner> ";
        let line = app
            .terminal
            .read_line(Topic::Detail, prompt, app.output)
            .await?;
        let text = match line {
            Line::Text(text) => text,
            Line::CtrlC => {
                show::to_answer(ask, &self.thread, app);
                return Err(Error::Cancelled);
            }
            Line::End => return Err(waiting(app)),
        };
        let verdict = match text.trim() {
            "y" | "yes" => Verdict::Accept,
            "" | "n" | "no" => Verdict::Ignore,
            words => Verdict::Response(words.to_owned()),
        };
        Ok(Next::Answer(ask.clone(), verdict))
    }
}

fn answer(ask: &OpenAsk, verdict: Verdict) -> Result<(AskId, serde_json::Value), Error> {
    let answer = ApprovalAnswer {
        digest: ask.question::<Approval>()?.digest,
        verdict,
    };
    Ok(ask.answer::<Approval>(&answer)?)
}

/// Shows a run while it goes. Ctrl-C drops it; what was stored stays.
async fn watch(
    mut stream: EventStream<SheetsState, Node>,
    app: &mut App<'_>,
) -> Result<Outcome<SheetsState>, Error> {
    loop {
        let event = tokio::select! {
            event = stream.next() => event,
            () = app.terminal.ctrl_c() => return Err(Error::Cancelled),
        };
        match event {
            Some(Event::Custom(data)) => {
                if let Ok(progress) = data.take::<Progress>() {
                    show::progress(&progress, app.output)?;
                }
            }
            Some(_) => {}
            None => break,
        }
    }
    Ok(stream.outcome().await?)
}
