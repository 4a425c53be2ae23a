//! The scope of an approval: one thread, as it was when the person was asked.
//!
//! A copy is another thread, under its own name. A foreign thread has the random id of its mark, which changes with
//! every edit over HTTP. Neither an archive nor a caller can know it, so an approval that they wrote into the thread is
//! of another scope. Such an approval allows nothing: the person is asked again.

use serde::{Deserialize, Serialize};
use superstep_core::id::ThreadId;
use superstep_engine::{
    Origin, Provenance,
    typed::{Ctx, NodeError},
};
use superstep_text::single_line;

/// The longest name of a thread in a question, in characters.
const MAX_NAME: usize = 80;

/// A thread as approvals know it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Scope {
    pub(super) thread: ThreadId,
    /// The mark of a foreign thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) import: Option<String>,
    /// Whether answers may have come with an archive; known only of the thread that runs.
    #[serde(skip)]
    pub(super) is_imported: bool,
}

impl PartialEq for Scope {
    fn eq(&self, other: &Self) -> bool {
        (&self.thread, &self.import) == (&other.thread, &other.import)
    }
}

impl Scope {
    /// The scope of a task by the marks in the store of its run; nothing if it runs on no thread.
    pub async fn of(ctx: &Ctx) -> Result<Option<Self>, NodeError> {
        Self::marked(ctx, ctx.store().map(Provenance::new).as_ref()).await
    }

    /// The same by other marks, for a graph whose runs have a store without them.
    pub async fn marked(
        ctx: &Ctx,
        provenance: Option<&Provenance>,
    ) -> Result<Option<Self>, NodeError> {
        let Some(thread) = ctx.thread().cloned() else {
            return Ok(None);
        };
        let mark = match provenance {
            Some(provenance) => provenance.find(&thread).await?,
            None => None,
        };
        Ok(Some(Self {
            thread,
            is_imported: mark
                .as_ref()
                .is_some_and(|mark| mark.origin == Origin::Import),
            import: mark.map(|mark| mark.id),
        }))
    }

    /// Whether an archive or a caller shaped the thread: it may claim anything.
    pub fn is_foreign(&self) -> bool {
        self.import.is_some()
    }

    /// Why an answer must name the digest of its question; nothing if a plain one suffices, as clients of LangGraph send
    /// it. `remarks` are those of the question about what other threads did. A person may have answered before they
    /// were there.
    pub fn must_name(scope: Option<&Self>, remarks: &[String]) -> Option<&'static str> {
        if !remarks.is_empty() {
            return Some(
                "another thread may have done this, so an answer names the digest of its question",
            );
        }
        let is_imported = scope.is_some_and(|scope| scope.is_imported);
        is_imported
            .then_some("the thread was imported, so an answer names the digest of its question")
    }

    /// The name of its thread on one line, for people. An archive may name it anything.
    pub fn name(&self) -> String {
        single_line(self.thread.as_str())
            .chars()
            .take(MAX_NAME)
            .collect()
    }

    /// The text that digests contain.
    pub(super) fn text(&self) -> String {
        match &self.import {
            Some(mark) => format!("{} {mark}", self.thread),
            None => self.thread.to_string(),
        }
    }
}
