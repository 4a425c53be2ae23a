//! A whole thread outside of any saver: to move it, to keep it, to look at it.
//!
//! A saver makes an [`Archive`] of a thread and takes one in ([`crate::saver::Saver::export`] and
//! `import`); an archive is written to and read from JSON lines (`lines` has the format). Whoever
//! takes one in calls [`Archive::check`] first: what is in it may come from anywhere.

mod check;
mod error;
mod exact;
mod format;
mod lines;
mod numbers;
mod row;
mod weight;

use std::{collections::BTreeMap, sync::Arc};

use crate::{
    id::{CheckpointId, GraphPath},
    record::{Record, TaskNote},
};

pub use error::ArchiveError;
pub use format::{LONGEST_LINE, VERSION};
pub use weight::MAX_MEMORY;

/// All that a saver keeps of a thread, apart from its name.
#[derive(Clone, Debug, Default)]
pub struct Archive {
    /// The checkpoints of each namespace, in order of id; no namespace is without any.
    pub namespaces: BTreeMap<GraphPath, Vec<Archived>>,
}

/// One checkpoint of an [`Archive`].
#[derive(Clone, Debug)]
pub struct Archived {
    /// The step.
    pub record: Arc<Record>,
    /// All that is known of the checkpoint's tasks, one note for each, as a saver loads them.
    /// Nothing stands for what the records that follow it brought along, in order of id.
    pub notes: Option<Vec<TaskNote>>,
}

impl Archive {
    /// Whether a saver may take this in: there is a checkpoint, ids grow, parents are there, and
    /// every number means something. Returns where and why not.
    pub fn check(&self) -> Result<(), String> {
        if self.namespaces.is_empty() {
            return Err("the archive holds no checkpoint".to_owned());
        }
        for (namespace, checkpoints) in &self.namespaces {
            if checkpoints.is_empty() {
                return Err(format!("namespace `{namespace}` holds no checkpoint"));
            }
            let mut space = check::Space::default();
            for archived in checkpoints {
                space
                    .admit(archived)
                    .map_err(|why| format!("namespace `{namespace}`: {why}"))?;
            }
        }
        Ok(())
    }

    /// How many checkpoints there are.
    pub fn len(&self) -> usize {
        self.namespaces.values().map(Vec::len).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The newest checkpoint of a namespace.
    pub fn newest(&self, namespace: &GraphPath) -> Option<CheckpointId> {
        let last = self.namespaces.get(namespace)?.last()?;
        Some(last.record.id)
    }
}

#[cfg(test)]
mod tests;
