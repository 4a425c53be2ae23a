//! What a tool has of the workbook: the version to read, and a place for operations.
//!
//! A tool does not change the workbook. It proposes operations; the graph applies them together, all or
//! none, or asks a person first. So a tool that only proposes is `pure`, and may run again after a crash.

use std::sync::{Arc, Mutex};

use superstep::{sync::lock, tools::ToolError};
use superstep_workbook::{Lineage, Operation, Workbook};

use crate::{change::Change, error::Error, mirror::Mirror, settings::QueryLimits};

/// The workbook of one call; tools take it as `Res<Workbench>`.
pub struct Workbench {
    file: String,
    book: Option<Arc<Workbook>>,
    limits: QueryLimits,
    proposed: Mutex<Change>,
    warnings: Mutex<Vec<String>>,
    mirror: Mutex<Option<Arc<Mirror>>>,
}

impl Workbench {
    pub(crate) fn new(file: &str, book: Option<Arc<Workbook>>, limits: QueryLimits) -> Self {
        Self {
            file: file.to_owned(),
            book,
            limits,
            proposed: Mutex::default(),
            warnings: Mutex::default(),
            mirror: Mutex::default(),
        }
    }

    /// The name of the workbook's file, without its folders.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The workbook, as the step found it.
    pub fn book(&self) -> Result<Arc<Workbook>, ToolError> {
        let book = self.book.clone();
        book.ok_or_else(|| ToolError::failed(Error::NoWorkbook))
    }

    /// Proposes operations, after those that were proposed before.
    pub fn propose(&self, operations: impl IntoIterator<Item = Operation>) {
        self.change(|change| match change {
            Change::Operations(all) => all.extend(operations),
            // Operations on what is to be replaced are of no effect.
            Change::Replace { .. } => {}
        });
    }

    /// Proposes another workbook in place of this one, as the bytes of its file, and how it came from this one. Both are
    /// hostile data.
    pub fn replace(&self, bytes: impl Into<Arc<[u8]>>, lineage: Lineage) {
        self.change(|change| {
            *change = Change::Replace {
                bytes: bytes.into(),
                lineage,
            };
        });
    }

    /// Says what may be wrong in what is proposed. The planner reads it, the report of changes has it, and a person who
    /// is asked sees it.
    pub fn warn(&self, warnings: impl IntoIterator<Item = String>) {
        lock(&self.warnings).extend(warnings);
    }

    /// The workbook as tables of SQL. It takes a while for a large workbook.
    pub fn mirror(&self) -> Result<Arc<Mirror>, Error> {
        let mut mirror = lock(&self.mirror);
        if let Some(mirror) = &*mirror {
            return Ok(mirror.clone());
        }
        let book = self.book.as_deref().ok_or(Error::NoWorkbook)?;
        let made = Arc::new(Mirror::of(book, self.limits)?);
        *mirror = Some(made.clone());
        Ok(made)
    }

    pub(crate) fn proposed(&self) -> Change {
        let mut proposed = lock(&self.proposed);
        std::mem::take(&mut proposed)
    }

    pub(crate) fn warnings(&self) -> Vec<String> {
        std::mem::take(&mut *lock(&self.warnings))
    }

    fn change(&self, with: impl FnOnce(&mut Change)) {
        let mut proposed = lock(&self.proposed);
        with(&mut proposed);
    }
}
