//! Copying everything into an empty database, which may have another key.
//!
//! Rows keep their numbers, so what was sealed for a row is sealed anew for the same row. Entries of
//! event logs are taken apart again: the names of their parts depend on the key. Which thread uses
//! which text follows from what is copied. Leases are not copied, since nobody works on the copy.

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, params, params_from_iter, types::Value};
use superstep_core::{codec::BlobId, error::SaverError};

use crate::{
    blob,
    database::Inner,
    error::{self, sql},
    events, layouts,
    load::blobs_of,
    records,
    row::{self, Kind},
    runs, schedules,
    seal::Seal,
    store,
    writer::Writer,
};

/// What was copied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Copied {
    /// Threads.
    pub threads: usize,
    /// Entries of event logs.
    pub entries: usize,
    /// Runs of threads, also those that wait for a worker.
    pub runs: usize,
    /// Schedules.
    pub schedules: usize,
    /// Items of the long-term store, also those that have expired and were not swept yet.
    pub items: usize,
    /// Files kept by content: uploads, versions of workbooks.
    pub files: usize,
}

/// Columns that are copied as they are: what is read, and where it goes.
const THREADS: (&str, &str) = (
    "SELECT thread, name, digest, epoch, NULL, used, uuid FROM threads",
    "INSERT INTO threads VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
);
const OTHERS: [(&str, &str); 2] = [
    (
        "SELECT name, value FROM counters WHERE name <> 'sealed'",
        "REPLACE INTO counters VALUES (?1, ?2)",
    ),
    (
        "SELECT graph, thread, name, digest, head, last, records, tail, state, sum FROM graphs",
        "INSERT INTO graphs VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    ),
];

/// Copies all of a database, as it is at one moment.
pub(super) fn all(from: &Inner, to: &mut Writer) -> Result<Copied, SaverError> {
    refuse_unless_empty(to.db()?)?;
    from.readers.read(|db| {
        for (select, insert) in OTHERS {
            as_is(db, to.change()?, select, insert)?;
        }
        let copied = Copied {
            threads: as_is(db, to.change()?, THREADS.0, THREADS.1)?,
            runs: runs::copy_all(db, &from.seal, to)?,
            schedules: schedules::copy_all(db, &from.seal, to)?,
            items: store::copy_all(db, &from.seal, to)?,
            files: store::blobs::copy_all(db, &from.seal, to)?,
            entries: 0,
        };
        // What threads are found by is worked out anew: it depends on the key.
        to.change()?
            .execute(
                "INSERT OR IGNORE INTO unfound SELECT thread FROM threads",
                [],
            )
            .map_err(sql)?;
        records::copy_all(db, &from.seal, to)?;
        layouts(db, &from.seal, to)?;
        log(db, &from.seal, to)?;
        let mut entries = 0;
        for thread in numbers(db, "SELECT thread FROM threads ORDER BY thread")? {
            entries += events::copy_all(db, &from.seal, thread, to)?;
        }
        Ok(Copied { entries, ..copied })
    })
}

fn refuse_unless_empty(db: &Connection) -> Result<(), SaverError> {
    let occupied: bool = db
        .query_row(
            "SELECT EXISTS (SELECT 1 FROM threads) OR EXISTS (SELECT 1 FROM store_namespaces)
             OR EXISTS (SELECT 1 FROM store_blobs)",
            [],
            |row| row.get(0),
        )
        .map_err(sql)?;
    match occupied {
        true => Err(SaverError::Io(
            "something is stored in the database that should become a copy; give an empty one"
                .to_owned(),
        )),
        false => Ok(()),
    }
}

/// Copies rows without a sealed column; returns how many.
fn as_is(
    db: &Connection,
    to: &Connection,
    select: &str,
    insert: &str,
) -> Result<usize, SaverError> {
    let mut select = db.prepare(select).map_err(sql)?;
    let mut insert = to.prepare(insert).map_err(sql)?;
    let width = select.column_count();
    let mut rows = select.query([]).map_err(sql)?;
    let mut count = 0;
    while let Some(row) = rows.next().map_err(sql)? {
        let values: Result<Vec<Value>, _> = (0..width).map(|column| row.get(column)).collect();
        let values = values.map_err(sql)?;
        insert.execute(params_from_iter(values)).map_err(sql)?;
        count += 1;
    }
    Ok(count)
}

fn numbers(db: &Connection, select: &str) -> Result<Vec<i64>, SaverError> {
    db.prepare(select)
        .and_then(|mut select| select.query_map([], |row| row.get(0))?.collect())
        .map_err(sql)
}

fn layouts(db: &Connection, seal: &Seal, to: &mut Writer) -> Result<(), SaverError> {
    let mut select = db
        .prepare("SELECT layout, digest, body FROM layouts")
        .map_err(sql)?;
    let mut rows = select.query([]).map_err(sql)?;
    while let Some(row) = rows.next().map_err(sql)? {
        let (layout, digest): (i64, i64) = (row.get(0).map_err(sql)?, row.get(1).map_err(sql)?);
        let body: Vec<u8> = row.get(2).map_err(sql)?;
        let place = layouts::place(digest as u64);
        let what = format!("layout {layout}");
        let body = to
            .seal
            .seal(&seal.open(&body, place.clone(), &what)?, place)?;
        to.change()?
            .prepare_cached("INSERT INTO layouts VALUES (?1, ?2, ?3)")
            .and_then(|mut insert| insert.execute(params![layout, digest, body]))
            .map_err(sql)?;
    }
    Ok(())
}

/// Copies records and notes, and the texts they refer to.
fn log(db: &Connection, seal: &Seal, to: &mut Writer) -> Result<(), SaverError> {
    let threads: HashMap<i64, i64> = db
        .prepare("SELECT graph, thread FROM graphs")
        .and_then(|mut select| {
            let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect()
        })
        .map_err(sql)?;
    let mut used: HashSet<(i64, BlobId)> = HashSet::new();
    let mut seq = i64::MIN;
    loop {
        let rows = row::after(db, seq)?;
        let Some((last, _)) = rows.last() else {
            return Ok(());
        };
        seq = *last;
        for (_, row) in rows {
            let mut row = row?;
            if row.kind != Kind::Tombstone {
                let bytes = seal.open(&row.body, row.place(), &row.name())?.into_owned();
                let blobs = blobs_of(&bytes).map_err(|error| error::decode(&row.name(), &error))?;
                let thread = threads.get(&row.graph).copied();
                for blob in blobs {
                    if let Some(thread) = thread.filter(|thread| used.insert((*thread, blob))) {
                        text(db, seal, thread, blob, to)?;
                    }
                }
                row.body = to.seal.seal(&bytes, row.place())?;
            }
            row::insert(to.change()?, &row)?;
        }
    }
}

fn text(
    db: &Connection,
    seal: &Seal,
    thread: i64,
    blob: BlobId,
    to: &mut Writer,
) -> Result<(), SaverError> {
    let bytes = blob::read(db, seal, blob, |bytes, _| Ok(bytes.to_vec()));
    let bytes = bytes.map_err(SaverError::Corrupt)?;
    to.blob(thread, blob, &bytes).map(drop)
}
