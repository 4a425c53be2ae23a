//! How many tasks of a graph run at once, and which wait.
//!
//! A task that waits for a task it called does not count: what it waits for may need its slot.

use std::collections::{HashMap, VecDeque};

use superstep_core::{plan::Plan, record::TaskKey, run::Task, table::NodeIx};

/// The slots of a graph under way.
pub(super) struct Slots {
    all: Slot,
    /// Nodes with a limit of their own.
    nodes: HashMap<NodeIx, Slot>,
    running: HashMap<usize, TaskSlot>,
    waiting: VecDeque<(usize, Option<NodeIx>)>,
}

#[derive(Clone, Copy)]
struct Slot {
    taken: usize,
    most: usize,
}

struct TaskSlot {
    node: Option<NodeIx>,
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
        })
    }

    /// Whether a task may start now; if not, it waits for its turn.
    pub(super) fn admit(&mut self, at: usize, task: &Task) -> bool {
        let node = match task.key {
            TaskKey::Call(..) => None,
            _ => Some(task.node).filter(|node| self.nodes.contains_key(node)),
        };
        if !self.is_free(node) {
            self.waiting.push_back((at, node));
            return false;
        }
        self.count(node, |taken| taken + 1);
        self.running.insert(at, TaskSlot { node, calls: 0 });
        true
    }

    fn is_free(&self, node: Option<NodeIx>) -> bool {
        let own = node.and_then(|node| self.nodes.get(&node));
        [Some(&self.all), own]
            .into_iter()
            .flatten()
            .all(|slot| slot.taken < slot.most)
    }

    fn count(&mut self, node: Option<NodeIx>, change: fn(usize) -> usize) {
        let own = node.and_then(|node| self.nodes.get_mut(&node));
        for slot in [Some(&mut self.all), own].into_iter().flatten() {
            slot.taken = change(slot.taken);
        }
    }

    /// A task has ended, well or not.
    pub(super) fn leave(&mut self, at: usize) {
        if let Some(TaskSlot { node, calls: 0 }) = self.running.remove(&at) {
            self.count(node, |taken| taken.saturating_sub(1));
        }
    }

    /// A task waits for one it called.
    pub(super) fn calls(&mut self, by: usize) {
        let Some(task) = self.running.get_mut(&by) else {
            return;
        };
        task.calls += 1;
        let (node, first) = (task.node, task.calls == 1);
        if first {
            self.count(node, |taken| taken.saturating_sub(1));
        }
    }

    /// It has the result.
    pub(super) fn called(&mut self, by: usize) {
        let Some(task) = self.running.get_mut(&by) else {
            return;
        };
        let (node, last) = (task.node, task.calls == 1);
        task.calls = task.calls.saturating_sub(1);
        if last {
            self.count(node, |taken| taken + 1);
        }
    }

    /// The task that waited longest among those that may start now.
    pub(super) fn next(&mut self) -> Option<usize> {
        let mut waiting = self.waiting.iter();
        let place = waiting.position(|(_, node)| self.is_free(*node))?;
        self.waiting.remove(place).map(|(at, _)| at)
    }

    /// Another step begins; nothing runs or waits.
    pub(super) fn clear(&mut self) {
        self.running.clear();
        self.waiting.clear();
        for slot in self.nodes.values_mut().chain([&mut self.all]) {
            slot.taken = 0;
        }
    }
}
