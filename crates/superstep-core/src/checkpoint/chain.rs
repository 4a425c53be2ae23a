//! The records a state is rebuilt from, shared by those who read them, and the state itself once
//! somebody has rebuilt it. `graph_state::restore` reads and fills it.

use std::{
    fmt,
    ops::Deref,
    sync::{Arc, Mutex, MutexGuard},
};

use crate::sync::lock;
use crate::{
    channel_state::ChannelState,
    record::{Layout, Record},
};

/// Records from the last snapshot (or the first record) up to a checkpoint, oldest first.
///
/// A copy costs nothing, nor does the chain of an older checkpoint in it ([`Chain::up_to`]).
#[derive(Clone, Debug, Default)]
pub struct Chain {
    records: Arc<Vec<Arc<Record>>>,
    len: usize,
    pub(crate) rebuilt: Option<Rebuilt>,
}

impl Chain {
    /// The same records, whose state is looked for and left in a place that lasts longer.
    #[must_use]
    pub fn keeping(self, rebuilt: Rebuilt) -> Self {
        Self {
            rebuilt: Some(rebuilt),
            ..self
        }
    }

    /// The first `len` of the records.
    #[must_use]
    pub fn up_to(&self, len: usize) -> Self {
        Self {
            len: self.len.min(len),
            ..self.clone()
        }
    }

    /// Adds the record that follows, in place unless somebody reads the others.
    pub fn push(&mut self, record: Arc<Record>) {
        let records = Arc::make_mut(&mut self.records);
        records.truncate(self.len);
        records.push(record);
        self.len = records.len();
    }
}

impl Deref for Chain {
    type Target = [Arc<Record>];

    fn deref(&self) -> &[Arc<Record>] {
        self.records.get(..self.len).unwrap_or_default()
    }
}

impl From<Vec<Arc<Record>>> for Chain {
    fn from(records: Vec<Arc<Record>>) -> Self {
        Self {
            len: records.len(),
            records: Arc::new(records),
            rebuilt: None,
        }
    }
}

impl FromIterator<Arc<Record>> for Chain {
    fn from_iter<I: IntoIterator<Item = Arc<Record>>>(records: I) -> Self {
        Vec::from_iter(records).into()
    }
}

/// Where the last state that was rebuilt from the records of a graph is kept, for the next reader:
/// going on from it costs what was added since.
#[derive(Clone, Default)]
pub struct Rebuilt(Arc<Mutex<Option<State>>>);

/// A state and the record it ends with.
///
/// A record never changes, nor does what comes before it, so holding on to it identifies the state.
#[derive(Clone)]
pub(crate) struct State {
    pub(crate) channels: Arc<dyn ChannelState>,
    pub(crate) head: Arc<Record>,
    /// Of the graph it was rebuilt for.
    pub(crate) layout: Arc<Layout>,
}

impl Rebuilt {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Option<State>> {
        lock(&self.0)
    }
}

impl fmt::Debug for Rebuilt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Rebuilt")
    }
}
