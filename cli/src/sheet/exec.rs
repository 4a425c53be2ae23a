//! `superstep sheet exec`: one program on one workbook, without a model.

use std::path::{Path, PathBuf};

use superstep_agent::Console as _;
use superstep_sheets::{
    Execution, check_result_name, executed_notice, printed_notice, refuse_input,
    sandbox::Limits,
    workbook::{Overwrite, save},
};

use super::{options, sandbox};
use crate::{app::App, console::TerminalConsole, error::Error, output::Form};

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
        check_result_name(output)?;
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
    // Also of a program that failed: its output says how far it came.
    let printed = printed_notice(&ran, opened.name(), PRINTED);
    if app.output.form == Form::Text {
        TerminalConsole::new(app).show(&printed)?;
    }
    let done = tokio::select! {
        done = ran.finish(Some(&calculator)) => done,
        () = app.terminal.ctrl_c() => return Err(Error::Cancelled),
    };
    if done.is_err() && app.output.form == Form::Json {
        TerminalConsole::new(app).show(&printed)?;
    }
    let done = done?;
    let output = what.output.as_deref();
    if let Some(output) = output {
        save(output, &done.bytes, what.overwrite).map_err(superstep_sheets::Error::from)?;
    }
    let notice = executed_notice(&done, opened.name(), output);
    TerminalConsole::new(app).show(&notice)
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
