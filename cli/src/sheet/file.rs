//! Commands on files: the workbook of a thread, the values of formulas, a description.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::json;
use superstep::Backends;
use superstep_sheets::{
    Mirror, Problem, QueryLimits, Sheets, SheetsState, refuse_input,
    workbook::{Calculation, Limits, Overwrite, Workbook, save as write},
};

use super::{options::versions, sandbox};
use crate::{
    agents::Agent,
    app::App,
    args::{SheetOutput, SheetRun},
    error::{Error, InFile},
    output::{Form, bad, count, good, plain, shown, strong},
    thread_reader::ThreadReader,
};

/// How many names are tried for a result.
const NAMES: u32 = 1_000;

/// Where the result of a run goes: where it is said, or beside the workbook under a name that is free.
pub(super) fn output(workbook: &Path, what: &SheetRun) -> Result<Option<PathBuf>, Error> {
    if what.dry_run {
        return Ok(None);
    }
    if let Some(output) = &what.output {
        refuse_input(workbook, output)?;
        check_name(output)?;
        if output.exists() && !what.force {
            let path = output.display();
            return Err(Error::Usage(format!(
                "`{path}` exists; --force replaces it"
            )));
        }
        return Ok(Some(output.clone()));
    }
    let stem = workbook.file_stem().unwrap_or_default().to_string_lossy();
    let mut names = (1..=NAMES).map(|number| {
        let name = match number {
            1 => format!("{stem}-result.xlsx"),
            number => format!("{stem}-result-{number}.xlsx"),
        };
        workbook.with_file_name(name)
    });
    let free = names.find(|path| !path.exists());
    free.map(Some)
        .ok_or_else(|| Error::Usage("name a file for the result with -o".into()))
}

/// Where the result of a thread goes. A copy of a thread has the file of the thread that it was copied from in its
/// state; its own is beside that.
pub(super) fn of_thread(problem: &Problem, thread: &str) -> Option<PathBuf> {
    let output = PathBuf::from(problem.output.as_ref()?);
    match &problem.thread {
        Some(first) if first != thread => {
            let stem = output.file_stem().unwrap_or_default().to_string_lossy();
            // The name of a thread may be that of a folder; the file stays beside the other one.
            let name: String = thread
                .chars()
                .map(
                    |c| match c.is_alphanumeric() || matches!(c, '-' | '_' | '.') {
                        true => c,
                        false => '_',
                    },
                )
                .collect();
            Some(output.with_file_name(format!("{stem}-{name}.xlsx")))
        }
        _ => Some(output),
    }
}

/// Refuses a result under a name that says it is something else.
pub(super) fn check_name(output: &Path) -> Result<(), Error> {
    let ending = output.extension().unwrap_or_default();
    match ending.eq_ignore_ascii_case("xlsx") {
        true => Ok(()),
        false => Err(Error::Usage(format!(
            "`{}` does not end with .xlsx, and the result is such a file",
            output.display()
        ))),
    }
}

/// Writes the workbook of a thread.
pub(super) async fn save(
    thread: &str,
    at: Option<&str>,
    to: &SheetOutput,
    app: &mut App<'_>,
) -> Result<(), Error> {
    check_name(&to.output)?;
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
    let agent = Sheets::reader(Arc::new(versions(app.global)?), Backends::default())?;
    agent.save(&state, &to.output, overwrite(to)).await?;
    let about = json!({"thread": thread, "version": state.version, "step": step});
    written(to, about, app)
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
    check_name(&to.output)?;
    let book = opened(workbook)?;
    let calculator = sandbox::calculator()?;
    let calculated = tokio::select! {
        calculated = calculator.calculate(&book) => calculated.map_err(sheet_error)?,
        () = app.terminal.ctrl_c() => return Err(Error::Cancelled),
    };
    let (done, calculation) = book.write_with(Ok(calculated)).map_err(sheet_error)?;
    write(&to.output, &done.bytes, overwrite(to)).map_err(sheet_error)?;
    let (formulas, changed) = match &calculation {
        Calculation::Done {
            formulas, changed, ..
        } => (*formulas, *changed),
        _ => (0, 0),
    };
    let mut about = serde_json::to_value(&calculation).map_err(std::io::Error::from)?;
    if let Some(fields) = about.as_object_mut() {
        fields.remove("calculation");
    }
    if app.output.form == Form::Text {
        app.output.data(&[plain(format!(
            "{}, {} new",
            count(formulas, "formula"),
            count(changed, "value")
        ))])?;
        if let Some(why) = calculation.told() {
            app.output
                .say(&[bad("some are not calculated: "), plain(why)]);
        }
    }
    written(to, about, app)
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
        let text = book.state(tokens);
        if app.output.form == Form::Json {
            return app.output.json(&json!({"state": text}));
        }
        return text
            .lines()
            .try_for_each(|line| app.output.data(&[plain(line)]));
    }
    let limits = QueryLimits {
        rows: 1_000,
        bytes: 1 << 20,
        text: 32_767,
        ..QueryLimits::default()
    };
    let mirror = Mirror::of(&book, limits)?;
    let Some(sql) = sql else {
        if app.output.form == Form::Json {
            return mirror.tables().iter().try_for_each(|table| {
                app.output.json(&json!({
                    "table": table.name, "columns": table.columns, "rows": table.rows,
                    "sheet": table.sheet, "area": table.area.to_string(),
                }))
            });
        }
        let schema = mirror.schema();
        return schema
            .lines()
            .try_for_each(|line| app.output.data(&[plain(line)]));
    };
    let rows = mirror.query(sql)?;
    if app.output.form == Form::Json {
        return app.output.json(&json!({
            "columns": rows.columns, "rows": rows.rows, "is_cut": rows.is_cut,
        }));
    }
    app.output.data(&[strong(rows.columns.join("  "))])?;
    for row in &rows.rows {
        let fields: Vec<String> = row.iter().map(ToString::to_string).collect();
        app.output.data(&[plain(fields.join("  "))])?;
    }
    if rows.is_cut {
        app.output.say(&[plain("there are more rows")]);
    }
    Ok(())
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

fn overwrite(to: &SheetOutput) -> Overwrite {
    match to.force {
        true => Overwrite::Replace,
        false => Overwrite::Never,
    }
}

fn written(to: &SheetOutput, mut about: serde_json::Value, app: &App<'_>) -> Result<(), Error> {
    let path = to.output.display().to_string();
    if app.output.form == Form::Json {
        if let Some(fields) = about.as_object_mut() {
            fields.insert("output".into(), path.into());
        }
        return app.output.json(&about);
    }
    app.output.note(&[good("written "), plain(path)]);
    Ok(())
}

fn sheet_error(error: superstep_sheets::workbook::Error) -> Error {
    superstep_sheets::Error::from(error).into()
}
