//! From stored records back to a [`GraphState`], across changes of the graph.

use std::{
    cell::OnceCell,
    collections::{HashMap, HashSet},
    sync::Arc,
};

use serde_json::Value as Json;

use super::{
    GraphState, for_writing,
    migrate::{Migrations, Writes, migrate_value},
    plain::{PlainState, by_channel_name, decode, fields_of, plain_state},
};
use crate::{
    channel_state::ChannelState,
    checkpoint::{Chain, Loaded, NextRecord, RebuiltState},
    command::Command,
    error::ErrorKind,
    plan::Plan,
    record::{
        Change, Held, Layout, Pending, Record, StartValue, TaskKey, TaskNote, TriggerName, Write,
    },
    scheduler::Scheduler,
    table::{ChannelIx, Key, NodeIx, TriggerIx},
    value::{Map, Value},
};

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
        migrate: Option<&Migrations>,
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
        let mut open = OpenWork {
            plan,
            loaded,
            migrate,
            from,
            fields: OnceCell::new(),
            problem: None,
        };
        let start = open.start(&head.pending);
        let mut scheduler =
            Scheduler::restore(plan, &head.pending, head.clock, &|t| translation.trigger(t));
        if let Some(start) = start {
            scheduler.start = Some(start);
        }
        let notes = loaded.notes.iter();
        let notes = notes.filter_map(|note| translation.note(note, &mut open));
        let notes = notes.collect();
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
            notes,
            touched,
            must_snapshot: !translation.is_identity() || loaded.next == NextRecord::Everything,
            lost: translation.lost(plan, loaded),
            unmigrated: open.problem,
            layout: (!translation.is_identity()).then(|| head.layout.clone()),
        })
    }
}

/// Work of an open step: results of tasks, and input that no node has taken. A migration of the state does not see
/// it, so what is of another version is migrated here.
struct OpenWork<'a> {
    plan: &'a Plan,
    loaded: &'a Loaded,
    migrate: Option<&'a Migrations>,
    /// The version that the checkpoint is migrated from.
    from: Option<u32>,
    /// The fields of the checkpoint, once they were needed.
    fields: OnceCell<serde_json::Map<String, Json>>,
    /// Why the thread cannot be continued.
    problem: Option<String>,
}

impl OpenWork<'_> {
    /// The input that no node has taken, if it is of another version.
    fn start(&mut self, pending: &Pending) -> Option<StartValue> {
        let (from, start) = (self.from?, pending.start.as_ref()?);
        let layout = self.loaded.head()?.layout.clone();
        let migrate = |writes| self.writes(&layout, from, writes);
        let migrated = match start {
            StartValue::Input(value) if value.as_map().is_some_and(Map::is_empty) => return None,
            StartValue::Input(value) => migrate_value(value, migrate).map(StartValue::Input),
            StartValue::Command(command) if command.update.is_empty() => return None,
            StartValue::Command(command) => migrate(command.update.clone()).map(|update| {
                StartValue::Command(Box::new(Command {
                    update,
                    ..(**command).clone()
                }))
            }),
        };
        self.settled("input that no node has taken", from, true, migrated)
    }

    /// The fields that a task has written, if they are of another version; nothing if they cannot be taken over.
    fn written(&mut self, note: &TaskNote, layout: &Layout, of: u32) -> Vec<Write> {
        let named = |write: &Write| match write {
            Write::State(channel, value) => {
                let name = layout.channels.get(channel.ix())?;
                Some((name.clone(), value.clone()))
            }
            _ => None,
        };
        let writes: Writes = note.output.iter().flatten().filter_map(named).collect();
        let migrated = self.writes(layout, of, writes);
        let what = "results of nodes in a step that has not ended";
        // A step that the thread has moved on from begins anew, and needs nothing of it.
        let is_needed = !self.loaded.superseded;
        let writes = self
            .settled(what, of, is_needed, migrated)
            .unwrap_or_default();
        let write =
            |(name, value): (Arc<str>, Value)| Some(Write::State(self.plan.channel(&name)?, value));
        writes.into_iter().filter_map(write).collect()
    }

    fn writes(&self, layout: &Layout, of: u32, writes: Writes) -> Result<Writes, String> {
        let Some(migrate) = self.migrate else {
            return Err("no migration is declared".to_owned());
        };
        let own = &self.plan.layout;
        let shape = |layout: &Layout, name: &Arc<str>| {
            let at = layout.channels.iter().position(|other| other == name)?;
            layout.shapes.get(at).copied()
        };
        let is_changed = |name: &Arc<str>| {
            let stored = shape(layout, name);
            stored.is_none() || stored != shape(own, name)
        };
        let mut names = writes.iter().map(|(name, _)| name);
        let changed = names.find(|name| is_changed(name)).cloned();
        let none = serde_json::Map::new();
        let state = match self.from == Some(of) {
            true => self
                .fields
                .get_or_init(|| fields_of(self.loaded, of).unwrap_or_default()),
            false => &none,
        };
        migrate.update(self.plan, of, writes, changed.as_deref(), state)
    }

    /// What was migrated; else the reason is kept, if the thread needs it.
    fn settled<T>(
        &mut self,
        what: &str,
        of: u32,
        is_needed: bool,
        migrated: Result<T, String>,
    ) -> Option<T> {
        match migrated {
            Ok(migrated) => Some(migrated),
            Err(why) if is_needed => {
                let problem = format!(
                    "the thread has {what}, of version {of}: {why}; declare it, finish the step with the program of \
                     that version, or fork the thread before it"
                );
                self.problem.get_or_insert(problem);
                None
            }
            Err(_) => None,
        }
    }
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
    migrate: Option<&Migrations>,
) -> Result<Arc<dyn ChannelState>, ErrorKind> {
    let Some(migrate) = migrate else {
        let why = format!("the thread holds version {from} of the state");
        return Err(ErrorKind::Version { why });
    };
    let PlainState { fields: old, unset } = plain_state(chain)?;
    let had: HashSet<String> = old.keys().cloned().collect();
    let new = (migrate.state)(from, Json::Object(old)).map_err(|why| ErrorKind::Version { why })?;
    let wrong = |what: String| {
        let why = format!("the migration from version {from} {what}");
        ErrorKind::Version { why }
    };
    let Json::Object(new) = new else {
        return Err(wrong("did not return an object of fields".to_owned()));
    };
    for field in plan.state.iter().flat_map(|shape| shape.fields) {
        // A field that no step has written has its default in both versions.
        let may_lack = unset.iter().any(|it| **it == *field.name)
            || field.optional && !had.contains(field.name);
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

    /// A note in the plan's own ids. Fields of another version of the state are migrated, or left out.
    fn note(&self, note: &TaskNote, open: &mut OpenWork<'_>) -> Option<TaskNote> {
        if self.is_identity() && note.extras.layout.is_none() {
            return Some(note.clone());
        }
        let plan = open.plan;
        let own = note
            .extras
            .layout
            .as_ref()
            .map(|it| Self::between(it, plan));
        let writer = own.as_ref().unwrap_or(self);
        let other = written_by_another(note, plan, open.from);
        let write = |write: &Write| {
            Some(match write {
                Write::State(..) if other.is_some() => return None,
                Write::State(channel, value) => {
                    Write::State(writer.channel(*channel)?, value.clone())
                }
                Write::Fire(trigger) => Write::Fire(writer.trigger(*trigger)?),
                Write::Join(trigger, at) => Write::Join(writer.trigger(*trigger)?, *at),
                same => same.clone(),
            })
        };
        let mut output: Option<Vec<Write>> = note
            .output
            .as_ref()
            .map(|list| list.iter().filter_map(write).collect());
        if let (Some(of), Some(output)) = (other, &mut output) {
            let stored = open.loaded.head().map(|head| &head.layout);
            if let Some(layout) = note.extras.layout.as_ref().or(stored).cloned() {
                let mut all = open.written(note, &layout, of);
                all.append(output);
                *output = all;
            }
        }
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
