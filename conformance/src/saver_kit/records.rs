//! Records and notes that checks store, named by small numbers.

use std::sync::Arc;

use superstep_core::{
    command::Send,
    id::CheckpointId,
    policy::Durability,
    record::{
        Change, Effect, Layout, NoteExtras, Pending, PlainAnswer, Record, Source, StartValue,
        TaskKey, TaskNote, TriggerName, Write,
    },
    table::{ChannelIx, Key, NodeIx, TriggerIx},
    value::Value,
};

/// The channel that holds one value.
pub(super) const X: usize = 0;
/// The channel that grows.
pub(super) const LOG: usize = 1;
/// A channel that is mostly empty.
pub(super) const Y: usize = 2;

/// The `n`-th checkpoint of a thread: an id as the engine makes them, wider than any integer type a
/// database is likely to have.
pub(super) fn id(n: u64) -> CheckpointId {
    let high = (FIRST + u128::from(n)) << 80;
    CheckpointId(high | (0x7 << 76) | (0b10 << 62) | 0x5eed)
}

/// The number of an id, for messages.
pub(super) fn number(id: CheckpointId) -> u64 {
    u64::try_from((id.0 >> 80).saturating_sub(FIRST)).unwrap_or(u64::MAX)
}

const FIRST: u128 = 0x0190_0000_0000;

/// The names behind the ids of all records here.
pub(super) fn layout() -> Arc<Layout> {
    let trigger = |node: &str| TriggerName::Node(node.into());
    Arc::new(Layout {
        channels: vec!["x".into(), "log".into(), "y".into()],
        nodes: vec!["a".into(), "b".into(), "c".into()],
        triggers: vec![
            TriggerName::Start,
            trigger("a"),
            trigger("b"),
            TriggerName::Join(vec!["a".into(), "b".into()], "c".into()),
        ],
        state: None,
        graph: "order".into(),
        shapes: Vec::new(),
    })
}

/// The first record of a namespace: a snapshot in which `x` is `n`.
pub(super) fn first(n: u64) -> Record {
    Record {
        id: id(n),
        parent: None,
        step: -1,
        source: Source::Input,
        durability: Durability::Sync,
        layout: layout(),
        changes: vec![set(X, int(n))],
        full: true,
        pending: Pending::default(),
        touched: None,
        last_ran: Vec::new(),

        last_seen: 3,
        clock: n,
        paused_at: 0,
        parents: Arc::default(),
        tasks: Vec::new(),
    }
}

/// A record after `parent` that sets `x` to `n` and appends it to the log.
pub(super) fn delta(n: u64, parent: u64) -> Record {
    Record {
        parent: Some(id(parent)),
        step: i64::try_from(n).unwrap_or_default(),
        source: Source::Loop,
        full: false,
        changes: vec![set(X, int(n)), extend(LOG, [int(n)])],
        ..first(n)
    }
}

/// A snapshot after `parent`.
pub(super) fn full(n: u64, parent: u64) -> Record {
    Record {
        full: true,
        changes: vec![set(X, int(n)), set(LOG, Value::list([int(n)]))],
        ..delta(n, parent)
    }
}

pub(super) fn int(n: u64) -> Value {
    i64::try_from(n).map_or(Value::UInt(n), Value::Int)
}

pub(super) fn set(channel: usize, value: Value) -> (ChannelIx, Change) {
    (ChannelIx::at(channel), Change::Set(value))
}

pub(super) fn extend(
    channel: usize,
    items: impl IntoIterator<Item = Value>,
) -> (ChannelIx, Change) {
    (ChannelIx::at(channel), Change::Extend(Value::list(items)))
}

pub(super) fn clear(channel: usize) -> (ChannelIx, Change) {
    (ChannelIx::at(channel), Change::Clear)
}

/// The key of a node's task.
pub(super) fn node(n: usize) -> TaskKey {
    TaskKey::Node(NodeIx::at(n))
}

pub(super) fn trigger(n: usize) -> TriggerIx {
    TriggerIx::at(n)
}

/// A task that finished by writing a value to `x`.
pub(super) fn done(key: TaskKey, value: impl Into<Value>) -> TaskNote {
    let value = value.into();
    // The first write of a slot stays and the last answers count, so a note tells its place.
    TaskNote {
        output: Some(vec![Write::State(ChannelIx::at(X), value.clone())]),
        ..TaskNote::with(
            key,
            NoteExtras {
                answers: vec![value],
                ..NoteExtras::NONE
            },
        )
    }
}

/// A task with these effects.
pub(super) fn journal<const N: usize>(key: TaskKey, effects: [(&str, Effect); N]) -> TaskNote {
    TaskNote::with(
        key,
        NoteExtras {
            effects: effects
                .map(|(name, effect)| (name.to_owned(), effect))
                .into(),
            ..NoteExtras::NONE
        },
    )
}

/// A record with a value at every place where one can be.
pub(super) fn everywhere(n: u64, parent: u64, value: &Value) -> Record {
    Record {
        changes: vec![
            set(X, value.clone()),
            extend(LOG, [value.clone(), value.clone()]),
            clear(Y),
        ],
        pending: Pending {
            start: Some(StartValue::Input(value.clone())),
            sends: Arc::new(vec![Send::new("a", value.clone())]),
            ..Pending::default()
        },
        tasks: vec![
            note_everywhere(node(0), value),
            note_everywhere(TaskKey::Input, value),
        ],
        ..delta(n, parent)
    }
}

/// A note with a value at every place where one can be.
pub(super) fn note_everywhere(key: TaskKey, value: &Value) -> TaskNote {
    let ask = superstep_core::ask::Ask {
        id: superstep_core::id::AskId(7),
        value: value.clone(),
        schema: Some(value.clone()),
        kind: Some("kind".into()),
        deadline: Some(1 << 40),
    };
    // A plain answer waits with the input and nowhere else.
    let resume = (key == TaskKey::Input).then(|| PlainAnswer::Given(value.clone()));
    TaskNote {
        output: Some(vec![
            Write::State(ChannelIx::at(X), value.clone()),
            Write::Send(Send::new("b", value.clone())),
            Write::Return(value.clone()),
        ]),
        ..TaskNote::with(
            key,
            NoteExtras {
                asks: vec![ask],
                answers: vec![value.clone(), Value::Null],
                effects: [("paid".to_owned(), Effect::Done(value.clone()))].into(),
                resume,
                ..NoteExtras::NONE
            },
        )
    }
}
