//! Questions that an edit inside a subgraph closes.
//!
//! The graphs above list the questions of a subgraph as their own. An edit moves the subgraph past the checkpoint that
//! asked, so an answer would reach no task while the run continues from the edited state. The questions are closed
//! first: a crash in between leaves a thread that asks again when it is resumed.

use std::{collections::HashSet, sync::Arc};

use superstep_core::{
    error::Error,
    id::{AskId, GraphPath, ThreadId},
    policy::Durability,
    record::{NoteExtras, TaskNote, open_asks},
    saver::{At, Notes, Saver},
};

/// Closes, in the graphs above, the open questions of a subgraph's newest checkpoint.
pub(crate) async fn close_asks(
    saver: &Arc<dyn Saver>,
    thread: &ThreadId,
    namespace: &GraphPath,
    epoch: u64,
) -> Result<(), Error> {
    if namespace.is_root() {
        return Ok(());
    }
    let Some(loaded) = saver.load(thread, namespace, At::Latest).await? else {
        return Ok(());
    };
    let open = open_asks(&*loaded.notes);
    let closed: HashSet<AskId> = open.into_iter().map(|ask| ask.id).collect();
    let Some(head) = loaded.head().filter(|_| !closed.is_empty()) else {
        return Ok(());
    };
    for (above, checkpoint) in head.parents.iter().filter(|(above, _)| *above != namespace) {
        let Some(at) = saver.load(thread, above, At::Id(*checkpoint)).await? else {
            continue;
        };
        let notes: Vec<TaskNote> = at
            .notes
            .iter()
            .filter_map(|note| without(note, &closed))
            .collect();
        if notes.is_empty() {
            continue;
        }
        let notes = Notes {
            thread: thread.clone(),
            namespace: above.clone(),
            epoch,
            durability: Durability::Sync,
            checkpoint: *checkpoint,
            notes,
            events: Vec::new(),
        };
        saver.note(notes).await?;
    }
    Ok(())
}

/// The note that takes questions from a task; nothing if it lists none of them.
fn without(note: &TaskNote, closed: &HashSet<AskId>) -> Option<TaskNote> {
    let asks = &note.extras.asks;
    if !asks.iter().any(|ask| closed.contains(&ask.id)) {
        return None;
    }
    let mut left = asks.clone();
    left.retain(|ask| !closed.contains(&ask.id));
    // A list without entries would leave the stored one as it is.
    let extras = match left.is_empty() {
        true => NoteExtras {
            asks: asks.clone(),
            answered: true,
            ..NoteExtras::NONE
        },
        false => NoteExtras {
            asks: left,
            ..NoteExtras::NONE
        },
    };
    Some(TaskNote::with(note.key.clone(), extras))
}
