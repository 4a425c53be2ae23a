//! Kinds of events that clients ask for by name.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use superstep::Modes;

use crate::refusal::Refusal;

/// A kind of events that a client wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Mode {
    /// The state after each step.
    Values,
    /// What each task wrote.
    Updates,
    /// Messages, each as far as it has come.
    Messages,
    /// Messages piece by piece.
    MessagesTuple,
    /// What nodes emit themselves.
    Custom,
    /// Starts and ends of tasks.
    Tasks,
    /// Checkpoints.
    Checkpoints,
    /// Tasks and checkpoints.
    Debug,
    /// What graphs, nodes, models and tools start and end.
    Events,
    /// How far the run is, in one form for all graphs.
    Progress,
}

const NAMES: &[(&str, Mode, Modes)] = &[
    ("values", Mode::Values, Modes::VALUES),
    ("updates", Mode::Updates, Modes::UPDATES),
    ("messages", Mode::Messages, Modes::MESSAGES),
    ("messages-tuple", Mode::MessagesTuple, Modes::MESSAGES),
    ("custom", Mode::Custom, Modes::CUSTOM),
    ("tasks", Mode::Tasks, Modes::TASKS),
    ("checkpoints", Mode::Checkpoints, Modes::CHECKPOINTS),
    ("debug", Mode::Debug, Modes::TASKS),
    ("events", Mode::Events, Modes::TRACE),
    ("progress", Mode::Progress, Modes::TASKS),
];

impl Mode {
    /// The kinds that a request names: one, several, or those it has if it names none.
    pub(crate) fn read(given: Option<Json>) -> Result<Vec<Self>, Refusal> {
        let names = match given {
            None => Vec::new(),
            Some(Json::Array(names)) => names,
            Some(one) => vec![one],
        };
        let mut modes = Vec::new();
        for name in &names {
            let found = NAMES.iter().find(|(known, ..)| name == known);
            let wrong = || {
                let known: Vec<&str> = NAMES.iter().map(|(known, ..)| *known).collect();
                let known = known.join(", ");
                Refusal::invalid(format!("`stream_mode` {name} is not one of {known}"))
            };
            let (_, mode, _) = found.ok_or_else(wrong)?;
            if !modes.contains(mode) {
                modes.push(*mode);
            }
        }
        match modes.is_empty() {
            true => Ok(vec![Self::Values]),
            false => Ok(modes),
        }
    }

    /// The events of the engine that these are made of.
    pub(crate) fn engine(modes: &[Self]) -> Modes {
        modes.iter().fold(Modes::NONE, |all, mode| {
            let found = NAMES.iter().find(|(_, known, _)| known == mode);
            let own = found.map_or(Modes::NONE, |(.., modes)| *modes);
            let also = match mode {
                Self::Debug => Modes::CHECKPOINTS,
                Self::Events => Modes::MESSAGES.with(Modes::UPDATES),
                Self::Progress => Modes::CUSTOM,
                _ => Modes::NONE,
            };
            all.with(own).with(also)
        })
    }
}
