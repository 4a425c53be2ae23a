//! `run AGENT`: an agent of a file, or one that this program added.

use std::path::Path;

use serde_json::{Map, Value as Json};
use superstep::{
    Backends, MemorySaver, ThreadId, Value,
    model::{Budget, select::DataOwner},
};
use superstep_agent::{Form, Next, OpenAgent, Site};

use crate::{
    agent_files, agents::Agent, app::App, args::RunArgs, consent, console, database, error::Error,
    opened_model, output::shown, written,
};

/// Reason of an agent without a model for refusing a call.
pub(crate) const NO_MODEL: &str = "the agent is declared `without_model()`, so it cannot call one";

pub(crate) async fn run(what: &RunArgs, app: &mut App<'_>) -> Result<(), Error> {
    let agent = match what.agent.ends_with(".toml") {
        true => agent_files::opened(Path::new(&what.agent))?,
        false => Agent::named(&what.agent)?,
    };
    if agent.is_built_in() {
        return Err(Error::Usage(format!(
            "`{}` has commands of its own; `run` is for agents of files and of programs",
            agent.name()
        )));
    }
    let next = Next::Input(input(agent, what)?);
    let answers = written::answers(what.answers.as_deref())?;
    let content = content_of(what.thread.is_some());
    let mut opened = open(agent, &content, &opened_model::budget(None), app).await?;
    let thread = thread_for(agent, what.thread.clone(), app).await?;
    console::talk(&mut *opened, &thread, (answers, None), next, app).await
}

/// The thread that an agent runs on: a new one unless one is named. Refuses a thread of another agent, and a name that
/// could be mistaken for another one; a person agrees to a foreign one.
pub(crate) async fn thread_for(
    agent: Agent,
    named: Option<String>,
    app: &mut App<'_>,
) -> Result<String, Error> {
    let saver = database::create(app.global)?.saver.ok_or(Error::NoSaver)?;
    let Some(thread) = named else {
        return agent.new_thread(&*saver).await;
    };
    let id = ThreadId::from(&*thread);
    match saver.threads().await?.contains(&id) {
        false => agent.check_name(&thread)?,
        true if Agent::of(&*saver, &id).await == Some(agent) => {}
        true => {
            let (thread, agent) = (shown(&thread), agent.name());
            return Err(Error::Usage(format!("`{thread}` is no thread of {agent}")));
        }
    }
    consent::to_run(agent, &thread, app).await?.store().await?;
    Ok(thread)
}

/// Whose data a run works on. A stored thread may hold anything.
pub(crate) fn content_of(is_stored: bool) -> DataOwner {
    match is_stored {
        true => DataOwner::Elsewhere("the thread may hold data that is not of the project".into()),
        false => DataOwner::Project,
    }
}

/// The agent, whose calls stay within a budget.
pub(crate) async fn open(
    agent: Agent,
    content: &DataOwner,
    budget: &Budget,
    app: &mut App<'_>,
) -> Result<Box<dyn OpenAgent>, Error> {
    let backends = database::create(app.global)?;
    agent.open(site(agent, content, (backends, budget), app).await?)
}

/// The models of an agent and where its threads are stored.
pub(crate) async fn site(
    agent: Agent,
    content: &DataOwner,
    (backends, budget): (Backends, &Budget),
    app: &mut App<'_>,
) -> Result<Site, Error> {
    let card = agent.card();
    if card.needs_no_model {
        return Ok(Site::without_model(backends, NO_MODEL));
    }
    let mut global = app.global.clone();
    if let Some(file) = agent.file() {
        agent_files::connect(file, app).await?;
        let named = file.model().map(str::to_owned);
        global.model = global.model.or(named);
    }
    let output = app.output;
    let mut app = app.with(&global, output);
    let nodes: Vec<&str> = card.model_nodes.iter().map(String::as_str).collect();
    let models = opened_model::open_models(&nodes, content, budget, &mut app).await?;
    Ok(Site { backends, models })
}

/// The input: JSON or text, and fields by name.
fn input(agent: Agent, what: &RunArgs) -> Result<Value, Error> {
    let words = what.words.join(" ");
    let name = agent.name();
    let form = || -> Result<Form, Error> {
        if let Some(file) = agent.file() {
            return Ok(file.form());
        }
        let nowhere = Backends::on(MemorySaver::default());
        let schema = agent.reader(nowhere)?.schemas().input;
        Ok(Form::of(&schema.unwrap_or_default()))
    };
    let mut json = match (&what.input, words.trim().is_empty()) {
        (Some(json), true) => serde_json::from_str(json)
            .map_err(|error| Error::Usage(format!("--input is no JSON: {error}")))?,
        (Some(_), false) => {
            let why = "give words or --input, not both".to_owned();
            return Err(Error::Usage(why));
        }
        (None, true) if what.set.is_empty() => {
            let fields = form()?.fields.into_iter().map(|field| {
                let about = field.about.lines().next().unwrap_or_default().to_owned();
                format!("\n  {}: {}  {about}", field.name, field.kind.wanted())
            });
            let fields: String = fields.collect();
            return Err(Error::Usage(format!(
                "{name} needs input: pass text, --set FIELD=VALUE or --input JSON{fields}"
            )));
        }
        (None, true) => Json::Object(Map::new()),
        (None, false) => agent.card().input_of(&words).ok_or_else(|| {
            Error::Usage(format!(
                "{name} takes no text; use --set FIELD=VALUE or --input JSON"
            ))
        })?,
    };
    if !what.set.is_empty() {
        let form = form()?;
        let Json::Object(fields) = &mut json else {
            return Err(Error::Usage("--set needs an object as --input".into()));
        };
        for pair in &what.set {
            let wrong = |why: String| Error::Usage(format!("--set {pair}: {why}"));
            let Some((field, text)) = pair.split_once('=') else {
                return Err(wrong("write FIELD=VALUE".into()));
            };
            form.set(fields, field, text).map_err(wrong)?;
        }
        if let Some(file) = agent.file() {
            let message = file.message(fields).map_err(Error::Usage)?;
            json = agent.card().input_of(&message).unwrap_or_default();
        }
    }
    Ok(Value::from(json))
}
