//! What runs next: triggers, joins, sends, the waiting input.
//!
//! Triggers are bits, not channels: an edge into a node fires for exactly one step, a join
//! collects its sources until it is full, a deferred trigger waits until nothing else would run.

use std::sync::{Arc, LazyLock};

use crate::{
    command::Send,
    plan::{Plan, TriggerKind},
    record::{Pending, StartValue},
    table::{NodeIx, Table, TriggerIx},
};

/// The control state of a frame.
#[derive(Clone)]
pub struct Control {
    /// Input not yet taken.
    pub start: Option<StartValue>,
    /// Sends not yet run.
    pub sends: Arc<Vec<Send>>,
    fires: Table<TriggerIx, Fire>,
    /// Triggers that are not at rest, so that a step only looks at those.
    active: Vec<TriggerIx>,
    /// When each trigger last changed, by the frame's clock.
    changed: Table<TriggerIx, u64>,
    /// The clock of the step that is being applied.
    now: u64,
}

#[derive(Clone, Default, PartialEq, Eq)]
enum Fire {
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

/// The empty list that all frames without sends share.
pub(crate) fn no_sends() -> Arc<Vec<Send>> {
    static NONE: LazyLock<Arc<Vec<Send>>> = LazyLock::new(Arc::default);
    NONE.clone()
}

impl Control {
    /// Nothing to run.
    pub fn new(plan: &Plan) -> Self {
        Self {
            start: None,
            sends: no_sends(),
            fires: plan.triggers.iter().map(|_| Fire::Off).collect(),
            changed: plan.triggers.iter().map(|_| 0).collect(),
            now: 0,
            active: Vec::new(),
        }
    }

    /// Whether the trigger makes its node due.
    pub fn is_on(&self, plan: &Plan, trigger: TriggerIx) -> bool {
        match plan.triggers.row(trigger).kind {
            TriggerKind::Start => self.start.is_some(),
            _ => *self.fires.row(trigger) == Fire::On,
        }
    }

    /// Nodes that are due, in no particular order and possibly twice.
    pub fn due<'a>(&'a self, plan: &'a Plan) -> impl Iterator<Item = NodeIx> + 'a {
        let start = self.start.is_some().then_some(plan.start);
        let on = self
            .active
            .iter()
            .copied()
            .filter(|t| *self.fires.row(*t) == Fire::On);
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
            .map(|trigger| *self.changed.row(*trigger))
            .filter(|at| *at > 0)
    }

    /// The input was taken or dropped.
    pub fn set_start(&mut self, plan: &Plan, start: Option<StartValue>) {
        self.start = start;
        *self.changed.row_mut(plan.start) = self.now;
    }

    fn set(&mut self, trigger: TriggerIx, fire: Fire) {
        *self.changed.row_mut(trigger) = self.now;
        if *self.fires.row(trigger) == Fire::Off {
            self.active.push(trigger);
        }
        if fire == Fire::Off {
            self.active.retain(|active| *active != trigger);
        }
        *self.fires.row_mut(trigger) = fire;
    }

    /// A task of this node ran: takes back what it was triggered by. Says whether that changed
    /// anything. Plain edges are cleared by [`Control::pass`].
    pub fn consume(&mut self, plan: &Plan, node: NodeIx) -> bool {
        let mut changed = false;
        for trigger in &plan.nodes.row(node).triggers {
            let spec = plan.triggers.row(*trigger);
            let lasts = spec.deferred || matches!(spec.kind, TriggerKind::Join(_));
            if lasts && *self.fires.row(*trigger) == Fire::On {
                self.set(*trigger, Fire::Off);
                changed = true;
            }
        }
        changed
    }

    /// Fires an edge. Says whether its node is due now.
    pub fn fire(&mut self, plan: &Plan, trigger: TriggerIx) -> bool {
        let deferred = plan.triggers.row(trigger).deferred;
        self.set(trigger, if deferred { Fire::Waiting } else { Fire::On });
        !deferred
    }

    /// A source of a join ran. Says whether anything changed, and whether the node is due now.
    pub fn join(&mut self, plan: &Plan, trigger: TriggerIx, source: u32) -> (bool, bool) {
        let spec = plan.triggers.row(trigger);
        let TriggerKind::Join(count) = spec.kind else {
            return (false, false);
        };
        let mut seen = match self.fires.row(trigger) {
            Fire::Off => Vec::new(),
            Fire::Partly(seen) => seen.clone(),
            Fire::Waiting => return (false, false),
            Fire::On => return (false, true),
        };
        if seen.contains(&source) {
            return (false, false);
        }
        seen.push(source);
        let full = seen.len() >= count as usize;
        let fire = match (full, spec.deferred) {
            (false, _) => Fire::Partly(seen),
            (true, true) => Fire::Waiting,
            (true, false) => Fire::On,
        };
        let due = fire == Fire::On;
        self.set(trigger, fire);
        (true, due)
    }

    /// A step passed: edges that fired before it and not in it are spent. Says whether any were.
    pub fn pass(&mut self, plan: &Plan, touched: &[TriggerIx]) -> bool {
        let Self {
            active,
            fires,
            changed,
            now,
            ..
        } = self;
        let before = active.len();
        active.retain(|trigger| {
            let spec = plan.triggers.row(*trigger);
            let lasts = spec.kind != TriggerKind::Edge || spec.deferred;
            let stays = lasts || touched.contains(trigger);
            if !stays {
                *fires.row_mut(*trigger) = Fire::Off;
                *changed.row_mut(*trigger) = *now;
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
            .filter(|t| *self.fires.row(*t) == Fire::Waiting)
            .collect();
        for trigger in &waiting {
            self.set(*trigger, Fire::On);
        }
        waiting
    }

    /// The storable form, at the frame's clock.
    pub fn pending(&self, plan: &Plan, clock: u64) -> Pending {
        let mut pending = Pending {
            start: self.start.clone(),
            sends: self.sends.clone(),
            fired: Vec::new(),
            waiting: Vec::new(),
            joins: Vec::new(),
            changed: Vec::new(),
        };
        for trigger in &self.active {
            match self.fires.row(*trigger) {
                Fire::Off => {}
                Fire::Partly(seen) => pending.joins.push((*trigger, seen.clone())),
                Fire::Waiting => pending.waiting.push(*trigger),
                Fire::On => pending.fired.push(*trigger),
            }
            if *self.changed.row(*trigger) != clock {
                pending
                    .changed
                    .push((*trigger, *self.changed.row(*trigger)));
            }
        }
        for trigger in &plan.shared_targets {
            if *self.fires.row(*trigger) == Fire::Off && *self.changed.row(*trigger) > 0 {
                pending
                    .changed
                    .push((*trigger, *self.changed.row(*trigger)));
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
        let mut control = Self {
            now: clock,
            start: pending.start.clone(),
            sends: pending.sends.clone(),
            ..Self::new(plan)
        };
        for (list, fire) in [
            (&pending.fired, Fire::On),
            (&pending.waiting, Fire::Waiting),
        ] {
            for trigger in list.iter().filter_map(|t| map(*t)) {
                control.set(trigger, fire.clone());
            }
        }
        for (trigger, seen) in &pending.joins {
            if let Some(trigger) = map(*trigger) {
                control.set(trigger, Fire::Partly(seen.clone()));
            }
        }
        if control.start.is_some() {
            *control.changed.row_mut(plan.start) = clock;
        }
        for (trigger, at) in &pending.changed {
            if let Some(trigger) = map(*trigger) {
                *control.changed.row_mut(trigger) = *at;
            }
        }
        control
    }
}
