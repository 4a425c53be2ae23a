//! Channel definitions: where the state of a graph lives and how writes are combined.

use serde_json::Value as Json;

use super::fields::{Fields, Flaw, Read};

/// One channel.
#[derive(Debug, Clone, PartialEq)]
pub struct ChannelDef {
    /// The rule for writes.
    pub kind: ChannelKind,
    /// Whether the channel is outside the state schema, seen only by nodes that list it as input.
    pub private: bool,
}

/// How a channel combines the writes of a step.
#[derive(Debug, Clone, PartialEq)]
pub enum ChannelKind {
    /// At most one write per step.
    LastValue,
    /// Writes are folded into the value.
    Reducer {
        /// The fold.
        op: ReducerOp,
        /// The value at the start; without it the first write is stored as it is.
        init: Option<Json>,
    },
    /// Present only in the step after the write.
    Ephemeral {
        /// Whether two writes in a step are an error.
        guard: bool,
    },
    /// The list of a step's writes.
    Topic {
        /// Whether the list is kept over steps.
        accumulate: bool,
    },
    /// Last write wins; a step without a write clears it.
    AnyValue,
    /// Like the last value, but never stored.
    Untracked {
        /// Whether two writes in a step are an error.
        guard: bool,
    },
    /// Looks like a reducer, stored as writes with a snapshot now and then.
    Delta {
        /// The fold.
        op: ReducerOp,
        /// The value at the start.
        init: Option<Json>,
        /// Number of updates between snapshots, if the case says.
        snapshot_every: Option<u64>,
    },
    /// Computed and read-only.
    Managed(ManagedValue),
}

/// The fold of a reducer or delta channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReducerOp {
    /// Numbers add; strings and lists concatenate.
    Add,
    /// The write becomes the last element.
    Append,
    /// The larger of both.
    Max,
    /// The smaller of both.
    Min,
    /// Shallow object merge, the write wins.
    Merge,
    /// The elements of the write that are not there yet are added.
    Union,
    /// The value stays.
    KeepFirst,
    /// The write wins.
    Replace,
    /// As `Add`, but null resets to the empty list.
    AddOrReset,
    /// As `Add`, but a negative write raises ValueError "negative".
    CheckedAdd,
    /// The write is subtracted.
    Sub,
    /// Merges messages by id; removing an unknown id is an error.
    AddMessages,
    /// Merges messages by id, forgiving unknown removals (delta channels).
    Messages,
}

/// A value computed from where the run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ManagedValue {
    /// Steps left before the recursion limit.
    RemainingSteps,
    /// Whether this is the last step the limit allows.
    IsLastStep,
}

impl Read for ChannelDef {
    fn read(value: &Json) -> Result<Self, Flaw> {
        let fields = Fields::of(value)?;
        let kind: String = fields.need("kind")?;
        let (kind, own): (_, &[&str]) = match kind.as_str() {
            "last_value" => (ChannelKind::LastValue, &[]),
            "any_value" => (ChannelKind::AnyValue, &[]),
            "reducer" => {
                let op = fields.need("op")?;
                let init = fields.maybe("init")?;
                (ChannelKind::Reducer { op, init }, &["op", "init"])
            }
            "ephemeral" => {
                let guard = fields.or("guard", true)?;
                (ChannelKind::Ephemeral { guard }, &["guard"])
            }
            "untracked" => {
                let guard = fields.or("guard", true)?;
                (ChannelKind::Untracked { guard }, &["guard"])
            }
            "topic" => {
                let accumulate = fields.or("accumulate", false)?;
                (ChannelKind::Topic { accumulate }, &["accumulate"])
            }
            "delta" => {
                let delta = ChannelKind::Delta {
                    op: fields.need("op")?,
                    init: fields.maybe("init")?,
                    snapshot_every: fields.maybe("snapshot_every")?,
                };
                (delta, &["op", "init", "snapshot_every"])
            }
            "managed" => (ChannelKind::Managed(fields.need("value")?), &["value"]),
            other => {
                let why = format!("there is no channel kind {other:?}");
                return Err(Flaw::new(why).under("kind"));
            }
        };
        fields.only(&[&["kind", "private"], own])?;
        let private = fields.or("private", false)?;
        Ok(ChannelDef { kind, private })
    }
}

impl Read for ReducerOp {
    fn read(value: &Json) -> Result<Self, Flaw> {
        let name = String::read(value)?;
        Ok(match name.as_str() {
            "add" => ReducerOp::Add,
            "append" => ReducerOp::Append,
            "max" => ReducerOp::Max,
            "min" => ReducerOp::Min,
            "merge" => ReducerOp::Merge,
            "union" => ReducerOp::Union,
            "keep_first" => ReducerOp::KeepFirst,
            "replace" => ReducerOp::Replace,
            "add_or_reset" => ReducerOp::AddOrReset,
            "checked_add" => ReducerOp::CheckedAdd,
            "sub" => ReducerOp::Sub,
            "add_messages" => ReducerOp::AddMessages,
            "messages" => ReducerOp::Messages,
            _ => return Err(Flaw::new(format!("there is no reducer {name:?}"))),
        })
    }
}

impl Read for ManagedValue {
    fn read(value: &Json) -> Result<Self, Flaw> {
        let name = String::read(value)?;
        match name.as_str() {
            "remaining_steps" => Ok(ManagedValue::RemainingSteps),
            "is_last_step" => Ok(ManagedValue::IsLastStep),
            _ => Err(Flaw::new(format!("there is no managed value {name:?}"))),
        }
    }
}
