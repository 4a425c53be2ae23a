//! The state of a graph, as the run loop sees it.
//!
//! The loop knows channels by id and their values as [`Value`]s; the implementation decides how they are
//! kept. The dynamic layer keeps a slot per channel ([`crate::channel::Channels`]), the typed
//! layer keeps one Rust struct. A channel state is shared with running tasks and changed only between
//! steps, in place when no task holds on to it.

use std::{any::Any, sync::Arc};

use crate::{
    error::ErrorKind,
    record::Change,
    table::ChannelIx,
    value::{DecodeError, Value},
};

/// What folding a step's writes into a channel did.
#[derive(Debug, Default)]
pub struct Folded {
    /// The channel counts as changed.
    pub changed: bool,
    /// It has a value now.
    pub available: bool,
    /// What to store, when asked for.
    pub change: Option<Change>,
}

/// Whether the caller stores what changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recording {
    /// Return what to store.
    On,
    /// Nothing is stored.
    Off,
}

/// The values of a graph's channels.
pub trait ChannelState: Send + Sync + 'static {
    /// The value, or nothing when the channel is absent.
    fn get(&self, channel: ChannelIx) -> Option<Value>;

    /// Folds the writes of one step, in order; `writes` is not empty.
    fn fold(
        &mut self,
        channel: ChannelIx,
        writes: Vec<Value>,
        recording: Recording,
    ) -> Result<Folded, ErrorKind>;

    /// Folds the only write of a step.
    fn fold_one(
        &mut self,
        channel: ChannelIx,
        write: Value,
        recording: Recording,
    ) -> Result<Folded, ErrorKind> {
        self.fold(channel, vec![write], recording)
    }

    /// Whether the channel takes so many writes of one step; asked before any is folded.
    fn takes(&self, _channel: ChannelIx, _writes: usize) -> Result<(), ErrorKind> {
        Ok(())
    }

    /// A step passed without a write to this channel. Returns whether that changed it.
    fn pass(&mut self, channel: ChannelIx) -> bool;

    /// What [`ChannelState::get`] would say after a step with just these writes.
    fn peek(&self, channel: ChannelIx, writes: &[&Value]) -> Result<Option<Value>, ErrorKind>;

    /// Applies a stored change.
    fn restore(&mut self, channel: ChannelIx, change: &Change) -> Result<(), DecodeError>;

    /// What to store so that [`ChannelState::restore`] on fresh channels gives the present value.
    fn snapshot(&self, channel: ChannelIx) -> Option<Change>;

    /// All channels as one value that shares its own data; nothing if the channel state keeps
    /// them apart.
    fn whole(&self) -> Option<Value> {
        None
    }

    /// A copy that shares what can be shared.
    fn fork(&self) -> Arc<dyn ChannelState>;

    /// The concrete type, for layers that know it.
    fn as_any(&self) -> &dyn Any;
}
