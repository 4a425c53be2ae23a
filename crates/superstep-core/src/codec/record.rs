//! The body of a [`Record`]: all of it but what a saver keeps beside it ([`RecordHeader`]).
//!
//! | field | what | field | what |
//! |---|---|---|---|
//! | `c` | changes | `t` | touched |
//! | `s` | start | `r` | last ran |
//! | `f` | fired | `e` | last seen |
//! | `w` | waiting | `k` | clock |
//! | `j` | joins | `a` | paused at |
//! | `q` | sends | `u` | parents |
//! | `h` | changed | `n` | tasks |
//!
//! A change is `[channel, value]` if it sets, `[channel, value, nil]` if it extends, `[channel]` if
//! it clears.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use super::{
    Blobs, Codec, CodecError, Packed,
    pack::Pack,
    unpack::{Known, Shared, Token, Unpack},
};
use crate::{
    command::{Command, Goto, Send, Target},
    id::{CheckpointId, GraphPath},
    policy::Durability,
    record::{Change, Held, Layout, Pending, Record, Source, StartValue, TaskNote},
    table::{ChannelIx, Key, NodeIx, TriggerIx},
    value::Value,
};

/// What a saver keeps beside the body of a record.
#[derive(Clone, Debug)]
pub struct RecordHeader {
    /// Its id.
    pub id: CheckpointId,
    /// The checkpoint it follows.
    pub parent: Option<CheckpointId>,
    /// The step number.
    pub step: i64,
    /// Where it comes from.
    pub source: Source,
    /// How durable the run that wrote it was.
    pub durability: Durability,
    /// Whether it is a snapshot.
    pub full: bool,
    /// The names behind its ids.
    pub layout: Arc<Layout>,
}

/// A packed record, and how much of the state it holds.
#[derive(Debug, Default)]
pub struct PackedRecord {
    /// The body.
    pub body: Packed,
    /// How many bytes of it the state keeps: all changes of a full record, and what was appended.
    pub state: usize,
}

/// Packs the body of a record.
pub fn pack_record(record: &Record) -> Result<PackedRecord, CodecError> {
    let Record {
        id: _,
        parent: _,
        step: _,
        source: _,
        durability: _,
        layout: _,
        changes,
        full,
        pending,
        touched,
        last_ran,
        last_seen,
        clock,
        paused_at,
        parents,
        tasks,
    } = record;
    let Pending {
        start,
        fired,
        sends,
        held,
    } = pending;
    let Held {
        waiting,
        joins,
        changed,
    } = &**held;
    let (mut out, mut state) = (Pack::new(), 0);
    out.fields(|fields| {
        if !changes.is_empty() {
            let out = fields.field("c");
            out.list(changes.len());
            for (channel, change) in changes {
                let before = out.len();
                pack_change(*channel, change, out)?;
                if *full || matches!(change, Change::Extend(_)) {
                    state += out.len() - before;
                }
            }
        }
        if let Some(start) = start {
            pack_start(start, fields.field("s"))?;
        }
        if !fired.is_empty() {
            keys(fired, fields.field("f"));
        }
        if !waiting.is_empty() {
            keys(waiting, fields.field("w"));
        }
        if !joins.is_empty() {
            let out = fields.field("j");
            out.list(joins.len());
            for (trigger, done) in joins {
                out.list(1 + done.len());
                out.uint(trigger.ix() as u64);
                done.iter().for_each(|n| out.uint(u64::from(*n)));
            }
        }
        if !sends.is_empty() {
            let out = fields.field("q");
            out.list(sends.len());
            sends.iter().try_for_each(|send| send.pack(out))?;
        }
        if !changed.is_empty() {
            let out = fields.field("h");
            out.list(2 * changed.len());
            for (trigger, clock) in changed {
                out.uint(trigger.ix() as u64);
                out.uint(*clock);
            }
        }
        if let Some(touched) = touched {
            keys(touched, fields.field("t"));
        }
        if !last_ran.is_empty() {
            keys(last_ran, fields.field("r"));
        }
        for (name, n) in [("e", last_seen), ("k", clock), ("a", paused_at)] {
            if *n != 0 {
                fields.field(name).uint(*n);
            }
        }
        if !parents.is_empty() {
            let out = fields.field("u");
            out.list(2 * parents.len());
            for (namespace, id) in parents.iter() {
                out.text(namespace.as_str());
                out.bin(&id.0.to_be_bytes());
            }
        }
        if !tasks.is_empty() {
            let out = fields.field("n");
            out.list(tasks.len());
            tasks.iter().try_for_each(|note| note.pack(out))?;
        }
        Ok(())
    })?;
    Ok(PackedRecord {
        body: out.finish(),
        state,
    })
}

/// Reads the body of a record.
pub fn unpack_record(
    bytes: &[u8],
    head: RecordHeader,
    shared: &mut Shared,
    blobs: &mut dyn Blobs,
) -> Result<Record, CodecError> {
    let RecordHeader {
        id,
        parent,
        step,
        source,
        durability,
        full,
        layout,
    } = head;
    let mut record = Record {
        id,
        parent,
        step,
        source,
        durability,
        layout,
        full,
        changes: Vec::new(),
        pending: Pending::default(),
        touched: None,
        last_ran: Vec::new(),
        last_seen: 0,
        clock: 0,
        paused_at: 0,
        parents: Arc::default(),
        tasks: Vec::new(),
    };
    let mut from = Unpack::new(bytes, shared, blobs);
    from.fields(|from, name| {
        let pending = &mut record.pending;
        match name {
            "c" => record.changes = from.items(unpack_change)?,
            "s" => pending.start = Some(unpack_start(from)?),
            "f" => pending.fired = from.items(key)?,
            "w" => pending.held.waiting = from.items(key)?,
            "j" => pending.held.joins = from.items(unpack_join)?,
            "q" => pending.sends = Arc::new(from.items(Send::unpack)?),
            "h" => pending.held.changed = pairs(from, |from| Ok((key(from)?, from.uint()?)))?,
            "t" => record.touched = Some(from.items(key::<TriggerIx>)?),
            "r" => record.last_ran = from.items(key::<NodeIx>)?,
            "e" => record.last_seen = from.uint()?,
            "k" => record.clock = from.uint()?,
            "a" => record.paused_at = from.uint()?,
            "u" => {
                let pairs = pairs(from, |from| {
                    let namespace = GraphPath::from(&*from.text()?);
                    Ok((namespace, CheckpointId(from.wide()?)))
                })?;
                record.parents = Arc::new(BTreeMap::from_iter(pairs));
            }
            "n" => record.tasks = from.items(TaskNote::unpack)?,
            _ => return Ok(Known::No),
        }
        Ok(Known::Yes)
    })?;
    from.end()?;
    Ok(record)
}

fn keys(keys: &[impl Key], out: &mut Pack) {
    out.list(keys.len());
    keys.iter().for_each(|key| out.uint(key.ix() as u64));
}

pub(super) fn key<K: Key>(from: &mut Unpack<'_, '_>) -> Result<K, CodecError> {
    Ok(K::at(from.u32()? as usize))
}

/// A list in which two things at a time belong together.
fn pairs<T>(
    from: &mut Unpack<'_, '_>,
    mut read: impl FnMut(&mut Unpack<'_, '_>) -> Result<T, CodecError>,
) -> Result<Vec<T>, CodecError> {
    let len = from.list()?;
    if len % 2 != 0 {
        return Err(from.refuse("half a pair"));
    }
    from.nested(|from| (0..len / 2).map(|_| read(from)).collect())
}

fn pack_change(channel: ChannelIx, change: &Change, out: &mut Pack) -> Result<(), CodecError> {
    let (len, value) = match change {
        Change::Set(value) => (2, Some(value)),
        Change::Extend(value) => (3, Some(value)),
        Change::Clear => (1, None),
    };
    out.list(len);
    out.uint(channel.ix() as u64);
    if let Some(value) = value {
        value.pack(out)?;
    }
    if len == 3 {
        out.nil();
    }
    Ok(())
}

fn unpack_change(from: &mut Unpack<'_, '_>) -> Result<(ChannelIx, Change), CodecError> {
    let len = from.list()?;
    let channel = key(from)?;
    let change = match len {
        1 => Change::Clear,
        2 => Change::Set(Value::unpack(from)?),
        3 => {
            let value = Value::unpack(from)?;
            nil(from)?;
            Change::Extend(value)
        }
        _ => return Err(from.refuse("no change looks like this")),
    };
    Ok((channel, change))
}

pub(super) fn nil(from: &mut Unpack<'_, '_>) -> Result<(), CodecError> {
    match from.token()? {
        Token::Nil => Ok(()),
        _ => Err(from.refuse("expected nil")),
    }
}

fn unpack_join(from: &mut Unpack<'_, '_>) -> Result<(TriggerIx, Vec<u32>), CodecError> {
    let len = from.list()?;
    if len == 0 {
        return Err(from.refuse("a join of no trigger"));
    }
    let trigger = key(from)?;
    let done = (1..len).map(|_| from.u32()).collect::<Result<_, _>>()?;
    Ok((trigger, done))
}

impl Codec for Send {
    fn pack(&self, out: &mut Pack) -> Result<(), CodecError> {
        let Self { node, arg, timeout } = self;
        out.list(if timeout.is_some() { 4 } else { 2 });
        out.text(node);
        arg.pack(out)?;
        if let Some(timeout) = timeout {
            out.uint(timeout.as_secs());
            out.uint(u64::from(timeout.subsec_nanos()));
        }
        Ok(())
    }

    fn unpack(from: &mut Unpack<'_, '_>) -> Result<Self, CodecError> {
        let len = from.list()?;
        unpack_send(len, from)
    }
}

fn unpack_send(len: usize, from: &mut Unpack<'_, '_>) -> Result<Send, CodecError> {
    let (node, arg) = (from.key()?, Value::unpack(from)?);
    let timeout = match len {
        2 => None,
        4 => {
            let (seconds, nanos) = (from.uint()?, from.u32()?);
            Some(Duration::from_secs(seconds).saturating_add(Duration::from_nanos(nanos.into())))
        }
        _ => return Err(from.refuse("no send looks like this")),
    };
    Ok(Send { node, arg, timeout })
}

/// `[value]` is data, an object is a command.
fn pack_start(start: &StartValue, out: &mut Pack) -> Result<(), CodecError> {
    let command = match start {
        StartValue::Input(value) => {
            out.list(1);
            return value.pack(out);
        }
        StartValue::Command(command) => command,
    };
    let Command {
        update,
        goto,
        target,
    } = &**command;
    out.fields(|fields| {
        let out = fields.field("u");
        out.list(2 * update.len());
        for (name, value) in update {
            out.text(name);
            value.pack(out)?;
        }
        let out = fields.field("g");
        out.list(goto.len());
        for goto in goto {
            match goto {
                Goto::Node(name) => out.text(name),
                Goto::Send(send) => send.pack(out)?,
            }
        }
        if *target == Target::Parent {
            fields.field("p").bool(true);
        }
        Ok(())
    })
}

fn unpack_start(from: &mut Unpack<'_, '_>) -> Result<StartValue, CodecError> {
    let fields = match from.token()? {
        Token::List(1) => return Ok(StartValue::Input(Value::unpack(from)?)),
        Token::Map(len) => len,
        _ => return Err(from.refuse("no start looks like this")),
    };
    let mut command = Command::default();
    from.members(fields, |from, name| {
        match name {
            "u" => command.update = pairs(from, |from| Ok((from.key()?, Value::unpack(from)?)))?,
            "g" => command.goto = from.items(unpack_goto)?,
            "p" => {
                command.target = match from.bool()? {
                    true => Target::Parent,
                    false => Target::Here,
                }
            }
            _ => return Ok(Known::No),
        }
        Ok(Known::Yes)
    })?;
    Ok(StartValue::Command(Box::new(command)))
}

fn unpack_goto(from: &mut Unpack<'_, '_>) -> Result<Goto, CodecError> {
    match from.token()? {
        Token::List(len) => unpack_send(len, from).map(Goto::Send),
        text => from.text_of(text).map(Goto::Node),
    }
}
