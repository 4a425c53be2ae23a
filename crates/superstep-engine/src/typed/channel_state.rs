//! The state of a typed graph, as the run loop sees it.
//!
//! The loop hands writes over as values; here they meet the struct. The struct is changed in place
//! unless somebody still holds a [`super::Snap`] of it.

use std::{
    any::Any,
    iter,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use superstep_core::{
    channel_state::{ChannelState, Folded, Recording},
    error::{ErrorKind, Failure, panic_message},
    record::{Change, Write},
    table::{ChannelIx, Key},
    value::{DecodeError, Value},
};

use super::{
    reducer::Undo,
    state::{Keep, State},
};
use superstep_core::sync::lock;

/// One struct as channel state.
pub struct TypedState<S> {
    /// Locked only to hand the state out, and while a router looks at it with its node's writes.
    state: Mutex<Arc<S>>,
}

impl<S: State> TypedState<S> {
    /// The default state.
    pub fn new() -> Self {
        Self {
            state: Mutex::new(Arc::new(S::default())),
        }
    }

    /// The state, shared.
    pub fn state(&self) -> Arc<S> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Arc<S>> {
        lock(&self.state)
    }

    fn state_mut(&mut self) -> &mut S {
        Arc::make_mut(self.state.get_mut().unwrap_or_else(PoisonError::into_inner))
    }

    /// Shows the state with these writes in it, without keeping them.
    ///
    /// Alone with the state they are made in place and taken back after; only a state that others
    /// hold is copied.
    pub(crate) fn look<R>(
        &self,
        writes: &[Write],
        read: impl FnOnce(&S) -> R,
    ) -> Result<R, ErrorKind> {
        let own = by_field(writes);
        let mut state = self.lock();
        if own.is_empty() {
            return guarded(|| read(&state));
        }
        let Some(alone) = Arc::get_mut(&mut state) else {
            let mut copy = S::clone(&state);
            drop(state);
            for (field, writes) in own {
                let _for_good = guarded(|| copy.try_fold(field, writes))??;
            }
            return guarded(|| read(&copy));
        };
        let mut undo: Vec<Undo<S>> = Vec::with_capacity(own.len());
        let mut failed = None;
        for (field, writes) in own {
            match guarded(|| alone.try_fold(field, writes)).flatten() {
                Ok(step) => undo.push(step),
                Err(error) => {
                    failed = Some(error);
                    break;
                }
            }
        }
        let result = match failed {
            Some(error) => Err(error),
            None => guarded(|| read(alone)),
        };
        for step in undo.into_iter().rev() {
            step(alone);
        }
        result
    }
}

impl<S: State> Default for TypedState<S> {
    fn default() -> Self {
        Self::new()
    }
}

fn by_field(writes: &[Write]) -> Vec<(usize, Vec<Value>)> {
    let mut own: Vec<(usize, Vec<Value>)> = Vec::new();
    for write in writes {
        let Write::State(channel, value) = write else {
            continue;
        };
        match own.iter_mut().find(|(field, _)| *field == channel.ix()) {
            Some((_, values)) => values.push(value.clone()),
            None => own.push((channel.ix(), vec![value.clone()])),
        }
    }
    own
}

/// Runs code of the user outside its tasks, where a panic would take the whole run down.
pub(super) fn guarded<R>(run: impl FnOnce() -> R) -> Result<R, ErrorKind> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| {
        let message = panic_message(&*panic).unwrap_or_else(|| "without a message".to_owned());
        ErrorKind::Failed(Failure::new("Panic", message).permanent())
    })
}

impl<S: State> ChannelState for TypedState<S> {
    fn get(&self, channel: ChannelIx) -> Option<Value> {
        self.lock().get(channel.ix())
    }

    fn fold(
        &mut self,
        channel: ChannelIx,
        writes: Vec<Value>,
        recording: Recording,
    ) -> Result<Folded, ErrorKind> {
        let (state, mut writes) = (self.state_mut(), writes.into_iter());
        guarded(|| state.fold(channel.ix(), &mut writes, recording))?
    }

    fn fold_one(
        &mut self,
        channel: ChannelIx,
        write: Value,
        recording: Recording,
    ) -> Result<Folded, ErrorKind> {
        let (state, mut write) = (self.state_mut(), iter::once(write));
        guarded(|| state.fold(channel.ix(), &mut write, recording))?
    }

    fn pass(&mut self, channel: ChannelIx) -> bool {
        let ephemeral = S::FIELDS
            .get(channel.ix())
            .is_some_and(|(_, k)| *k == Keep::Ephemeral);
        if ephemeral {
            self.state_mut().reset(channel.ix());
        }
        ephemeral
    }

    fn peek(&self, channel: ChannelIx, writes: &[&Value]) -> Result<Option<Value>, ErrorKind> {
        let writes: Vec<Write> = writes
            .iter()
            .map(|value| Write::State(channel, (*value).clone()))
            .collect();
        self.look(&writes, |state| state.get(channel.ix()))
    }

    fn restore(&mut self, channel: ChannelIx, change: &Change) -> Result<(), DecodeError> {
        let state = self.state_mut();
        if matches!(change, Change::Clear) {
            state.reset(channel.ix());
            return Ok(());
        }
        state.restore(channel.ix(), change)
    }

    fn snapshot(&self, channel: ChannelIx) -> Option<Change> {
        let (_, keep) = S::FIELDS.get(channel.ix())?;
        if *keep == Keep::Untracked {
            return None;
        }
        self.get(channel).map(Change::Set)
    }

    fn whole(&self) -> Option<Value> {
        Some(Value::Typed(self.state()))
    }

    fn fork(&self) -> Arc<dyn ChannelState> {
        Arc::new(Self {
            state: Mutex::new(self.state()),
        })
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// The struct behind a value that [`ChannelState::whole`] made; decoded when it came from elsewhere.
pub(crate) fn whole_state<S: State>(value: &Value) -> Result<Arc<S>, ErrorKind> {
    if let Value::Typed(cell) = value {
        let any: Arc<dyn Any + Send + Sync> = cell.clone();
        if let Ok(state) = any.downcast::<S>() {
            return Ok(state);
        }
    }
    let empty = value.as_map().is_some_and(|map| map.is_empty());
    if empty || value.is_null() {
        return Ok(Arc::default());
    }
    let decoded = value.clone().take::<S>();
    decoded.map(Arc::new).map_err(|error| ErrorKind::Decode {
        what: "the state".to_owned(),
        why: error.to_string(),
    })
}
