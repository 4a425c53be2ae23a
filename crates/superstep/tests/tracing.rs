//! Spans of the crate `tracing`: around what nodes log, with the ids of the export.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot continue fails"
)]

use std::{
    collections::BTreeMap,
    fmt::Debug,
    sync::{Arc, Mutex},
};

use serde::{Deserialize, Serialize};
use superstep::{
    Modes, RunOptions, SpanEnd, SpanKind, Value,
    prelude::*,
    trace::{RunTree, View},
};
use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
    subscriber::with_default,
};
use tracing_core::span::Current;

type Fields = BTreeMap<&'static str, String>;

#[derive(Default)]
struct Seen {
    /// Name, parent and fields, by number.
    spans: Vec<(&'static Metadata<'static>, Option<u64>, Fields)>,
    entered: Vec<u64>,
    /// What was logged, and in which span.
    logged: Vec<(String, Option<u64>)>,
}

/// Collects what happens on the thread of the test.
#[derive(Clone, Default)]
struct Collector(Arc<Mutex<Seen>>);

struct Reader<'a>(&'a mut Fields);

impl Visit for Reader<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), value.to_owned());
    }
}

impl Subscriber for Collector {
    fn enabled(&self, of: &Metadata<'_>) -> bool {
        of.target() == "superstep" || of.is_event()
    }

    fn new_span(&self, new: &Attributes<'_>) -> Id {
        let mut seen = self.0.lock().unwrap();
        let mut fields = Fields::new();
        new.record(&mut Reader(&mut fields));
        let within = seen.entered.last().copied().filter(|_| new.is_contextual());
        let parent = new.parent().map(Id::into_u64).or(within);
        seen.spans.push((new.metadata(), parent, fields));
        Id::from_u64(seen.spans.len() as u64)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        let mut seen = self.0.lock().unwrap();
        let fields = &mut seen.spans[span.into_u64() as usize - 1].2;
        values.record(&mut Reader(fields));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::new();
        event.record(&mut Reader(&mut fields));
        let mut seen = self.0.lock().unwrap();
        let within = seen.entered.last().copied();
        seen.logged.push((fields["message"].clone(), within));
    }

    fn enter(&self, span: &Id) {
        self.0.lock().unwrap().entered.push(span.into_u64());
    }

    fn exit(&self, span: &Id) {
        let mut seen = self.0.lock().unwrap();
        let at = seen.entered.iter().rposition(|it| *it == span.into_u64());
        seen.entered.remove(at.unwrap());
    }

    fn current_span(&self) -> Current {
        let seen = self.0.lock().unwrap();
        match seen.entered.last() {
            Some(id) => {
                let of = seen.spans[*id as usize - 1].0;
                Current::new(Id::from_u64(*id), of)
            }
            None => Current::none(),
        }
    }
}

impl Seen {
    /// The names and fields of a span and those above it, the innermost first.
    fn above(&self, span: Option<u64>) -> Vec<(&'static str, &Fields)> {
        let found = span.map(|id| &self.spans[id as usize - 1]);
        let Some((of, parent, fields)) = found else {
            return Vec::new();
        };
        let mut all = vec![(of.name(), fields)];
        all.extend(self.above(*parent));
        all
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Poem {
    #[reduce(Append)]
    lines: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    Write,
    Print,
}

async fn write(ctx: Ctx) -> Result<PoemUpdate, NodeError> {
    tokio::task::yield_now().await;
    tracing::info!("writing");
    let span = ctx.span(SpanKind::Model, "small", || Value::Null).await;
    span.within(async {
        tokio::task::yield_now().await;
        tracing::info!("calling");
    })
    .await;
    span.end(SpanEnd::default).await;
    Ok(Poem::update().lines(["a line".to_owned()]))
}

async fn print() -> Result<(), NodeError> {
    tracing::info!("printing");
    Err(NodeError::msg("no paper").permanent())
}

fn run(options: NodeOptions<Poem, Node>) -> (Arc<Mutex<Seen>>, RunTree) {
    let collector = Collector::default();
    let saver = MemorySaver::new();
    let graph = Graph::<Poem, Node>::builder()
        .name("poet")
        .saver(saver.clone())
        .node(Node::Write, write)
        .node_with(Node::Print, print, options)
        .start(Node::Write)
        .edge(Node::Write, Node::Print)
        .finish(Node::Print)
        .build()
        .unwrap()
        .with_options(|options: &mut RunOptions| options.log = Modes::TRACE);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let tree = with_default(collector.clone(), || {
        runtime.unwrap().block_on(async {
            graph.run("t", Poem::update()).await.unwrap_err();
            RunTree::read(&saver, "t", &View::default()).await.unwrap()
        })
    });
    (collector.0, tree)
}

#[test]
fn what_a_node_logs_is_in_the_spans_of_its_run_with_the_ids_of_the_export() {
    let (seen, tree) = run(NodeOptions::default());
    let seen = seen.lock().unwrap();
    let run = &tree.runs[0];
    let node = &run.root.children[0];
    let ids = [node.children[0].id, node.id, run.root.id].map(|id| id.to_string());
    let within = |text: &str| {
        let found = seen.logged.iter().find(|(logged, _)| logged == text);
        seen.above(found.unwrap().1)
    };
    let names = |text| {
        within(text)
            .iter()
            .map(|(name, _)| *name)
            .collect::<Vec<_>>()
    };
    assert_eq!(names("writing"), ["node", "step", "run"]);
    assert_eq!(names("calling"), ["model", "node", "step", "run"]);
    let calling = within("calling");
    let found = [calling[0].1, calling[1].1, calling[3].1].map(|fields| fields["span_id"].clone());
    assert_eq!(found, ids);
    let root = calling[3].1;
    assert_eq!(root["trace_id"], format!("{:032x}", run.trace));
    assert_eq!((&*root["thread"], &*root["graph"]), ("t", "poet"));
    assert_eq!(root["error"], "SS1001");
    assert_eq!(within("printing")[0].1["error"], "SS1001");
    assert!(!calling[1].1.contains_key("error"));
}

#[test]
fn a_node_that_runs_elsewhere_is_in_its_span_too() {
    let (seen, _) = run(NodeOptions::default().spawned());
    let seen = seen.lock().unwrap();
    let printing = seen.logged.iter().find(|(logged, _)| logged == "printing");
    let above = seen.above(printing.unwrap().1);
    assert_eq!(above[0].1["node"], "print");
    assert!(seen.entered.is_empty());
}
