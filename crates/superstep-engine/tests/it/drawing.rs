//! Graphs as pictures.

use superstep_core::{Value, plan::Destination};
use superstep_engine::{DynGraphBuilder, DynNodeOptions};

use crate::fixture::writes;

#[test]
fn a_graph_with_a_subgraph_is_drawn_in_every_form() {
    let child = DynGraphBuilder::new()
        .last_value("x")
        .node("llm_call", writes(Value::Null))
        .node("tools", writes(Value::Null))
        .edge("__start__", "llm_call")
        .edge("tools", "llm_call")
        .router(
            "llm_call",
            None,
            Some(vec![
                ("call".into(), "tools".into()),
                ("done".into(), "__end__".into()),
            ]),
            |_| Vec::<Destination>::new(),
        )
        .build()
        .expect("the child builds");
    let graph = DynGraphBuilder::new()
        .last_value("x")
        .node("triage", writes(Value::Null))
        .subgraph("respond", child, DynNodeOptions::default())
        .edge("__start__", "triage")
        .edge("triage", "respond")
        .build()
        .expect("the graph builds");
    let drawing = graph.drawing();
    for picture in [drawing.mermaid(), drawing.text(None), drawing.svg()] {
        for name in ["triage", "respond", "llm_call", "tools", "done"] {
            assert!(picture.contains(name), "{name} is missing in\n{picture}");
        }
    }
}
