//! What the log of a thread holds of a run: how it ended, and the parts of a state that entries
//! refer to.

use super::{Stop, Suspension, TaskInput, task::input_value};
use crate::{
    error::ErrorKind,
    event::log::{Ending, StatePart},
    graph_state::GraphState,
    id::AskId,
    plan::{Keys, Plan, route::Window},
    value::Value,
};

impl StatePart {
    /// Reads the part. What the graph no longer has is left out.
    pub fn read(&self, plan: &Plan, state: &GraphState) -> Value {
        let keys = match self {
            Self::Shown => plan.shown.clone(),
            Self::One(name) => match plan.channel(name) {
                Some(channel) => Keys::One(channel),
                None => return Value::Null,
            },
            Self::Many(names) => {
                Keys::Many(names.iter().filter_map(|name| plan.channel(name)).collect())
            }
            Self::Input(node) => {
                let Some(node) = plan.node(node) else {
                    return Value::Null;
                };
                // An input with values of the window is not referred to.
                let window = Window { step: 0, stop: 0 };
                return input_value(plan, &*state.channels, window, node, &TaskInput::State);
            }
        };
        plan.read(&*state.channels, &keys)
    }
}

impl From<&Stop> for Ending {
    fn from(stop: &Stop) -> Self {
        match stop {
            Stop::Done => Self::Done,
            Stop::Suspended(Suspension { asks, until }) if asks.is_empty() => match until {
                Some(until) => Self::Sleeping { until: *until },
                None => Self::Paused,
            },
            Stop::Suspended(Suspension { asks, .. }) => {
                let mut ids: Vec<AskId> = Vec::new();
                for ask in asks {
                    if !ids.contains(&ask.id) {
                        ids.push(ask.id);
                    }
                }
                Self::Waiting(ids)
            }
            Stop::Parent(_) => (&ErrorKind::NoParent).into(),
            Stop::Failed(error) => match &*error.kind {
                ErrorKind::Drained { reason } => Self::Drained {
                    reason: reason.clone(),
                },
                ErrorKind::Cancelled { reason } => Self::Cancelled {
                    reason: reason.clone(),
                },
                _ => Self::Failed {
                    code: error.code().to_owned(),
                    message: error.to_string(),
                },
            },
        }
    }
}
