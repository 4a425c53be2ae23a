//! The long-term store as one owner sees it: all of it is under a namespace of the owner's, and nothing else is there.

use std::sync::Arc;

use superstep::{
    Provenance,
    store::{
        BoxFuture, Delete, Get, Item, ListNamespaces, Namespace, Op, Outcome, Pattern, Prefix, Put,
        Reindexed, Search, SearchHit, Store, StoreError, UnixMillis,
    },
};

/// Where the memories of owners are; those who see everything find them there.
const OWNERS: &str = "owners";

/// Whose a namespace of the whole store is, and what they call it; nothing for what is nobody's.
pub(crate) fn inside(namespace: &Namespace) -> Option<(String, Namespace)> {
    let [owners, owner, inner @ ..] = namespace.labels() else {
        return None;
    };
    let inner = Namespace::new(inner.to_vec()).ok()?;
    let owner = Namespace::new([owner]).ok()?.unescaped().pop()?;
    (owners == OWNERS).then_some((owner, inner))
}

/// What an owner calls the namespaces below these labels of the whole store; nothing for what is no owner's.
pub(crate) fn below_owner(labels: &[String]) -> Option<&[String]> {
    let (owners, below) = labels.split_first()?;
    (owners == OWNERS).then(|| below.get(1..).unwrap_or_default())
}

/// The part of a store that belongs to an owner.
pub(crate) struct OwnerStore {
    store: Arc<dyn Store>,
    /// The labels of its namespace.
    root: Vec<String>,
}

impl OwnerStore {
    pub(crate) fn new(store: Arc<dyn Store>, owner: &str) -> Result<Self, StoreError> {
        let root = Namespace::escaped([OWNERS, owner])?;
        let root = root.labels().to_vec();
        Ok(Self { store, root })
    }

    fn labels(&self, labels: &[String]) -> Vec<String> {
        self.root.iter().chain(labels).cloned().collect()
    }

    fn inside(&self, namespace: &Namespace) -> Result<Namespace, StoreError> {
        Ok(Namespace::new(self.labels(namespace.labels()))?)
    }

    fn prefix(&self, prefix: &Prefix) -> Result<Prefix, StoreError> {
        Ok(Prefix::new(self.labels(prefix.labels()))?)
    }

    /// A namespace as the owner knows it; none of what is elsewhere.
    fn outside(&self, namespace: &Namespace) -> Option<Namespace> {
        let labels = namespace.labels().strip_prefix(&*self.root)?;
        Namespace::new(labels.to_vec()).ok()
    }

    fn shown(&self, item: Item) -> Option<Item> {
        if is_mark(&item.namespace) {
            return Some(item);
        }
        let namespace = self.outside(&item.namespace)?;
        Some(Item { namespace, ..item })
    }

    fn moved(&self, op: Op) -> Result<Op, StoreError> {
        Ok(match op {
            Op::Put(put) => Op::Put(Put {
                namespace: self.inside(&put.namespace)?,
                ..put
            }),
            // Marks of foreign threads are the server's; approvals of tools are bound to them.
            Op::Get(get) if is_mark(&get.namespace) => Op::Get(get),
            Op::Get(get) => Op::Get(Get {
                namespace: self.inside(&get.namespace)?,
                ..get
            }),
            Op::Delete(delete) => Op::Delete(Delete {
                namespace: self.inside(&delete.namespace)?,
                ..delete
            }),
            Op::Search(search) => Op::Search(Search {
                prefix: self.prefix(&search.prefix)?,
                ..search
            }),
            // They are matched, cut and counted once they are the owner's.
            Op::ListNamespaces(_) => Op::ListNamespaces(ListNamespaces {
                prefix: Pattern::new(self.root.clone()),
                limit: usize::MAX,
                ..ListNamespaces::default()
            }),
        })
    }

    fn returned(&self, outcome: Outcome, list: Option<&ListNamespaces>) -> Outcome {
        match outcome {
            Outcome::Done => Outcome::Done,
            Outcome::Item(item) => Outcome::Item(item.and_then(|item| self.shown(item))),
            Outcome::Found(all) => {
                let show = |found: SearchHit| {
                    let item = self.shown(found.item)?;
                    Some(SearchHit { item, ..found })
                };
                Outcome::Found(all.into_iter().filter_map(show).collect())
            }
            Outcome::Namespaces(all) => {
                let own = all.iter().filter_map(|namespace| self.outside(namespace));
                match list {
                    Some(list) => Outcome::Namespaces(listed(own, list)),
                    None => Outcome::Namespaces(own.collect()),
                }
            }
        }
    }
}

fn is_mark(namespace: &Namespace) -> bool {
    namespace.labels() == Provenance::NAMESPACE
}

/// What a listing is of namespaces in order of their labels.
fn listed(all: impl Iterator<Item = Namespace>, list: &ListNamespaces) -> Vec<Namespace> {
    let fitting = all.filter(|it| list.prefix.fits_start(it) && list.suffix.fits_end(it));
    let mut cut: Vec<Namespace> = fitting
        .map(|namespace| match list.max_depth {
            Some(depth) => namespace.truncated(depth),
            None => namespace,
        })
        .collect();
    cut.dedup();
    cut.into_iter().skip(list.offset).take(list.limit).collect()
}

impl Store for OwnerStore {
    fn batch(&self, ops: Vec<Op>) -> BoxFuture<'_, Result<Vec<Outcome>, StoreError>> {
        Box::pin(async move {
            let lists: Vec<Option<ListNamespaces>> = ops
                .iter()
                .map(|op| match op {
                    Op::ListNamespaces(list) => Some(list.clone()),
                    _ => None,
                })
                .collect();
            let moved = ops.into_iter().map(|op| self.moved(op));
            let outcomes = self.store.batch(moved.collect::<Result<_, _>>()?).await?;
            let outcomes = outcomes.into_iter().zip(&lists);
            let returned = outcomes.map(|(outcome, list)| self.returned(outcome, list.as_ref()));
            Ok(returned.collect())
        })
    }

    fn sweep_expired(&self, now: UnixMillis) -> BoxFuture<'_, Result<usize, StoreError>> {
        self.store.sweep_expired(now)
    }

    fn unindexed(&self, prefix: Prefix) -> BoxFuture<'_, Result<Option<usize>, StoreError>> {
        Box::pin(async move { self.store.unindexed(self.prefix(&prefix)?).await })
    }

    fn reindex(&self, prefix: Prefix) -> BoxFuture<'_, Result<Reindexed, StoreError>> {
        Box::pin(async move { self.store.reindex(self.prefix(&prefix)?).await })
    }
}

#[cfg(test)]
mod tests {
    use superstep::{MemoryStore, Origin};

    use super::*;

    #[tokio::test]
    async fn a_run_of_an_owner_knows_the_mark_of_its_thread() -> Result<(), StoreError> {
        let whole: Arc<dyn Store> = Arc::new(MemoryStore::default());
        let mark = Provenance::new(whole.clone())
            .mark(&"t".into(), Origin::Http)
            .await?;
        let own: Arc<dyn Store> = Arc::new(OwnerStore::new(whole.clone(), "ann")?);
        let seen = Provenance::new(own.clone()).find(&"t".into()).await?;
        assert_eq!(seen, Some(mark.clone()));
        // An owner's run cannot change it.
        Provenance::new(own)
            .mark(&"t".into(), Origin::Import)
            .await?;
        assert_eq!(Provenance::new(whole).find(&"t".into()).await?, Some(mark));
        Ok(())
    }
}
