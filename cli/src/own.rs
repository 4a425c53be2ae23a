//! `run AGENT`, and resuming a thread of an agent that this program added.

use serde_json::{Map, Value as Json};
use superstep::{
    Backends, MemorySaver, ThreadId, Value,
    dynamic::state::Depth,
    model::{Budget, select::DataOwner},
};
use superstep_agent::{Form, Next, OpenAgent, Site};

use crate::{
    agents::Agent,
    app::App,
    args::RunArgs,
    consent::{self, Agreement},
    console, database, environment,
    error::Error,
    output::shown,
    question_id,
    resumed::Resumed,
    written,
};

/// Reason of an agent without a model for refusing a call.
const NO_MODEL: &str = "the agent is declared `without_model()`, so it cannot call one";

pub(crate) async fn run(what: &RunArgs, app: &mut App<'_>) -> Result<(), Error> {
    let agent = what.agent;
    if agent.is_built_in() {
        return Err(Error::Usage(format!(
            "`{}` has commands of its own; `run` is for agents that a program adds",
            agent.name()
        )));
    }
    let next = Next::Input(input(what)?);
    let answers = written::answers(what.answers.as_deref())?;
    let content = content_of(what.thread.is_some());
    let mut opened = open(agent, &content, &environment::budget(None), app).await?;
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
    console::talk(&mut *opened, &thread, (answers, None), next, app).await
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

/// Answers the open question of a thread, finishes an interrupted run, or shows the result. The question and the result
/// are shown even if there is no model.
pub(crate) async fn resume(
    resumed: Resumed<'_>,
    agreement: Agreement,
    app: &mut App<'_>,
) -> Result<(), Error> {
    let Resumed {
        agent,
        thread: name,
        question,
        answers,
        talk,
        ..
    } = resumed;
    let budget = environment::budget(talk.limits.max_cost);
    let mut reader = agent.reader(database::read_only(app.global)?)?;
    let id = ThreadId::from(name);
    let snapshot = reader.graph().state(&id, None, Depth::Here).await?;
    let asks = snapshot.asks().map(Into::into).collect();
    let ask = question_id::choose(asks, question)?;
    let next = Next::of(ask, snapshot.next.is_empty());
    let answers = (answers, question);
    if let Next::Report = next {
        return console::talk(&mut *reader, name, answers, next, app).await;
    }
    let mut opened = match open(agent, &content_of(true), &budget, app).await {
        Ok(opened) => opened,
        Err(error) => {
            if let Next::Ask(ask) = &next {
                console::show_open(&mut *reader, name, ask, app)?;
            }
            return Err(error);
        }
    };
    agreement.store().await?;
    console::talk(&mut *opened, name, answers, next, app).await
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
    let nodes: Vec<&str> = card.model_nodes.iter().map(String::as_str).collect();
    let models = environment::open_models(&nodes, content, budget, app).await?;
    Ok(Site { backends, models })
}

/// The input: JSON or text, and fields by name.
fn input(what: &RunArgs) -> Result<Value, Error> {
    let (agent, words) = (what.agent, what.words.join(" "));
    let name = agent.name();
    let form = || -> Result<Form, Error> {
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
    }
    Ok(Value::from(json))
}
