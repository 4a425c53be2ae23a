//! The lists of a run, emptied for the next one: short runs, and graphs inside graphs above all, would spend
//! much of their time making them.

use std::collections::VecDeque;

use super::{Act, Loop, Task};
use crate::{graph_state::StateBuffers, record::TaskKey, table::NodeIx};

/// Longer lists are not kept: few steps have so many tasks.
const MOST: usize = 16;

/// Emptied lists of a run that has ended.
#[derive(Default)]
pub struct Buffers {
    pub(super) tasks: Vec<Task>,
    pub(super) due: Vec<(TaskKey, NodeIx)>,
    pub(super) acts: VecDeque<Act>,
    pub(super) state: StateBuffers,
}

impl Buffers {
    /// The lists of a run that has ended. Nothing that was in them stays.
    pub fn of(run: Box<Loop>) -> Self {
        let Loop {
            mut tasks,
            mut schedule,
            acts,
            state,
            ..
        } = *run;
        if tasks.capacity() > MOST {
            return Self::default();
        }
        tasks.clear();
        schedule.due.clear();
        Self {
            tasks,
            due: schedule.due,
            acts: acts.into_buffers(MOST),
            state: state.into_buffers(MOST),
        }
    }
}
