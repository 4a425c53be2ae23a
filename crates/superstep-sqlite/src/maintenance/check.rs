//! Integrity check.
//!
//! SQLite checks pages and indexes; this checks the rest: that rows open and decode, that they link to
//! each other, that graphs end where their rows do, that texts and layouts exist, and that every item of the
//! long-term store opens (`crate::store` reads those).

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fmt,
};

use rusqlite::Connection;
use superstep_core::{
    codec::{self, BlobId, envelope::Address, parts::Names},
    error::SaverError,
    id::{CheckpointId, ThreadId},
    record::TaskNote,
};

use crate::{
    database::Inner,
    error::sql,
    events,
    graphs::{self, GraphRow},
    layouts::{self, Layouts},
    load::{RecordReader, blobs_of},
    records,
    row::{self, Kind, Row},
    runs, schedules,
    seal::Seal,
    store,
};

/// At most this many problems are listed.
const LISTED: usize = 1000;

/// Result of a check.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// Threads checked.
    pub threads: usize,
    /// Graphs checked.
    pub graphs: usize,
    /// Records and notes opened and decoded.
    pub rows: usize,
    /// Entries of event logs.
    pub entries: usize,
    /// Texts kept apart.
    pub blobs: usize,
    /// Runs of threads.
    pub runs: usize,
    /// Items of the long-term store.
    pub items: usize,
    /// Files kept by content: uploads, versions of workbooks.
    pub files: usize,
    /// Schedules.
    pub schedules: usize,
    /// The first thousand problems.
    pub problems: Vec<Problem>,
    /// How many problems are not listed.
    pub unlisted: usize,
}

/// Damage that a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// Where.
    pub place: String,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

impl Report {
    /// Whether nothing is wrong.
    pub fn is_clean(&self) -> bool {
        self.problems.is_empty()
    }

    fn add(&mut self, place: impl fmt::Display, what: impl fmt::Display) {
        if self.problems.len() >= LISTED {
            self.unlisted += 1;
            return;
        }
        self.problems.push(Problem {
            place: place.to_string(),
            what: what.to_string(),
        });
    }

    /// Turns damage into a problem and `None`. An error that says nothing about the file ends the
    /// check.
    fn take<T>(
        &mut self,
        place: impl fmt::Display,
        found: Result<T, SaverError>,
    ) -> Result<Option<T>, SaverError> {
        match found {
            Ok(found) => Ok(Some(found)),
            Err(
                error @ (SaverError::Corrupt(_) | SaverError::Sealed(_) | SaverError::Foreign(_)),
            ) => {
                self.add(place, error);
                Ok(None)
            }
            Err(other) => Err(other),
        }
    }
}

/// Quick check: the structure of the file, and the ends of all graphs.
pub(super) fn ends(inner: &Inner) -> Result<Report, SaverError> {
    inner.readers.read(|db| {
        let mut report = Report::default();
        pages(db, "PRAGMA quick_check", &mut report)?;
        for (_, graphs) in threads(db, &inner.seal, &mut report)? {
            for graph in graphs {
                for seq in [graph.head, graph.last] {
                    let end = row::get(db, seq);
                    if report.take(name(&graph), end)?.is_some() {
                        report.rows += 1;
                    }
                }
            }
        }
        Ok(report)
    })
}

/// Full check.
pub(super) fn all(inner: &Inner) -> Result<Report, SaverError> {
    inner.readers.read(|db| {
        let mut report = Report::default();
        pages(db, "PRAGMA integrity_check", &mut report)?;
        let threads = threads(db, &inner.seal, &mut report)?;
        let used = of_logs(db, &inner.seal, threads.keys(), &mut report)?;
        let layouts = Layouts::default();
        let mut log = LogCheck {
            db,
            seal: &inner.seal,
            layouts: &layouts,
            graphs: HashMap::new(),
            used,
        };
        for graph in threads.into_values().flatten() {
            log.graphs.insert(graph.graph, GraphCheck::new(graph));
        }
        log.read(&mut report)?;
        log.ends(&mut report);
        loose(db, &mut report)?;
        texts(db, &inner.seal, &mut report)?;
        uses(db, &log.used, &mut report)?;
        names(db, &inner.seal, &mut report)?;
        report.items = store::check(db, &inner.seal, &mut |place, error| {
            report.take(place, Err::<(), _>(error)).map(drop)
        })?;
        report.files = store::blobs::check(db, &inner.seal, &mut |place, error| {
            report.take(place, Err::<(), _>(error)).map(drop)
        })?;
        let all = schedules::all(db, &inner.seal);
        if let Some(all) = report.take("schedules", all)? {
            report.schedules = all.len();
        }
        Ok(report)
    })
}

fn name(graph: &GraphRow) -> String {
    match graph.name.is_root() {
        true => format!("thread {}", graph.thread),
        false => format!("thread {}, graph `{}`", graph.thread, graph.name),
    }
}

fn pages(db: &Connection, pragma: &'static str, report: &mut Report) -> Result<(), SaverError> {
    let found = db
        .prepare(pragma)
        .and_then(|mut check| check.query_map([], |row| row.get(0))?.collect())
        .map_err(sql);
    let lines: Vec<String> = report.take("pages", found)?.unwrap_or_default();
    for line in lines.into_iter().filter(|line| line != "ok") {
        report.add("pages", line);
    }
    Ok(())
}

/// All graphs that can be read, by thread.
fn threads(
    db: &Connection,
    seal: &Seal,
    report: &mut Report,
) -> Result<BTreeMap<i64, Vec<GraphRow>>, SaverError> {
    let found = db
        .prepare("SELECT thread, name, digest FROM threads ORDER BY thread")
        .and_then(|mut select| {
            let rows = select.query_map([], |row| {
                Ok((row.get(0)?, graphs::name_in(row, 1)?, row.get(2)?))
            })?;
            rows.collect()
        })
        .map_err(sql);
    let rows: Vec<(i64, String, i64)> = report.take("threads", found)?.unwrap_or_default();
    let mut all = BTreeMap::new();
    for (thread, name, digest) in rows {
        report.threads += 1;
        let place = format!("thread {thread} `{name}`");
        if graphs::digest(&name) != digest {
            report.add(&place, "its name is damaged");
        }
        let by_name = graphs::thread(db, &ThreadId::from(&name));
        match report.take(&place, by_name)? {
            Some(Some(row)) if row.thread == thread => {}
            Some(_) => report.add(&place, "it is not found by its name"),
            None => {}
        }
        if let Some(entries) = report.take(&place, events::check(db, seal, thread))? {
            report.entries += entries;
        }
        if let Some(runs) = report.take(&place, runs::check(db, seal, thread))? {
            report.runs += runs;
        }
        report.take(&place, records::find(db, seal, thread))?;
        if let Some(graphs) = report.take(&place, graphs::all(db, thread))? {
            report.graphs += graphs.len();
            all.insert(thread, graphs);
        }
    }
    Ok(all)
}

/// What the event logs of threads refer to.
fn of_logs<'t>(
    db: &Connection,
    seal: &Seal,
    threads: impl Iterator<Item = &'t i64>,
    report: &mut Report,
) -> Result<BTreeSet<(i64, BlobId)>, SaverError> {
    let mut used = BTreeSet::new();
    for thread in threads {
        let mut found = BTreeSet::new();
        let read = events::blobs(db, seal, *thread, &mut found);
        report.take(format!("thread {thread}"), read)?;
        used.extend(found.into_iter().map(|blob| (*thread, blob)));
    }
    Ok(used)
}

/// A graph during the scan of its rows.
struct GraphCheck {
    row: GraphRow,
    last: Option<i64>,
    head: Option<(i64, CheckpointId)>,
    /// Its records by number.
    records: HashMap<i64, CheckpointId>,
}

impl GraphCheck {
    fn new(row: GraphRow) -> Self {
        Self {
            row,
            last: None,
            head: None,
            records: HashMap::new(),
        }
    }
}

/// Scan of the log from its first row to its last.
struct LogCheck<'c> {
    db: &'c Connection,
    seal: &'c Seal,
    layouts: &'c Layouts,
    graphs: HashMap<i64, GraphCheck>,
    /// Which threads have rows, or entries of event logs, that refer to which texts.
    used: BTreeSet<(i64, BlobId)>,
}

impl LogCheck<'_> {
    fn read(&mut self, report: &mut Report) -> Result<(), SaverError> {
        let mut seq = i64::MIN;
        loop {
            let Some(rows) = report.take("log", row::after(self.db, seq))? else {
                return Ok(());
            };
            let Some((last, _)) = rows.last() else {
                return Ok(());
            };
            seq = *last;
            for (seq, row) in rows {
                if let Some(row) = report.take(format!("row {seq}"), row)? {
                    self.row(&row, report)?;
                }
            }
        }
    }

    fn row(&mut self, row: &Row, report: &mut Report) -> Result<(), SaverError> {
        if row.kind == Kind::Tombstone {
            return Ok(());
        }
        let place = format!("row {}, {}", row.seq, row.name());
        let Some(graph) = self.graphs.get_mut(&row.graph) else {
            report.add(place, "it belongs to no graph");
            return Ok(());
        };
        let place = format!("{}, {place}", name(&graph.row));
        report.rows += 1;
        if row.prev != graph.last {
            report.add(&place, "it does not follow the row before it");
        }
        graph.last = Some(row.seq);
        let above = row.parent.and_then(|parent| graph.records.get(&parent));
        if above.is_none() && (row.parent.is_some() || row.step().is_none()) {
            report.add(&place, "what it belongs to is missing");
        }
        let head = graph.head.map(|(seq, _)| seq);
        if row.aside != (head.is_some() && head != row.parent) {
            report.add(&place, "it is filed wrongly");
        }
        let above = above.copied();
        if let Some(step) = row.step() {
            if graph.head.is_some_and(|(_, newest)| newest >= step.id) {
                report.add(&place, "its id is not greater than those before it");
            }
            graph.head = Some((row.seq, step.id));
            graph.records.insert(row.seq, step.id);
        }
        let thread = graph.row.thread;
        let decoded = self.decode(row, above);
        for blob in report.take(place, decoded)?.unwrap_or_default() {
            self.used.insert((thread, blob));
        }
        Ok(())
    }

    /// The texts a row refers to, if all of it can be read.
    fn decode(&self, row: &Row, above: Option<CheckpointId>) -> Result<Vec<BlobId>, SaverError> {
        let mut reader = RecordReader::new(self.db, self.seal, self.layouts);
        match row.kind {
            Kind::Record(_) => reader.record(row, above).map(drop)?,
            Kind::Notes | Kind::MergedNotes => reader.unpack::<Vec<TaskNote>>(row).map(drop)?,
            Kind::Tombstone => {}
        }
        let bytes = self.seal.open(&row.body, row.place(), &row.name())?;
        blobs_of(&bytes).map_err(|error| crate::error::decode(&row.name(), &error))
    }

    fn ends(&self, report: &mut Report) {
        for graph in self.graphs.values() {
            let place = name(&graph.row);
            if graph.last != Some(graph.row.last) {
                report.add(&place, "its last row is not where it says");
            }
            if graph.head.map(|(seq, _)| seq) != Some(graph.row.head) {
                report.add(&place, "its newest checkpoint is not where it says");
            }
            if usize::try_from(graph.row.records) != Ok(graph.records.len()) {
                report.add(&place, "it has more or fewer checkpoints than it says");
            }
        }
    }
}

/// Graphs and blob references without a thread.
fn loose(db: &Connection, report: &mut Report) -> Result<(), SaverError> {
    let lost = [
        (
            "a graph of no thread",
            "SELECT graph FROM graphs WHERE thread NOT IN (SELECT thread FROM threads)",
        ),
        (
            "a run of no thread",
            "SELECT seq FROM runs WHERE thread NOT IN (SELECT thread FROM threads)",
        ),
        (
            "a text used by no thread",
            "SELECT blob FROM blobs WHERE blob NOT IN (SELECT blob FROM uses)",
        ),
        (
            "a text that is missing",
            "SELECT blob FROM uses WHERE blob NOT IN (SELECT blob FROM blobs)",
        ),
        (
            "uses of a thread that is not there",
            "SELECT DISTINCT thread FROM uses WHERE thread NOT IN (SELECT thread FROM threads)",
        ),
    ];
    for (what, statement) in lost {
        let found = db
            .prepare(statement)
            .and_then(|mut select| select.query_map([], |row| row.get(0))?.collect())
            .map_err(sql);
        let numbers: Vec<i64> = report.take(what, found)?.unwrap_or_default();
        for number in numbers {
            report.add(format!("number {number}"), what);
        }
    }
    Ok(())
}

/// Every text opens and matches its hash.
fn texts(db: &Connection, seal: &Seal, report: &mut Report) -> Result<(), SaverError> {
    let mut select = db
        .prepare("SELECT name, body FROM blobs ORDER BY blob")
        .map_err(sql)?;
    let mut rows = select.query([]).map_err(sql)?;
    loop {
        let next = rows.next().map_err(sql);
        let Some(Some(row)) = report.take("blobs", next)? else {
            return Ok(());
        };
        report.blobs += 1;
        let read = || -> Result<(), SaverError> {
            let name: [u8; 16] = row.get(0).map_err(sql)?;
            let body = row
                .get_ref(1)
                .and_then(|body| Ok(body.as_blob()?))
                .map_err(sql)?;
            let id = BlobId(u128::from_be_bytes(name));
            let what = format!("blob {:032x}", id.0);
            let text = seal.open(body, Address::of(name), &what)?;
            let same = seal.fits(&text, id);
            same.then_some(())
                .ok_or_else(|| SaverError::Corrupt(format!("{what} is something else")))
        };
        report.take("blobs", read())?;
    }
}

/// The table `uses` has what the rows of threads refer to.
fn uses(
    db: &Connection,
    used: &BTreeSet<(i64, BlobId)>,
    report: &mut Report,
) -> Result<(), SaverError> {
    let found = db
        .prepare("SELECT uses.thread, blobs.name FROM uses JOIN blobs ON blobs.blob = uses.blob")
        .and_then(|mut select| {
            let rows = select.query_map([], |row| {
                let name: [u8; 16] = row.get(1)?;
                Ok((row.get(0)?, BlobId(u128::from_be_bytes(name))))
            })?;
            rows.collect()
        })
        .map_err(sql);
    let Some(said): Option<BTreeSet<(i64, BlobId)>> = report.take("uses", found)? else {
        return Ok(());
    };
    let differences = [
        (
            used.difference(&said),
            "it uses a text, and the file does not say so",
        ),
        (
            said.difference(used),
            "the file says it uses a text, and it does not",
        ),
    ];
    for (missing, what) in differences {
        for (thread, blob) in missing {
            report.add(format!("thread {thread}, blob {:032x}", blob.0), what);
        }
    }
    Ok(())
}

/// Every layout opens and matches its digest.
fn names(db: &Connection, seal: &Seal, report: &mut Report) -> Result<(), SaverError> {
    let found = db
        .prepare("SELECT layout, digest, body FROM layouts")
        .and_then(|mut select| {
            let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
            rows.collect()
        })
        .map_err(sql);
    let rows: Vec<(i64, i64, Vec<u8>)> = report.take("layouts", found)?.unwrap_or_default();
    for (number, digest, body) in rows {
        let what = format!("layout {number}");
        let bytes = seal.open(&body, layouts::place(digest as u64), &what);
        let Some(bytes) = report.take("layouts", bytes)? else {
            continue;
        };
        let again = codec::unpack_layout(&bytes).and_then(|layout| codec::pack_layout(&layout));
        if again.map(|(again, _)| again as i64) != Ok(digest) {
            report.add(what, "it is something else");
        }
    }
    Ok(())
}
