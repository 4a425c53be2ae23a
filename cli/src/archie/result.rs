//! Result of a thread, on stdout and in a file.

use std::path::{Path, PathBuf};

use serde_json::json;
use superstep_archie::{
    Analysis, Flow, Trace,
    result::{self, Written},
};

use super::{name_of, screen::Screen};
use crate::{
    error::Error,
    output::{Output, bad, faint, plain, shown, strong},
};

/// Shows a result and writes it where it belongs. Writing it twice changes nothing.
pub(super) fn publish(
    state: &Analysis,
    out: Option<&Path>,
    screen: &mut Screen<'_>,
    output: &Output,
) -> Result<(), Error> {
    let text = state.analysis_output.as_deref().unwrap_or_default();
    if !screen.takes_streamed() {
        screen.whole(text)?;
    }
    screen.warn(text);
    let Some(path) = place(state, out) else {
        if screen.is_json() {
            screen.event("result", json!({"text": text}))?;
        }
        return Ok(());
    };
    let written = result::write(&path, text)?;
    if screen.is_json() {
        return screen.event("result", json!({"text": text, "path": path}));
    }
    let at = path.display();
    let what = name_of(state.current_flow);
    let older = match &written {
        Written::Replaced { older } => format!("; the previous one is {}", older.display()),
        _ => String::new(),
    };
    output.say(&[plain(format!("{what} is in ")), strong(at), faint(older)]);
    Ok(())
}

/// Shows the result of a thread that was done before. Its file is written if it is missing, as when the
/// process ended in between; one that says something else is newer, or somebody's work, and stays.
pub(super) fn publish_again(
    state: &Analysis,
    out: Option<&Path>,
    screen: &mut Screen<'_>,
    output: &Output,
) -> Result<(), Error> {
    let text = state.analysis_output.as_deref().unwrap_or_default();
    let other = place(state, None).filter(|path| out.is_none() && result::is_other(path, text));
    let Some(path) = other else {
        return publish(state, out, screen, output);
    };
    screen.whole(text)?;
    if screen.is_json() {
        return screen.event("result", json!({"text": text}));
    }
    output.say(&[
        plain("The thread was done before. "),
        strong(path.display()),
        plain(" says something else and stays as it is; --out FILE writes this result"),
    ]);
    Ok(())
}

/// Says where each figure and name of a result comes from.
pub(super) fn explain(traces: &[Trace], screen: &Screen<'_>, output: &Output) -> Result<(), Error> {
    if screen.is_json() {
        return screen.event("explain", json!({"traces": traces}));
    }
    for trace in traces {
        let item = strong(shown(&trace.item));
        let origins: Vec<String> = trace.origins.iter().map(shown).collect();
        match origins.is_empty() {
            true => output.data(&[
                faint("  "),
                item,
                bad(" is in no document, and you did not say it"),
            ])?,
            false => output.data(&[
                faint("  "),
                item,
                faint(format!(" is in {}", origins.join(", "))),
            ])?,
        }
    }
    Ok(())
}

/// The file of a result; an answer has none unless one is named.
fn place(state: &Analysis, out: Option<&Path>) -> Option<PathBuf> {
    if let Some(out) = out {
        return Some(out.to_owned());
    }
    let inputs = PathBuf::from(state.inputs.folder.as_deref()?);
    let folder = match inputs.is_dir() {
        true => inputs,
        false => inputs.parent()?.to_owned(),
    };
    match state.current_flow {
        Flow::Analysis => Some(folder.join(result::ANALYSIS)),
        Flow::BuildContext => {
            let name = state.context_name.as_deref().unwrap_or_default();
            Some(folder.join(result::context_file(name)))
        }
        Flow::Ask => None,
    }
}
