//! What a turn of a conversation stores when all of it is traced: as much after a thousand turns
//! as after ten.

use std::sync::Arc;

use superstep::{
    Modes, RunOptions, Saver,
    model::Message,
    prelude::*,
    sqlite::Database,
    tools::{Agent, AgentNode, AgentState, agent::say},
    trace::{Branch, Kind, RunTree, View},
};

use crate::fixture::{self, FnModel};

/// 500 bytes that nothing else says.
fn text(what: &str, n: usize) -> String {
    let line = format!("{what} {n}: ");
    line.repeat(500 / line.len() + 1)[..500].to_owned()
}

fn agent(saver: Arc<dyn Saver>, system: &str) -> Graph<AgentState, AgentNode> {
    let graph = Agent::new(FnModel::new(|request| {
        fixture::text(&text("reply", request.messages.len()))
    }))
    .system(system)
    .graph()
    .saver(saver)
    .build()
    .unwrap();
    graph.with_options(|options: &mut RunOptions| options.log = Modes::TRACE)
}

/// A conversation with so many messages.
async fn converse(graph: &Graph<AgentState, AgentNode>, messages: usize) {
    let said = (0..messages).map(|n| match n % 2 {
        0 => Message::user(text("before", n)),
        _ => Message::model(text("before", n)),
    });
    let said = AgentState::update().messages(said.collect::<Vec<_>>());
    graph.run("t", said).await.unwrap();
}

async fn turns(graph: &Graph<AgentState, AgentNode>, from: usize, count: usize) {
    for n in from..from + count {
        let said = say(Message::user(text("question", n)));
        graph.run("t", said).await.unwrap();
    }
}

/// Over how many turns a file is looked at: it grows by pages, and where those of its tables split differs from run to run.
const MEASURED: usize = 50;

/// How many bytes each turn adds to a file, in a conversation of so many turns.
async fn bytes_per_turn(system: &str, turn: usize) -> u64 {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(folder.path().join("a.db")).unwrap();
    let graph = agent(Arc::new(database.saver()), system);
    converse(&graph, 2 * turn).await;
    turns(&graph, turn, 5).await;
    let before = database.size().unwrap();
    turns(&graph, turn + 5, MEASURED).await;
    let added = database.size().unwrap() - before;
    let report = database.check().await.unwrap();
    assert!(report.is_clean(), "{:#?}", report.problems);
    added / MEASURED as u64
}

#[tokio::test]
async fn the_thousandth_traced_turn_stores_as_much_as_the_tenth() {
    let (tenth, thousandth) = (
        bytes_per_turn("Be brief.", 10).await,
        bytes_per_turn("Be brief.", 1000).await,
    );
    assert!(
        thousandth * 5 < tenth * 6,
        "{tenth} bytes per turn at first, {thousandth} at last"
    );
    assert!(thousandth < 12_000, "{thousandth} bytes per turn");
}

#[tokio::test]
async fn documents_that_every_prompt_repeats_are_stored_once() {
    let documents = (0..2000).map(|n| format!("Line {n} of what the documents say about it.\n"));
    let documents: String = documents.collect();
    let documents = documents.repeat(2)[..137_000].to_owned();
    let (without, tenth, thousandth) = (
        bytes_per_turn("Be brief.", 10).await,
        bytes_per_turn(&documents, 10).await,
        bytes_per_turn(&documents, 1000).await,
    );
    assert!(
        tenth < without + 1000,
        "{tenth} bytes per turn with documents, {without} without"
    );
    assert!(
        thousandth * 5 < tenth * 6,
        "{tenth} bytes per turn at first, {thousandth} at last"
    );
}

/// All calls of models below a branch.
fn models<'b>(branch: &'b Branch, found: &mut Vec<&'b Branch>) {
    if matches!(branch.kind, Kind::Span(kind) if kind.as_str() == "model") {
        found.push(branch);
    }
    branch
        .children
        .iter()
        .for_each(|child| models(child, found));
}

#[tokio::test]
async fn a_trace_shows_every_request_whole_whatever_keeps_it() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(folder.path().join("a.db")).unwrap();
    let savers: [Arc<dyn Saver>; 2] =
        [Arc::new(database.saver()), Arc::new(MemorySaver::default())];
    let system = "What the documents say. ".repeat(6000);
    for saver in savers {
        let graph = agent(saver.clone(), &system);
        converse(&graph, 60).await;
        turns(&graph, 0, 5).await;
        let tree = RunTree::read(&*saver, "t", &View::default()).await.unwrap();
        for (run, n) in tree.runs.iter().zip(0..) {
            let mut calls = Vec::new();
            models(&run.root, &mut calls);
            assert_eq!(calls.len(), 1);
            let inputs = calls[0].inputs.to_json();
            let messages = inputs["messages"].as_array().unwrap();
            assert_eq!(messages.len(), 61 + 2 * n);
            assert_eq!(messages[0]["content"], system);
            assert_eq!(messages[1]["content"], text("before", 0));
            if n > 0 {
                assert_eq!(messages[60 + 2 * n]["content"], text("question", n - 1));
            }
            let outputs = calls[0].outputs.to_json();
            let said = text("reply", messages.len());
            assert!(outputs.to_string().contains(&said), "{outputs}");
        }
    }
}

#[tokio::test]
async fn a_secret_of_a_prompt_is_in_no_part_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(folder.path().join("a.db")).unwrap();
    let secret = format!("sk-proj-{}", "a1B2c3D4e5".repeat(5));
    let system = format!("{}\nThe key is {secret}.", "What is known. ".repeat(2000));
    let graph = agent(Arc::new(database.saver()), &system);
    turns(&graph, 0, 3).await;
    let tree = RunTree::read(&database.saver(), "t", &View::default()).await;
    let mut calls = Vec::new();
    let tree = tree.unwrap();
    models(&tree.runs[0].root, &mut calls);
    let inputs = calls[0].inputs.to_json().to_string();
    assert!(inputs.contains("The key is [redacted]"), "{inputs}");
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let path = file.unwrap().path();
        let bytes = std::fs::read(&path).unwrap_or_default();
        let found = bytes
            .windows(secret.len())
            .any(|window| window == secret.as_bytes());
        assert!(!found, "{}", path.display());
    }
}

#[tokio::test]
async fn a_prompt_that_begins_with_the_time_still_costs_what_is_new_in_it() {
    let per_turn = async |turn: usize| {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::open(folder.path().join("a.db")).unwrap();
        let at = |n: usize| agent(Arc::new(database.saver()), &format!("It is {n} o'clock."));
        converse(&at(0), 2 * turn).await;
        turns(&at(1), 0, 1).await;
        let before = database.size().unwrap();
        for n in 1..=20 {
            turns(&at(n + 1), n, 1).await;
        }
        (database.size().unwrap() - before) / 20
    };
    let (tenth, five_hundredth) = (per_turn(10).await, per_turn(500).await);
    // The way down to what has changed, and not the 500 KB behind it.
    assert!(
        five_hundredth < 2 * tenth,
        "{tenth} bytes per turn at first, {five_hundredth} at last"
    );
}
