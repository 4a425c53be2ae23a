//! Bytes by content: the rows of `store_blobs`.
//!
//! A row is found by a name that says nothing about the content if the file is encrypted.

use rusqlite::{Connection, OptionalExtension, params};
use superstep_core::{codec::envelope::Address, error::SaverError};
use superstep_store::{Blobs, BoxFuture, ContentHash, StoreError};

use super::{
    check::Take,
    error::TransactionError,
    transaction::{self, Effort},
};
use crate::{Database, error::sql, seal::Seal, writer::Writer};

/// Larger content is read and written on another thread.
const BRIEF: usize = 64 << 10;

/// Bytes by content in a database file; cheap to clone.
#[derive(Clone)]
pub struct SqliteBlobs(Database);

impl Database {
    /// The bytes that are kept by content in this file.
    pub fn blobs(&self) -> SqliteBlobs {
        SqliteBlobs(self.clone())
    }
}

/// Where the hash of a row, and where its content is sealed.
fn places(space: &str, name: &[u8; 32]) -> (Address, Address) {
    let place = |part: &str| Address::of([part.as_bytes(), name, space.as_bytes()].concat());
    (place("hash"), place("content"))
}

fn what(space: &str) -> String {
    format!("content in {space:?}")
}

fn put(
    db: &Connection,
    seal: &Seal,
    space: &str,
    hash: ContentHash,
    content: &[u8],
) -> Result<(), TransactionError> {
    let name = seal.content_name(hash);
    if contains(db, seal, space, hash)? {
        return Ok(());
    }
    let (hash_place, content_place) = places(space, &name);
    let sealed = seal.seal(hash.as_bytes(), hash_place)?;
    let body = seal.seal(content, content_place)?;
    db.prepare_cached("INSERT INTO store_blobs (space, name, hash, body) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![space, name, sealed, body])?;
    Ok(())
}

fn contains(
    db: &Connection,
    seal: &Seal,
    space: &str,
    hash: ContentHash,
) -> Result<bool, TransactionError> {
    let select = "SELECT EXISTS (SELECT 1 FROM store_blobs WHERE space = ?1 AND name = ?2)";
    let name = seal.content_name(hash);
    Ok(db
        .prepare_cached(select)?
        .query_row(params![space, name], |row| row.get(0))?)
}

fn get(
    db: &Connection,
    seal: &Seal,
    space: &str,
    hash: ContentHash,
) -> Result<Option<Vec<u8>>, TransactionError> {
    let name = seal.content_name(hash);
    let body: Option<Vec<u8>> = db
        .prepare_cached("SELECT body FROM store_blobs WHERE space = ?1 AND name = ?2")?
        .query_row(params![space, name], |row| row.get(0))
        .optional()?;
    let Some(body) = body else {
        return Ok(None);
    };
    let damaged = || {
        let space = space.to_owned();
        TransactionError::Store(StoreError::DamagedContent { space, hash })
    };
    let content = match seal.open(&body, places(space, &name).1, &what(space)) {
        Ok(content) => content.into_owned(),
        Err(SaverError::Corrupt(_)) => return Err(damaged()),
        Err(other) => return Err(other.into()),
    };
    match ContentHash::of(&content) == hash {
        true => Ok(Some(content)),
        false => Err(damaged()),
    }
}

/// The hash of a row.
fn hash_of(
    seal: &Seal,
    space: &str,
    (name, sealed): &(Vec<u8>, Vec<u8>),
) -> Result<ContentHash, SaverError> {
    let damaged = || SaverError::Corrupt(format!("the hash of {} is damaged", what(space)));
    let name = name.as_slice().try_into().map_err(|_| damaged())?;
    let hash = seal.open(sealed, places(space, &name).0, &what(space))?;
    let hash = ContentHash::from_bytes(hash.as_ref().try_into().map_err(|_| damaged())?);
    match seal.content_name(hash) == name {
        true => Ok(hash),
        false => Err(damaged()),
    }
}

type Named = (Vec<u8>, Vec<u8>);

fn page(
    db: &Connection,
    seal: &Seal,
    space: &str,
    after: Option<ContentHash>,
    limit: usize,
) -> Result<Vec<ContentHash>, TransactionError> {
    let after = after.map(|after| seal.content_name(after).to_vec());
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows: Vec<Named> = db
        .prepare_cached(
            "SELECT name, hash FROM store_blobs WHERE space = ?1 AND name > ?2 ORDER BY name LIMIT ?3",
        )?
        .query_map(params![space, after.unwrap_or_default(), limit], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?
        .collect::<Result<_, _>>()?;
    let hashes = rows.iter().map(|row| hash_of(seal, space, row));
    Ok(hashes.collect::<Result<_, _>>()?)
}

/// Spaces and row numbers of all content.
fn all(db: &Connection) -> Result<Vec<(i64, String, Named)>, SaverError> {
    db.prepare("SELECT id, space, name, hash FROM store_blobs ORDER BY id")
        .and_then(|mut select| {
            let rows = select.query_map([], |row| {
                Ok((row.get(0)?, row.get(1)?, (row.get(2)?, row.get(3)?)))
            })?;
            rows.collect()
        })
        .map_err(sql)
}

/// Reads all content; gives how much there is.
pub(crate) fn check(db: &Connection, seal: &Seal, take: Take<'_>) -> Result<usize, SaverError> {
    let rows = match all(db) {
        Ok(rows) => rows,
        Err(error) => return take("content", error).map(|()| 0),
    };
    for (_, space, named) in &rows {
        let read = hash_of(seal, space, named)
            .and_then(|hash| get(db, seal, space, hash).map_err(|error| error.found()));
        if let Err(error) = read {
            take(&what(space), error)?;
        }
    }
    Ok(rows.len())
}

/// Copies all content into another database; gives how much.
pub(crate) fn copy_all(db: &Connection, seal: &Seal, to: &mut Writer) -> Result<usize, SaverError> {
    let rows = all(db)?;
    for (_, space, named) in &rows {
        let hash = hash_of(seal, space, named)?;
        let copied = get(db, seal, space, hash).and_then(|content| {
            to.change()?;
            put(
                to.db()?,
                &to.seal,
                space,
                hash,
                &content.unwrap_or_default(),
            )
        });
        copied.map_err(|error| error.to_saver_error())?;
    }
    Ok(rows.len())
}

impl SqliteBlobs {
    async fn read<T: Send + 'static>(
        &self,
        effort: Effort,
        space: &str,
        work: impl FnOnce(&Connection, &Seal, &str) -> Result<T, TransactionError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let space = space.to_owned();
        let read = transaction::read(&self.0, effort, move |db, seal| work(db, seal, &space));
        let read = read.await;
        read.map_err(|error| error.during("reading content", self.0.path()))
    }
}

impl Blobs for SqliteBlobs {
    fn put<'a>(
        &'a self,
        space: &'a str,
        content: Vec<u8>,
    ) -> BoxFuture<'a, Result<ContentHash, StoreError>> {
        Box::pin(async move {
            let effort = match content.len() <= BRIEF {
                true => Effort::Brief,
                false => Effort::Long,
            };
            let own = space.to_owned();
            let put = transaction::add(&self.0, effort, move |db, seal| {
                let hash = ContentHash::of(&content);
                put(db, seal, &own, hash, &content).map(|()| hash)
            });
            let put = put.await;
            put.map_err(|error| error.during("keeping content", self.0.path()))
        })
    }

    fn get<'a>(
        &'a self,
        space: &'a str,
        hash: ContentHash,
    ) -> BoxFuture<'a, Result<Option<Vec<u8>>, StoreError>> {
        Box::pin(self.read(Effort::Long, space, move |db, seal, space| {
            get(db, seal, space, hash)
        }))
    }

    fn contains<'a>(
        &'a self,
        space: &'a str,
        hash: ContentHash,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(self.read(Effort::Brief, space, move |db, seal, space| {
            contains(db, seal, space, hash)
        }))
    }

    fn remove<'a>(
        &'a self,
        space: &'a str,
        hash: ContentHash,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let own = space.to_owned();
            let remove = transaction::write(&self.0, Effort::Brief, move |db, seal| {
                let name = seal.content_name(hash);
                db.prepare_cached("DELETE FROM store_blobs WHERE space = ?1 AND name = ?2")?
                    .execute(params![own, name])?;
                Ok(())
            });
            let removed = remove.await;
            removed.map_err(|error| error.during("removing content", self.0.path()))
        })
    }

    fn list<'a>(
        &'a self,
        space: &'a str,
        after: Option<ContentHash>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<ContentHash>, StoreError>> {
        Box::pin(self.read(Effort::Brief, space, move |db, seal, space| {
            page(db, seal, space, after, limit)
        }))
    }
}
