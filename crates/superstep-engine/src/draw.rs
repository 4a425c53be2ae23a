//! A graph as a picture: Mermaid, terminal or SVG through [`superstep_draw`].

use std::{collections::HashMap, sync::Arc};

use superstep_core::{
    command::END,
    plan::{Pauses, Persist, Plan, Role, TriggerKind},
    table::{Key, NodeIx, TriggerIx},
};
use superstep_draw::{Drawing, DrawnEdge, DrawnNode, EdgeKind, NodeKind};

use crate::graph::DynGraph;

impl DynGraph {
    /// The graph with its subgraphs, to be rendered.
    pub fn drawing(&self) -> Drawing {
        let plan = self.plan();
        let mut sketch = Sketch::new(self);
        for (node, spec) in plan.nodes.entries() {
            let Some(from) = sketch.place(node) else {
                continue;
            };
            for trigger in &spec.edges {
                sketch.edge(from, plan.triggers.row(*trigger).node, EdgeKind::Always);
            }
            for (trigger, _) in &spec.joins {
                sketch.edge(from, plan.triggers.row(*trigger).node, EdgeKind::Join);
            }
            for router in &spec.routers {
                match &router.map {
                    Some(map) => map.iter().for_each(|(key, to)| {
                        let label = key.as_str().map_or_else(|| key.to_string(), str::to_owned);
                        sketch.named(from, to, Some(label), EdgeKind::Conditional);
                    }),
                    None => sketch.anywhere(from, &router.name),
                }
            }
            for to in &spec.destinations {
                sketch.named(from, to, None, EdgeKind::Command);
            }
            let entry = spec.role == Role::Entrypoint;
            if entry || (spec.role == Role::Plain && sketch.leads_nowhere(from)) {
                sketch.named(from, &END.into(), None, EdgeKind::Always);
            }
        }
        sketch.drawing
    }
}

struct Sketch<'a> {
    plan: &'a Plan,
    drawing: Drawing,
    places: HashMap<NodeIx, usize>,
    end: usize,
}

impl<'a> Sketch<'a> {
    fn new(graph: &'a DynGraph) -> Self {
        let plan = &**graph.plan();
        let subgraphs: HashMap<Arc<str>, DynGraph> = graph.subgraphs().into_iter().collect();
        let mut drawing = Drawing::default();
        let mut places = HashMap::new();
        for (node, spec) in plan.nodes.entries() {
            let kind = match spec.role {
                Role::Start => NodeKind::Start,
                Role::Plain | Role::Entrypoint => NodeKind::Plain,
                Role::Handler => continue,
            };
            if spec.role == Role::Entrypoint {
                drawing.nodes.push(terminal(NodeKind::Start));
            }
            places.insert(node, drawing.nodes.len());
            let inside = subgraphs
                .get(&spec.name)
                .map(|graph| Box::new(graph.drawing()));
            let note = note(plan, node);
            drawing.nodes.push(DrawnNode {
                name: spec.name.to_string(),
                kind,
                note,
                inside,
            });
            if spec.role == Role::Entrypoint {
                drawing.edges.push(DrawnEdge {
                    from: 0,
                    to: 1,
                    label: None,
                    kind: EdgeKind::Always,
                });
            }
        }
        let end = drawing.nodes.len();
        drawing.nodes.push(terminal(NodeKind::End));
        Self {
            plan,
            drawing,
            places,
            end,
        }
    }

    fn place(&self, node: NodeIx) -> Option<usize> {
        self.places.get(&node).copied()
    }

    fn edge(&mut self, from: usize, to: NodeIx, kind: EdgeKind) {
        if let Some(to) = self.place(to) {
            self.drawing.edges.push(DrawnEdge {
                from,
                to,
                label: None,
                kind,
            });
        }
    }

    fn named(&mut self, from: usize, to: &Arc<str>, label: Option<String>, kind: EdgeKind) {
        // What only repeats where the edge leads is left out.
        let label = label.filter(|label| **label != **to);
        let to = match &**to {
            END => Some(self.end),
            name => self.plan.node(name).and_then(|node| self.place(node)),
        };
        if let Some(to) = to {
            self.drawing.edges.push(DrawnEdge {
                from,
                to,
                label,
                kind,
            });
        }
    }

    /// A router without a map may lead to any node.
    fn anywhere(&mut self, from: usize, router: &Arc<str>) {
        let nodes: Vec<Arc<str>> = self
            .plan
            .nodes
            .iter()
            .map(|node| node.name.clone())
            .collect();
        for name in nodes.iter().chain([&Arc::from(END)]) {
            let start = self
                .plan
                .node(name)
                .is_some_and(|node| self.plan.is_hidden(node));
            if !start {
                self.named(from, name, Some(router.to_string()), EdgeKind::Conditional);
            }
        }
    }

    /// A node without a way out ends its branch.
    fn leads_nowhere(&self, from: usize) -> bool {
        self.drawing.edges.iter().all(|edge| edge.from != from)
    }
}

fn terminal(kind: NodeKind) -> DrawnNode {
    let name = if kind == NodeKind::Start {
        "START"
    } else {
        "END"
    };
    DrawnNode {
        name: name.to_owned(),
        kind,
        note: None,
        inside: None,
    }
}

fn note(plan: &Plan, node: NodeIx) -> Option<String> {
    let spec = plan.nodes.row(node);
    let deferred = |trigger: &TriggerIx| {
        plan.triggers.row(*trigger).deferred
            && plan.triggers.row(*trigger).kind == TriggerKind::Edge
    };
    let paused = |pauses: &Pauses| match pauses {
        Pauses::None => false,
        Pauses::All => true,
        Pauses::Nodes(names) => names.contains(&spec.name),
    };
    let notes: Vec<&str> = [
        spec.triggers.iter().any(deferred).then_some("deferred"),
        (paused(&plan.pause_before) && node.ix() > 0).then_some("pause before"),
        (paused(&plan.pause_after) && node.ix() > 0).then_some("pause after"),
        spec.handler.is_some().then_some("error handler"),
        match spec.subgraph {
            Some(Persist::PerThread) => Some("state per thread"),
            Some(Persist::Off) => Some("state not stored"),
            Some(Persist::PerCall) | None => None,
        },
    ]
    .into_iter()
    .flatten()
    .collect();
    (!notes.is_empty()).then(|| notes.join(", "))
}
