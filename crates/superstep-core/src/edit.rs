//! Editing a thread by hand: an update in the name of a node, an input, a copy, a clean end.

use std::{collections::HashMap, sync::Arc};

use crate::{
    channel_state::Recording,
    checkpoint::Parents,
    command::{END, Output, START},
    error::{Error, ErrorKind},
    graph_state::{Applied, Applying, GraphState, Order},
    id::{CheckpointId, IdSource},
    plan::{
        Plan,
        route::{Unwritten, Window},
    },
    policy::Durability,
    record::{Change, Record, Source, StartValue, TaskKey, TaskNote, Write},
    run::StartingPoint,
    table::{ChannelIx, NodeIx},
    value::Value,
};

/// One update.
#[derive(Clone, Debug, Default)]
pub struct Update {
    /// What the node would have returned.
    pub output: Output,
    /// In whose name; the node that ran last by default.
    pub as_node: Option<Arc<str>>,
}

/// Acting as the run's input.
pub const AS_INPUT: &str = "__input__";
/// Copying the checkpoint as a sibling.
pub const AS_COPY: &str = "__copy__";

/// What an edit works on.
pub struct Edit<'a> {
    /// The graph.
    pub plan: &'a Plan,
    /// New ids.
    pub ids: &'a dyn IdSource,
    /// The checkpoint to build on.
    pub head: Option<StartingPoint>,
    /// Checkpoints of the graphs above.
    pub parents: Parents,
    /// The thread has moved past the checkpoint, so its record is left alone.
    pub superseded: bool,
}

impl Edit<'_> {
    /// Applies the updates of one step and returns the record to store.
    pub fn apply(self, updates: &[Update]) -> Result<Record, Error> {
        let Some(first) = updates.first() else {
            return Err(ErrorKind::BadArgument {
                why: "no updates".into(),
            }
            .into());
        };
        let alone = |what: &str| match updates.len() {
            1 => Ok(()),
            _ => Err(Error::from(ErrorKind::BadUpdate {
                why: format!("{what} stands alone"),
            })),
        };
        let clears = first.as_node.as_deref() == Some(END);
        if let Some(head) = &self.head {
            match clears {
                // What was about to run goes, and what has finished stays.
                true => head.restored.refuse_unmigrated()?,
                false => head.restored.refuse_lost()?,
            }
        }
        match first.as_node.as_deref() {
            Some(END) if first.output == Output::Nothing => {
                alone("clearing a thread's tasks")?;
                self.end()
            }
            Some(AS_INPUT) => {
                alone("an update as input")?;
                self.input(&first.output)
            }
            Some(AS_COPY) => {
                alone("a copy")?;
                self.copy()
            }
            _ => self.updates(updates),
        }
    }

    fn step(&self) -> i64 {
        self.head.as_ref().map_or(-1, |head| head.step)
    }

    fn state(&self) -> GraphState {
        match &self.head {
            Some(head) => head.restored.state.clone(),
            None => GraphState::new(self.plan),
        }
    }

    /// What is about to run is dropped; what has finished counts.
    fn end(self) -> Result<Record, Error> {
        let mut state = self.state();
        let mut changes = Vec::new();
        if let Some(head) = &self.head {
            let notes: HashMap<&TaskKey, &TaskNote> = head
                .restored
                .notes
                .iter()
                .map(|note| (&note.key, note))
                .collect();
            let output = |key: &TaskKey| notes.get(key).and_then(|note| note.output.as_deref());
            let due = state.due(self.plan, None);
            if let Some(writes) = output(&TaskKey::Input) {
                let applied =
                    state.apply(self.plan, &mut [Applying::input(writes)], Recording::On)?;
                changes.extend(applied.changes);
            }
            let mut tasks: Vec<Applying<'_>> = due
                .iter()
                .map(|(key, node)| {
                    Applying::task(self.plan, key, *node, output(key).unwrap_or_default())
                })
                .collect();
            changes.extend(state.apply(self.plan, &mut tasks, Recording::On)?.changes);
        }
        let step = self.step() + 1;
        Ok(self.record(&state, changes, Source::Update, step, Vec::new()))
    }

    fn input(self, output: &Output) -> Result<Record, Error> {
        let start = match output {
            Output::Nothing => {
                return Err(ErrorKind::BadUpdate {
                    why: "an update as input needs one".into(),
                }
                .into());
            }
            Output::Command(command) => StartValue::Command(Box::new(command.clone())),
            Output::Update(value) => StartValue::Input(value.clone()),
            _ => {
                return Err(ErrorKind::BadUpdate {
                    why: "this cannot be an input".into(),
                }
                .into());
            }
        };
        let mut state = self.state();
        let mut task = [Applying {
            start: Some(start),
            ..Applying::input(&[])
        }];
        let applied = state.apply(self.plan, &mut task, Recording::On)?;
        let step = self.head.as_ref().map_or(-1, |head| head.step + 1);
        Ok(self.record(&state, applied.changes, Source::Input, step, Vec::new()))
    }

    fn copy(self) -> Result<Record, Error> {
        let Some(head) = &self.head else {
            let why = "there is no checkpoint to copy".to_owned();
            return Err(ErrorKind::BadUpdate { why }.into());
        };
        let (state, parent, step) = (head.restored.state.clone(), head.parent, head.step + 1);
        let mut record = self.record(&state, Vec::new(), Source::Fork, step, Vec::new());
        record.parent = parent;
        record.full = true;
        record.changes = state.all_changes(self.plan);
        Ok(record)
    }

    fn updates(self, updates: &[Update]) -> Result<Record, Error> {
        let mut state = self.state();
        let window = Window {
            step: self.step(),
            stop: self.step() + 2,
        };
        let mut written: Vec<(NodeIx, Vec<Write>)> = Vec::with_capacity(updates.len());
        for update in updates {
            let node = self.acting_node(update, updates.len(), &state)?;
            let output = as_result(&update.output, self.plan, node);
            let channels = &*state.channels;
            let writes = self.plan.writes(node, channels, output, window);
            let mut writes = writes.map_err(|unwritten| match unwritten {
                Unwritten::Error(kind) => {
                    Error::from(kind).at_node(&self.plan.nodes.row(node).name)
                }
                Unwritten::Parent(_) => Error::from(ErrorKind::NoParent),
            })?;
            self.plan.name_messages(&mut writes, self.ids);
            written.push((node, writes));
        }
        let mut tasks: Vec<Applying<'_>> = written
            .iter()
            .zip(0..)
            .map(|((_, writes), n)| Applying {
                order: Order::update(n),
                pulled: None,
                stepped: true,
                writes,
                start: None,
            })
            .collect();
        let notes = self.results(&state, &written);
        let Applied { changes, .. } = state.apply(self.plan, &mut tasks, Recording::On)?;
        let step = self.step() + 1;
        Ok(self.record(&state, changes, Source::Update, step, notes))
    }

    /// The updates count as the results of the tasks in whose name they were made.
    fn results(&self, state: &GraphState, written: &[(NodeIx, Vec<Write>)]) -> Vec<TaskNote> {
        if self.head.is_none() || self.superseded {
            return Vec::new();
        }
        let mut due = state.due(self.plan, None);
        let mut notes = Vec::new();
        for (node, writes) in written {
            let Some(at) = due.iter().position(|(_, due)| due == node) else {
                continue;
            };
            let (key, _) = due.remove(at);
            notes.push(TaskNote {
                output: Some(writes.clone()),
                ..TaskNote::new(key)
            });
        }
        notes
    }

    fn acting_node(
        &self,
        update: &Update,
        count: usize,
        state: &GraphState,
    ) -> Result<NodeIx, Error> {
        if let Some(name) = &update.as_node {
            let unknown = || ErrorKind::BadUpdate {
                why: format!("no node `{name}` to act as"),
            };
            return self.plan.node(name).ok_or_else(|| unknown().into());
        }
        if count > 1 {
            let why = "each of several updates needs a node to act as".to_owned();
            return Err(ErrorKind::BadUpdate { why }.into());
        }
        if self.plan.nodes.len() == 1 {
            return self
                .plan
                .nodes
                .keys()
                .next()
                .ok_or_else(|| ErrorKind::AmbiguousUpdate.into());
        }
        match state.last_ran.as_slice() {
            [] => self
                .plan
                .node(START)
                .ok_or_else(|| ErrorKind::AmbiguousUpdate.into()),
            [one] => Ok(*one),
            _ => Err(ErrorKind::AmbiguousUpdate.into()),
        }
    }

    fn record(
        &self,
        state: &GraphState,
        changes: Vec<(ChannelIx, Change)>,
        source: Source,
        step: i64,
        tasks: Vec<TaskNote>,
    ) -> Record {
        let parent: Option<CheckpointId> = self.head.as_ref().map(|head| head.id);
        let full = self
            .head
            .as_ref()
            .is_none_or(|head| head.restored.must_snapshot);
        Record {
            id: self.ids.next(parent),
            parent,
            step,
            source,
            durability: Durability::Sync,
            layout: self.plan.layout.clone(),
            changes: if full {
                state.all_changes(self.plan)
            } else {
                changes
            },
            full,
            pending: state.scheduler.pending(self.plan, state.clock),
            touched: None,
            last_ran: state.last_ran.clone(),
            last_seen: state.last_seen,
            clock: state.clock,
            paused_at: state.paused_at,
            parents: self.parents.clone(),
            tasks,
        }
    }
}

/// An update in the name of an entrypoint is its result.
fn as_result(output: &Output, plan: &Plan, node: NodeIx) -> Output {
    match (output, plan.nodes.row(node).role) {
        (Output::Nothing, crate::plan::Role::Entrypoint) => Output::Update(Value::Null),
        _ => output.clone(),
    }
}
