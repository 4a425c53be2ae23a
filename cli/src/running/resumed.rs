//! A thread to resume, and what was given with the command.

use serde_json::Value as Json;

use crate::{
    agents::Agent,
    app::App,
    args::{AccountArgs, TalkOptions},
    consent::{self, Agreement},
    error::Error,
    thread_reader::ThreadReader,
};

/// A thread to resume.
pub(crate) struct Resumed<'a> {
    pub(crate) reader: &'a ThreadReader,
    pub(crate) agent: Agent,
    pub(crate) thread: &'a str,
    pub(crate) talk: &'a TalkOptions,
    pub(crate) account: AccountArgs,
}

impl Resumed<'_> {
    /// Asks before an imported thread is run for the first time.
    pub(super) async fn agreement(&self, app: &mut App<'_>) -> Result<Agreement, Error> {
        let imports = self.reader.imports()?;
        if !consent::is_wanted(&imports, self.thread).await? {
            return Ok(Agreement::unneeded());
        }
        let graph = self.reader.graph_of(self.agent)?;
        let snapshot = self.reader.snapshot(&graph, self.thread, None).await?;
        let state = serde_json::to_value(&snapshot.values).unwrap_or(Json::Null);
        let folder = state.pointer("/inputs/folder").and_then(Json::as_str);
        consent::to_run(&imports, self.thread, folder, app).await
    }
}
