//! Whole threads: removing, copying, pruning and moving them, and whether one fits the graph.
//!
//! What a thread holds is in [`crate::state`]; what a saver promises in [`superstep_core::saver`].

use std::{collections::BTreeSet, sync::Arc};

use superstep_core::{
    archive::Archive,
    clock::Clock,
    error::{Error, ErrorKind, Failure, SaverError},
    id::{GraphPath, ThreadId},
    plan::Persist,
    record::Layout,
    saver::{At, Keep, Retained, Retention, Saver, ThreadPage, ThreadQuery},
    snapshot::View,
};

use crate::{
    clock::SystemClock,
    graph::DynGraph,
    provenance::{Origin, Provenance},
    store::StoreError,
};

/// How a stored thread fits a graph that may have changed since.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// The graph has just what the thread names.
    Same,
    /// Channels, nodes or edges are different; what the thread names is found by name. Channels that
    /// are gone are left behind, fields of a typed state that were added have their default.
    ByName,
    /// The thread holds an older version of the state, which is migrated.
    Migrated,
}

impl DynGraph {
    pub(crate) fn saver(&self) -> Result<&Arc<dyn Saver>, Error> {
        let saver = self.0.backends.saver.as_ref();
        saver.ok_or_else(|| ErrorKind::NoSaver.into())
    }

    /// The names of all threads of the saver, in order.
    pub async fn threads(&self) -> Result<Vec<ThreadId>, Error> {
        Ok(self.saver()?.threads().await?)
    }

    /// A page of the threads of the saver that a query wants, with what is going on with them.
    pub async fn find_threads(&self, query: &ThreadQuery) -> Result<ThreadPage, Error> {
        Ok(self.saver()?.find_threads(query).await?)
    }

    /// Removes a thread.
    pub async fn delete_thread(&self, thread: &ThreadId) -> Result<(), Error> {
        self.saver()?.delete(thread).await?;
        match self.provenance() {
            Some(provenance) => Ok(provenance.forget(thread).await.map_err(unmarked)?),
            None => Ok(()),
        }
    }

    /// Copies a thread under a new name; both continue independently. A copy of an imported thread
    /// counts as imported.
    pub async fn copy_thread(&self, from: &ThreadId, to: &ThreadId) -> Result<(), Error> {
        self.refuse_existing(to).await?;
        if let Some(provenance) = self.provenance() {
            provenance.copy(from, to).await.map_err(unmarked)?;
        }
        Ok(self.saver()?.copy(from, to).await?)
    }

    /// Drops old checkpoints of a thread; it continues as before.
    pub async fn prune_thread(&self, thread: &ThreadId, keep: Keep) -> Result<(), Error> {
        Ok(self.saver()?.prune(thread, keep).await?)
    }

    /// Deletes the threads of the saver that were not used for long, by the system clock, and drops
    /// old checkpoints of the others. Threads that are running are left alone.
    pub async fn retain_threads(&self, retention: &Retention) -> Result<Retained, Error> {
        let now = SystemClock.now();
        Ok(self.saver()?.retain(retention, now).await?)
    }

    /// All of a thread, to write it to a file or hand it to another saver.
    pub async fn export_thread(&self, thread: &ThreadId) -> Result<Archive, Error> {
        Ok(self.saver()?.export(thread).await?)
    }

    /// Makes a thread of an archive; it continues where the exported one was. With a store, the
    /// thread is marked as imported before it is there ([`Provenance`]).
    pub async fn import_thread(&self, thread: &ThreadId, archive: Archive) -> Result<(), Error> {
        self.refuse_existing(thread).await?;
        if let Some(provenance) = self.provenance() {
            provenance
                .mark(thread, Origin::Import)
                .await
                .map_err(unmarked)?;
        }
        let imported = self.saver()?.import(thread, archive).await;
        if let (Err(_), Some(provenance)) = (&imported, self.provenance()) {
            provenance.forget(thread).await.map_err(unmarked)?;
        }
        Ok(imported?)
    }

    /// The marks of foreign threads; nothing without a store.
    pub fn provenance(&self) -> Option<Provenance> {
        self.0.backends.store.clone().map(Provenance::new)
    }

    /// The mark of a thread that is there must not change because another one was to take its name.
    async fn refuse_existing(&self, thread: &ThreadId) -> Result<(), Error> {
        let saver = self.saver()?;
        let there = saver.load(thread, &GraphPath::default(), At::Latest).await;
        // One that cannot be read is there, too.
        if matches!(there, Ok(None)) {
            return Ok(());
        }
        let thread = thread.clone();
        Err(SaverError::Exists { thread }.into())
    }

    /// Whether a thread can resume in this graph, without running anything: restores the newest
    /// checkpoint of the graph and of each subgraph that the thread would enter.
    ///
    /// Fails as a run would: when no migration leads to the graph's version of the state, when
    /// stored data has another type, or when the thread is about to run nodes that are gone.
    pub async fn check_thread(&self, thread: &ThreadId) -> Result<Fit, Error> {
        let saver = self.saver()?.clone();
        let (mut open, mut seen) = (vec![(self.clone(), GraphPath::default())], BTreeSet::new());
        open.extend(self.lasting(&GraphPath::default()));
        let (mut fit, mut known) = (Fit::Same, false);
        while let Some((graph, namespace)) = open.pop() {
            if !seen.insert(namespace.clone()) {
                continue;
            }
            let Some(loaded) = saver.load(thread, &namespace, At::Latest).await? else {
                continue;
            };
            let Some((head, record)) = graph.0.head(&loaded).map_err(|e| at(e, thread))? else {
                continue;
            };
            let lost = head.restored.refuse_lost();
            lost.map_err(|kind| at(kind.into(), thread))?;
            known = true;
            fit = fit.max(graph.fit(&record.layout));
            let snapshot = graph.read(thread, &namespace, &loaded, View::Live)?;
            open.extend(graph.children(&snapshot));
        }
        if known {
            return Ok(fit);
        }
        let thread = thread.clone();
        Err(SaverError::NoThread { thread }.into())
    }

    fn fit(&self, stored: &Layout) -> Fit {
        let own = &*self.0.plan.layout;
        let version = |layout: &Layout| layout.state.as_ref().map(|state| state.version);
        match (own.names_same(stored), version(own) == version(stored)) {
            (true, _) => Fit::Same,
            (false, true) => Fit::ByName,
            (false, false) => Fit::Migrated,
        }
    }

    /// Subgraphs at any depth that live as long as the thread, with their namespaces.
    fn lasting(&self, above: &GraphPath) -> Vec<(DynGraph, GraphPath)> {
        let mut found = Vec::new();
        for (name, graph) in self.subgraphs() {
            let place = match above.is_root() {
                true => GraphPath::from(&*name),
                false => GraphPath::from(&*format!("{above}|{name}")),
            };
            found.extend(graph.lasting(&place));
            if graph.persist() == Persist::PerThread {
                found.push((graph, place));
            }
        }
        found
    }
}

/// The store could not be read or written about an imported thread.
fn unmarked(error: StoreError) -> Failure {
    Failure::from(error)
}

fn at(error: Error, thread: &ThreadId) -> Error {
    error.at_thread(Some(thread))
}
