//! Records of threads in a saver.
//!
//! What a record holds, and the rules for it, is in [`crate::thread_record`].

use super::MaybeReady;
use crate::{
    id::ThreadId,
    thread_record::{StampThread, ThreadRecord},
};

/// Keeps records of threads. [`super::Saver::thread_records`] returns it.
///
/// A thread needs no record, and a record needs no checkpoint: [`super::Saver::threads`] does not list a thread that has
/// nothing else. A record goes when its thread is deleted; a copy or an archive of a thread has none.
pub trait ThreadRecords: Send + Sync {
    /// The record of a thread, if it has one.
    fn load_record(&self, thread: &ThreadId) -> MaybeReady<'_, Option<ThreadRecord>>;

    /// The thread that has this UUID ([`ThreadId::uuid`]), with or without a record. If several have it, the one that is
    /// called by it, else any of them.
    fn thread_of_uuid(&self, uuid: u128) -> MaybeReady<'_, Option<ThreadId>>;

    /// Makes or changes the record of a thread ([`StampThread::apply`]); durable when the reply comes.
    fn stamp(&self, thread: &ThreadId, stamp: StampThread) -> MaybeReady<'_, ThreadRecord>;
}
