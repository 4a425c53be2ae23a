//! How many tasks of a graph run at once, and which wait.
//!
//! An attempt holds a permit from its start to its end. While it waits for tasks that it called, it lends
//! its permit to one of them at a time: with a limit of one they run, one after the other, and no other
//! task begins meanwhile. Further ones take permits that nobody holds, like every task.

use std::collections::{HashMap, VecDeque};

use superstep_core::{plan::Plan, record::TaskKey, run::Task, table::NodeIx};

/// The permits of a graph under way.
pub(super) struct Slots {
    all: Slot,
    /// Nodes with a limit of their own.
    nodes: HashMap<NodeIx, Slot>,
    running: HashMap<usize, Permit>,
    waiting: VecDeque<(usize, Option<NodeIx>)>,
    /// Which task called another one.
    callers: HashMap<usize, usize>,
}

#[derive(Clone, Copy)]
struct Slot {
    taken: usize,
    most: usize,
}

/// What a running task holds.
struct Permit {
    node: Option<NodeIx>,
    /// Who lent it; nobody if it was free.
    from: Option<usize>,
    /// Who has it while the task waits.
    lent: Option<usize>,
    /// How many results of called tasks it waits for.
    calls: usize,
}

impl Slots {
    /// Nothing if any number of tasks may run.
    pub(super) fn new(most: Option<usize>, plan: &Plan) -> Option<Self> {
        let slot = |most| Slot { taken: 0, most };
        let limits = plan.nodes.entries();
        let limits = limits.filter_map(|(node, spec)| Some((node, slot(spec.max_concurrency?))));
        let nodes: HashMap<NodeIx, Slot> = limits.collect();
        if most.is_none() && nodes.is_empty() {
            return None;
        }
        Some(Self {
            all: slot(most.unwrap_or(usize::MAX)),
            nodes,
            running: HashMap::new(),
            waiting: VecDeque::new(),
            callers: HashMap::new(),
        })
    }

    /// Whether a task may start now; if not, it waits for its turn.
    pub(super) fn admit(&mut self, at: usize, task: &Task) -> bool {
        let node = match task.key {
            TaskKey::Call(..) => None,
            _ => Some(task.node).filter(|node| self.nodes.contains_key(node)),
        };
        let from = self.lender(at);
        if from.is_none() && !self.is_free(node) {
            self.waiting.push_back((at, node));
            return false;
        }
        match from.and_then(|by| self.running.get_mut(&by)) {
            Some(lender) => lender.lent = Some(at),
            None => self.all.taken += 1,
        }
        if let Some(own) = node.and_then(|node| self.nodes.get_mut(&node)) {
            own.taken += 1;
        }
        let permit = Permit {
            node,
            from,
            lent: None,
            calls: 0,
        };
        self.running.insert(at, permit);
        true
    }

    /// Who lends a called task its permit.
    fn lender(&self, at: usize) -> Option<usize> {
        let by = *self.callers.get(&at)?;
        let lender = self.running.get(&by)?;
        (lender.calls > 0 && lender.lent.is_none()).then_some(by)
    }

    fn is_free(&self, node: Option<NodeIx>) -> bool {
        let own = node.and_then(|node| self.nodes.get(&node));
        [Some(&self.all), own]
            .into_iter()
            .flatten()
            .all(|slot| slot.taken < slot.most)
    }

    /// An attempt has ended, well or not.
    pub(super) fn leave(&mut self, at: usize) {
        let Some(permit) = self.running.remove(&at) else {
            return;
        };
        if let Some(own) = permit.node.and_then(|node| self.nodes.get_mut(&node)) {
            own.taken = own.taken.saturating_sub(1);
        }
        // A task that outlives its caller keeps what it was lent.
        let heir = permit.lent.filter(|heir| self.running.contains_key(heir));
        if let Some(heir) = heir.and_then(|heir| self.running.get_mut(&heir)) {
            heir.from = permit.from;
        }
        match permit.from.and_then(|by| self.running.get_mut(&by)) {
            Some(lender) => lender.lent = heir,
            None if heir.is_none() => self.all.taken = self.all.taken.saturating_sub(1),
            None => {}
        }
    }

    /// A task waits for one it called.
    pub(super) fn calls(&mut self, by: usize, at: usize) {
        self.callers.insert(at, by);
        if let Some(task) = self.running.get_mut(&by) {
            task.calls += 1;
        }
    }

    /// It has the result.
    pub(super) fn called(&mut self, by: usize) {
        if let Some(task) = self.running.get_mut(&by) {
            task.calls = task.calls.saturating_sub(1);
        }
    }

    /// The task that waited longest among those that may start now.
    pub(super) fn next(&mut self) -> Option<usize> {
        let mut waiting = self.waiting.iter();
        let may_start = |(at, node): &(usize, Option<NodeIx>)| {
            self.lender(*at).is_some() || self.is_free(*node)
        };
        let place = waiting.position(may_start)?;
        self.waiting.remove(place).map(|(at, _)| at)
    }

    /// Another step begins; nothing runs or waits.
    pub(super) fn clear(&mut self) {
        self.running.clear();
        self.waiting.clear();
        self.callers.clear();
        for slot in self.nodes.values_mut().chain([&mut self.all]) {
            slot.taken = 0;
        }
    }
}
