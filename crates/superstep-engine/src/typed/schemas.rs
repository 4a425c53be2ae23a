//! What clients learn about a graph: JSON schemas of its state, its input, the context of its runs
//! and its questions.
//!
//! A type has a schema where it derives `superstep::schemars::JsonSchema`; without it there is none, and
//! nothing else changes.

use std::collections::BTreeMap;

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value as Json;
use superstep_core::{
    error::Error,
    id::{AskId, ThreadId},
};
use superstep_schema::{JsonSchema, Schema};

use super::{
    ask::Ask, builder::GraphBuilder, declared::Declaration, graph::Graph, nodes::Nodes,
    state::State,
};

/// The schemas of a graph, as far as its types have them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Schemas {
    /// The state.
    pub state: Option<Json>,
    /// An input: any fields of the state.
    pub input: Option<Json>,
    /// The context of a run, if the graph says what it is; see [`GraphBuilder::context`].
    pub context: Option<Json>,
    /// Answers to the questions that the graph says it asks, by their kind; see
    /// [`GraphBuilder::asks`].
    pub answers: BTreeMap<&'static str, Option<Json>>,
}

impl<S: State, N: Nodes> GraphBuilder<S, N> {
    /// Says what the context of a run is, for [`Graph::schemas`]. A node that takes another type of
    /// [`Context`](super::Context) is a mistake (SS4022), and a run whose context does not have the type is refused
    /// (SS1013) before it starts.
    ///
    #[doc = include_str!("docs/builder/context.md")]
    #[must_use]
    pub fn context<T>(mut self) -> Self
    where
        T: JsonSchema + DeserializeOwned + Clone + Send + Sync + 'static,
    {
        self.context_type::<T>();
        self.declared.context = Some(Schema::of::<T>().json().clone());
        self
    }

    /// Says that its nodes ask such questions, for [`Graph::schemas`] and [`Graph::check_answer`].
    #[must_use]
    pub fn asks<Q: Ask>(mut self) -> Self {
        self.declared.asks.insert(Q::KIND, Declaration::of::<Q>());
        self
    }
}

impl<S: State, N: Nodes> Graph<S, N> {
    /// The schemas of the graph, for clients, forms and models.
    ///
    /// ```
    /// # use serde::{Deserialize, Serialize};
    /// use superstep::{prelude::*, schemars::{self, JsonSchema}};
    ///
    /// #[derive(Clone, Debug, Default, Serialize, Deserialize, State, JsonSchema)]
    /// struct Mail {
    ///     /// One line.
    ///     subject: String,
    ///     sent: bool,
    /// }
    /// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
    /// # enum Node { Send }
    ///
    /// #[derive(Serialize, Ask)]
    /// #[ask(answer = bool)]
    /// struct MaySend {}
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let graph = Graph::<Mail, Node>::builder()
    ///     .asks::<MaySend>()
    /// #     .node(Node::Send, || async {}).start(Node::Send).finish(Node::Send)
    ///     .build()?;
    /// let schemas = graph.schemas();
    /// let input = schemas.input.unwrap_or_default();
    /// assert_eq!(input["properties"]["subject"]["description"], "One line.");
    /// assert_eq!(schemas.answers["may_send"], Some(serde_json::json!({"type": "boolean", "title": "boolean"})));
    /// # Ok(()) }
    /// ```
    pub fn schemas(&self) -> Schemas {
        let state = S::schema();
        let input = state.clone().map(|mut schema| {
            // Every field may be left out: it keeps its value.
            if let Json::Object(keywords) = &mut schema {
                keywords.remove("required");
            }
            schema
        });
        let declared = self.declared.asks.iter();
        Schemas {
            state,
            input,
            context: self.declared.context.clone(),
            answers: declared
                .map(|(kind, it)| (*kind, it.schema.clone()))
                .collect(),
        }
    }

    /// Whether an answer fits a question that a thread waits for: by the schema of the question, and by
    /// the type of the answer if the graph says that it asks such questions. Nothing is run.
    pub async fn check_answer(
        &self,
        thread: impl Into<ThreadId>,
        id: AskId,
        answer: &Json,
    ) -> Result<(), Error> {
        let checked = self.inner.check_answer(&thread.into(), id, answer).await;
        checked.map(drop)
    }
}
