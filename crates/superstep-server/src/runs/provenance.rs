//! Provenance of threads: no imported thread runs before a person agreed to it, and threads that callers shape are
//! marked as foreign, so that the command line uses nothing in them unasked.

use superstep::{Origin, Provenance, ThreadId, runs::QueuedInput, text::single_line};

use super::request::RunRequest;
use crate::{app::App, error::ServerError, refusal::Refusal};

impl App {
    /// Refuses to run an imported thread that no person agreed to run. The marks are those of the whole server,
    /// whoever calls.
    pub(super) async fn refuse_imported(&self, thread: &ThreadId) -> Result<(), Refusal> {
        let mark = self.provenance().find(thread).await?;
        match mark.is_some_and(|mark| mark.origin == Origin::Import && !mark.is_trusted) {
            true => Err(ServerError::Imported {
                thread: single_line(thread.as_str()),
            }
            .into()),
            false => Ok(()),
        }
    }

    /// Marks a thread before a caller edits its state. Each edit has a new mark, so that approvals given before it,
    /// or written by it, count no longer.
    pub(crate) async fn mark_edited(&self, thread: &ThreadId) -> Result<(), Refusal> {
        self.provenance().mark(thread, Origin::Http).await?;
        Ok(())
    }

    /// Marks a thread before a run writes what its caller says: an update by command counts as an edit, and the input
    /// of an owner as one unless the thread is marked already.
    pub(super) async fn mark_run(
        &self,
        thread: &ThreadId,
        owner: Option<&str>,
        request: &RunRequest,
    ) -> Result<(), Refusal> {
        match &request.input {
            QueuedInput::Command(command, _)
                if !command.update.is_empty() || !command.goto.is_empty() =>
            {
                self.mark_edited(thread).await
            }
            QueuedInput::Value(_) if owner.is_some() => {
                match self.provenance().find(thread).await? {
                    Some(mark) if !mark.is_trusted => Ok(()),
                    _ => self.mark_edited(thread).await,
                }
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn provenance(&self) -> Provenance {
        Provenance::new(self.store.clone())
    }
}
