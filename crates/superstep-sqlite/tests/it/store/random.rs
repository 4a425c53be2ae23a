//! The store against the one in memory, over seeded random batches.
//!
//! Batches also fail half way: a query over an item of another model is an error that only the store
//! itself can find out.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::json;
use superstep::MemoryStore;
use superstep_sqlite::SqliteStore;
use superstep_store::{
    Clock, Delete, Embedder, Expected, Filter, Get, Index, ListNamespaces, ManualClock, Namespace,
    Op, Outcome, Pattern, Prefix, Put, PutOptions, Search, Store, StoreError, TtlOnRead,
};

use super::{File, Letters, ns};

#[tokio::test]
async fn random_batches_give_what_the_memory_store_gives() {
    for seed in 1..=25 {
        compare(seed, None, MemoryStore::new(), |store| store).await;
    }
}

#[tokio::test]
async fn random_batches_with_vectors_give_what_the_memory_store_gives() {
    for seed in 1..=25 {
        let letters = Arc::new(Letters::default());
        let memory = MemoryStore::new().with_embedder(letters.clone());
        let embedder: Arc<dyn Embedder> = letters.clone();
        compare(seed, Some(letters), memory, |store| {
            store.with_embedder(embedder.clone())
        })
        .await;
    }
}

async fn compare(
    seed: u64,
    letters: Option<Arc<Letters>>,
    memory: MemoryStore,
    dress: impl Fn(SqliteStore) -> SqliteStore,
) {
    let file = File::new();
    let clock = Arc::new(ManualClock::at(1000));
    let memory = memory.with_clock(clock.clone());
    let open = || dress(file.store().with_clock(clock.clone()));
    let mut store = open();
    let mut random = Random(fastrand::Rng::with_seed(seed));
    let mut written = 0;
    for step in 0..60 {
        clock.advance(Duration::from_millis(random.below(30)));
        if random.below(10) == 0 {
            store = open();
        }
        if random.below(10) == 0 {
            let now = clock.now();
            let swept = store.sweep_expired(now).await.unwrap();
            let wanted = memory.sweep_expired(now).await.unwrap();
            assert_eq!(swept, wanted, "seed {seed} step {step}");
        }
        if let Some(letters) = &letters {
            let is_another = random.below(30) == 0;
            letters.is_another.store(is_another, Ordering::SeqCst);
        }
        let ops: Vec<Op> = (0..random.below(8)).map(|_| random.op()).collect();
        let context = format!("seed {seed} step {step}: {ops:?}");
        let got = store.batch(ops.clone()).await;
        written += usize::from(got.is_ok());
        assert_eq!(shown(got), shown(memory.batch(ops).await), "{context}");
    }
    assert!(written > 10, "seed {seed}: {written} batches went well");
}

fn shown(outcome: Result<Vec<Outcome>, StoreError>) -> Result<Vec<Outcome>, String> {
    outcome.map_err(|error| error.to_string())
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
        let choices = ["a", "a.b", "a.b.c", "ab", "b.a", "b", "a-b", "a\u{1}"];
        ns(self.pick(&choices))
    }

    fn key(&mut self) -> String {
        self.pick(&["1", "2", "3", "4", "5"]).to_owned()
    }

    fn text(&mut self) -> String {
        let words = ["a", "bb", "abc", "d", "cab", "zzz"];
        [self.pick(&words), self.pick(&words)].join(" ")
    }

    fn ttl_on_read(&mut self) -> TtlOnRead {
        match self.below(2) {
            0 => TtlOnRead::Keep,
            _ => TtlOnRead::Refresh,
        }
    }

    fn options(&mut self) -> PutOptions {
        PutOptions {
            ttl: (self.below(3) == 0).then(|| Duration::from_millis(1 + self.below(100))),
            index: match self.below(5) {
                0 => Index::Off,
                1 => Index::Fields(vec!["t".parse().unwrap(), "l[*]".parse().unwrap()]),
                _ => Index::Default,
            },
            expected: match self.below(30) {
                0 => Expected::Absent,
                1 => Expected::Value(json!(self.below(2))),
                _ => Expected::Anything,
            },
        }
    }

    fn pattern(&mut self) -> Pattern {
        let count = self.below(3);
        let labels: Vec<&str> = (0..count)
            .map(|_| self.pick(&["a", "b", "*", "c"]))
            .collect();
        Pattern::new(labels)
    }

    fn search(&mut self) -> Search {
        Search {
            prefix: match self.below(3) {
                0 => Prefix::default(),
                _ => self.namespace().into(),
            },
            filter: match self.below(3) {
                0 => Filter::default(),
                1 => Filter::Eq("n".into(), json!(self.below(5))),
                _ => Filter::Gt("n".into(), json!(self.below(5))),
            },
            query: (self.below(3) == 0).then(|| self.text()),
            limit: self.below(8) as usize,
            offset: self.below(3) as usize,
            ttl: self.ttl_on_read(),
        }
    }

    fn op(&mut self) -> Op {
        match self.below(22) {
            0..=9 => Op::Put(Put {
                namespace: self.namespace(),
                key: self.key(),
                value: match self.below(5) {
                    0 => json!(self.below(2)),
                    _ => json!({"n": self.below(5), "t": self.text(), "l": ["a", self.text()]}),
                },
                options: self.options(),
            }),
            10..=12 => Op::Get(Get {
                namespace: self.namespace(),
                key: self.key(),
                ttl: self.ttl_on_read(),
            }),
            13..=15 => Op::Delete(Delete {
                namespace: self.namespace(),
                key: self.key(),
            }),
            16..=19 => Op::Search(self.search()),
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
