//! Archie on the command line: `analyze`, `ask`, `build-context`, and resuming a thread.
//!
//! `options` opens the agent with a model and settings, `talk` is the conversation, `answers` the source
//! of answers, `screen` the rendering of a run, `result` its end.

mod answers;
mod options;
mod result;
mod screen;
mod talk;

use std::path::{Path, PathBuf};

use superstep::model::select::DataOwner;
use superstep_archie::{Analysis, Brief, ErrorKind, Flow, Question};

use crate::{
    agents::{self, Agent},
    app::App,
    args::{Analyze, Ask, BuildContext, Global, Limits, TalkOptions},
    consent::Agreement,
    database, environment,
    error::Error,
    files,
};

use answers::Answers;
use options::AgentOptions;
use screen::Screen;
use talk::{Talk, TalkStep};

pub(crate) async fn analyze(what: &Analyze, app: &mut App<'_>) -> Result<(), Error> {
    if what.query.trim().is_empty() {
        let why = "the query is empty".to_owned();
        return Err(superstep_archie::Error::from(ErrorKind::Settings { why }).into());
    }
    if let Some(out) = &what.talk.out {
        files::refuse_database(out, app.global)?;
    }
    let answers = Answers::of(&what.talk)?;
    let brief = Brief {
        words: what.query.clone(),
        inputs: Some(what.reading.inputs.clone()),
        globs: what.reading.glob.clone(),
        skip: what.talk.out.iter().cloned().collect(),
    };
    require_inputs(&what.reading.inputs)?;
    let options = AgentOptions::open(
        &what.talk.limits,
        what.reading.budget,
        &environment::content_at(app.global, &what.reading.inputs)?,
        app,
    )
    .await?;
    let agent = options.archie(None)?;
    let thread = Agent::Archie.new_thread(&*options.saver()?).await?;
    let start = TalkStep::Start(Box::new(agent.analyze(&brief)));
    let out = what.talk.out.clone();
    Talk::new(agent, thread, answers, out, app.output)
        .run(start, app.terminal)
        .await
}

pub(crate) async fn ask(what: &Ask, app: &mut App<'_>) -> Result<(), Error> {
    let brief = Brief {
        words: what.words.join(" "),
        inputs: what.inputs.clone(),
        ..Brief::default()
    };
    let content = match &what.inputs {
        Some(inputs) => {
            require_inputs(inputs)?;
            environment::content_at(app.global, inputs)?
        }
        None => DataOwner::Project,
    };
    let options = AgentOptions::open(&what.limits, None, &content, app).await?;
    let agent = options.archie(None)?;
    let thread = Agent::Archie.new_thread(&*options.saver()?).await?;
    let start = TalkStep::Start(Box::new(agent.ask(&brief)));
    Talk::new(agent, thread, Answers::none(), None, app.output)
        .run(start, app.terminal)
        .await
}

pub(crate) async fn build_context(what: &BuildContext, app: &mut App<'_>) -> Result<(), Error> {
    if let Some(out) = &what.out {
        files::refuse_database(out, app.global)?;
    }
    let brief = Brief {
        inputs: Some(what.reading.inputs.clone()),
        globs: what.reading.glob.clone(),
        skip: what.out.iter().cloned().collect(),
        ..Brief::default()
    };
    require_inputs(&what.reading.inputs)?;
    let content = environment::content_at(app.global, &what.reading.inputs)?;
    let budget = what.reading.budget;
    let options = AgentOptions::open(&what.limits, budget, &content, app).await?;
    let agent = options.archie(None)?;
    let thread = Agent::Archie.new_thread(&*options.saver()?).await?;
    let start = TalkStep::Start(Box::new(agent.build_context(&what.name, &brief)));
    Talk::new(agent, thread, Answers::none(), what.out.clone(), app.output)
        .run(start, app.terminal)
        .await
}

/// The agent as a server hosts it: threads may name folders below these.
pub(crate) async fn hosted(
    roots: Vec<PathBuf>,
    app: &mut App<'_>,
) -> Result<superstep_archie::Archie, Error> {
    let content = environment::content_of_server();
    let options = AgentOptions::open(&Limits::default(), None, &content, app).await?;
    options.below(roots).archie(None)
}

/// Resumes a thread: shows its open question without calling the model, continues an interrupted run, or
/// writes the result again if it is missing. The question and the result are shown even if there is no model.
pub(crate) async fn resume(
    thread: &str,
    args: &TalkOptions,
    agreement: Agreement,
    app: &mut App<'_>,
) -> Result<(), Error> {
    if let Some(out) = &args.out {
        files::refuse_database(out, app.global)?;
    }
    let answers = Answers::of(args)?;
    let known = agents::read_only_archie(database::read_only(app.global)?)?;
    let known = known.graph().state(thread).await?;
    if known.is_done() {
        agreement.store().await?;
        let mut screen = Screen::new(app.output);
        screen.thread(thread)?;
        let out = args.out.as_deref();
        return result::publish_again(&known.state, out, &mut screen, app.output);
    }
    let content = content_of(&known.state, app.global)?;
    let options = match AgentOptions::open(&args.limits, None, &content, app).await {
        Ok(options) => options,
        Err(error) => {
            if let Some(ask) = known.asks.first() {
                let mut screen = Screen::new(app.output);
                screen.thread(thread)?;
                screen.question(&ask.question::<Question>()?)?;
            }
            return Err(error);
        }
    };
    let reader = options.archie(None)?;
    let checkpoint = reader.graph().state(thread).await?;
    let agent = options.archie(Some(reader.spent(thread).await?))?;
    let next = match checkpoint.asks.into_iter().next() {
        Some(ask) => TalkStep::Ask(ask),
        None => TalkStep::Resume,
    };
    agreement.store().await?;
    Talk::new(
        agent,
        thread.to_owned(),
        answers,
        args.out.clone(),
        app.output,
    )
    .run(next, app.terminal)
    .await
}

/// Refuses a folder that is not there, before a thread is made for it.
fn require_inputs(inputs: &Path) -> Result<(), Error> {
    let Err(error) = std::fs::metadata(inputs) else {
        return Ok(());
    };
    let folder = inputs.display().to_string();
    let why = error.to_string();
    Err(superstep_archie::Error::from(ErrorKind::Folder { folder, why }).into())
}

/// Whose data a thread holds: the project's if its documents are there, and nothing else is in it.
fn content_of(state: &Analysis, global: &Global) -> Result<DataOwner, Error> {
    match &state.inputs.folder {
        Some(folder) if state.system_context.is_empty() => {
            environment::content_at(global, Path::new(folder))
        }
        Some(_) => Ok(DataOwner::Elsewhere(
            "the thread holds what Archie remembers of other projects".into(),
        )),
        None => Ok(DataOwner::Elsewhere(
            "the thread has no documents of the project".into(),
        )),
    }
}

/// Name of the result of a flow.
fn name_of(flow: Flow) -> &'static str {
    match flow {
        Flow::Analysis => "the analysis",
        Flow::BuildContext => "the context",
        Flow::Ask => "the answer",
    }
}
