//! What a client asked of a run, as it is kept with the record of the run, to be shown; and what of it the
//! engine goes by, which is in the queue with the run: whoever begins it, in this process or after a
//! restart, begins it as it was asked for.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};
use superstep::{
    CheckpointRef, Durability, Modes, RunRecord, Value,
    dynamic::Pauses,
    runs::{QueuedInput, QueuedOptions},
};

use super::stream_mode::Mode;
use crate::{
    forms::checkpoint,
    refusal::Refusal,
    registry::{Hosted, Registry},
};

/// Where it is in the metadata of a run.
const PLACE: &str = "__server__";

/// What a client asked of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct RunKwargs {
    pub(crate) graph_id: String,
    pub(crate) assistant_id: String,
    /// What it was given in place of an input.
    pub(crate) command: Json,
    /// The configuration, without its `configurable` if there is a context.
    pub(crate) config: Map<String, Json>,
    /// What nodes see as the context.
    pub(crate) context: Json,
    pub(crate) stream_mode: Vec<Mode>,
    pub(crate) stream_subgraphs: bool,
    pub(crate) stream_resumable: bool,
    pub(crate) interrupt_before: Json,
    pub(crate) interrupt_after: Json,
    pub(crate) checkpoint: Json,
    /// What was done since the checkpoint may be done a second time.
    pub(crate) repeat_effects: bool,
    pub(crate) durability: Option<String>,
    pub(crate) multitask_strategy: String,
    pub(crate) webhook: Option<String>,
    /// Its thread goes with it.
    pub(crate) temporary: bool,
    /// The owner of its thread, whose memory its nodes have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) owner: Option<String>,
}

impl RunKwargs {
    /// What was asked of a run. One that no server made was asked for nothing.
    pub(crate) fn of(run: &RunRecord) -> Self {
        let kept = run.metadata.get(PLACE).map(|kept| kept.to_json());
        let read = kept.and_then(|kept| serde_json::from_value(kept).ok());
        read.unwrap_or_default()
    }

    /// The metadata of a run, with this in it.
    pub(crate) fn kept(&self, mut metadata: Map<String, Json>) -> Value {
        if let Ok(kept) = serde_json::to_value(self) {
            metadata.insert(PLACE.to_owned(), kept);
        }
        Json::Object(metadata).into()
    }

    /// The options that the run brings along to the queue.
    pub(crate) fn options(&self) -> Result<QueuedOptions, Refusal> {
        let number = |name: &str| {
            let given = self.config.get(name).filter(|given| !given.is_null());
            let wrong = || Refusal::invalid(format!("`config.{name}` must be a number from 1"));
            let read = |given: &Json| given.as_u64().filter(|n| *n > 0).ok_or_else(wrong);
            given.map(read).transpose()
        };
        let most = number("max_concurrency")?;
        let at = Some(&self.checkpoint).filter(|at| !at.is_null());
        let at = at.map(|at| checkpoint::named(Some(at))).transpose()?;
        Ok(QueuedOptions {
            limit: number("recursion_limit")?,
            max_concurrency: most.map(|most| usize::try_from(most).unwrap_or(usize::MAX)),
            at: match (at.filter(|at| at.id.is_some()), self.repeat_effects) {
                (Some(at), true) => Some(at.repeating()),
                (None, true) => Some(CheckpointRef::default().repeating()),
                (at, false) => at,
            },
            pause_before: Some(pauses(&self.interrupt_before)?),
            pause_after: Some(pauses(&self.interrupt_after)?),
            context: Some(self.context.clone().into()),
            durability: Some(match self.durability.as_deref() {
                Some("async") => Durability::Async,
                Some("exit") => Durability::Exit,
                _ => Durability::Sync,
            }),
            // Whoever comes later may ask for other kinds of events; nobody comes to a thread that is gone.
            log: Some(match self.temporary {
                true => self.engine_modes().with(Modes::VALUES),
                false => Modes::ALL,
            }),
            ..QueuedOptions::default()
        })
    }

    /// The events that the run's own client wants.
    pub(super) fn engine_modes(&self) -> Modes {
        Mode::engine(&self.stream_mode)
    }

    /// As clients see it.
    pub(crate) fn shown(&self, run: &RunRecord) -> Json {
        let input = match run.queued.as_ref().map(|queued| &queued.input) {
            Some(QueuedInput::Value(input)) => input.to_json(),
            _ => Json::Null,
        };
        json!({
            "input": input,
            "command": self.command,
            "config": self.config,
            "context": self.context,
            "stream_mode": self.stream_mode,
            "stream_subgraphs": self.stream_subgraphs,
            "stream_resumable": self.stream_resumable,
            "interrupt_before": self.interrupt_before,
            "interrupt_after": self.interrupt_after,
            "checkpoint": self.checkpoint,
            "durability": self.durability,
            "webhook": self.webhook,
            "temporary": self.temporary,
        })
    }
}

impl Registry {
    /// The graph of a run, in whatever program that was started.
    pub(crate) fn of_run(&self, run: &RunRecord) -> Option<&Hosted> {
        match &*RunKwargs::of(run).graph_id {
            "" => self.of_name(&run.graph),
            id => self.graph(id).ok(),
        }
    }
}

/// The metadata of a run as its caller gave it.
pub(super) fn own_metadata(run: &RunRecord) -> Json {
    let mut metadata = run.metadata.to_json();
    if let Json::Object(fields) = &mut metadata {
        fields.remove(PLACE);
    }
    metadata
}

fn pauses(given: &Json) -> Result<Pauses, Refusal> {
    match given {
        Json::Null => Ok(Pauses::None),
        Json::String(all) if all == "*" => Ok(Pauses::All),
        nodes => {
            let nodes = serde_json::from_value::<Vec<String>>(nodes.clone());
            let wrong = |error| Refusal::invalid(format!("where to pause: {error}"));
            let nodes = nodes.map_err(wrong)?.into_iter();
            Ok(Pauses::Nodes(nodes.map(Into::into).collect()))
        }
    }
}
