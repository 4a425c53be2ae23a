//! Document texts in the long-term store, keyed by content hash.
//!
//! A thread holds hashes; the texts are stored once, whichever threads have read them, and are
//! there after the folder is gone.

use serde_json::{Value as Json, json};
use superstep::store::{Get, Index, Namespace, Op, Put, PutOptions, Store, StoreError, TtlOnRead};

use super::{Entry, Fate, Inputs, Reading, Why, hash, manifest::LISTED};
use crate::error::ErrorKind;

/// A document as the model gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Document {
    pub(crate) path: String,
    pub(crate) sha256: String,
    pub(crate) text: String,
    /// Whether there is more of it.
    pub(crate) is_cut: bool,
}

/// The documents of a thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DocumentSet {
    /// In order of their paths.
    pub(crate) documents: Vec<Document>,
    /// How many others do not fit.
    pub(crate) left: usize,
}

/// The texts in the long-term store.
pub(crate) struct DocumentStore<'a>(pub(crate) &'a dyn Store);

impl DocumentStore<'_> {
    /// Keeps the texts of a reading, and the list of its files if that is long. Gives the key of
    /// the list.
    pub(crate) async fn put(&self, reading: &Reading) -> Result<Option<String>, StoreError> {
        let texts = reading.files.iter().zip(&reading.texts);
        let mut puts = Vec::new();
        for (entry, text) in texts {
            let value = json!({"path": entry.path, "text": text});
            puts.push(put(DOCUMENTS, key(entry), value)?);
        }
        let mut manifest = None;
        if reading.files.len() - reading.texts.len() > LISTED {
            let list = serde_json::to_value(&reading.files)
                .map_err(|error| StoreError::backend(error.to_string()))?;
            let name = hash(list.to_string().as_bytes());
            puts.push(put(MANIFESTS, name.clone(), json!({"files": list}))?);
            manifest = Some(name);
        }
        self.0.batch(puts).await?;
        Ok(manifest)
    }

    /// The documents of a thread.
    pub(crate) async fn document_set(
        &self,
        inputs: &Inputs,
    ) -> Result<DocumentSet, superstep::NodeError> {
        let (set, gone) = self.kept(inputs).await?;
        match gone.into_iter().next() {
            None => Ok(set),
            Some(path) => {
                let path = superstep::text::single_line(&path);
                Err(crate::error::Error::from(ErrorKind::DocumentGone { path }).into())
            }
        }
    }

    /// The documents of a thread that are still there, and the paths of the others.
    pub(crate) async fn kept(
        &self,
        inputs: &Inputs,
    ) -> Result<(DocumentSet, Vec<String>), StoreError> {
        let entries: Vec<&Entry> = inputs.included().collect();
        let gets: Result<Vec<Op>, StoreError> = entries
            .iter()
            .map(|entry| get(DOCUMENTS, key(entry)))
            .collect();
        let found = self.0.batch(gets?).await?;
        let (mut documents, mut gone) = (Vec::with_capacity(entries.len()), Vec::new());
        for (entry, outcome) in entries.into_iter().zip(found) {
            let item = outcome.into_item()?;
            let text = item
                .as_ref()
                .and_then(|item| item.value.get("text")?.as_str());
            let Some(text) = text else {
                gone.push(entry.path.clone());
                continue;
            };
            documents.push(Document {
                path: entry.path.clone(),
                sha256: entry.sha256.clone().unwrap_or_default(),
                text: text.to_owned(),
                is_cut: matches!(entry.fate, Fate::Cut { .. }),
            });
        }
        let left = inputs.left.get(Why::Budget.name()).copied();
        let left = left.unwrap_or(0);
        Ok((DocumentSet { documents, left }, gone))
    }

    /// All files of a reading: those in the state, or the whole list if it is longer.
    pub(crate) async fn manifest(&self, inputs: &Inputs) -> Result<Vec<Entry>, StoreError> {
        let Some(name) = &inputs.manifest else {
            return Ok(inputs.files.clone());
        };
        let mut found = self.0.batch(vec![get(MANIFESTS, name.clone())?]).await?;
        let item = found.pop().map(superstep::store::Outcome::into_item);
        let files = item.transpose()?.flatten().and_then(|mut item| {
            let files = item.value.get_mut("files").map(Json::take)?;
            serde_json::from_value(files).ok()
        });
        Ok(files.unwrap_or_else(|| inputs.files.clone()))
    }
}

/// Under which name a text is kept: a piece of a document is not the document.
fn key(entry: &Entry) -> String {
    let sha256 = entry.sha256.as_deref().unwrap_or_default();
    match entry.fate {
        Fate::Cut { tokens, .. } => format!("{sha256}-{tokens}"),
        _ => sha256.to_owned(),
    }
}

/// Texts of documents that were read, by their hashes.
const DOCUMENTS: [&str; 2] = ["archie", "documents"];

/// Lists of files that were read.
const MANIFESTS: [&str; 2] = ["archie", "manifests"];

/// Namespaces of the store that hold what Archie reads again, not what people wrote: whoever lets people look into the store
/// leaves them out.
pub const BOOKKEEPING: [[&str; 2]; 2] = [DOCUMENTS, MANIFESTS];

fn namespace(kind: [&str; 2]) -> Result<Namespace, StoreError> {
    Namespace::new(kind).map_err(|error| StoreError::backend(error.to_string()))
}

fn put(kind: [&str; 2], key: String, value: Json) -> Result<Op, StoreError> {
    // Documents are found by hash, never by likeness.
    let options = PutOptions {
        index: Index::Off,
        ..PutOptions::default()
    };
    Ok(Op::Put(Put {
        namespace: namespace(kind)?,
        key,
        value,
        options,
    }))
}

fn get(kind: [&str; 2], key: String) -> Result<Op, StoreError> {
    Ok(Op::Get(Get {
        namespace: namespace(kind)?,
        key,
        ttl: TtlOnRead::Keep,
    }))
}
