//! Consent: before something is deleted, and before a thread that was imported is run.

use serde_json::Value as Json;
use superstep::{ThreadId, text::single_line};

use super::ThreadReader;
use crate::{
    agents::Agent,
    app::App,
    error::Error,
    output::{plain, strong},
    terminal::{Line, Topic},
};

/// Asks before an imported thread is run for the first time. The consent is stored.
pub(super) async fn to_run(
    reader: &ThreadReader,
    agent: Agent,
    thread: &str,
    app: &mut App<'_>,
) -> Result<(), Error> {
    let (imports, id) = (reader.imports()?, ThreadId::from(thread));
    let import = imports.find(&id).await?;
    if import.is_none_or(|import| import.is_trusted) {
        return Ok(());
    }
    app.output.say(&[
        strong(format!("{thread} was imported. ")),
        plain(
            "What it holds was not made here; look at it with superstep threads show. It reads the \
             folders that it names, and what it says goes to the model.",
        ),
    ]);
    let snapshot = reader
        .snapshot(&reader.graph_of(agent)?, thread, None)
        .await?;
    let state = serde_json::to_value(&snapshot.values).unwrap_or(Json::Null);
    if let Some(folder) = state.pointer("/inputs/folder").and_then(Json::as_str) {
        app.output
            .say(&[plain(format!("Its documents: {}", single_line(folder)))]);
    }
    is_agreed(&format!("run the imported thread {thread}"), app).await?;
    Ok(imports.trust(&id).await?)
}

/// Asks before something is done that cannot be undone. Without a terminal `--yes` is needed.
pub(super) async fn is_agreed(what: &str, app: &mut App<'_>) -> Result<(), Error> {
    if app.global.yes {
        return Ok(());
    }
    let mut letters = what.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    let what: String = first.into_iter().chain(letters).collect();
    if !app.terminal.is_interactive() {
        return Err(Error::Usage(format!(
            "{what}? There is no terminal to ask at; use --yes"
        )));
    }
    let prompt = format!("{what}? [y/N] ");
    match app
        .terminal
        .read_line(Topic::Detail, &prompt, app.output)
        .await?
    {
        Line::Text(words) if matches!(words.trim().to_lowercase().as_str(), "y" | "yes") => Ok(()),
        _ => Err(Error::Cancelled),
    }
}
