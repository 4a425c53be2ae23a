//! The channels of the dynamic layer: what kinds there are and how each takes a step's writes.

use std::{any::Any, sync::Arc};

use crate::{
    channel_state::{ChannelState, Folded, Recording},
    error::ErrorKind,
    record::Change,
    reducer::{Reducer, messages},
    table::{ChannelIx, Table},
    value::{DecodeError, Value},
};

/// How many writes a step may make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// One; a second is an error.
    One,
    /// Any number; the last wins.
    Any,
}

/// What a channel is.
#[derive(Clone, Debug)]
pub enum ChannelKind {
    /// Keeps the last value; one write per step.
    Last,
    /// Combines writes with the value.
    Reduce {
        /// How.
        reducer: Reducer,
        /// The value before any write; without it the first write is taken as it is.
        init: Option<Value>,
        /// A delta channel of LangGraph: snapshot every so many updates. What is stored is the
        /// same either way; it decides whether a run that is stored at its end leaves an anchor.
        delta: Option<u32>,
    },
    /// Present only in the step after the write.
    Ephemeral(Guard),
    /// The list of a step's writes, cleared by the next step.
    Topic,
    /// The list of all writes ever.
    Log,
    /// The last write of the step; a step without one clears it.
    Any,
    /// Like [`ChannelKind::Last`], but never stored.
    Untracked(Guard),
}

impl ChannelKind {
    /// Whether a step without a write can change it.
    pub fn is_volatile(&self) -> bool {
        matches!(self, Self::Ephemeral(_) | Self::Topic | Self::Any)
    }

    fn has_messages(&self) -> bool {
        matches!(
            self,
            Self::Reduce {
                reducer: Reducer::Messages(_),
                ..
            }
        )
    }

    /// Whether its value is kept in checkpoints.
    pub fn is_stored(&self) -> bool {
        !matches!(self, Self::Untracked(_))
    }
}

/// A channel of a graph.
#[derive(Clone, Debug)]
pub struct ChannelSpec {
    /// Its name: a key of the state.
    pub name: Arc<str>,
    /// What it is.
    pub kind: ChannelKind,
    /// Outside the state schema: only nodes that list it see it.
    pub private: bool,
}

/// Whether a write asks to bypass the reducer, and with what.
pub fn overwrite(write: &Value) -> Option<&Value> {
    let map = write.as_map()?;
    if map.len() == 1
        && let Some(value) = map.get("__overwrite__")
    {
        return Some(value);
    }
    let marked = map.get("type").and_then(Value::as_str) == Some("__overwrite__");
    marked.then(|| map.get("value")).flatten()
}

impl Value {
    /// A write that replaces a channel's value instead of being reduced into it.
    #[must_use]
    pub fn overwriting(self) -> Self {
        Self::map([("__overwrite__", self)])
    }
}

/// The channels of a dynamic graph.
#[derive(Clone)]
pub struct Channels {
    specs: Arc<Table<ChannelIx, ChannelSpec>>,
    slots: Table<ChannelIx, Slot>,
}

#[derive(Clone, Default)]
struct Slot {
    value: Option<Value>,
    messages: Option<messages::Index>,
}

impl Slot {
    /// What to say of a channel that was written.
    fn folded(
        &self,
        kind: &ChannelKind,
        appended: Option<Vec<Value>>,
        recording: Recording,
    ) -> Folded {
        let store = recording == Recording::On && kind.is_stored();
        let change = store.then(|| match (appended, &self.value) {
            (Some(items), _) => Change::Extend(Value::list(items)),
            (None, Some(value)) => Change::Set(value.clone()),
            (None, None) => Change::Clear,
        });
        Folded {
            changed: true,
            available: self.value.is_some(),
            change,
        }
    }
}

impl Channels {
    /// Channels before any write.
    pub fn new(specs: Arc<Table<ChannelIx, ChannelSpec>>) -> Self {
        let slots = specs
            .iter()
            .map(|spec| match &spec.kind {
                ChannelKind::Reduce { init, .. } => Slot {
                    value: init.clone(),
                    messages: None,
                },
                _ => Slot::default(),
            })
            .collect();
        Self { specs, slots }
    }

    fn reduce_all(
        slot: &mut Slot,
        name: &Arc<str>,
        reducer: &Reducer,
        writes: impl IntoIterator<Item = Value>,
        recording: Recording,
    ) -> Result<Option<Vec<Value>>, ErrorKind> {
        let mut appended = (recording == Recording::On).then(Vec::new);
        let mut overwritten = false;
        for write in writes {
            if let Some(value) = overwrite(&write) {
                if overwritten {
                    return Err(ErrorKind::DoubleOverwrite {
                        by: Vec::new(),
                        channel: name.clone(),
                    });
                }
                *slot = Slot {
                    value: Some(value.clone()),
                    messages: None,
                };
                (overwritten, appended) = (true, None);
            } else if !overwritten {
                let Some(current) = slot.value.take() else {
                    (slot.value, appended) = (Some(write), None);
                    continue;
                };
                let reduced =
                    reducer
                        .reduce(current, write, &mut slot.messages)
                        .map_err(|failure| ErrorKind::Reduce {
                            by: Vec::new(),
                            channel: name.clone(),
                            failure,
                        })?;
                appended = appended.filter(|_| reduced.appended.is_some());
                if let (Some(all), Some(count)) = (&mut appended, reduced.appended) {
                    extend_by_tail(all, &reduced.value, count);
                }
                slot.value = Some(reduced.value);
            }
        }
        Ok(appended)
    }
}

/// Collects what one write appended: the last `count` elements of the result.
fn extend_by_tail(all: &mut Vec<Value>, result: &Value, count: usize) {
    if let Value::List(list) = result {
        all.extend(list.iter().skip(list.len().saturating_sub(count)).cloned());
    }
}

fn one_write(guard: Guard, name: &Arc<str>, writes: &[Value]) -> Result<(), ErrorKind> {
    match guard {
        Guard::One if writes.len() > 1 => Err(ErrorKind::Conflict {
            by: Vec::new(),
            channel: name.clone(),
        }),
        _ => Ok(()),
    }
}

fn flatten(writes: Vec<Value>) -> Vec<Value> {
    let mut flat = Vec::with_capacity(writes.len());
    for write in writes {
        match write {
            Value::List(items) => flat.extend(items.iter().cloned()),
            one => flat.push(one),
        }
    }
    flat
}

impl ChannelState for Channels {
    fn get(&self, channel: ChannelIx) -> Option<Value> {
        self.slots.row(channel).value.clone()
    }

    fn fold(
        &mut self,
        channel: ChannelIx,
        mut writes: Vec<Value>,
        recording: Recording,
    ) -> Result<Folded, ErrorKind> {
        let ChannelSpec { name, kind, .. } = self.specs.row(channel);
        let slot = self.slots.row_mut(channel);
        let mut appended = None;
        match kind {
            ChannelKind::Last => {
                one_write(Guard::One, name, &writes)?;
                slot.value = writes.pop();
            }
            ChannelKind::Ephemeral(guard) | ChannelKind::Untracked(guard) => {
                one_write(*guard, name, &writes)?;
                slot.value = writes.pop();
            }
            ChannelKind::Any => slot.value = writes.pop(),
            ChannelKind::Reduce { reducer, .. } => {
                appended = Self::reduce_all(slot, name, reducer, writes, recording)?;
            }
            ChannelKind::Topic => {
                let had = slot.value.is_some();
                let flat = flatten(writes);
                slot.value = (!flat.is_empty()).then(|| Value::list(flat));
                if !had && slot.value.is_none() {
                    return Ok(Folded::default());
                }
            }
            ChannelKind::Log => {
                let flat = flatten(writes);
                if flat.is_empty() {
                    let available = slot.value.is_some();
                    return Ok(Folded {
                        available,
                        ..Folded::default()
                    });
                }
                if let Some(Value::List(list)) = &mut slot.value {
                    Arc::make_mut(list).extend(flat.iter().cloned());
                    appended = Some(flat);
                } else {
                    slot.value = Some(Value::list(flat));
                }
            }
        }
        Ok(slot.folded(kind, appended, recording))
    }

    fn fold_one(
        &mut self,
        channel: ChannelIx,
        write: Value,
        recording: Recording,
    ) -> Result<Folded, ErrorKind> {
        let ChannelSpec { name, kind, .. } = self.specs.row(channel);
        let slot = self.slots.row_mut(channel);
        let mut appended = None;
        match kind {
            ChannelKind::Topic | ChannelKind::Log => {
                return self.fold(channel, vec![write], recording);
            }
            ChannelKind::Reduce { reducer, .. } => {
                appended = Self::reduce_all(slot, name, reducer, [write], recording)?;
            }
            _ => slot.value = Some(write),
        }
        Ok(slot.folded(kind, appended, recording))
    }

    fn takes(&self, channel: ChannelIx, writes: usize) -> Result<(), ErrorKind> {
        let spec = self.specs.row(channel);
        match spec.kind {
            ChannelKind::Last
            | ChannelKind::Ephemeral(Guard::One)
            | ChannelKind::Untracked(Guard::One)
                if writes > 1 =>
            {
                Err(ErrorKind::Conflict {
                    by: Vec::new(),
                    channel: spec.name.clone(),
                })
            }
            _ => Ok(()),
        }
    }

    fn pass(&mut self, channel: ChannelIx) -> bool {
        let volatile = self.specs.row(channel).kind.is_volatile();
        volatile && self.slots.row_mut(channel).value.take().is_some()
    }

    fn peek(&self, channel: ChannelIx, writes: &[&Value]) -> Result<Option<Value>, ErrorKind> {
        let spec = self.specs.row(channel);
        if writes.is_empty() {
            return Ok(if spec.kind.is_volatile() {
                None
            } else {
                self.get(channel)
            });
        }
        if spec.kind.has_messages()
            && let Slot {
                value: Some(present),
                messages: Some(index),
            } = self.slots.row(channel)
            && writes.iter().all(|write| overwrite(write).is_none())
            && let Some(grown) = messages::appended(present, index, writes)
        {
            return Ok(Some(grown));
        }
        let mut specs = Table::<ChannelIx, _>::default();
        let only = specs.push(spec.clone());
        let mut alone = Self::new(Arc::new(specs));
        *alone.slots.row_mut(only) = self.slots.row(channel).clone();
        alone.fold(
            only,
            writes.iter().map(|v| (*v).clone()).collect(),
            Recording::Off,
        )?;
        Ok(alone.get(only))
    }

    fn restore(&mut self, channel: ChannelIx, change: &Change) -> Result<(), DecodeError> {
        let kind = &self.specs.row(channel).kind;
        let slot = self.slots.row_mut(channel);
        match (change, &mut slot.value) {
            (Change::Set(value), _) => {
                // Copies of restored channels are written to, and share what one of them finds.
                *slot = Slot {
                    value: Some(value.clone()),
                    messages: kind.has_messages().then(messages::Index::default),
                };
            }
            (Change::Clear, _) => *slot = Slot::default(),
            (Change::Extend(Value::List(items)), Some(Value::List(list))) => {
                Arc::make_mut(list).extend(items.iter().cloned());
                if kind.has_messages() {
                    slot.messages.get_or_insert_default().grow(items);
                }
            }
            (Change::Extend(Value::Map(entries)), Some(Value::Map(map))) => {
                let entries = entries
                    .iter()
                    .map(|(key, value)| (key.clone(), value.clone()));
                Arc::make_mut(map).extend(entries);
            }
            (Change::Extend(items), None) => slot.value = Some(items.clone()),
            (Change::Extend(items), Some(held)) => {
                let why = format!("cannot extend {} by {}", held.kind(), items.kind());
                return Err(DecodeError {
                    expected: "a list",
                    why,
                });
            }
        }
        Ok(())
    }

    fn snapshot(&self, channel: ChannelIx) -> Option<Change> {
        let spec = self.specs.row(channel);
        let stored = spec.kind.is_stored();
        match &self.slots.row(channel).value {
            Some(value) if stored => Some(Change::Set(value.clone())),
            None if stored && matches!(spec.kind, ChannelKind::Reduce { init: Some(_), .. }) => {
                Some(Change::Clear)
            }
            _ => None,
        }
    }

    fn fork(&self) -> Arc<dyn ChannelState> {
        Arc::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
