//! Schedules: the rows of `schedules`.
//!
//! A row has the whole schedule sealed in its body; the time beside it is for finding what is due, and is
//! part of what the seal protects. What a schedule means is in `superstep_core::schedules`.

use rusqlite::{Connection, OptionalExtension, Row as SqlRow, params};
use superstep_core::{codec::envelope::Address, error::SaverError, schedules::CronSchedule};

use crate::{error::sql, seal::Seal, writer::Writer};

fn place(id: &str, next: Option<i64>) -> Address {
    let next = next.map_or([0; 9], |next| {
        let [a, b, c, d, e, f, g, h] = next.to_be_bytes();
        [1, a, b, c, d, e, f, g, h]
    });
    let beside: Vec<u8> = next.into_iter().chain(id.bytes()).collect();
    Address::of(beside)
}

type ScheduleColumns = (String, Option<i64>, Vec<u8>);

fn columns(row: &SqlRow<'_>) -> Result<ScheduleColumns, rusqlite::Error> {
    Ok((row.get(0)?, row.get(1)?, row.get(2)?))
}

fn open(seal: &Seal, (id, next, body): ScheduleColumns) -> Result<CronSchedule, SaverError> {
    let what = format!("schedule `{id}`");
    let bytes = seal.open(&body, place(&id, next), &what)?;
    let read = rmp_serde::from_slice(&bytes);
    read.map_err(|error| SaverError::Corrupt(format!("{what}: {error}")))
}

/// Stores a schedule.
pub(crate) fn put(writer: &mut Writer, schedule: &CronSchedule) -> Result<(), SaverError> {
    let unstorable = |error: rmp_serde::encode::Error| SaverError::Unstorable(error.to_string());
    let bytes = rmp_serde::to_vec_named(schedule).map_err(unstorable)?;
    let (id, next) = (&*schedule.id, schedule.next);
    let body = writer.seal.seal(&bytes, place(id, next))?;
    writer
        .change()?
        .prepare_cached("REPLACE INTO schedules VALUES (?1, ?2, ?3)")
        .and_then(|mut replace| replace.execute(params![id, next, body]))
        .map(drop)
        .map_err(sql)
}

/// A schedule by id.
pub(crate) fn find(
    db: &Connection,
    seal: &Seal,
    id: &str,
) -> Result<Option<CronSchedule>, SaverError> {
    let found = db
        .prepare_cached("SELECT id, next, body FROM schedules WHERE id = ?1")
        .and_then(|mut select| select.query_row([id], columns).optional())
        .map_err(sql)?;
    found.map(|found| open(seal, found)).transpose()
}

/// All schedules, in order of id.
pub(crate) fn all(db: &Connection, seal: &Seal) -> Result<Vec<CronSchedule>, SaverError> {
    let rows: Vec<ScheduleColumns> = db
        .prepare_cached("SELECT id, next, body FROM schedules ORDER BY id")
        .and_then(|mut select| select.query_map([], columns)?.collect())
        .map_err(sql)?;
    rows.into_iter().map(|row| open(seal, row)).collect()
}

/// The schedules that are due, those that are due longest first.
pub(crate) fn due(db: &Connection, seal: &Seal, now: i64) -> Result<Vec<CronSchedule>, SaverError> {
    let rows: Vec<ScheduleColumns> = db
        .prepare_cached(
            "SELECT id, next, body FROM schedules WHERE next IS NOT NULL AND next <= ?1
             ORDER BY next, id",
        )
        .and_then(|mut select| select.query_map([now], columns)?.collect())
        .map_err(sql)?;
    rows.into_iter().map(|row| open(seal, row)).collect()
}

/// Deletes a schedule; returns whether there was one.
pub(crate) fn delete(db: &Connection, id: &str) -> Result<bool, SaverError> {
    db.prepare_cached("DELETE FROM schedules WHERE id = ?1")
        .and_then(|mut delete| delete.execute([id]))
        .map(|rows| rows > 0)
        .map_err(sql)
}

/// Copies all schedules into another database; returns how many.
pub(crate) fn copy_all(db: &Connection, seal: &Seal, to: &mut Writer) -> Result<usize, SaverError> {
    let all = all(db, seal)?;
    for schedule in &all {
        put(to, schedule)?;
    }
    Ok(all.len())
}
