//! Graphs for owners: the graph of a run has the long-term memory of the run's owner.

use std::sync::Arc;

use superstep::{
    Backends,
    dynamic::DynGraph,
    store::{Store, StoreError},
};

use super::store::OwnerStore;
use crate::registry::Hosted;

/// The names in the queue of the runs that a worker takes, with their graphs. Runs of these owners that an earlier version
/// accepted have a name of their own there.
pub(crate) fn queued<'a>(
    graphs: impl Iterator<Item = &'a Hosted>,
    owners: impl Iterator<Item = &'a str>,
) -> Vec<(Arc<str>, DynGraph)> {
    let owners: Vec<&str> = owners.collect();
    let mut all = Vec::new();
    for hosted in graphs {
        all.push((hosted.id.as_str().into(), hosted.graph.clone()));
        for owner in owners.iter().filter(|_| !hosted.is_whole) {
            let name = format!("{}@{owner}", hosted.id);
            all.push((name.into(), hosted.graph.clone()));
        }
    }
    all
}

/// A graph with the memory of an owner.
pub(crate) fn of_owner(graph: &DynGraph, owner: Option<&str>) -> Result<DynGraph, StoreError> {
    let backends = graph.backends();
    let (Some(owner), Some(store)) = (owner, &backends.store) else {
        return Ok(graph.clone());
    };
    let store: Arc<dyn Store> = Arc::new(OwnerStore::new(store.clone(), owner)?);
    let backends = Backends {
        store: Some(store),
        ..backends.clone()
    };
    Ok(graph.with_backends(backends))
}
