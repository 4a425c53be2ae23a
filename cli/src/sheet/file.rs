//! Commands on files: the workbook of a thread, the values of formulas, a description.

use std::path::Path;

use serde_json::json;
use superstep_agent::Console as _;
use superstep_sheets::{
    Mirror, QueryLimits, Sheets, SheetsState, calculated_notice, check_result_name,
    description_notice, refuse_input, rows_notice, tables_notices,
    workbook::{Limits, Workbook, save as write},
    written_notice,
};

use super::{moved_in, overwrite, sandbox};
use crate::{
    agents::Agent,
    app::App,
    args::SheetOutput,
    console::TerminalConsole,
    error::{Error, InFile},
    output::shown,
    thread_reader::ThreadReader,
};

/// Writes the workbook of a thread.
pub(super) async fn save(
    thread: &str,
    at: Option<&str>,
    to: &SheetOutput,
    app: &mut App<'_>,
) -> Result<(), Error> {
    check_result_name(&to.output)?;
    let reader = ThreadReader::open(app.global)?;
    if reader.agent(thread).await? != Agent::SHEETS {
        return Err(Error::Usage(format!("`{thread}` has no workbook")));
    }
    let graph = reader.graph_of(Agent::SHEETS)?;
    // A number is that of a step, as progress shows it; the engine counts its own steps, which nobody saw.
    let step = at.and_then(|text| text.parse::<u32>().ok().filter(|_| text.len() < 8));
    let at = at.filter(|_| step.is_none());
    let snapshot = reader.snapshot(&graph, thread, at).await?;
    let mut state = serde_json::to_value(&snapshot.values)
        .and_then(serde_json::from_value::<SheetsState>)
        .map_err(std::io::Error::from)?;
    if let Some(step) = step {
        state.version = match state.version_at(step) {
            Some(version) => version.to_owned(),
            None => return Err(no_step(thread, step, state.taken())),
        };
    }
    moved_in::versions(app.global).await?;
    let agent = Sheets::reader(reader.backends().clone())?;
    agent.save(&state, &to.output, overwrite(to.force)).await?;
    let about = json!({"thread": thread, "version": state.version, "step": step});
    TerminalConsole::new(app).show(&written_notice(about, &to.output))
}

fn no_step(thread: &str, step: u32, taken: u32) -> Error {
    let taken = match taken {
        0 => "it has taken none".to_owned(),
        1 => "it has taken 1".to_owned(),
        taken => format!("it has taken {taken}"),
    };
    Error::Missing {
        what: shown(format!("thread `{thread}` has no step {step}: {taken}")),
        hint: "--at 0 is the workbook as it was given; without --at it is as it is now",
    }
}

/// Calculates the formulas of a file.
pub(super) async fn recalc(
    workbook: &Path,
    to: &SheetOutput,
    app: &mut App<'_>,
) -> Result<(), Error> {
    refuse_input(workbook, &to.output)?;
    check_result_name(&to.output)?;
    let book = opened(workbook)?;
    let calculator = sandbox::calculator()?;
    let calculated = tokio::select! {
        calculated = calculator.calculate(&book) => calculated.map_err(sheet_error)?,
        () = app.terminal.ctrl_c() => return Err(Error::Cancelled),
    };
    let (done, calculation) = book.write_with(Ok(calculated)).map_err(sheet_error)?;
    write(&to.output, &done.bytes, overwrite(to.force)).map_err(sheet_error)?;
    let notice = calculated_notice(&calculation, &to.output);
    TerminalConsole::new(app).show(&notice)
}

/// Describes a file, or queries it.
pub(super) fn state(
    workbook: &Path,
    tokens: usize,
    sql: Option<&str>,
    tables: bool,
    app: &mut App<'_>,
) -> Result<(), Error> {
    let book = opened(workbook)?;
    if sql.is_none() && !tables {
        return TerminalConsole::new(app).show(&description_notice(&book, tokens));
    }
    let limits = QueryLimits {
        rows: 1_000,
        bytes: 1 << 20,
        text: 32_767,
        ..QueryLimits::default()
    };
    let mirror = Mirror::of(&book, limits)?;
    let notices = match sql {
        Some(sql) => vec![rows_notice(&mirror.query(sql)?)],
        None => tables_notices(&mirror),
    };
    let mut console = TerminalConsole::new(app);
    notices.iter().try_for_each(|notice| console.show(notice))
}

/// A workbook, or what is wrong with its file.
fn opened(workbook: &Path) -> Result<Workbook, Error> {
    Workbook::open(workbook, &Limits::default()).map_err(|error| {
        let file = shown(workbook.display());
        let error = superstep_sheets::Error::from(error);
        // Some say themselves which file it is.
        match error.to_string().contains(&file) {
            true => error.into(),
            false => InFile { file, error }.into(),
        }
    })
}

fn sheet_error(error: superstep_sheets::workbook::Error) -> Error {
    superstep_sheets::Error::from(error).into()
}
