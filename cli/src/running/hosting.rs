//! The server that agents are added to: opened with their models and accounts, or without, and described.

use std::{
    any::Any,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::Value as Json;
use superstep::{Backends, fs::Roots, model::Model};
use superstep_agent::OpenAgent;
use superstep_mail::account::MailAccount;
use superstep_server::{Need, Readiness, Server, Standing};

use crate::{
    agents::{Agent, Rehearsed},
    app::App,
    args::Serve,
    database, dirs,
    error::Error,
    mail::account,
    output::{faint, plain},
    private,
};

/// How to have what is missing.
const WAYS: &str = "Set a provider's key, such as `ANTHROPIC_API_KEY`, or name a model with `--model ollama:qwen3:8b`, or download a \
     small one with `superstep model pull`. Then start `superstep serve` again.";

/// A server, and what agents are hosted with.
pub(crate) struct Hosting<'a> {
    pub(crate) server: Server,
    pub(super) what: &'a Serve,
    pub(super) backends: Backends,
    /// Folders below which threads may read.
    pub(super) roots: Roots,
    /// What ends when the server does.
    pub(crate) lives: Vec<Box<dyn Any>>,
}

/// Hosts all agents.
pub(crate) async fn host<'a>(
    server: Server,
    what: &'a Serve,
    backends: Backends,
    app: &mut App<'_>,
) -> Result<Hosting<'a>, Error> {
    let roots = match what.root.is_empty() {
        true => vec![std::env::current_dir()?],
        false => what.root.clone(),
    };
    let roots = Roots::new(roots).without(private(what, app)?);
    let mut on = Hosting {
        server,
        what,
        backends,
        roots,
        lives: Vec::new(),
    };
    for agent in Agent::all() {
        on = super::of(*agent).host(on, app).await?;
    }
    Ok(on)
}

/// What no thread may name or read: settings and keys, what was uploaded, the database, the tokens of owners, the mail.
fn private(what: &Serve, app: &App<'_>) -> Result<Vec<PathBuf>, Error> {
    let mut private = vec![database::path(app.global)?.value];
    private.extend(
        [dirs::config(), dirs::data(), dirs::state()]
            .into_iter()
            .flatten(),
    );
    private.extend(what.owners.clone());
    // An account that cannot be read is told of where it is opened.
    let account = account::read(&what.account, app.global).ok();
    private.extend(
        account
            .iter()
            .flat_map(MailAccount::folders)
            .map(Path::to_owned),
    );
    Ok(private)
}

/// An agent that is about to be hosted.
pub(super) struct Hosted<A> {
    pub(super) agent: A,
    standing: Standing,
    /// The example that it plays instead of that of its card.
    example: Option<Json>,
}

impl<A> Hosted<A> {
    /// An agent that has what it needs, or runs although it lacks something.
    pub(super) fn ready(agent: A, missing: Option<&Error>) -> Self {
        let mut standing = Standing::default();
        standing.needs.extend(missing.map(need));
        Self {
            agent,
            standing,
            example: None,
        }
    }

    /// The agent as it was opened; otherwise with the example that it can play without what is missing, or else only to be
    /// read.
    pub(super) async fn opened(
        agent: Agent,
        opened: Result<A, Error>,
        rehearsed: impl AsyncFnOnce(&Error, &str) -> Result<Option<(A, Json)>, Error>,
        absent: impl FnOnce(&str) -> Result<A, Error>,
        app: &App<'_>,
    ) -> Result<Self, Error> {
        let missing = match opened {
            Ok(opened) => return Ok(Self::ready(opened, None)),
            Err(Error::Cancelled) => return Err(Error::Cancelled),
            Err(missing) => missing,
        };
        let Need { why, fix, .. } = need(&missing);
        let name = agent.name();
        let why = format!("{name} is served without what it needs: {why}; {fix}");
        let (opened, example) = match rehearsed(&missing, &why).await? {
            Some((opened, example)) => (opened, Some(example)),
            None => (absent(&why)?, None),
        };
        let (state, does) = match example {
            Some(_) => (Readiness::Rehearsal, "runs its example only"),
            None => (Readiness::Unable, "can be read, not run"),
        };
        tell(agent, does, &missing, app)?;
        let mut hosted = Self::ready(opened, Some(&missing));
        (hosted.standing.state, hosted.example) = (state, example);
        Ok(hosted)
    }
}

impl Hosting<'_> {
    /// Adds an agent under an id.
    pub(super) fn add<A>(
        mut self,
        (agent, id): (Agent, &str),
        hosted: Hosted<A>,
        front: impl FnOnce(A) -> Box<dyn OpenAgent>,
    ) -> Self {
        let opened = front(hosted.agent);
        self.server = self
            .server
            .agent(id, agent.card(), opened)
            .standing(id, hosted.standing);
        if let Some(example) = hosted.example {
            self.server = self.server.example(id, example);
        }
        self
    }

    /// Keeps a graph from owners unless the user shares its agent with them.
    pub(super) fn for_owners_if_shared(mut self, id: &str, agent: Agent) -> Self {
        if !self.what.share.contains(&agent) {
            self.server = self.server.not_for_owners(id);
        }
        self
    }
}

/// Whether all that is missing is a model.
pub(super) fn lacks_model(missing: &Error) -> bool {
    matches!(missing, Error::Model(_) | Error::NoModel)
}

/// What an agent plays that has no example without what is missing.
pub(super) async fn plays_nothing<A>(_: &Error, _: &str) -> Result<Option<(A, Json)>, Error> {
    Ok(None)
}

/// The files of an agent's demo in a folder of their own; nothing if there is no place for them.
pub(super) fn demo_folder(agent: Agent) -> Option<PathBuf> {
    let folder = dirs::data()?.join("demo").join(agent.name());
    let mut files = agent.card().demo.as_ref()?.files.iter();
    let written = files.try_for_each(|(name, bytes)| {
        // They are what they were, whatever an earlier server left of them.
        private::replace(&folder.join(name), bytes)
    });
    written.ok().map(|()| folder)
}

/// A model that plays the demo of an agent, and says why it does nothing else.
pub(super) fn rehearsed(agent: Agent, why: &str) -> Result<Arc<dyn Model>, Error> {
    let demo = agent.card().demo.clone().unwrap_or_default();
    Ok(Arc::new(Rehearsed::new(&demo, why)?))
}

/// What is missing, for the page.
fn need(missing: &Error) -> Need {
    let (what, fix) = match missing {
        Error::Model(_) | Error::NoModel => ("model", WAYS.to_owned()),
        Error::NoAccount => ("account", missing.hints().join("; ")),
        other => ("settings", other.hints().join("; ")),
    };
    Need {
        what: what.to_owned(),
        why: first_line(missing),
        fix,
    }
}

/// Says what an agent does without something. Who cancelled wants no server.
pub(super) fn tell(agent: Agent, does: &str, missing: &Error, app: &App<'_>) -> Result<(), Error> {
    if matches!(missing, Error::Cancelled) {
        return Err(Error::Cancelled);
    }
    let (agent, why) = (agent.name(), first_line(missing));
    app.output
        .say(&[plain(format!("{agent}: ")), faint(format!("{does}: {why}"))]);
    Ok(())
}

fn first_line(error: &Error) -> String {
    error.lines().into_iter().next().unwrap_or_default()
}
