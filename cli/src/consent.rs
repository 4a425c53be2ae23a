//! Consent: before something is deleted, and before a foreign thread is run.
//!
//! An archive, an owner of the server or an edit over HTTP may put any path into a thread. [`to_run`] decides for every
//! agent and every command whether a thread is foreign, and shows the paths that it names before any is used.

use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use superstep::{Foreign, Origin, Provenance, ThreadId, fs::Roots, text::single_line};

use crate::{
    agents::Agent,
    app::App,
    error::Error,
    output::{plain, shown, strong},
    thread_reader::ThreadReader,
};

/// Whether a thread is foreign and no person agreed to run it.
pub(crate) async fn is_wanted(provenance: &Provenance, thread: &str) -> Result<bool, Error> {
    let mark = provenance.find(&ThreadId::from(thread)).await?;
    Ok(mark.is_some_and(|mark| !mark.is_trusted))
}

/// A person's agreement to run a foreign thread, or the certainty that none is needed. It counts once it is stored,
/// right before the thread runs: without a model or an account the person has not seen what it does, and is asked
/// again.
#[must_use]
pub(crate) struct Agreement(Option<Agreed>);

struct Agreed {
    provenance: Provenance,
    thread: ThreadId,
    mark: Foreign,
    /// The paths that the person saw.
    paths: Vec<String>,
}

impl Agreement {
    /// Whether others shaped the thread.
    pub(crate) fn is_foreign(&self) -> bool {
        self.0.is_some()
    }

    /// The folders that a foreign thread may name; nothing limits an own one.
    pub(crate) fn roots(&self) -> Option<Roots> {
        let agreed = self.0.as_ref()?;
        Some(Roots::new(agreed.paths.iter().map(PathBuf::from)))
    }

    /// Refuses a path of a foreign thread that the person has not seen.
    pub(crate) fn permit(&self, path: &Path) -> Result<(), Error> {
        match &self.0 {
            Some(agreed) if !agreed.paths.iter().any(|seen| Path::new(seen) == path) => {
                Err(Error::Usage(format!(
                    "the thread names another path now: {}",
                    path.display()
                )))
            }
            _ => Ok(()),
        }
    }

    /// Stores it, right before the thread is run.
    pub(crate) async fn store(&self) -> Result<(), Error> {
        let Some(agreed) = &self.0 else {
            return Ok(());
        };
        match agreed
            .provenance
            .trust(&agreed.thread, &agreed.mark, &agreed.paths)
            .await?
        {
            true => Ok(()),
            false => Err(Error::Usage(format!(
                "{} was changed since you agreed to run it; look at it again",
                shown(agreed.thread.as_str())
            ))),
        }
    }
}

/// Decides whether a thread is foreign. If it is, and no person has agreed to it as it is now, shows what it would use
/// and asks.
pub(crate) async fn to_run(
    agent: Agent,
    thread: &str,
    app: &mut App<'_>,
) -> Result<Agreement, Error> {
    let reader = ThreadReader::open_to_change(app.global)?;
    let (provenance, id) = (reader.provenance()?, ThreadId::from(thread));
    let Some(mark) = provenance.find(&id).await? else {
        return Ok(Agreement(None));
    };
    let graph = reader.graph_of(agent)?;
    let snapshot = reader.snapshot(&graph, thread, None).await?;
    let state = serde_json::to_value(&snapshot.values).unwrap_or(Json::Null);
    let paths = agent.paths(&state);
    let named: Vec<String> = paths.iter().map(|(_, path)| (*path).to_owned()).collect();
    if !mark.is_trusted || mark.agreed != named {
        ask(&mark, thread, &paths, app).await?;
    }
    Ok(Agreement(Some(Agreed {
        provenance,
        thread: id,
        mark,
        paths: named,
    })))
}

async fn ask(
    mark: &Foreign,
    thread: &str,
    paths: &[(&str, &str)],
    app: &mut App<'_>,
) -> Result<(), Error> {
    let origin = match mark.origin {
        Origin::Import => "was imported. ",
        Origin::Http => "was started or edited over HTTP. ",
    };
    app.output.say(&[
        strong(format!("{} {origin}", shown(thread))),
        plain(
            "Its content is untrusted: look at it with superstep threads show. What it holds goes to the model.",
        ),
    ]);
    for (does, path) in paths {
        let line = format!("It {does} {}", single_line(path));
        app.output.say(&[plain(line)]);
    }
    is_agreed(&format!("run {}", shown(thread)), app).await
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
    match app.terminal.agrees(&prompt, app.output).await? {
        true => Ok(()),
        false => Err(Error::Cancelled),
    }
}
