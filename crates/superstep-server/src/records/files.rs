//! Records of files that clients uploaded: whose they are, and who has a file, each in a namespace of its own.

use std::sync::Arc;

use serde_json::Value as Json;
use superstep::store::{
    ContentHash, Delete, Index, Namespace, Op, Put, PutOptions, Search, Store, StoreError,
    TtlOnRead,
};

use super::{FILE_OWNERS, FILES, OWNED_FILES, Records, file::FileRecord};
use crate::owners::visitor::Visitor;

/// How many records are read at once.
const BATCH: usize = 1000;

/// The records of uploads.
pub(crate) struct FileRecords(Arc<dyn Store>);

impl FileRecords {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self(store)
    }

    pub(crate) async fn find(
        &self,
        caller: &Visitor,
        hash: &ContentHash,
    ) -> Result<Option<FileRecord>, StoreError> {
        let own = owned(&holder(caller))?;
        let found = self.0.get(&own, &hash.to_string(), TtlOnRead::Keep).await?;
        found.map(|item| read(item.value)).transpose()
    }

    /// Makes a record, in place of one with the same owner and hash.
    pub(crate) async fn make(
        &self,
        caller: &Visitor,
        hash: &ContentHash,
        record: &FileRecord,
    ) -> Result<(), StoreError> {
        self.put(&holder(caller), hash, record, None).await
    }

    pub(crate) async fn forget(
        &self,
        caller: &Visitor,
        hash: &ContentHash,
    ) -> Result<(), StoreError> {
        let holder = holder(caller);
        let own = delete(owned(&holder)?, hash.to_string());
        let of_file = delete(owners(hash)?, holder);
        self.0.batch(vec![own, of_file]).await.map(drop)
    }

    /// Whether anybody has a file.
    pub(crate) async fn has_any(&self, hash: &ContentHash) -> Result<bool, StoreError> {
        let search = Search {
            prefix: owners(hash)?.into(),
            limit: 1,
            ttl: TtlOnRead::Keep,
            ..Search::default()
        };
        Ok(!self.0.search(search).await?.is_empty())
    }

    /// The files of a caller, oldest first.
    pub(crate) async fn of(
        &self,
        caller: &Visitor,
    ) -> Result<Vec<(String, FileRecord)>, StoreError> {
        let own = owned(&holder(caller))?;
        let mut all = Vec::new();
        loop {
            let search = Search {
                prefix: own.clone().into(),
                limit: BATCH,
                offset: all.len(),
                ttl: TtlOnRead::Keep,
                ..Search::default()
            };
            let found = self.0.search(search).await?;
            let is_last = found.len() < BATCH;
            for found in found {
                all.push((found.item.key, read(found.item.value)?));
            }
            if is_last {
                return Ok(all);
            }
        }
    }

    /// Moves the records of earlier versions, which were in one namespace, to where they are now.
    pub(crate) async fn move_earlier(&self) -> Result<(), StoreError> {
        let earlier = Records::<FileRecord>::new(self.0.clone(), FILES);
        for (key, record) in earlier.all().await? {
            let (hash, owner) = match key.split_once('.') {
                Some((hash, owner)) => (hash, Some(owner.to_owned())),
                None => (&*key, None),
            };
            // What is no hash names no file.
            if let Ok(hash) = hash.parse() {
                let from = delete(earlier.space()?, key.clone());
                let holder = holder(&Visitor::of(owner));
                self.put(&holder, &hash, &record, Some(from)).await?;
            }
        }
        Ok(())
    }

    async fn put(
        &self,
        holder: &str,
        hash: &ContentHash,
        record: &FileRecord,
        also: Option<Op>,
    ) -> Result<(), StoreError> {
        let value = serde_json::to_value(record);
        let value = value.map_err(|error| StoreError::backend(error.to_string()))?;
        let own = put(owned(holder)?, hash.to_string(), value);
        let of_file = put(owners(hash)?, holder.to_owned(), Json::Bool(true));
        let ops = [own, of_file].into_iter().chain(also);
        self.0.batch(ops.collect()).await.map(drop)
    }
}

/// Whose a caller's files are: an owner's, or the server's.
fn holder(caller: &Visitor) -> String {
    match caller.name() {
        Some(owner) => format!("owner {owner}"),
        None => "server".to_owned(),
    }
}

/// Where the records of a holder's files are.
fn owned(holder: &str) -> Result<Namespace, StoreError> {
    let [first, second] = OWNED_FILES;
    Ok(Namespace::escaped([first, second, holder])?)
}

/// Where the holders of a file are.
fn owners(hash: &ContentHash) -> Result<Namespace, StoreError> {
    let [first, second] = FILE_OWNERS;
    Ok(Namespace::new([first, second, &hash.to_string()])?)
}

fn put(namespace: Namespace, key: String, value: Json) -> Op {
    let options = PutOptions {
        index: Index::Off,
        ..PutOptions::default()
    };
    Op::Put(Put {
        namespace,
        key,
        value,
        options,
    })
}

fn delete(namespace: Namespace, key: String) -> Op {
    Op::Delete(Delete { namespace, key })
}

fn read(value: Json) -> Result<FileRecord, StoreError> {
    let wrong = |error| StoreError::backend(format!("a record of a file is damaged: {error}"));
    serde_json::from_value(value).map_err(wrong)
}
