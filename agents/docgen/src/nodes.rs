//! The nodes of a documentation.

use std::{collections::BTreeMap, sync::Arc};

use superstep::{
    Call, Command, Ctx, Failed, Graph, Input, NodeError, Res, Snap, SpanEnd, SpanKind, Value,
};

use crate::{
    aggregate, earlier,
    error::Error,
    inert::counted,
    metadata::{self, Metadata},
    pages,
    plan::{self, Keys},
    result::{AgentResult, Status},
    services::Services,
    settings::Request,
    state::{BatchNode, BatchState, BatchStateUpdate, DocState, DocStateUpdate},
    watch::Watched,
    workflow::{Nesting, Workflow},
};

fn failed(error: Error) -> NodeError {
    NodeError::failed(error.failure())
}

/// Work on many files, off the threads that other runs need.
async fn off<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, NodeError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done.map_err(failed),
        Err(error) => Err(NodeError::msg(error.to_string())),
    }
}

pub(crate) async fn scan(
    state: Snap<DocState>,
    services: Res<Services>,
) -> Result<DocStateUpdate, NodeError> {
    let (services, asked) = (services.0.clone(), state.request.clone());
    off(move || {
        let request = services.settings.allowed(&asked)?;
        services.spares_analyses(&request)?;
        let facts = services.scan(&request)?;
        let update = DocState::update()
            .digest(plan::digest(&facts))
            .outcome(None);
        Ok(match request == asked {
            true => update,
            false => update.request(request),
        })
    })
    .await
}

pub(crate) async fn plan(
    state: Snap<DocState>,
    services: Res<Services>,
) -> Result<DocStateUpdate, NodeError> {
    let (services, state) = (services.0.clone(), state.clone());
    off(move || {
        let request = services.settings.allowed(&state.request)?;
        let context = services.context(&request)?;
        let old = Metadata::read(&request.output).ok().flatten();
        let (plan, kept) = services.plan(&request, &context, old.as_ref(), &state.results)?;
        Ok(DocState::update().plan(plan).overwrite_results(kept))
    })
    .await
}

pub(crate) async fn execute(
    state: Snap<DocState>,
    services: Res<Services>,
    batch: Res<Graph<BatchState, BatchNode>>,
    ctx: Ctx,
) -> Result<DocStateUpdate, NodeError> {
    let names = state.plan.iter().filter(|it| !it.is_kept);
    let names: Vec<String> = names.map(|it| it.name.clone()).collect();
    if names.is_empty() || state.request.no_model || services.models.is_none() {
        return Ok(DocState::update());
    }
    let request = services.settings.allowed(&state.request).map_err(failed)?;
    {
        // Before anything is paid for.
        let (services, request) = (services.0.clone(), request.clone());
        off(move || services.can_write(&request)).await?;
    }
    // Somebody may have set another key since.
    superstep::sync::lock(&services.refusals).clear();
    let mut shared: BTreeMap<String, Vec<String>> = BTreeMap::new();
    if services.settings.share_questions {
        let old = Metadata::read(&request.output).ok().flatten();
        for agent in &services.settings.agents {
            let questions = agent.similar().iter().filter_map(|name| {
                let result = state.results.get(*name);
                result.or_else(|| old.as_ref()?.agent(name))
            });
            let questions =
                questions.flat_map(|it| it.metadata.self_questions.iter().take(5).cloned());
            shared.insert(agent.name().to_owned(), questions.collect());
        }
    }
    let input = BatchState::update()
        .request(request)
        .names(names)
        .shared(shared);
    let done = ctx.run(&batch, input).await?;
    Ok(DocState::update().results(done.results.clone()))
}

pub(crate) async fn start(state: Snap<BatchState>) -> Command<BatchState, BatchNode> {
    let names = state.names.iter();
    names.fold(Command::default(), |command, name| {
        command.and_send(BatchNode::Agent, name)
    })
}

/// One agent, as a call of its own, so that traces show it by its name.
pub(crate) async fn agent(
    Input(name): Input<String>,
    state: Snap<BatchState>,
    services: Res<Services>,
    ctx: Ctx,
) -> Result<BatchStateUpdate, NodeError> {
    let work = Work {
        services: services.0.clone(),
        request: services.settings.allowed(&state.request).map_err(failed)?,
        questions: state.shared.get(&name).cloned().unwrap_or_default(),
    };
    let call = Call::new(format!("Agent-{name}"), move |ctx: Ctx, name: String| {
        let work = work.clone();
        async move { work.run(&ctx, &name).await }
    });
    let result = ctx.call(&call, name.clone()).await?;
    Ok(BatchState::update().results(BTreeMap::from([(name, result)])))
}

/// What an agent needs.
#[derive(Clone)]
struct Work {
    services: Arc<Services>,
    request: Request,
    questions: Vec<String>,
}

impl Work {
    async fn run(&self, ctx: &Ctx, name: &str) -> Result<AgentResult, NodeError> {
        let services = &self.services;
        // A task that waits for its call lets others of its node begin, so they are counted here.
        let _turn = services.turns.acquire().await?;
        let unknown = || {
            failed(Error::UnknownAgent {
                name: name.to_owned(),
                near: String::new(),
            })
        };
        let agent = services.settings.agents.iter().find(|it| it.name() == name);
        let agent = agent.cloned().ok_or_else(unknown)?;
        let model = services.model(name).ok_or_else(unknown)?;
        let spent = services.spent(&self.request, name, true);
        let model = Arc::new(Watched::new(model, spent, services.refusals.clone()));
        let old = Metadata::read(&self.request.output).ok().flatten();
        let config = services.config(name, old.as_ref());
        let context = {
            let (services, request) = (services.clone(), self.request.clone());
            off(move || services.context(&request)).await?
        };
        let (plain, model_name) = (services.config(name, None), services.model_name(name));
        let keys = Keys::of(
            &*agent, &context, &plain, &model_name, services.settings.tools,
        );
        let earlier = match self.request.force {
            true => None,
            false => old.and_then(|old| {
                let inputs = metadata::inputs(&self.request.output);
                earlier::to_update(&*agent, &old, &inputs, &keys, &context)
            }),
        };
        let workflow = Workflow::new(
            agent,
            model,
            context,
            config,
            services.settings.tools,
            Nesting::Nested,
        )?;
        let input = workflow.input(self.questions.clone(), earlier);
        let done = ctx.run(workflow.graph(), input).await?;
        Ok(workflow.result(&done, &keys))
    }
}

/// Runs in place of an agent that failed for good: the others continue.
pub(crate) async fn give_up(
    Input(name): Input<String>,
    state: Snap<BatchState>,
    services: Res<Services>,
    failed: Failed<BatchNode>,
) -> Result<BatchStateUpdate, NodeError> {
    let why = superstep::text::single_line(&failed.error.message);
    let why: String = why.chars().take(500).collect();
    let why = match why.is_empty() {
        true => "it ended without saying why".to_owned(),
        false => why,
    };
    let request = services.settings.allowed(&state.request);
    let context = match &request {
        Ok(request) => services.context(request).ok(),
        Err(_) => None,
    };
    let mut result = AgentResult {
        agent_name: name.clone(),
        status: Status::Failed,
        warnings: vec![why],
        ..AgentResult::default()
    };
    result.metadata.code = failed.error.code.clone();
    if let Ok(request) = &request {
        // What it took is paid, also if there is nothing to show for it.
        let spent = services.spent(request, &name, false);
        result.metadata.usage = *superstep::sync::lock(&spent);
    }
    let agent = services.settings.agents.iter().find(|it| it.name() == name);
    if let (Some(agent), Some(context)) = (agent, context) {
        result.summary = "It failed; facts alone".to_owned();
        result.markdown = pages::page(&**agent, &context.facts, &result);
    }
    Ok(BatchState::update().results(BTreeMap::from([(name, result)])))
}

pub(crate) async fn aggregate(
    state: Snap<DocState>,
    services: Res<Services>,
    ctx: Ctx,
) -> Result<DocStateUpdate, NodeError> {
    let span = ctx
        .span(SpanKind::Chain, "link_check and write", Value::default)
        .await;
    let (services, state) = (services.0.clone(), state.clone());
    let done = off(move || aggregate::aggregate(&services, &state)).await;
    match &done {
        Ok(outcome) => {
            let files = u64::try_from(outcome.files.len()).unwrap_or(u64::MAX);
            span.end(|| SpanEnd::from(Value::from(counted(files, "file"))))
                .await;
        }
        Err(error) => span.fail("SS7804", error).await,
    }
    let outcome = done?;
    Ok(DocState::update().outcome(Some(outcome)))
}
