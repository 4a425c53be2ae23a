//! What the handlers of a server share.

use std::sync::Arc;

use superstep::{Saver, clock::ClockIds, store::Store};

use crate::{registry::Registry, thread_record::Records};

/// What the handlers of a server share.
pub(crate) struct App {
    pub(crate) registry: Registry,
    pub(crate) records: Records,
    pub(crate) saver: Arc<dyn Saver>,
    pub(crate) store: Arc<dyn Store>,
    /// Names of new threads.
    pub(crate) ids: ClockIds,
}
