//! A thread driven by hand: what is stored, and a run of it.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use superstep_core::{
    Value,
    ask::{Ask, Resume},
    channel::{ChannelKind, ChannelSpec},
    checkpoint::{Loaded, NextRecord},
    command::START,
    event::Modes,
    graph_state::GraphState,
    id::{AskId, CheckpointId, IdSource},
    plan::{Blueprint, Edge, NodeDef, Pauses, Plan},
    policy::Durability,
    record::{Record, TaskNote},
    run::{
        Act, Begin, Buffers, Done, Drain, Fidelity, Halt, Loop, ParentContext, RunConfig, RunInput,
        StartingPoint, Suspension,
    },
};

/// Ids from one on.
#[derive(Default)]
struct Counting(AtomicU64);

impl IdSource for Counting {
    fn next(&self, _: Option<CheckpointId>) -> CheckpointId {
        CheckpointId(u128::from(self.0.fetch_add(1, Ordering::Relaxed) + 1))
    }
}

/// What is stored of a thread.
pub(crate) struct Thread {
    plan: Arc<Plan>,
    ids: Arc<Counting>,
    durability: Durability,
    records: Vec<Arc<Record>>,
    pub(crate) notes: Vec<TaskNote>,
}

impl Thread {
    /// A thread of a graph with one node, which reads and writes `said`.
    pub(crate) fn of(node: NodeDef, durability: Durability) -> Self {
        let said = ChannelSpec {
            name: "said".into(),
            kind: ChannelKind::Last,
            private: false,
        };
        let blueprint = Blueprint {
            channels: vec![said],
            edges: vec![Edge::Plain(START.into(), node.name.clone())],
            nodes: vec![node],
            ..Blueprint::default()
        };
        Self {
            plan: Arc::new(blueprint.compile().unwrap()),
            ids: Arc::default(),
            durability,
            records: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Starts a run: the first with an input, others with what is given.
    pub(crate) fn run(&self, resume: Option<Resume>) -> Box<Loop> {
        let input = match (self.records.is_empty(), resume) {
            (true, _) => RunInput::Value(Value::map([("said", Value::from("hello"))])),
            (false, None) => RunInput::Nothing,
            (false, answer) => RunInput::Command(Box::default(), answer),
        };
        let config = RunConfig {
            thread: Some("t".into()),
            limit: 10,
            durability: self.durability,
            saves: true,
            modes: Modes::NONE,
            log: Modes::NONE,
            findable: true,
            shown: None,
            output: None,
            pause_before: Pauses::None,
            pause_after: Pauses::None,
            strict_resume: false,
            strict_input: false,
            keep_asks: false,
            fidelity: Fidelity::default(),
            ids: self.ids.clone(),
            drain: Drain::default(),
            parent: ParentContext::default(),
        };
        let begin = Begin {
            plan: self.plan.clone(),
            config,
            head: self.head(),
            addressed: false,
            own_address: false,
            superseded: false,
            input,
            buffers: Buffers::default(),
        };
        Loop::begin(begin).unwrap()
    }

    fn head(&self) -> Option<Box<StartingPoint>> {
        let record = self.records.last()?;
        let loaded = Loaded {
            chain: self.records.clone().into(),
            notes: self.notes.clone(),
            superseded: false,
            next: NextRecord::Changes,
        };
        Some(Box::new(StartingPoint {
            id: record.id,
            parent: record.parent,
            source: record.source,
            step: record.step,
            restored: GraphState::restore(&self.plan, &loaded, None).unwrap(),
        }))
    }

    /// Stores what a run wants stored, and says which task it wants run.
    pub(crate) fn store(&mut self, run: &mut Loop) -> Option<usize> {
        let mut due = None;
        while let Some(act) = run.next_act() {
            match act {
                Act::Run(task) => due = Some(task),
                other => self.keep(other),
            }
        }
        due
    }

    /// Stores an act.
    pub(crate) fn keep(&mut self, act: Act) {
        match act {
            Act::Commit(record) => {
                self.records.push(record);
                self.notes.clear();
            }
            Act::Note(_, notes) => {
                for note in notes {
                    match self.notes.iter_mut().find(|known| known.key == note.key) {
                        Some(known) => known.absorb(note),
                        None => self.notes.push(note),
                    }
                }
            }
            _ => {}
        }
    }

    /// The open questions.
    pub(crate) fn open(&self) -> Vec<Ask> {
        let open = self.notes.iter().flat_map(TaskNote::open_asks);
        open.cloned().collect()
    }
}

/// Ends a task with its next question, after these answers.
pub(crate) fn ask(run: &mut Loop, task: usize, answers: Vec<Value>) {
    let ask = Ask {
        id: AskId::of(&run.task_namespace(task), answers.len()),
        value: "what?".into(),
        schema: None,
        kind: None,
        deadline: None,
    };
    let result = Err(Halt::Suspended(Suspension::on(ask)));
    run.done(task, done(result, answers));
}

/// What a task did, without effects.
pub(crate) fn done(
    result: Result<superstep_core::command::Output, Halt>,
    answers: Vec<Value>,
) -> Done {
    Done {
        result,
        answers,
        effects: Vec::new(),
        streamed: Vec::new(),
        seen_below: Vec::new(),
    }
}
