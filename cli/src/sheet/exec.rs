//! `superstep sheet exec`: one program on one workbook, without a model.

use std::path::{Path, PathBuf};

use serde_json::json;
use superstep_sheets::{
    exec, refuse_input,
    workbook::{Overwrite, save},
};

use super::{file, options, sandbox, show};
use crate::{
    app::App,
    error::Error,
    output::{Form, bad, faint, good, plain},
};

/// What is run, and where its result goes.
pub(super) struct Program {
    pub(super) workbook: PathBuf,
    pub(super) code: PathBuf,
    pub(super) output: Option<PathBuf>,
    pub(super) overwrite: Overwrite,
    pub(super) sandbox: Option<String>,
}

/// The largest program, in bytes.
const LARGEST: u64 = 1 << 20;

pub(super) async fn run(what: &Program, app: &mut App<'_>) -> Result<(), Error> {
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
    let code = superstep::fs::read_text(&what.code, LARGEST)
        .map_err(|error| Error::Usage(format!("{}: {error}", what.code.display())))?;
    let (opened, limits) = options::programs(what.sandbox.as_deref(), app.global)?;
    let calculator = sandbox::calculator()?;
    let running = exec(&*opened, &code, &what.workbook, limits, Some(&calculator));
    let done = tokio::select! {
        done = running => done?,
        () = app.terminal.ctrl_c() => return Err(Error::Cancelled),
    };
    if let Some(output) = &what.output {
        save(output, &done.bytes, what.overwrite).map_err(superstep_sheets::Error::from)?;
    }
    let output = app.output;
    if output.form == Form::Json {
        let mut changes = done.changes;
        changes.cells.truncate(show::LISTED);
        changes.formats.truncate(show::LISTED);
        return output.json(&json!({
            "sandbox": opened.name(),
            "output": what.output.as_deref().map(Path::display).map(|it| it.to_string()),
            "stdout": done.stdout,
            "stdout_dropped": done.stdout_dropped,
            "took_ms": done.took.as_millis(),
            "changes": changes,
            "calculation": done.calculation,
        }));
    }
    for line in done.stdout.lines() {
        output.data(&[plain(line)])?;
    }
    for line in done.changes.to_string().lines() {
        output.say(&[faint(line)]);
    }
    show::tables(&done.book, &done.changes, output)?;
    if let Some(why) = done.calculation.told() {
        output.say(&[bad("formulas are not calculated: "), plain(why)]);
    }
    match &what.output {
        Some(path) => output.say(&[good("written "), plain(path.display())]),
        None => output.say(&[faint("nothing was written")]),
    }
    Ok(())
}
