//! The models of an agent: one for all nodes, and others for some of them.

use std::{collections::BTreeMap, sync::Arc};

use crate::model::Model;

/// Which model each node of an agent calls.
///
/// ```
/// use std::sync::Arc;
/// use superstep_model::{NodeModels, Script, script::Step};
///
/// let models = NodeModels::new(Arc::new(Script::new([Step::text("hi")]).named("large")))
///     .with("triage", Arc::new(Script::new([Step::text("no")]).named("small")));
/// assert_eq!(models.of("triage").id().name, "small");
/// assert_eq!(models.of("reply").id().name, "large");
/// ```
#[derive(Clone)]
pub struct NodeModels {
    usual: Arc<dyn Model>,
    nodes: BTreeMap<String, Arc<dyn Model>>,
}

impl NodeModels {
    /// One model for every node.
    pub fn new(usual: Arc<dyn Model>) -> Self {
        Self {
            usual,
            nodes: BTreeMap::new(),
        }
    }

    /// The same with another model for a node.
    #[must_use]
    pub fn with(mut self, node: impl Into<String>, model: Arc<dyn Model>) -> Self {
        self.nodes.insert(node.into(), model);
        self
    }

    /// The model of a node.
    pub fn of(&self, node: &str) -> &Arc<dyn Model> {
        self.nodes.get(node).unwrap_or(&self.usual)
    }

    /// The model of nodes that have none of their own.
    pub fn usual(&self) -> &Arc<dyn Model> {
        &self.usual
    }

    /// How many tokens every one of them can read and write in all, as far as that is known.
    pub fn context(&self) -> Option<u32> {
        let all = self.nodes.values().chain([&self.usual]);
        all.filter_map(|model| model.caps().context).min()
    }
}

impl std::fmt::Debug for NodeModels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let nodes = self.nodes.iter().map(|(node, model)| (node, model.id()));
        f.debug_struct("NodeModels")
            .field("usual", self.usual.id())
            .field("nodes", &nodes.collect::<Vec<_>>())
            .finish()
    }
}
