//! Decoding rows into records and checkpoints.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use rusqlite::Connection;
use superstep_core::{
    checkpoint::{Chain, Loaded, Rebuilt},
    codec::{
        self, BlobId, Blobs, Codec,
        record::{RecordHeader, unpack_record},
        unpack::{Shared, Unpack},
    },
    error::SaverError,
    id::CheckpointId,
    record::{Record, TaskNote, absorb},
    saver::HistoryQuery,
};

use crate::{
    blob,
    cache::CachedCheckpoint,
    cost::{self, ReplayCost},
    error,
    graphs::GraphRow,
    layouts::Layouts,
    lookup::{self, FoundRecord},
    row::{self, Kind, Row, Rows},
    seal::Seal,
};

/// Decodes records on one connection, inside one transaction.
pub(crate) struct RecordReader<'c> {
    db: &'c Connection,
    seal: &'c Seal,
    layouts: &'c Layouts,
    names: Shared,
    texts: HashMap<BlobId, Arc<str>>,
    /// Records decoded so far, by row: checkpoints of a history share most of them.
    records: HashMap<i64, ReadRecord>,
    /// The newest checkpoint of the graph, once it is loaded.
    pub(crate) newest: Option<CachedCheckpoint>,
}

/// A decoded record.
#[derive(Clone)]
struct ReadRecord {
    record: Arc<Record>,
    parent: Option<i64>,
    bytes: usize,
    state: i64,
}

impl<'c> RecordReader<'c> {
    pub(crate) fn new(db: &'c Connection, seal: &'c Seal, layouts: &'c Layouts) -> Self {
        Self {
            db,
            seal,
            layouts,
            names: Shared::default(),
            texts: HashMap::new(),
            records: HashMap::new(),
            newest: None,
        }
    }

    /// The connection.
    pub(crate) fn db(&self) -> &'c Connection {
        self.db
    }

    /// Loads a checkpoint.
    pub(crate) fn load(
        &mut self,
        graph: &GraphRow,
        found: FoundRecord,
    ) -> Result<Loaded, SaverError> {
        let notes = self.notes(&found)?;
        let known = self.newest.as_ref();
        if let Some(loaded) = known.and_then(|newest| newest.at(found.step.id)) {
            return Ok(Loaded { notes, ..loaded });
        }
        let newest = found.row.seq == graph.head;
        let (mut cost, mut costs, mut bytes) = (ReplayCost::default(), Vec::new(), 0);
        let chain = self.replay(found.row)?;
        for read in &chain {
            bytes += read.bytes;
            cost.state += read.state;
            cost.tail += match read.record.full {
                true => 0,
                false => cost::weight(read.bytes),
            };
            costs.push(cost);
        }
        let chain: Chain = chain.into_iter().map(|read| read.record).collect();
        let mut loaded = Loaded {
            chain,
            notes,
            superseded: !newest,
            next: cost::next_record(cost),
        };
        if newest {
            loaded.chain = loaded.chain.keeping(Rebuilt::default());
            loaded.next = cost::next_record(graph.cost());
            self.newest = Some(CachedCheckpoint {
                loaded: loaded.clone(),
                bytes,
                costs: Arc::new(costs),
            });
        }
        Ok(loaded)
    }

    /// The records to replay for a record, oldest first: along parents, from the nearest full one.
    fn replay(&mut self, head: Row) -> Result<Vec<ReadRecord>, SaverError> {
        let mut log = Rows::new(self.db)?;
        let (mut new, mut known) = (vec![head], Vec::new());
        while let Some(row) = new.last() {
            let ends = row.step().is_none_or(|step| step.full);
            let Some(parent) = row.parent.filter(|_| !ends) else {
                break;
            };
            let mut at = self.records.get(&parent);
            if at.is_none() {
                let parent = log.follow(row, parent)?;
                new.push(parent);
                continue;
            }
            while let Some(read) = at.take() {
                known.push(read.clone());
                let parent = read.parent.filter(|_| !read.record.full);
                at = parent.and_then(|parent| self.records.get(&parent));
            }
            break;
        }
        known.reverse();
        let mut chain: Vec<ReadRecord> = known;
        for row in new.into_iter().rev() {
            let above = chain.last().map(|read| read.record.id);
            chain.push(self.read(&row, above)?);
        }
        Ok(chain)
    }

    /// Checkpoints that match a query, newest first.
    pub(crate) fn history(
        &mut self,
        graph: &GraphRow,
        query: &HistoryQuery,
    ) -> Result<Vec<Loaded>, SaverError> {
        let found = lookup::matching(self.db, graph, query)?;
        found
            .into_iter()
            .map(|found| self.load(graph, found))
            .collect()
    }

    /// The merged notes of a checkpoint's tasks, in order of arrival.
    pub(crate) fn notes(&mut self, found: &FoundRecord) -> Result<Vec<TaskNote>, SaverError> {
        let after = row::asides(self.db, found.row.seq)?;
        let rows = found.notes.iter().chain(&found.child).chain(&after);
        self.merged(rows, found.step.id)
    }

    /// The same, from all rows that belong to a record or follow it.
    pub(crate) fn all_notes(
        &mut self,
        id: CheckpointId,
        own: &[&Row],
    ) -> Result<Vec<TaskNote>, SaverError> {
        self.merged(own.iter().copied(), id)
    }

    fn merged<'r>(
        &mut self,
        rows: impl Iterator<Item = &'r Row>,
        parent: CheckpointId,
    ) -> Result<Vec<TaskNote>, SaverError> {
        let mut merged = BTreeMap::new();
        for row in rows {
            if row.kind == Kind::MergedNotes {
                merged.clear();
            }
            let notes = match row.kind {
                Kind::Notes | Kind::MergedNotes => self.unpack::<Vec<TaskNote>>(row)?,
                Kind::Record(step) => match self.known(step.id) {
                    Some(record) => record.tasks.clone(),
                    None => self.record(row, Some(parent))?.tasks.clone(),
                },
                Kind::Tombstone => Vec::new(),
            };
            for note in notes {
                absorb(&mut merged, note);
            }
        }
        Ok(merged.into_values().collect())
    }

    fn known(&self, id: CheckpointId) -> Option<&Arc<Record>> {
        self.newest.as_ref()?.record(id)
    }

    /// The records to replay for a record.
    pub(crate) fn chain(&mut self, head: Row) -> Result<Vec<Arc<Record>>, SaverError> {
        let chain = self.replay(head)?;
        Ok(chain.into_iter().map(|read| read.record).collect())
    }

    /// Decodes the notes in a row.
    pub(crate) fn unpack<T: Codec>(&mut self, row: &Row) -> Result<T, SaverError> {
        let bytes = self.seal.open(&row.body, row.place(), &row.name())?;
        let mut blobs = StoredTexts {
            db: self.db,
            seal: self.seal,
            texts: &mut self.texts,
        };
        codec::unpack(&bytes, &mut self.names, &mut blobs)
            .map_err(|error| error::decode(&row.name(), &error))
    }

    /// Decodes the record in a row; `above` is the id of its parent, if that was read already.
    pub(crate) fn record(
        &mut self,
        row: &Row,
        above: Option<CheckpointId>,
    ) -> Result<Arc<Record>, SaverError> {
        self.read(row, above).map(|read| read.record)
    }

    fn read(&mut self, row: &Row, above: Option<CheckpointId>) -> Result<ReadRecord, SaverError> {
        if let Some(read) = self.records.get(&row.seq) {
            return Ok(read.clone());
        }
        let Some(step) = row.step() else {
            return Err(SaverError::Corrupt(format!("{} are no record", row.name())));
        };
        let parent = match (row.parent, above) {
            (None, _) => None,
            (Some(_), Some(id)) => Some(id),
            (Some(parent), None) => {
                let parent = Rows::new(self.db)?.follow(row, parent)?;
                parent.step().map(|step| step.id)
            }
        };
        let head = RecordHeader {
            id: step.id,
            parent,
            step: step.step,
            source: step.source,
            durability: step.durability,
            full: step.full,
            layout: self.layouts.get(self.db, self.seal, step.layout)?,
        };
        let bytes = self.seal.open(&row.body, row.place(), &row.name())?;
        let mut blobs = StoredTexts {
            db: self.db,
            seal: self.seal,
            texts: &mut self.texts,
        };
        let record = unpack_record(&bytes, head, &mut self.names, &mut blobs)
            .map_err(|error| error::decode(&row.name(), &error))?;
        let read = ReadRecord {
            record: Arc::new(record),
            parent: row.parent,
            bytes: row.body.len(),
            state: step.state,
        };
        self.records.insert(row.seq, read.clone());
        Ok(read)
    }
}

/// Texts that records refer to, read from `blobs`.
struct StoredTexts<'c> {
    db: &'c Connection,
    seal: &'c Seal,
    texts: &'c mut HashMap<BlobId, Arc<str>>,
}

impl Blobs for StoredTexts<'_> {
    fn text(&mut self, id: BlobId) -> Result<Arc<str>, String> {
        if let Some(text) = self.texts.get(&id) {
            return Ok(text.clone());
        }
        let text = blob::read(self.db, self.seal, id, |bytes, what| {
            let text = std::str::from_utf8(bytes).map_err(|_| format!("{what} is no text"))?;
            if BlobId::of(text.as_bytes()) != id {
                return Err(format!("{what} is something else"));
            }
            Ok(Arc::<str>::from(text))
        })?;
        self.texts.insert(id, text.clone());
        Ok(text)
    }
}

/// The ids of the blobs that a body refers to; the blobs themselves are not read.
pub(crate) fn blobs_of(bytes: &[u8]) -> Result<Vec<BlobId>, codec::CodecError> {
    let (mut names, mut found) = (Shared::default(), BlobCollector::default());
    let mut from = Unpack::new(bytes, &mut names, &mut found);
    from.pass()?;
    from.end()?;
    Ok(found.0)
}

#[derive(Default)]
struct BlobCollector(Vec<BlobId>);

impl Blobs for BlobCollector {
    fn text(&mut self, id: BlobId) -> Result<Arc<str>, String> {
        self.0.push(id);
        Ok("".into())
    }
}
