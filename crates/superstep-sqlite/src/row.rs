//! Rows of the log: records and notes.

use std::fmt;

use rusqlite::{CachedStatement, Connection, OptionalExtension, Row as SqlRow, params};
use superstep_core::{
    codec::envelope::{self, Address},
    error::SaverError,
    id::CheckpointId,
    policy::Durability,
    record::Source,
};

use crate::error::{self, sql};

/// A row of the table `log`.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) seq: i64,
    pub(crate) graph: i64,
    /// The row of the graph before this one.
    pub(crate) prev: Option<i64>,
    /// Of a record, the one it follows; of notes, the record they belong to.
    pub(crate) parent: Option<i64>,
    pub(crate) kind: Kind,
    /// Whether `marks` has it.
    pub(crate) mark: bool,
    /// Whether `asides` has it: the parent is not the newest record before it.
    pub(crate) aside: bool,
    /// Sealed.
    pub(crate) body: Vec<u8>,
}

/// What a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Notes, to be merged with the earlier ones.
    Notes,
    /// Notes that replace the earlier ones.
    MergedNotes,
    /// A record.
    Record(Step),
    /// Keeps the numbers of deleted rows from being assigned again.
    Tombstone,
}

/// What is known of a record without decoding its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) id: CheckpointId,
    pub(crate) step: i64,
    pub(crate) source: Source,
    pub(crate) durability: Durability,
    pub(crate) full: bool,
    pub(crate) layout: i64,
    /// How many bytes of the body count toward the state.
    pub(crate) state: i64,
}

/// One record out of this many is in the index `marks`.
pub(crate) const MARK_EVERY: i64 = 64;

const NOTES: i64 = -1;
const TOMBSTONE: i64 = -2;
const MERGED_NOTES: i64 = -3;

const SOURCES: [Source; 5] = [
    Source::Input,
    Source::Loop,
    Source::Update,
    Source::Fork,
    Source::Anchor,
];
const LEVELS: [Durability; 4] = [
    Durability::Sync,
    Durability::Normal,
    Durability::Async,
    Durability::Exit,
];

impl Kind {
    fn number(self) -> i64 {
        let step = match self {
            Self::Notes => return NOTES,
            Self::MergedNotes => return MERGED_NOTES,
            Self::Tombstone => return TOMBSTONE,
            Self::Record(step) => step,
        };
        let at = |place: Option<usize>| place.unwrap_or(0) as i64;
        let source = at(SOURCES.iter().position(|source| *source == step.source));
        let level = at(LEVELS.iter().position(|level| *level == step.durability));
        source | i64::from(step.full) << 3 | level << 4
    }
}

impl Row {
    /// The record in it, if it is one.
    pub(crate) fn step(&self) -> Option<Step> {
        match self.kind {
            Kind::Record(step) => Some(step),
            Kind::Notes | Kind::MergedNotes | Kind::Tombstone => None,
        }
    }

    /// All other columns: the body opens in no other row.
    pub(crate) fn place(&self) -> Address {
        let link = |row: Option<i64>| row.unwrap_or(0);
        let step = self.step();
        let own = |number: fn(&Step) -> i64| step.as_ref().map_or(0, number);
        let beside = [
            self.seq,
            self.graph,
            link(self.prev),
            link(self.parent),
            self.kind.number(),
            i64::from(self.mark) | i64::from(self.aside) << 1,
            own(|step| step.step),
            own(|step| step.layout),
            own(|step| step.state),
            own(|step| (step.id.0 >> 64) as i64),
            own(|step| step.id.0 as i64),
        ];
        let beside = beside.map(i64::to_be_bytes);
        // Notes have none of what comes last.
        let used = if step.is_some() { beside.len() } else { 6 };
        let used = beside.get(..used).unwrap_or_default();
        Address::of(used.as_flattened())
    }

    /// Checks the seal of the body.
    fn checked(self) -> Result<Self, SaverError> {
        match envelope::open(&self.body, &self.place()) {
            Ok(_) => Ok(self),
            Err(error) => Err(error::envelope(&self.name(), &error)),
        }
    }

    /// What it is called in errors.
    pub(crate) fn name(&self) -> RowName {
        match self.kind {
            Kind::Record(step) => RowName::Checkpoint(step.id),
            Kind::Notes | Kind::MergedNotes | Kind::Tombstone => RowName::Notes(self.seq),
        }
    }

    fn read(row: &SqlRow<'_>) -> Result<Self, rusqlite::Error> {
        let wrong = |column: usize, what: &str| {
            rusqlite::Error::InvalidColumnType(column, what.into(), rusqlite::types::Type::Null)
        };
        let number: i64 = row.get(4)?;
        let kind = match number {
            NOTES => Kind::Notes,
            MERGED_NOTES => Kind::MergedNotes,
            TOMBSTONE => Kind::Tombstone,
            _ => {
                let bits = |shift: i64, mask: i64| usize::try_from(number >> shift & mask).ok();
                let source = bits(0, 7).and_then(|ix| SOURCES.get(ix));
                let durability = bits(4, -1).and_then(|ix| LEVELS.get(ix));
                let (Some(source), Some(durability)) = (source, durability) else {
                    return Err(wrong(4, "kind"));
                };
                Kind::Record(Step {
                    id: CheckpointId(u128::from_be_bytes(row.get(9)?)),
                    state: row.get(11)?,
                    step: row.get(5)?,
                    source: *source,
                    durability: *durability,
                    full: number >> 3 & 1 == 1,
                    layout: row.get(6)?,
                })
            }
        };
        Ok(Self {
            seq: row.get(0)?,
            graph: row.get(1)?,
            prev: row.get(2)?,
            parent: row.get(3)?,
            kind,
            mark: row.get::<_, Option<bool>>(7)?.unwrap_or(false),
            aside: row.get::<_, Option<bool>>(8)?.unwrap_or(false),
            body: row.get(10)?,
        })
    }
}

/// What a row is called in errors.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RowName {
    Checkpoint(CheckpointId),
    Notes(i64),
}

impl fmt::Display for RowName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Checkpoint(id) => write!(f, "checkpoint {id}"),
            Self::Notes(row) => write!(f, "notes in row {row}"),
        }
    }
}

/// Reads rows by number.
pub(crate) struct Rows<'c>(CachedStatement<'c>);

impl<'c> Rows<'c> {
    pub(crate) fn new(connection: &'c Connection) -> Result<Self, SaverError> {
        connection
            .prepare_cached(
                "SELECT seq, graph, prev, parent, kind, step, layout, mark, aside, id, body, state
                 FROM log WHERE seq = ?1",
            )
            .map(Self)
            .map_err(sql)
    }

    /// The row with this number; a missing one means damage.
    pub(crate) fn get(&mut self, seq: i64) -> Result<Row, SaverError> {
        let found = self.0.query_row([seq], Row::read).optional().map_err(sql)?;
        let missing = || SaverError::Corrupt(format!("row {seq} of the log is missing"));
        found.ok_or_else(missing)?.checked()
    }

    /// The row that a row links back to.
    pub(crate) fn follow(&mut self, from: &Row, to: i64) -> Result<Row, SaverError> {
        let row = self.get(to)?;
        // Links lead back within a graph; anything else could loop.
        if row.seq < from.seq && row.graph == from.graph {
            return Ok(row);
        }
        let why = format!("{} is linked wrongly", from.name());
        Err(SaverError::Corrupt(why))
    }
}

/// The row with this number.
pub(crate) fn get(connection: &Connection, seq: i64) -> Result<Row, SaverError> {
    Rows::new(connection)?.get(seq)
}

/// A row, or why it cannot be read, and its number either way.
pub(crate) type Numbered = (i64, Result<Row, SaverError>);

/// Rows with a number greater than this one, in order; nothing if there are none.
pub(crate) fn after(connection: &Connection, seq: i64) -> Result<Vec<Numbered>, SaverError> {
    connection
        .prepare_cached(
            "SELECT seq, graph, prev, parent, kind, step, layout, mark, aside, id, body, state
             FROM log WHERE seq > ?1 ORDER BY seq LIMIT 64",
        )
        .and_then(|mut select| {
            let rows = select.query_map([seq], |row| {
                let read = Row::read(row).map_err(sql).and_then(|row| match row.kind {
                    Kind::Tombstone => Ok(row),
                    _ => row.checked(),
                });
                Ok((row.get(0)?, read))
            })?;
            rows.collect()
        })
        .map_err(sql)
}

/// Forks from a record and late notes of it, in order.
pub(crate) fn asides(connection: &Connection, parent: i64) -> Result<Vec<Row>, SaverError> {
    let rows: Vec<Row> = connection
        .prepare_cached(
            "SELECT seq, graph, prev, parent, kind, step, layout, mark, aside, id, body, state
             FROM log WHERE aside = 1 AND parent = ?1 ORDER BY seq",
        )
        .and_then(|mut select| select.query_map([parent], Row::read)?.collect())
        .map_err(sql)?;
    rows.into_iter().map(Row::checked).collect()
}

/// The first marked record of a graph that is newer than an id.
pub(crate) fn mark(
    connection: &Connection,
    graph: i64,
    id: CheckpointId,
) -> Result<Option<i64>, SaverError> {
    connection
        .prepare_cached(
            "SELECT seq FROM log WHERE mark = 1 AND graph = ?1 AND id > ?2 ORDER BY id LIMIT 1",
        )
        .and_then(|mut select| {
            let found = select.query_row(params![graph, id.0.to_be_bytes()], |row| row.get(0));
            found.optional()
        })
        .map_err(sql)
}

/// Adds a row.
pub(crate) fn insert(connection: &Connection, row: &Row) -> Result<(), SaverError> {
    let step = row.step();
    connection
        .prepare_cached(
            "INSERT INTO log VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        )
        .and_then(|mut insert| {
            insert.execute(params![
                row.seq,
                row.graph,
                row.prev,
                row.parent,
                row.kind.number(),
                step.map(|step| step.step),
                step.map(|step| step.layout),
                row.mark.then_some(1),
                row.aside.then_some(1),
                step.map(|step| step.id.0.to_be_bytes()),
                step.map(|step| step.state),
                row.body,
            ])
        })
        .map(drop)
        .map_err(sql)
}

/// Deletes a row.
pub(crate) fn remove(connection: &Connection, seq: i64) -> Result<(), SaverError> {
    connection
        .prepare_cached("DELETE FROM log WHERE seq = ?1")
        .and_then(|mut delete| delete.execute([seq]))
        .map(drop)
        .map_err(sql)
}

/// The greatest number ever assigned.
pub(crate) fn newest(connection: &Connection) -> Result<i64, SaverError> {
    connection
        .prepare_cached("SELECT seq FROM log ORDER BY seq DESC LIMIT 1")
        .and_then(|mut select| select.query_row([], |row| row.get(0)).optional())
        .map(|seq| seq.unwrap_or(0))
        .map_err(sql)
}

/// Inserts a tombstone under a number that was assigned before rows are deleted, so that their numbers
/// are not reused: a cache entry for a number must never match another row.
pub(crate) fn leave_tombstone(connection: &Connection, seq: i64) -> Result<(), SaverError> {
    connection
        .prepare_cached("DELETE FROM log WHERE aside = 1 AND parent = 0")
        .and_then(|mut delete| delete.execute([]))
        .map_err(sql)?;
    let row = Row {
        seq,
        graph: 0,
        prev: None,
        parent: Some(0),
        kind: Kind::Tombstone,
        mark: false,
        aside: true,
        body: Vec::new(),
    };
    insert(connection, &row)
}
