//! Measurements of runs, their place in a caller's trace, and their budgets.

use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};
use superstep::{
    Ending, Facts, Measured, MemorySaver, Modes, Recorder, RunOptions, SpanEnd, SpanKind,
    TraceParent, Value,
    metrics::TaskEnding,
    prelude::*,
    runs::{Allowance, RunBudget},
    trace::{RunTree, View},
};

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Poem {
    fails: bool,
    #[reduce(Append)]
    lines: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    Write,
    Print,
}

/// Calls a model that takes 10 tokens, if the budget allows it.
async fn write(poem: Snap<Poem>, ctx: Ctx) -> Result<PoemUpdate, NodeError> {
    if let Err(spent) = ctx.check_budget() {
        let why = format!("{} of {}", spent.spent, spent.limit);
        return Err(NodeError::msg(why).permanent());
    }
    let span = ctx.span(SpanKind::Model, "small", || Value::Null).await;
    let facts = Facts {
        input_tokens: Some(7),
        output_tokens: Some(3),
        cost: Some(5),
        ..Facts::default()
    };
    let place = span.traceparent().map(|place| place.to_string());
    span.end(|| SpanEnd {
        facts,
        ..SpanEnd::default()
    })
    .await;
    match poem.fails {
        true => Err(NodeError::msg("no paper").permanent()),
        false => Ok(Poem::update().lines([place.unwrap_or("a line".to_owned())])),
    }
}

fn graph(saver: &MemorySaver) -> Graph<Poem, Node> {
    Graph::<Poem, Node>::builder()
        .name("poet")
        .saver(saver.clone())
        .node(Node::Write, write)
        .node(Node::Print, || async {})
        .start(Node::Write)
        .edge(Node::Write, Node::Print)
        .finish(Node::Print)
        .build()
        .unwrap()
}

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<String>>>);

impl Recorder for Lines {
    fn record(&self, measured: &Measured<'_>) {
        let line = match measured {
            Measured::RunBegan { graph } => format!("{graph} began"),
            Measured::Run { ending, cost, .. } => {
                let how = match ending {
                    Ending::Failed { code, .. } => code,
                    Ending::Interrupted => "early",
                    _ => "well",
                };
                format!(
                    "ended {how}, {} tokens",
                    cost.input_tokens + cost.output_tokens
                )
            }
            Measured::Step { .. } => "step".to_owned(),
            Measured::Task { node, ending, .. } => match ending {
                TaskEnding::Failed(code) => format!("{node} failed {code}"),
                _ => format!("{node} done"),
            },
            Measured::ModelCall { model, node, .. } => format!("{model} for {node}"),
            _ => "else".to_owned(),
        };
        self.0.lock().unwrap().push(line);
    }
}

#[tokio::test]
async fn a_recorder_gets_runs_steps_tasks_and_calls_of_models() {
    let saver = MemorySaver::new();
    let (graph, lines) = (graph(&saver), Lines::default());
    let backends = superstep::Backends {
        recorder: Some(Arc::new(lines.clone())),
        ..graph.backends().clone()
    };
    let graph = graph.with_backends(backends);
    graph.run("t", Poem::update()).await.unwrap();
    graph
        .run("t", Poem::update().fails(true))
        .await
        .unwrap_err();
    let seen = std::mem::take(&mut *lines.0.lock().unwrap());
    assert_eq!(
        seen,
        [
            "poet began", "small for write", "write done", "step", "print done", "step",
            "ended well, 10 tokens", "poet began", "small for write", "write failed SS1001",
            "step", "ended SS1001, 10 tokens",
        ]
    );
}

#[tokio::test]
async fn a_dropped_run_is_measured_as_cut_short() {
    let lines = Lines::default();
    let graph = Graph::<Poem, Node>::builder()
        .recorder(lines.clone())
        .node(Node::Write, std::future::pending::<()>)
        .node(Node::Print, || async {})
        .start(Node::Write)
        .edge(Node::Write, Node::Print)
        .finish(Node::Print)
        .build()
        .unwrap();
    let run = graph.run("t", Poem::update());
    tokio::select! {
        biased;
        _ = run => panic!("it never ends"),
        () = tokio::task::yield_now() => {}
    }
    let seen = lines.0.lock().unwrap().clone();
    assert_eq!(seen[1..], ["step", "ended early, 0 tokens"]);
}

const HEADER: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

#[tokio::test]
async fn a_run_is_part_of_the_trace_of_its_caller_also_after_a_crash() {
    let saver = MemorySaver::new();
    let parent: TraceParent = HEADER.parse().unwrap();
    let graph = graph(&saver).with_options(|options| {
        options.log = Modes::TRACE;
        options.traceparent = Some(parent);
    });
    let outcome = graph.run("t", Poem::update()).await.unwrap();
    let given: TraceParent = outcome.state().lines[0].parse().unwrap();
    let tree = RunTree::read(&saver, "t", &View::default()).await.unwrap();
    let run = &tree.runs[0];
    assert_eq!((run.trace, run.parent), (parent.trace, Some(parent.span)));
    // What the node passed on is the span that is exported.
    let model = &run.root.children[0].children[0];
    assert_eq!((given.trace, given.span), (parent.trace, model.id));

    // Another process continues an interrupted run in the same trace.
    let cut = graph.with_options(|options| options.limit = 1);
    cut.run("cut", Poem::update()).await.unwrap_err();
    let stored = saver_runs(&saver, "cut").await;
    assert_eq!(stored[0].given().unwrap().traceparent, Some(parent));
}

async fn saver_runs(saver: &MemorySaver, thread: &str) -> Vec<superstep::RunRecord> {
    use superstep::saver::Saver as _;
    let query = superstep::RunQuery::default();
    saver
        .runs()
        .load_runs(&thread.into(), &query)
        .await
        .unwrap()
}

#[tokio::test]
async fn a_budget_of_a_thread_is_counted_over_runs_and_restarts() {
    let saver = MemorySaver::new();
    let budget = RunBudget {
        thread: Allowance::tokens(20),
        ..RunBudget::default()
    };
    let limited = |options: &mut RunOptions| options.budget = budget;
    // Each graph stands for a process.
    for _ in 0..2 {
        let graph = graph(&saver).with_options(limited);
        graph.run("t", Poem::update()).await.unwrap();
    }
    let error = graph(&saver)
        .with_options(limited)
        .run("t", Poem::update())
        .await;
    let error = error.unwrap_err().to_string();
    assert!(
        error.contains("20 tokens of 20 tokens of the thread"),
        "{error}"
    );
    // Other threads, and runs that are not limited, go on.
    graph(&saver)
        .with_options(limited)
        .run("u", Poem::update())
        .await
        .unwrap();
    graph(&saver).resume("t").await.unwrap();
}

#[tokio::test]
async fn a_budget_of_a_run_is_its_own() {
    let saver = MemorySaver::new();
    let graph = graph(&saver).with_options(|options| {
        options.budget.run = Allowance::micro_usd(5);
    });
    for _ in 0..3 {
        graph.run("t", Poem::update()).await.unwrap();
    }
}
