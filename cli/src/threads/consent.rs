//! Consent to run a thread that was imported; see [`crate::consent`].

use serde_json::Value as Json;

use super::ThreadReader;
use crate::{
    agents::Agent,
    app::App,
    consent::{self, Agreement},
    error::Error,
};

/// Asks before an imported thread is run for the first time.
pub(super) async fn to_run(
    reader: &ThreadReader,
    agent: Agent,
    thread: &str,
    app: &mut App<'_>,
) -> Result<Agreement, Error> {
    let imports = reader.imports()?;
    if !consent::is_wanted(&imports, thread).await? {
        return Ok(Agreement::unneeded());
    }
    let snapshot = reader
        .snapshot(&reader.graph_of(agent)?, thread, None)
        .await?;
    let state = serde_json::to_value(&snapshot.values).unwrap_or(Json::Null);
    let folder = state.pointer("/inputs/folder").and_then(Json::as_str);
    consent::to_run(&imports, thread, folder, app).await
}
