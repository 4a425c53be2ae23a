//! Consent: before something is deleted, and before a thread that was imported is run.

use superstep::{Imports, ThreadId, text::single_line};

use crate::{
    app::App,
    error::Error,
    output::{plain, shown, strong},
    terminal::{Line, Topic},
};

/// Whether a thread was imported, and nobody agreed to run it.
pub(crate) async fn is_wanted(imports: &Imports, thread: &str) -> Result<bool, Error> {
    let import = imports.find(&ThreadId::from(thread)).await?;
    Ok(import.is_some_and(|import| !import.is_trusted))
}

/// A consent to run an imported thread. It counts once the thread can be run: whoever agreed and had no
/// model or account was not shown what it does, and is asked again.
#[must_use]
pub(crate) struct Agreement(Option<(Imports, ThreadId)>);

impl Agreement {
    /// No consent is needed, or it was stored before.
    pub(crate) fn unneeded() -> Self {
        Self(None)
    }

    /// Stores it, right before the thread is run.
    pub(crate) async fn store(self) -> Result<(), Error> {
        match self.0 {
            Some((imports, thread)) => Ok(imports.trust(&thread).await?),
            None => Ok(()),
        }
    }
}

/// Asks before an imported thread is run for the first time. The folder is the one that the thread would
/// read.
pub(crate) async fn to_run(
    imports: &Imports,
    thread: &str,
    folder: Option<&str>,
    app: &mut App<'_>,
) -> Result<Agreement, Error> {
    app.output.say(&[
        strong(format!("{} was imported. ", shown(thread))),
        plain(
            "What it holds was not made here; look at it with superstep threads show. It reads the \
             folders that it names, and what it says goes to the model.",
        ),
    ]);
    if let Some(folder) = folder {
        app.output
            .say(&[plain(format!("Its documents: {}", single_line(folder)))]);
    }
    is_agreed(&format!("run the imported thread {}", shown(thread)), app).await?;
    Ok(Agreement(Some((imports.clone(), ThreadId::from(thread)))))
}

/// Asks before something is done that cannot be undone. Without a terminal `--yes` is needed.
pub(crate) async fn is_agreed(what: &str, app: &mut App<'_>) -> Result<(), Error> {
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
