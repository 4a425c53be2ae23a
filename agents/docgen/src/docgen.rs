//! The documentation agents as one graph.

use std::{path::Path, sync::Arc};

use serde_json::Value as Json;
use superstep::{
    Backends, BuildErrors, Failure, Graph, NodeOptions,
    model::{Model, NodeModels},
};

use crate::{
    agent::AgentContext,
    error::Error,
    forecast::Forecast,
    nodes,
    services::Services,
    settings::{Request, Settings},
    state::{BatchNode, BatchState, DocNode, DocState, DocStateUpdate},
};

/// The documentation agents.
///
/// Their graph runs, resumes and shows threads as any graph does. A thread documents one folder; what agents finished
/// before a process died is kept, and `resume` runs the others.
pub struct Docgen {
    graph: Graph<DocState, DocNode>,
    services: Arc<Services>,
}

/// How many tokens a reply may have, unless settings say otherwise.
const REPLY: u32 = 4_000;

/// Why an agent cannot be made.
pub type NewError = superstep::NewError<Error>;

impl Docgen {
    /// Agents with a model, or with facts alone. For budgets in tokens, money and time give it a
    /// [`ManagedModel`](superstep::model::ManagedModel) within a [`Budget`](superstep::model::Budget): it is asked
    /// before each call.
    pub fn new(
        model: Option<Arc<dyn Model>>,
        settings: Settings,
        backends: Backends,
    ) -> Result<Self, NewError> {
        Self::with_models(model.map(NodeModels::new), settings, backends)
    }

    /// The same with models of their own for some agents, by their names.
    pub fn with_models(
        models: Option<NodeModels>,
        mut settings: Settings,
        backends: Backends,
    ) -> Result<Self, NewError> {
        // What a run takes has a limit only if replies have one.
        settings.refine.max_tokens.get_or_insert(REPLY);
        settings.check().map_err(NewError::Settings)?;
        let services = Arc::new(Services::new(models, settings));
        let graph = build(&services, backends)?;
        Ok(Self { graph, services })
    }

    /// The graph.
    pub fn graph(&self) -> &Graph<DocState, DocNode> {
        &self.graph
    }

    /// What it was made with.
    pub fn settings(&self) -> &Settings {
        &self.services.settings
    }

    /// The input of a run.
    pub fn document(&self, request: Request) -> DocStateUpdate {
        DocState::update()
            .request(request)
            .plan(Vec::new())
            .outcome(None)
    }

    /// What a run would do, without one call.
    pub fn forecast(&self, request: &Request) -> Result<Forecast, Error> {
        self.services.forecast(request)
    }

    /// The facts of a folder, and what prompts are made of.
    pub fn context(&self, request: &Request) -> Result<Arc<AgentContext>, Error> {
        self.services.context(request)
    }

    /// A name for the thread of a folder and its documentation, the same each time.
    pub fn thread(root: &Path, output: &Path) -> String {
        format!("docs-{:016x}", named(root, output))
    }

    /// The thread of a folder and its documentation, if there is one already also by its earlier name: that had no zeros in
    /// front.
    pub async fn known_thread(&self, root: &Path, output: &Path) -> String {
        let (new, old) = (
            Self::thread(root, output),
            format!("docs-{:012x}", named(root, output)),
        );
        let is_old = new != old && !self.is_thread(&new).await && self.is_thread(&old).await;
        if is_old { old } else { new }
    }

    async fn is_thread(&self, name: &str) -> bool {
        let state = self.graph.state(name).await;
        state.is_ok_and(|it| it.id.is_some())
    }
}

/// A number for a folder and its documentation.
fn named(root: &Path, output: &Path) -> u64 {
    let name = format!("{}\u{0}{}", root.display(), output.display());
    xxhash_rust::xxh3::xxh3_64(name.as_bytes())
}

fn build(
    services: &Arc<Services>,
    backends: Backends,
) -> Result<Graph<DocState, DocNode>, BuildErrors> {
    let batch = Graph::<BatchState, BatchNode>::builder()
        .name("ExecuteAgents")
        .nested()
        .shared(services.clone())
        .node(BatchNode::Start, nodes::start)
        .node_with(
            BatchNode::Agent,
            nodes::agent,
            NodeOptions::default().on_error(nodes::give_up),
        )
        .start(BatchNode::Start)
        .may_send(BatchNode::Start, &[BatchNode::Agent])
        .finish(BatchNode::Agent)
        .build()?;
    Graph::builder()
        .name("DocumentationGeneration-Complete")
        .backends(backends)
        .shared(services.clone())
        .resource(batch)
        .check_input(requested)
        .node(DocNode::Scan, nodes::scan)
        .node(DocNode::Plan, nodes::plan)
        .node(DocNode::Execute, nodes::execute)
        .node(DocNode::Aggregate, nodes::aggregate)
        .start(DocNode::Scan)
        .edge(DocNode::Scan, DocNode::Plan)
        .edge(DocNode::Plan, DocNode::Execute)
        .edge(DocNode::Execute, DocNode::Aggregate)
        .finish(DocNode::Aggregate)
        .build()
}

/// Refuses an input that names no folder: the run would document the one before it again.
fn requested(input: &Json) -> Result<(), Failure> {
    let root = input.pointer("/request/root").and_then(Json::as_str);
    match root {
        None | Some("") => {
            let why = "the input has no `request.root`: name the folder to document".to_owned();
            Err(Error::Settings { why }.failure())
        }
        Some(_) => Ok(()),
    }
}
