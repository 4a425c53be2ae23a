//! `superstep sheet`: instructions on spreadsheets, step by step.
//!
//! `options` opens the agent with its settings, models and versions, `session` runs threads, `exec` and `file` work
//! on files without a model, `sandbox` opens what contains programs, `prune` deletes what no thread uses,
//! `moved_in` takes in workbooks of earlier releases.

mod exec;
mod file;
mod moved_in;
mod options;
mod prune;
mod sandbox;
mod session;

use std::path::{Path, PathBuf};

use superstep::{Provenance, model::select::DataOwner, tools::Verdict};
use superstep_sheets::{Sheets, SheetsSession, result_file, result_file_of, workbook::Overwrite};

use crate::{
    agents::Agent,
    app::App,
    args::{Global, SheetCommand, SheetRun, SheetVerdict},
    consent::{self, Agreement},
    database, environment,
    error::Error,
    private::AsPrivateAs,
    resumed::{OpenedThread, StoredThread},
    thread_reader::ThreadReader,
};

pub(crate) use options::check_sandbox;
pub(crate) use sandbox::{WORKER, tried};

use options::OpenedSheets;
use session::SheetThread;

pub(crate) async fn run(mut command: SheetCommand, app: &mut App<'_>) -> Result<(), Error> {
    if let SheetCommand::Save { thread, .. } = &mut command {
        *thread = ThreadReader::open(app.global)?.named(thread).await?;
    }
    let input = match &command {
        SheetCommand::Run { workbook, .. }
        | SheetCommand::Exec { workbook, .. }
        | SheetCommand::Recalc { workbook, .. } => Some(workbook.clone()),
        SheetCommand::Continue { thread, .. }
        | SheetCommand::Answer { thread, .. }
        | SheetCommand::Save { thread, .. } => {
            require(thread, app).await?;
            if !matches!(command, SheetCommand::Save { .. }) {
                let reader = ThreadReader::open_to_change(app.global)?;
                reader.take_input(Agent::SHEETS, thread).await?;
            }
            input_of(thread, app.global).await?
        }
        SheetCommand::State { .. } | SheetCommand::Prune => None,
    };
    let _rights = input.as_deref().map(AsPrivateAs::new);
    match command {
        SheetCommand::Run { workbook, what } => {
            let output = output(&workbook, &what)?;
            let content = environment::content_at(app.global, &workbook)?;
            let opened = options::open(&what, &content, app).await?;
            let thread = Agent::SHEETS.new_thread(&*opened.saver).await?;
            let session = SheetThread::new(opened.agent, thread, output, what.force);
            session.begin(&what.instruction, &workbook, app).await
        }
        SheetCommand::Continue { thread, what } => go_on(thread, &what, app).await,
        SheetCommand::Answer {
            thread,
            verdict,
            say,
            question,
        } => {
            let verdict = match (verdict, say) {
                (SheetVerdict::Accept, None) => Verdict::Accept,
                (SheetVerdict::Refuse, None) => Verdict::Ignore,
                (SheetVerdict::Refuse, Some(words)) => Verdict::Response(words),
                (SheetVerdict::Accept, Some(_)) => {
                    return Err(Error::Usage("--say belongs to a refusal".into()));
                }
            };
            let agreement = consent::to_run(Agent::SHEETS, &thread, app).await?;
            let (agent, output) = known(&thread, &agreement, app).await?;
            agreement.store().await?;
            let session = SheetThread::new(agent, thread, output, false);
            session.answer(verdict, question.as_deref(), app).await
        }
        SheetCommand::Save { thread, at, to } => file::save(&thread, at.as_deref(), &to, app).await,
        SheetCommand::Exec {
            workbook,
            code,
            output,
            force,
            dry_run: _,
            sandbox,
        } => {
            let program = exec::Exec {
                workbook,
                code,
                output,
                overwrite: overwrite(force),
                sandbox,
            };
            exec::run(&program, app).await
        }
        SheetCommand::Recalc { workbook, to } => file::recalc(&workbook, &to, app).await,
        SheetCommand::State {
            workbook,
            tokens,
            sql,
            tables,
        } => file::state(&workbook, tokens, sql.as_deref(), tables, app),
        SheetCommand::Prune => prune::run(app).await,
    }
}

/// The meaning of `--force`.
fn overwrite(force: bool) -> Overwrite {
    match force {
        true => Overwrite::Replace,
        false => Overwrite::Never,
    }
}

/// The file of the result of a run; none in a dry run.
fn output(workbook: &Path, what: &SheetRun) -> Result<Option<PathBuf>, Error> {
    let (named, overwrite) = (what.output.as_deref(), overwrite(what.force));
    match what.dry_run {
        true => Ok(None),
        false => Ok(Some(result_file(workbook, named, overwrite)?)),
    }
}

/// The agent as a server hosts it. It works on workbooks that were uploaded, by their hashes.
pub(crate) async fn hosted(app: &mut App<'_>) -> Result<Sheets, Error> {
    moved_in::uploads(app.global).await?;
    let content = environment::content_of_server();
    let opened = options::open(&SheetRun::default(), &content, app).await?;
    Ok(opened.agent)
}

/// The agent for a thread that is resumed. What it writes is as private as the workbook.
pub(crate) async fn opened(
    thread: &StoredThread<'_>,
    app: &mut App<'_>,
) -> Result<OpenedThread, Error> {
    let input = input_of(thread.name, app.global).await?;
    let rights = input.as_deref().map(AsPrivateAs::new);
    let (agent, output) = known(thread.name, thread.agreement, app).await?;
    let session = SheetsSession::new(agent, output, Overwrite::Never);
    Ok((Box::new(session), Box::new(rights)))
}

/// The agent for a thread that is there, and its result's file. That is where the thread says, unless somebody else may
/// have said so.
async fn known(
    thread: &str,
    agreement: &Agreement,
    app: &mut App<'_>,
) -> Result<(Sheets, Option<PathBuf>), Error> {
    let what = SheetRun::default();
    let content = content_of(thread, app.global).await?;
    let OpenedSheets { agent, .. } = options::open(&what, &content, app).await?;
    let output = match agreement.is_foreign() {
        true => None,
        false => {
            let state = agent.graph().state(thread).await?.state;
            result_file_of(&state.problem, thread)
        }
    };
    Ok((agent, output))
}

/// Where the workbook of a thread was; unknown for a foreign thread.
async fn input_of(thread: &str, global: &Global) -> Result<Option<PathBuf>, Error> {
    let backends = database::read_only(global)?;
    let provenance = Provenance::new(backends.store.clone().ok_or(Error::NoSaver)?);
    if provenance.find(&thread.into()).await?.is_some() {
        return Ok(None);
    }
    let agent = Sheets::reader(backends)?;
    let state = agent.graph().state(thread).await?.state;
    Ok(state.problem.input.as_ref().map(PathBuf::from))
}

/// Whose data a thread holds: the project's if its workbook was there.
async fn content_of(thread: &str, global: &Global) -> Result<DataOwner, Error> {
    match input_of(thread, global).await? {
        Some(input) => environment::content_at(global, &input),
        None => Ok(DataOwner::Elsewhere(
            "the thread has no workbook of the project".into(),
        )),
    }
}

async fn require(thread: &str, app: &App<'_>) -> Result<(), Error> {
    let agent = ThreadReader::open(app.global)?.agent(thread).await?;
    match agent == Agent::SHEETS {
        true => Ok(()),
        false => Err(Error::Usage(format!(
            "`{thread}` is no thread of sheets, but of {}",
            agent.name()
        ))),
    }
}

async fn go_on(thread: String, what: &SheetRun, app: &mut App<'_>) -> Result<(), Error> {
    let content = content_of(&thread, app.global).await?;
    let OpenedSheets { agent, .. } = options::open(what, &content, app).await?;
    let agreement = consent::to_run(Agent::SHEETS, &thread, app).await?;
    agreement.store().await?;
    let state = agent.graph().state(&*thread).await?;
    if let Some(ask) = state.asks.first() {
        let session = SheetThread::new(agent, thread, None, false);
        return Err(session.waits(ask, app)?);
    }
    let known = state.state.problem.input.as_deref();
    let known = known.filter(|_| !agreement.is_foreign());
    let output = match known {
        Some(input) => output(input.as_ref(), what)?,
        None => what.output.clone(),
    };
    let session = SheetThread::new(agent, thread, output, what.force);
    session.instruct(&state.state, &what.instruction, app).await
}
