//! Reads the run tree of a log from a saver.

use superstep_core::{error::SaverError, event::Logged, id::ThreadId, saver::Saver};

use super::runs;
use crate::tree::{RunTree, View};

/// How many entries are read at once.
const PAGE: usize = 256;

impl RunTree {
    /// The tree of a log, which may begin anywhere. Entries of `Graph::whole_log` have what nodes
    /// got; those a saver gives refer to checkpoints for it.
    pub fn new(thread: impl Into<ThreadId>, log: &[Logged], view: &View) -> Self {
        let thread = thread.into();
        let runs = runs(&thread, log, view);
        Self { thread, runs }
    }

    /// The tree of all that a saver has of a thread's log.
    pub async fn read(
        saver: &dyn Saver,
        thread: impl Into<ThreadId>,
        view: &View,
    ) -> Result<Self, SaverError> {
        let thread = thread.into();
        let mut log: Vec<Logged> = Vec::new();
        loop {
            let after = log.last().map(|last| last.cursor);
            let page = saver.events(&thread, after, PAGE).await?;
            if page.is_empty() {
                return Ok(Self::new(thread, &log, view));
            }
            log.extend(page);
        }
    }
}
