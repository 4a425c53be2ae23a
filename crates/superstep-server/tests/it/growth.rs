//! The cost of a request on a thread that has had many runs: the same number of records is read.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::json;
use superstep::{
    Backends, CancelRequest, MemorySaver, RunId, RunQuery, RunRecord, Saver, ThreadId,
    http::Method,
    runs::{BeginRun, EndRun},
    saver::{MaybeReady, Runs, SaverLayer},
};

use crate::{
    client::Running,
    graphs::{memory, server},
    sse::Events,
};

const ID: &str = "88888888-8888-4888-8888-888888888888";

/// A saver that counts the records of runs that are read.
struct Counting {
    saver: MemorySaver,
    read: Arc<AtomicUsize>,
}

impl SaverLayer for Counting {
    fn inner(&self) -> &dyn Saver {
        &self.saver
    }

    fn runs(&self) -> &dyn Runs {
        self
    }
}

impl Runs for Counting {
    fn begin_run(&self, begin: BeginRun) -> MaybeReady<'_, RunRecord> {
        self.saver.runs().begin_run(begin)
    }

    fn end_run(&self, end: EndRun) -> MaybeReady<'_, ()> {
        self.saver.runs().end_run(end)
    }

    fn load_run(&self, run: RunId) -> MaybeReady<'_, Option<RunRecord>> {
        self.saver.runs().load_run(run)
    }

    fn load_runs(&self, thread: &ThreadId, query: &RunQuery) -> MaybeReady<'_, Vec<RunRecord>> {
        let (thread, query) = (thread.clone(), query.clone());
        MaybeReady::Later(Box::pin(async move {
            let found = self.saver.runs().load_runs(&thread, &query).await?;
            self.read.fetch_add(found.len(), Ordering::SeqCst);
            Ok(found)
        }))
    }

    fn interrupted(&self, thread: Option<&ThreadId>) -> MaybeReady<'_, Vec<RunRecord>> {
        self.saver.runs().interrupted(thread)
    }

    fn request_cancel(&self, run: RunId, request: CancelRequest) -> MaybeReady<'_, bool> {
        self.saver.runs().request_cancel(run, request)
    }

    fn cancel_requested(&self, run: RunId) -> MaybeReady<'_, Option<CancelRequest>> {
        self.saver.runs().cancel_requested(run)
    }

    fn rewind(
        &self,
        thread: &ThreadId,
        epoch: u64,
        to: superstep::CheckpointId,
    ) -> MaybeReady<'_, ()> {
        self.saver.runs().rewind(thread, epoch, to)
    }

    fn ended(&self, run: RunId) -> MaybeReady<'_, RunRecord> {
        self.saver.runs().ended(run)
    }

    fn cancelling(&self, run: RunId) -> MaybeReady<'_, CancelRequest> {
        self.saver.runs().cancelling(run)
    }
}

#[tokio::test]
async fn a_request_on_a_thread_reads_as_many_runs_however_many_it_has_had() {
    let read = Arc::new(AtomicUsize::new(0));
    let saver = Counting {
        saver: MemorySaver::default(),
        read: read.clone(),
    };
    let backends = Backends {
        saver: Some(Arc::new(saver)),
        ..memory()
    };
    let server = Running::start(server(backends)).await;
    let at = |rest: &str| format!("/threads/{ID}{rest}");
    server.post("/threads", json!({"thread_id": ID})).await.ok();
    let body = json!({"assistant_id": "one", "input": {"x": 1}});
    let mut costs = Vec::new();
    for _ in 0..4 {
        for _ in 0..40 {
            server.post(&at("/runs/wait"), body.clone()).await.ok();
        }
        let mut cost = Vec::new();
        let mut counted = || cost.push(read.swap(0, Ordering::SeqCst));
        counted();
        server.post(&at("/runs/wait"), body.clone()).await.ok();
        counted();
        let request = server.request(Method::POST, &at("/runs/stream"));
        let events = Events::open(&server, request.body(body.to_string())).await;
        events.rest().await;
        counted();
        server.get(&at("")).await.ok();
        counted();
        server.get(&at("/runs?limit=5")).await.ok();
        counted();
        server.post("/threads/search", json!({})).await.ok();
        counted();
        server.get(&at("/history?limit=3")).await.ok();
        counted();
        costs.push(cost.split_off(1));
    }
    assert!(costs[0].iter().all(|count| *count > 0), "{costs:?}");
    for later in &costs[1..] {
        assert_eq!(later, &costs[0], "{costs:?}");
    }
}
