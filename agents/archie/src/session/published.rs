//! Result of a thread, for the person and in a file.

use std::path::{Path, PathBuf};

use serde_json::json;
use superstep::model::Message;
use superstep_agent::{
    Block, Context, Notice, ResultFile, Weight, bad, faint, plain, shown, strong,
};

use super::question::{text, whole};
use crate::{
    error::Error,
    explain::Trace,
    result::{self, Written},
    state::{Analysis, Flow},
};

/// Shows a result and writes it where it belongs. Writing it twice changes nothing. `before` is the result that the thread
/// had before.
pub(super) fn publish(
    state: &Analysis,
    before: Option<&str>,
    out: Option<&Path>,
    is_read: bool,
) -> Result<Notice, Error> {
    let output = state.analysis_output.as_deref().unwrap_or_default();
    let mut blocks = text(output, is_read);
    let Some(path) = place(state, out) else {
        return Ok(Notice::named("result", json!({"text": output})).with(blocks));
    };
    let written = result::write(&path, output)?;
    let what = match state.current_flow {
        Flow::Analysis => "the analysis",
        Flow::BuildContext => "the context",
        Flow::Ask => "the answer",
    };
    let file = ResultFile::written(&path, what, "text/markdown");
    blocks.push(Block::File(Weight::Say, file));
    if let Written::Replaced { older } = written {
        let is_own = before.is_some_and(|before| !result::is_other(&older, before));
        let older = older.display();
        let line = faint(match is_own {
            true => format!("the previous one is {older}"),
            false => format!("the file that another conversation or a person wrote is now {older}"),
        });
        blocks.push(Block::Line(Weight::Say, vec![line]));
    }
    let event = json!({"text": output, "path": path.to_string_lossy()});
    Ok(Notice::named("result", event).with(blocks))
}

/// Shows the result of a thread that was done before. Its file is written if it is missing, as after a process that ended
/// too early. A file with another text is newer, or the work of a person, and stays.
pub(super) fn publish_again(state: &Analysis, out: Option<&Path>) -> Result<Notice, Error> {
    let output = state.analysis_output.as_deref().unwrap_or_default();
    let other = place(state, None).filter(|path| out.is_none() && result::is_other(path, output));
    let Some(path) = other else {
        return publish(state, None, out, false);
    };
    let mut blocks = whole(output);
    let line = vec![
        plain("The thread was done before. "),
        strong(path.display()),
        plain(" says something else and stays as it is; --out FILE writes this result"),
    ];
    blocks.push(Block::Line(Weight::Say, line));
    Ok(Notice::named("result", json!({"text": output})).with(blocks))
}

/// Shows a result without its file.
pub(super) fn reviewed(state: &Analysis) -> Notice {
    let output = state.analysis_output.as_deref().unwrap_or_default();
    Notice::named("result", json!({"text": output})).with(text(output, false))
}

/// A reply about a result that stays as it is.
pub(super) fn answered(state: &Analysis, is_read: bool) -> Notice {
    let reply = state.analysis_history.last().map(Message::text);
    let reply = reply.unwrap_or_default();
    Notice::named("result", json!({"text": reply})).with(text(&reply, is_read))
}

/// How a person asks about a result or changes it.
pub(super) fn revising(with: &Context) -> Notice {
    let command = with.command(&["ask", "--thread", &with.thread, "MESSAGE"]);
    let line = vec![faint("to ask about it or change it: "), plain(command)];
    Notice::people(vec![Block::Line(Weight::Note, line)])
}

/// The origin of each figure and name of a result.
pub(super) fn explained(traces: &[Trace]) -> Notice {
    let lines = traces.iter().map(|trace| {
        let origins: Vec<String> = trace.origins.iter().map(shown).collect();
        let origin = match origins.is_empty() {
            true => bad(" is in no document, and you did not say it"),
            false => faint(format!(" is in {}", origins.join(", "))),
        };
        let item = strong(shown(&trace.item));
        Block::Line(Weight::Data, vec![faint("  "), item, origin])
    });
    Notice::named("explain", json!({"traces": traces})).with(lines.collect())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::Inputs;

    #[test]
    fn a_result_that_replaces_the_file_of_another_conversation_says_so() -> Result<(), Error> {
        let folder = tempfile::tempdir().unwrap();
        let state = |output: &str| Analysis {
            inputs: Inputs {
                folder: Some(folder.path().to_string_lossy().into_owned()),
                ..Inputs::default()
            },
            analysis_output: Some(output.into()),
            ..Analysis::default()
        };
        let told = |output: &str, before: Option<&str>| {
            publish(&state(output), before, None, true).map(|it| format!("{it:?}"))
        };
        assert!(!told("one", None)?.contains(".md.1"));
        let own = told("two", Some("one"))?;
        assert!(own.contains("the previous one is"), "{own}");
        let other = told("three", None)?;
        assert!(other.contains("another conversation"), "{other}");
        let kept = std::fs::read_to_string(folder.path().join("analysis_result.md.1")).unwrap();
        assert_eq!(kept, "two\n");
        Ok(())
    }
}
