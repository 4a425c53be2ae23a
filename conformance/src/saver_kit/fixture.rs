//! Fixture: a saver under test, and the helpers that checks are written with.

use std::fmt::Debug;
use std::sync::Arc;

use superstep_core::{
    checkpoint::{Loaded, NextRecord},
    error::SaverError,
    future::BoxFuture,
    id::{CheckpointId, GraphPath, ThreadId},
    policy::Durability,
    record::{Record, TaskNote},
    saver::{At, Claimed, Commit, HistoryQuery, Lease, Notes, Saver},
};

use super::model::{Model, same};
use super::records::{id, number};
use crate::kit::{self, Failure, Verdict, equal};

impl From<SaverError> for Failure {
    fn from(error: SaverError) -> Self {
        Self(format!("unexpected error {}: {error}", error.code()))
    }
}

type Make<'a> =
    dyn Fn() -> BoxFuture<'static, Result<Arc<dyn Saver>, SaverError>> + Send + Sync + 'a;

/// Where checks get their savers from.
pub(super) struct Bench<'a>(&'a Make<'a>);

impl<'a> Bench<'a> {
    pub(super) fn new(make: &'a Make<'a>) -> Self {
        Self(make)
    }

    /// An empty saver.
    pub(super) async fn open(&self) -> Result<Fixture, Failure> {
        Ok(Fixture {
            saver: (self.0)().await?,
        })
    }
}

/// A saver under test.
#[derive(Clone)]
pub(super) struct Fixture {
    pub(super) saver: Arc<dyn Saver>,
}

impl Fixture {
    pub(super) async fn lease(&self, thread: &str) -> Result<Lease, Failure> {
        Ok(self.saver.lease(&thread.into()).await?)
    }

    /// The right to write a thread that nobody has written.
    pub(super) async fn writer(&self, thread: &str) -> Result<Writer, Failure> {
        self.writer_after(thread, Model::default()).await
    }

    /// The right to write a thread that holds what the model says.
    pub(super) async fn writer_after(&self, thread: &str, model: Model) -> Result<Writer, Failure> {
        Ok(Writer {
            saver: self.saver.clone(),
            thread: thread.into(),
            lease: self.lease(thread).await?,
            model,
        })
    }

    /// The lease of a claimed run, as the right to write a thread that holds what the model says.
    pub(super) fn writer_of(&self, claimed: Claimed, model: Model) -> Writer {
        Writer {
            saver: self.saver.clone(),
            thread: claimed.record.thread,
            lease: claimed.lease,
            model,
        }
    }

    pub(super) async fn load(
        &self,
        thread: &str,
        namespace: &str,
        at: At,
    ) -> Result<Option<Loaded>, Failure> {
        let (thread, namespace) = (thread.into(), namespace.into());
        Ok(self.saver.load(&thread, &namespace, at).await?)
    }

    /// The number of the checkpoint that is loaded, if one is.
    pub(super) async fn head(
        &self,
        thread: &str,
        namespace: &str,
        at: At,
    ) -> Result<Option<u64>, Failure> {
        let loaded = self.load(thread, namespace, at).await?;
        let head = loaded.as_ref().and_then(Loaded::head);
        Ok(head.map(|record| number(record.id)))
    }

    /// The numbers of the checkpoints that a history shows.
    pub(super) async fn history(
        &self,
        thread: &str,
        namespace: &str,
        query: HistoryQuery,
    ) -> Result<Vec<u64>, Failure> {
        let (thread, namespace) = (thread.into(), namespace.into());
        let found = self.saver.history(&thread, &namespace, &query).await?;
        Ok(numbers(&found))
    }

    /// The names of all threads.
    pub(super) async fn listed(&self) -> Result<Vec<String>, Failure> {
        let threads = self.saver.threads().await?;
        Ok(threads.iter().map(ToString::to_string).collect())
    }

    /// Demands that a thread reads as the model says, whichever way it is read.
    pub(super) async fn agrees(&self, thread: &str, model: &Model) -> Verdict {
        for (namespace, rows) in &model.spaces {
            let all = HistoryQuery::default();
            let history = self.saver.history(&thread.into(), namespace, &all).await?;
            let wanted: Vec<u64> = rows.iter().rev().map(|row| number(row.record.id)).collect();
            let place = place(thread, namespace);
            equal(
                &format!("the history of {place}"),
                numbers(&history),
                wanted,
            )?;
            for (row, shown) in rows.iter().rev().zip(&history) {
                let wanted = model.reading(namespace, row.record.id);
                let what = format!("the history of {place}");
                same(&what, Some(shown), wanted.as_ref())?;
                self.reads(thread, namespace, At::Id(row.record.id), model)
                    .await?;
                self.reads(thread, namespace, At::Before(row.record.id), model)
                    .await?;
            }
            self.reads(thread, namespace, At::Latest, model).await?;
        }
        Ok(())
    }

    /// Demands that one load gives what the model says.
    pub(super) async fn reads(
        &self,
        thread: &str,
        namespace: &GraphPath,
        at: At,
        model: &Model,
    ) -> Verdict {
        let ids = model.rows(namespace).iter().map(|row| row.record.id);
        let wanted = match at {
            At::Latest => ids.max(),
            At::Id(id) => Some(id),
            At::Before(end) => ids.filter(|id| *id < end).max(),
        };
        let wanted = wanted.and_then(|id| model.reading(namespace, id));
        let got = self.saver.load(&thread.into(), namespace, at).await?;
        let at = match at {
            At::Latest => "the newest checkpoint".to_owned(),
            At::Id(id) => format!("checkpoint {}", number(id)),
            At::Before(id) => format!("the newest checkpoint before {}", number(id)),
        };
        let what = format!("{at} of {}", place(thread, namespace));
        same(&what, got.as_ref(), wanted.as_ref())
    }
}

/// The right to write a thread, and what it should hold.
pub(super) struct Writer {
    saver: Arc<dyn Saver>,
    thread: ThreadId,
    lease: Lease,
    pub(super) model: Model,
}

impl Writer {
    pub(super) fn epoch(&self) -> u64 {
        self.lease.epoch
    }

    pub(super) fn thread(&self) -> &ThreadId {
        &self.thread
    }

    /// Stores a record, which must work.
    pub(super) async fn commit(
        &mut self,
        namespace: &str,
        record: Record,
    ) -> Result<NextRecord, Failure> {
        let next = self.try_commit(namespace, record.clone()).await?;
        self.model.commit(&namespace.into(), record);
        Ok(next)
    }

    /// Stores a record, if the saver takes it.
    pub(super) async fn try_commit(
        &self,
        namespace: &str,
        record: Record,
    ) -> Result<NextRecord, SaverError> {
        let (thread, epoch) = (self.thread.clone(), self.lease.epoch);
        let namespace = namespace.into();
        let commit = Commit {
            thread,
            namespace,
            epoch,
            record: record.into(),
            events: Vec::new(),
        };
        self.saver.commit(commit).await
    }

    /// Stores notes, which must work.
    pub(super) async fn note(
        &mut self,
        namespace: &str,
        checkpoint: u64,
        notes: Vec<TaskNote>,
    ) -> Verdict {
        let checkpoint = id(checkpoint);
        self.try_note(namespace, checkpoint, notes.clone()).await?;
        self.model.note(&namespace.into(), checkpoint, &notes);
        Ok(())
    }

    /// Stores notes, if the saver takes them.
    pub(super) async fn try_note(
        &self,
        namespace: &str,
        checkpoint: CheckpointId,
        notes: Vec<TaskNote>,
    ) -> Result<(), SaverError> {
        let (thread, epoch) = (self.thread.clone(), self.lease.epoch);
        let namespace = namespace.into();
        let notes = Notes {
            thread,
            namespace,
            epoch,
            durability: Durability::Sync,
            checkpoint,
            notes,
            events: Vec::new(),
        };
        self.saver.note(notes).await
    }

    /// The lease alone.
    pub(super) fn into_lease(self) -> Lease {
        self.lease
    }

    /// Gives the lease back.
    pub(super) fn end(self) -> Model {
        self.model
    }
}

pub(super) fn numbers(found: &[Loaded]) -> Vec<u64> {
    let heads = found.iter().filter_map(Loaded::head);
    heads.map(|record| number(record.id)).collect()
}

fn place(thread: &str, namespace: &GraphPath) -> String {
    match namespace.is_root() {
        true => format!("thread {thread:?}"),
        false => format!("namespace {:?} of thread {thread:?}", namespace.as_str()),
    }
}

/// Demands an error with this code.
pub(super) fn refused<T: Debug>(what: &str, got: Result<T, SaverError>, code: &str) -> Verdict {
    kit::refused(
        what,
        got.map_err(|error| (error.code(), error.to_string())),
        code,
    )
}

/// The codes of [`SaverError`].
pub(super) const BUSY: &str = "SS2001";
pub(super) const CONFLICT: &str = "SS2002";
pub(super) const NO_THREAD: &str = "SS2003";
pub(super) const EXISTS: &str = "SS2004";
pub(super) const CORRUPT: &str = "SS2005";
pub(super) const UNSTORABLE: &str = "SS2013";
pub(super) const NO_RUN: &str = "SS2018";
pub(super) const RUN_ENDED: &str = "SS2019";
