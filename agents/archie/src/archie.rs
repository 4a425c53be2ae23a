//! The agent: its graph, and the inputs of its flows.

use std::{collections::HashMap, path::PathBuf, sync::Arc};

use serde_json::Value as Json;
use superstep::{
    Backends, BuildErrors, Failure, Graph, NodeOptions, RetryOn, RetryPolicy, ThreadId,
    dynamic::Source,
    model::{Model, NodeModels},
    store::{Store, StoreError},
    text::is_blank,
};

use crate::{
    documents::{DocumentSet, DocumentStore, Entry, Inputs},
    error::Error,
    explain::{self, Trace},
    nodes,
    prompts::Stage,
    services::Services,
    settings::{Attempts, Settings},
    state::{Analysis, AnalysisUpdate, Flow, Node},
    usage::Spent,
};

/// What a person asks for when they name a folder and nothing else.
const USUAL_QUERY: &str =
    "Analyze these documents: what is the system, and what should be decided?";

/// The agent.
///
/// Its graph runs, resumes and shows threads as any graph does; threads are named by the caller.
///
/// ```
/// use std::sync::Arc;
///
/// use superstep::{Backends, MemorySaver, MemoryStore, Outcome, model::{Script, script::Step}};
/// use superstep_archie::{Archie, Brief, Question, Settings};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let model = Script::new([Step::text("How many users?"), Step::text("## Summary\n...")]);
/// let backends = Backends {
///     store: Some(Arc::new(MemoryStore::default())),
///     ..Backends::on(MemorySaver::default())
/// };
/// let archie = Archie::new(Arc::new(model), Settings::default(), backends)?;
///
/// let brief = Brief { words: "Design a booking service".into(), ..Brief::default() };
/// let outcome = archie.graph().run("t", archie.analyze(&brief)).await?;
/// let [ask] = outcome.asks() else { panic!("it asks") };
/// assert_eq!(ask.question::<Question>()?.query, "How many users?");
///
/// let approved = ask.answer::<Question>(&"/approve".to_owned())?;
/// let outcome = archie.graph().answer("t", [approved]).await?;
/// let Outcome::Done(state) = outcome else { panic!("it is approved") };
/// assert_eq!(state.analysis_output.as_deref(), Some("## Summary\n..."));
/// # Ok(()) }
/// ```
pub struct Archie {
    graph: Graph<Analysis, Node>,
    services: Arc<Services>,
}

/// What a person wants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Brief {
    /// What they say: the goal of an analysis, a question.
    pub words: String,
    /// The folder with the documents, or one file.
    pub inputs: Option<PathBuf>,
    /// Files besides `.txt` and `.md`, such as `*.rst` or `src/**/*.rs`.
    pub globs: Vec<String>,
    /// Files that are never read, such as the one the result goes to.
    pub skip: Vec<PathBuf>,
}

impl Archie {
    /// An agent with this model. The backends must have a store: documents go there.
    ///
    /// To look at threads without running them, any model will do.
    pub fn new(
        model: Arc<dyn Model>,
        settings: Settings,
        backends: Backends,
    ) -> Result<Self, BuildErrors> {
        Self::with_models(NodeModels::new(model), settings, backends)
    }

    /// An agent with these models, which may be others for `analysis_prepare`, `remember`, `build_context` and `ask`.
    pub fn with_models(
        models: NodeModels,
        settings: Settings,
        backends: Backends,
    ) -> Result<Self, BuildErrors> {
        let retry = || NodeOptions::default().retry(retries(settings.attempts));
        let services = Arc::new(Services {
            blobs: backends.blobs.clone(),
            models,
            settings: settings.clone(),
        });
        let graph = Graph::builder()
            .name("archie")
            .backends(backends)
            .shared(services.clone())
            .check_input(said)
            .node(Node::DocumentRetrieval, nodes::document_retrieval)
            .node(Node::GraphExtraction, nodes::graph_extraction)
            .node_with(Node::AnalysisPrepare, nodes::analysis_prepare, retry())
            .node(Node::AnalysisInterrupt, nodes::analysis_interrupt)
            .node(Node::Remember, nodes::remember)
            .node_with(Node::BuildContext, nodes::build_context, retry())
            .node_with(Node::Ask, nodes::ask, retry())
            .start_if(&[Node::DocumentRetrieval, Node::Ask], first)
            .route(
                Node::DocumentRetrieval,
                &[Node::GraphExtraction, Node::Ask],
                |state: &Analysis| {
                    Some(match state.current_flow {
                        Flow::Ask => Node::Ask,
                        Flow::Analysis | Flow::BuildContext => Node::GraphExtraction,
                    })
                },
            )
            .route(
                Node::GraphExtraction,
                &[Node::AnalysisPrepare, Node::BuildContext],
                |state: &Analysis| {
                    Some(match state.current_flow {
                        Flow::BuildContext => Node::BuildContext,
                        Flow::Analysis | Flow::Ask => Node::AnalysisPrepare,
                    })
                },
            )
            .route(
                Node::AnalysisPrepare,
                &[Node::AnalysisInterrupt, Node::Remember],
                |state: &Analysis| match state.analysis_output {
                    None => Some(Node::AnalysisInterrupt),
                    Some(_) => Some(Node::Remember),
                },
            )
            .edge(Node::AnalysisInterrupt, Node::AnalysisPrepare)
            .finish(Node::Remember)
            .finish(Node::BuildContext)
            .finish(Node::Ask)
            .build()?;
        Ok(Self { graph, services })
    }

    /// The graph.
    pub fn graph(&self) -> &Graph<Analysis, Node> {
        &self.graph
    }

    /// Begins an analysis. On a thread that is done it begins another one, which knows what was
    /// said before.
    pub fn analyze(&self, brief: &Brief) -> AnalysisUpdate {
        let words = match brief.words.trim() {
            "" => USUAL_QUERY,
            words => words,
        };
        self.begin(Flow::Analysis, words, brief)
    }

    /// Says something about the result of a thread that is done: a question about it, or a change of it. The result is
    /// `analysis_output` of the state, as before or changed.
    pub fn follow_up(&self, words: &str) -> AnalysisUpdate {
        Analysis::update().user_input(words.trim())
    }

    /// Asks one question; the answer is the state's `analysis_output`.
    pub fn ask(&self, brief: &Brief) -> AnalysisUpdate {
        self.begin(Flow::Ask, brief.words.trim(), brief)
    }

    /// Has a document written about a system of that name; it is the state's `analysis_output`.
    pub fn build_context(&self, name: &str, brief: &Brief) -> AnalysisUpdate {
        self.begin(Flow::BuildContext, brief.words.trim(), brief)
            .context_name(Some(name.trim().to_owned()))
    }

    /// All files that were found for a thread. Its state lists only so many.
    pub async fn manifest(&self, state: &Analysis) -> Result<Vec<Entry>, StoreError> {
        match &self.graph.backends().store {
            Some(store) => DocumentStore(&**store).manifest(&state.inputs).await,
            None => Ok(state.inputs.files.clone()),
        }
    }

    /// The text of a document of a thread, as it was read; nothing if it has none of that path.
    pub(crate) async fn document(
        &self,
        path: &str,
        inputs: &Inputs,
        store: &dyn Store,
    ) -> Result<Option<String>, StoreError> {
        let (set, _) = DocumentStore(store).kept(inputs).await?;
        let at = set.named(path);
        Ok(at
            .and_then(|at| set.documents.into_iter().nth(at))
            .map(|it| it.text))
    }

    /// How many documents of a thread, from the first of its list, the model of a conversation can look up.
    pub(crate) fn reachable(&self, inputs: &Inputs) -> usize {
        match self.services.looks_up(Stage::Initial) {
            true => inputs.kept,
            false => 0,
        }
    }

    /// Where the figures, days and names of a thread's result come from. Without a result there are none; what is only in a
    /// document that is no longer in the store comes from nowhere.
    pub async fn explain(&self, state: &Analysis) -> Result<Vec<Trace>, StoreError> {
        let text = state.analysis_output.as_deref().unwrap_or_default();
        let set = match &self.graph.backends().store {
            Some(store) => DocumentStore(&**store).kept(&state.inputs).await?.0,
            None => DocumentSet::default(),
        };
        Ok(explain::traces(text, state, &set))
    }

    /// What all calls of a thread cost together: those of its state, and those of answers that were taken
    /// back, which were paid for too.
    pub async fn spent(&self, thread: impl Into<ThreadId>) -> Result<Spent, superstep::Error> {
        let history = self.graph.history(thread).await?;
        let known: HashMap<_, usize> = history
            .iter()
            .filter_map(|step| Some((step.id?, step.state.usage.len())))
            .collect();
        // A copy repeats the calls of the checkpoint that it was made of.
        let is_copy = |origin| matches!(origin, Some((Source::Fork, _)));
        let steps = history.iter().rev().filter(|step| !is_copy(step.origin));
        let new = steps.flat_map(|step| {
            let before = step.parent.and_then(|parent| known.get(&parent).copied());
            step.state.usage.iter().skip(before.unwrap_or(0))
        });
        Ok(new.fold(Spent::default(), |sum, spent| sum.plus(spent)))
    }

    /// What it was made with.
    pub fn settings(&self) -> &Settings {
        &self.services.settings
    }

    fn begin(&self, flow: Flow, words: &str, brief: &Brief) -> AnalysisUpdate {
        Analysis::update()
            .current_flow(flow)
            .user_input(words)
            .inputs(Inputs::of(brief.inputs.as_ref(), &brief.globs, &brief.skip))
            .current_analysis_query(None)
            .analysis_output(None)
            .facts(None)
            .context_name(None)
            .system_context("")
            .model_name(self.services.models.usual().id().to_string())
    }
}

/// Refuses an input in which nothing is said: the run would think about the words before it again.
fn said(input: &Json) -> Result<(), Failure> {
    let has = |name: &str| {
        let text = input.get(name).and_then(Json::as_str);
        text.is_some_and(|text| !is_blank(text))
    };
    match has("user_input") || has("context_name") {
        true => Ok(()),
        false => {
            Err(Error::settings("the input has no `user_input`: say what to think about").into())
        }
    }
}

fn first(state: &Analysis) -> Node {
    match (state.current_flow, &state.inputs.folder) {
        (Flow::Ask, None) => Node::Ask,
        _ => Node::DocumentRetrieval,
    }
}

/// Replies that are empty or break off are asked for again. Other failures were repeated by the
/// rules around the model, as far as that helps.
fn retries(attempts: Attempts) -> RetryPolicy {
    RetryPolicy {
        max_attempts: attempts.most.max(1),
        initial: attempts.wait,
        jitter: attempts.wait,
        on: RetryOn::Custom(Arc::new(|error| {
            matches!(error.code(), "SS6003" | "SS5009")
        })),
        ..RetryPolicy::default()
    }
}
