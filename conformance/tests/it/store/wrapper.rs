//! A store with one thing wrong: what it does to operations, outcomes and errors.

use std::collections::BTreeSet;
use std::future::{Future, poll_fn};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use serde_json::{Value, json};
use superstep_conformance::store_kit::StoreSetup;
use superstep_engine::memory::MemoryStore;
use superstep_store::{
    BoxFuture, Delete, Embedder, Expected, Filter, Get, Index, ListNamespaces, ManualClock,
    Namespace, Op, Outcome, Pattern, Prefix, Put, PutOptions, Reindexed, Search, Store, StoreError,
    TtlOnRead, UnixMillis,
};

use super::fault::Fault;
use super::memory::open;

pub(crate) struct Broken {
    fault: Fault,
    inner: MemoryStore,
    in_flight: AtomicUsize,
    ever_used: Mutex<BTreeSet<Namespace>>,
}

impl Broken {
    pub(crate) fn open(fault: Fault, mut setup: StoreSetup) -> Self {
        if fault == Fault::ClockStandsStill {
            setup.clock = Arc::new(ManualClock::at(setup.clock.now()));
        }
        if fault == Fault::OneModelForAll {
            setup.embedder = setup.embedder.map(|inner| Arc::new(OneModel(inner)) as _);
        }
        Self {
            fault,
            inner: open(setup),
            in_flight: AtomicUsize::new(0),
            ever_used: Mutex::default(),
        }
    }

    async fn one(&self, op: Op) -> Result<Outcome, StoreError> {
        Ok(self.inner.batch(vec![op]).await?.remove(0))
    }

    async fn current(&self, put: &Put) -> Option<Value> {
        let get = self.inner.get(&put.namespace, &put.key, TtlOnRead::Keep);
        get.await.ok().flatten().map(|item| item.value)
    }

    /// What the faulty store hands down in the place of `op`; `None` means nothing at all.
    async fn rewritten(&self, op: Op) -> Option<Op> {
        match op {
            Op::Put(put) => self.rewritten_put(put).await,
            Op::Get(get) => Some(Op::Get(self.rewritten_get(get).await)),
            Op::Delete(delete) => self.rewritten_delete(delete).await,
            Op::Search(search) => Some(Op::Search(self.rewritten_search(search).await)),
            Op::ListNamespaces(list) => Some(Op::ListNamespaces(self.rewritten_list(list))),
        }
    }

    async fn rewritten_put(&self, mut put: Put) -> Option<Op> {
        let current = self.current(&put).await;
        match self.fault {
            Fault::LosesReplaces if current.is_some() => return None,
            Fault::LosesConcurrentPuts => {
                let others = self.in_flight.fetch_add(1, Ordering::SeqCst);
                yield_once().await;
                self.in_flight.fetch_sub(1, Ordering::SeqCst);
                if others > 0 {
                    return None;
                }
            }
            Fault::MergesValues => {
                if let (Some(Value::Object(mut old)), Value::Object(new)) = (current, &put.value) {
                    old.extend(new.clone());
                    put.value = Value::Object(old);
                }
            }
            Fault::ReplaceMakesNew => self.inner.delete(&put.namespace, &put.key).await.unwrap(),
            Fault::NullDeletes if put.value.is_null() => {
                let Put { namespace, key, .. } = put;
                return Some(Op::Delete(Delete { namespace, key }));
            }
            Fault::FloatsIntegers => float(&mut put.value),
            Fault::CutsTexts => texts(&mut put.value, &|text| text.chars().take(1000).collect()),
            Fault::StripsNul => texts(&mut put.value, &|text| text.replace('\0', "")),
            Fault::FoldsKeys => put.key = put.key.to_lowercase(),
            Fault::FoldsNamespaces => put.namespace = folded(&put.namespace),
            Fault::ForgetsTtl => put.options.ttl = None,
            Fault::CapsTtl => put.options.ttl = put.options.ttl.map(|ttl| ttl.min(DAY)),
            Fault::IgnoresIndex => put.options.index = Index::Default,
            Fault::EmbedsOnlyOnce if current.is_some() => put.options.index = Index::Off,
            Fault::IgnoresConditions => put.options.expected = Expected::Anything,
            Fault::ChecksBeforeTheBatch if put.options.expected.allows(current.as_ref()) => {
                put.options.expected = Expected::Anything;
            }
            Fault::ChecksAndThenWrites if put.options.expected.allows(current.as_ref()) => {
                put.options.expected = Expected::Anything;
                yield_once().await;
            }
            Fault::TakesNullForAbsent
                if put.options.expected == Expected::Absent && current == Some(Value::Null) =>
            {
                put.options.expected = Expected::Anything;
            }
            Fault::SkipsWhatConflicts if !put.options.expected.allows(current.as_ref()) => {
                return None;
            }
            Fault::ConditionRefreshes if put.options.expected != Expected::Anything => {
                let (place, key) = (&put.namespace, &put.key);
                self.inner.get(place, key, TtlOnRead::Refresh).await.ok();
            }
            Fault::ConditionMakesNew
                if matches!(put.options.expected, Expected::Value(_))
                    && put.options.expected.allows(current.as_ref()) =>
            {
                self.inner.delete(&put.namespace, &put.key).await.unwrap();
                put.options.expected = Expected::Anything;
            }
            _ => {}
        }
        self.ever_used.lock().unwrap().insert(put.namespace.clone());
        Some(Op::Put(put))
    }

    async fn rewritten_get(&self, mut get: Get) -> Get {
        match self.fault {
            Fault::NeverRefreshes => get.ttl = TtlOnRead::Keep,
            Fault::AlwaysRefreshes => get.ttl = TtlOnRead::Refresh,
            Fault::FoldsKeys => get.key = get.key.to_lowercase(),
            Fault::FoldsNamespaces => get.namespace = folded(&get.namespace),
            Fault::FindsKeysAnywhere => {
                let all = self.inner.search(everywhere()).await.unwrap();
                if let Some(found) = all.into_iter().find(|found| found.item.key == get.key) {
                    get.namespace = found.item.namespace;
                }
            }
            Fault::ReadMakesNamespaces => {
                let (place, options) = (&get.namespace, PutOptions::default());
                self.inner.put(place, "", json!(1), options).await.unwrap();
                self.inner.delete(place, "").await.unwrap();
            }
            Fault::ReadUpdates if get.ttl == TtlOnRead::Refresh => {
                let item = self
                    .inner
                    .get(&get.namespace, &get.key, TtlOnRead::Keep)
                    .await;
                if let Ok(Some(item)) = item {
                    let options = PutOptions::default();
                    let put = self
                        .inner
                        .put(&get.namespace, &get.key, item.value, options);
                    put.await.unwrap();
                }
            }
            _ => {}
        }
        get
    }

    async fn rewritten_delete(&self, mut delete: Delete) -> Option<Op> {
        match self.fault {
            Fault::PanicsOnDelete => panic!("no deletions today"),
            Fault::FoldsKeys => delete.key = delete.key.to_lowercase(),
            Fault::DeletesSoftly => {
                return Some(Op::Put(Put {
                    namespace: delete.namespace,
                    key: delete.key,
                    value: json!(GONE),
                    options: PutOptions::default(),
                }));
            }
            _ => {}
        }
        Some(Op::Delete(delete))
    }

    async fn rewritten_search(&self, mut search: Search) -> Search {
        match self.fault {
            Fault::NeverRefreshes => search.ttl = TtlOnRead::Keep,
            Fault::AlwaysRefreshes => search.ttl = TtlOnRead::Refresh,
            Fault::RefreshesBeyondThePage if search.ttl == TtlOnRead::Refresh => {
                let all = Search {
                    ttl: TtlOnRead::Refresh,
                    ..everywhere()
                };
                self.inner.search(all).await.unwrap();
            }
            Fault::PrefixIsText => {
                // Filtered by text afterwards.
                search.prefix = Prefix::default();
            }
            Fault::IgnoresFilter | Fault::FilterCountsAfterThePage => {
                search.filter = Filter::default();
            }
            Fault::IgnoresOffset => search.offset = 0,
            Fault::IgnoresLimit => search.limit = usize::MAX,
            Fault::IgnoresQuery => search.query = None,
            Fault::BlankFindsNothing => {
                let blank = |query: &String| query.trim().is_empty();
                if search.query.as_ref().is_some_and(blank) {
                    search.limit = 0;
                }
            }
            _ => {}
        }
        search
    }

    fn rewritten_list(&self, mut list: ListNamespaces) -> ListNamespaces {
        match self.fault {
            Fault::ListIgnoresPrefix => list.prefix = Pattern::default(),
            Fault::ListIgnoresSuffix => list.suffix = Pattern::default(),
            Fault::ListTakesStarsLiterally => {
                let starred = format!("{:?}{:?}", list.prefix, list.suffix).contains('*');
                if starred {
                    list.limit = 0;
                }
            }
            Fault::ListIgnoresDepth => list.max_depth = None,
            Fault::IgnoresOffset => list.offset = 0,
            Fault::IgnoresLimit => list.limit = usize::MAX,
            _ => {}
        }
        list
    }

    fn spoilt(&self, asked: &Op, mut outcome: Outcome) -> Outcome {
        match (&mut outcome, asked) {
            (Outcome::Item(item), _) if self.fault == Fault::DeletesSoftly => {
                item.take_if(|item| item.value == json!(GONE));
            }
            (Outcome::Found(found), Op::Search(search)) => match self.fault {
                Fault::DeletesSoftly => found.retain(|found| found.item.value != json!(GONE)),
                Fault::ReversesResults => found.reverse(),
                Fault::SortsNamespacesInSearch => {
                    found.sort_by_key(|found| found.item.namespace.clone());
                }
                Fault::PrefixIsText => {
                    let prefix = search.prefix.labels().join(".");
                    found.retain(|it| it.item.namespace.to_string().starts_with(&prefix));
                }
                Fault::FilterCountsAfterThePage => {
                    found.retain(|found| search.filter.matches(&found.item.value));
                }
                Fault::ScoresEverything => found.iter_mut().for_each(|it| it.score = Some(1.0)),
                Fault::ScoresNothing => found.iter_mut().for_each(|it| it.score = None),
                _ => {}
            },
            (Outcome::Namespaces(namespaces), _) => match self.fault {
                Fault::ListsInReverse => namespaces.reverse(),
                Fault::ListsTheEmptied => {
                    *namespaces = self.ever_used.lock().unwrap().iter().cloned().collect();
                }
                _ => {}
            },
            _ => {}
        }
        outcome
    }

    /// Faults in how a batch is refused.
    async fn refusal(&self, ops: &[Op]) -> Option<Result<Vec<Outcome>, StoreError>> {
        match (self.fault, ops) {
            (Fault::RefusesTheEmptyBatch, []) => Some(Err(StoreError::backend("nothing to do"))),
            (Fault::RefusesToDeleteTheAbsent, [Op::Delete(delete)]) => {
                let get = self
                    .inner
                    .get(&delete.namespace, &delete.key, TtlOnRead::Keep);
                let absent = get.await.unwrap().is_none();
                absent.then(|| Err(StoreError::backend("no such item")))
            }
            (Fault::RefusesDepth, [Op::Put(put)]) => {
                let deep = put.value.to_string().starts_with(&"[".repeat(50));
                let key = put.key.clone();
                deep.then_some(Err(StoreError::ValueTooDeep { key }))
            }
            _ => None,
        }
    }

    /// Faults in what is done about an error.
    async fn excused(&self, ops: &[Op], error: StoreError) -> Result<Vec<Outcome>, StoreError> {
        match (self.fault, error.code(), ops) {
            (Fault::AcceptsAnything, "SS3010" | "SS3011" | "SS3012" | "SS3024", _) => {
                Ok(ops.iter().map(nothing).collect())
            }
            (Fault::SwallowsEmbedderFailure, "SS3040", [Op::Put(put)]) => {
                let mut put = put.clone();
                put.options.index = Index::Off;
                self.inner.batch(vec![Op::Put(put)]).await
            }
            _ => Err(error),
        }
    }

    async fn one_by_one(&self, ops: Vec<Op>) -> Result<Vec<Outcome>, StoreError> {
        let mut outcomes = Vec::new();
        for op in ops {
            outcomes.push(self.one(op).await?);
            yield_once().await;
        }
        Ok(outcomes)
    }

    async fn reads_first(&self, ops: Vec<Op>) -> Result<Vec<Outcome>, StoreError> {
        let is_write = |op: &Op| matches!(op, Op::Put(_) | Op::Delete(_));
        let mut outcomes = Vec::new();
        for op in ops.iter().filter(|op| !is_write(op)) {
            outcomes.push(self.one(op.clone()).await?);
        }
        let mut reads = outcomes.into_iter();
        let mut outcomes = Vec::new();
        for op in ops {
            outcomes.push(match is_write(&op) {
                true => self.one(op).await?,
                false => reads.next().unwrap(),
            });
        }
        Ok(outcomes)
    }
}

impl Store for Broken {
    fn batch(&self, asked: Vec<Op>) -> BoxFuture<'_, Result<Vec<Outcome>, StoreError>> {
        Box::pin(async move {
            if let Some(refusal) = self.refusal(&asked).await {
                return refusal;
            }
            let mut ops = Vec::new();
            let mut skipped = BTreeSet::new();
            for (place, op) in asked.iter().enumerate() {
                match self.rewritten(op.clone()).await {
                    Some(op) => ops.push(op),
                    None => {
                        skipped.insert(place);
                    }
                }
            }
            let applied = match self.fault {
                Fault::AppliesOneByOne => self.one_by_one(ops).await,
                Fault::ReadsBeforeItWrites => self.reads_first(ops).await,
                _ => self.inner.batch(ops).await,
            };
            let mut outcomes = match applied {
                Ok(outcomes) => outcomes,
                Err(error) => self.excused(&asked, error).await?,
            }
            .into_iter();
            if self.fault == Fault::ForgetsTheEmptied {
                self.inner.sweep_expired(i64::MIN).await?;
            }
            let spoilt = asked.iter().enumerate().map(|(place, op)| {
                let skip = skipped.contains(&place);
                let outcome = if skip {
                    Some(Outcome::Done)
                } else {
                    outcomes.next()
                };
                self.spoilt(op, outcome.unwrap())
            });
            Ok(spoilt.collect())
        })
    }

    fn unindexed(&self, prefix: Prefix) -> BoxFuture<'_, Result<Option<usize>, StoreError>> {
        self.inner.unindexed(prefix)
    }

    fn reindex(&self, prefix: Prefix) -> BoxFuture<'_, Result<Reindexed, StoreError>> {
        Box::pin(async move {
            match self.fault {
                Fault::ReindexesNothing => Ok(Reindexed::default()),
                Fault::ReindexesByPutting => {
                    let search = Search {
                        prefix: prefix.clone(),
                        limit: usize::MAX,
                        ttl: TtlOnRead::Keep,
                        ..Search::default()
                    };
                    for found in self.inner.search(search).await? {
                        let item = found.item;
                        let options = PutOptions::default();
                        let put = self
                            .inner
                            .put(&item.namespace, &item.key, item.value, options);
                        put.await?;
                    }
                    self.inner.reindex(prefix).await
                }
                _ => self.inner.reindex(prefix).await,
            }
        })
    }

    fn sweep_expired(&self, now: UnixMillis) -> BoxFuture<'_, Result<usize, StoreError>> {
        Box::pin(async move {
            match self.fault {
                Fault::SweepsNothing => Ok(0),
                Fault::SweepsEverything => self.inner.sweep_expired(i64::MAX).await,
                _ => self.inner.sweep_expired(now).await,
            }
        })
    }
}

/// Hides that the model was replaced.
struct OneModel(Arc<dyn Embedder>);

impl Embedder for OneModel {
    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vec<f32>>, StoreError>> {
        self.0.embed(texts)
    }

    fn id(&self) -> &str {
        "any"
    }

    fn dimensions(&self) -> usize {
        self.0.dimensions()
    }
}

const DAY: Duration = Duration::from_secs(86_400);
const GONE: &str = "gone";

fn everywhere() -> Search {
    Search {
        limit: usize::MAX,
        ttl: TtlOnRead::Keep,
        ..Search::default()
    }
}

fn folded(namespace: &Namespace) -> Namespace {
    let labels = namespace.labels().iter().map(|label| label.to_lowercase());
    Namespace::new(labels).unwrap()
}

fn float(value: &mut Value) {
    match value {
        Value::Number(number) => *value = json!(number.as_f64()),
        Value::Array(elements) => elements.iter_mut().for_each(float),
        Value::Object(fields) => fields.values_mut().for_each(float),
        _ => {}
    }
}

fn texts(value: &mut Value, change: &impl Fn(&str) -> String) {
    match value {
        Value::String(text) => *text = change(text),
        Value::Array(elements) => elements.iter_mut().for_each(|it| texts(it, change)),
        Value::Object(fields) => fields.values_mut().for_each(|it| texts(it, change)),
        _ => {}
    }
}

fn nothing(op: &Op) -> Outcome {
    match op {
        Op::Put(_) | Op::Delete(_) => Outcome::Done,
        Op::Get(_) => Outcome::Item(None),
        Op::Search(_) => Outcome::Found(vec![]),
        Op::ListNamespaces(_) => Outcome::Namespaces(vec![]),
    }
}

fn yield_once() -> impl Future<Output = ()> {
    let mut yielded = false;
    poll_fn(move |context| {
        if yielded {
            return Poll::Ready(());
        }
        yielded = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
}
