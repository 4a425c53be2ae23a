//! The state of one graph between steps: channels, scheduler, and how both take a step's writes.

pub mod migrate;
pub mod plain;
pub mod restore;

use std::sync::Arc;

use crate::{
    channel_state::{ChannelState, Recording},
    command::Send,
    error::ErrorKind,
    plan::{Plan, Reads},
    record::{Change, StartValue, TaskKey, Write},
    reused_list::{add, cleared},
    scheduler::{Scheduler, no_sends},
    table::{ChannelIx, NodeIx, TriggerIx},
    value::Value,
};

/// Everything a graph needs to take its next step.
#[derive(Clone)]
pub struct GraphState {
    /// The channels.
    pub channels: Arc<dyn ChannelState>,
    /// What runs next.
    pub scheduler: Scheduler,
    /// Counts changes; zero means nothing ever happened.
    pub clock: u64,
    /// The clock when the thread was last continued; static pauses before it do not fire again.
    pub paused_at: u64,
    /// Nodes that ran last by an edge, once for each trigger that changed last.
    pub last_ran: Vec<NodeIx>,
    /// When those triggers changed.
    pub last_seen: u64,
    /// A reducer failed half way through a step, so this is no state to keep.
    pub torn: bool,
    /// An empty result, for its room.
    pub(crate) spare: Applied,
}

/// A task whose writes are applied.
pub struct Applying<'a> {
    /// Orders the tasks of a step.
    pub order: Order,
    /// The node it ran by an edge; its triggers are consumed.
    pub pulled: Option<NodeIx>,
    /// Whether it is a task at all, not just writes that came with the input.
    pub stepped: bool,
    /// Its writes.
    pub writes: &'a [Write],
    /// Input for the start node.
    pub start: Option<StartValue>,
}

impl<'a> Applying<'a> {
    /// A task of a step and what it wrote.
    pub fn task(plan: &Plan, key: &TaskKey, node: NodeIx, writes: &'a [Write]) -> Self {
        Self {
            order: Order::of(plan, key),
            pulled: matches!(key, TaskKey::Node(_)).then_some(node),
            stepped: true,
            writes,
            start: None,
        }
    }

    /// Writes that came with the input.
    pub fn input(writes: &'a [Write]) -> Self {
        Self {
            order: Order::INPUT,
            pulled: None,
            stepped: false,
            writes,
            start: None,
        }
    }
}

/// The order in which tasks of a step are applied: input, nodes by name, sends by number, a
/// handler right behind the task it handles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Order(u8, u32, u8);

impl Order {
    /// Before everything.
    pub const INPUT: Self = Self(0, 0, 0);

    /// The n-th update of an edit.
    pub fn update(n: u32) -> Self {
        Self(1, n, 0)
    }

    /// The place of a task.
    pub fn of(plan: &Plan, key: &TaskKey) -> Self {
        match key {
            TaskKey::Input => Self::INPUT,
            TaskKey::Node(node) => Self(2, plan.nodes.row(*node).rank, 0),
            TaskKey::Send(n) => Self(3, *n, 0),
            TaskKey::Handler(of) => {
                let Self(kind, n, _) = Self::of(plan, of);
                Self(kind, n, 1)
            }
            TaskKey::Call(_, n) => Self(4, *n, 0),
        }
    }
}

/// What a step changed.
#[derive(Clone, Debug, Default)]
pub struct Applied {
    /// Triggers whose node became due.
    pub touched: Vec<TriggerIx>,
    /// Channels that were written and have a value.
    pub written: Vec<ChannelIx>,
    /// What to store.
    pub changes: Vec<(ChannelIx, Change)>,
    /// Writes to channels, while they are gathered.
    state: Vec<(ChannelIx, Value)>,
}

impl Applied {
    fn cleared(self) -> Self {
        Self {
            touched: cleared(self.touched),
            written: cleared(self.written),
            changes: cleared(self.changes),
            state: cleared(self.state),
        }
    }
}

/// Emptied lists of a state that is gone.
#[derive(Default)]
pub(crate) struct StateBuffers {
    active: Vec<TriggerIx>,
    last_ran: Vec<NodeIx>,
    spare: Applied,
}

impl GraphState {
    /// A graph nobody has run.
    pub fn new(plan: &Plan) -> Self {
        Self::with_buffers(plan, StateBuffers::default())
    }

    /// A graph nobody has run, with the buffers of a state that is gone.
    pub(crate) fn with_buffers(plan: &Plan, buffers: StateBuffers) -> Self {
        Self {
            channels: (plan.fresh)(),
            scheduler: Scheduler::with_active(plan, buffers.active),
            clock: 0,
            paused_at: 0,
            last_ran: buffers.last_ran,
            last_seen: 0,
            torn: false,
            spare: buffers.spare,
        }
    }

    /// Its cleared lists.
    pub(crate) fn into_buffers(self) -> StateBuffers {
        StateBuffers {
            active: self.scheduler.into_active(),
            last_ran: cleared(self.last_ran),
            spare: self.spare.cleared(),
        }
    }

    /// Takes a result back when it has been read, so that the next step need not allocate one.
    pub fn recycle(&mut self, mut applied: Applied) {
        applied.touched.clear();
        applied.written.clear();
        applied.changes.clear();
        applied.state.clear();
        self.spare = applied;
    }

    /// The channel state for writing: in place unless a task still holds it.
    pub fn channels_mut(&mut self) -> Option<&mut dyn ChannelState> {
        for_writing(&mut self.channels)
    }

    /// Every channel, for a record that needs no other.
    pub fn all_changes(&self, plan: &Plan) -> Vec<(ChannelIx, Change)> {
        let mut all = Vec::with_capacity(plan.channels.len());
        let channels = plan.channels.keys();
        all.extend(
            channels.filter_map(|channel| Some((channel, self.channels.snapshot(channel)?))),
        );
        all
    }

    /// Applies the writes of a step (or of the input) in order.
    pub fn apply(
        &mut self,
        plan: &Plan,
        tasks: &mut [Applying<'_>],
        recording: Recording,
    ) -> Result<Applied, ErrorKind> {
        if tasks.len() > 1 {
            tasks.sort_by_key(|task| task.order);
        }
        let stepped = tasks.iter().any(|task| task.stepped);
        let mut applied = std::mem::take(&mut self.spare);
        for write in tasks.iter().flat_map(|task| task.writes) {
            if let Write::State(channel, value) = write {
                add(&mut applied.state, (*channel, value.clone()));
            }
        }
        // What can fail comes first, so that a failure leaves the scheduler as it was.
        let mut changed = self.fold_state(plan, &mut applied, recording)?;
        self.scheduler.begin(self.clock + 1);
        changed |= self.consume(plan, tasks);
        let mut sends = Vec::new();
        for task in tasks.iter_mut() {
            if let Some(start) = task.start.take() {
                self.scheduler.set_start(plan, Some(start));
                touch(&mut applied.touched, plan.start);
                changed = true;
            }
            for write in task.writes {
                match write {
                    Write::Send(send) => sends.push(send.clone()),
                    Write::Fire(trigger) => {
                        changed = true;
                        if self.scheduler.fire(plan, *trigger) {
                            touch(&mut applied.touched, *trigger);
                        }
                    }
                    Write::Join(trigger, source) => {
                        let (moved, due) = self.scheduler.join(plan, *trigger, *source);
                        changed |= moved;
                        if moved && due {
                            touch(&mut applied.touched, *trigger);
                        }
                    }
                    Write::State(..) | Write::Return(_) => {}
                }
            }
        }
        changed |= self.queue_sends(sends, stepped);
        if stepped {
            changed |= self.pass(plan, &mut applied, recording);
            if applied.touched.is_empty() {
                applied.touched = self.scheduler.release(plan);
                changed |= !applied.touched.is_empty();
            }
        }
        self.clock += u64::from(changed);
        Ok(applied)
    }

    fn consume(&mut self, plan: &Plan, tasks: &[Applying<'_>]) -> bool {
        let mut changed = false;
        for node in tasks.iter().filter_map(|task| task.pulled) {
            for seen in self.scheduler.versions(plan, node) {
                if seen > self.last_seen {
                    self.last_ran.clear();
                    self.last_seen = seen;
                }
                if seen == self.last_seen {
                    self.last_ran.push(node);
                }
            }
        }
        for node in tasks.iter().filter_map(|task| task.pulled) {
            changed |= self.scheduler.consume(plan, node);
        }
        changed
    }

    fn fold_state(
        &mut self,
        plan: &Plan,
        applied: &mut Applied,
        recording: Recording,
    ) -> Result<bool, ErrorKind> {
        let Applied {
            written,
            changes,
            state: writes,
            ..
        } = applied;
        if writes.is_empty() {
            return Ok(false);
        }
        if writes.len() > 1 {
            writes.sort_by_key(|(channel, _)| *channel);
        }
        for same in writes.chunk_by(|(a, _), (b, _)| a == b) {
            if let [(channel, _), _, ..] = same {
                self.channels.takes(*channel, same.len())?;
            }
        }
        let mut changed = false;
        self.torn = true;
        let Some(channels) = self.channels_mut() else {
            return Ok(false);
        };
        let mut rest = writes.drain(..).peekable();
        while let Some((channel, value)) = rest.next() {
            let mut more = Vec::new();
            while let Some((_, value)) = rest.next_if(|(next, _)| *next == channel) {
                more.push(value);
            }
            if plan.channels.get(channel).is_none() {
                continue;
            }
            let folded = if more.is_empty() {
                channels.fold_one(channel, value, recording)?
            } else {
                more.insert(0, value);
                channels.fold(channel, more, recording)?
            };
            changed |= folded.changed;
            if let Some(change) = folded.change {
                add(changes, (channel, change));
            }
            if folded.changed && folded.available {
                written.push(channel);
            }
        }
        self.torn = false;
        Ok(changed)
    }

    fn queue_sends(&mut self, sends: Vec<Send>, stepped: bool) -> bool {
        if !sends.is_empty() {
            self.scheduler.sends = Arc::new(sends);
            return true;
        }
        let spent = stepped && !self.scheduler.sends.is_empty();
        if spent {
            self.scheduler.sends = no_sends();
        }
        spent
    }

    /// What a step without a write does to what was there before it.
    fn pass(&mut self, plan: &Plan, applied: &mut Applied, recording: Recording) -> bool {
        let mut changed = self.scheduler.pass(plan, &applied.touched);
        if self.scheduler.start.is_some() && !applied.touched.contains(&plan.start) {
            self.scheduler.set_start(plan, None);
            changed = true;
        }
        if plan.volatile.is_empty() {
            return changed;
        }
        let Some(channels) = self.channels_mut() else {
            return changed;
        };
        for channel in &plan.volatile {
            if !applied.written.contains(channel) && channels.pass(*channel) {
                changed = true;
                if recording == Recording::On {
                    applied.changes.push((*channel, Change::Clear));
                }
            }
        }
        changed
    }

    /// The tasks that are due: sends first, then nodes; by name when it is known what the last
    /// step touched, in order of definition otherwise.
    pub fn due(&self, plan: &Plan, touched: Option<&[TriggerIx]>) -> Vec<(TaskKey, NodeIx)> {
        let mut tasks = Vec::with_capacity(self.scheduler.sends.len() + 1);
        self.due_into(plan, touched, &mut tasks);
        tasks
    }

    /// [`GraphState::due`], added to a list.
    pub fn due_into(
        &self,
        plan: &Plan,
        touched: Option<&[TriggerIx]>,
        tasks: &mut Vec<(TaskKey, NodeIx)>,
    ) {
        let mut last: Option<(&Arc<str>, Option<NodeIx>)> = None;
        for (send, n) in self.scheduler.sends.iter().zip(0..) {
            // Sends mostly go to one node: look its name up once.
            let node = match last {
                Some((name, node)) if *name == send.node => node,
                _ => plan.node(&send.node),
            };
            last = Some((&send.node, node));
            tasks.extend(node.map(|node| (TaskKey::Send(n), node)));
        }
        if self.clock == 0 {
            return;
        }
        let readable = |node: &NodeIx| match &plan.nodes.row(*node).reads {
            Reads::Root(root) => self.channels.get(*root).is_some(),
            _ => true,
        };
        let task = |node| (TaskKey::Node(node), node);
        if let Some([trigger]) = touched {
            let on = self
                .scheduler
                .is_on(plan, *trigger)
                .then(|| plan.triggers.row(*trigger).node);
            if let Some(node) = on.filter(readable) {
                add(tasks, task(node));
            }
            return;
        }
        let mut nodes: Vec<NodeIx> = match touched {
            Some(touched) if !touched.is_empty() => {
                let on = touched
                    .iter()
                    .filter(|trigger| self.scheduler.is_on(plan, **trigger));
                on.map(|trigger| plan.triggers.row(*trigger).node).collect()
            }
            _ => self.scheduler.due(plan).collect(),
        };
        if nodes.len() > 1 {
            match touched {
                Some(touched) if !touched.is_empty() => {
                    nodes.sort_by_key(|node| plan.nodes.row(*node).rank);
                }
                _ => nodes.sort(),
            }
            nodes.dedup();
        }
        tasks.extend(nodes.into_iter().filter(readable).map(task));
    }
}

fn for_writing(channels: &mut Arc<dyn ChannelState>) -> Option<&mut dyn ChannelState> {
    // Looking at the counts first is cheaper than trying to get at the channel state twice.
    if Arc::strong_count(channels) > 1 || Arc::weak_count(channels) > 0 {
        *channels = channels.fork();
    }
    Arc::get_mut(channels)
}

fn touch(touched: &mut Vec<TriggerIx>, trigger: TriggerIx) {
    if !touched.contains(&trigger) {
        touched.push(trigger);
    }
}
