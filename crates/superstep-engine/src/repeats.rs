//! Effects that going back to an earlier checkpoint would repeat, or that continuing would forget: looked for before
//! a run or an edit, whoever asks for it.
//!
//! A branch of a thread that starts at an earlier checkpoint knows nothing of what was done since. Its tasks
//! are others, so that `ctx.once` makes their effects once more. That is refused (SS1205) unless the caller
//! says that it is meant ([`CheckpointRef::repeating`]).
//!
//! New input, the end, and an edit in the name of a node drop what the tasks of the newest checkpoint have begun.
//! What is known to have happened may be dropped. An effect of which nobody knows whether it happened is not: the
//! question about it would be gone, and nothing would keep the same from being done again.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use superstep_core::{
    archive::Archived,
    checkpoint::Loaded,
    command::END,
    edit::Update,
    error::{Error, ErrorKind},
    id::{CheckpointId, GraphPath, ThreadId},
    past::{Certainty, Repeated},
    record::{Pending, Record, Source, TaskKey, TaskNote, TriggerName},
    run::RunInput,
    runs::QueuedInput,
    saver::{At, Saver},
    table::Key as _,
};

use crate::{graph::DynGraph, input, options::CheckpointRef};

/// What goes back.
pub(crate) enum Going<'a> {
    /// A run that is fed this.
    Run(&'a RunInput),
    /// An edit, by the updates of its first step and what comes of them.
    Edit(&'a [Update], &'a Record),
}

impl Going<'_> {
    /// Whether what a task of the newest checkpoint has begun continues.
    fn continues(&self, loaded: &Loaded) -> bool {
        match self {
            Self::Run(RunInput::Command(_, Some(_))) => true,
            Self::Run(RunInput::Value(_)) | Self::Edit(..) => false,
            // It continues from what it copied.
            Self::Run(_) => {
                let head = loaded.head();
                head.is_some_and(|head| matches!(head.source, Source::Update | Source::Fork))
            }
        }
    }

    /// Whether what the tasks of the newest checkpoint have begun is dropped for good.
    fn drops(&self) -> bool {
        matches!(self, Self::Run(RunInput::Value(_))) || self.ends()
    }

    /// Whether nothing runs afterwards.
    fn ends(&self) -> bool {
        match self {
            Self::Run(_) => false,
            Self::Edit(updates, _) => updates.iter().any(|it| it.as_node.as_deref() == Some(END)),
        }
    }

    /// Whether it acts in the name of a node, which does not run again then.
    fn acts_as(&self, node: &str) -> bool {
        match self {
            Self::Run(_) => false,
            Self::Edit(updates, _) => updates.iter().any(|it| it.as_node.as_deref() == Some(node)),
        }
    }

    /// Whether a node that has finished in the open step runs again. Its results are dropped with the step.
    fn runs_again(&self, node: &str) -> bool {
        let Self::Edit(_, record) = self else {
            return true;
        };
        let Pending {
            fired, sends, held, ..
        } = &record.pending;
        let mut triggers = fired.iter().chain(&held.waiting);
        let is_fired = triggers.any(|trigger| {
            let name = record.layout.triggers.get(trigger.ix());
            matches!(name, Some(TriggerName::Node(to) | TriggerName::Join(_, to)) if &**to == node)
        });
        is_fired || sends.iter().any(|send| &*send.node == node)
    }
}

impl DynGraph {
    /// What happened, or may have, since a checkpoint: a run that continues from there may do it a second
    /// time, and is refused (SS1205) unless the caller means it.
    pub async fn effects_since(
        &self,
        thread: &ThreadId,
        at: &CheckpointRef,
    ) -> Result<Vec<Repeated>, Error> {
        let saver = self.saver()?.clone();
        Ok(effects(self.effects_after(&saver, thread, at).await?))
    }

    /// Whether a run that is fed this may begin at a checkpoint; refuses one that would repeat effects
    /// (SS1205), as the run itself would be. For those who accept runs that begin later.
    pub async fn check_repeats(
        &self,
        thread: &ThreadId,
        at: &CheckpointRef,
        input: QueuedInput,
    ) -> Result<(), Error> {
        let saver = self.saver()?.clone();
        let input = input::queued(input);
        let going = Going::Run(&input);
        self.refuse_repeats(&saver, thread, at, going).await
    }

    /// Refuses what would repeat effects and is not meant to.
    pub(crate) async fn refuse_repeats(
        &self,
        saver: &Arc<dyn Saver>,
        thread: &ThreadId,
        at: &CheckpointRef,
        going: Going<'_>,
    ) -> Result<(), Error> {
        if at.repeats {
            return Ok(());
        }
        let place = at.id.map_or(At::Latest, At::Id);
        let (graph, namespace) = self.at_namespace(&at.namespace)?;
        // Whether it is there is found out by whoever goes back.
        let Some(loaded) = saver.load(thread, &namespace, place).await? else {
            return Ok(());
        };
        if !loaded.superseded && going.drops() {
            return graph
                .refuse_to_forget(saver, thread, &namespace, &loaded)
                .await;
        }
        let is_open = !loaded.superseded;
        if is_open && (going.continues(&loaded) || !may_have_begun(&loaded)) {
            return Ok(());
        }
        let counts = |found: &RecordedEffect| {
            let (effect, node) = (&found.effect, &found.effect.node);
            match (found.is_over, is_open) {
                (true, true) => !going.acts_as(node) && going.runs_again(node),
                (true, false) => !going.ends(),
                (false, false) if !going.ends() => true,
                (false, _) => is_unknown(effect) || !going.ends() && !going.acts_as(node),
            }
        };
        let mut found = self.effects_after(saver, thread, at).await?;
        found.retain(counts);
        refused(effects(found), thread)
    }

    /// Refuses new input for a thread of which a task has begun something, and nobody knows whether that
    /// happened.
    pub(crate) async fn refuse_input(
        &self,
        saver: &Arc<dyn Saver>,
        thread: &ThreadId,
        loaded: &Loaded,
        input: &RunInput,
    ) -> Result<(), Error> {
        if !Going::Run(input).drops() {
            return Ok(());
        }
        let root = GraphPath::default();
        self.refuse_to_forget(saver, thread, &root, loaded).await
    }

    /// Refuses to drop what the tasks of a newest checkpoint have begun, if nobody knows whether that happened.
    async fn refuse_to_forget(
        &self,
        saver: &Arc<dyn Saver>,
        thread: &ThreadId,
        namespace: &GraphPath,
        loaded: &Loaded,
    ) -> Result<(), Error> {
        // A thread that waits for nothing has begun nothing, and is not looked at any further.
        let Some(head) = loaded.head().filter(|_| may_have_begun(loaded)) else {
            return Ok(());
        };
        let at = CheckpointRef {
            namespace: namespace.clone(),
            id: Some(head.id),
            ..CheckpointRef::default()
        };
        let mut found = self.effects_after(saver, thread, &at).await?;
        found.retain(|it| !it.is_over && is_unknown(&it.effect));
        refused(effects(found), thread)
    }

    async fn effects_after(
        &self,
        saver: &Arc<dyn Saver>,
        thread: &ThreadId,
        at: &CheckpointRef,
    ) -> Result<Vec<RecordedEffect>, Error> {
        let archive = saver.export(thread).await?;
        let mut addresses = at.addresses();
        if addresses.is_empty() {
            let newest = archive.newest(&at.namespace);
            addresses.extend(newest.map(|id| (at.namespace.clone(), id)));
        }
        let mut found = Vec::new();
        for (namespace, id) in &addresses {
            let branch = Branch::new(&archive.namespaces, namespace, *id);
            let finished = Finished::of(archive.namespaces.get(namespace), *id);
            for (place, checkpoints) in &archive.namespaces {
                let Some(node) = branch.node_above(place) else {
                    continue;
                };
                let read = match self.at_namespace(place) {
                    Ok((graph, _)) => graph.0.effects,
                    Err(_) => self.0.effects,
                };
                let above = node.as_ref();
                for (record, note) in tasks(checkpoints) {
                    let within = above.map(|node| (namespace, &**node));
                    let is_over =
                        note.output.is_some() && !finished.begins_anew(record, note, within);
                    if branch.holds(place, record) {
                        let node = above.cloned().unwrap_or_else(|| node_of(record, note));
                        let step = branch.step(record);
                        found.extend(read(note).into_iter().map(|effect| {
                            let node = node.clone();
                            let effect = Repeated { node, step, effect };
                            RecordedEffect { effect, is_over }
                        }));
                    }
                }
            }
        }
        found.dedup();
        Ok(found)
    }
}

/// Whether tasks of a checkpoint may have begun something, in their own name or in a graph that they run.
fn may_have_begun(loaded: &Loaded) -> bool {
    let is_journaled = |note: &TaskNote| !note.extras.effects.is_empty();
    let head = loaded.head();
    head.is_some_and(|head| !head.pending.is_empty()) || loaded.notes.iter().any(is_journaled)
}

/// The tasks of a checkpoint that have finished. Those that have not begin anew in another branch, and with them what
/// they called and the graphs that they ran, finished or not.
struct Finished {
    checkpoint: CheckpointId,
    keys: HashSet<TaskKey>,
    /// Nodes of which all tasks have.
    nodes: HashSet<Arc<str>>,
}

impl Finished {
    fn of(checkpoints: Option<&Vec<Archived>>, checkpoint: CheckpointId) -> Self {
        let checkpoints = checkpoints.map(Vec::as_slice).unwrap_or_default();
        let (mut keys, mut nodes) = (HashSet::new(), HashSet::new());
        let noted = notes(checkpoints).filter(|(record, _)| record.id == checkpoint);
        for (record, note) in noted.filter(|(_, note)| note.output.is_some()) {
            // What handles a failure ends the task that failed.
            let of = match &note.key {
                TaskKey::Handler(of) => of,
                TaskKey::Call(..) => continue,
                own => own,
            };
            nodes.insert(node_of(record, note));
            keys.insert(of.clone());
        }
        let record = checkpoints.iter().find(|it| it.record.id == checkpoint);
        let sends = record.map(|it| it.record.pending.sends.iter().enumerate());
        for (at, send) in sends.into_iter().flatten() {
            let key = u32::try_from(at).map(TaskKey::Send);
            if !key.is_ok_and(|key| keys.contains(&key)) {
                nodes.remove(&send.node);
            }
        }
        Self {
            checkpoint,
            keys,
            nodes,
        }
    }

    /// Whether a note is about something that begins anew: of the checkpoint itself, or of a graph that a task of it ran
    /// in this node.
    fn begins_anew(
        &self,
        record: &Record,
        note: &TaskNote,
        above: Option<(&GraphPath, &str)>,
    ) -> bool {
        match above {
            None => record.id == self.checkpoint && !self.keys.contains(note.key.root()),
            Some((namespace, node)) => {
                record.parents.get(namespace) == Some(&self.checkpoint)
                    && !self.nodes.contains(node)
            }
        }
    }
}

fn is_unknown(effect: &Repeated) -> bool {
    effect.effect.certainty == Certainty::Unknown
}

/// The error that names these effects, if there are any.
pub(crate) fn refused(effects: Vec<Repeated>, thread: &ThreadId) -> Result<(), Error> {
    match effects.is_empty() {
        true => Ok(()),
        false => Err(Error::from(ErrorKind::RepeatsEffects { effects }).at_thread(Some(thread))),
    }
}

/// An effect on record.
#[derive(PartialEq)]
struct RecordedEffect {
    effect: Repeated,
    /// Its task has finished, and does not begin anew with another one.
    is_over: bool,
}

fn effects(found: Vec<RecordedEffect>) -> Vec<Repeated> {
    found.into_iter().map(|it| it.effect).collect()
}

/// A checkpoint and all that follow from it, in their graph and in the graphs below.
pub(crate) struct Branch<'a> {
    namespace: &'a GraphPath,
    /// Their steps.
    ids: HashMap<CheckpointId, i64>,
}

impl<'a> Branch<'a> {
    fn new(
        all: &BTreeMap<GraphPath, Vec<Archived>>,
        namespace: &'a GraphPath,
        id: CheckpointId,
    ) -> Self {
        let mut ids = HashMap::new();
        // In order of id: a parent comes before its children.
        for Archived { record, .. } in all.get(namespace).into_iter().flatten() {
            let follows = record
                .parent
                .is_some_and(|parent| ids.contains_key(&parent));
            if follows || record.id == id {
                ids.insert(record.id, record.step);
            }
        }
        Self { namespace, ids }
    }

    /// All checkpoints of a graph and of the graphs below.
    pub(crate) fn whole(
        all: &BTreeMap<GraphPath, Vec<Archived>>,
        namespace: &'a GraphPath,
    ) -> Self {
        let own = all.get(namespace).into_iter().flatten();
        let ids = own.map(|it| (it.record.id, it.record.step)).collect();
        Self { namespace, ids }
    }

    /// In whose task a graph runs, if it runs below; nothing within for the graph itself.
    pub(crate) fn node_above(&self, place: &GraphPath) -> Option<Option<Arc<str>>> {
        if place == self.namespace {
            return Some(None);
        }
        let (own, path) = (self.namespace.path(), place.path());
        let below = path.strip_prefix(own.as_slice())?;
        Some(Some(below.first()?.as_str().into()))
    }

    fn holds(&self, place: &GraphPath, record: &Record) -> bool {
        match place == self.namespace {
            true => self.ids.contains_key(&record.id),
            false => {
                let above = record.parents.get(self.namespace);
                above.is_some_and(|above| self.ids.contains_key(above))
            }
        }
    }

    /// The step of the graph itself that the tasks of a checkpoint ran in.
    pub(crate) fn step(&self, record: &Record) -> i64 {
        let above = record.parents.get(self.namespace);
        let step = above.and_then(|above| self.ids.get(above)).copied();
        step.unwrap_or(record.step) + 1
    }
}

/// The tasks of checkpoints that journaled something.
fn tasks(all: &[Archived]) -> impl Iterator<Item = (&Record, &TaskNote)> {
    notes(all).filter(|(_, note)| !note.extras.effects.is_empty())
}

/// The tasks of checkpoints, as far as they are noted with the checkpoint, or with those that follow.
fn notes(all: &[Archived]) -> impl Iterator<Item = (&Record, &TaskNote)> {
    let by_id: HashMap<CheckpointId, &Archived> = all.iter().map(|it| (it.record.id, it)).collect();
    let noted = all.iter().flat_map(|it| {
        let notes = it.notes.iter().flatten();
        notes.map(|note| (&*it.record, note))
    });
    let brought = all.iter().flat_map(move |later| {
        let parent = later
            .record
            .parent
            .and_then(|parent| by_id.get(&parent).copied());
        let parent = parent.filter(|parent| parent.notes.is_none());
        let tasks = later.record.tasks.iter();
        parent.into_iter().flat_map(move |parent| {
            let record = &*parent.record;
            tasks.clone().map(move |note| (record, note))
        })
    });
    noted.chain(brought)
}

/// The node that a task of a checkpoint runs.
pub(crate) fn node_of(record: &Record, note: &TaskNote) -> Arc<str> {
    let name = match note.key.root() {
        TaskKey::Node(node) => record.layout.nodes.get(node.ix()).cloned(),
        TaskKey::Send(at) => {
            let at = usize::try_from(*at).unwrap_or(usize::MAX);
            record.pending.sends.get(at).map(|send| send.node.clone())
        }
        _ => None,
    };
    name.unwrap_or_else(|| "?".into())
}
