//! `superstep atris`: questions about Audius.
//!
//! `options` opens the agent with its settings and model, `command` suggests commands, `session` runs questions in
//! their order, `check` compares readings with labels.

mod check;
mod command;
mod options;
mod session;

use serde_json::Value as Json;
use superstep_agent::Console as _;
use superstep_atris::{SKIP, changes, help_of, thread_errors};
use superstep_fake_audius::{FakeAudius, Options, TOKEN};

use crate::{
    agents::Agent,
    app::App,
    args::{AtrisCommand, AtrisOptions, Global},
    console::TerminalConsole,
    database,
    error::Error,
    output::{Form, faint, plain, shown, strong},
    own, question_id,
    resumed::Resumed,
    terminal::{Line, Topic},
    thread_reader::{LAST, ThreadReader},
};

pub(crate) use command::resuming;
use options::OpenedAtris;
use session::Session;

pub(crate) async fn run(command: AtrisCommand, app: &mut App<'_>) -> Result<(), Error> {
    match command {
        AtrisCommand::Ask {
            words,
            thread,
            options,
        } => {
            let mut session = open(thread, &options, app).await?;
            session.ask(&words.join(" "), app).await
        }
        AtrisCommand::Answer {
            thread,
            words,
            question,
            mut options,
        } => {
            let said = words.join(" ");
            let said = (!said.trim().is_empty()).then_some(said);
            if said.is_some() && options.answers.take().is_some() {
                let why = "give the answer or --answers, not both".to_owned();
                return Err(Error::Usage(why));
            }
            let mut session = open(Some(thread), &options, app).await?;
            if let Some(said) = said {
                session.answers_with(said);
            }
            session.resume(question.as_deref(), app).await
        }
        AtrisCommand::Chat { thread, options } => chat(thread, &options, app).await,
        AtrisCommand::Check {
            files,
            no_model,
            counts,
        } => check::run(&files, no_model, counts, app).await,
        AtrisCommand::Errors { thread } => errors(&thread, app).await,
        AtrisCommand::Fake {
            port,
            seed,
            strict,
            fault,
        } => {
            let options = Options {
                seed,
                port,
                strict,
                fault,
                ..Options::default()
            };
            fake(options, app).await
        }
    }
}

/// The agent as a server hosts it, and the fake that it asks, if it does.
pub(crate) async fn hosted(
    is_fake: bool,
    app: &mut App<'_>,
) -> Result<(superstep_atris::Atris, Option<FakeAudius>), Error> {
    let options = AtrisOptions {
        fake: is_fake,
        ..AtrisOptions::default()
    };
    let opened = options::open(&options, app).await?;
    Ok((opened.agent, opened.fake))
}

/// Resumes a thread: answers its open question, or finishes a run that was interrupted.
pub(crate) async fn resume(resumed: Resumed<'_>, app: &mut App<'_>) -> Result<(), Error> {
    resumed.chosen(app).await?;
    let agent = superstep_atris::Atris::reader(database::read_only(app.global)?)?;
    let known = agent.graph().state(resumed.thread).await?;
    // Whoever names a question about a change has seen it.
    let named = resumed.question.unwrap_or_default();
    let mut asked = known.asks.iter();
    let asked = asked.find(|ask| question_id::names(named, ask.id));
    let options = AtrisOptions {
        writes: asked.is_some_and(changes),
        fake: known.state.bound_host.as_deref() == Some(options::FAKE),
        ..AtrisOptions::default()
    };
    let thread = Some(resumed.thread.to_owned());
    let mut session = open(thread, &options, app).await?;
    session.set_answers(resumed.answers);
    session.resume(resumed.question, app).await
}

async fn open(
    thread: Option<String>,
    options: &AtrisOptions,
    app: &mut App<'_>,
) -> Result<Session, Error> {
    let thread = match thread.as_deref() == Some(LAST) {
        true => Some(
            ThreadReader::open(app.global)?
                .last_of(Agent::ATRIS)
                .await?,
        ),
        false => thread,
    };
    let mut options = options.clone();
    if let Some(thread) = &thread
        && !options.no_model
        && is_by_rules(thread, app.global).await
    {
        options.no_model = true;
        app.output.note(&[faint(
            "this thread was answered by rules alone, and is again; --model MODEL uses a model",
        )]);
    }
    let OpenedAtris { agent, fake } = options::open(&options, app).await?;
    let thread = own::thread_for(Agent::ATRIS, thread, app).await?;
    Session::new(agent, thread, options, fake, app.global)
}

/// Whether all answers of a thread so far came from rules, and nobody names a model now.
async fn is_by_rules(thread: &str, global: &Global) -> bool {
    let Ok(reader) = ThreadReader::open(global) else {
        return false;
    };
    let known = match reader.graph_of(Agent::ATRIS) {
        Ok(graph) => reader.snapshot(&graph, thread, None).await,
        Err(_) => return false,
    };
    let state = known
        .ok()
        .and_then(|it| serde_json::to_value(&it.values).ok());
    let answered = state.as_ref().and_then(|it| it.get("history")?.as_array());
    let is_answered = answered.is_some_and(|turns| !turns.is_empty());
    global.model.is_none()
        && is_answered
        && reader.model(&thread.into(), &Json::Null).await.is_none()
}

async fn chat(
    thread: Option<String>,
    options: &AtrisOptions,
    app: &mut App<'_>,
) -> Result<(), Error> {
    let mut session = open(thread, options, app).await?;
    session.announce(app);
    if session.is_waiting().await {
        went_on(session.resume(None, app).await)?;
    }
    loop {
        match app
            .terminal
            .read_line(Topic::Message, "atris> ", app.output)
            .await?
        {
            Line::End => return Ok(()),
            Line::CtrlC => return Err(Error::Cancelled),
            Line::Text(text) if ["exit", "quit", "/exit"].contains(&text.trim()) => return Ok(()),
            Line::Text(text) if text.trim().is_empty() => {}
            Line::Text(text) if text.trim() == SKIP => {
                app.output
                    .say(&[plain("nothing is asked that could be left")]);
            }
            // No question begins so; a slip of the pen is not asked about.
            Line::Text(text) if text.trim().starts_with('/') => {
                let mut console = TerminalConsole::new(app);
                for notice in help_of(text.trim()) {
                    console.show(&notice)?;
                }
            }
            Line::Text(text) => went_on(session.ask(&text, app).await)?,
        }
    }
}

/// Whether a session continues: no answer was printed as the answer.
fn went_on(asked: Result<(), Error>) -> Result<(), Error> {
    match asked {
        Err(Error::Reported { .. }) => Ok(()),
        other => other,
    }
}

async fn errors(thread: &str, app: &mut App<'_>) -> Result<(), Error> {
    let reader = ThreadReader::open(app.global)?;
    let thread = match thread == LAST {
        true => reader.last_of(Agent::ATRIS).await?,
        false => reader.named(thread).await?,
    };
    let thread = thread.as_str();
    let agent = superstep_atris::Atris::reader(database::read_only(app.global)?)?;
    let known = agent.graph().state(thread).await?;
    if known.id.is_none() {
        return Err(Error::Missing {
            what: format!("there is no thread `{}`", shown(thread)),
            hint: "see `superstep threads list --agent atris`",
        });
    }
    let state = serde_json::to_value(&*known.state).unwrap_or_default();
    let resume = resuming(thread, &state, &[], app.global);
    let mut console = TerminalConsole::new(app);
    let notices = thread_errors(&known, &resume)?;
    notices.iter().try_for_each(|notice| console.show(notice))
}

/// Serves until Ctrl-C.
async fn fake(options: Options, app: &mut App<'_>) -> Result<(), Error> {
    let server = FakeAudius::start(options).await?;
    let address = server.address();
    if app.output.form == Form::Json {
        app.output.json(&serde_json::json!({"address": address}))?;
    } else {
        app.output.data(&[strong(&address)])?;
        app.output.say(&[plain(format!(
            "ask it with: superstep atris ask 'trending tracks' --host {address}; Ctrl-C ends it"
        ))]);
        app.output.say(&[plain(format!(
            "whoever has the token {TOKEN} is signed in (AUDIUS_TOKEN={TOKEN})"
        ))]);
    }
    app.terminal.ctrl_c().await;
    Ok(())
}
