//! Reference histories: what each graph does without faults, step by step, and the check that a stored
//! checkpoint is one of them.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use superstep_core::{
    Value,
    checkpoint::Loaded,
    graph_state::GraphState,
    id::{CheckpointId, GraphPath, ThreadId},
    record::Source,
    snapshot::{Snapshot, View},
};

use crate::{
    external_effects::ExternalEffects,
    graphs::Graph,
    report::{Broken, Promise, broken},
    store::Store,
};

/// The quiet history of one graph.
#[derive(Default)]
pub struct Reference {
    steps: BTreeMap<CheckpointPlace, Step>,
    pub(crate) end: Json,
    pub(crate) effects: Vec<String>,
}

/// Where in a history a checkpoint is: the position of its graph, the step of the graph above
/// that runs it, and its own step.
type CheckpointPlace = (String, i64, i64);

struct Step {
    loaded: Loaded,
    shown: Shown,
}

/// A checkpoint as a reader sees it.
struct Shown {
    values: Json,
    next: Vec<String>,
    results: Vec<Option<Json>>,
}

/// The step of the graph above, by its checkpoint.
pub(crate) type Above = BTreeMap<CheckpointId, i64>;

impl Reference {
    /// What a store holds after a quiet run.
    pub(crate) fn of(
        graph: &Graph,
        store: &Store,
        above: &Above,
        external_effects: &ExternalEffects,
    ) -> Result<Self, Broken> {
        let mut found = Self {
            effects: external_effects.keys().map(str::to_owned).collect(),
            ..Self::default()
        };
        let places: Vec<_> = store
            .records()
            .map(|(namespace, record)| (namespace.clone(), record.id))
            .collect();
        for (namespace, id) in places {
            let Some(loaded) = store.load_at(&namespace, id) else {
                continue;
            };
            let Some(place) = place(&namespace, &loaded, above) else {
                continue;
            };
            let shown = show(graph, &namespace, &loaded, View::Record)?;
            if namespace.is_root() {
                found.end = shown.values.clone();
            }
            found.steps.insert(place, Step { loaded, shown });
        }
        Ok(found)
    }

    /// Checks that a quiet history contains what a reader sees.
    pub(crate) fn check(
        &self,
        graph: &Graph,
        namespace: &GraphPath,
        seen: &Loaded,
        above: &Above,
    ) -> Result<(), Broken> {
        let Some(place) = place(namespace, seen, above) else {
            return Ok(());
        };
        let Some(step) = self.steps.get(&place) else {
            return broken(Promise::Plausible, format!("no quiet run stores {place:?}"));
        };
        let shown = show(graph, namespace, seen, View::Record)?;
        let differs = |what: &str, seen: &dyn std::fmt::Debug, quiet: &dyn std::fmt::Debug| {
            let detail = format!("{what} at {place:?}: {seen:?} instead of {quiet:?}");
            broken(Promise::Plausible, detail)
        };
        if shown.values != step.shown.values {
            return differs("the state", &shown.values, &step.shown.values);
        }
        if shown.next != step.shown.next {
            return differs("what runs next", &shown.next, &step.shown.next);
        }
        for (result, quiet) in shown.results.iter().zip(&step.shown.results) {
            if result.is_some() && result != quiet {
                return differs("the result of a task", result, quiet);
            }
        }
        let live = show(graph, namespace, seen, View::Live)?;
        let mut quiet = step.loaded.clone();
        let finished = |key| {
            seen.notes
                .iter()
                .any(|note| note.key == key && note.output.is_some())
        };
        quiet.notes.retain(|note| finished(note.key.clone()));
        let quiet = show(graph, namespace, &quiet, View::Live)?;
        if live.values != quiet.values {
            return differs("the open step", &live.values, &quiet.values);
        }
        Ok(())
    }
}

fn place(namespace: &GraphPath, loaded: &Loaded, above: &Above) -> Option<CheckpointPlace> {
    let head = loaded.head()?;
    if head.source == Source::Anchor {
        return None;
    }
    let caller = match namespace.is_root() {
        true => -1,
        false => *above.get(head.parents.get(&GraphPath::default())?)?,
    };
    Some((namespace.position().as_str().to_owned(), caller, head.step))
}

fn show(
    graph: &Graph,
    namespace: &GraphPath,
    loaded: &Loaded,
    view: View,
) -> Result<Shown, Broken> {
    let plan = match (&graph.child, namespace.is_root()) {
        (Some(child), false) => &child.plan,
        _ => &graph.plan,
    };
    let Some(head) = loaded.head() else {
        return broken(Promise::Loads, "a checkpoint without a record");
    };
    let read = GraphState::restore(plan, loaded, None).and_then(|restored| {
        Snapshot::of(plan, &ThreadId::from("t"), namespace, head, restored, view)
    });
    match read {
        Ok(snapshot) => Ok(Shown {
            values: plain(&snapshot.values),
            next: snapshot.next.iter().map(ToString::to_string).collect(),
            results: snapshot
                .tasks
                .iter()
                .map(|task| task.result.as_ref().map(plain))
                .collect(),
        }),
        Err(kind) => broken(Promise::Loads, kind.to_string()),
    }
}

/// A value without who gave which answer: of an answer only the question counts.
pub(crate) fn plain(value: &Value) -> Json {
    fn strip(json: &mut Json) {
        match json {
            Json::String(text) => {
                if let Some(at) = text.find('#') {
                    text.truncate(at);
                }
            }
            Json::Array(items) => items.iter_mut().for_each(strip),
            Json::Object(map) => map.values_mut().for_each(strip),
            _ => {}
        }
    }
    let mut json = value.to_json();
    strip(&mut json);
    json
}
