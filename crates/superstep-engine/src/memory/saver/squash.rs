//! One full record in place of a chain of them.

use std::{collections::BTreeMap, collections::HashMap, sync::Arc};

use superstep_core::{
    record::{Change, Record},
    table::{ChannelIx, Key},
    value::Value,
};

/// The head of a chain, made to stand alone: later values replace earlier ones, appends are joined.
pub(super) fn squash(chain: &[Arc<Record>]) -> Option<Record> {
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
