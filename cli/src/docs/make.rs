//! `superstep docs PATH`: a new run, or the rest of one that was interrupted.

use superstep::{RunQuery, RunRecord, Update as _, Value};
use superstep_agent::{Answers, Console as _, Next};
use superstep_docgen::{Docgen, DocsSession, Request, forecast_notice};

use super::options;
use crate::{
    agents::Agent,
    app::App,
    args::MakeDocs,
    consent,
    console::{self, TerminalConsole},
    database, environment,
    error::Error,
    output::faint,
    resumed::{OpenedThread, StoredThread},
};

pub(super) async fn run(make: &MakeDocs, app: &mut App<'_>) -> Result<(), Error> {
    let Some(path) = &make.path else {
        return Err(Error::Usage(
            "name the folder to document: superstep docs PATH".into(),
        ));
    };
    let mut request = Request::new(path, make.output.as_deref())?;
    request.no_model = make.no_model;
    request.since.clone_from(&make.since);
    request.force = make.force;
    request.approve_above = make.approve_above;
    let content = environment::content_at(app.global, &request.root)?;
    let opened = options::open(make, &content, None, app).await?;
    if make.dry_run {
        let forecast = opened.docgen.forecast(&request)?;
        let notice = forecast_notice(&forecast, &request, |agent| opened.price(agent));
        return TerminalConsole::new(app).show(&notice);
    }
    let docgen = &opened.docgen;
    let thread = docgen.known_thread(&request.root, &request.output).await;
    let agreement = consent::to_run(Agent::DOCS, &thread, app).await?;
    agreement.store().await?;
    let state = opened.docgen.graph().state(&*thread).await.ok();
    // What a killed process left is gone on with if it is the same work; open questions are asked.
    let settings = opened.docgen.settings();
    let is_same = state.as_ref().is_some_and(|it| {
        let planned = it.state.plan.iter().map(|agent| agent.name.as_str());
        let chosen = settings.agents.iter().map(|agent| agent.name());
        let is_planned = it.state.plan.is_empty() || planned.eq(chosen);
        it.state.request == request && is_planned && !it.next.is_empty()
    });
    let next = match state.filter(|_| is_same) {
        Some(state) => match state.asks.into_iter().next() {
            Some(ask) => Next::Ask(ask),
            None => {
                app.output.note(&[faint("resuming the last run")]);
                Next::Resume
            }
        },
        None => Next::Input(opened.docgen.document(request).into_value()),
    };
    let mut session = DocsSession::new(opened.docgen, kept(make));
    let answers = (Answers::person(), None);
    console::talk(&mut session, &thread, answers, next, app).await
}

/// The agents for a thread that is resumed, with the flags of the command that began it.
pub(crate) async fn opened(
    thread: &StoredThread<'_>,
    app: &mut App<'_>,
) -> Result<OpenedThread, Error> {
    let reader = Docgen::reader(database::read_only(app.global)?)?;
    if thread.is_done {
        // Made again it would be paid for again.
        let session = DocsSession::new(reader, Value::Null);
        return Ok((Box::new(session), Box::new(())));
    }
    let (name, agreement) = (thread.name, thread.agreement);
    let state = reader.graph().state(name).await?.state;
    let request = &state.request;
    agreement.permit(&request.root)?;
    agreement.permit(&request.output)?;
    let last = RunQuery {
        limit: Some(1),
        ..RunQuery::default()
    };
    let runs = reader.graph().runs(name, &last).await?;
    // Flags are metadata of the run, which callers over HTTP write too.
    let runs = runs.first().filter(|_| !agreement.is_foreign());
    let mut make = runs.map(flags).unwrap_or_default();
    make.no_model = request.no_model;
    make.approve_above = request.approve_above;
    if !state.plan.is_empty() {
        make.agents = state.plan.iter().map(|it| it.name.clone()).collect();
    }
    let content = environment::content_at(app.global, &request.root)?;
    let opened = options::open(&make, &content, None, app).await?;
    let session = DocsSession::new(opened.docgen, kept(&make));
    Ok((Box::new(session), Box::new(())))
}

/// Where the flags of a command are in the metadata of its run.
const FLAGS: &str = "docs";

/// The flags of a command, as its run keeps them.
fn kept(make: &MakeDocs) -> Value {
    let mut make = make.clone();
    // Whoever resumes the run may do it from another folder.
    let file = make.agents_file.take();
    make.agents_file = file.map(|file| std::path::absolute(&file).unwrap_or(file));
    Value::from(serde_json::json!({ FLAGS: make }))
}

/// The flags of the command that made a run, as far as this version knows them.
fn flags(run: &RunRecord) -> MakeDocs {
    let mut metadata = run.metadata.to_json();
    let flags = metadata.get_mut(FLAGS).map(serde_json::Value::take);
    flags
        .and_then(|flags| serde_json::from_value(flags).ok())
        .unwrap_or_default()
}
