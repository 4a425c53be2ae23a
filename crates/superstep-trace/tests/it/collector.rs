//! A collector on this machine that takes, refuses, hangs and comes back.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::json;
use superstep::Saver;
use superstep_loopback::{Answer as Played, Request, Server};
use superstep_trace::export::{ExportError, ExportOptions, Exporter, RetryAfter};
use tokio::{net::TcpListener, sync::mpsc};

use crate::{
    graphs::{failing, fan_out, memory, on, sequence, traced},
    proto::{Seen, spans},
};

/// What a collector does with a request.
#[derive(Clone, Copy)]
enum Answer {
    Takes,
    /// With a status, and headers besides.
    Says(u16, &'static [(&'static str, &'static str)]),
    /// Reads and never answers.
    Hangs,
    /// Takes all but so many spans.
    Rejects(u8),
}

/// A request as it came in.
struct Got {
    request: Request,
    spans: Vec<Seen>,
    resource: BTreeMap<String, String>,
}

struct Collector {
    server: Server,
    requests: mpsc::UnboundedReceiver<Got>,
}

impl Collector {
    /// Answers requests in this order, and takes all that follow.
    async fn start(answers: &[Answer]) -> Self {
        let (send, requests) = mpsc::unbounded_channel();
        let answers = Mutex::new(VecDeque::from(answers.to_vec()));
        let server = Server::with(move |request| {
            let (spans, resource) = spans(&request.bytes);
            let request = request.clone();
            // Tests that look at no request have dropped the receiver.
            let _ = send.send(Got {
                request,
                spans,
                resource,
            });
            match answers.lock().unwrap().pop_front().unwrap_or(Answer::Takes) {
                Answer::Takes => Played::status(200, &[], ""),
                Answer::Says(status, headers) => Played::status(status, headers, ""),
                Answer::Rejects(spans) => Played::status(200, &[], [0x0a, 0x02, 0x08, spans]),
                Answer::Hangs => Played::hang(),
            }
        });
        let server = server.await.unwrap();
        Self { server, requests }
    }

    fn endpoint(&self) -> String {
        format!("{}/v1/traces", self.server.address())
    }

    async fn next(&mut self) -> Got {
        self.requests.recv().await.unwrap()
    }

    fn options(&self) -> ExportOptions {
        let mut options = ExportOptions::to(self.endpoint());
        options.backoff.initial = Duration::from_millis(1);
        options
    }
}

const SOON: Duration = Duration::from_secs(60);

/// Runs a graph on a saver with an exporter's ear on it.
async fn run(exporter: &Exporter, make: fn(&Arc<dyn Saver>) -> superstep::dynamic::DynGraph) {
    let saver: Arc<dyn Saver> = exporter.watch(memory());
    let graph = make(&saver).with_backends(on(&saver));
    let _failed = graph.invoke(json!({ "log": [] }), &traced()).await;
}

#[tokio::test]
async fn a_finished_run_arrives_with_its_headers() {
    let mut collector = Collector::start(&[]).await;
    let mut options = collector.options();
    options.headers = vec![
        ("x-api-key".into(), "key".into()),
        ("Langsmith-Project".into(), "docs".into()),
    ];
    options.origin.service = "demo".into();
    let exporter = Exporter::start(options).unwrap();
    run(&exporter, sequence).await;
    let got = collector.next().await;
    let Request { method, path, .. } = &got.request;
    assert_eq!((&**method, &**path), ("POST", "/v1/traces"));
    for (name, value) in [
        ("content-type", "application/x-protobuf"),
        ("x-api-key", "key"),
        ("langsmith-project", "docs"),
    ] {
        assert_eq!(got.request.header(name), Some(value));
    }
    assert_eq!(got.resource["service.name"], "demo");
    let names: Vec<&str> = got.spans.iter().map(|span| &*span.name).collect();
    assert_eq!(
        names,
        [
            "invoke_agent weather", "plan", "chat small", "search", "execute_tool search", "index",
            "page"
        ]
    );
    let report = exporter.shutdown(SOON).await;
    assert_eq!((report.sent, report.spans, report.dropped), (1, 7, 0));
}

#[tokio::test]
async fn runs_of_all_graphs_arrive_each_as_its_own_trace() {
    let mut collector = Collector::start(&[]).await;
    let exporter = Exporter::start(collector.options()).unwrap();
    for make in [sequence, fan_out, failing] {
        run(&exporter, make).await;
        let got = collector.next().await;
        let traces: std::collections::BTreeSet<_> =
            got.spans.iter().map(|span| &span.trace).collect();
        assert_eq!(traces.len(), 1);
    }
    assert_eq!(exporter.shutdown(SOON).await.sent, 3);
}

#[tokio::test]
async fn a_collector_that_is_busy_is_asked_again() {
    let busy = [
        Answer::Says(503, &[]),
        Answer::Says(429, &[("retry-after", "0")]),
        Answer::Takes,
    ];
    let mut collector = Collector::start(&busy).await;
    let exporter = Exporter::start(collector.options()).unwrap();
    run(&exporter, sequence).await;
    let first = collector.next().await;
    for _ in 0..2 {
        let again = collector.next().await;
        assert_eq!(again.spans[0].id, first.spans[0].id);
    }
    let report = exporter.shutdown(SOON).await;
    assert_eq!((report.sent, report.dropped, report.reason), (1, 0, None));
}

#[tokio::test]
async fn a_wait_that_the_collector_asks_for_is_kept_up_to_a_bound() {
    let mut collector = Collector::start(&[Answer::Says(503, &[("retry-after", "3600")])]).await;
    let mut options = collector.options();
    options.backoff.retry_after = RetryAfter::ClampTo(Duration::from_millis(5));
    let exporter = Exporter::start(options).unwrap();
    run(&exporter, sequence).await;
    collector.next().await;
    collector.next().await;
    assert_eq!(exporter.shutdown(SOON).await.sent, 1);
}

#[tokio::test]
async fn what_a_collector_refuses_is_dropped_and_counted() {
    let mut collector = Collector::start(&[Answer::Says(400, &[]), Answer::Rejects(3)]).await;
    let warnings = Arc::new(Mutex::new(Vec::new()));
    let heard = warnings.clone();
    let options = ExportOptions {
        warn: Some(Arc::new(move |text: &str| {
            heard.lock().unwrap().push(text.to_owned())
        })),
        ..collector.options()
    };
    let exporter = Exporter::start(options).unwrap();
    run(&exporter, sequence).await;
    collector.next().await;
    run(&exporter, sequence).await;
    collector.next().await;
    let report = exporter.shutdown(SOON).await;
    assert_eq!((report.sent, report.dropped), (1, 1));
    assert_eq!((report.spans, report.rejected), (4, 3));
    let wanted = "run 1 of thread `t` is not sent: the collector says 400 Bad Request";
    assert_eq!(*warnings.lock().unwrap(), [wanted]);
}

#[tokio::test]
async fn a_collector_that_hangs_holds_no_run_up() {
    let mut collector = Collector::start(&[Answer::Hangs]).await;
    let options = ExportOptions {
        queue: 1,
        timeout: Duration::from_secs(3600),
        ..collector.options()
    };
    let exporter = Exporter::start(options).unwrap();
    run(&exporter, sequence).await;
    collector.next().await;
    // The exporter waits for an answer that never comes. One run fits the queue, the others are
    // dropped, and all of them have ended when this continues.
    for _ in 0..3 {
        run(&exporter, sequence).await;
    }
    let report = exporter.report();
    assert_eq!((report.sent, report.dropped), (0, 2));
    assert!(report.reason.unwrap().contains("the queue is full"));
    let report = exporter.shutdown(Duration::from_millis(10)).await;
    assert_eq!((report.sent, report.dropped), (0, 4));
}

#[tokio::test]
async fn a_collector_that_is_not_there_costs_spans_and_nothing_else() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}/?api_key=planted", listener.local_addr().unwrap());
    drop(listener);
    let mut options = ExportOptions::to(endpoint);
    options.backoff.attempts = 2;
    options.backoff.initial = Duration::from_millis(1);
    let exporter = Exporter::start(options).unwrap();
    let saver: Arc<dyn Saver> = exporter.watch(memory());
    let graph = sequence(&saver);
    let outcome = graph.invoke(json!({ "log": [] }), &traced()).await.unwrap();
    assert!(outcome.output.is_some());
    let report = exporter.shutdown(SOON).await;
    assert_eq!((report.sent, report.dropped), (0, 1));
    let reason = report.reason.unwrap();
    assert!(
        reason.contains("attempt 2 of 2") && !reason.contains("planted"),
        "{reason}"
    );
}

#[tokio::test]
async fn a_collector_that_speaks_no_tls_is_refused_without_a_panic() {
    let collector = Collector::start(&[]).await;
    let mut options = collector.options();
    options.endpoint = collector.endpoint().replace("http:", "https:");
    options.backoff.attempts = 1;
    let exporter = Exporter::start(options).unwrap();
    run(&exporter, sequence).await;
    let report = exporter.shutdown(SOON).await;
    assert_eq!((report.sent, report.dropped), (0, 1));
    assert!(report.reason.unwrap().contains("attempt 1 of 1"));
}

#[tokio::test]
async fn after_a_shutdown_runs_go_on_and_are_counted() {
    let mut collector = Collector::start(&[]).await;
    let exporter = Exporter::start(collector.options()).unwrap();
    let saver: Arc<dyn Saver> = exporter.watch(memory());
    let graph = sequence(&saver);
    graph.invoke(json!({ "log": [] }), &traced()).await.unwrap();
    let report = exporter.shutdown(SOON).await;
    assert_eq!(report.sent, 1);
    collector.next().await;
    graph.invoke(json!({ "log": [] }), &traced()).await.unwrap();
}

#[tokio::test]
async fn an_endpoint_that_cannot_be_used_is_refused_at_once() {
    for (endpoint, code) in [
        ("", "SS3510"),
        ("ftp://here", "SS3510"),
        ("here:4318", "SS3510"),
    ] {
        let refused = Exporter::start(ExportOptions::to(endpoint)).err();
        assert_eq!(refused.map(|error| error.code()), Some(code), "{endpoint}");
    }
    let mut options = ExportOptions::to("http://here");
    options.headers = vec![("a b".into(), "c".into())];
    assert!(matches!(
        Exporter::start(options),
        Err(ExportError::BadHeader { .. })
    ));
}

#[test]
fn an_exporter_needs_a_runtime() {
    let refused = Exporter::start(ExportOptions::to("http://here")).err();
    assert_eq!(refused, Some(ExportError::NoRuntime));
}
