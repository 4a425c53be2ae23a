//! From stored records back to a [`GraphState`], across changes of the graph.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use serde_json::Value as Json;

use super::{GraphState, for_writing};
use crate::{
    channel::{ChannelSpec, Channels},
    channel_state::ChannelState,
    checkpoint::{Chain, Loaded, NextRecord, RebuiltState},
    error::ErrorKind,
    plan::Plan,
    record::{
        Change, Held, Layout, Pending, Record, StartValue, TaskKey, TaskNote, TriggerName, Write,
    },
    scheduler::Scheduler,
    table::{ChannelIx, Key, NodeIx, TriggerIx},
    value::{DecodeError, Value},
};

/// Brings a stored state (an object of fields) from an older version to the plan's own.
pub type MigrateFn = Arc<dyn Fn(u32, Json) -> Result<Json, String> + Send + Sync>;

/// A state rebuilt from storage.
#[non_exhaustive]
pub struct Restored {
    /// The state.
    pub state: GraphState,
    /// What tasks have done so far, in the plan's own ids.
    pub notes: Vec<TaskNote>,
    /// Triggers the last step touched, when known.
    pub touched: Option<Vec<TriggerIx>>,
    /// The records cannot be extended: the next one must be full.
    pub must_snapshot: bool,
    /// Nodes that were about to run and that the plan does not have, or not by that edge. Such a
    /// checkpoint can be looked at, but not gone on with.
    pub lost: Vec<Arc<str>>,
    /// Why it is of another version and cannot be gone on with, although its state was migrated.
    pub unmigrated: Option<String>,
    /// The names behind the ids of the stored checkpoint, if they are not the plan's.
    pub layout: Option<Arc<Layout>>,
}

impl Restored {
    /// Refuses to resume without what was about to run, or with what no migration has seen.
    pub fn refuse_lost(&self) -> Result<(), ErrorKind> {
        self.refuse_unmigrated()?;
        if self.lost.is_empty() {
            return Ok(());
        }
        let nodes = self.lost.clone();
        Err(ErrorKind::LostNodes { nodes })
    }

    /// Refuses to do anything with what no migration has seen.
    pub fn refuse_unmigrated(&self) -> Result<(), ErrorKind> {
        match self.unmigrated.clone() {
            Some(why) => Err(ErrorKind::Version { why }),
            None => Ok(()),
        }
    }
}

impl GraphState {
    /// Replays what a saver returned.
    pub fn restore(
        plan: &Plan,
        loaded: &Loaded,
        migrate: Option<&MigrateFn>,
    ) -> Result<Restored, ErrorKind> {
        let Some(head) = loaded.head() else {
            let state = Self::new(plan);
            return Ok(Restored {
                state,
                notes: Vec::new(),
                touched: None,
                must_snapshot: false,
                lost: Vec::new(),
                unmigrated: None,
                layout: None,
            });
        };
        refuse_foreign(&head.layout.graph, plan)?;
        let translation = Translation::between(&head.layout, plan);
        let from = migration_needed(&head.layout, plan)?;
        let channels = match from {
            None => rebuild(plan, &loaded.chain)?,
            Some(from) => migrated(plan, &loaded.chain, from, migrate)?,
        };
        let scheduler =
            Scheduler::restore(plan, &head.pending, head.clock, &|t| translation.trigger(t));
        let nodes = head
            .last_ran
            .iter()
            .filter_map(|node| translation.node(*node));
        let touched = head.touched.as_ref().map(|list| {
            list.iter()
                .filter_map(|trigger| translation.trigger(*trigger))
                .collect()
        });
        Ok(Restored {
            state: Self {
                channels,
                scheduler,
                clock: head.clock,
                paused_at: head.paused_at,
                last_ran: nodes.collect(),
                last_seen: head.last_seen,
                torn: false,
                spare: Default::default(),
            },
            notes: loaded
                .notes
                .iter()
                .filter_map(|note| translation.note(note, plan, from.is_some()))
                .collect(),
            touched,
            must_snapshot: !translation.is_identity() || loaded.next == NextRecord::Everything,
            lost: translation.lost(plan, loaded),
            unmigrated: unmigrated(plan, loaded, from),
            layout: (!translation.is_identity()).then(|| head.layout.clone()),
        })
    }
}

fn decode(name: &str, error: &DecodeError) -> ErrorKind {
    ErrorKind::Decode {
        what: format!("channel `{name}`"),
        why: error.to_string(),
    }
}

/// What a migration of the state does not see, and what would be lost or misread with it: results of tasks in an
/// open step, and input that no node has taken.
fn unmigrated(plan: &Plan, loaded: &Loaded, from: Option<u32>) -> Option<String> {
    let head = loaded.head()?;
    let waits = match &head.pending.start {
        None => false,
        Some(StartValue::Input(value)) => value.as_map().is_none_or(|map| !map.is_empty()),
        Some(StartValue::Command(command)) => !command.update.is_empty(),
    };
    let waiting = from.filter(|_| waits);
    // A step that the thread has moved on from begins anew.
    let mut notes = loaded.notes.iter().filter(|_| !loaded.superseded);
    let (what, of) = match waiting {
        Some(from) => ("input that no node has taken", from),
        None => {
            let of = notes.find_map(|note| written_by_another(note, plan, from))?;
            ("results of nodes in a step that has not ended", of)
        }
    };
    Some(format!(
        "the thread has {what}, of version {of}, and a migration sees the state alone: finish the step with the \
         program of that version, or fork the thread before it"
    ))
}

/// The version of the state that a task has written fields of, if it is not the plan's.
fn written_by_another(note: &TaskNote, plan: &Plan, from: Option<u32>) -> Option<u32> {
    let mut writes = note.output.iter().flatten();
    if !writes.any(|write| matches!(write, Write::State(..))) {
        return None;
    }
    let version = |layout: &Layout| layout.state.as_ref().map(|state| state.version);
    match &note.extras.layout {
        None => from,
        Some(layout) => version(layout).filter(|of| Some(*of) != version(&plan.layout)),
    }
}

/// Refuses a thread of another graph, as far as both have names.
fn refuse_foreign(stored: &Arc<str>, plan: &Plan) -> Result<(), ErrorKind> {
    let own = &plan.layout.graph;
    let is_own = stored == own || plan.former_names.contains(stored);
    if is_own || stored.is_empty() || own.is_empty() {
        return Ok(());
    }
    Err(ErrorKind::ForeignThread {
        of: stored.clone(),
        graph: own.clone(),
    })
}

/// The version to migrate from, if the stored state is of another version.
fn migration_needed(stored: &Layout, plan: &Plan) -> Result<Option<u32>, ErrorKind> {
    match (&stored.state, &plan.layout.state) {
        (Some(old), Some(new)) if old == new => Ok(None),
        (Some(old), Some(new)) if old.version == new.version => {
            let shape = plan.state.as_ref();
            let fits = shape.map_or(Ok(()), |shape| shape.reads(stored, old));
            fits.map(|()| None)
                .map_err(|why| ErrorKind::Version { why })
        }
        (Some(old), Some(_)) => Ok(Some(old.version)),
        (None, None) => Ok(None),
        _ => {
            let why = "the thread belongs to a graph of another layer".to_owned();
            Err(ErrorKind::Version { why })
        }
    }
}

/// The state after a chain of records, from the last one that was rebuilt if it lies on the way.
fn rebuild(plan: &Plan, chain: &Chain) -> Result<Arc<dyn ChannelState>, ErrorKind> {
    let (mut channels, from) = match known(plan, chain) {
        Some((channels, place)) => (channels, place + 1),
        None => ((plan.fresh)(), 0),
    };
    let rest = chain.get(from..).unwrap_or_default();
    if rest.is_empty() {
        return Ok(channels);
    }
    if let Some(channels) = for_writing(&mut channels) {
        replay(plan, channels, rest)?;
    }
    if let (Some(rebuilt), Some(head)) = (&chain.rebuilt, rest.last()) {
        *rebuilt.lock() = Some(RebuiltState {
            channels: channels.clone(),
            head: head.clone(),
            layout: plan.layout.clone(),
        });
    }
    Ok(channels)
}

/// A state that was rebuilt for this graph, and the place of its record in the chain. It is taken
/// if there are more records, so that they go into it rather than into a copy.
fn known(plan: &Plan, chain: &Chain) -> Option<(Arc<dyn ChannelState>, usize)> {
    let mut kept = chain.rebuilt.as_ref()?.lock();
    let RebuiltState { head, layout, .. } = kept.as_ref()?;
    let place = chain.iter().rposition(|record| Arc::ptr_eq(record, head));
    let place = place.filter(|_| Arc::ptr_eq(layout, &plan.layout))?;
    let state = match place + 1 == chain.len() {
        true => kept.clone(),
        false => kept.take(),
    };
    state.map(|state| (state.channels, place))
}

fn replay(
    plan: &Plan,
    channels: &mut dyn ChannelState,
    records: &[Arc<Record>],
) -> Result<(), ErrorKind> {
    let mut last: Option<(&Arc<Layout>, Translation)> = None;
    for record in records {
        if !last
            .as_ref()
            .is_some_and(|(layout, _)| Arc::ptr_eq(layout, &record.layout))
        {
            last = Some((&record.layout, Translation::between(&record.layout, plan)));
        }
        let Some((_, translation)) = &last else {
            continue;
        };
        for (channel, change) in &record.changes {
            let Some(channel) = translation.channel(*channel) else {
                continue;
            };
            channels
                .restore(channel, change)
                .map_err(|error| decode(&plan.channels.row(channel).name, &error))?;
        }
    }
    Ok(())
}

/// Rebuilds the old state as plain data, hands it to the declared migration, loads the result.
fn migrated(
    plan: &Plan,
    chain: &[Arc<Record>],
    from: u32,
    migrate: Option<&MigrateFn>,
) -> Result<Arc<dyn ChannelState>, ErrorKind> {
    let Some(migrate) = migrate else {
        let why = format!("the thread holds version {from} of the state");
        return Err(ErrorKind::Version { why });
    };
    let mut old = serde_json::Map::new();
    let mut unset: HashSet<&str> = HashSet::new();
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
                Some(value) => drop(old.insert(name.to_string(), value.to_json())),
                None => drop(unset.insert(name)),
            }
        }
    }
    let had: HashSet<String> = old.keys().cloned().collect();
    let new = migrate(from, Json::Object(old)).map_err(|why| ErrorKind::Version { why })?;
    let wrong = |what: String| {
        let why = format!("the migration from version {from} {what}");
        ErrorKind::Version { why }
    };
    let Json::Object(new) = new else {
        return Err(wrong("did not return an object of fields".to_owned()));
    };
    for field in plan.state.iter().flat_map(|shape| shape.fields) {
        // A field that no step has written has its default in both versions.
        let may_lack = unset.contains(field.name) || field.optional && !had.contains(field.name);
        if !may_lack && !new.contains_key(field.name) {
            return Err(wrong(format!("leaves out the field `{}`", field.name)));
        }
    }
    let mut channels = (plan.fresh)();
    for (name, value) in &new {
        let Some(channel) = plan.channel(name) else {
            return Err(wrong(format!(
                "names `{name}`, which is no field of the state"
            )));
        };
        if let Some(channels) = for_writing(&mut channels) {
            channels
                .restore(channel, &Change::Set(Value::from(value)))
                .map_err(|error| decode(name, &error))?;
        }
    }
    Ok(channels)
}

fn as_data(change: &Change) -> Change {
    match change {
        Change::Set(value) => Change::Set(value.to_json().into()),
        Change::Extend(value) => Change::Extend(value.to_json().into()),
        Change::Clear => Change::Clear,
    }
}

fn by_channel_name(from: &Layout, to: &Layout) -> HashMap<ChannelIx, ChannelIx> {
    let find = |name| to.channels.iter().position(|other| other == name);
    let pairs = from.channels.iter().enumerate();
    pairs
        .filter_map(|(ix, name)| Some((ChannelIx::at(ix), ChannelIx::at(find(name)?))))
        .collect()
}

/// Ids of one layout in terms of another; nothing to do when both are the same.
enum Translation {
    Identity,
    ByName {
        channels: HashMap<ChannelIx, ChannelIx>,
        nodes: HashMap<NodeIx, NodeIx>,
        triggers: HashMap<TriggerIx, TriggerIx>,
    },
}

impl Translation {
    fn between(stored: &Arc<Layout>, plan: &Plan) -> Self {
        if Arc::ptr_eq(stored, &plan.layout) || stored.names_same(&plan.layout) {
            return Self::Identity;
        }
        let nodes = stored.nodes.iter().enumerate();
        let triggers = stored.triggers.iter().enumerate();
        let find = |name| plan.layout.triggers.iter().position(|other| other == name);
        Self::ByName {
            channels: by_channel_name(stored, &plan.layout),
            nodes: nodes
                .filter_map(|(ix, n)| Some((NodeIx::at(ix), plan.node(n)?)))
                .collect(),
            triggers: triggers
                .filter_map(|(ix, name)| Some((TriggerIx::at(ix), TriggerIx::at(find(name)?))))
                .collect(),
        }
    }

    fn is_identity(&self) -> bool {
        matches!(self, Self::Identity)
    }

    fn channel(&self, ix: ChannelIx) -> Option<ChannelIx> {
        match self {
            Self::Identity => Some(ix),
            Self::ByName { channels, .. } => channels.get(&ix).copied(),
        }
    }

    fn node(&self, ix: NodeIx) -> Option<NodeIx> {
        match self {
            Self::Identity => Some(ix),
            Self::ByName { nodes, .. } => nodes.get(&ix).copied(),
        }
    }

    fn trigger(&self, ix: TriggerIx) -> Option<TriggerIx> {
        match self {
            Self::Identity => Some(ix),
            Self::ByName { triggers, .. } => triggers.get(&ix).copied(),
        }
    }

    fn key(&self, key: &TaskKey) -> Option<TaskKey> {
        Some(match key {
            TaskKey::Node(node) => TaskKey::Node(self.node(*node)?),
            TaskKey::Handler(of) => TaskKey::Handler(Box::new(self.key(of)?)),
            TaskKey::Call(by, n) => TaskKey::Call(Box::new(self.key(by)?), *n),
            same => same.clone(),
        })
    }

    /// A note in the plan's own ids. Fields of another version of the state are left out.
    fn note(&self, note: &TaskNote, plan: &Plan, migrates: bool) -> Option<TaskNote> {
        if self.is_identity() && note.extras.layout.is_none() {
            return Some(note.clone());
        }
        let own = note
            .extras
            .layout
            .as_ref()
            .map(|it| Self::between(it, plan));
        let writer = own.as_ref().unwrap_or(self);
        let from = migrates.then_some(0);
        let is_other = written_by_another(note, plan, from).is_some();
        let write = |write: &Write| {
            Some(match write {
                Write::State(..) if is_other => return None,
                Write::State(channel, value) => {
                    Write::State(writer.channel(*channel)?, value.clone())
                }
                Write::Fire(trigger) => Write::Fire(writer.trigger(*trigger)?),
                Write::Join(trigger, at) => Write::Join(writer.trigger(*trigger)?, *at),
                same => same.clone(),
            })
        };
        let output = note
            .output
            .as_ref()
            .map(|list| list.iter().filter_map(write).collect());
        let mut extras = note.extras.clone();
        if extras.layout.is_some() {
            extras.layout = None;
        }
        Some(TaskNote {
            key: self.key(&note.key)?,
            output,
            extras,
        })
    }

    /// The nodes of work that has no place in the plan. A half-met join counts only while something
    /// is about to run, since a thread that is done may keep one for ever.
    fn lost(&self, plan: &Plan, loaded: &Loaded) -> Vec<Arc<str>> {
        let (Self::ByName { .. }, Some(head)) = (self, loaded.head()) else {
            return Vec::new();
        };
        let Pending {
            start,
            fired,
            sends,
            held,
        } = &head.pending;
        let Held {
            waiting,
            joins,
            changed: _,
        } = &**held;
        let mut triggers: Vec<TriggerIx> = fired.iter().chain(waiting).copied().collect();
        let mut sent: Vec<&Arc<str>> = sends.iter().map(|send| &send.node).collect();
        if start.is_some() || !triggers.is_empty() || !sent.is_empty() {
            triggers.extend(joins.iter().map(|(trigger, _)| trigger));
        }
        // What tasks of an older checkpoint did is done again by whoever resumes from it.
        let notes = loaded.notes.iter().filter(|_| !loaded.superseded);
        let outputs = notes.filter_map(|note| note.output.as_ref());
        for write in outputs.flatten() {
            match write {
                Write::Fire(trigger) | Write::Join(trigger, _) => triggers.push(*trigger),
                Write::Send(send) => sent.push(&send.node),
                Write::State(..) | Write::Return(_) => {}
            }
        }
        let lost = triggers.iter().filter(|t| self.trigger(**t).is_none());
        let lost = lost.filter_map(|t| match head.layout.triggers.get(t.ix())? {
            TriggerName::Start => None,
            TriggerName::Node(node) | TriggerName::Join(_, node) => Some(node),
        });
        let homeless = sent.into_iter().filter(|node| plan.node(node).is_none());
        let mut nodes: Vec<Arc<str>> = lost.chain(homeless).cloned().collect();
        nodes.sort();
        nodes.dedup();
        nodes
    }
}
