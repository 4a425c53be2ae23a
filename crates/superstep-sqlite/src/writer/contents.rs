//! Layouts and blobs: content that rows refer to and that is stored once.

use std::sync::Arc;

use rusqlite::{OptionalExtension, params};
use superstep_core::{
    codec::{self, BlobId, envelope::Address},
    error::SaverError,
    record::Layout,
};

use super::Writer;
use crate::{
    error::{self, sql},
    layouts,
};

impl Writer {
    /// The row number of a layout, which is inserted if it is new.
    pub(crate) fn layout(&mut self, layout: &Arc<Layout>) -> Result<i64, SaverError> {
        let layout_digests = self
            .layout_digests
            .iter()
            .find(|(layout_digests, _)| Arc::ptr_eq(layout_digests, layout));
        let digest = match layout_digests {
            Some((_, digest)) => *digest,
            None => {
                let (digest, _) = codec::pack_layout(layout).map_err(|e| error::encode(&e))?;
                if self.layout_digests.len() >= 64 {
                    self.layout_digests.clear();
                }
                self.layout_digests.push((layout.clone(), digest));
                digest
            }
        };
        if let Some(number) = self.layouts.get(&digest) {
            return Ok(*number);
        }
        let number = match self.find_layout(digest)? {
            Some(number) => number,
            None => self.add_layout(layout, digest)?,
        };
        self.layouts.insert(digest, number);
        Ok(number)
    }

    fn find_layout(&self, digest: u64) -> Result<Option<i64>, SaverError> {
        self.log_db()?
            .prepare_cached("SELECT layout FROM layouts WHERE digest = ?1")
            .and_then(|mut select| {
                let found = select.query_row([digest as i64], |row| row.get(0));
                found.optional()
            })
            .map_err(sql)
    }

    fn add_layout(&mut self, layout: &Layout, digest: u64) -> Result<i64, SaverError> {
        let (_, bytes) = codec::pack_layout(layout).map_err(|e| error::encode(&e))?;
        let body = self.seal.seal(&bytes, layouts::place(digest))?;
        let connection = self.change_log()?;
        connection
            .prepare_cached("INSERT INTO layouts (digest, body) VALUES (?1, ?2)")
            .and_then(|mut insert| insert.execute(params![digest as i64, body]))
            .map_err(sql)?;
        Ok(connection.last_insert_rowid())
    }

    /// Inserts blobs that are new, and records that the thread uses them.
    pub(crate) fn blobs(
        &mut self,
        thread: i64,
        blobs: &[(BlobId, Arc<str>)],
    ) -> Result<(), SaverError> {
        for (id, text) in blobs {
            self.blob(thread, *id, text.as_bytes())?;
        }
        Ok(())
    }

    /// Inserts a blob if it is new, and records that the thread uses it; returns whether it did not
    /// before.
    pub(crate) fn blob(
        &mut self,
        thread: i64,
        id: BlobId,
        bytes: &[u8],
    ) -> Result<bool, SaverError> {
        let name = id.0.to_be_bytes();
        let found = self
            .log_db()?
            .prepare_cached("SELECT blob FROM blobs WHERE name = ?1")
            .and_then(|mut select| select.query_row([name], |row| row.get(0)).optional())
            .map_err(sql)?;
        let blob: i64 = match found {
            Some(blob) => blob,
            None => {
                let body = self.seal.seal(bytes, Address::of(name))?;
                let connection = self.change_log()?;
                connection
                    .prepare_cached("INSERT INTO blobs (name, body) VALUES (?1, ?2)")
                    .and_then(|mut insert| insert.execute(params![name, body]))
                    .map_err(sql)?;
                connection.last_insert_rowid()
            }
        };
        let added = self
            .change_log()?
            .prepare_cached("INSERT OR IGNORE INTO uses VALUES (?1, ?2)")
            .and_then(|mut insert| insert.execute([thread, blob]))
            .map_err(sql)?;
        Ok(added > 0)
    }
}
