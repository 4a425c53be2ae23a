//! Names of sources, stream modes and pauses in cases, mapped to the engine's.

use superstep_core::{event::Modes, plan::Pauses, record::Source};

use crate::case::graph::NodeSet;

pub(super) fn source(name: &str) -> Option<Source> {
    [Source::Input, Source::Loop, Source::Update, Source::Fork]
        .into_iter()
        .find(|source| source.as_str() == name)
}

pub(super) fn mode_of(name: &str) -> Modes {
    match name {
        "values" => Modes::VALUES,
        "updates" => Modes::UPDATES,
        "custom" => Modes::CUSTOM,
        "tasks" => Modes::TASKS,
        "checkpoints" => Modes::CHECKPOINTS,
        "debug" => Modes::TASKS.with(Modes::CHECKPOINTS),
        "messages" => Modes::MESSAGES,
        _ => Modes::NONE,
    }
}

pub(super) fn pauses(set: Option<&NodeSet>) -> Pauses {
    match set {
        None => Pauses::None,
        Some(NodeSet::All) => Pauses::All,
        Some(NodeSet::Named(names)) => {
            Pauses::Nodes(names.iter().map(|name| name.as_str().into()).collect())
        }
    }
}
