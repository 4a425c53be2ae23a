//! Items by namespace and key, in order of place, with the changes of a batch undoable.
//!
//! Namespaces are kept in label order, so that those under a prefix are neighbors; their places say
//! in which order they were first used. A place is never given twice.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::store::{
    Delete, Get, Item, ListNamespaces, Namespace, Outcome, Prefix, Put, Ranking, ReadyOp, Search,
    SearchHit, StoreError, TtlOnRead, UnixMillis, Vectors, best, expiry,
};

#[derive(Default)]
pub(super) struct Table {
    namespaces: BTreeMap<Namespace, NamespaceItems>,
    expiring: BTreeMap<(UnixMillis, Place), (Namespace, Arc<str>)>,
    next_place: Place,
}

type Place = u64;

#[derive(Default)]
struct NamespaceItems {
    place: Place,
    places: HashMap<Arc<str>, Place>,
    items: BTreeMap<Place, Stored>,
}

struct Stored {
    key: Arc<str>,
    value: Value,
    created_at: UnixMillis,
    updated_at: UnixMillis,
    ttl: Option<Duration>,
    expires_at: Option<UnixMillis>,
    vectors: Option<Vectors>,
}

/// How to take back one change.
enum UndoStep {
    /// A namespace was used for the first time.
    NamespaceItems(Namespace),
    /// An item was added.
    Added(Namespace, Arc<str>),
    /// An item was taken away.
    Taken(Namespace, Place, Stored),
    /// An item got another time to expire.
    Refreshed(Namespace, Arc<str>, Option<UnixMillis>),
}

impl Table {
    /// Applies all operations, or none if one fails.
    pub(super) fn apply(
        &mut self,
        ops: Vec<ReadyOp>,
        now: UnixMillis,
    ) -> Result<Vec<Outcome>, StoreError> {
        let mut undo = Vec::new();
        let outcomes: Result<Vec<Outcome>, StoreError> = ops
            .into_iter()
            .map(|op| self.apply_one(op, now, &mut undo))
            .collect();
        if outcomes.is_err() {
            self.roll_back(undo);
        }
        outcomes
    }

    /// Removes what is expired, and namespaces without items.
    pub(super) fn sweep(&mut self, now: UnixMillis) -> usize {
        let mut swept = 0;
        while let Some(entry) = self.expiring.first_entry() {
            let (expires_at, _) = *entry.key();
            if expires_at > now {
                break;
            }
            let (namespace, key) = entry.remove();
            swept += usize::from(self.take(&namespace, &key).is_some());
        }
        self.namespaces.retain(|_, group| !group.items.is_empty());
        swept
    }

    /// Live items under a prefix whose vectors are not of this model.
    pub(super) fn stale(&self, prefix: &Prefix, model: &str, now: UnixMillis) -> Vec<Item> {
        let is_stale = |stored: &&Stored| {
            let own = stored.vectors.as_ref().filter(|own| !own.rows.is_empty());
            stored.is_live(now) && own.is_none_or(|own| own.model != model)
        };
        let namespaces = self.under(prefix.labels());
        let items = namespaces.flat_map(|(namespace, group)| {
            let stale = group.items.values().filter(is_stale);
            stale.map(move |stored| stored.item(namespace))
        });
        items.collect()
    }

    /// Gives an item new vectors, if it still is what they were made of.
    pub(super) fn index(&mut self, item: &Item, vectors: Vectors, now: UnixMillis) -> bool {
        let Some(group) = self.namespaces.get_mut(&item.namespace) else {
            return false;
        };
        let place = group.places.get(item.key.as_str());
        let stored = place.and_then(|place| group.items.get_mut(place));
        match stored.filter(|stored| stored.is_live(now) && stored.item(&item.namespace) == *item) {
            Some(stored) => {
                stored.vectors = Some(vectors);
                true
            }
            None => false,
        }
    }

    fn apply_one(
        &mut self,
        op: ReadyOp,
        now: UnixMillis,
        undo: &mut Vec<UndoStep>,
    ) -> Result<Outcome, StoreError> {
        Ok(match op {
            ReadyOp::Put { put, vectors } => {
                self.check_expected(&put, now)?;
                self.put(put, vectors, now, undo);
                Outcome::Done
            }
            ReadyOp::Get(get) => Outcome::Item(self.get(get, now, undo)),
            ReadyOp::Delete(Delete { namespace, key }) => {
                if let Some((place, stored)) = self.take(&namespace, &key) {
                    undo.push(UndoStep::Taken(namespace, place, stored));
                }
                Outcome::Done
            }
            ReadyOp::Search { search, ranking } => {
                let found = self.search(&search, ranking.as_ref(), now)?;
                if search.ttl == TtlOnRead::Refresh {
                    for SearchHit { item, .. } in &found {
                        self.refresh(&item.namespace, &item.key, now, undo);
                    }
                }
                Outcome::Found(found)
            }
            ReadyOp::ListNamespaces(list) => Outcome::Namespaces(self.list(&list, now)),
        })
    }

    fn check_expected(&self, put: &Put, now: UnixMillis) -> Result<(), StoreError> {
        let stored = self.stored(&put.namespace, &put.key);
        let live = stored.filter(|stored| stored.is_live(now));
        if put
            .options
            .expected
            .allows(live.map(|stored| &stored.value))
        {
            return Ok(());
        }
        Err(StoreError::Conflict {
            namespace: put.namespace.clone(),
            key: put.key.clone(),
        })
    }

    fn put(
        &mut self,
        put: Put,
        vectors: Option<Vectors>,
        now: UnixMillis,
        undo: &mut Vec<UndoStep>,
    ) {
        let Put {
            namespace,
            key,
            value,
            options,
        } = put;
        let before = self.take(&namespace, &key);
        let (place, created_at) = match &before {
            Some((place, old)) if old.is_live(now) => (*place, old.created_at),
            _ => (self.new_place(), now),
        };
        if let Some((place, old)) = before {
            undo.push(UndoStep::Taken(namespace.clone(), place, old));
        }
        if !self.namespaces.contains_key(&namespace) {
            let group = NamespaceItems {
                place: self.new_place(),
                ..NamespaceItems::default()
            };
            self.namespaces.insert(namespace.clone(), group);
            undo.push(UndoStep::NamespaceItems(namespace.clone()));
        }
        let key: Arc<str> = key.into();
        undo.push(UndoStep::Added(namespace.clone(), key.clone()));
        let stored = Stored {
            key,
            value,
            created_at,
            updated_at: now,
            ttl: options.ttl,
            expires_at: options.ttl.map(|ttl| expiry(now, ttl)),
            vectors,
        };
        self.add(&namespace, place, stored);
    }

    fn get(&mut self, get: Get, now: UnixMillis, undo: &mut Vec<UndoStep>) -> Option<Item> {
        let stored = self.stored(&get.namespace, &get.key)?;
        if !stored.is_live(now) {
            return None;
        }
        let item = stored.item(&get.namespace);
        if get.ttl == TtlOnRead::Refresh {
            self.refresh(&get.namespace, &get.key, now, undo);
        }
        Some(item)
    }

    fn search(
        &self,
        search: &Search,
        ranking: Option<&Ranking>,
        now: UnixMillis,
    ) -> Result<Vec<SearchHit>, StoreError> {
        let mut namespaces: Vec<_> = self.under(search.prefix.labels()).collect();
        namespaces.sort_by_key(|(_, group)| group.place);
        let candidates = namespaces
            .into_iter()
            .flat_map(|(namespace, group)| group.items.values().map(move |it| (namespace, it)))
            .filter(|(_, stored)| stored.is_live(now) && search.filter.matches(&stored.value));
        let Some(ranking) = ranking else {
            let page = candidates.skip(search.offset).take(search.limit);
            return Ok(page
                .map(|(namespace, stored)| stored.found(namespace, None))
                .collect());
        };
        let mut scored = Vec::new();
        for (namespace, stored) in candidates {
            let score = ranking.score(&stored.key, &stored.value, stored.vectors.as_ref())?;
            scored.extend(score.map(|score| (score, (namespace, stored))));
        }
        Ok(best(scored, search.offset, search.limit)
            .into_iter()
            .map(|(score, (namespace, stored))| stored.found(namespace, Some(score)))
            .collect())
    }

    fn list(&self, list: &ListNamespaces, now: UnixMillis) -> Vec<Namespace> {
        let mut last = None;
        self.under(list.prefix.literal_head())
            .filter(|(namespace, _)| list.prefix.fits_start(namespace))
            .filter(|(namespace, _)| list.suffix.fits_end(namespace))
            .filter(|(_, group)| group.items.values().any(|stored| stored.is_live(now)))
            .map(|(namespace, _)| match list.max_depth {
                Some(depth) => namespace.truncated(depth),
                None => namespace.clone(),
            })
            // Label order makes namespaces that were cut to the same one neighbors.
            .filter(|namespace| last.replace(namespace.clone()).as_ref() != Some(namespace))
            .skip(list.offset)
            .take(list.limit)
            .collect()
    }

    fn under(&self, labels: &[String]) -> impl Iterator<Item = (&Namespace, &NamespaceItems)> {
        self.namespaces
            .range::<[String], _>((Bound::Included(labels), Bound::Unbounded))
            .take_while(move |(namespace, _)| namespace.labels().starts_with(labels))
    }

    fn stored(&self, namespace: &Namespace, key: &str) -> Option<&Stored> {
        let group = self.namespaces.get(namespace)?;
        group.items.get(group.places.get(key)?)
    }

    fn new_place(&mut self) -> Place {
        self.next_place += 1;
        self.next_place
    }

    fn add(&mut self, namespace: &Namespace, place: Place, stored: Stored) {
        let Some(group) = self.namespaces.get_mut(namespace) else {
            return;
        };
        if let Some(expires_at) = stored.expires_at {
            let address = (namespace.clone(), stored.key.clone());
            self.expiring.insert((expires_at, place), address);
        }
        group.places.insert(stored.key.clone(), place);
        group.items.insert(place, stored);
    }

    fn take(&mut self, namespace: &Namespace, key: &str) -> Option<(Place, Stored)> {
        let group = self.namespaces.get_mut(namespace)?;
        let place = group.places.remove(key)?;
        let stored = group.items.remove(&place)?;
        if let Some(expires_at) = stored.expires_at {
            self.expiring.remove(&(expires_at, place));
        }
        Some((place, stored))
    }

    fn refresh(
        &mut self,
        namespace: &Namespace,
        key: &str,
        now: UnixMillis,
        undo: &mut Vec<UndoStep>,
    ) {
        let Some(stored) = self.stored(namespace, key) else {
            return;
        };
        let Some(ttl) = stored.ttl else { return };
        undo.push(UndoStep::Refreshed(
            namespace.clone(),
            stored.key.clone(),
            stored.expires_at,
        ));
        self.set_expiry(namespace, key, Some(expiry(now, ttl)));
    }

    fn set_expiry(&mut self, namespace: &Namespace, key: &str, expires_at: Option<UnixMillis>) {
        if let Some((place, stored)) = self.take(namespace, key) {
            let stored = Stored {
                expires_at,
                ..stored
            };
            self.add(namespace, place, stored);
        }
    }

    fn roll_back(&mut self, undo: Vec<UndoStep>) {
        for change in undo.into_iter().rev() {
            match change {
                UndoStep::NamespaceItems(namespace) => {
                    self.namespaces.remove(&namespace);
                }
                UndoStep::Added(namespace, key) => {
                    self.take(&namespace, &key);
                }
                UndoStep::Taken(namespace, place, stored) => self.add(&namespace, place, stored),
                UndoStep::Refreshed(namespace, key, expires_at) => {
                    self.set_expiry(&namespace, &key, expires_at);
                }
            }
        }
    }
}

impl Stored {
    fn is_live(&self, now: UnixMillis) -> bool {
        self.expires_at.is_none_or(|expires_at| expires_at > now)
    }

    fn item(&self, namespace: &Namespace) -> Item {
        Item {
            namespace: namespace.clone(),
            key: self.key.to_string(),
            value: self.value.clone(),
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }

    fn found(&self, namespace: &Namespace, score: Option<f64>) -> SearchHit {
        SearchHit {
            item: self.item(namespace),
            score,
        }
    }
}
