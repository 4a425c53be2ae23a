//! The lists of a run, cleared for the next one: short runs, and graphs inside graphs above all, would spend
//! much of their time making them.

use super::{Act, Loop, Task};
use crate::{graph_state::StateBuffers, record::TaskKey, reused_list::cleared, table::NodeIx};

/// Emptied lists of a run that has ended.
#[derive(Default)]
pub struct Buffers {
    pub(super) tasks: Vec<Task>,
    pub(super) due: Vec<(TaskKey, NodeIx)>,
    pub(super) acts: Vec<Act>,
    pub(super) state: StateBuffers,
}

impl Buffers {
    /// The lists of a run that has ended. Nothing that was in them stays.
    pub fn of(run: Box<Loop>) -> Self {
        Self {
            tasks: cleared(run.tasks),
            due: cleared(run.schedule.due),
            acts: run.acts.into_list(),
            state: run.state.into_buffers(),
        }
    }
}
