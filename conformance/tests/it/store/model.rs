//! The memory store against a naive model, over seeded random batches.
//!
//! Batches fail in two ways: before anything is applied (a refused key), and half way (a query over an
//! item of another model, which only the store itself can find out).

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::json;
use superstep_engine::memory::MemoryStore;
use superstep_store::{
    BoxFuture, Clock, Delete, Embedder, Expected, Filter, Get, Item, ListNamespaces, ManualClock,
    Namespace, Op, Outcome, Pattern, Prefix, Put, PutOptions, Search, SearchHit, Store, StoreError,
    TtlOnRead, UnixMillis,
};

#[tokio::test]
async fn random_batches_give_what_the_model_gives() {
    for seed in 1..=300 {
        let clock = Arc::new(ManualClock::at(1000));
        let embedder = Arc::new(Renamed::default());
        let store = MemoryStore::new()
            .with_clock(clock.clone())
            .with_embedder(embedder.clone());
        let mut model = Model::default();
        let mut random = Random(fastrand::Rng::with_seed(seed));
        let trap = vec![Op::Put(trap())];
        store.batch(trap.clone()).await.unwrap();
        model.batch(trap, clock.now()).unwrap();
        embedder.0.store(true, Ordering::SeqCst);
        let mut failed = 0;
        for step in 0..60 {
            clock.advance(Duration::from_millis(random.below(30)));
            if random.below(10) == 0 {
                let swept = store.sweep_expired(clock.now()).await.unwrap();
                assert_eq!(swept, model.sweep(clock.now()), "seed {seed} step {step}");
            }
            let ops: Vec<Op> = (0..random.below(8)).map(|_| random.op()).collect();
            let shown = format!("seed {seed} step {step}: {ops:?}");
            let got = store.batch(ops.clone()).await.ok();
            failed += usize::from(got.is_none());
            assert_eq!(got, model.batch(ops, clock.now()), "{shown}");
        }
        assert!((5..40).contains(&failed), "seed {seed}: {failed} failed");
    }
}

/// Everything in one list, copied before each batch.
#[derive(Default, Clone)]
struct Model {
    used: Vec<Namespace>,
    entries: Vec<Entry>,
}

#[derive(Clone)]
struct Entry {
    item: Item,
    ttl: Option<Duration>,
    expires_at: UnixMillis,
}

impl Model {
    fn batch(&mut self, ops: Vec<Op>, now: UnixMillis) -> Option<Vec<Outcome>> {
        let before = self.clone();
        let outcomes: Option<Vec<Outcome>> = ops.into_iter().map(|op| self.one(op, now)).collect();
        if outcomes.is_none() {
            *self = before;
        }
        outcomes
    }

    fn sweep(&mut self, now: UnixMillis) -> usize {
        let before = self.entries.len();
        self.entries.retain(|entry| entry.expires_at > now);
        let entries = &self.entries;
        let in_use = |used: &Namespace| entries.iter().any(|it| it.item.namespace == *used);
        self.used.retain(in_use);
        before - self.entries.len()
    }

    fn one(&mut self, op: Op, now: UnixMillis) -> Option<Outcome> {
        match op {
            Op::Put(put) => self.put(put, now),
            Op::Get(get) => {
                let ttl = get.ttl;
                let live = self.live(now, |item| {
                    item.namespace == get.namespace && item.key == get.key
                });
                Some(Outcome::Item(self.read(live, ttl, now).pop()))
            }
            Op::Delete(Delete { namespace, key }) => {
                self.entries
                    .retain(|entry| !is_at(&entry.item, &namespace, &key));
                Some(Outcome::Done)
            }
            Op::Search(search) if search.query.is_some() => None,
            Op::Search(search) => {
                let mut live = self.live(now, |item| {
                    item.namespace.is_under(&search.prefix) && search.filter.matches(&item.value)
                });
                live.sort_by_key(|place| {
                    let namespace = &self.entries[*place].item.namespace;
                    self.used.iter().position(|used| used == namespace)
                });
                let page = live.into_iter().skip(search.offset).take(search.limit);
                let found = self.read(page.collect(), search.ttl, now);
                let found = found
                    .into_iter()
                    .map(|item| SearchHit { item, score: None });
                Some(Outcome::Found(found.collect()))
            }
            Op::ListNamespaces(list) => {
                let live = self.live(now, |item| {
                    list.prefix.fits_start(&item.namespace) && list.suffix.fits_end(&item.namespace)
                });
                let cut: BTreeSet<Namespace> = live
                    .into_iter()
                    .map(|place| &self.entries[place].item.namespace)
                    .map(|it| {
                        list.max_depth
                            .map_or(it.clone(), |depth| it.truncated(depth))
                    })
                    .collect();
                let page = cut.into_iter().skip(list.offset).take(list.limit);
                Some(Outcome::Namespaces(page.collect()))
            }
        }
    }

    fn put(&mut self, put: Put, now: UnixMillis) -> Option<Outcome> {
        if put.key.contains('\0') {
            return None;
        }
        let place = (&put.namespace, &put.key);
        let current = self.live(now, |item| is_at(item, place.0, place.1)).pop();
        let current = current.map(|place| &self.entries[place].item.value);
        if !put.options.expected.allows(current) {
            return None;
        }
        if !self.used.contains(&put.namespace) {
            self.used.push(put.namespace.clone());
        }
        let ttl = put.options.ttl;
        let mut entry = Entry {
            item: Item {
                namespace: put.namespace,
                key: put.key,
                value: put.value,
                created_at: now,
                updated_at: now,
            },
            ttl,
            expires_at: ttl.map_or(i64::MAX, |ttl| now + ttl.as_millis() as i64),
        };
        let same = |old: &Entry| is_at(&old.item, &entry.item.namespace, &entry.item.key);
        match self.entries.iter().position(same) {
            Some(place) if self.entries[place].expires_at > now => {
                entry.item.created_at = self.entries[place].item.created_at;
                self.entries[place] = entry;
            }
            Some(place) => {
                self.entries.remove(place);
                self.entries.push(entry);
            }
            None => self.entries.push(entry),
        }
        Some(Outcome::Done)
    }

    fn live(&self, now: UnixMillis, wanted: impl Fn(&Item) -> bool) -> Vec<usize> {
        let places = 0..self.entries.len();
        places
            .filter(|place| self.entries[*place].expires_at > now)
            .filter(|place| wanted(&self.entries[*place].item))
            .collect()
    }

    fn read(&mut self, places: Vec<usize>, ttl: TtlOnRead, now: UnixMillis) -> Vec<Item> {
        let mut items = Vec::new();
        for place in places {
            let entry = &mut self.entries[place];
            if let (TtlOnRead::Refresh, Some(ttl)) = (ttl, entry.ttl) {
                entry.expires_at = now + ttl.as_millis() as i64;
            }
            items.push(entry.item.clone());
        }
        items
    }
}

fn is_at(item: &Item, namespace: &Namespace, key: &str) -> bool {
    item.namespace == *namespace && item.key == key
}

/// An item that makes a query over its namespace fail, once the embedder has another name.
fn trap() -> Put {
    Put {
        namespace: "trap".parse().unwrap(),
        key: "k".to_owned(),
        value: json!("text"),
        options: PutOptions::default(),
    }
}

#[derive(Default)]
struct Renamed(AtomicBool);

impl Embedder for Renamed {
    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vec<f32>>, StoreError>> {
        Box::pin(async move { Ok(texts.iter().map(|_| vec![1.0]).collect()) })
    }

    fn id(&self) -> &str {
        match self.0.load(Ordering::SeqCst) {
            false => "before",
            true => "after",
        }
    }

    fn dimensions(&self) -> usize {
        1
    }
}

struct Random(fastrand::Rng);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0.u64(..bound)
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len() as u64) as usize]
    }

    fn namespace(&mut self) -> Namespace {
        let choices = ["a", "a.b", "a.b.c", "ab", "b.a", "b", "a-b"];
        self.pick(&choices).parse().unwrap()
    }

    fn key(&mut self) -> String {
        // The last one is refused, which fails the batch.
        let choices = [
            "1", "1", "1", "1", "2", "2", "2", "3", "3", "4", "5", "6", "7", "\0",
        ];
        self.pick(&choices).to_owned()
    }

    fn pattern(&mut self) -> Pattern {
        let labels = ["a", "b", "*", "c"];
        Pattern::new(
            (0..self.below(3))
                .map(|_| self.pick(&labels))
                .collect::<Vec<_>>(),
        )
    }

    fn ttl_on_read(&mut self) -> TtlOnRead {
        match self.below(2) {
            0 => TtlOnRead::Keep,
            _ => TtlOnRead::Refresh,
        }
    }

    fn op(&mut self) -> Op {
        match self.below(22) {
            0..=9 => Op::Put(Put {
                namespace: self.namespace(),
                key: self.key(),
                value: json!({"n": self.below(5)}),
                options: PutOptions {
                    ttl: match self.below(3) {
                        0 => Some(Duration::from_millis(1 + self.below(100))),
                        _ => None,
                    },
                    expected: match self.below(30) {
                        0 => Expected::Absent,
                        1 => Expected::Value(json!({"n": self.below(5)})),
                        _ => Expected::Anything,
                    },
                    ..PutOptions::default()
                },
            }),
            10..=12 => Op::Get(Get {
                namespace: self.namespace(),
                key: self.key().replace('\0', "1"),
                ttl: self.ttl_on_read(),
            }),
            13..=15 => Op::Delete(Delete {
                namespace: self.namespace(),
                key: self.key().replace('\0', "1"),
            }),
            16 => Op::Search(Search {
                prefix: trap().namespace.into(),
                query: Some("text".to_owned()),
                ..Search::default()
            }),
            17..=19 => Op::Search(Search {
                prefix: match self.below(3) {
                    0 => Prefix::default(),
                    _ => self.namespace().into(),
                },
                filter: match self.below(3) {
                    0 => Filter::default(),
                    1 => Filter::Eq("n".into(), json!(self.below(5))),
                    _ => Filter::Gt("n".into(), json!(self.below(5))),
                },
                limit: self.below(8) as usize,
                offset: self.below(3) as usize,
                ttl: self.ttl_on_read(),
                ..Search::default()
            }),
            _ => Op::ListNamespaces(ListNamespaces {
                prefix: self.pattern(),
                suffix: self.pattern(),
                max_depth: NonZeroUsize::new(self.below(4) as usize),
                limit: self.below(8) as usize,
                offset: self.below(3) as usize,
            }),
        }
    }
}
