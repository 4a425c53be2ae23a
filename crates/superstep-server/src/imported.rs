//! Threads that were imported: none is run for a caller before a person agreed to it on the server's side.

use superstep::{Imports, ThreadId, text::single_line};

use crate::{app::App, error::ServerError, refusal::Refusal};

impl App {
    /// Refuses to run a thread that was imported and that nobody agreed to run. The marks are those of the whole server,
    /// whoever calls.
    pub(crate) async fn refuse_imported(&self, thread: &ThreadId) -> Result<(), Refusal> {
        let import = Imports::new(self.store.clone()).find(thread).await?;
        match import.is_some_and(|import| !import.is_trusted) {
            true => Err(ServerError::Imported {
                thread: single_line(thread.as_str()),
            }
            .into()),
            false => Ok(()),
        }
    }
}
