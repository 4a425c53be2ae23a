//! Work that may take long is done on another thread than the caller's, in company with the work of
//! others.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use superstep_store::{Clock, ListNamespaces, Op, Put, Store, TtlOnRead, UnixMillis};

use super::{File, Letters, asking, ns, plain, under};

/// A clock that stands still until somebody lets it continue; it is read inside a transaction.
struct Held(Mutex<Receiver<()>>);

impl Held {
    fn new() -> (Sender<()>, Arc<Self>) {
        let (go, held) = channel();
        (go, Arc::new(Self(Mutex::new(held))))
    }
}

impl Clock for Held {
    fn now(&self) -> UnixMillis {
        let held = self.0.lock().unwrap();
        // Only a caller whose own thread stands still makes it wait so long.
        held.recv_timeout(Duration::from_secs(20)).unwrap();
        1000
    }
}

fn put(dotted: &str, key: &str) -> Op {
    Op::Put(Put {
        namespace: ns(dotted),
        key: key.to_owned(),
        value: json!("c"),
        options: plain(),
    })
}

#[tokio::test]
async fn a_caller_goes_on_while_a_search_or_a_large_batch_works() {
    let file = File::new();
    let (go, clock) = Held::new();
    let store = file.store().with_clock(clock);
    let large = (0..100).map(|number| put("m", &number.to_string()));
    let long = [
        vec![Op::Search(under(""))],
        vec![Op::ListNamespaces(ListNamespaces::default())],
        large.collect(),
        vec![put("m", "one"), Op::Search(under("m"))],
    ];
    for ops in long {
        let (done, sent) = tokio::join!(store.batch(ops), async { go.send(()) });
        done.unwrap();
        sent.unwrap();
    }
}

#[tokio::test]
async fn a_batch_that_fails_keeps_its_own_error_and_does_no_harm_to_others_in_its_transaction() {
    let file = File::new();
    let letters = Arc::new(Letters::default());
    let store = file.store().with_embedder(letters.clone());
    store
        .put(&ns("m"), "old", json!("a"), plain())
        .await
        .unwrap();
    letters.is_another.store(true, Ordering::SeqCst);
    let (go, clock) = Held::new();
    let holding = store.clone().with_clock(clock);
    let fails = vec![put("fails", "k"), Op::Search(asking("m", "a"))];
    let (first, failed, second, sent) = tokio::join!(
        holding.batch(vec![put("first", "k"), Op::Search(under("first"))]),
        store.batch(fails),
        store.batch(vec![put("second", "k")]),
        async { go.send(()) },
    );
    first.unwrap();
    second.unwrap();
    sent.unwrap();
    assert_eq!(failed.unwrap_err().code(), "SS3041");
    for (dotted, is_there) in [("first", true), ("fails", false), ("second", true)] {
        let item = store.get(&ns(dotted), "k", TtlOnRead::Keep).await.unwrap();
        assert_eq!(item.is_some(), is_there, "{dotted}");
    }
}

#[test]
fn a_store_works_where_there_is_no_runtime() {
    let file = File::new();
    let store = file.store();
    // Nothing here is woken by a reactor: the writer's own thread wakes who waits.
    let found = block_on(async {
        store.put(&ns("m"), "k", json!(1), plain()).await?;
        store.search(under("m")).await
    });
    assert_eq!(found.unwrap().len(), 1);
}

/// Waits without a runtime.
fn block_on<T>(work: impl Future<Output = T>) -> T {
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Arc::new(Unpark(std::thread::current())).into();
    let mut context = std::task::Context::from_waker(&waker);
    let mut work = std::pin::pin!(work);
    loop {
        match work.as_mut().poll(&mut context) {
            std::task::Poll::Ready(done) => return done,
            std::task::Poll::Pending => std::thread::park(),
        }
    }
}
