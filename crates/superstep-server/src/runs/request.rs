//! What a client asks of a run, in the words of the engine.

use std::time::Duration;

use serde_json::{Map, Value as Json};
use superstep::{
    RunId, RunQuery, RunRecord, ThreadId, Value,
    dynamic::{DynCommand, Goto, Resume, Send, input::from_client, state::Depth},
    runs::{OnBusy, QueuedInput},
};

use super::{inbox_answer, kwargs::RunKwargs, stream_mode::Mode, webhook};
use crate::{
    app::App,
    owners::visitor::Visitor,
    records::assistant::Version,
    refusal::{REPEATS, Refusal},
    request::payload::Payload,
};

/// The longest that a run can wait for its turn to come: a year.
const LONGEST_WAIT: f64 = 365.0 * 24.0 * 3600.0;

/// What a client asks of a run.
#[derive(Clone, Debug)]
pub(crate) struct RunRequest {
    pub(crate) kwargs: RunKwargs,
    pub(crate) metadata: Map<String, Json>,
    pub(crate) input: QueuedInput,
    pub(crate) on_busy: OnBusy,
    pub(crate) after: Duration,
    /// Whether the run ends when its client goes away.
    pub(crate) is_cancelled_without_client: bool,
    /// Whether a thread is made if there is none.
    pub(crate) makes_thread: bool,
    /// Whether a thread of the run's own stays.
    pub(crate) keeps_thread: bool,
    /// Whether its client waits for its end or reads its events.
    pub(crate) is_read: bool,
    /// Its id, if that is not up to chance.
    pub(crate) run: Option<RunId>,
    /// Its caller, whom its nodes see. The thread that it makes is theirs.
    pub(crate) visitor: Visitor,
    /// Whether the client sent a context, so that it is not the assistant's alone.
    brings_context: bool,
}

impl RunRequest {
    /// Reads the body of a caller's request; nothing in it says who that is.
    pub(crate) async fn read(
        app: &App,
        visitor: &Visitor,
        body: &mut Payload,
    ) -> Result<Self, Refusal> {
        let Some(assistant) = body.field::<String>("assistant_id")? else {
            return Err(Refusal::invalid("`assistant_id` is missing"));
        };
        let (assistant_id, assistant) = app.assistant_named(&assistant).await?;
        app.registry.graph(&assistant.graph_id)?;
        let version = assistant.now();
        let strategies = &["enqueue", "interrupt", "reject", "rollback"];
        let strategy = body.word("multitask_strategy", strategies)?;
        let repeats = body.field(REPEATS)?.unwrap_or(false);
        let on_busy = match strategy {
            Some("interrupt") => OnBusy::Interrupt,
            Some("reject") => OnBusy::Reject,
            Some("rollback") if repeats => OnBusy::RollbackRepeating,
            Some("rollback") => OnBusy::Rollback,
            _ => OnBusy::Enqueue,
        };
        let at: Option<Json> = body.field("checkpoint")?;
        let at = match (at, body.field::<Json>("checkpoint_id")?) {
            (None, id) => id,
            (at, _) => at,
        };
        let hook: Option<String> = body.field("webhook")?;
        if let Some(hook) = &hook {
            webhook::check(hook, &app.webhook_hosts)?;
        }
        let Configured {
            config,
            context,
            brings_context,
        } = configure(&version, body)?;
        let durability = body.word("durability", &["async", "exit", "sync"])?;
        let durability = durability.map(str::to_owned).or(older(body)?);
        let kwargs = RunKwargs {
            graph_id: assistant.graph_id.clone(),
            assistant_id: assistant_id.clone(),
            command: body.look("command"),
            config,
            context,
            stream_mode: Mode::read(body.field("stream_mode")?)?,
            stream_subgraphs: body.field("stream_subgraphs")?.unwrap_or(false),
            stream_resumable: body.field("stream_resumable")?.unwrap_or(false),
            interrupt_before: body.field("interrupt_before")?.unwrap_or_default(),
            interrupt_after: body.field("interrupt_after")?.unwrap_or_default(),
            checkpoint: at.unwrap_or_default(),
            repeat_effects: repeats,
            durability,
            multitask_strategy: strategy.unwrap_or("enqueue").to_owned(),
            webhook: hook,
            temporary: false,
            owner: None,
        };
        // What cannot be done is refused now, not when the run's turn comes.
        kwargs.options()?;
        let mut metadata = version.metadata;
        metadata.extend(body.object("metadata")?);
        metadata.insert("graph_id".to_owned(), (&*assistant.graph_id).into());
        metadata.insert("assistant_id".to_owned(), assistant_id.into());
        let on_disconnect = body.word("on_disconnect", &["cancel", "continue"])?;
        let if_not_exists = body.word("if_not_exists", &["create", "reject"])?;
        let keeps = body.word("on_completion", &["delete", "keep"])?;
        Ok(Self {
            kwargs,
            metadata,
            input: input(body)?,
            on_busy,
            after: wait(body.field("after_seconds")?)?,
            is_cancelled_without_client: on_disconnect == Some("cancel"),
            makes_thread: if_not_exists == Some("create"),
            keeps_thread: keeps == Some("keep"),
            is_read: true,
            run: None,
            visitor: visitor.clone(),
            brings_context,
        })
    }

    /// What a schedule asks of its runs. They have its owner without roles, which may be others by then. Nobody has seen yet what a thread asks by then, so an answer names its question.
    pub(crate) async fn read_scheduled(
        app: &App,
        owner: Option<String>,
        body: &mut Payload,
    ) -> Result<Self, Refusal> {
        let request = Self::read(app, &Visitor::of(owner), body).await?;
        match &request.input {
            QueuedInput::Command(_, Some(Resume::Next(_))) => Err(Refusal::invalid(
                "a schedule answers questions by their ids only: `command.resume` must be `{ID: ANSWER}`",
            )),
            _ => Ok(request),
        }
    }

    /// The metadata that a run leaves with its thread.
    pub(crate) fn stamps(&self) -> Map<String, Json> {
        let pairs = [
            ("graph_id", &self.kwargs.graph_id),
            ("assistant_id", &self.kwargs.assistant_id),
        ];
        let pairs = pairs.into_iter();
        pairs
            .map(|(name, id)| (name.to_owned(), id.as_str().into()))
            .collect()
    }

    /// Runs on a thread. A checkpoint that is the newest is where the thread is anyway: naming it is
    /// no fork, which would leave open questions behind.
    pub(crate) async fn on(&mut self, app: &App, thread: &ThreadId) -> Result<(), Refusal> {
        self.bind_answer(app, thread).await?;
        self.leave_context(app, thread).await?;
        let options = self.kwargs.options()?;
        let Some(at) = options.at.as_ref().filter(|at| at.namespace.is_root()) else {
            return Ok(());
        };
        let (root, latest) = (&at.namespace, superstep::saver::At::Latest);
        let newest = app.saver.load(thread, root, latest).await?;
        let newest = newest.and_then(|newest| newest.head().map(|head| head.id));
        if newest == at.id {
            self.kwargs.checkpoint = Json::Null;
        }
        Ok(())
    }
}

impl RunRequest {
    /// An answer of an inbox, which names no question, is bound to the one that is meant.
    async fn bind_answer(&mut self, app: &App, thread: &ThreadId) -> Result<(), Refusal> {
        let answer = self.kwargs.command.get("resume").cloned();
        let (Some(answer), QueuedInput::Command(_, resume)) = (answer, &mut self.input) else {
            return Ok(());
        };
        if !answer.is_array() {
            return Ok(());
        }
        let graph = &app.registry.graph(&self.kwargs.graph_id)?.graph;
        let state = graph.state(thread, None, Depth::Here).await?;
        if let Some(id) = inbox_answer::meant(&answer, &state) {
            let bound = Json::Object(Map::from_iter([(id, answer)]));
            *resume = Some(Resume::from_wire(bound.into()));
        }
        Ok(())
    }
}

impl RunRequest {
    /// A run that continues the thread of the same assistant, and brings no context, has the context of the run
    /// before it: the engine finds that when the run begins.
    async fn leave_context(&mut self, app: &App, thread: &ThreadId) -> Result<(), Refusal> {
        if self.brings_context || matches!(self.input, QueuedInput::Value(_)) {
            return Ok(());
        }
        let newest = RunQuery {
            limit: Some(1),
            ..RunQuery::default()
        };
        let before = app.saver.runs().load_runs(thread, &newest).await?;
        let is_same = |run: &RunRecord| RunKwargs::of(run).assistant_id == self.kwargs.assistant_id;
        if before.first().is_some_and(is_same) {
            self.kwargs.context = Json::Null;
        }
        Ok(())
    }
}

/// What older clients say in place of `durability`.
fn older(body: &mut Payload) -> Result<Option<String>, Refusal> {
    let during: Option<bool> = body.field("checkpoint_during")?;
    Ok(during.map(|during| if during { "async" } else { "exit" }.to_owned()))
}

fn wait(seconds: Option<f64>) -> Result<Duration, Refusal> {
    let seconds = seconds.unwrap_or(0.0);
    let wrong =
        |_| Refusal::invalid("`after_seconds` must be a number of seconds from 0 to a year");
    let is_long = seconds > LONGEST_WAIT;
    let checked = if is_long { f64::NAN } else { seconds };
    Duration::try_from_secs_f64(checked).map_err(wrong)
}

fn input(body: &mut Payload) -> Result<QueuedInput, Refusal> {
    let command: Option<Map<String, Json>> = body.field("command")?;
    let Some(mut command) = command else {
        return Ok(match body.field::<Json>("input")? {
            Some(input) => QueuedInput::Value(from_client(input).into()),
            None => QueuedInput::Nothing,
        });
    };
    let mut take = |name: &str| command.remove(name).filter(|value| !value.is_null());
    let resume = take("resume").map(|answer| Resume::from_wire(answer.into()));
    let update = match take("update") {
        None => Vec::new(),
        Some(update @ Json::Object(_)) => match from_client(update) {
            Json::Object(update) => update.into_iter().collect(),
            _ => Vec::new(),
        },
        Some(pairs) => serde_json::from_value::<Vec<(String, Json)>>(pairs)
            .map_err(|error| Refusal::invalid(format!("`command.update`: {error}")))?,
    };
    let goto = match take("goto") {
        None => Vec::new(),
        Some(Json::Array(many)) => many,
        Some(one) => vec![one],
    };
    let pair = |(name, value): (String, Json)| (name.into(), Value::from(value));
    let command = DynCommand {
        update: update.into_iter().map(pair).collect(),
        goto: goto
            .into_iter()
            .map(destination)
            .collect::<Result<_, _>>()?,
        ..DynCommand::default()
    };
    Ok(QueuedInput::Command(command, resume))
}

/// A node, or a node with an input of its own.
fn destination(goto: Json) -> Result<Goto, Refusal> {
    let node = goto.as_str().or_else(|| goto.get("node")?.as_str());
    let wrong = || Refusal::invalid("`command.goto` must be a node, or an object with `node`");
    let node = node.ok_or_else(wrong)?;
    Ok(match goto.get("input") {
        Some(input) => Goto::Send(Send::new(node, Value::from(input))),
        None => Goto::from(node),
    })
}

/// The configuration and the context of a run.
struct Configured {
    config: Map<String, Json>,
    context: Json,
    /// Whether the context is not the assistant's alone.
    brings_context: bool,
}

/// The configuration and the context that the assistant has, and over them what the run brings.
fn configure(version: &Version, body: &mut Payload) -> Result<Configured, Refusal> {
    let given = body.object("config")?;
    let configurable = given.get("configurable").and_then(Json::as_object);
    let configurable = configurable.filter(|it| !it.is_empty()).cloned();
    let context = body.field::<Json>("context")?;
    let is_empty = |it: &Json| it.as_object().is_some_and(Map::is_empty);
    let context = context.filter(|context| !is_empty(context));
    let own = match (context, configurable) {
        (Some(_), Some(_)) => {
            let why = "Cannot specify both configurable and context. Prefer setting context alone.";
            return Err(Refusal::new(axum::http::StatusCode::BAD_REQUEST, why));
        }
        (Some(context), None) => context,
        (None, Some(configurable)) => Json::Object(configurable),
        (None, None) => Json::Null,
    };
    let brings_context = !own.is_null();
    let context = match own {
        Json::Null if version.context.is_empty() => Json::Null,
        Json::Null => Json::Object(version.context.clone()),
        Json::Object(own) => {
            let mut context = version.context.clone();
            context.extend(own);
            Json::Object(context)
        }
        other => other,
    };
    let mut config = version.config.clone();
    config.extend(given);
    Ok(Configured {
        config,
        context,
        brings_context,
    })
}
