//! Layouts: the names of channels and nodes that records refer to by number.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use rusqlite::{Connection, OptionalExtension};
use superstep_core::{
    codec::{self, envelope::Address},
    error::SaverError,
    record::Layout,
};

use crate::{
    error::{self, sql},
    seal::Seal,
};
use superstep_core::sync::lock;

/// Cache of layouts by row number, shared by all readers of a database.
#[derive(Default)]
pub(crate) struct Layouts(Mutex<HashMap<i64, Arc<Layout>>>);

impl Layouts {
    /// The layout with a number.
    pub(crate) fn get(
        &self,
        db: &Connection,
        seal: &Seal,
        number: i64,
    ) -> Result<Arc<Layout>, SaverError> {
        if let Some(layout) = lock(&self.0).get(&number) {
            return Ok(layout.clone());
        }
        let found: Option<(i64, Vec<u8>)> = db
            .prepare_cached("SELECT digest, body FROM layouts WHERE layout = ?1")
            .and_then(|mut select| {
                let found = select.query_row([number], |row| Ok((row.get(0)?, row.get(1)?)));
                found.optional()
            })
            .map_err(sql)?;
        let what = format!("layout {number}");
        let missing = || SaverError::Corrupt(format!("{what} is missing"));
        let (digest, body) = found.ok_or_else(missing)?;
        let bytes = seal.open(&body, place(digest as u64), &what)?;
        let layout = codec::unpack_layout(&bytes).map_err(|error| error::decode(&what, &error))?;
        let layout = Arc::new(layout);
        lock(&self.0).insert(number, layout.clone());
        Ok(layout)
    }
}

/// The place that the body of a layout is sealed for.
pub(crate) fn place(digest: u64) -> Address {
    Address::of(digest.to_be_bytes())
}
