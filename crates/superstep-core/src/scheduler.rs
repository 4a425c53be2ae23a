//! What runs next: triggers, joins, sends, the waiting input.
//!
//! Triggers are bits, not channels: an edge into a node fires for exactly one step, a join
//! collects its sources until it is full, a deferred trigger waits until nothing else would run.

use std::sync::{Arc, LazyLock};

use crate::{
    command::Send,
    plan::{Plan, TriggerKind},
    rare::Rare,
    record::{Pending, StartValue},
    reused_list::cleared,
    table::{NodeIx, Table, TriggerIx},
};

/// Which nodes of a graph run next, and why.
#[derive(Clone)]
pub struct Scheduler {
    /// Input not yet taken.
    pub start: Option<StartValue>,
    /// Sends not yet run.
    pub sends: Arc<Vec<Send>>,
    triggers: Table<TriggerIx, Trigger>,
    /// Triggers that are not at rest, so that a step only looks at those.
    active: Vec<TriggerIx>,
    /// The clock of the step that is being applied.
    now: u64,
}

#[derive(Clone, Default)]
struct Trigger {
    state: TriggerState,
    /// When it last changed, by the state's clock.
    changed: u64,
}

#[derive(Clone, Default, PartialEq, Eq)]
enum TriggerState {
    /// At rest.
    #[default]
    Off,
    /// Some sources of a join have run.
    Partly(Vec<u32>),
    /// A deferred trigger that was fired and waits.
    Waiting,
    /// Its node is due.
    On,
}

/// The empty list that all schedulers without sends share.
pub(crate) fn no_sends() -> Arc<Vec<Send>> {
    static NONE: LazyLock<Arc<Vec<Send>>> = LazyLock::new(Arc::default);
    NONE.clone()
}

impl Scheduler {
    /// Nothing to run.
    pub fn new(plan: &Plan) -> Self {
        Self::with_active(plan, Vec::new())
    }

    /// Nothing to run, with an cleared list of another one.
    pub(crate) fn with_active(plan: &Plan, active: Vec<TriggerIx>) -> Self {
        Self {
            start: None,
            sends: no_sends(),
            triggers: plan.triggers.iter().map(|_| Trigger::default()).collect(),
            now: 0,
            active,
        }
    }

    /// Its list of triggers, cleared for another one.
    pub(crate) fn into_active(self) -> Vec<TriggerIx> {
        cleared(self.active)
    }

    /// Whether the trigger makes its node due.
    pub fn is_on(&self, plan: &Plan, trigger: TriggerIx) -> bool {
        match plan.triggers.row(trigger).kind {
            TriggerKind::Start => self.start.is_some(),
            _ => self.triggers.row(trigger).state == TriggerState::On,
        }
    }

    /// Nodes that are due, in no particular order and possibly twice.
    pub fn due<'a>(&'a self, plan: &'a Plan) -> impl Iterator<Item = NodeIx> + 'a {
        let start = self.start.is_some().then_some(plan.start);
        let on = self
            .active
            .iter()
            .copied()
            .filter(|t| self.triggers.row(*t).state == TriggerState::On);
        start
            .into_iter()
            .chain(on)
            .map(|trigger| plan.triggers.row(trigger).node)
    }

    /// What changes from here on changes at this time.
    pub fn begin(&mut self, now: u64) {
        self.now = now;
    }

    /// When a node's triggers last changed; those that never did are left out.
    pub fn versions<'a>(&'a self, plan: &'a Plan, node: NodeIx) -> impl Iterator<Item = u64> + 'a {
        let triggers = plan.nodes.row(node).triggers.iter();
        triggers
            .map(|trigger| self.triggers.row(*trigger).changed)
            .filter(|at| *at > 0)
    }

    /// The input was taken or dropped.
    pub fn set_start(&mut self, plan: &Plan, start: Option<StartValue>) {
        self.start = start;
        self.triggers.row_mut(plan.start).changed = self.now;
    }

    fn set(&mut self, trigger: TriggerIx, fire: TriggerState) {
        let row = self.triggers.row_mut(trigger);
        row.changed = self.now;
        if row.state == TriggerState::Off {
            self.active.push(trigger);
        }
        if fire == TriggerState::Off {
            self.active.retain(|active| *active != trigger);
        }
        row.state = fire;
    }

    /// A task of this node ran: takes back what it was triggered by. Returns whether that changed
    /// anything. Plain edges are cleared by [`Scheduler::pass`].
    pub fn consume(&mut self, plan: &Plan, node: NodeIx) -> bool {
        let mut changed = false;
        for trigger in &plan.nodes.row(node).triggers {
            let spec = plan.triggers.row(*trigger);
            let lasts = spec.deferred || matches!(spec.kind, TriggerKind::Join(_));
            if lasts && self.triggers.row(*trigger).state == TriggerState::On {
                self.set(*trigger, TriggerState::Off);
                changed = true;
            }
        }
        changed
    }

    /// Fires an edge. Returns whether its node is due now.
    pub fn fire(&mut self, plan: &Plan, trigger: TriggerIx) -> bool {
        let deferred = plan.triggers.row(trigger).deferred;
        self.set(
            trigger,
            if deferred {
                TriggerState::Waiting
            } else {
                TriggerState::On
            },
        );
        !deferred
    }

    /// A source of a join ran. Returns whether anything changed, and whether the node is due now.
    pub fn join(&mut self, plan: &Plan, trigger: TriggerIx, source: u32) -> (bool, bool) {
        let spec = plan.triggers.row(trigger);
        let TriggerKind::Join(count) = spec.kind else {
            return (false, false);
        };
        let mut seen = match &self.triggers.row(trigger).state {
            TriggerState::Off => Vec::new(),
            TriggerState::Partly(seen) => seen.clone(),
            TriggerState::Waiting => return (false, false),
            TriggerState::On => return (false, true),
        };
        if seen.contains(&source) {
            return (false, false);
        }
        seen.push(source);
        let full = seen.len() >= count as usize;
        let fire = match (full, spec.deferred) {
            (false, _) => TriggerState::Partly(seen),
            (true, true) => TriggerState::Waiting,
            (true, false) => TriggerState::On,
        };
        let due = fire == TriggerState::On;
        self.set(trigger, fire);
        (true, due)
    }

    /// A step passed: edges that fired before it and not in it are spent. Returns whether any were.
    pub fn pass(&mut self, plan: &Plan, touched: &[TriggerIx]) -> bool {
        let Self {
            active,
            triggers,
            now,
            ..
        } = self;
        let before = active.len();
        active.retain(|trigger| {
            let spec = plan.triggers.row(*trigger);
            let lasts = spec.kind != TriggerKind::Edge || spec.deferred;
            let stays = lasts || touched.contains(trigger);
            if !stays {
                *triggers.row_mut(*trigger) = Trigger {
                    state: TriggerState::Off,
                    changed: *now,
                };
            }
            stays
        });
        active.len() < before
    }

    /// Nothing else would run: what waited is due. Returns what was released.
    pub fn release(&mut self, plan: &Plan) -> Vec<TriggerIx> {
        let waiting: Vec<TriggerIx> = plan
            .deferred
            .iter()
            .copied()
            .filter(|t| self.triggers.row(*t).state == TriggerState::Waiting)
            .collect();
        for trigger in &waiting {
            self.set(*trigger, TriggerState::On);
        }
        waiting
    }

    /// The storable form, at the state's clock.
    pub fn pending(&self, plan: &Plan, clock: u64) -> Pending {
        let mut pending = Pending {
            start: self.start.clone(),
            sends: self.sends.clone(),
            fired: Vec::new(),
            held: Rare::NONE,
        };
        for trigger in &self.active {
            match &self.triggers.row(*trigger).state {
                TriggerState::Off => {}
                TriggerState::Partly(seen) => pending.held.joins.push((*trigger, seen.clone())),
                TriggerState::Waiting => pending.held.waiting.push(*trigger),
                TriggerState::On => pending.fired.push(*trigger),
            }
            if self.triggers.row(*trigger).changed != clock {
                pending
                    .held
                    .changed
                    .push((*trigger, self.triggers.row(*trigger).changed));
            }
        }
        for trigger in &plan.shared_targets {
            if self.triggers.row(*trigger).state == TriggerState::Off
                && self.triggers.row(*trigger).changed > 0
            {
                pending
                    .held
                    .changed
                    .push((*trigger, self.triggers.row(*trigger).changed));
            }
        }
        pending
    }

    /// Back from the storable form; `map` translates triggers of another layout.
    pub fn restore(
        plan: &Plan,
        pending: &Pending,
        clock: u64,
        map: &dyn Fn(TriggerIx) -> Option<TriggerIx>,
    ) -> Self {
        let mut scheduler = Self {
            now: clock,
            start: pending.start.clone(),
            sends: pending.sends.clone(),
            ..Self::new(plan)
        };
        for (list, fire) in [
            (&pending.fired, TriggerState::On),
            (&pending.held.waiting, TriggerState::Waiting),
        ] {
            for trigger in list.iter().filter_map(|t| map(*t)) {
                scheduler.set(trigger, fire.clone());
            }
        }
        for (trigger, seen) in &pending.held.joins {
            if let Some(trigger) = map(*trigger) {
                scheduler.set(trigger, TriggerState::Partly(seen.clone()));
            }
        }
        if scheduler.start.is_some() {
            scheduler.triggers.row_mut(plan.start).changed = clock;
        }
        for (trigger, at) in &pending.held.changed {
            if let Some(trigger) = map(*trigger) {
                scheduler.triggers.row_mut(trigger).changed = *at;
            }
        }
        scheduler
    }
}
