//! Stored states as plain data: what a migration reads.

use std::{collections::HashMap, sync::Arc};

use serde_json::Value as Json;

use crate::{
    channel::{ChannelSpec, Channels},
    channel_state::ChannelState as _,
    checkpoint::Loaded,
    error::ErrorKind,
    record::{Change, Layout, Record},
    table::{ChannelIx, Key},
    value::DecodeError,
};

/// A stored state as plain data, whatever its version.
pub(super) struct PlainState {
    pub(super) fields: serde_json::Map<String, Json>,
    /// Fields that no step has written.
    pub(super) unset: Vec<Arc<str>>,
}

/// The state after a chain of records.
pub(super) fn plain_state(chain: &[Arc<Record>]) -> Result<PlainState, ErrorKind> {
    let (mut fields, mut unset) = (serde_json::Map::new(), Vec::new());
    if let Some(head) = chain.last() {
        let specs = head
            .layout
            .channels
            .iter()
            .map(|name| ChannelSpec::last(name.clone()));
        let mut plain = Channels::new(Arc::new(specs.collect()));
        for record in chain {
            let translation = by_channel_name(&record.layout, &head.layout);
            for (channel, change) in &record.changes {
                let Some(channel) = translation.get(channel) else {
                    continue;
                };
                plain
                    .restore(*channel, &as_data(change))
                    .map_err(|error| decode("of an older version", &error))?;
            }
        }
        for (name, ix) in head.layout.channels.iter().zip(0..) {
            match plain.get(ChannelIx::at(ix)) {
                Some(value) => drop(fields.insert(name.to_string(), value.to_json())),
                None => unset.push(name.clone()),
            }
        }
    }
    Ok(PlainState { fields, unset })
}

fn as_data(change: &Change) -> Change {
    match change {
        Change::Set(value) => Change::Set(value.to_json().into()),
        Change::Extend(value) => Change::Extend(value.to_json().into()),
        Change::Clear => Change::Clear,
    }
}

/// The channels of one layout by those of another.
pub(super) fn by_channel_name(from: &Layout, to: &Layout) -> HashMap<ChannelIx, ChannelIx> {
    let find = |name| to.channels.iter().position(|other| other == name);
    let pairs = from.channels.iter().enumerate();
    pairs
        .filter_map(|(ix, name)| Some((ChannelIx::at(ix), ChannelIx::at(find(name)?))))
        .collect()
}

/// The fields that a thread holds, if its state is of that version.
pub fn fields_of(loaded: &Loaded, version: u32) -> Option<serde_json::Map<String, Json>> {
    let state = loaded.head()?.layout.state.as_ref()?;
    let is_same = state.version == version;
    let read = is_same.then(|| plain_state(&loaded.chain))?;
    read.ok().map(|it| it.fields)
}

pub(super) fn decode(name: &str, error: &DecodeError) -> ErrorKind {
    ErrorKind::Decode {
        what: format!("channel `{name}`"),
        why: error.to_string(),
    }
}
