//! Embedding again what a similarity search does not find: items that were put before there was an
//! embedder, or with another model.

use serde_json::Value;

use super::{IndexPath, Indexing, Item, StoreError, Vectors};

/// How many items are embedded at a time.
pub const REINDEX_BATCH: usize = 64;

/// What came of embedding items again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reindexed {
    /// Items that a similarity search finds now and did not find before.
    pub indexed: usize,
    /// Items that have no text where the store looks for it; a similarity search does not find them.
    pub without_text: usize,
    /// Items that were changed or removed meanwhile, and are as their last put left them.
    pub changed: usize,
}

/// Vectors for items, in one call of the embedder.
pub async fn embed_items(
    items: &[Item],
    indexing: Indexing<'_>,
) -> Result<Vec<Vectors>, StoreError> {
    let texts: Vec<Vec<String>> = items
        .iter()
        .map(|item| texts_at(indexing.fields, &item.value))
        .collect();
    let all = texts.iter().flatten().cloned().collect();
    let Vectors { model, rows } = Vectors::embed(indexing.embedder, all).await?;
    let mut rows = rows.into_iter();
    let own = |texts: Vec<String>| Vectors {
        model: model.clone(),
        rows: rows.by_ref().take(texts.len()).collect(),
    };
    Ok(texts.into_iter().map(own).collect())
}

fn texts_at(paths: &[IndexPath], value: &Value) -> Vec<String> {
    paths.iter().flat_map(|path| path.texts(value)).collect()
}
