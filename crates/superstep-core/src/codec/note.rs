//! Notes of tasks.
//!
//! | field | what | field | what |
//! |---|---|---|---|
//! | `k` | key | `e` | error |
//! | `o` | output | `h` | handled |
//! | `q` | asks | `f` | effects |
//! | `a` | answers | `r` | plain answer |
//! | `x` | refused | `s` | offset |
//! | `d` | answered | `g` | answers for below |
//! | `n` | name and hash of the arguments of a call | `w` | what the answers were given to |
//! | `l` | layout, as JSON | | |
//!
//! A key is nil for the input, a number for a node, else a list that begins with its kind. A write is
//! a number if it fires a trigger, `[value]` for a result, `[channel, value]` for the state,
//! `[trigger, source, nil]` for a join, `[send, nil, nil, nil]` for a send.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    Codec, CodecError,
    pack::Pack,
    record::{key, nil},
    unpack::{Known, Token, Unpack},
};
use crate::{
    ask::Ask,
    command::Send,
    error::Limit,
    id::AskId,
    record::{Effect, NoteExtras, PlainAnswer, StoredError, TaskKey, TaskNote, Write},
    table::{Key, NodeIx},
    value::Value,
};

impl Codec for TaskNote {
    fn pack(&self, out: &mut Pack) -> Result<(), CodecError> {
        let Self {
            key,
            output,
            extras,
        } = self;
        let NoteExtras {
            asks,
            answered,
            answers,
            asked,
            given,
            refused,
            error,
            handled,
            effects,
            resume,
            offset,
            name,
            args,
            layout,
        } = &**extras;
        out.fields(|fields| {
            key.pack(fields.field("k"))?;
            if let Some(writes) = output {
                all(writes, fields.field("o"))?;
            }
            if !asks.is_empty() {
                all(asks, fields.field("q"))?;
            }
            if !answers.is_empty() {
                all(answers, fields.field("a"))?;
            }
            if !asked.is_empty() {
                let out = fields.field("w");
                out.list(asked.len());
                asked.iter().for_each(|id| out.bin(&id.0.to_be_bytes()));
            }
            if !given.is_empty() {
                let out = fields.field("g");
                out.list(given.len());
                for (id, answer) in given {
                    out.list(2);
                    out.bin(&id.0.to_be_bytes());
                    answer.pack(out)?;
                }
            }
            for (flag, set) in [("x", refused), ("h", handled), ("d", answered)] {
                if *set {
                    fields.field(flag).bool(true);
                }
            }
            if let Some(error) = error {
                error.pack(fields.field("e"))?;
            }
            if !effects.is_empty() {
                let out = fields.field("f");
                out.map(effects.len());
                for (key, effect) in effects {
                    out.text(key);
                    pack_effect(effect, out)?;
                }
            }
            if let Some(resume) = resume {
                pack_plain(resume, fields.field("r"))?;
            }
            if *offset != 0 {
                fields.field("s").uint(*offset as u64);
            }
            if let Some(name) = name {
                let out = fields.field("n");
                out.list(2);
                out.text(name);
                out.uint(args.unwrap_or_default());
            }
            if let Some(layout) = layout {
                let text = serde_json::to_string(layout);
                let text = text.map_err(|error| CodecError {
                    at: 0,
                    why: error.to_string(),
                })?;
                fields.field("l").text(&text);
            }
            Ok(())
        })
    }

    fn unpack(from: &mut Unpack<'_, '_>) -> Result<Self, CodecError> {
        let (mut note, mut key) = (Self::new(TaskKey::Input), None);
        from.fields(|from, name| {
            match name {
                "k" => key = Some(TaskKey::unpack(from)?),
                "o" => note.output = Some(from.items(Write::unpack)?),
                "q" => note.extras.asks = from.items(Ask::unpack)?,
                "a" => note.extras.answers = from.items(Value::unpack)?,
                "w" => note.extras.asked = from.items(|from| from.wide().map(AskId))?,
                "g" => note.extras.given = from.items(unpack_given)?.into_iter().collect(),
                "x" => note.extras.refused = from.bool()?,
                "h" => note.extras.handled = from.bool()?,
                "d" => note.extras.answered = from.bool()?,
                "e" => note.extras.error = Some(Box::new(StoredError::unpack(from)?)),
                "f" => note.extras.effects = unpack_effects(from)?,
                "r" => note.extras.resume = Some(unpack_plain(from)?),
                "s" => note.extras.offset = from.u32()? as usize,
                "n" => {
                    let Token::List(2) = from.token()? else {
                        return Err(from.refuse("no call looks like this"));
                    };
                    (note.extras.name, note.extras.args) = (Some(from.key()?), Some(from.uint()?));
                }
                "l" => {
                    let text: Arc<str> = from.text()?;
                    let read = serde_json::from_str(&text);
                    note.extras.layout =
                        Some(read.map_err(|_| from.refuse("no layout looks like this"))?);
                }
                _ => return Ok(Known::No),
            }
            Ok(Known::Yes)
        })?;
        note.key = key.ok_or_else(|| from.refuse("a note of no task"))?;
        Ok(note)
    }
}

fn all(things: &[impl Codec], out: &mut Pack) -> Result<(), CodecError> {
    out.list(things.len());
    things.iter().try_for_each(|thing| thing.pack(out))
}

impl Codec for Vec<TaskNote> {
    fn pack(&self, out: &mut Pack) -> Result<(), CodecError> {
        all(self, out)
    }

    fn unpack(from: &mut Unpack<'_, '_>) -> Result<Self, CodecError> {
        from.items(TaskNote::unpack)
    }
}

impl Codec for TaskKey {
    fn pack(&self, out: &mut Pack) -> Result<(), CodecError> {
        match self {
            Self::Input => out.nil(),
            Self::Node(node) => out.uint(node.ix() as u64),
            Self::Send(n) => {
                out.list(2);
                out.uint(0);
                out.uint(u64::from(*n));
            }
            Self::Handler(of) => {
                out.list(2);
                out.uint(1);
                return out.nested(|out| of.pack(out));
            }
            Self::Call(by, n) => {
                out.list(3);
                out.uint(2);
                out.uint(u64::from(*n));
                return out.nested(|out| by.pack(out));
            }
        }
        Ok(())
    }

    fn unpack(from: &mut Unpack<'_, '_>) -> Result<Self, CodecError> {
        let len = match from.token()? {
            Token::Nil => return Ok(Self::Input),
            Token::Int(n) => {
                let n = u32::try_from(n).map_err(|_| from.refuse("no node has this number"))?;
                return Ok(Self::Node(NodeIx::at(n as usize)));
            }
            Token::List(len) => len,
            _ => return Err(from.refuse("no task is named like this")),
        };
        Ok(match (len, from.uint()?) {
            (2, 0) => Self::Send(from.u32()?),
            (2, 1) => Self::Handler(Box::new(from.nested(Self::unpack)?)),
            (3, 2) => {
                let n = from.u32()?;
                Self::Call(Box::new(from.nested(Self::unpack)?), n)
            }
            _ => return Err(from.refuse("no task is named like this")),
        })
    }
}

impl Codec for Write {
    fn pack(&self, out: &mut Pack) -> Result<(), CodecError> {
        match self {
            Self::Fire(trigger) => out.uint(trigger.ix() as u64),
            Self::Return(value) => {
                out.list(1);
                value.pack(out)?;
            }
            Self::State(channel, value) => {
                out.list(2);
                out.uint(channel.ix() as u64);
                value.pack(out)?;
            }
            Self::Join(trigger, source) => {
                out.list(3);
                out.uint(trigger.ix() as u64);
                out.uint(u64::from(*source));
                out.nil();
            }
            Self::Send(send) => {
                out.list(4);
                send.pack(out)?;
                (0..3).for_each(|_| out.nil());
            }
        }
        Ok(())
    }

    fn unpack(from: &mut Unpack<'_, '_>) -> Result<Self, CodecError> {
        let len = match from.token()? {
            Token::Int(n) => {
                let n = u32::try_from(n).map_err(|_| from.refuse("no trigger has this number"))?;
                return Ok(Self::Fire(Key::at(n as usize)));
            }
            Token::List(len) => len,
            _ => return Err(from.refuse("no write looks like this")),
        };
        Ok(match len {
            1 => Self::Return(Value::unpack(from)?),
            2 => Self::State(key(from)?, Value::unpack(from)?),
            3 => {
                let join = Self::Join(key(from)?, from.u32()?);
                nil(from)?;
                join
            }
            4 => {
                let send = Send::unpack(from)?;
                (0..3).try_for_each(|_| nil(from))?;
                Self::Send(send)
            }
            _ => return Err(from.refuse("no write looks like this")),
        })
    }
}

impl Codec for Ask {
    fn pack(&self, out: &mut Pack) -> Result<(), CodecError> {
        let Self {
            id,
            value,
            schema,
            kind,
            deadline,
        } = self;
        out.fields(|fields| {
            fields.field("i").bin(&id.0.to_be_bytes());
            value.pack(fields.field("v"))?;
            if let Some(schema) = schema {
                schema.pack(fields.field("s"))?;
            }
            if let Some(kind) = kind {
                fields.field("k").text(kind);
            }
            if let Some(deadline) = deadline {
                fields.field("t").uint(deadline.max(&0).unsigned_abs());
            }
            Ok(())
        })
    }

    fn unpack(from: &mut Unpack<'_, '_>) -> Result<Self, CodecError> {
        let (mut id, mut value, mut schema, mut kind) = (None, None, None, None);
        let mut deadline = None;
        from.fields(|from, name| {
            match name {
                "i" => id = Some(AskId(from.wide()?)),
                "v" => value = Some(Value::unpack(from)?),
                "s" => schema = Some(Value::unpack(from)?),
                "k" => kind = Some(from.key()?),
                "t" => deadline = i64::try_from(from.uint()?).ok(),
                _ => return Ok(Known::No),
            }
            Ok(Known::Yes)
        })?;
        let (Some(id), Some(value)) = (id, value) else {
            return Err(from.refuse("half a question"));
        };
        Ok(Self {
            id,
            value,
            schema,
            kind,
            deadline,
        })
    }
}

impl Codec for StoredError {
    fn pack(&self, out: &mut Pack) -> Result<(), CodecError> {
        let Self {
            code,
            class,
            message,
            limit,
        } = self;
        out.fields(|fields| {
            fields.field("c").text(code);
            fields.field("t").text(class);
            fields.field("m").text(message);
            match limit {
                Some(Limit::Run) => fields.field("l").uint(0),
                Some(Limit::Idle) => fields.field("l").uint(1),
                None => {}
            }
            Ok(())
        })
    }

    fn unpack(from: &mut Unpack<'_, '_>) -> Result<Self, CodecError> {
        let empty = String::new;
        let mut error = Self {
            code: empty(),
            class: empty(),
            message: empty(),
            limit: None,
        };
        from.fields(|from, name| {
            let text =
                |from: &mut Unpack<'_, '_>| from.text().map(|text: Arc<str>| text.to_string());
            match name {
                "c" => error.code = text(from)?,
                "t" => error.class = text(from)?,
                "m" => error.message = text(from)?,
                "l" => {
                    error.limit = Some(match from.uint()? {
                        0 => Limit::Run,
                        1 => Limit::Idle,
                        _ => return Err(from.refuse("an unknown limit")),
                    });
                }
                _ => return Ok(Known::No),
            }
            Ok(Known::Yes)
        })?;
        Ok(error)
    }
}

fn unpack_given(from: &mut Unpack<'_, '_>) -> Result<(AskId, Value), CodecError> {
    match from.token()? {
        Token::List(2) => Ok((AskId(from.wide()?), Value::unpack(from)?)),
        _ => Err(from.refuse("no answer looks like this")),
    }
}

fn pack_effect(effect: &Effect, out: &mut Pack) -> Result<(), CodecError> {
    match effect {
        Effect::Started => out.nil(),
        Effect::Failed => out.bool(false),
        Effect::Done(value) => {
            out.list(1);
            return value.pack(out);
        }
    }
    Ok(())
}

fn unpack_effects(from: &mut Unpack<'_, '_>) -> Result<BTreeMap<String, Effect>, CodecError> {
    let len = from.map()?;
    from.nested(|from| {
        let mut effects = BTreeMap::new();
        for _ in 0..len {
            let key = from.text()?.to_string();
            let effect = match from.token()? {
                Token::Nil => Effect::Started,
                Token::Bool(false) => Effect::Failed,
                Token::List(1) => Effect::Done(Value::unpack(from)?),
                _ => return Err(from.refuse("no effect looks like this")),
            };
            effects.insert(key, effect);
        }
        Ok(effects)
    })
}

fn pack_plain(answer: &PlainAnswer, out: &mut Pack) -> Result<(), CodecError> {
    match answer {
        PlainAnswer::Taken => out.nil(),
        PlainAnswer::Given(value) => {
            out.list(1);
            value.pack(out)?;
        }
    }
    Ok(())
}

fn unpack_plain(from: &mut Unpack<'_, '_>) -> Result<PlainAnswer, CodecError> {
    match from.token()? {
        Token::Nil => Ok(PlainAnswer::Taken),
        Token::List(1) => Ok(PlainAnswer::Given(Value::unpack(from)?)),
        _ => Err(from.refuse("no answer looks like this")),
    }
}
