//! Tools over the long-term store: notes that an agent keeps per user.

use serde_json::json;
use superstep::{
    Caller, Store,
    prelude::*,
    store::{Namespace, PutOptions, Search},
    tools::{ToolCtx, ToolError},
};

/// How many notes a search returns.
const MOST: usize = 5;

/// The agent whose notes they are.
pub(super) struct Notes(pub(super) String);

impl Notes {
    fn of(&self, caller: &Caller) -> Result<Namespace, ToolError> {
        let owner = caller.owner().unwrap_or("local");
        Ok(Namespace::new(["notes", &self.0, owner])?)
    }
}

/// Remembers a note about the user for later conversations.
#[tool(write, idempotent)]
pub(super) async fn remember(
    /// The note, in a sentence.
    note: String,
    notes: Res<Notes>,
    caller: Caller,
    store: Store,
    ctx: ToolCtx,
) -> Result<String, ToolError> {
    let options = PutOptions::default();
    store
        .put(&notes.of(&caller)?, ctx.key(), json!(note), options)
        .await?;
    Ok("noted".to_owned())
}

/// Finds notes of earlier conversations.
#[tool(read)]
pub(super) async fn recall(
    /// Words that the notes have.
    words: String,
    notes: Res<Notes>,
    caller: Caller,
    store: Store,
) -> Result<String, ToolError> {
    let search = Search {
        prefix: notes.of(&caller)?.into(),
        query: Some(words),
        limit: MOST,
        ..Search::default()
    };
    let found = store.search(search).await?;
    let notes = found.iter().filter_map(|hit| hit.item.value.as_str());
    let notes: Vec<&str> = notes.collect();
    Ok(match notes.is_empty() {
        true => "there are no such notes".to_owned(),
        false => notes.join("\n"),
    })
}
