//! A graph as clients draw it: nodes and edges, with those of subgraphs in their place if wanted.

use serde_json::{Value as Json, json};
use superstep::draw::{Drawing, DrawnEdge, EdgeKind, NodeKind};

/// The nodes and edges of a graph, with those of subgraphs down to a depth.
pub(super) fn shown(drawing: &Drawing, depth: usize) -> Json {
    let mut plan = Plan::default();
    plan.add(drawing, "", depth);
    json!({ "nodes": plan.nodes, "edges": plan.edges })
}

/// By which nodes a graph is entered, and which are its last.
#[derive(Clone, Default)]
struct Ends {
    first: Vec<String>,
    last: Vec<String>,
}

#[derive(Default)]
struct Plan {
    nodes: Vec<Json>,
    edges: Vec<Json>,
}

impl Plan {
    /// Adds a graph. One inside another has neither a start nor an end of its own.
    fn add(&mut self, drawing: &Drawing, prefix: &str, depth: usize) -> Ends {
        let is_inside = !prefix.is_empty();
        let mut places: Vec<Option<Ends>> = Vec::new();
        for node in &drawing.nodes {
            let id = match node.kind {
                NodeKind::Start | NodeKind::End if is_inside => {
                    places.push(None);
                    continue;
                }
                NodeKind::Start => "__start__".to_owned(),
                NodeKind::End => {
                    self.nodes.push(json!({ "id": "__end__" }));
                    places.push(Some(alone("__end__")));
                    continue;
                }
                _ => format!("{prefix}{}", node.name),
            };
            let ends = match node.inside.as_deref().filter(|_| depth > 0) {
                Some(inside) => self.add(inside, &format!("{id}:"), depth - 1),
                None => {
                    let data = json!({ "name": id });
                    self.nodes
                        .push(json!({ "id": id, "type": "runnable", "data": data }));
                    alone(&id)
                }
            };
            places.push(Some(ends));
        }
        let mut own = Ends::default();
        for edge in &drawing.edges {
            let place = |at: usize| places.get(at).cloned().flatten();
            match (place(edge.from), place(edge.to)) {
                (Some(from), Some(to)) => self.join(&from.last, &to.first, edge),
                (None, Some(to)) => own.first.extend(to.first),
                (Some(from), None) => own.last.extend(from.last),
                (None, None) => {}
            }
        }
        own
    }

    fn join(&mut self, from: &[String], to: &[String], edge: &DrawnEdge) {
        for (source, target) in from
            .iter()
            .flat_map(|from| to.iter().map(move |to| (from, to)))
        {
            let mut shown = json!({ "source": source, "target": target });
            if let Json::Object(fields) = &mut shown {
                let label = edge.label.as_ref().filter(|label| *label != target);
                fields.extend(label.map(|label| ("data".to_owned(), label.as_str().into())));
                if !matches!(edge.kind, EdgeKind::Always | EdgeKind::Join) {
                    fields.insert("conditional".to_owned(), true.into());
                }
            }
            if !self.edges.contains(&shown) {
                self.edges.push(shown);
            }
        }
    }
}

fn alone(id: &str) -> Ends {
    Ends {
        first: vec![id.to_owned()],
        last: vec![id.to_owned()],
    }
}
