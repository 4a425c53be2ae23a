//! A graph as a picture: for the terminal, and as Mermaid for documents.
//!
//! Both come from the graph itself, with subgraphs inside their nodes. `Drawing::svg` gives an
//! image of the same layout. This prints the picture, the list that replaces it where a terminal is
//! too narrow for it, and the Mermaid text; nothing is written to a file.

use std::error::Error;

use superstep::dynamic::{DynCtx, DynGraphBuilder, DynNodeOptions, END, Halt, Pauses, START};

fn main() -> Result<(), Box<dyn Error>> {
    let agent = DynGraphBuilder::new()
        .last_value("mail")
        .node("model", nothing)
        .node("tools", nothing)
        .edge(START, "model")
        .edge("tools", "model")
        .route_map("model", [("call", "tools"), ("done", END)], |_| "done")
        .build()?;
    let graph = DynGraphBuilder::new()
        .last_value("mail")
        .node_with(
            "triage",
            nothing,
            DynNodeOptions {
                destinations: vec!["answer".into(), "file".into()],
                ..DynNodeOptions::default()
            },
        )
        .subgraph("answer", agent, DynNodeOptions::default())
        .node("file", nothing)
        .node("send", nothing)
        .edge(START, "triage")
        .edge("answer", "send")
        .pause_before(Pauses::Nodes(vec!["send".into()]))
        .build()?;

    let drawing = graph.drawing();
    let picture = drawing.text(Some(100));
    println!("{picture}");
    println!("narrow terminals get a list:\n\n{}", drawing.text(Some(20)));
    println!("Mermaid:\n\n{}", drawing.mermaid());

    for node in ["triage", "answer", "file", "send", "model", "tools"] {
        if !picture.contains(node) {
            return Err(format!("{node} should be in the picture").into());
        }
    }
    Ok(())
}

async fn nothing(_: DynCtx) -> Result<(), Halt> {
    Ok(())
}
