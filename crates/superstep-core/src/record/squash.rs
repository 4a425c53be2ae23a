//! What backends do with records and notes: merging notes, and one full record in place of a chain.

use std::{
    borrow::BorrowMut,
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use super::{Change, Record, TaskKey, TaskNote};
use crate::{
    table::{ChannelIx, Key},
    value::Value,
};

/// Merges a note into what is known of the tasks of a checkpoint; see [`TaskNote::absorb`].
pub fn absorb<N>(notes: &mut BTreeMap<TaskKey, N>, later: TaskNote)
where
    N: From<TaskNote> + BorrowMut<TaskNote>,
{
    match notes.get_mut(&later.key) {
        Some(note) => note.borrow_mut().absorb(later),
        None => drop(notes.insert(later.key.clone(), later.into())),
    }
}

/// The head of a chain, made to need no other, for a saver that drops what came before it.
///
/// A chain is what a saver loads: records along parents, oldest first, the first of them full or
/// without a parent. Later values replace earlier ones, appends are joined, and channels that the
/// head's layout no longer names go. Nothing comes of an empty chain.
pub fn squash(chain: &[Arc<Record>]) -> Option<Record> {
    let head = chain.last()?;
    let names = head.layout.channels.iter().enumerate();
    let places: HashMap<&str, usize> = names.map(|(ix, name)| (&**name, ix)).collect();
    let mut state: BTreeMap<usize, Vec<Change>> = BTreeMap::new();
    for record in chain {
        for (channel, change) in &record.changes {
            let name = record.layout.channels.get(channel.ix());
            let Some(ix) = name.and_then(|name| places.get(&**name)) else {
                continue;
            };
            add(state.entry(*ix).or_default(), change);
        }
    }
    let changes = state.into_iter().flat_map(|(ix, changes)| {
        changes
            .into_iter()
            .map(move |change| (ChannelIx::at(ix), change))
    });
    Some(Record {
        parent: None,
        full: true,
        changes: changes.collect(),
        ..Record::clone(head)
    })
}

fn add(changes: &mut Vec<Change>, change: &Change) {
    match (changes.last_mut(), change) {
        (
            Some(Change::Set(Value::List(before)) | Change::Extend(Value::List(before))),
            Change::Extend(Value::List(more)),
        ) => Arc::make_mut(before).extend(more.iter().cloned()),
        (_, Change::Extend(_)) => changes.push(change.clone()),
        _ => {
            changes.clear();
            changes.push(change.clone());
        }
    }
}
