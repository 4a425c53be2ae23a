//! Document texts in the long-term store, keyed by content hash.
//!
//! A thread holds hashes; the texts are stored once, whichever threads have read them, and are
//! there after the folder is gone.

use serde_json::{Value as Json, json};
use superstep::{
    store::{Get, Index, Namespace, Op, Put, PutOptions, Store, StoreError, TtlOnRead},
    text::single_line,
};

use super::{Entry, Fate, Inputs, Reading, Why, hash, manifest::LISTED};
use crate::error::ErrorKind;

/// How many texts are put or fetched at once.
const BATCH: usize = 32;

/// A document and its whole text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Document {
    pub(crate) path: String,
    pub(crate) sha256: String,
    pub(crate) text: String,
}

/// The documents of a thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DocumentSet {
    /// In order of their paths.
    pub(crate) documents: Vec<Document>,
    /// How many others are too much to keep.
    pub(crate) left: usize,
}

impl DocumentSet {
    /// The number of the document that a path names: its own, or the end of exactly one.
    pub(crate) fn named(&self, path: &str) -> Option<usize> {
        let path = path.trim().trim_start_matches("./");
        let is_it = |it: &Document| it.path == path || single_line(&it.path) == path;
        if let Some(found) = self.documents.iter().position(is_it) {
            return Some(found);
        }
        let end = format!("/{path}");
        let ends_so = |it: &Document| !path.is_empty() && single_line(&it.path).ends_with(&end);
        let all = self.documents.iter().enumerate();
        let mut ends = all.filter(|(_, it)| ends_so(it));
        match (ends.next(), ends.next()) {
            (Some((found, _)), None) => Some(found),
            _ => None,
        }
    }
}

/// The texts in the long-term store.
pub(crate) struct DocumentStore<'a>(pub(crate) &'a dyn Store);

impl DocumentStore<'_> {
    /// Keeps the texts of a reading, and the list of its files if that is long. Gives the key of
    /// the list.
    pub(crate) async fn put(&self, reading: &Reading) -> Result<Option<String>, StoreError> {
        let texts: Vec<_> = reading.files.iter().zip(&reading.texts).collect();
        for some in texts.chunks(BATCH) {
            let puts = some.iter().map(|(entry, text)| {
                let value = json!({"path": entry.path, "text": text});
                put(DOCUMENTS, sha256(entry), value)
            });
            self.0.batch(puts.collect::<Result<_, _>>()?).await?;
        }
        let mut puts = Vec::new();
        let mut manifest = None;
        let shown = reading.files.iter().filter(|it| it.fate.tokens().is_some());
        if reading.files.len() - shown.count() > LISTED {
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
        let mut entries = match inputs.kept > inputs.files.len() {
            true => self.manifest(inputs).await?,
            false => inputs.files.clone(),
        };
        let included = inputs.included().count();
        entries.truncate(inputs.kept.max(included));
        entries.sort_by(|one, other| one.path.cmp(&other.path));
        // Earlier versions kept the beginning of a document that did not fit, under a name of its own.
        let key = match inputs.kept {
            0 => key_of_beginning,
            _ => sha256,
        };
        let (mut documents, mut gone) = (Vec::with_capacity(entries.len()), Vec::new());
        for some in entries.chunks(BATCH) {
            let texts = self.texts(some, key).await?;
            for (entry, text) in some.iter().zip(texts) {
                match text {
                    Some(text) => documents.push(Document {
                        path: entry.path.clone(),
                        sha256: sha256(entry),
                        text,
                    }),
                    None => gone.push(entry.path.clone()),
                }
            }
        }
        let left = inputs.left.get(Why::Budget.name()).copied().unwrap_or(0);
        let left = left.saturating_sub(inputs.kept.saturating_sub(included));
        Ok((DocumentSet { documents, left }, gone))
    }

    /// The texts under these keys.
    async fn texts(
        &self,
        entries: &[Entry],
        key: fn(&Entry) -> String,
    ) -> Result<Vec<Option<String>>, StoreError> {
        let gets: Result<Vec<Op>, StoreError> = entries
            .iter()
            .map(|entry| get(DOCUMENTS, key(entry)))
            .collect();
        let found = self.0.batch(gets?).await?.into_iter();
        let texts = found.map(|outcome| {
            let item = outcome.into_item()?;
            Ok(
                item.and_then(|mut item| match item.value.get_mut("text")?.take() {
                    Json::String(text) => Some(text),
                    _ => None,
                }),
            )
        });
        texts.collect()
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

/// The key of a text.
fn sha256(entry: &Entry) -> String {
    entry.sha256.clone().unwrap_or_default()
}

/// The key of the beginning of a document.
fn key_of_beginning(entry: &Entry) -> String {
    match entry.fate {
        Fate::Cut { tokens, .. } => format!("{}-{tokens}", sha256(entry)),
        _ => sha256(entry),
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
