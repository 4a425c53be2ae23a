//! Savers around another saver: a layer overrides some methods and forwards the rest.

use std::sync::Arc;

use super::{
    AfterRuns, At, Commit, Events, HistoryQuery, Keep, Lease, Loaded, MaybeReady, NextRecord,
    Notes, Retained, Retention, RunQueue, Runs, Saver, Schedules, ThreadCounts, ThreadPage,
    ThreadQuery, ThreadRecords,
};
use crate::{
    archive::Archive,
    clock::UnixMillis,
    event::{Cursor, Logged},
    id::{GraphPath, ThreadId},
};

/// A [`Saver`] around another one. Every method forwards to [`SaverLayer::inner`] unless it is
/// overridden.
///
/// ```
/// use superstep_core::{
///     error::SaverError,
///     saver::{Notes, MaybeReady, Saver, SaverLayer},
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
///     fn note(&self, _: Notes) -> MaybeReady<'_, ()> {
///         MaybeReady::now(Err(SaverError::Io("no notes today".to_owned())))
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
    fn lease(&self, thread: &ThreadId) -> MaybeReady<'_, Lease> {
        self.inner().lease(thread)
    }

    /// [`Saver::load`].
    fn load(
        &self,
        thread: &ThreadId,
        namespace: &GraphPath,
        at: At,
    ) -> MaybeReady<'_, Option<Loaded>> {
        self.inner().load(thread, namespace, at)
    }

    /// [`Saver::history`].
    fn history(
        &self,
        thread: &ThreadId,
        namespace: &GraphPath,
        query: &HistoryQuery,
    ) -> MaybeReady<'_, Vec<Loaded>> {
        self.inner().history(thread, namespace, query)
    }

    /// [`Saver::commit`].
    fn commit(&self, commit: Commit) -> MaybeReady<'_, NextRecord> {
        self.inner().commit(commit)
    }

    /// [`Saver::note`].
    fn note(&self, notes: Notes) -> MaybeReady<'_, ()> {
        self.inner().note(notes)
    }

    /// [`Saver::log`].
    fn log(&self, events: Events) -> MaybeReady<'_, ()> {
        self.inner().log(events)
    }

    /// [`Saver::events`].
    fn events(
        &self,
        thread: &ThreadId,
        after: Option<Cursor>,
        limit: usize,
    ) -> MaybeReady<'_, Vec<Logged>> {
        self.inner().events(thread, after, limit)
    }

    /// [`Saver::changed`].
    fn changed(&self, thread: &ThreadId) -> MaybeReady<'_, ()> {
        self.inner().changed(thread)
    }

    /// [`Saver::threads`].
    fn threads(&self) -> MaybeReady<'_, Vec<ThreadId>> {
        self.inner().threads()
    }

    /// [`Saver::find_threads`].
    fn find_threads(&self, query: &ThreadQuery) -> MaybeReady<'_, ThreadPage> {
        self.inner().find_threads(query)
    }

    /// [`Saver::count_threads`].
    fn count_threads(&self, query: &ThreadQuery) -> MaybeReady<'_, ThreadCounts> {
        self.inner().count_threads(query)
    }

    /// [`Saver::delete`].
    fn delete(&self, thread: &ThreadId) -> MaybeReady<'_, ()> {
        self.inner().delete(thread)
    }

    /// [`Saver::copy`].
    fn copy(&self, from: &ThreadId, to: &ThreadId) -> MaybeReady<'_, ()> {
        self.inner().copy(from, to)
    }

    /// [`Saver::prune`].
    fn prune(&self, thread: &ThreadId, keep: Keep) -> MaybeReady<'_, ()> {
        self.inner().prune(thread, keep)
    }

    /// [`Saver::export`].
    fn export(&self, thread: &ThreadId) -> MaybeReady<'_, Archive> {
        self.inner().export(thread)
    }

    /// [`Saver::import`].
    fn import(&self, thread: &ThreadId, archive: Archive) -> MaybeReady<'_, ()> {
        self.inner().import(thread, archive)
    }

    /// [`Saver::retain`].
    fn retain(&self, retention: &Retention, now: UnixMillis) -> MaybeReady<'_, Retained> {
        self.inner().retain(retention, now)
    }

    /// [`Saver::now`].
    fn now(&self) -> MaybeReady<'_, UnixMillis> {
        self.inner().now()
    }

    /// [`Saver::runs`].
    fn runs(&self) -> &dyn Runs {
        self.inner().runs()
    }

    /// [`Saver::run_queue`].
    fn run_queue(&self) -> &dyn RunQueue {
        self.inner().run_queue()
    }

    /// [`Saver::schedules`].
    fn schedules(&self) -> &dyn Schedules {
        self.inner().schedules()
    }

    /// [`Saver::thread_records`].
    fn thread_records(&self) -> &dyn ThreadRecords {
        self.inner().thread_records()
    }

    /// [`Saver::after_runs`].
    fn after_runs(&self) -> &dyn AfterRuns {
        self.inner().after_runs()
    }
}

/// The methods of [`Saver`], each as the method of the same name of `$layer` on `$to`.
macro_rules! forward {
    ($layer:ident, $self:ident => $to:expr) => {
        fn lease(&$self, thread: &ThreadId) -> MaybeReady<'_, Lease> {
            $layer::lease($to, thread)
        }

        fn load(
            &$self,
            thread: &ThreadId,
            namespace: &GraphPath,
            at: At,
        ) -> MaybeReady<'_, Option<Loaded>> {
            $layer::load($to, thread, namespace, at)
        }

        fn history(
            &$self,
            thread: &ThreadId,
            namespace: &GraphPath,
            query: &HistoryQuery,
        ) -> MaybeReady<'_, Vec<Loaded>> {
            $layer::history($to, thread, namespace, query)
        }

        fn commit(&$self, commit: Commit) -> MaybeReady<'_, NextRecord> {
            $layer::commit($to, commit)
        }

        fn note(&$self, notes: Notes) -> MaybeReady<'_, ()> {
            $layer::note($to, notes)
        }

        fn log(&$self, events: Events) -> MaybeReady<'_, ()> {
            $layer::log($to, events)
        }

        fn events(
            &$self,
            thread: &ThreadId,
            after: Option<Cursor>,
            limit: usize,
        ) -> MaybeReady<'_, Vec<Logged>> {
            $layer::events($to, thread, after, limit)
        }

        fn changed(&$self, thread: &ThreadId) -> MaybeReady<'_, ()> {
            $layer::changed($to, thread)
        }

        fn threads(&$self) -> MaybeReady<'_, Vec<ThreadId>> {
            $layer::threads($to)
        }

        fn find_threads(&$self, query: &ThreadQuery) -> MaybeReady<'_, ThreadPage> {
            $layer::find_threads($to, query)
        }

        fn count_threads(&$self, query: &ThreadQuery) -> MaybeReady<'_, ThreadCounts> {
            $layer::count_threads($to, query)
        }

        fn delete(&$self, thread: &ThreadId) -> MaybeReady<'_, ()> {
            $layer::delete($to, thread)
        }

        fn copy(&$self, from: &ThreadId, to: &ThreadId) -> MaybeReady<'_, ()> {
            $layer::copy($to, from, to)
        }

        fn prune(&$self, thread: &ThreadId, keep: Keep) -> MaybeReady<'_, ()> {
            $layer::prune($to, thread, keep)
        }

        fn export(&$self, thread: &ThreadId) -> MaybeReady<'_, Archive> {
            $layer::export($to, thread)
        }

        fn import(&$self, thread: &ThreadId, archive: Archive) -> MaybeReady<'_, ()> {
            $layer::import($to, thread, archive)
        }

        fn retain(&$self, retention: &Retention, now: UnixMillis) -> MaybeReady<'_, Retained> {
            $layer::retain($to, retention, now)
        }

        fn now(&$self) -> MaybeReady<'_, UnixMillis> {
            $layer::now($to)
        }

        fn runs(&$self) -> &dyn Runs {
            $layer::runs($to)
        }

        fn run_queue(&$self) -> &dyn RunQueue {
            $layer::run_queue($to)
        }

        fn schedules(&$self) -> &dyn Schedules {
            $layer::schedules($to)
        }

        fn thread_records(&$self) -> &dyn ThreadRecords {
            $layer::thread_records($to)
        }

        fn after_runs(&$self) -> &dyn AfterRuns {
            $layer::after_runs($to)
        }
    };
}

#[diagnostic::do_not_recommend]
impl<L: SaverLayer> Saver for L {
    forward!(SaverLayer, self => self);
}

impl<S: Saver + ?Sized> Saver for Arc<S> {
    forward!(Saver, self => &**self);
}
