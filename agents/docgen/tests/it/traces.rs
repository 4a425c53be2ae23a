//! The trace of a documentation has the hierarchy of the document.

use std::sync::Arc;

use superstep::{
    Backends, Modes,
    model::NodeModels,
    sqlite::Database,
    trace::{Branch, Kind, RunTree, View},
};
use superstep_docgen::{Docgen, Request};

use crate::support::{model, only, shop};

fn find<'a>(branch: &'a Branch, name: &str) -> Option<&'a Branch> {
    if &*branch.name == name {
        return Some(branch);
    }
    branch.children.iter().find_map(|child| find(child, name))
}

/// The names of the chains below a branch, in order.
fn chains(branch: &Branch, found: &mut Vec<String>) {
    for child in &branch.children {
        if child.kind == Kind::Span(superstep::SpanKind::Chain) {
            found.push(child.name.to_string());
        }
        chains(child, found);
    }
}

#[tokio::test]
async fn the_trace_is_the_tree_of_the_document() {
    let folder = shop();
    let place = tempfile::tempdir().unwrap();
    let saver = Arc::new(
        Database::open(place.path().join("docs.db"))
            .unwrap()
            .saver(),
    );
    let backends = Backends {
        saver: Some(saver.clone()),
        ..Backends::default()
    };
    let script = model("The cart is in `src/cart.rs:3`.", &[60.0, 85.0]);
    let docgen = Docgen::new(Some(script), only(&["file-structure", "kpi"]), backends).unwrap();
    let graph = docgen
        .graph()
        .with_options(|options| options.log = Modes::TRACE);
    let request = Request::new(folder.path(), None).unwrap();
    graph.run("docs-1", docgen.document(request)).await.unwrap();
    let tree = RunTree::read(&*saver, "docs-1", &View::default())
        .await
        .unwrap();
    let root = &tree.runs[0].root;
    assert_eq!(&*root.name, "DocumentationGeneration-Complete");
    let top: Vec<&str> = root.children.iter().map(|child| &*child.name).collect();
    assert_eq!(
        top,
        [
            "ScanProjectStructure", "CreateExecutionContext", "ExecuteAgents", "AggregateResults"
        ]
    );
    let agent = find(find(root, "ExecuteAgents").unwrap(), "Agent-file-structure").unwrap();
    let mut steps = Vec::new();
    chains(agent, &mut steps);
    assert_eq!(
        steps,
        [
            "file-structure-InitialAnalysis",
            "file-structure-EvaluateClarity",
            "file-structure-GenerateQuestions",
            "file-structure-Refinement-1",
            "file-structure-EvaluateClarity",
            "file-structure-Finalize",
        ]
    );
    assert!(find(find(root, "ExecuteAgents").unwrap(), "Agent-kpi").is_some());
}

#[tokio::test]
async fn an_agent_calls_the_model_that_it_was_given() {
    let folder = shop();
    let backends = crate::support::backends();
    let usual = model("The cart is in `src/cart.rs:3`.", &[85.0]);
    let own = model("There is one cart, `src/cart.rs:3`.", &[85.0]);
    let models = NodeModels::new(usual.clone()).with("kpi", own.clone());
    let settings = only(&["file-structure", "kpi"]);
    let docgen = Docgen::with_models(Some(models), settings, backends).unwrap();
    let request = Request::new(folder.path(), None).unwrap();
    let input = docgen.document(request);
    docgen.graph().run("docs-1", input).await.unwrap();
    let asked = |script: &superstep::model::Script, what: &str| {
        let seen = script.seen();
        let texts = seen.iter().map(|it| serde_json::to_string(it).unwrap());
        texts.filter(|text| text.contains(what)).count()
    };
    assert!(!own.seen().is_empty() && !usual.seen().is_empty());
    assert_eq!(own.seen().len(), usual.seen().len());
    assert_eq!(asked(&usual, "There is one cart"), 0);
    assert_eq!(asked(&own, "The cart is in"), 0);
}
