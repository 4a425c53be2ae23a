//! `run AGENT`: an agent that this program added.

use std::{path::Path, sync::Arc};

use superstep::{ThreadId, Value, dynamic::state::Depth, model::select::DataOwner};
use superstep_agent::{Answers, Conversation, Next, OpenAgent, Site};

use crate::{
    agents::Agent,
    app::App,
    args::RunArgs,
    consent::{self, Agreement},
    console::{self, TerminalConsole},
    database, environment,
    error::Error,
    output::shown,
    written,
};

/// Reason of an agent without a model for refusing a call.
pub(crate) const NO_MODEL: &str = "the agent says that it needs no model";

pub(crate) async fn run(what: &RunArgs, app: &mut App<'_>) -> Result<(), Error> {
    let agent = what.agent;
    if agent.is_built_in() {
        return Err(Error::Usage(format!(
            "`{}` has commands of its own; `run` is for agents that a program adds",
            agent.name()
        )));
    }
    let input = input(what)?;
    let answers = written::answers(what.answers.as_deref())?;
    let mut opened = open(agent, app).await?;
    let thread = match &what.thread {
        Some(thread) => {
            check_thread(agent, thread, app).await?;
            consent::to_run(agent, thread, app).await?.store().await?;
            thread.clone()
        }
        None => {
            let backends = database::create(app.global)?;
            let saver = backends.saver.ok_or(Error::NoSaver)?;
            agent.new_thread(&*saver).await?
        }
    };
    talk(&mut *opened, &thread, answers, Next::Input(input), app).await
}

/// Refuses a thread of another agent, and a name that could be mistaken for another one.
async fn check_thread(agent: Agent, thread: &str, app: &App<'_>) -> Result<(), Error> {
    let saver = database::create(app.global)?.saver.ok_or(Error::NoSaver)?;
    let id = ThreadId::from(thread);
    if !saver.threads().await?.contains(&id) {
        return agent.check_name(thread);
    }
    match Agent::of(&*saver, &id).await == Some(agent) {
        true => Ok(()),
        false => Err(Error::Usage(format!(
            "`{}` is no thread of {}",
            shown(thread),
            agent.name()
        ))),
    }
}

/// Answers the open question of a thread, finishes an interrupted run, or shows the result.
pub(crate) async fn resume(
    agent: Agent,
    thread: &str,
    answers: Option<&Path>,
    agreement: Agreement,
    app: &mut App<'_>,
) -> Result<(), Error> {
    let answers = written::answers(answers)?;
    let mut opened = open(agent, app).await?;
    agreement.store().await?;
    let id = ThreadId::from(thread);
    let snapshot = opened.graph().state(&id, None, Depth::Here).await?;
    let next = match snapshot.asks().next() {
        Some(ask) => Next::Ask(ask.into()),
        None if snapshot.next.is_empty() => Next::Report,
        None => Next::Resume,
    };
    talk(&mut *opened, thread, answers, next, app).await
}

async fn talk(
    opened: &mut dyn OpenAgent,
    thread: &str,
    answers: Answers,
    next: Next,
    app: &mut App<'_>,
) -> Result<(), Error> {
    let console = TerminalConsole::new(app);
    let talk = Conversation::new(opened, thread, answers, console);
    console::ended(talk.run(next).await?, thread)
}

async fn open(agent: Agent, app: &mut App<'_>) -> Result<Box<dyn OpenAgent>, Error> {
    let backends = database::create(app.global)?;
    let site = match agent.card().needs_no_model {
        true => Site::without_model(backends, NO_MODEL),
        false => Site {
            backends,
            model: Arc::new(environment::open(&DataOwner::Project, app).await?.caller),
        },
    };
    agent.open(site)
}

/// The input: JSON as it is, or words where the agent takes words.
fn input(what: &RunArgs) -> Result<Value, Error> {
    let (name, words) = (what.agent.name(), what.words.join(" "));
    let json =
        match (&what.input, words.trim().is_empty()) {
            (Some(json), true) => serde_json::from_str(json)
                .map_err(|error| Error::Usage(format!("--input is no JSON: {error}")))?,
            (Some(_), false) => {
                let why = "give words or --input, not both".to_owned();
                return Err(Error::Usage(why));
            }
            (None, true) => {
                let why = format!("say something to {name}, or give it --input JSON");
                return Err(Error::Usage(why));
            }
            (None, false) => what.agent.card().input_of(&words).ok_or_else(|| {
                Error::Usage(format!("{name} takes no words; give it --input JSON"))
            })?,
        };
    Ok(Value::from(json))
}
