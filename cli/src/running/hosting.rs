//! The server that agents are added to: opened with their models and accounts, or without, and described.

use std::{
    any::Any,
    path::{Path, PathBuf},
};

use serde_json::Value as Json;
use superstep::{Backends, fs::Roots};
use superstep_agent::OpenAgent;
use superstep_mail::account::MailAccount;
use superstep_server::{Need, Readiness, Server, Standing};

use crate::{
    agents::Agent,
    app::App,
    args::Serve,
    database, dirs,
    error::Error,
    mail::account,
    output::{faint, plain},
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
    /// Where uploaded files are.
    pub(super) uploads: Option<PathBuf>,
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
    let uploads = dirs::data().map(|folder| folder.join("files"));
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
        uploads,
        lives: Vec::new(),
    };
    for agent in Agent::all() {
        on = super::of(*agent).host(on, app).await?;
    }
    if let Some(folder) = &on.uploads {
        on.server = on.server.files(folder);
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
pub(super) struct Hosted {
    opened: Box<dyn OpenAgent>,
    standing: Standing,
    /// The example that it plays instead of that of its card.
    example: Option<Json>,
}

impl Hosted {
    /// An agent that has what it needs.
    pub(super) fn ready(opened: Box<dyn OpenAgent>) -> Self {
        Self {
            opened,
            standing: Standing::default(),
            example: None,
        }
    }

    /// The same agent, which runs and lacks something.
    pub(super) fn lacking(mut self, missing: &Error) -> Self {
        self.standing.needs.push(need(missing));
        self
    }

    /// An agent that plays an example only.
    pub(super) fn rehearsing(opened: Box<dyn OpenAgent>, example: Json, missing: &Error) -> Self {
        let mut hosted = Self::ready(opened).lacking(missing);
        hosted.standing.state = Readiness::Rehearsal;
        hosted.example = Some(example);
        hosted
    }

    /// An agent that can be read, not run.
    pub(super) fn unable(opened: Box<dyn OpenAgent>, missing: &Error) -> Self {
        let mut hosted = Self::ready(opened).lacking(missing);
        hosted.standing.state = Readiness::Unable;
        hosted
    }
}

impl Hosting<'_> {
    /// Adds an agent under an id.
    pub(super) fn add(mut self, agent: Agent, id: &str, hosted: Hosted) -> Self {
        let Hosted {
            opened,
            standing,
            example,
        } = hosted;
        self.server = self
            .server
            .agent(id, agent.card(), opened)
            .standing(id, standing);
        if let Some(example) = example {
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

/// Says that an agent runs its example only, and gives what its other runs say.
pub(super) fn plays_example(agent: Agent, missing: &Error, app: &App<'_>) -> Result<String, Error> {
    tell(agent, "runs its example only", missing, app)?;
    Ok(why(agent, missing))
}

/// Says that an agent can be read and not run, and gives what its runs say.
pub(super) fn unable(agent: Agent, missing: &Error, app: &App<'_>) -> Result<String, Error> {
    tell(agent, "can be read, not run", missing, app)?;
    Ok(why(agent, missing))
}

fn why(agent: Agent, missing: &Error) -> String {
    let Need { why, fix, .. } = need(missing);
    let agent = agent.name();
    format!("{agent} is served without what it needs: {why}; {fix}")
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
