//! One agent as a workflow: its prompts into a refining analysis, the analysis into a result.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};

use superstep::{
    BuildErrors, Graph, RunOptions,
    model::Model,
    sync::lock,
    tools::{
        Policy, Refine, RefineConfig, Refinement, RefinementUpdate, ToolsError,
        refine::{Brief, CUT_OFF, EarlierAnalysis, Ended, RefineNode},
    },
};

use crate::{
    agent::{AgentContext, DocAgent},
    citations, claims,
    clean::clean,
    error::Error,
    facts::Lookup,
    library::{Library, ReadFiles},
    pages,
    plan::{self, Keys},
    profile::Profile,
    result::{AgentResult, ResultMetadata, Status},
    review::FactReview,
    tools::{Sought, tools},
};

/// An agent that works on a code base.
pub struct Workflow {
    agent: Arc<dyn DocAgent>,
    context: Arc<AgentContext>,
    config: RefineConfig,
    graph: Graph<Refinement, RefineNode>,
    read: ReadFiles,
}

/// Whether a workflow runs inside another graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nesting {
    Nested,
    Alone,
}

/// Why an agent has no workflow or no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkflowError {
    /// Its graph cannot be built: a mistake in this library.
    #[error(transparent)]
    Graph(#[from] BuildErrors),
    /// Its tools cannot be used: a mistake in this library.
    #[error(transparent)]
    Tools(#[from] ToolsError),
    /// Its run failed.
    #[error(transparent)]
    Run(#[from] superstep::Error),
    /// It ended without a result.
    #[error(transparent)]
    Agent(#[from] Error),
}

/// Runs one agent: the library call. The result has the refined analysis, its questions, iterations and metadata.
pub async fn execute(
    agent: Arc<dyn DocAgent>,
    model: Arc<dyn Model>,
    context: AgentContext,
    config: RefineConfig,
    options: RunOptions,
) -> Result<AgentResult, WorkflowError> {
    let workflow = Workflow::new(
        agent,
        model,
        Arc::new(context),
        config,
        true,
        Nesting::Alone,
    )?;
    workflow.execute(options).await
}

impl Workflow {
    pub(crate) fn new(
        agent: Arc<dyn DocAgent>,
        model: Arc<dyn Model>,
        context: Arc<AgentContext>,
        config: RefineConfig,
        with_tools: bool,
        place: Nesting,
    ) -> Result<Self, WorkflowError> {
        let read: ReadFiles = Arc::new(Mutex::new(BTreeSet::new()));
        let library = Library::new(context.clone(), read.clone());
        let mut refine = Refine::new(agent.name(), model.clone())
            .config(config.clone())
            .keep_best()
            .review(Arc::new(FactReview {
                context: context.clone(),
                library: library.clone(),
            }));
        if let Some(form) = agent.form(&context) {
            refine = refine.form(form);
        }
        if with_tools && model.caps().tools {
            let tools = tools(&context, &library)?;
            let names = Sought::ALL.into_iter().map(Sought::name);
            let policy = names.fold(Policy::default(), |policy, name| policy.allow(name));
            refine = refine.tools(tools, policy);
        }
        let builder = refine.graph().name(format!("Agent-{}", agent.name()));
        let builder = match place {
            Nesting::Nested => builder.nested(),
            Nesting::Alone => builder.saver(superstep::MemorySaver::default()),
        };
        Ok(Self {
            agent,
            context,
            config,
            graph: builder.build()?,
            read,
        })
    }

    /// Its graph.
    pub fn graph(&self) -> &Graph<Refinement, RefineNode> {
        &self.graph
    }

    /// Runs it alone.
    pub async fn execute(&self, options: RunOptions) -> Result<AgentResult, WorkflowError> {
        let thread = options.thread.clone();
        let thread = thread.unwrap_or_else(|| format!("docs-{}", self.agent.name()).into());
        let graph = self.graph.with_options(|own| {
            let limit = own.limit;
            *own = options;
            own.limit = own.limit.max(limit);
        });
        let outcome = graph.run(thread, self.input(Vec::new(), None)).await?;
        let done = outcome.done().ok_or_else(|| Error::Agent {
            agent: self.agent.name().to_owned(),
            why: "it waits for an answer of a person".into(),
        })?;
        Ok(self.result(&done, &Keys::default()))
    }

    /// The input of its run.
    pub(crate) fn input(
        &self,
        shared_questions: Vec<String>,
        earlier: Option<EarlierAnalysis>,
    ) -> RefinementUpdate {
        Refinement::update().context(Brief {
            system: self.agent.system_prompt(&self.context),
            human: self.agent.human_prompt(&self.context),
            criteria: self.agent.criteria(),
            shared_questions,
            earlier,
        })
    }

    /// The result of a run.
    pub(crate) fn result(&self, state: &Refinement, keys: &Keys) -> AgentResult {
        let best = state
            .best_analysis
            .as_ref()
            .map_or(&state.current_analysis, |best| &best.text);
        let (checked, claims) = claims::check(best, &Lookup::new(&self.context.facts));
        let (text, left_out) = clean(&checked);
        let data = self.agent.parse(&text);
        let is_empty = text.trim().is_empty();
        // Grades of small models say too little to be published.
        let grade = match self.context.profile {
            Profile::Strong => state.clarity_score,
            Profile::Small => None,
        };
        let status = match state.ended {
            Some(Ended::Budget) => Status::Partial,
            _ if is_empty => Status::Failed,
            _ if grade.is_some_and(|it| it < self.config.threshold()) => Status::BelowThreshold,
            _ => Status::Success,
        };
        let mut warnings = state.refinement_notes.clone();
        warnings.extend(left_out);
        if best.trim_end().ends_with(CUT_OFF) {
            warnings.push("The reply was cut off at its length limit: the end is missing".into());
        }
        if state.ended == Some(Ended::Budget) {
            warnings.push(match is_empty {
                true => "The budget was used up before there was an analysis".into(),
                false => "The budget was used up: this is the best version that there was".into(),
            });
        }
        if state.ended == Some(Ended::Unscored) {
            warnings.push("The model gave no grades that can be read".into());
        }
        if status == Status::Failed {
            warnings.push(match best.trim().is_empty() {
                true => "The model wrote no analysis".into(),
                false => "Nothing was left of the analysis without its wrong claims".into(),
            });
        }
        let read = lock(&self.read);
        let read = read.iter().filter_map(|path| {
            let file = self.context.facts.file(path)?;
            Some((path.clone(), file.hash.clone()))
        });
        let read: Vec<(String, String)> = read.collect();
        let lookup = Lookup::new(&self.context.facts);
        let shapes = read.iter().filter_map(|(path, _)| {
            let file = self.context.facts.file(path)?;
            Some((path.clone(), plan::file_shape(file, &lookup)))
        });
        let mut result = AgentResult {
            agent_name: self.agent.name().to_owned(),
            status,
            summary: self.agent.summary(&data),
            data,
            confidence: grade.map(|grade| grade / 100.0),
            warnings,
            metadata: ResultMetadata {
                iterations: state.iteration,
                self_questions: state.self_questions.clone(),
                missing_information: state.missing_information.clone(),
                scores: state.score_history.clone(),
                ended: state.ended,
                threshold: self
                    .config
                    .enable_self_questioning
                    .then(|| self.config.threshold()),
                claims,
                usage: state.usage,
                read_shapes: shapes.collect(),
                read,
                ..ResultMetadata::default()
            },
            ..AgentResult::default()
        };
        keys.put_into(&mut result);
        let said = self.agent.markdown(&result.data);
        result.metadata.cited = citations::remembered(&said, &lookup);
        result.markdown = pages::page(&*self.agent, &self.context.facts, &result);
        result
    }
}
