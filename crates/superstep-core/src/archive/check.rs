//! What a checkpoint from outside must look like before a saver takes it in.
//!
//! Ids of channels, nodes and triggers index tables without further checks once a thread runs, and
//! counters are counted on: both must be in range here.

use std::collections::BTreeSet;

use super::Archived;
use crate::{
    id::CheckpointId,
    record::{Held, Layout, Pending, Record, TaskKey, TaskNote, Write},
    table::{ChannelIx, Key, NodeIx, TriggerIx},
    value::MAX_DEPTH,
};

/// No counter of a run gets this far.
const FAR: u64 = 1 << 53;

/// The checkpoints of one namespace, as they come.
#[derive(Default)]
pub(super) struct Space {
    ids: BTreeSet<CheckpointId>,
}

impl Space {
    pub(super) fn admit(&mut self, archived: &Archived) -> Result<(), String> {
        let Archived { record, notes } = archived;
        let id = record.id;
        if self.ids.last().is_some_and(|newest| *newest >= id) {
            return Err(format!("checkpoint {id} does not follow those before it"));
        }
        if let Some(parent) = record.parent
            && !self.ids.contains(&parent)
        {
            return Err(format!("checkpoint {id} follows unknown {parent}"));
        }
        fits(record, notes.as_deref()).map_err(|why| format!("checkpoint {id}: {why}"))?;
        self.ids.insert(id);
        Ok(())
    }
}

fn fits(record: &Record, notes: Option<&[TaskNote]>) -> Result<(), String> {
    if !record.fits() || !notes.unwrap_or_default().iter().all(TaskNote::fits) {
        return Err(format!(
            "a value is nested more than {MAX_DEPTH} levels deep"
        ));
    }
    let names = LayoutTables(&record.layout);
    counted(record.step.unsigned_abs())?;
    counted(record.clock)?;
    counted(record.last_seen)?;
    counted(record.paused_at)?;
    for (channel, _) in &record.changes {
        names.channel(*channel)?;
    }
    let Pending {
        start: _,
        fired,
        sends: _,
        held,
    } = &record.pending;
    let Held {
        waiting,
        joins,
        changed,
    } = &**held;
    let joined = joins.iter().map(|(trigger, _)| trigger);
    let moved = changed.iter().map(|(trigger, _)| trigger);
    let touched = record.touched.iter().flatten();
    for trigger in fired
        .iter()
        .chain(waiting)
        .chain(joined)
        .chain(moved)
        .chain(touched)
    {
        names.trigger(*trigger)?;
    }
    for (_, at) in changed {
        counted(*at)?;
    }
    for node in &record.last_ran {
        names.node(*node)?;
    }
    for note in &record.tasks {
        names.note(note)?;
    }
    let mut keys = BTreeSet::new();
    for note in notes.unwrap_or_default() {
        names.note(note)?;
        if !keys.insert(&note.key) {
            return Err("two notes of one task".to_owned());
        }
    }
    Ok(())
}

fn counted(n: u64) -> Result<(), String> {
    if n < FAR {
        return Ok(());
    }
    Err(format!("no run counts up to {n}"))
}

/// The tables that ids of a record index.
struct LayoutTables<'a>(&'a Layout);

impl LayoutTables<'_> {
    fn channel(&self, channel: ChannelIx) -> Result<(), String> {
        within("channel", channel.ix(), self.0.channels.len())
    }

    fn node(&self, node: NodeIx) -> Result<(), String> {
        within("node", node.ix(), self.0.nodes.len())
    }

    fn trigger(&self, trigger: TriggerIx) -> Result<(), String> {
        within("trigger", trigger.ix(), self.0.triggers.len())
    }

    fn note(&self, note: &TaskNote) -> Result<(), String> {
        self.key(&note.key)?;
        counted(note.extras.offset as u64)?;
        for write in note.output.iter().flatten() {
            match write {
                Write::State(channel, _) => self.channel(*channel)?,
                Write::Fire(trigger) | Write::Join(trigger, _) => self.trigger(*trigger)?,
                Write::Send(_) | Write::Return(_) => {}
            }
        }
        Ok(())
    }

    fn key(&self, key: &TaskKey) -> Result<(), String> {
        match key {
            TaskKey::Node(node) => self.node(*node),
            TaskKey::Handler(of) | TaskKey::Call(of, _) => self.key(of),
            TaskKey::Input | TaskKey::Send(_) => Ok(()),
        }
    }
}

fn within(what: &str, ix: usize, len: usize) -> Result<(), String> {
    if ix < len {
        return Ok(());
    }
    Err(format!("its layout has no {what} {ix}"))
}
