//! `superstep sheet exec`: one program on one workbook, without a model.

use std::path::{Path, PathBuf};

use serde_json::json;
use superstep_sheets::{
    Execution, refuse_input,
    sandbox::Limits,
    session::{LISTED, tables, warnings},
    workbook::{Overwrite, save},
};

use super::{file, options, sandbox};
use crate::{
    app::App,
    console,
    error::Error,
    output::{Form, Output, bad, faint, good, plain},
};

/// What is run, and where its result goes.
pub(super) struct Exec {
    pub(super) workbook: PathBuf,
    pub(super) code: PathBuf,
    pub(super) output: Option<PathBuf>,
    pub(super) overwrite: Overwrite,
    pub(super) sandbox: Option<String>,
}

/// The largest program, in bytes.
const LARGEST: u64 = 1 << 20;

/// How much of what a program prints is kept, in bytes.
const PRINTED: usize = 16 << 20;

pub(super) async fn run(what: &Exec, app: &mut App<'_>) -> Result<(), Error> {
    if let Some(output) = &what.output {
        refuse_input(&what.workbook, output)?;
        file::check_name(output)?;
        if what.overwrite == Overwrite::Never && output.symlink_metadata().is_ok() {
            let path = output.display();
            return Err(Error::Usage(format!(
                "`{path}` exists; --force replaces it"
            )));
        }
    }
    let code = code(&what.code, app).await?;
    let (opened, limits) = options::programs(what.sandbox.as_deref(), app.global)?;
    // A person reads it, or a file takes it; no model has to.
    let limits = Limits {
        output: PRINTED,
        ..limits
    };
    let calculator = sandbox::calculator()?;
    let running = Execution::run(&*opened, &code, &what.workbook, limits);
    let ran = tokio::select! {
        ran = running => ran?,
        () = app.terminal.ctrl_c() => return Err(Error::Cancelled),
    };
    // Also of a program that failed: what it printed says how far it came.
    if app.output.form == Form::Text {
        printed(ran.printed(), app.output)?;
    }
    let (stdout, dropped) = ran.printed();
    let about = json!({
        "sandbox": opened.name(), "failed": true, "stdout": stdout, "stdout_dropped": dropped,
    });
    let done = tokio::select! {
        done = ran.finish(Some(&calculator)) => done,
        () = app.terminal.ctrl_c() => return Err(Error::Cancelled),
    };
    if done.is_err() && app.output.form == Form::Json {
        app.output.json(&about)?;
    }
    let done = done?;
    if let Some(output) = &what.output {
        save(output, &done.bytes, what.overwrite).map_err(superstep_sheets::Error::from)?;
    }
    let output = app.output;
    if output.form == Form::Json {
        let mut changes = done.changes;
        changes.cells.truncate(LISTED);
        changes.formats.truncate(LISTED);
        return output.json(&json!({
            "sandbox": opened.name(),
            "output": what.output.as_deref().map(Path::display).map(|it| it.to_string()),
            "stdout": done.stdout,
            "stdout_dropped": done.stdout_dropped,
            "took_ms": done.took.as_millis(),
            "changes": changes,
            "warnings": done.warnings,
            "calculation": done.calculation,
        }));
    }
    for line in done.changes.to_string().lines() {
        output.note(&[faint(line)]);
    }
    console::print(&tables(&done.book, &done.changes), app)?;
    if let Some(why) = done.calculation.told() {
        output.say(&[bad("formulas are not calculated: "), plain(why)]);
    }
    console::print(&warnings(&done.warnings), app)?;
    if !done.warnings.is_empty() {
        let about = "write these anew in the program, or run it with --sandbox embedded, which moves and keeps them";
        output.say(&[faint(about)]);
    }
    match &what.output {
        Some(path) => output.note(&[good("written "), plain(path.display())]),
        None => output.note(&[faint("nothing was written")]),
    }
    Ok(())
}

/// The text of the program: a file, or what is piped in.
async fn code(file: &Path, app: &mut App<'_>) -> Result<String, Error> {
    if file.as_os_str() != "-" {
        return superstep::fs::read_text(file, LARGEST)
            .map_err(|error| Error::Usage(format!("{}: {error}", file.display())));
    }
    let piped = app.terminal.piped_text().await?;
    let code = piped
        .ok_or_else(|| Error::Usage("`--code -` is what is piped in, and nothing is".into()))?;
    match code.len() as u64 > LARGEST {
        true => Err(Error::Usage(format!(
            "the program is longer than {} MiB",
            LARGEST >> 20
        ))),
        false => Ok(code),
    }
}

/// What a program printed, and how much of it is not there.
fn printed((text, dropped): (&str, u64), output: &Output) -> Result<(), Error> {
    for line in text.lines() {
        output.data(&[plain(line)])?;
    }
    if dropped > 0 {
        output.say(&[bad(format!(
            "the program printed {dropped} bytes more, which are kept nowhere: {} MiB are, let it print less",
            PRINTED >> 20
        ))]);
    }
    Ok(())
}
