//! Savers around another saver: a layer overrides some methods and forwards the rest.

use super::{
    At, Commit, Events, HistoryQuery, Keep, Lease, Loaded, NextRecord, Notes, Reply, Retained,
    Retention, Saver,
};
use crate::{
    archive::Archive,
    clock::UnixMillis,
    event::{Cursor, Logged},
    id::{Namespace, ThreadId},
};

/// A [`Saver`] around another one. Every method forwards to [`SaverLayer::inner`] unless it is
/// overridden.
///
/// ```
/// use superstep_core::{
///     error::SaverError,
///     saver::{Notes, Reply, Saver, SaverLayer},
/// };
///
/// /// Fails every note.
/// struct NoNotes<S>(S);
///
/// impl<S: Saver> SaverLayer for NoNotes<S> {
///     fn inner(&self) -> &dyn Saver {
///         &self.0
///     }
///
///     fn note(&self, _: Notes) -> Reply<'_, ()> {
///         Reply::now(Err(SaverError::Io("no notes today".to_owned())))
///     }
/// }
///
/// fn around(saver: impl Saver) -> impl Saver {
///     NoNotes(saver)
/// }
/// ```
pub trait SaverLayer: Send + Sync + 'static {
    /// The saver that calls are forwarded to.
    fn inner(&self) -> &dyn Saver;

    /// [`Saver::lease`].
    fn lease(&self, thread: &ThreadId) -> Reply<'_, Lease> {
        self.inner().lease(thread)
    }

    /// [`Saver::load`].
    fn load(&self, thread: &ThreadId, namespace: &Namespace, at: At) -> Reply<'_, Option<Loaded>> {
        self.inner().load(thread, namespace, at)
    }

    /// [`Saver::history`].
    fn history(
        &self,
        thread: &ThreadId,
        namespace: &Namespace,
        query: &HistoryQuery,
    ) -> Reply<'_, Vec<Loaded>> {
        self.inner().history(thread, namespace, query)
    }

    /// [`Saver::commit`].
    fn commit(&self, commit: Commit) -> Reply<'_, NextRecord> {
        self.inner().commit(commit)
    }

    /// [`Saver::note`].
    fn note(&self, notes: Notes) -> Reply<'_, ()> {
        self.inner().note(notes)
    }

    /// [`Saver::log`].
    fn log(&self, events: Events) -> Reply<'_, ()> {
        self.inner().log(events)
    }

    /// [`Saver::events`].
    fn events(
        &self,
        thread: &ThreadId,
        after: Option<Cursor>,
        limit: usize,
    ) -> Reply<'_, Vec<Logged>> {
        self.inner().events(thread, after, limit)
    }

    /// [`Saver::changed`].
    fn changed(&self, thread: &ThreadId) -> Reply<'_, ()> {
        self.inner().changed(thread)
    }

    /// [`Saver::threads`].
    fn threads(&self) -> Reply<'_, Vec<ThreadId>> {
        self.inner().threads()
    }

    /// [`Saver::delete`].
    fn delete(&self, thread: &ThreadId) -> Reply<'_, ()> {
        self.inner().delete(thread)
    }

    /// [`Saver::copy`].
    fn copy(&self, from: &ThreadId, to: &ThreadId) -> Reply<'_, ()> {
        self.inner().copy(from, to)
    }

    /// [`Saver::prune`].
    fn prune(&self, thread: &ThreadId, keep: Keep) -> Reply<'_, ()> {
        self.inner().prune(thread, keep)
    }

    /// [`Saver::export`].
    fn export(&self, thread: &ThreadId) -> Reply<'_, Archive> {
        self.inner().export(thread)
    }

    /// [`Saver::import`].
    fn import(&self, thread: &ThreadId, archive: Archive) -> Reply<'_, ()> {
        self.inner().import(thread, archive)
    }

    /// [`Saver::retain`].
    fn retain(&self, retention: &Retention, now: UnixMillis) -> Reply<'_, Retained> {
        self.inner().retain(retention, now)
    }
}

impl<L: SaverLayer> Saver for L {
    fn lease(&self, thread: &ThreadId) -> Reply<'_, Lease> {
        SaverLayer::lease(self, thread)
    }

    fn load(&self, thread: &ThreadId, namespace: &Namespace, at: At) -> Reply<'_, Option<Loaded>> {
        SaverLayer::load(self, thread, namespace, at)
    }

    fn history(
        &self,
        thread: &ThreadId,
        namespace: &Namespace,
        query: &HistoryQuery,
    ) -> Reply<'_, Vec<Loaded>> {
        SaverLayer::history(self, thread, namespace, query)
    }

    fn commit(&self, commit: Commit) -> Reply<'_, NextRecord> {
        SaverLayer::commit(self, commit)
    }

    fn note(&self, notes: Notes) -> Reply<'_, ()> {
        SaverLayer::note(self, notes)
    }

    fn log(&self, events: Events) -> Reply<'_, ()> {
        SaverLayer::log(self, events)
    }

    fn events(
        &self,
        thread: &ThreadId,
        after: Option<Cursor>,
        limit: usize,
    ) -> Reply<'_, Vec<Logged>> {
        SaverLayer::events(self, thread, after, limit)
    }

    fn changed(&self, thread: &ThreadId) -> Reply<'_, ()> {
        SaverLayer::changed(self, thread)
    }

    fn threads(&self) -> Reply<'_, Vec<ThreadId>> {
        SaverLayer::threads(self)
    }

    fn delete(&self, thread: &ThreadId) -> Reply<'_, ()> {
        SaverLayer::delete(self, thread)
    }

    fn copy(&self, from: &ThreadId, to: &ThreadId) -> Reply<'_, ()> {
        SaverLayer::copy(self, from, to)
    }

    fn prune(&self, thread: &ThreadId, keep: Keep) -> Reply<'_, ()> {
        SaverLayer::prune(self, thread, keep)
    }

    fn export(&self, thread: &ThreadId) -> Reply<'_, Archive> {
        SaverLayer::export(self, thread)
    }

    fn import(&self, thread: &ThreadId, archive: Archive) -> Reply<'_, ()> {
        SaverLayer::import(self, thread, archive)
    }

    fn retain(&self, retention: &Retention, now: UnixMillis) -> Reply<'_, Retained> {
        SaverLayer::retain(self, retention, now)
    }
}
