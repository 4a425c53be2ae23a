//! What the kinds of a [`GraphSpec`](super::GraphSpec) mean: what a program registers, and what there is from the
//! start.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::Value as Json;
use superstep_core::{
    error::Failure,
    message::Unknown,
    plan::{Destination, RouteFn, RouteView},
    reducer::Reducer,
};

use super::kinds;
use crate::node::Node;

pub(super) type MakeNode = Arc<dyn Fn(&Json) -> Result<Arc<dyn Node>, String> + Send + Sync>;
pub(super) type MakeRouter = Arc<dyn Fn(&Json) -> Result<RouteFn, String> + Send + Sync>;

/// What the kinds of a [`GraphSpec`](super::GraphSpec) mean.
///
/// There are from the start: the nodes `set` (writes `config.values`), `pass` (does nothing) and `ask` (asks
/// `config.question` and writes the answer to the channel `config.into`); the reducers `add`, `append`, `max`,
/// `min`, `merge`, `union` and `messages`; the router `channel` (decides for the value of `config.channel`).
///
#[doc = include_str!("docs/registry.md")]
#[derive(Clone)]
pub struct Registry {
    pub(super) nodes: BTreeMap<String, MakeNode>,
    pub(super) reducers: BTreeMap<String, Reducer>,
    pub(super) routers: BTreeMap<String, MakeRouter>,
}

impl Registry {
    /// What there is from the start.
    pub fn new() -> Self {
        let empty = Self {
            nodes: BTreeMap::new(),
            reducers: BTreeMap::new(),
            routers: BTreeMap::new(),
        };
        empty
            .reducer("add", Reducer::Add)
            .reducer("append", Reducer::Append)
            .reducer("max", Reducer::Max)
            .reducer("min", Reducer::Min)
            .reducer("merge", Reducer::Merge)
            .reducer("union", Reducer::Union)
            .reducer("messages", Reducer::Messages(Unknown::Refuse))
            .node("pass", kinds::pass)
            .node("set", kinds::set)
            .node("ask", kinds::ask)
            .router("channel", kinds::channel)
    }

    /// A kind of node: makes a node of what a spec tells it, or says what is wrong with that. The text is shown
    /// with the place in the spec.
    #[must_use]
    pub fn node<N: Node>(
        mut self,
        kind: impl Into<String>,
        make: impl Fn(&Json) -> Result<N, String> + Send + Sync + 'static,
    ) -> Self {
        let make =
            move |config: &Json| -> Result<Arc<dyn Node>, String> { Ok(Arc::new(make(config)?)) };
        let make: MakeNode = Arc::new(make);
        self.nodes.insert(kind.into(), make);
        self
    }

    /// A reducer.
    #[must_use]
    pub fn reducer(mut self, name: impl Into<String>, reducer: Reducer) -> Self {
        self.reducers.insert(name.into(), reducer);
        self
    }

    /// A kind of router: makes a router of what a spec tells it, or says what is wrong with that.
    #[must_use]
    pub fn router<R>(
        mut self,
        kind: impl Into<String>,
        make: impl Fn(&Json) -> Result<R, String> + Send + Sync + 'static,
    ) -> Self
    where
        R: Fn(&RouteView<'_>) -> Result<Vec<Destination>, Failure> + Send + Sync + 'static,
    {
        let make = move |config: &Json| -> Result<RouteFn, String> { Ok(Arc::new(make(config)?)) };
        let make: MakeRouter = Arc::new(make);
        self.routers.insert(kind.into(), make);
        self
    }
}

impl Default for Registry {
    fn default() -> Self {
        Self::new()
    }
}
