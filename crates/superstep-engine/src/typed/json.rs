//! What the typed layer shows, in JSON: the same form as in the dynamic layer. `docs/json.md`
//! describes it.

use serde::{Serialize, Serializer, ser::SerializeMap};
use superstep_core::record::StoredError;

use super::{
    checkpoint::Checkpoint,
    event::Event,
    nodes::Nodes,
    outcome::Outcome,
    snap::Snap,
    state::{State, Update},
};
use crate::{clock::unix_millis, options::Status};

impl<S: Serialize> Serialize for Snap<S> {
    fn serialize<O: Serializer>(&self, out: O) -> Result<O::Ok, O::Error> {
        S::serialize(self, out)
    }
}

impl<S: Serialize> Serialize for Outcome<S> {
    fn serialize<O: Serializer>(&self, out: O) -> Result<O::Ok, O::Error> {
        let status = match self {
            Self::Done(_) => Status::Done,
            Self::Waiting { .. } => Status::Waiting,
            Self::Paused { .. } => Status::Paused,
            Self::Sleeping { .. } => Status::Sleeping,
        };
        let mut shown = out.serialize_map(None)?;
        shown.serialize_entry("output", self.state())?;
        shown.serialize_entry("asks", self.asks())?;
        shown.serialize_entry("status", &status)?;
        if let Self::Sleeping { until, .. } = self {
            shown.serialize_entry("until", &unix_millis(*until))?;
        }
        shown.end()
    }
}

#[derive(Serialize)]
struct FailedNode<'a> {
    node: &'static str,
    error: &'a StoredError,
}

impl<S: State, N: Nodes> Serialize for Checkpoint<S, N> {
    fn serialize<O: Serializer>(&self, out: O) -> Result<O::Ok, O::Error> {
        let next: Vec<&str> = self.next.iter().map(|node| node.name()).collect();
        let errors = self.errors.iter().map(|(node, error)| FailedNode {
            node: node.name(),
            error,
        });
        let errors: Vec<FailedNode<'_>> = errors.collect();
        let mut shown = out.serialize_map(None)?;
        shown.serialize_entry("checkpoint", &self.id)?;
        shown.serialize_entry("parent", &self.parent)?;
        shown.serialize_entry("values", &self.state)?;
        shown.serialize_entry("next", &next)?;
        shown.serialize_entry("asks", &self.asks)?;
        shown.serialize_entry("errors", &errors)?;
        shown.serialize_entry("origin", &self.origin)?;
        if let Some(created) = &self.created {
            shown.serialize_entry("created", created)?;
        }
        if let Some(run) = &self.run {
            shown.serialize_entry("run", run)?;
            shown.serialize_entry("metadata", &self.metadata)?;
        }
        shown.end()
    }
}

impl<S: State, N: Nodes> Serialize for Event<S, N> {
    fn serialize<O: Serializer>(&self, out: O) -> Result<O::Ok, O::Error> {
        let mut shown = match self {
            Self::Below(event) => return event.serialize(out),
            _ => out.serialize_map(None)?,
        };
        match self {
            Self::State(state) => {
                shown.serialize_entry("type", "values")?;
                shown.serialize_entry("values", state)?;
            }
            Self::Update {
                node,
                update,
                cached,
            } => {
                shown.serialize_entry("type", "update")?;
                shown.serialize_entry("node", node.name())?;
                shown.serialize_entry("update", &update.clone().into_value())?;
                shown.serialize_entry("cached", cached)?;
            }
            Self::Asked(asks) => {
                shown.serialize_entry("type", "asked")?;
                shown.serialize_entry("asks", asks)?;
            }
            Self::Paused => shown.serialize_entry("type", "paused")?,
            Self::TaskStarted { task, node } => {
                shown.serialize_entry("type", "task_started")?;
                shown.serialize_entry("task", task)?;
                shown.serialize_entry("node", node.name())?;
            }
            Self::TaskEnded {
                task,
                node,
                error,
                asks,
            } => {
                shown.serialize_entry("type", "task_ended")?;
                shown.serialize_entry("task", task)?;
                shown.serialize_entry("node", node.name())?;
                shown.serialize_entry("error", error)?;
                shown.serialize_entry("asks", asks)?;
            }
            Self::Checkpoint(checkpoint) => {
                shown.serialize_entry("type", "checkpoint")?;
                shown.serialize_entry("checkpoint", checkpoint)?;
            }
            Self::Custom(data) => {
                shown.serialize_entry("type", "custom")?;
                shown.serialize_entry("data", data)?;
            }
            Self::Message { node, message } => {
                shown.serialize_entry("type", "message")?;
                shown.serialize_entry("node", node.name())?;
                shown.serialize_entry("message", message)?;
            }
            Self::Span(span) => {
                shown.serialize_entry("type", "span")?;
                shown.serialize_entry("span", span)?;
            }
            Self::Below(_) => {}
        }
        shown.end()
    }
}
