//! The agent and its graph.

use std::{path::Path, sync::Arc};

use serde_json::Value as Json;
use superstep::{
    Backends, BuildErrors, Failure, Graph,
    model::{Message, Model},
    text::is_blank,
};
use superstep_workbook::{OnLoad, Workbook};

use crate::{
    error::Error,
    nodes,
    services::{Services, blocking},
    settings::Settings,
    state::{Node, Problem, SheetsState, SheetsStateUpdate, Status},
    tools::INFORMER,
    versions::Versions,
};

/// The graph bounds itself by `max_steps`, which is data; this bounds mistakes.
const SUPERSTEPS: u64 = 100_000;

/// The agent.
///
/// Its graph runs, resumes, forks and shows threads as any graph does. Load a workbook with
/// [`Sheets::begin`] and run the graph with what that gives, or let [`Sheets::run_analysis`] do all.
pub struct Sheets {
    graph: Graph<SheetsState, Node>,
    services: Arc<Services>,
}

/// The models of an agent.
#[derive(Clone)]
pub struct Models {
    /// Chooses actions.
    pub planner: Arc<dyn Model>,
    /// Writes queries; the planner's if there is no other.
    pub informer: Option<Arc<dyn Model>>,
}

/// Why an agent cannot be made.
pub type NewError = superstep::NewError<Error>;

impl Sheets {
    /// An agent that keeps threads and versions of workbooks there. It needs [`Backends::blobs`].
    pub fn new(models: Models, settings: Settings, backends: Backends) -> Result<Self, NewError> {
        let blobs = backends.blobs.clone().ok_or_else(|| {
            let why = "the backends have no `blobs`, where versions of workbooks are kept";
            NewError::Settings(Error::Settings {
                why: why.to_owned(),
            })
        })?;
        if settings.max_steps == 0 {
            let why = "max_steps must be at least 1".to_owned();
            return Err(NewError::Settings(Error::Settings { why }));
        }
        let Models { planner, informer } = models;
        let informer = informer.unwrap_or_else(|| planner.clone());
        let services = Arc::new(Services::new(planner, informer, Versions(blobs), settings));
        // What is wrong with tools is found now, not in the first step.
        let tools = services.tools("workbook.xlsx", None);
        tools.map_err(NewError::Settings)?;
        let graph = build(&services, backends)?;
        Ok(Self { graph, services })
    }

    /// The graph.
    pub fn graph(&self) -> &Graph<SheetsState, Node> {
        &self.graph
    }

    /// What it was made with.
    pub fn settings(&self) -> &Settings {
        &self.services.settings
    }

    /// Loads a workbook, and gives the input of a run that carries out an instruction on it.
    pub async fn begin(&self, instruction: &str, file: &Path) -> Result<SheetsStateUpdate, Error> {
        let path = file.to_owned();
        let limits = self.services.settings.limits.clone();
        let book = blocking(move || Ok(Workbook::open(&path, &limits)?)).await?;
        let update = self.begin_with(instruction, book).await?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let (mut problem, update) = update;
        problem.file = name.into_owned();
        problem.input = Some(file.display().to_string());
        Ok(update.problem(problem))
    }

    /// The same for a workbook in memory.
    pub async fn begin_with(
        &self,
        instruction: &str,
        book: Workbook,
    ) -> Result<(Problem, SheetsStateUpdate), Error> {
        let instruction = instruction.trim();
        if instruction.is_empty() {
            return Err(Error::NoInstruction);
        }
        let services = self.services.clone();
        let loaded = blocking(move || {
            let bytes = book.write(OnLoad::Trust)?.bytes;
            let names = book.sheets.iter().map(|sheet| sheet.name.clone());
            Ok((bytes, names.collect::<Vec<_>>(), services.describe(&book)))
        });
        let (bytes, sheets, sheet_state) = loaded.await?;
        let version = self.services.versions.put(bytes).await?;
        let problem = Problem {
            instruction: instruction.to_owned(),
            file: "workbook.xlsx".into(),
            workbook: version.clone(),
            sheets,
            input: None,
            output: None,
            thread: None,
        };
        let update = self
            .fresh(instruction)
            .problem(problem.clone())
            .version(version)
            .sheet_state(sheet_state);
        Ok((problem, update))
    }

    /// Stores a workbook that somebody sent, and gives its hash. A run may then begin by data alone, as over a
    /// server: `{"problem": {"instruction": "…", "workbook": HASH}}`; [`Sheets::bytes`] is the file at
    /// its end.
    pub async fn upload(&self, bytes: Vec<u8>) -> Result<String, Error> {
        let services = self.services.clone();
        let bytes = blocking(move || {
            Workbook::read(bytes.as_slice(), &services.settings.limits)?;
            Ok(bytes)
        });
        self.services.versions.put(bytes.await?).await
    }

    /// The input of a run that carries out another instruction on what a thread has come to.
    pub fn instruct(
        &self,
        state: &SheetsState,
        instruction: &str,
    ) -> Result<SheetsStateUpdate, Error> {
        let instruction = instruction.trim();
        if instruction.is_empty() {
            return Err(Error::NoInstruction);
        }
        if state.version.is_empty() {
            return Err(Error::NoWorkbook);
        }
        let problem = Problem {
            instruction: instruction.to_owned(),
            ..state.problem.clone()
        };
        Ok(self.fresh(instruction).problem(problem))
    }

    /// The workbook that a state has come to.
    pub async fn workbook(&self, state: &SheetsState) -> Result<Arc<Workbook>, Error> {
        self.services.workbook(&state.version).await
    }

    /// The workbook that a thread was given.
    pub async fn input(&self, state: &SheetsState) -> Result<Arc<Workbook>, Error> {
        self.services.workbook(&state.problem.workbook).await
    }

    /// The file that a state has come to.
    pub async fn bytes(&self, state: &SheetsState) -> Result<Vec<u8>, Error> {
        if state.version.is_empty() {
            return Err(Error::NoWorkbook);
        }
        self.services.versions.get(&state.version).await
    }

    fn fresh(&self, instruction: &str) -> SheetsStateUpdate {
        let settings = &self.services.settings;
        SheetsState::update()
            .messages(vec![Message::user(instruction)])
            .step(0_u32)
            .max_steps(settings.max_steps)
            .with_informer(settings.with_informer)
            .key_info(None)
            .format_errors(0_u32)
            .answer(None)
            .status(Status::Running)
            .verification(None)
    }
}

fn build(
    services: &Arc<Services>,
    backends: Backends,
) -> Result<Graph<SheetsState, Node>, BuildErrors> {
    use Node::{ApproveNode, InformerNode, PlannerNode, ToolNode, Verify};
    Graph::builder()
        .name("sheets")
        .effects(superstep::tools::past_effects)
        .backends(backends)
        .shared(services.clone())
        .step_limit(SUPERSTEPS)
        .check_input(instructed)
        .node(PlannerNode, nodes::planner_node)
        .node(ToolNode, nodes::tool_node)
        .node(ApproveNode, nodes::approve_node)
        .node(InformerNode, nodes::informer_node)
        .node(Verify, nodes::verify)
        .start(PlannerNode)
        .route(
            PlannerNode,
            &[ToolNode, InformerNode, PlannerNode, Verify],
            |state: &SheetsState| Some(should_continue(state)),
        )
        .route(
            ToolNode,
            &[ApproveNode, PlannerNode],
            |state: &SheetsState| {
                Some(match state.proposal {
                    Some(_) => ApproveNode,
                    None => PlannerNode,
                })
            },
        )
        .edge(ApproveNode, PlannerNode)
        .edge(InformerNode, PlannerNode)
        .finish(Verify)
        .build()
}

/// Refuses an input without an instruction: the run would carry out the one before it again, and lose what that came to.
fn instructed(input: &Json) -> Result<(), Failure> {
    let instruction = input.pointer("/problem/instruction");
    match instruction.and_then(Json::as_str) {
        Some(text) if !is_blank(text) => Ok(()),
        _ => Err(Error::NoInstruction.failure()),
    }
}

/// Where to go after the planner: to a tool, to the informer, to the planner again if its reply named no
/// action, or to the end.
fn should_continue(state: &SheetsState) -> Node {
    if state.status != Status::Running {
        return Node::Verify;
    }
    match state.open_call() {
        Some(_) if state.step >= state.max_steps => Node::Verify,
        Some(call) if call.name == INFORMER => Node::InformerNode,
        Some(_) => Node::ToolNode,
        None if state.wants_info() => Node::InformerNode,
        None => Node::PlannerNode,
    }
}
