//! Archie on the command line: `analyze`, `ask`, `build-context`, and resuming a thread.
//!
//! `options` opens the agent with a model and settings, `talk` is the conversation, `answers` the source
//! of answers, `screen` the rendering of a run, `result` its end.

mod answers;
mod options;
mod pdf;
mod result;
mod screen;
mod talk;

use std::path::{Path, PathBuf};

use superstep::{
    fs::Roots,
    model::{config::Config, select::DataOwner},
};
use superstep_archie::{Analysis, AnalysisUpdate, Archie, Brief, ErrorKind, Flow, Question};

use crate::{
    agents::Agent,
    app::App,
    args::{Analyze, Ask, BuildContext, Global, Limits, TalkOptions},
    consent::{self, Agreement},
    database, environment,
    error::Error,
    files,
    output::{Output, plain, shown},
    suggest,
    thread_reader::ThreadReader,
};

pub(crate) use pdf::EXTRACTS;

use answers::Answers;
use options::AgentOptions;
use screen::Screen;
use talk::{BeginAgain, Talk, TalkStep};

/// Refuses settings that cannot be used.
pub(crate) fn check_settings(config: &Config) -> Result<(), Error> {
    options::settings(config).map(drop)
}

pub(crate) async fn analyze(what: &Analyze, app: &mut App<'_>) -> Result<(), Error> {
    if what.query.trim().is_empty() {
        let why = "the query is empty".to_owned();
        return Err(superstep_archie::Error::from(ErrorKind::Settings { why }).into());
    }
    check_globs(&what.reading.glob)?;
    check_out(what.talk.out.as_deref(), app.global)?;
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
    let thread = Agent::ARCHIE.new_thread(&*options.saver()?).await?;
    let start = TalkStep::Start(Box::new(agent.analyze(&brief)));
    let out = what.talk.out.clone();
    Talk::new(agent, thread, answers, out, app)
        .beginning(&what.query, with_words(brief, Archie::analyze))
        .explaining(what.talk.explain)
        .run(start, app.terminal)
        .await
}

/// Shows what the calls of a thread cost.
pub(crate) async fn tell_tokens(
    thread: &str,
    global: &Global,
    output: &Output,
) -> Result<(), Error> {
    let agent = Archie::reader(database::read_only(global)?)?;
    let spent = agent.spent(thread).await?;
    let turns = agent.graph().state(thread).await?.state.turn();
    Screen::new(output).tokens(turns, &spent);
    Ok(())
}

/// How a thread begins with other words than those of a brief.
fn with_words(brief: Brief, begin: fn(&Archie, &Brief) -> AnalysisUpdate) -> BeginAgain {
    Box::new(move |agent, words| {
        let brief = Brief {
            words: words.to_owned(),
            ..brief.clone()
        };
        begin(agent, &brief)
    })
}

pub(crate) async fn ask(what: &Ask, app: &mut App<'_>) -> Result<(), Error> {
    let mut thread = match &what.thread {
        Some(text) => Some(ThreadReader::open(app.global)?.named(text).await?),
        None => None,
    };
    question(what, &mut thread, app).await
}

/// Asks a question in a thread, which knows what was said before; in a new one if there is none, whose name
/// is then known.
pub(crate) async fn question(
    what: &Ask,
    thread: &mut Option<String>,
    app: &mut App<'_>,
) -> Result<(), Error> {
    let words = with_piped(&what.words.join(" "), app).await?;
    if words.trim().is_empty() {
        let why = "the question is empty".to_owned();
        return Err(superstep_archie::Error::from(ErrorKind::Settings { why }).into());
    }
    let mut brief = Brief {
        words: words.clone(),
        inputs: what.inputs.clone(),
        ..Brief::default()
    };
    let mut content = DataOwner::Project;
    if let Some(thread) = thread {
        let known = read_for_question(thread, app).await?;
        let folder = known.inputs.folder.clone().map(PathBuf::from);
        brief.inputs = brief.inputs.or(folder);
        if !known.system_context.is_empty() {
            content = content_of(&known, app.global)?;
        }
    }
    if let Some(inputs) = &brief.inputs {
        require_inputs(inputs)?;
        if content == DataOwner::Project {
            content = environment::content_at(app.global, inputs)?;
        }
    }
    let options = AgentOptions::open(&what.limits, None, &content, app).await?;
    let agent = options.archie(None)?;
    let name = match thread {
        Some(name) => name.clone(),
        None => Agent::ARCHIE.new_thread(&*options.saver()?).await?,
    };
    *thread = Some(name.clone());
    let start = TalkStep::Start(Box::new(agent.ask(&brief)));
    Talk::new(agent, name, Answers::none(), None, app)
        .beginning(&words, with_words(brief, Archie::ask))
        .run(start, app.terminal)
        .await
}

/// A question and what is piped in with it; `-` is what is piped in alone.
async fn with_piped(words: &str, app: &mut App<'_>) -> Result<String, Error> {
    if app.global.no_input {
        return Ok(words.to_owned());
    }
    let piped = app.terminal.piped_text().await?;
    let words = words.trim();
    Ok(match (words, piped) {
        ("-", Some(text)) => text,
        ("-", None) => {
            let why = "`-` is what is piped in, and nothing is".to_owned();
            return Err(Error::Usage(why));
        }
        (words, Some(text)) => format!("{words}\n\n{}", text.trim_end()),
        (words, None) => words.to_owned(),
    })
}

/// A finished thread for another question; a foreign one only after a person agreed to run it.
async fn read_for_question(thread: &str, app: &App<'_>) -> Result<Analysis, Error> {
    let reader = ThreadReader::open(app.global)?;
    let resume = suggest::command(app.global, &["threads", "resume", thread]);
    if reader.agent(thread).await? != Agent::ARCHIE {
        return Err(Error::Usage(format!(
            "thread {} is not of Archie",
            shown(thread)
        )));
    }
    if consent::is_wanted(&reader.provenance()?, thread).await? {
        return Err(Error::Usage(format!(
            "thread {} was imported, or started or edited over HTTP; agree to run it first: {resume}",
            shown(thread)
        )));
    }
    let known = Archie::reader(database::read_only(app.global)?)?;
    let known = known.graph().state(thread).await?;
    match known.is_done() || known.asks.is_empty() {
        true => Ok((*known.state).clone()),
        false => Err(Error::Usage(format!(
            "thread {} waits for your answer: {resume}",
            shown(thread)
        ))),
    }
}

pub(crate) async fn build_context(what: &BuildContext, app: &mut App<'_>) -> Result<(), Error> {
    check_globs(&what.reading.glob)?;
    check_out(what.out.as_deref(), app.global)?;
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
    let thread = Agent::ARCHIE.new_thread(&*options.saver()?).await?;
    let start = TalkStep::Start(Box::new(agent.build_context(&what.name, &brief)));
    Talk::new(agent, thread, Answers::none(), what.out.clone(), app)
        .run(start, app.terminal)
        .await
}

/// The agent as a server hosts it: threads may name folders below these.
pub(crate) async fn hosted(
    roots: Roots,
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
    check_out(args.out.as_deref(), app.global)?;
    let answers = Answers::of(args)?;
    let reading = Archie::reader(database::read_only(app.global)?)?;
    let known = reading.graph().state(thread).await?;
    if let Some(folder) = &known.state.inputs.folder {
        agreement.permit(Path::new(folder))?;
    }
    if known.is_done() {
        agreement.store().await?;
        let mut screen = Screen::new(app.output);
        screen.thread(thread)?;
        let out = args.out.as_deref();
        result::publish_again(&known.state, out, &mut screen, app.output)?;
        if args.explain {
            let traces = reading.explain(&known.state).await?;
            result::explain(&traces, &screen, app.output)?;
        }
        return Ok(());
    }
    let content = content_of(&known.state, app.global)?;
    let options = match AgentOptions::open(&args.limits, None, &content, app).await {
        Ok(options) => match agreement.roots() {
            Some(roots) => options.below(roots),
            None => options,
        },
        Err(error) => {
            if let Some(ask) = known.asks.first() {
                let mut screen = Screen::new(app.output);
                screen.thread(thread)?;
                screen.question(ask.id, &ask.question::<Question>()?)?;
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
    let model = options.model_name();
    if known.state.model_name != model {
        app.output.say(&[plain(format!(
            "note: this thread was begun with {}; it continues with {model}",
            shown(&known.state.model_name)
        ))]);
    }
    let out = args.out.clone();
    Talk::new(agent, thread.to_owned(), answers, out, app)
        .explaining(args.explain)
        .run(next, app.terminal)
        .await
}

/// Refuses a file that the result cannot be written to, before anybody talks for an hour.
fn check_out(out: Option<&Path>, global: &Global) -> Result<(), Error> {
    let Some(out) = out else { return Ok(()) };
    files::refuse_database(out, global)?;
    Ok(files::require_folder_of(out)?)
}

/// Refuses a glob that is none, before a thread is made for it.
fn check_globs(globs: &[String]) -> Result<(), Error> {
    Ok(superstep_archie::documents::check_globs(globs)?)
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
