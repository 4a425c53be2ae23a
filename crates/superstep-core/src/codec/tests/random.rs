//! Records of every shape, from a seed.

use std::{collections::BTreeMap, env, sync::Arc, time::Duration};

use crate::{
    ask::Ask,
    command::{Command, Goto, Send, Target},
    error::Limit,
    id::{AskId, CheckpointId, GraphPath},
    policy::Durability,
    record::{
        Change, Effect, Held, Layout, NoteExtras, Pending, PlainAnswer, Record, Source, StartValue,
        StateVersion, StoredError, TaskKey, TaskNote, TriggerName, Write,
    },
    table::{Key, NodeIx},
    value::Value,
};

/// The seed of this run: `SUPERSTEP_CODEC_SEED`, or always the same.
pub(super) fn seed() -> u64 {
    let given = env::var("SUPERSTEP_CODEC_SEED").ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// Numbers that follow from a seed, and what is made of them.
pub(super) struct Random(fastrand::Rng);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }

    fn next(&mut self) -> u64 {
        self.0.u64(..)
    }

    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.0.u64(..end.max(1))
    }

    fn coin(&mut self) -> bool {
        self.0.bool()
    }

    /// A number whose size is random too.
    fn sized(&mut self) -> u64 {
        let bits = self.below(64);
        self.next() >> bits
    }

    fn wide(&mut self) -> u128 {
        u128::from(self.next()) << 64 | u128::from(self.next())
    }

    fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.coin().then(|| make(self))
    }

    /// A few of something, often none.
    fn some<T>(&mut self, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let count = self.below(8).saturating_sub(4);
        (0..count).map(|_| make(self)).collect()
    }

    fn key<K: Key>(&mut self) -> K {
        K::at((self.sized() % 300) as usize)
    }

    /// Text from a small set, so that it occurs again, or of its own; now and then a blob.
    fn text(&mut self) -> Arc<str> {
        match self.below(800) {
            0..200 => format!("name{}", self.below(4)),
            200..400 => format!(
                "a long text that will occur again, number {}",
                self.below(4)
            ),
            400..500 => String::new(),
            500 => "blob ".repeat(3_000 + self.below(2_000) as usize),
            501..600 => "\u{0}\u{7f}ß→𝄞\u{feff}".to_owned(),
            _ => {
                let len = self.below(100);
                (0..len)
                    .map(|_| char::from(self.below(128) as u8))
                    .collect()
            }
        }
        .into()
    }

    fn value(&mut self, depth: u32) -> Value {
        let kinds = if depth == 0 { 7 } else { 9 };
        match self.below(kinds) {
            0 => Value::Null,
            1 => Value::Bool(self.coin()),
            2 => Value::Int(self.sized() as i64),
            3 => Value::UInt(self.sized() | 1 << 63),
            4 => Value::Float(f64::from_bits(self.next())),
            5 | 6 => Value::Str(self.text()),
            7 => Value::List(Arc::new(self.some(|random| random.value(depth - 1)))),
            _ => Value::map(self.some(|random| (random.text(), random.value(depth - 1)))),
        }
    }

    fn send(&mut self) -> Send {
        Send {
            node: self.text(),
            arg: self.value(2),
            timeout: self
                .maybe(|random| Duration::new(random.sized(), random.below(1 << 29) as u32)),
        }
    }

    fn start(&mut self) -> StartValue {
        if self.coin() {
            return StartValue::Input(self.value(3));
        }
        StartValue::Command(Box::new(Command {
            update: self.some(|random| (random.text(), random.value(2))),
            goto: self.some(|random| match random.coin() {
                true => Goto::Node(random.text()),
                false => Goto::Send(random.send()),
            }),
            target: match self.coin() {
                true => Target::Here,
                false => Target::Parent,
            },
        }))
    }

    fn task(&mut self, depth: u32) -> TaskKey {
        let kinds = if depth == 0 { 3 } else { 5 };
        match self.below(kinds) {
            0 => TaskKey::Input,
            1 => TaskKey::Node(self.key()),
            2 => TaskKey::Send(self.sized() as u32),
            3 => TaskKey::Handler(Box::new(self.task(depth - 1))),
            _ => TaskKey::Call(Box::new(self.task(depth - 1)), self.sized() as u32),
        }
    }

    fn write(&mut self) -> Write {
        match self.below(5) {
            0 => Write::State(self.key(), self.value(2)),
            1 => Write::Fire(self.key()),
            2 => Write::Join(self.key(), self.sized() as u32),
            3 => Write::Send(self.send()),
            _ => Write::Return(self.value(2)),
        }
    }

    fn effect(&mut self) -> Effect {
        match self.below(3) {
            0 => Effect::Started,
            1 => Effect::Failed,
            _ => Effect::Done(self.value(2)),
        }
    }

    fn ask(&mut self) -> Ask {
        Ask {
            id: AskId(self.wide()),
            value: self.value(2),
            schema: self.maybe(|random| random.value(1)),
            kind: self.maybe(Self::text),
            deadline: self.maybe(|random| i64::from(random.wide() as u32)),
        }
    }

    fn error(&mut self) -> StoredError {
        StoredError {
            code: self.text().to_string(),
            class: self.text().to_string(),
            message: self.text().to_string(),
            limit: match self.below(3) {
                0 => None,
                1 => Some(Limit::Run),
                _ => Some(Limit::Idle),
            },
        }
    }

    fn held(&mut self) -> Held {
        Held {
            waiting: self.some(Self::key),
            joins: self.some(|random| {
                let done = random.some(|random| random.sized() as u32);
                (random.key(), done)
            }),
            changed: self.some(|random| (random.key(), random.sized())),
        }
    }

    pub(super) fn note(&mut self) -> TaskNote {
        let called = self.maybe(|random| (random.text(), random.next()));
        TaskNote {
            output: self.maybe(|random| random.some(Self::write)),
            ..TaskNote::with(
                self.task(3),
                NoteExtras {
                    asks: self.some(Self::ask),
                    answered: self.coin(),
                    answers: self.some(|random| random.value(2)),
                    asked: self.some(|random| AskId(random.next().into())),
                    given: self
                        .some(|random| (AskId(random.next().into()), random.value(2)))
                        .into_iter()
                        .collect(),
                    refused: self.coin(),
                    error: self.maybe(|random| Box::new(random.error())),
                    handled: self.coin(),
                    effects: self
                        .some(|random| (random.text().to_string(), random.effect()))
                        .into_iter()
                        .collect(),
                    resume: self.maybe(|random| match random.coin() {
                        true => PlainAnswer::Taken,
                        false => PlainAnswer::Given(random.value(2)),
                    }),
                    offset: self.sized() as u32 as usize,
                    name: called.as_ref().map(|(name, _)| name.clone()),
                    args: called.map(|(_, args)| args),
                    layout: self.maybe(|random| Arc::new(random.layout())),
                },
            )
        }
    }

    pub(super) fn layout(&mut self) -> Layout {
        Layout {
            channels: self.some(Self::text),
            nodes: vec!["a".into(), self.text()],
            triggers: vec![
                TriggerName::Start,
                TriggerName::Node("a".into()),
                TriggerName::Join(vec!["a".into()], self.text()),
            ],
            state: self.maybe(|random| StateVersion {
                version: random.sized() as u32,
                fingerprint: random.next(),
            }),
            graph: self.text(),
            shapes: self.maybe(Self::next).into_iter().collect(),
        }
    }

    pub(super) fn record(&mut self) -> Record {
        let levels = [
            Durability::Sync,
            Durability::Normal,
            Durability::Async,
            Durability::Exit,
        ];
        let sources = [
            Source::Input,
            Source::Loop,
            Source::Update,
            Source::Fork,
            Source::Anchor,
        ];
        Record {
            id: CheckpointId(self.wide()),
            parent: self.maybe(|random| CheckpointId(random.wide())),
            step: self.sized() as i64,
            source: sources[self.below(5) as usize],
            durability: levels[self.below(4) as usize],
            layout: Arc::new(self.layout()),
            changes: self.some(|random| {
                let change = match random.below(3) {
                    0 => Change::Set(random.value(3)),
                    1 => Change::Extend(random.value(3)),
                    _ => Change::Clear,
                };
                (random.key(), change)
            }),
            full: self.coin(),
            pending: Pending {
                start: self.maybe(Self::start),
                fired: self.some(Self::key),
                sends: Arc::new(self.some(Self::send)),
                held: self.held().into(),
            },
            touched: self.maybe(|random| random.some(Self::key)),
            last_ran: self.some(Self::key),
            last_seen: self.sized(),
            clock: self.sized(),
            paused_at: self.sized(),
            parents: Arc::new(
                self.some(|random| {
                    let name = GraphPath::from(&*random.text());
                    (name, CheckpointId(random.wide()))
                })
                .into_iter()
                .collect::<BTreeMap<_, _>>(),
            ),
            tasks: self.some(Self::note),
        }
    }
}

/// A small record in which nothing is left out.
pub(super) fn everything() -> Record {
    let long: Value = "a long text that occurs more than once".into();
    let send = Send {
        timeout: Some(Duration::from_millis(1_500)),
        ..Send::new("a", long.clone())
    };
    let note = TaskNote {
        output: Some(vec![
            Write::State(Key::at(1), Value::map([("x", Value::Float(0.5))])),
            Write::Fire(Key::at(2)),
            Write::Join(Key::at(3), 4),
            Write::Send(send.clone()),
            Write::Return(Value::Null),
        ]),
        ..TaskNote::with(
            TaskKey::Call(
                Box::new(TaskKey::Handler(Box::new(TaskKey::Node(NodeIx::at(1))))),
                2,
            ),
            NoteExtras {
                asks: vec![Ask {
                    id: AskId(7),
                    value: long.clone(),
                    schema: Some(Value::Bool(true)),
                    kind: Some("kind".into()),
                    deadline: Some(1 << 40),
                }],
                answered: true,
                answers: vec![Value::Int(-5), Value::UInt(u64::MAX)],
                asked: vec![AskId(9)],
                given: BTreeMap::from([(AskId(8), Value::Int(3))]),
                refused: true,
                error: Some(Box::new(StoredError {
                    code: "SS1".into(),
                    class: "a".into(),
                    message: "b".into(),
                    limit: Some(Limit::Idle),
                })),
                handled: true,
                effects: BTreeMap::from([
                    ("a".to_owned(), Effect::Started),
                    ("b".to_owned(), Effect::Done(long.clone())),
                    ("c".to_owned(), Effect::Failed),
                ]),
                resume: Some(PlainAnswer::Given(Value::Int(1))),
                offset: 3,
                name: Some("n".into()),
                args: Some(3),
                layout: Some(Arc::default()),
            },
        )
    };
    let mut record = Random::new(3).record();
    record.changes = vec![
        (Key::at(0), Change::Set(long)),
        (Key::at(1), Change::Extend(Value::list([Value::Int(300)]))),
        (Key::at(2), Change::Clear),
    ];
    record.pending = Pending {
        start: Some(StartValue::Command(Box::new(Command {
            update: vec![("x".into(), "y".repeat(super::super::BLOB).into())],
            goto: vec![Goto::Node("n".into()), Goto::Send(send.clone())],
            target: Target::Parent,
        }))),
        fired: vec![Key::at(1)],
        sends: Arc::new(vec![send]),
        held: Held {
            waiting: vec![Key::at(2)],
            joins: vec![(Key::at(3), vec![0, 1])],
            changed: vec![(Key::at(1), 9)],
        }
        .into(),
    };
    record.touched = Some(vec![Key::at(1)]);
    record.last_ran = vec![Key::at(0)];
    (record.last_seen, record.clock, record.paused_at) = (1, 2, 3);
    record.parents = Arc::new(BTreeMap::from([(GraphPath::from("a"), CheckpointId(4))]));
    record.tasks = vec![note];
    record
}
