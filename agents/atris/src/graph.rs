//! The agent and its graph.

use std::sync::Arc;

use serde_json::Value as Json;
use superstep::{
    Backends, BuildErrors, Failure, Graph,
    model::{Model, NodeModels},
};

use crate::{
    catalogue::{Catalogue, Method},
    client::Audius,
    error::Error,
    nodes,
    services::{MODEL_TURN, Services},
    settings::Settings,
    state::{ACTING, AtrisState, AtrisStateUpdate, Node},
    tools,
};

/// The node that calls a model, which may have a model of its own.
pub const MODEL_NODES: [&str; 1] = [MODEL_TURN];

/// The agent.
///
/// Its graph runs, resumes and shows threads as any graph does. Questions of one thread follow each
/// other; nothing of one is left in the next but the host, the errors and the answers.
pub struct Atris {
    graph: Graph<AtrisState, Node>,
    services: Arc<Services>,
}

/// Why an agent cannot be made.
pub type NewError = superstep::NewError<Error>;

impl Atris {
    /// An agent with a model, or with rules alone.
    pub fn new(
        model: Option<Arc<dyn Model>>,
        settings: Settings,
        backends: Backends,
    ) -> Result<Self, NewError> {
        Self::with_models(model.map(NodeModels::new), settings, backends)
    }

    /// The same with models of their own for some nodes, by the names of [`MODEL_NODES`](crate::MODEL_NODES).
    pub fn with_models(
        models: Option<NodeModels>,
        settings: Settings,
        backends: Backends,
    ) -> Result<Self, NewError> {
        Catalogue::get().map_err(NewError::Settings)?;
        let client = Audius::new(settings.client.clone()).map_err(NewError::Settings)?;
        let client = Arc::new(client);
        let tools = tools::tools(&client).map_err(|error| {
            NewError::Settings(Error::Settings {
                why: error.to_string(),
            })
        })?;
        let services = Arc::new(Services {
            models,
            client,
            tools,
            policy: tools::policy(),
            settings,
        });
        let graph = build(&services, backends)?;
        Ok(Self { graph, services })
    }

    /// The graph.
    pub fn graph(&self) -> &Graph<AtrisState, Node> {
        &self.graph
    }

    /// What it was made with.
    pub fn settings(&self) -> &Settings {
        &self.services.settings
    }

    /// Whether a call that changes something may be under way in a thread: it is the next node's, and
    /// nobody knows yet whether an earlier process made it. Resume the thread before you ask in it.
    pub fn is_unsettled(next: &[Node], state: &AtrisState) -> bool {
        let is_call =
            |node: &Node| matches!(node, Node::ExecuteRequestNode | Node::SecondaryRequest);
        let api = state.best_api.as_ref();
        api.is_some_and(|api| api.method != Method::Get) && next.iter().any(is_call)
    }

    /// Whether a call that a person approves for this host can be made with these settings.
    pub fn check_host(&self, host: &str) -> Result<(), Error> {
        self.services.client.bound(host).map(drop)
    }

    /// Whether the question of a thread can be continued with these settings. A host that has an
    /// [alias](crate::ClientSettings::alias) has a world of its own, whose ids mean nothing elsewhere.
    pub fn check_world(&self, state: &AtrisState) -> Result<(), Error> {
        let Some(asked) = &state.asked_of else {
            return Ok(());
        };
        let here = self.services.client.names();
        let own = self.services.settings.client.alias.as_ref();
        let is_known = own.is_some_and(|alias| asked.contains(alias));
        // Hosts with an address are all hosts of one Audius.
        let is_world = |name: &String| superstep::http::Address::new(name).is_err();
        match is_known || own.is_none() && !asked.iter().any(is_world) {
            true => Ok(()),
            false => Err(Error::OtherHost {
                asked: crate::reply::clean(&asked.join(", ")),
                here: here.join(", "),
            }),
        }
    }

    /// The input of a question. `before` is the state of the thread, if there is one.
    pub fn ask(&self, question: &str, before: Option<&AtrisState>) -> AtrisStateUpdate {
        nodes::cleared()
            .query(question.to_owned())
            .asked_of(self.services.client.names())
            .initial_state(before.map(nodes::thread_before))
    }
}

/// Where a question goes whose parameters are known or missing.
const CALLS: [Node; 4] = [
    Node::AskUser,
    Node::ResolveEntity,
    Node::ExecuteRequestNode,
    Node::HandleError,
];

fn build(
    services: &Arc<Services>,
    backends: Backends,
) -> Result<Graph<AtrisState, Node>, BuildErrors> {
    use Node::{
        AskUser, ExecuteRequestNode, ExtractCategoryNode, ExtractParamsNode, Format, GetApisNode,
        HandleError, ModelTurn, ResetStateNode, ResolveEntity, SecondaryRequest, SelectApiNode,
        ToolTurn,
    };
    Graph::builder()
        .name("atris")
        .effects(superstep::tools::past_effects)
        .backends(backends)
        .shared(services.clone())
        .check_input(asked)
        .node(ExtractCategoryNode, nodes::extract_category_node)
        .node(GetApisNode, nodes::get_apis_node)
        .node(SelectApiNode, nodes::select_api_node)
        .node(ExtractParamsNode, nodes::extract_params_node)
        .node(AskUser, nodes::ask_user)
        .node(ResolveEntity, nodes::resolve_entity)
        .node(ExecuteRequestNode, nodes::execute_request_node)
        .node(SecondaryRequest, nodes::secondary_request)
        .node(ModelTurn, nodes::model_turn)
        .node(ToolTurn, nodes::tool_turn)
        .node(HandleError, nodes::handle_error)
        .node(Format, nodes::format)
        .node(ResetStateNode, nodes::reset_state_node)
        .start(ExtractCategoryNode)
        .route(
            ExtractCategoryNode,
            &[GetApisNode, ModelTurn, HandleError],
            |state: &AtrisState| {
                let is_researched = state.research.is_some();
                let next = if is_researched {
                    ModelTurn
                } else {
                    GetApisNode
                };
                or_error(state, next)
            },
        )
        .route(
            ModelTurn,
            &[ToolTurn, ModelTurn, HandleError],
            |state: &AtrisState| {
                // A reply that was no use is repaired.
                let last = state.messages.iter().flatten().next_back();
                let is_reply = last.is_some_and(|it| it.reply().is_some());
                or_error(state, if is_reply { ToolTurn } else { ModelTurn })
            },
        )
        .route(
            ToolTurn,
            &[ModelTurn, Format, HandleError],
            |state: &AtrisState| {
                let is_answered = state.answer.is_some();
                or_error(state, if is_answered { Format } else { ModelTurn })
            },
        )
        .route(
            GetApisNode,
            &[SelectApiNode, HandleError],
            |state: &AtrisState| or_error(state, SelectApiNode),
        )
        .route(
            SelectApiNode,
            &[ExtractParamsNode, HandleError],
            |state: &AtrisState| or_error(state, ExtractParamsNode),
        )
        .route(ExtractParamsNode, &CALLS, towards_the_call)
        .route(AskUser, &CALLS, towards_the_call)
        .route(
            ResolveEntity,
            &[AskUser, ExecuteRequestNode, HandleError],
            towards_the_call,
        )
        .route(
            ExecuteRequestNode,
            &[SecondaryRequest, Format, AskUser, HandleError],
            |state: &AtrisState| {
                let next = match (&state.pending, &state.secondary_api) {
                    (Some(_), _) => AskUser,
                    (None, Some(_)) => SecondaryRequest,
                    (None, None) => Format,
                };
                or_error(state, next)
            },
        )
        .route(
            SecondaryRequest,
            &[Format, AskUser, HandleError],
            |state: &AtrisState| {
                let is_pending = state.pending.is_some();
                or_error(state, if is_pending { AskUser } else { Format })
            },
        )
        .edge(HandleError, Format)
        .edge(Format, ResetStateNode)
        .finish(ResetStateNode)
        .build()
}

fn or_error(state: &AtrisState, next: Node) -> Option<Node> {
    Some(match state.error {
        Some(_) => Node::HandleError,
        None => next,
    })
}

/// What is still to be done before the call: ask, look up, or nothing.
fn towards_the_call(state: &AtrisState) -> Option<Node> {
    let next = match (&state.pending, must_be_found(state)) {
        (Some(_), _) => Node::AskUser,
        (None, true) => Node::ResolveEntity,
        (None, false) => Node::ExecuteRequestNode,
    };
    or_error(state, next)
}

/// Whether a name has to be looked up: the operation is about such a thing, and its id is not known.
fn must_be_found(state: &AtrisState) -> bool {
    let given = state.parameters.as_ref();
    let is_acting = given.is_some_and(|it| it.contains_key(ACTING));
    if state.acting.is_some() && !is_acting {
        return true;
    }
    let api = state.best_api.as_ref().map(|api| api.id.as_str());
    let operation = api.and_then(|id| Catalogue::get().ok()?.operation(id));
    let Some((_, parameter)) = operation.and_then(|operation| operation.entity()) else {
        return false;
    };
    let is_given = state
        .parameters
        .as_ref()
        .is_some_and(|it| it.contains_key(parameter));
    let second = state.secondary_api.as_ref();
    let second = second.is_some_and(|second| second.entity.is_none());
    let first = !is_given && state.entity.is_none() && state.entity_name.is_some();
    first || second
}

/// Refuses an input without a question: the run would look at the one before it again.
fn asked(input: &Json) -> Result<(), Failure> {
    match input.get("query") {
        None | Some(Json::Null) => {
            let why = "the input has no `query`: ask a question".to_owned();
            let error = Error::Settings { why };
            Err(error.coded().failure("AtrisError", error.to_string()))
        }
        Some(_) => Ok(()),
    }
}
