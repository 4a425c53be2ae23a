//! Whether nobody knows if a call of a thread happened: it was begun and no end of it is on record, or a
//! person is asked about it.

use superstep::{
    Ask as _, ThreadId,
    dynamic::{DynGraph, Effect, GraphPath, Snapshot, SubState},
    saver::At,
    tools::OutcomeQuestion,
};

use super::ThreadReader;
use crate::error::Error;

pub(super) async fn is_unsettled(
    reader: &ThreadReader,
    graph: &DynGraph,
    thread: &str,
) -> Result<bool, Error> {
    let now = reader.snapshot(graph, thread, None).await?;
    let is_open = |kind: Option<&str>| kind == Some(OutcomeQuestion::KIND);
    if now.asks().any(|ask| is_open(ask.kind.as_deref())) {
        return Ok(true);
    }
    let id = ThreadId::from(thread);
    for namespace in namespaces(&now) {
        let loaded = reader.saver.load(&id, &namespace, At::Latest).await?;
        let notes = loaded.map(|loaded| loaded.notes).unwrap_or_default();
        let mut effects = notes.iter().flat_map(|note| note.effects.values());
        if effects.any(|effect| *effect == Effect::Started) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The graphs that are at work: of the thread, and below it.
fn namespaces(snapshot: &Snapshot) -> Vec<GraphPath> {
    let mut found = vec![snapshot.namespace.clone()];
    for task in &snapshot.tasks {
        match &task.state {
            Some(SubState::Snapshot(below)) => found.extend(namespaces(below)),
            Some(SubState::At(path)) => found.push(path.clone()),
            None => {}
        }
    }
    found
}
