//! Catalogue of graphs: one per case that the loop treats differently.

use std::{sync::Arc, time::Duration};

use superstep_core::{
    Value,
    channel::{ChannelKind, ChannelSpec},
    command::{Command, END, Output, START, Send},
    plan::{Blueprint, BuildErrors, Destination, Edge, NodeDef, Persist, RouterDef},
    policy::{RetryOn, RetryPolicy},
    reducer::Reducer,
};

use super::{Graph, Piece, Script, number};

/// All graphs.
pub fn catalogue() -> Result<Vec<Graph>, BuildErrors> {
    Ok(vec![
        chain()?,
        fan()?,
        count()?,
        poll()?,
        talk()?,
        errors()?,
        effects()?,
        approve()?,
        nested()?,
        deep_effects()?,
    ])
}

fn chain() -> Result<Graph, BuildErrors> {
    let nodes = vec![node("a"), flaky("b"), node("c"), node("d")];
    let edges = line(&["a", "b", "c", "d"]);
    graph(
        "chain",
        nodes,
        edges,
        Vec::new(),
        |node, input| match node {
            "b" => Script::with(node, input, vec![Piece::Nap, Piece::Flaky]),
            _ => Script::step(node, input),
        },
    )
}

/// Fan-out, sends, a join, a loop and a deferred end.
fn fan() -> Result<Graph, BuildErrors> {
    let deferred = NodeDef {
        defer: true,
        ..node("last")
    };
    let nodes = vec![
        node("split"),
        flaky("left"),
        node("right"),
        node("meet"),
        node("worker"),
        deferred,
    ];
    let edges = vec![
        edge(START, "split"),
        edge("split", "left"),
        edge("split", "right"),
        join(&["left", "right"], "meet"),
        edge("split", "last"),
        edge("last", END),
    ];
    let router = router("meet", |n| {
        let sends = (0..3).map(|i| Destination::Send(Send::new("worker", i)));
        if n < 20 {
            sends.chain([Destination::from("split")]).collect()
        } else {
            vec![Destination::from(END)]
        }
    });
    graph(
        "fan",
        nodes,
        edges,
        vec![router],
        |node, input| match node {
            "left" => Script::with(node, input, vec![Piece::Flaky, Piece::Nap]),
            "worker" => {
                let line = Value::from(format!("worker {input}"));
                let update = Command::default()
                    .set("n", 2)
                    .set("log", Value::list([line]));
                Script {
                    pieces: Vec::new(),
                    output: Box::new(move |_| Output::Command(update.clone())),
                }
            }
            _ => Script::step(node, input),
        },
    )
}

/// A loop by command.
fn count() -> Result<Graph, BuildErrors> {
    let nodes = vec![node("count"), node("end")];
    graph(
        "count",
        nodes,
        line(&["count"]),
        Vec::new(),
        |node, input| {
            let next = if number(input) < 6 { "count" } else { "end" };
            let line = Value::from(format!("{node} at {}", number(input)));
            let update = Command::default()
                .set("n", 1)
                .set("log", Value::list([line]));
            let update = match node {
                "count" => update.and_goto(next),
                _ => update,
            };
            Script {
                pieces: Vec::new(),
                output: Box::new(move |_| Output::Command(update.clone())),
            }
        },
    )
}

/// Several tasks ask at once, one of them twice.
fn poll() -> Result<Graph, BuildErrors> {
    let nodes = vec![node("one"), node("two"), node("three"), node("end")];
    let edges = vec![
        edge(START, "one"),
        edge(START, "two"),
        edge(START, "three"),
        join(&["one", "three", "two"], "end"),
    ];
    graph("poll", nodes, edges, Vec::new(), |node, input| {
        let pieces = match node {
            "one" => vec![ask("one 1"), ask("one 2"), ask("one 3")],
            "two" => vec![ask("two")],
            "end" => vec![ask("end")],
            _ => return Script::step(node, input),
        };
        Script::with(node, input, pieces)
    })
}

/// One question after the other, in two rounds.
fn talk() -> Result<Graph, BuildErrors> {
    let nodes = vec![node("first"), flaky("second")];
    let edges = line(&["first", "second"]);
    let again = router("second", |n| {
        let next = if n < 4 { "first" } else { END };
        vec![Destination::from(next)]
    });
    let talk = graph("talk", nodes, edges, vec![again], |node, input| {
        let n = number(input);
        let pieces = match node {
            "first" => vec![ask(&format!("first {n}")), ask(&format!("then {n}"))],
            _ => vec![ask(&format!("second {n}")), Piece::Flaky],
        };
        Script::with(node, input, pieces)
    })?;
    Ok(Graph {
        asks_in_turn: true,
        ..talk
    })
}

/// Attempts fail, and one task always does, into its handler.
fn errors() -> Result<Graph, BuildErrors> {
    let doomed = NodeDef {
        handler: true,
        ..flaky("doomed")
    };
    let nodes = vec![flaky("shaky"), doomed, node("calm"), flaky("end")];
    let edges = vec![
        edge(START, "shaky"),
        edge(START, "doomed"),
        edge(START, "calm"),
        join(&["calm", "shaky"], "end"),
    ];
    graph("errors", nodes, edges, Vec::new(), |node, input| {
        let pieces = match node {
            "calm" => Vec::new(),
            "doomed" => vec![Piece::Doomed],
            _ => vec![Piece::Flaky, Piece::Flaky],
        };
        Script::with(node, input, pieces)
    })
}

/// Effects in tasks beside each other, in two rounds.
fn effects() -> Result<Graph, BuildErrors> {
    let nodes = vec![
        journaled("pay"),
        journaled("mail"),
        node("idle"),
        node("meet"),
    ];
    let edges = vec![
        edge(START, "pay"),
        edge(START, "mail"),
        edge(START, "idle"),
        edge("idle", "meet"),
    ];
    let again = router("meet", |n| {
        let again = ["pay", "mail", "idle"].map(Destination::from);
        if n < 6 {
            again.to_vec()
        } else {
            vec![Destination::from(END)]
        }
    });
    graph("effects", nodes, edges, vec![again], |node, input| {
        let n = number(input);
        let keys = match node.trim_start_matches("__error_handler__") {
            "pay" => vec![format!("charge {n}"), format!("book {n}")],
            "mail" => vec![format!("mail {n}")],
            _ => return Script::step(node, input),
        };
        acting(node, input, keys, None)
    })
}

/// A task that has an effect because of an answer.
fn approve() -> Result<Graph, BuildErrors> {
    let nodes = vec![journaled("approve"), node("end")];
    let edges = line(&["approve", "end"]);
    let approve = graph("approve", nodes, edges, Vec::new(), |node, input| {
        if node == "end" {
            return Script::step(node, input);
        }
        let mut script = acting(node, input, vec!["transfer".to_owned()], Some("end"));
        if node == "approve" {
            script.pieces.insert(0, ask("go?"));
        }
        script
    })?;
    Ok(Graph {
        asks_in_turn: true,
        ..approve
    })
}

/// Two tasks that each run a graph of their own, which asks.
fn nested() -> Result<Graph, BuildErrors> {
    let nodes = vec![subgraph("left"), subgraph("right"), node("end")];
    let edges = vec![
        edge(START, "left"),
        edge(START, "right"),
        join(&["left", "right"], "end"),
    ];
    let child = graph(
        "child",
        vec![node("open"), node("middle"), flaky("shut")],
        line(&["open", "middle", "shut"]),
        Vec::new(),
        |node, input| {
            let pieces = match node {
                "middle" => vec![ask("inside"), ask("more inside")],
                "shut" => vec![Piece::Nap, Piece::Flaky],
                _ => Vec::new(),
            };
            Script::with(node, input, pieces)
        },
    )?;
    let nested = graph("nested", nodes, edges, Vec::new(), calling)?;
    Ok(Graph {
        child: Some(Box::new(child)),
        ..nested
    })
}

/// A graph inside a graph that has effects.
fn deep_effects() -> Result<Graph, BuildErrors> {
    let nodes = vec![node("open"), subgraph("left"), node("end")];
    let edges = line(&["open", "left", "end"]);
    let child = graph(
        "child",
        vec![node("first"), journaled("pay"), node("shut")],
        line(&["first", "pay", "shut"]),
        Vec::new(),
        |node, input| match node.trim_start_matches("__error_handler__") {
            "pay" => acting(node, input, vec!["deep".to_owned()], Some("shut")),
            _ => Script::step(node, input),
        },
    )?;
    let deep = graph("deep effects", nodes, edges, Vec::new(), calling)?;
    Ok(Graph {
        child: Some(Box::new(child)),
        ..deep
    })
}

fn calling(node: &str, input: &Value) -> Script {
    if matches!(node, "open" | "end") {
        return Script::step(node, input);
    }
    let line = format!("{node} at {}", number(input));
    let output = move |brought: &[Value]| {
        let n = brought.first().map(number).unwrap_or_default();
        let said = brought.first().and_then(|out| out.get("said")).cloned();
        let update = Command::default().set("n", n);
        let update = update.set("log", Value::list([Value::from(line.clone())]));
        Output::Command(update.set("said", said.unwrap_or_else(|| Value::list([]))))
    };
    Script {
        pieces: vec![Piece::Child],
        output: Box::new(output),
    }
}

/// A task with effects, or the handler that settles them; both write the same. The edges of the task
/// are not its handler's, which says where to go.
fn acting(node: &str, input: &Value, keys: Vec<String>, next: Option<&'static str>) -> Script {
    let name = node.trim_start_matches("__error_handler__");
    let (piece, next): (fn(String) -> Piece, _) = if name == node {
        (Piece::Once, None)
    } else {
        (Piece::Settle, next)
    };
    let pieces = keys.iter().cloned().map(piece).collect();
    let update = Script::step(name, input);
    let said = Value::list(keys.into_iter().map(Value::from));
    let output = move |brought: &[Value]| match (update.output)(brought) {
        Output::Command(mut command) => {
            command.goto.extend(next.map(Into::into));
            Output::Command(command.set("said", said.clone()))
        }
        other => other,
    };
    Script {
        pieces,
        output: Box::new(output),
    }
}

fn ask(question: &str) -> Piece {
    Piece::Ask(question.to_owned())
}

fn node(name: &str) -> NodeDef {
    NodeDef {
        name: name.into(),
        ..NodeDef::default()
    }
}

fn subgraph(name: &str) -> NodeDef {
    NodeDef {
        subgraph: Some(Persist::PerCall),
        ..node(name)
    }
}

fn flaky(name: &str) -> NodeDef {
    let retry = RetryPolicy {
        max_attempts: 3,
        initial: Duration::from_millis(20),
        jitter: Duration::from_millis(10),
        on: RetryOn::Any,
        ..RetryPolicy::default()
    };
    NodeDef {
        retry: vec![retry],
        ..node(name)
    }
}

fn journaled(name: &str) -> NodeDef {
    NodeDef {
        handler: true,
        ..flaky(name)
    }
}

fn edge(from: &str, to: &str) -> Edge {
    Edge::Plain(from.into(), to.into())
}

fn join(from: &[&str], to: &str) -> Edge {
    Edge::Join(from.iter().map(|name| (*name).into()).collect(), to.into())
}

fn line(names: &[&str]) -> Vec<Edge> {
    let from = [START].into_iter().chain(names.iter().copied());
    from.zip(names.iter().copied())
        .map(|(from, to)| edge(from, to))
        .collect()
}

fn router(from: &str, route: fn(i64) -> Vec<Destination>) -> RouterDef {
    RouterDef {
        from: from.into(),
        name: None,
        map: None,
        route: Arc::new(move |view| Ok(route(view.get("n")?.as_i64().unwrap_or_default()))),
    }
}

fn graph(
    name: &'static str,
    nodes: Vec<NodeDef>,
    edges: Vec<Edge>,
    routers: Vec<RouterDef>,
    script: fn(&str, &Value) -> Script,
) -> Result<Graph, BuildErrors> {
    let blueprint = Blueprint {
        channels: channels(),
        nodes,
        edges,
        routers,
        ..Blueprint::default()
    };
    Ok(Graph {
        name,
        plan: Arc::new(blueprint.compile()?),
        script,
        asks_in_turn: false,
        child: None,
    })
}

/// A sum, a list that is stored as what was added, a list of what pieces brought, and what one step
/// says to the next.
fn channels() -> Vec<ChannelSpec> {
    let list = |delta| ChannelKind::Reduce {
        reducer: Reducer::Add,
        init: Some(Value::list([])),
        delta,
    };
    let sum = ChannelKind::Reduce {
        reducer: Reducer::Add,
        init: Some(0.into()),
        delta: None,
    };
    let kinds = [
        ("n", sum),
        ("log", list(Some(3))),
        ("said", list(None)),
        ("topic", ChannelKind::Topic),
    ];
    kinds
        .map(|(name, kind)| ChannelSpec {
            name: name.into(),
            kind,
            private: false,
        })
        .into()
}
