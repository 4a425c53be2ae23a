//! Graphs for owners: the same graphs, whose long-term memory is that of an owner. A run is in the queue under the
//! name of its graph and of its owner, so whoever takes it from there has the right memory.

use std::{collections::HashMap, sync::Arc};

use superstep::{
    Backends,
    dynamic::DynGraph,
    store::{Store, StoreError},
};

use super::store::OwnerStore;
use crate::registry::Hosted;

/// The stores of owners, by name.
pub(crate) type OwnerStores = HashMap<Arc<str>, Arc<dyn Store>>;

/// The name of a graph in the queue, for the runs of an owner.
pub(crate) fn owned_graph(graph: &str, owner: Option<&str>) -> String {
    match owner {
        Some(owner) => format!("{graph}@{owner}"),
        None => graph.to_owned(),
    }
}

/// The stores of some owners.
pub(crate) fn stores(
    owners: impl Iterator<Item = Arc<str>>,
    store: &Arc<dyn Store>,
) -> Result<OwnerStores, StoreError> {
    let mut stores = OwnerStores::new();
    for owner in owners {
        let own: Arc<dyn Store> = Arc::new(OwnerStore::new(store.clone(), &owner)?);
        stores.insert(owner, own);
    }
    Ok(stores)
}

/// The graphs that a worker runs, by their names in the queue.
pub(crate) fn all(graphs: &[Hosted], stores: &OwnerStores) -> Vec<(Arc<str>, DynGraph)> {
    let mut all = Vec::new();
    for hosted in graphs {
        all.push((hosted.id.as_str().into(), hosted.graph.clone()));
        for (owner, store) in stores.iter().filter(|_| !hosted.is_whole) {
            let backends = Backends {
                store: Some(store.clone()),
                ..hosted.graph.backends().clone()
            };
            let name = owned_graph(&hosted.id, Some(owner));
            all.push((name.into(), hosted.graph.with_backends(backends)));
        }
    }
    all
}
