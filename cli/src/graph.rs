//! `superstep graph`: the graph of an agent as text, Mermaid, SVG or JSON.

use serde_json::{Value as Json, json};
use superstep::{
    Backends,
    draw::{Drawing, EdgeKind, NodeKind},
};

use crate::{
    agents::Agent,
    error::Error,
    output::{Form, Output, plain},
};

/// Output format of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GraphFormat {
    Text,
    Mermaid,
    Svg,
}

pub(crate) fn run(agent: Agent, format: GraphFormat, output: &Output) -> Result<(), Error> {
    let drawing = agent.graph(Backends::in_memory())?.drawing();
    let (name, text) = match format {
        GraphFormat::Text => ("text", drawing.text(None)),
        GraphFormat::Mermaid => ("mermaid", drawing.mermaid()),
        GraphFormat::Svg => ("svg", drawing.svg()),
    };
    if output.form == Form::Json {
        let mut shown = data(&drawing);
        if let Json::Object(fields) = &mut shown {
            fields.insert("agent".to_owned(), agent.name().into());
            if format != GraphFormat::Text {
                fields.insert(name.to_owned(), text.into());
            }
        }
        return output.json(&shown);
    }
    text.lines()
        .try_for_each(|line| output.data(&[plain(line)]))
}

/// Nodes and edges; a node that is a graph has its own inside.
fn data(drawing: &Drawing) -> Json {
    let name = |at: usize| drawing.nodes.get(at).map(|node| node.name.as_str());
    let nodes = drawing.nodes.iter().map(|node| {
        json!({
            "name": node.name,
            "kind": match node.kind {
                NodeKind::Start => "start",
                NodeKind::End => "end",
                NodeKind::Plain => "node",
            },
            "note": node.note,
            "graph": node.inside.as_deref().map(data),
        })
    });
    let edges = drawing.edges.iter().map(|edge| {
        json!({
            "from": name(edge.from),
            "to": name(edge.to),
            "label": edge.label,
            "kind": match edge.kind {
                EdgeKind::Always => "always",
                EdgeKind::Conditional => "conditional",
                EdgeKind::Join => "join",
                EdgeKind::Command => "command",
                EdgeKind::Send => "send",
            },
        })
    });
    json!({
        "nodes": nodes.collect::<Vec<_>>(),
        "edges": edges.collect::<Vec<_>>(),
    })
}
