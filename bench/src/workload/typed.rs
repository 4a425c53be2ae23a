//! The graphs of the workloads once more, with typed state and typed nodes (`layer=typed`).

use serde::{Deserialize, Serialize};
use superstep::{Backends, Command, Input, prelude::*};

use super::message;
use crate::{backend::Opened, error::BenchError};

/// A number that is added to.
#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
pub(super) struct Sum {
    #[reduce(superstep::Sum)]
    pub(super) x: i64,
}

/// Ten nodes in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
pub(super) enum Ten {
    N0,
    N1,
    N2,
    N3,
    N4,
    N5,
    N6,
    N7,
    N8,
    N9,
}

/// `chain n=10`; the nodes of a typed graph are counted when it is compiled.
pub(super) fn chain(n: usize, opened: &Opened) -> Result<Graph<Sum, Ten>, BenchError> {
    if n != Ten::ALL.len() {
        let why = "the typed chain has 10 nodes: say n=10".to_owned();
        return Err(BenchError::Args(why));
    }
    let mut builder = Graph::builder().backends(opened.backends.clone());
    for node in Ten::ALL {
        builder = builder.node(*node, add_one);
    }
    for (before, after) in Ten::ALL.iter().zip(Ten::ALL.iter().skip(1)) {
        builder = builder.edge(*before, *after);
    }
    let graph = builder.start(Ten::N0).finish(Ten::N9).build()?;
    Ok(graph.with_options(|options| *options = opened.on("typed")))
}

async fn add_one() -> SumUpdate {
    Sum::update().x(1)
}

/// A node that adds, or a graph that does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
pub(super) enum One {
    Sub,
}

/// `nested`: a graph of one node inside `depth` others.
pub(super) fn nested(depth: usize, opened: &Opened) -> Result<Graph<Sum, One>, BenchError> {
    let builder = |backends: Backends| {
        let builder = Graph::<Sum, One>::builder().backends(backends);
        builder.start(One::Sub).finish(One::Sub)
    };
    let mut graph = builder(Backends::default())
        .node(One::Sub, add_one)
        .build()?;
    for level in 1..=depth {
        let backends = match level == depth {
            true => opened.backends.clone(),
            false => Backends::default(),
        };
        graph = builder(backends)
            .subgraph_shared(One::Sub, &graph)
            .build()?;
    }
    Ok(graph.with_options(|options| *options = opened.on("typed")))
}

/// What is sent out, and what comes back.
#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
pub(super) struct Fan {
    pub(super) n: i64,
    #[reduce(Append)]
    results: Vec<i64>,
    pub(super) total: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
pub(super) enum Spread {
    Split,
    Work,
    Join,
}

/// `fanout`, with a node that sends; the dynamic graph sends from its start.
pub(super) fn fanout(opened: &Opened) -> Result<Graph<Fan, Spread>, BenchError> {
    let graph = Graph::builder()
        .node(Spread::Split, split)
        .node(Spread::Work, work)
        .node(Spread::Join, join)
        .start(Spread::Split)
        .may_send(Spread::Split, &[Spread::Work])
        .edge(Spread::Work, Spread::Join)
        .finish(Spread::Join)
        .backends(opened.backends.clone())
        .build()?;
    Ok(graph.with_options(|options| *options = opened.on("typed")))
}

async fn split(fan: Snap<Fan>) -> Command<Fan, Spread> {
    let send = |command: Command<_, _>, i: i64| command.and_send(Spread::Work, &i);
    (0..fan.n).fold(Command::default(), send)
}

async fn work(Input(i): Input<i64>) -> FanUpdate {
    Fan::update().results([i])
}

async fn join(fan: Snap<Fan>) -> FanUpdate {
    Fan::update().total(fan.results.iter().sum::<i64>())
}

/// A conversation that stops at a question.
#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
pub(super) struct Talk {
    #[reduce(Append)]
    messages: Vec<Utterance>,
    answer: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Utterance {
    id: String,
    content: String,
}

#[derive(Debug, Serialize, Deserialize, Ask)]
#[ask(answer = String)]
struct Approve;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
pub(super) enum Turn {
    Plan,
    Ask,
    Done,
}

/// `pause`; messages are appended, as the typed layer has no other list of messages without models.
pub(super) fn pause(opened: &Opened) -> Result<Graph<Talk, Turn>, BenchError> {
    let graph = Graph::builder()
        .node(Turn::Plan, plan)
        .node(Turn::Ask, ask)
        .node(Turn::Done, done)
        .start(Turn::Plan)
        .edge(Turn::Plan, Turn::Ask)
        .edge(Turn::Ask, Turn::Done)
        .finish(Turn::Done)
        .backends(opened.backends.clone())
        .build()?;
    Ok(graph.with_options(|options| *options = opened.on("typed")))
}

async fn plan() -> TalkUpdate {
    Talk::update().messages([said(message::text())])
}

async fn ask(ctx: Ctx) -> Result<TalkUpdate, NodeError> {
    Ok(Talk::update().answer(ctx.ask(Approve)?))
}

async fn done(talk: Snap<Talk>) -> TalkUpdate {
    Talk::update().messages([said(&talk.answer)])
}

fn said(text: &str) -> Utterance {
    Utterance {
        id: message::id(),
        content: text.to_owned(),
    }
}
