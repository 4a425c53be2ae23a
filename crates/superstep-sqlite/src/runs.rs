//! Runs of threads: the rows of `runs`.
//!
//! A row has the whole record sealed in its body; the columns beside it are for finding it, and are
//! part of what the seal protects. What a record means is in `superstep_core::runs`.

use rusqlite::{Connection, OptionalExtension, Row as SqlRow, params};
use superstep_core::{
    codec::envelope::Address,
    error::SaverError,
    id::{CheckpointId, GraphPath, RunId},
    record::{Record, TaskNote},
    runs::{
        BeginRun, CancelRequest, EndRun, InputKind, Release, RunQuery, RunRecord, RunStatus, Start,
    },
    saver::At,
};

use crate::{
    clock::wall_millis,
    commit::CurrentGraph,
    error::sql,
    graphs, index_backlog,
    layouts::Layouts,
    load::RecordReader,
    lookup, row,
    seal::Seal,
    waiting::{self, Group},
    watch::Topic,
    writer::{BegunRun, Writer},
};

/// A run and its row.
pub(crate) struct RunRow {
    seq: i64,
    pub(crate) thread: i64,
    pub(crate) record: RunRecord,
}

/// How a status is stored.
pub(crate) fn number(status: RunStatus) -> i64 {
    match status {
        // The queue finds both by the time that they are due.
        RunStatus::Queued | RunStatus::Sleeping => 0,
        RunStatus::Running => 1,
        RunStatus::Done => 2,
        RunStatus::Waiting => 3,
        RunStatus::Paused => 4,
        RunStatus::Failed => 5,
        RunStatus::Interrupted => 6,
        RunStatus::Cancelled => 7,
        RunStatus::Drained => 8,
        // No run has another status; a later one would be found by its body.
        _ => 15,
    }
}

fn place(thread: i64, run: RunId, state: i64) -> Address {
    let beside = [
        thread as u64,
        (run.0 >> 64) as u64,
        run.0 as u64,
        state as u64,
    ];
    Address::of(beside.map(u64::to_be_bytes).as_flattened())
}

/// The columns of a row, sealed body included.
type Columns = (i64, [u8; 16], i64, i64, Vec<u8>);

fn columns(row: &SqlRow<'_>) -> Result<Columns, rusqlite::Error> {
    Ok((
        row.get(0)?,
        row.get(1)?,
        row.get(2)?,
        row.get(3)?,
        row.get(4)?,
    ))
}

impl RunRow {
    /// A run that has no row yet.
    fn new(thread: i64, record: RunRecord) -> Self {
        Self {
            seq: 0,
            thread,
            record,
        }
    }

    fn open(seal: &Seal, (seq, run, thread, state, body): Columns) -> Result<Self, SaverError> {
        let run = RunId(u128::from_be_bytes(run));
        Self::unseal(seal, seq, thread, run, state, &body)
    }

    /// Reads a run from its sealed body.
    fn unseal(
        seal: &Seal,
        seq: i64,
        thread: i64,
        run: RunId,
        state: i64,
        body: &[u8],
    ) -> Result<Self, SaverError> {
        let what = format_args!("run {run}");
        let bytes = seal.open(body, place(thread, run, state), &what)?;
        let read = rmp_serde::from_slice(&bytes);
        let record: RunRecord =
            read.map_err(|error| SaverError::Corrupt(format!("{what}: {error}")))?;
        Ok(Self {
            seq,
            thread,
            record,
        })
    }

    fn seal(&self, seal: &Seal) -> Result<(i64, Vec<u8>), SaverError> {
        let unstorable =
            |error: rmp_serde::encode::Error| SaverError::Unstorable(error.to_string());
        let bytes = rmp_serde::to_vec_named(&self.record).map_err(unstorable)?;
        let state = number(self.record.status());
        let body = seal.seal(&bytes, place(self.thread, self.record.id, state))?;
        Ok((state, body))
    }

    /// Adds it, and returns its sealed body.
    fn insert(&mut self, writer: &mut Writer) -> Result<Vec<u8>, SaverError> {
        let (state, body) = self.seal(&writer.seal)?;
        let id = self.record.id.0.to_be_bytes();
        let due = self.record.waiting().map(|queued| queued.due);
        let after = self.record.after_due();
        let group = Group::of(&self.record);
        let db = writer.change()?;
        index_backlog::note(db, self.thread)?;
        db.prepare_cached(
            "INSERT INTO runs (run, thread, state, body, due, after, owner, graph, ready)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )
        .and_then(|mut insert| {
            let Group { owner, graph } = group;
            insert.execute(params![
                id,
                self.thread,
                state,
                body,
                due,
                after,
                owner,
                graph,
                waiting::is_ready(due)
            ])
        })
        .map_err(sql)?;
        self.seq = db.last_insert_rowid();
        self.changed(writer);
        Ok(body)
    }

    /// Stores what has changed, and returns its sealed body.
    pub(crate) fn update(&self, writer: &mut Writer) -> Result<Vec<u8>, SaverError> {
        writer.change()?;
        let body = self.update_in(writer.db()?, &writer.seal)?;
        self.changed(writer);
        Ok(body)
    }

    /// The same, in a transaction of whoever has it.
    pub(crate) fn update_in(&self, db: &Connection, seal: &Seal) -> Result<Vec<u8>, SaverError> {
        let (state, body) = self.seal(seal)?;
        let due = self.record.waiting().map(|queued| queued.due);
        let after = self.record.after_due();
        index_backlog::note(db, self.thread)?;
        db.prepare_cached(
            "UPDATE runs SET state = ?2, body = ?3, due = ?4, after = ?5, ready = ?6 WHERE seq = ?1",
        )
        .and_then(|mut update| {
            let ready = waiting::is_ready(due);
            update.execute(params![self.seq, state, body, due, after, ready])
        })
        .map_err(sql)?;
        Ok(body)
    }

    /// Wakes those who wait for the run, or for runs to claim.
    fn changed(&self, writer: &mut Writer) {
        writer.changes.add(Topic::Run(self.record.id));
        if self.record.waiting().is_some() {
            writer.changes.add(Topic::Queue);
        }
    }
}

impl RunRow {
    fn delete(self, writer: &mut Writer) -> Result<(), SaverError> {
        let mut delete = writer
            .change()?
            .prepare_cached("DELETE FROM runs WHERE seq = ?1")
            .map_err(sql)?;
        delete.execute([self.seq]).map(drop).map_err(sql)
    }
}

/// Adds a run.
pub(crate) fn insert(
    writer: &mut Writer,
    thread: i64,
    record: RunRecord,
) -> Result<(), SaverError> {
    RunRow::new(thread, record).insert(writer).map(drop)
}

/// Copies all runs into another database, under the same numbers; returns how many.
pub(crate) fn copy_all(db: &Connection, seal: &Seal, to: &mut Writer) -> Result<usize, SaverError> {
    let mut select = db
        .prepare(
            "SELECT seq, run, thread, state, body, due, owner, graph, after FROM runs ORDER BY seq",
        )
        .map_err(sql)?;
    let mut rows = select.query([]).map_err(sql)?;
    let mut count = 0;
    while let Some(row) = rows.next().map_err(sql)? {
        let (seq, id, thread, state, body) = columns(row).map_err(sql)?;
        let due: Option<i64> = row.get(5).map_err(sql)?;
        let owner: i64 = row.get(6).map_err(sql)?;
        let graph: i64 = row.get(7).map_err(sql)?;
        let after: Option<i64> = row.get(8).map_err(sql)?;
        let run = RunId(u128::from_be_bytes(id));
        let place = place(thread, run, state);
        let what = format!("run {run}");
        let body = to
            .seal
            .seal(&seal.open(&body, place.clone(), &what)?, place)?;
        to.change()?
            .prepare_cached(
                "INSERT INTO runs (seq, run, thread, state, body, due, owner, graph, after)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )
            .and_then(|mut insert| {
                insert.execute(params![
                    seq, id, thread, state, body, due, owner, graph, after
                ])
            })
            .map_err(sql)?;
        count += 1;
    }
    Ok(count)
}

/// Some runs with work after them that is due, the longest due first: their rows.
pub(crate) fn due_after(db: &Connection, now: i64, limit: usize) -> Result<Vec<i64>, SaverError> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    db.prepare_cached(
        "SELECT seq FROM runs WHERE after IS NOT NULL AND after <= ?1 ORDER BY after, seq LIMIT ?2",
    )
    .and_then(|mut select| {
        let rows = select.query_map([now, limit], |row| row.get(0))?;
        rows.collect()
    })
    .map_err(sql)
}

/// The first run of a thread.
pub(crate) fn first(
    db: &Connection,
    seal: &Seal,
    thread: i64,
) -> Result<Option<RunRow>, SaverError> {
    let found = db
        .prepare_cached(
            "SELECT seq, run, thread, state, body FROM runs WHERE thread = ?1 ORDER BY seq LIMIT 1",
        )
        .and_then(|mut select| select.query_row([thread], columns).optional())
        .map_err(sql)?;
    found.map(|found| RunRow::open(seal, found)).transpose()
}

/// Notes that a thread is used.
pub(crate) fn touch(db: &Connection, thread: i64, now: i64) -> Result<(), SaverError> {
    db.prepare_cached("UPDATE threads SET used = ?2 WHERE thread = ?1")
        .and_then(|mut update| update.execute([thread, now]))
        .map(drop)
        .map_err(sql)
}

/// A run by its row.
pub(crate) fn by_seq(db: &Connection, seal: &Seal, seq: i64) -> Result<Option<RunRow>, SaverError> {
    let found = db
        .prepare_cached("SELECT seq, run, thread, state, body FROM runs WHERE seq = ?1")
        .and_then(|mut select| select.query_row([seq], columns).optional())
        .map_err(sql)?;
    found.map(|found| RunRow::open(seal, found)).transpose()
}

/// Records that a run begins.
pub(crate) fn begin(writer: &mut Writer, begin: BeginRun) -> Result<RunRecord, SaverError> {
    let (run, now) = (begin.run, wall_millis());
    let conflict = || SaverError::Conflict {
        thread: begin.thread.clone(),
    };
    let root = GraphPath::default();
    let current = CurrentGraph::find(writer, &begin.thread, begin.epoch, &root)?;
    let thread = current.thread;
    let epoch = graphs::epoch(writer.db()?, thread)?;
    if epoch != Some(current.epoch) {
        return Err(conflict());
    }
    // What can be refused is refused before anything is written, so that no savepoint is needed, which would copy
    // every page that is changed.
    let known = find(writer.db()?, &writer.seal, run)?;
    let is_new = known.is_none();
    let mut row = match known {
        Some(mut known) => {
            known.record.begin_again(begin, current.head, now)?;
            known
        }
        None => RunRow::new(thread, RunRecord::begun(begin, current.head, now)),
    };
    let leased = writer.leased.get(&row.record.thread);
    if leased.is_none_or(|leased| leased.may_have_runs) {
        for mut open in of_state(writer.db()?, &writer.seal, RunStatus::Running, Some(thread))? {
            if open.record.id != run {
                end_lost(writer, &mut open)?;
            }
        }
        for mut waiting in of_state(writer.db()?, &writer.seal, RunStatus::Queued, Some(thread))? {
            let slept = waiting.record.sleeping().is_some();
            match waiting.record.give_way(run, now) {
                true => waiting.delete(writer)?,
                false if slept && waiting.record.id != run => drop(waiting.update(writer)?),
                false => {}
            }
        }
    }
    let body = match is_new {
        true => row.insert(writer)?,
        false => row.update(writer)?,
    };
    let RunRow { seq, record, .. } = row;
    remember(writer, &record, seq, body);
    Ok(record)
}

/// Notes the run that begins under a lease, and how its row was written.
fn remember(writer: &mut Writer, record: &RunRecord, seq: i64, body: Vec<u8>) {
    if let Some(leased) = writer.leased.get_mut(&record.thread) {
        leased.may_have_runs = true;
        leased.run = Some(Box::new(BegunRun {
            id: record.id,
            seq,
            state: number(record.status()),
            body,
        }));
    }
}

/// Begins a run that waits, under the lease that its thread has just got. Returns whether the thread has
/// checkpoints.
pub(crate) fn claim(
    writer: &mut Writer,
    row: &mut RunRow,
    epoch: u64,
    mark: CheckpointId,
) -> Result<bool, SaverError> {
    let root = GraphPath::default();
    let name = row.record.thread.clone();
    let has_records = graphs::has_records(writer.db()?, row.thread)?;
    if let Some(leased) = writer.leased.get_mut(&name) {
        leased.complete = !has_records;
    }
    // One that was dropped, and was started without a queue, may be left.
    let (db, seal) = (writer.db()?, &writer.seal);
    let left = of_state(db, seal, RunStatus::Running, Some(row.thread));
    for mut left in unless_damaged(left)? {
        end_lost(writer, &mut left)?;
    }
    let current = CurrentGraph::find(writer, &name, epoch, &root);
    let head = unless_damaged(current.map(|current| current.head))?;
    let notes = match row.record.input {
        InputKind::Command if has_records => {
            unless_damaged(notes(writer.db()?, &writer.seal, row.thread))?
        }
        _ => Vec::new(),
    };
    let start = Start {
        epoch,
        head,
        notes: &notes,
        mark,
    };
    row.record.claim(start, wall_millis());
    let body = row.update(writer)?;
    remember(writer, &row.record, row.seq, body);
    Ok(has_records)
}

/// What was read, or nothing if it is damaged: the run that needs it fails when it loads its thread, and no other.
pub(crate) fn unless_damaged<T: Default>(read: Result<T, SaverError>) -> Result<T, SaverError> {
    match read {
        Err(damage) if damage.is_damage() => Ok(T::default()),
        read => read,
    }
}

/// Gives back a run that was claimed.
pub(crate) fn release(
    writer: &mut Writer,
    run: RunId,
    epoch: u64,
    release: Release,
) -> Result<(), SaverError> {
    let found = find(writer.db()?, &writer.seal, run)?;
    let mut row = found.ok_or(SaverError::NoRun { run })?;
    let is_own = row.record.is_open() && row.record.epoch == Some(epoch);
    let stored = graphs::epoch(writer.db()?, row.thread)?;
    if !is_own || stored.map(|stored| stored as u64) != Some(epoch) {
        let thread = row.record.thread;
        return Err(SaverError::Conflict { thread });
    }
    row.record.release(release, wall_millis());
    row.update(writer).map(drop)
}

/// Records how a run ended.
pub(crate) fn end(writer: &mut Writer, end: &EndRun) -> Result<(), SaverError> {
    if end_unchanged(writer, end)? {
        return Ok(());
    }
    let run = end.run;
    let missing = || SaverError::NoRun { run };
    let mut row = find(writer.db()?, &writer.seal, run)?.ok_or_else(missing)?;
    if row.record.thread != end.thread {
        return Err(missing());
    }
    let conflict = || SaverError::Conflict {
        thread: end.thread.clone(),
    };
    let current = CurrentGraph::find(writer, &end.thread, end.epoch, &GraphPath::default())?;
    let epoch = graphs::epoch(writer.db()?, row.thread)?;
    let is_own = row.record.is_open() && row.record.epoch == Some(end.epoch);
    if !is_own || epoch != Some(current.epoch) {
        return Err(conflict());
    }
    let alarm = row.record.finish(end, current.head, wall_millis());
    row.update(writer)?;
    leave(writer, row.thread, alarm)
}

/// Adds the alarm that a run leaves.
fn leave(writer: &mut Writer, thread: i64, alarm: Option<RunRecord>) -> Result<(), SaverError> {
    match alarm {
        Some(alarm) => insert(writer, thread, alarm),
        None => Ok(()),
    }
}

/// Ends the run that began under a lease, if its row is as it was written then (compare and swap).
/// Returns whether it was; somebody may have asked to cancel it.
fn end_unchanged(writer: &mut Writer, end: &EndRun) -> Result<bool, SaverError> {
    let leased = writer.leased.get_mut(&end.thread);
    let is_meant = |begun: &mut Box<BegunRun>| begun.id == end.run;
    let Some(begun) = leased.and_then(|leased| leased.run.take_if(is_meant)) else {
        return Ok(false);
    };
    let current = CurrentGraph::find(writer, &end.thread, end.epoch, &GraphPath::default())?;
    let BegunRun {
        id,
        seq,
        state,
        body,
    } = *begun;
    let mut row = RunRow::unseal(&writer.seal, seq, current.thread, id, state, &body)?;
    let alarm = row.record.finish(end, current.head, wall_millis());
    let (state, ended) = row.seal(&writer.seal)?;
    let due = row.record.waiting().map(|queued| queued.due);
    let after = row.record.after_due();
    let rows = writer
        .db()?
        .prepare_cached(
            "UPDATE runs SET state = ?2, body = ?3, due = ?4, after = ?7, ready = ?8 WHERE seq = ?1 AND body = ?5
             AND (SELECT epoch FROM threads WHERE threads.thread = runs.thread) = ?6",
        )
        .and_then(|mut update| {
            let ready = waiting::is_ready(due);
            update.execute(params![
                seq, state, ended, due, body, current.epoch, after, ready
            ])
        })
        .map_err(sql)?;
    if rows == 1 {
        index_backlog::note(writer.change()?, row.thread)?;
        row.changed(writer);
        leave(writer, row.thread, alarm)?;
    }
    Ok(rows == 1)
}

/// Puts the run of a lease that ends before it back into the queue, or ends it if it may not begin again. A
/// run that did not come from there may begin again under its id, and is left as it is.
pub(crate) fn end_left(writer: &mut Writer, thread: i64, epoch: i64) -> Result<(), SaverError> {
    // Runs that wait for the lease can be claimed.
    if waiting::has(writer.db()?, thread)? {
        writer.changes.add(Topic::Queue);
    }
    for mut row in of_state(writer.db()?, &writer.seal, RunStatus::Running, Some(thread))? {
        let is_own = row.record.epoch == u64::try_from(epoch).ok();
        if is_own && row.record.queued.is_some() {
            end_lost(writer, &mut row)?;
        } else if is_own {
            row.changed(writer);
        }
    }
    Ok(())
}

/// Ends a run whose lease is gone. Nothing is known of what it did if its thread is damaged, which whoever reads
/// the thread is told.
pub(crate) fn end_lost(writer: &mut Writer, row: &mut RunRow) -> Result<(), SaverError> {
    let newest = unless_damaged(newest(writer.db()?, &writer.seal, row.thread))?;
    row.record.end_lost(newest.as_ref(), wall_millis());
    row.update(writer).map(drop)
}

/// Shows a run whose lease is gone with its ending.
pub(crate) fn show_lost(db: &Connection, seal: &Seal, row: &mut RunRow) -> Result<(), SaverError> {
    let newest = newest(db, seal, row.thread)?;
    row.record.end_lost(newest.as_ref(), wall_millis());
    Ok(())
}

/// What is noted of the tasks of the newest checkpoint of a thread's own graph.
fn notes(db: &Connection, seal: &Seal, thread: i64) -> Result<Vec<TaskNote>, SaverError> {
    let Some(graph) = graphs::graph(db, thread, &GraphPath::default())? else {
        return Ok(Vec::new());
    };
    let Some(found) = lookup::locate(db, &graph, At::Latest)? else {
        return Ok(Vec::new());
    };
    let layouts = Layouts::default();
    let loaded = RecordReader::new(db, seal, &layouts).load(&graph, found)?;
    Ok(loaded.notes)
}

/// The newest record of a thread's own graph.
fn newest(db: &Connection, seal: &Seal, thread: i64) -> Result<Option<Record>, SaverError> {
    let Some(graph) = graphs::graph(db, thread, &GraphPath::default())? else {
        return Ok(None);
    };
    let layouts = Layouts::default();
    let mut reader = RecordReader::new(db, seal, &layouts);
    let record = reader.record(&row::get(db, graph.head)?, None)?;
    Ok(Some((*record).clone()))
}

/// A run by id.
pub(crate) fn find(db: &Connection, seal: &Seal, run: RunId) -> Result<Option<RunRow>, SaverError> {
    let found = db
        .prepare_cached("SELECT seq, run, thread, state, body FROM runs WHERE run = ?1")
        .and_then(|mut select| {
            let found = select.query_row([run.0.to_be_bytes()], columns);
            found.optional()
        })
        .map_err(sql)?;
    found.map(|found| RunRow::open(seal, found)).transpose()
}

/// The runs that are stored with a status, of a thread or of all, in the order they were recorded.
pub(crate) fn of_state(
    db: &Connection,
    seal: &Seal,
    status: RunStatus,
    thread: Option<i64>,
) -> Result<Vec<RunRow>, SaverError> {
    let rows = rows_of_state(db, status, thread)?.into_iter();
    rows.map(|row| RunRow::open(seal, row)).collect()
}

/// The same of all threads, without runs whose rows are damaged.
pub(crate) fn readable(
    db: &Connection,
    seal: &Seal,
    status: RunStatus,
) -> Result<Vec<RunRow>, SaverError> {
    let rows = rows_of_state(db, status, None)?.into_iter();
    rows.map(|row| RunRow::open(seal, row))
        .filter(|row| !row.as_ref().is_err_and(SaverError::is_damage))
        .collect()
}

fn rows_of_state(
    db: &Connection,
    status: RunStatus,
    thread: Option<i64>,
) -> Result<Vec<Columns>, SaverError> {
    db.prepare_cached(
        "SELECT seq, run, thread, state, body FROM runs
             WHERE state = ?1 AND thread BETWEEN ?2 AND ?3 ORDER BY thread, seq",
    )
    .and_then(|mut select| {
        let (first, last) = thread.map_or((i64::MIN, i64::MAX), |thread| (thread, thread));
        let rows = select.query_map(params![number(status), first, last], columns)?;
        rows.collect()
    })
    .map_err(sql)
}

/// The newest runs of threads, if they are stored as cut short.
pub(crate) fn cut_short(
    db: &Connection,
    seal: &Seal,
    thread: Option<i64>,
) -> Result<Vec<RunRow>, SaverError> {
    let mut rows = of_state(db, seal, RunStatus::Interrupted, thread)?;
    let mut is_last = db
        .prepare_cached("SELECT max(seq) = ?2 FROM runs WHERE thread = ?1")
        .map_err(sql)?;
    let mut failed = None;
    rows.retain(|row| {
        let read = is_last.query_row([row.thread, row.seq], |found| found.get(0));
        read.unwrap_or_else(|error| {
            failed = Some(sql(error));
            false
        })
    });
    failed.map_or(Ok(rows), Err)
}

/// The runs of a thread that a query wants, newest first, each after `show` has looked at it.
pub(crate) fn list(
    db: &Connection,
    seal: &Seal,
    thread: i64,
    query: &RunQuery,
    mut show: impl FnMut(RunRow) -> Result<RunRecord, SaverError>,
) -> Result<Vec<RunRecord>, SaverError> {
    let before = match query.before {
        None => i64::MAX,
        Some(run) => match find(db, seal, run)? {
            Some(row) if row.thread == thread => row.seq,
            _ => return Ok(Vec::new()),
        },
    };
    let mut select = db
        .prepare_cached(
            "SELECT seq, run, thread, state, body FROM runs
             WHERE thread = ?1 AND seq < ?2 ORDER BY seq DESC",
        )
        .map_err(sql)?;
    let mut rows = select.query([thread, before]).map_err(sql)?;
    let (mut found, limit) = (Vec::new(), query.limit.unwrap_or(usize::MAX));
    while found.len() < limit
        && let Some(row) = rows.next().map_err(sql)?
    {
        let record = show(RunRow::open(seal, columns(row).map_err(sql)?)?)?;
        if record.is_alarm() {
            continue;
        }
        if query.status.is_none_or(|status| record.status() == status) {
            found.push(record);
        }
    }
    Ok(found)
}

/// Notes a request to cancel a run; returns whether it has not ended yet.
pub(crate) fn request_cancel(
    writer: &mut Writer,
    mut row: RunRow,
    request: CancelRequest,
) -> Result<bool, SaverError> {
    let is_open = row.record.request_cancel(request);
    if is_open {
        row.update(writer)?;
    }
    Ok(is_open)
}

/// Removes the runs of a thread.
pub(crate) fn remove(db: &Connection, thread: i64) -> Result<(), SaverError> {
    db.prepare_cached("DELETE FROM runs WHERE thread = ?1")
        .and_then(|mut delete| delete.execute([thread]))
        .map(drop)
        .map_err(sql)
}

/// Removes the runs that ended before the oldest checkpoint that is left.
pub(crate) fn prune(
    writer: &mut Writer,
    thread: i64,
    oldest: CheckpointId,
) -> Result<(), SaverError> {
    let mut old = Vec::new();
    list(
        writer.db()?,
        &writer.seal,
        thread,
        &RunQuery::default(),
        |row| {
            let end = row.record.checkpoint;
            let is_over = row.record.ending.is_some() && row.record.after.is_none();
            if is_over && end.is_some_and(|end| end < oldest) {
                old.push(row.seq);
            }
            Ok(row.record)
        },
    )?;
    let db = writer.change()?;
    index_backlog::note(db, thread)?;
    for seq in old {
        db.prepare_cached("DELETE FROM runs WHERE seq = ?1")
            .and_then(|mut delete| delete.execute([seq]))
            .map_err(sql)?;
    }
    Ok(())
}

/// Reads all runs of a thread, and returns how many there are.
pub(crate) fn check(db: &Connection, seal: &Seal, thread: i64) -> Result<usize, SaverError> {
    let all = list(db, seal, thread, &RunQuery::default(), |row| Ok(row.record));
    all.map(|all| all.len())
}
