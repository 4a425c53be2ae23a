//! What a client asks of a run, in the words of the engine.

use serde_json::{Map, Value as Json};
use superstep::{
    Durability, Modes, RunOptions, ThreadId, Value,
    dynamic::{Command, Goto, Pauses, Resume, RunInput, Send},
};

use crate::{app::App, checkpoint, payload::Payload, refusal::Refusal, registry::Hosted};

/// A kind of events that a client wants, by its name.
const MODES: &[(&str, Modes)] = &[
    ("values", Modes::VALUES),
    ("updates", Modes::UPDATES),
    ("messages-tuple", Modes::MESSAGES),
    ("custom", Modes::CUSTOM),
];

/// What would be lost if it were ignored.
const UNSUPPORTED: &[&str] = &["after_seconds", "webhook"];

/// What a client asks of a run.
pub(crate) struct RunRequest<'a> {
    pub(crate) hosted: &'a Hosted,
    pub(crate) input: RunInput,
    pub(crate) options: RunOptions,
    /// Whether the run ends when its client goes away.
    pub(crate) is_cancelled_without_client: bool,
    /// Whether a thread is made if there is none.
    pub(crate) makes_thread: bool,
}

impl<'a> RunRequest<'a> {
    pub(crate) fn read(app: &'a App, body: &mut Payload) -> Result<Self, Refusal> {
        let Some(assistant) = body.field::<String>("assistant_id")? else {
            return Err(Refusal::invalid("`assistant_id` is missing"));
        };
        let hosted = app.registry.named(&assistant)?;
        for name in UNSUPPORTED {
            if body.field::<Json>(name)?.is_some() {
                return Err(Refusal::invalid(format!("`{name}` is not supported")));
            }
        }
        let strategies = &["enqueue", "interrupt", "reject", "rollback"];
        // They differ only on a busy thread, where the run is refused.
        body.word("multitask_strategy", strategies)?;
        let at: Option<Json> = body.field("checkpoint")?;
        let at = match (at, body.field::<Json>("checkpoint_id")?) {
            (None, id) => id,
            (at, _) => at,
        };
        let at = at.map(|at| checkpoint::named(Some(&at))).transpose()?;
        let mut options = RunOptions {
            at: at.filter(|at| at.id.is_some()),
            modes: modes(body.field("stream_mode")?)?,
            subgraphs: body.field("stream_subgraphs")?.unwrap_or(false),
            pause_before: pauses(body.field("interrupt_before")?)?,
            pause_after: pauses(body.field("interrupt_after")?)?,
            ..RunOptions::default()
        };
        configure(&mut options, body)?;
        options.durability = match body.word("durability", &["async", "exit", "sync"])? {
            Some("async") => Durability::Async,
            Some("exit") => Durability::Exit,
            _ => Durability::Sync,
        };
        let mut metadata = body.object("metadata")?;
        metadata.insert("graph_id".to_owned(), (&*hosted.id).into());
        let assistant = hosted.assistant.to_string();
        metadata.insert("assistant_id".to_owned(), assistant.into());
        options.metadata = Json::Object(metadata).into();
        let on_disconnect = body.word("on_disconnect", &["cancel", "continue"])?;
        let if_not_exists = body.word("if_not_exists", &["create", "reject"])?;
        Ok(Self {
            hosted,
            input: input(body)?,
            options,
            is_cancelled_without_client: on_disconnect == Some("cancel"),
            makes_thread: if_not_exists == Some("create"),
        })
    }

    /// The metadata that a run leaves with its thread.
    pub(crate) fn stamps(&self) -> Map<String, Json> {
        let pairs = [
            ("graph_id", self.hosted.id.clone()),
            ("assistant_id", self.hosted.assistant.to_string()),
        ];
        let pairs = pairs.into_iter();
        pairs
            .map(|(name, id)| (name.to_owned(), id.into()))
            .collect()
    }

    /// Runs on a thread. A checkpoint that is the newest is where the thread is anyway: naming it is
    /// no fork, which would leave open questions behind.
    pub(crate) async fn on(&mut self, app: &App, thread: &ThreadId) -> Result<(), Refusal> {
        self.options.thread = Some(thread.clone());
        let Some(at) = self.options.at.as_ref().filter(|at| at.namespace.is_root()) else {
            return Ok(());
        };
        let (root, latest) = (&at.namespace, superstep::saver::At::Latest);
        let newest = app.saver.load(thread, root, latest).await?;
        let newest = newest.and_then(|newest| newest.head().map(|head| head.id));
        if newest == at.id {
            self.options.at = None;
        }
        Ok(())
    }
}

fn input(body: &mut Payload) -> Result<RunInput, Refusal> {
    let command: Option<Map<String, Json>> = body.field("command")?;
    let Some(mut command) = command else {
        return Ok(match body.field::<Json>("input")? {
            Some(input) => RunInput::Value(input.into()),
            None => RunInput::Nothing,
        });
    };
    let mut take = |name: &str| command.remove(name).filter(|value| !value.is_null());
    let resume = take("resume").map(|answer| Resume::from_wire(answer.into()));
    let update = match take("update") {
        None => Vec::new(),
        Some(Json::Object(update)) => update.into_iter().collect(),
        Some(pairs) => serde_json::from_value::<Vec<(String, Json)>>(pairs)
            .map_err(|error| Refusal::invalid(format!("`command.update`: {error}")))?,
    };
    let goto = match take("goto") {
        None => Vec::new(),
        Some(Json::Array(many)) => many,
        Some(one) => vec![one],
    };
    let pair = |(name, value): (String, Json)| (name.into(), Value::from(value));
    let command = Command {
        update: update.into_iter().map(pair).collect(),
        goto: goto
            .into_iter()
            .map(destination)
            .collect::<Result<_, _>>()?,
        ..Command::default()
    };
    Ok(RunInput::Command(command, resume))
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

fn configure(options: &mut RunOptions, body: &mut Payload) -> Result<(), Refusal> {
    let mut config = body.object("config")?;
    if let Some(limit) = config.remove("recursion_limit") {
        let wrong = || Refusal::invalid("`config.recursion_limit` must be a number from 1");
        let limit = limit.as_u64().filter(|limit| *limit > 0);
        options.limit = limit.ok_or_else(wrong)?;
    }
    let configurable = config
        .remove("configurable")
        .filter(|it| it.as_object().is_some_and(|it| !it.is_empty()));
    options.context = match (body.field::<Json>("context")?, configurable) {
        (Some(_), Some(_)) => {
            let why = "Cannot specify both configurable and context. Prefer setting context alone.";
            return Err(Refusal::new(axum::http::StatusCode::BAD_REQUEST, why));
        }
        (Some(context), None) | (None, Some(context)) => context.into(),
        (None, None) => Value::Null,
    };
    Ok(())
}

fn modes(given: Option<Json>) -> Result<Modes, Refusal> {
    let names = match given {
        None => Vec::new(),
        Some(Json::Array(names)) => names,
        Some(one) => vec![one],
    };
    if names.is_empty() {
        return Ok(Modes::VALUES);
    }
    let known: Vec<&str> = MODES.iter().map(|(name, _)| *name).collect();
    names.iter().try_fold(Modes::NONE, |modes, name| {
        let found = MODES.iter().find(|(known, _)| name == known);
        let wrong = || {
            Refusal::invalid(format!(
                "`stream_mode` {name} is not one of {}",
                known.join(", ")
            ))
        };
        Ok(modes.with(found.ok_or_else(wrong)?.1))
    })
}

fn pauses(given: Option<Json>) -> Result<Pauses, Refusal> {
    match given {
        None => Ok(Pauses::None),
        Some(Json::String(all)) if all == "*" => Ok(Pauses::All),
        Some(nodes) => {
            let nodes = serde_json::from_value::<Vec<String>>(nodes);
            let wrong = |error| Refusal::invalid(format!("where to pause: {error}"));
            let nodes = nodes.map_err(wrong)?.into_iter();
            Ok(Pauses::Nodes(nodes.map(Into::into).collect()))
        }
    }
}
