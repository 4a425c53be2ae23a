//! The order in which a model is looked for. The first way that leads to one is taken; of every way
//! before it the chain says why it was not.

use std::fmt;

use serde::Serialize;

use super::{
    choice::Choice,
    key::Key,
    world::{Content, Offered, Probe, World, is_on},
};
use crate::{
    config::{Origin, Scope, Setting, Trust},
    error::{ErrorKind, ModelError},
    spec::{self, KNOWN, Known, Spec},
};

/// What came of looking, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolution {
    /// What was found.
    pub outcome: Outcome,
    /// All ways in their order.
    pub chain: Vec<Link>,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// A model.
    Chosen(Box<Choice>),
    /// Weights must be fetched first: the default ones, or the tiny ones if those cannot be had.
    Pull(Consent),
    /// Nothing.
    Nothing,
}

/// Whether weights may be fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consent {
    /// A person must be asked.
    Ask,
    /// It was said beforehand.
    Given,
}

/// A way to a model and what came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Link {
    /// The way.
    pub way: Way,
    /// What came of it.
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// What came of a way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "verdict", content = "why")]
pub enum Verdict {
    /// It was taken; to which model.
    Taken(String),
    /// It was not; why.
    Skipped(String),
    /// An earlier one was taken.
    NotReached,
}

/// A way to a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// `--model`.
    Flag,
    /// `SUPERSTEP_MODEL`.
    Environment,
    /// The node's model in the project's file.
    ProjectNode,
    /// The node's model in the user's file.
    UserNode,
    /// `model` in the project's file.
    ProjectFile,
    /// `model` in the user's file.
    UserFile,
    /// `OPENAI_BASE_URL`.
    BaseUrl,
    /// `ANTHROPIC_API_KEY`.
    AnthropicKey,
    /// `OPENAI_API_KEY`.
    OpenAiKey,
    /// The key of another provider.
    OtherKey,
    /// A server on this machine.
    LocalServer,
    /// Other ports of this machine.
    OtherPorts,
    /// Weights in the cache.
    Cache,
    /// Weights that can be fetched.
    Pull,
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Flag => "--model",
            Self::Environment => "SUPERSTEP_MODEL",
            Self::ProjectNode => "models.NODE in superstep.toml",
            Self::UserNode => "models.NODE in the user's config.toml",
            Self::ProjectFile => "model in superstep.toml",
            Self::UserFile => "model in the user's config.toml",
            Self::BaseUrl => "OPENAI_BASE_URL",
            Self::AnthropicKey => "ANTHROPIC_API_KEY",
            Self::OpenAiKey => "OPENAI_API_KEY",
            Self::OtherKey => "key of another provider",
            Self::LocalServer => "Ollama at 127.0.0.1:11434",
            Self::OtherPorts => "other ports of this machine",
            Self::Cache => "embedded model in the cache",
            Self::Pull => "embedded model to be fetched",
        })
    }
}

/// Looks for the model of a node, or of everything. What was named and cannot be had is an error:
/// nothing else is taken in its place.
pub fn resolve(world: &World, node: Option<&str>) -> Result<Resolution, ModelError> {
    let mut walk = Walk {
        world,
        chain: Vec::new(),
        found: None,
    };
    walk.named(Way::Flag, || {
        Ok(match &world.flag {
            Some(flag) => Named::As(flag.clone(), Origin::Flag("--model")),
            None => Named::Not("not given".into()),
        })
    })?;
    walk.named(Way::Environment, || {
        Ok(match world.vars.get("SUPERSTEP_MODEL") {
            Some(set) => Named::As(set.clone(), Origin::Env("SUPERSTEP_MODEL".into())),
            None => Named::Not("not set".into()),
        })
    })?;
    if let Some(node) = node {
        for (way, scope) in [
            (Way::ProjectNode, Scope::Project),
            (Way::UserNode, Scope::User),
        ] {
            walk.named(way, || set_in(world, scope, Some(node)))?;
        }
    }
    for (way, scope) in [
        (Way::ProjectFile, Scope::Project),
        (Way::UserFile, Scope::User),
    ] {
        walk.named(way, || set_in(world, scope, None))?;
    }
    walk.look(Way::BaseUrl, base_url);
    walk.look(Way::AnthropicKey, |world| with_key(world, "anthropic"));
    walk.look(Way::OpenAiKey, |world| with_key(world, "openai"));
    walk.look(Way::OtherKey, other_key);
    walk.look(Way::LocalServer, ollama);
    walk.look(Way::OtherPorts, other_ports);
    walk.look(Way::Cache, cached);
    walk.pull();
    Ok(Resolution {
        outcome: walk.found.unwrap_or(Outcome::Nothing),
        chain: walk.chain,
    })
}

impl Resolution {
    /// The model, or the error that says why there is none.
    pub fn choice(&self) -> Result<&Choice, ModelError> {
        match &self.outcome {
            Outcome::Chosen(choice) => Ok(choice),
            Outcome::Pull(_) | Outcome::Nothing => Err(self.nothing()),
        }
    }

    /// The error that says why there is no model.
    pub fn nothing(&self) -> ModelError {
        ErrorKind::NoModel { why: self.why() }.into()
    }

    /// Why each way was not taken, in one line.
    fn why(&self) -> String {
        let skipped = self.chain.iter().filter_map(|link| match &link.verdict {
            Verdict::Skipped(why) => Some(format!("{}: {why}", link.way)),
            Verdict::Taken(what) => Some(format!("{}: {what}", link.way)),
            Verdict::NotReached => None,
        });
        skipped.collect::<Vec<_>>().join("; ")
    }
}

/// What was named on a way.
enum Named {
    /// This, there.
    As(String, Origin),
    /// Nothing; why.
    Not(String),
}

/// A choice, or why there is none this way.
type Tried = Result<Choice, String>;

struct Walk<'a> {
    world: &'a World,
    chain: Vec<Link>,
    found: Option<Outcome>,
}

impl Walk<'_> {
    /// A way on which a model may have been named.
    fn named(
        &mut self,
        way: Way,
        read: impl FnOnce() -> Result<Named, ModelError>,
    ) -> Result<(), ModelError> {
        if self.found.is_some() {
            self.pass(way, Verdict::NotReached);
            return Ok(());
        }
        let (text, origin) = match read()? {
            Named::As(text, origin) => (text, origin),
            Named::Not(why) => {
                self.pass(way, Verdict::Skipped(why));
                return Ok(());
            }
        };
        let spec: Spec = text
            .parse()
            .map_err(|error: ModelError| match error.kind() {
                ErrorKind::Settings { why } => ModelError::settings(format!("{origin}: {why}")),
                _ => error,
            })?;
        let choice = Choice::of(spec, origin, self.world)?;
        self.take(way, choice);
        Ok(())
    }

    /// A way on which a model may be found.
    fn look(&mut self, way: Way, find: impl FnOnce(&World) -> Tried) {
        if self.found.is_some() {
            return self.pass(way, Verdict::NotReached);
        }
        match find(self.world) {
            Ok(choice) => self.take(way, choice),
            Err(why) => self.pass(way, Verdict::Skipped(why)),
        }
    }

    fn pull(&mut self) {
        let way = Way::Pull;
        if self.found.is_some() {
            return self.pass(way, Verdict::NotReached);
        }
        let world = self.world;
        let auto = world.vars.get("SUPERSTEP_AUTO_PULL");
        let is_auto = auto.is_some_and(|value| is_on(value));
        let consent = match (has_local(world), &world.offline) {
            (Err(why), _) => Err(why),
            (_, Some(origin)) => Err(format!("offline ({origin})")),
            _ if world.yes => Ok((Consent::Given, "--yes")),
            _ if world.can_ask => Ok((Consent::Ask, "a person can be asked")),
            _ if is_auto => Ok((Consent::Given, "SUPERSTEP_AUTO_PULL")),
            _ => Err("nobody to ask, and neither --yes nor SUPERSTEP_AUTO_PULL=1".into()),
        };
        match consent {
            Ok((consent, why)) => {
                self.pass(way, Verdict::Taken(format!("local:default, {why}")));
                self.found = Some(Outcome::Pull(consent));
            }
            Err(why) => self.pass(way, Verdict::Skipped(why)),
        }
    }

    fn take(&mut self, way: Way, choice: Choice) {
        let mut what = choice.spec.to_string();
        if !matches!(choice.origin, Origin::Flag(_)) {
            what = format!("{what} ({})", choice.origin);
        }
        self.pass(way, Verdict::Taken(what));
        self.found = Some(Outcome::Chosen(Box::new(choice)));
    }

    fn pass(&mut self, way: Way, verdict: Verdict) {
        self.chain.push(Link { way, verdict });
    }
}

/// What a file says. A project's file says nothing about data that is not the project's, and is an
/// error where it needs a consent that it does not have.
fn set_in(world: &World, scope: Scope, node: Option<&str>) -> Result<Named, ModelError> {
    let config = &world.config;
    let in_force = config.file(scope);
    let withheld = match scope {
        Scope::Project => config.project.as_ref().filter(|_| in_force.is_none()),
        Scope::User => None,
    };
    let settings = in_force.or(withheld.and_then(|project| project.settings.as_ref()));
    let setting: Option<&Setting<String>> = settings.and_then(|file| match node {
        Some(node) => file.models.get(node),
        None => file.model.as_ref(),
    });
    let not = |why: &str| Ok(Named::Not(why.to_owned()));
    match (&world.content, withheld) {
        _ if in_force.is_none() && withheld.is_none() => return not("no such file"),
        _ if settings.is_some() && setting.is_none() => return not("not set there"),
        (Content::Elsewhere(why), _) if scope == Scope::Project => {
            return not(&format!("not used: {why}"));
        }
        (_, Some(project)) if project.trust == Trust::Ignored => {
            return not("ignored (superstep trust)");
        }
        (_, Some(project)) => {
            let key = match node {
                Some(node) => format!("models.{node}"),
                None => "model".to_owned(),
            };
            return Err(project.untrusted(&key));
        }
        _ => {}
    }
    match setting {
        Some(setting) => Ok(Named::As(setting.value.clone(), setting.origin.clone())),
        None => not("not set there"),
    }
}

fn found(spec: Spec, origin: Origin, world: &World) -> Tried {
    Choice::of(spec, origin, world).map_err(|error| error.to_string())
}

fn base_url(world: &World) -> Tried {
    let base = world.vars.get("OPENAI_BASE_URL").ok_or("not set")?;
    if spec::host(base).is_none() {
        return Err(format!("`{base}` is no address"));
    }
    let spec = Spec {
        provider: "openai".into(),
        base: Some(base.trim_end_matches('/').to_owned()),
        name: world.vars.get("OPENAI_MODEL").cloned(),
    };
    found(spec, Origin::Env("OPENAI_BASE_URL".into()), world)
}

fn with_key(world: &World, provider: &str) -> Tried {
    let known = Known::named(provider).ok_or("not known")?;
    let spec = Spec {
        provider: provider.to_owned(),
        base: None,
        name: None,
    };
    let settings = world.config.provider(provider);
    // Keys that the user's file names count like those in the usual place.
    let is_named = settings.is_some_and(|settings| {
        settings.key_cmd.is_some() || settings.key_file.is_some() || settings.key_env.is_some()
    });
    let usual = known.key_env.unwrap_or_default();
    let origin = match is_named {
        true => Origin::Found("key in the user's config.toml"),
        false if world.keys.contains(usual) => Origin::Env(usual.to_owned()),
        false => return Err("not set".into()),
    };
    let choice = found(spec, origin, world)?;
    match &choice.key {
        Key::Env(name) if !world.keys.contains(name) => Err(format!("no key in ${name}")),
        _ => Ok(choice),
    }
}

fn other_key(world: &World) -> Tried {
    let others = KNOWN
        .iter()
        .filter(|known| known.key_env.is_some())
        .filter(|known| !matches!(known.name, "anthropic" | "openai"));
    let mut why = Vec::new();
    for known in others {
        match with_key(world, known.name) {
            Ok(choice) => return Ok(choice),
            Err(not) if not == "not set" => {}
            Err(not) => why.push(format!("{}: {not}", known.name)),
        }
    }
    Err(match why.is_empty() {
        true => "none set".into(),
        false => why.join(", "),
    })
}

fn ollama(world: &World) -> Tried {
    let offered = match &world.ollama {
        Probe::NotAsked => return Err("not asked".into()),
        Probe::Silent(why) => return Err(why.clone()),
        Probe::Has(offered) => offered,
    };
    let useful = offered.iter().find(|model| model.is_useful());
    let Some(model) = useful else {
        return Err(match offered.len() {
            0 => "it has no models".into(),
            count => format!("none of its {count} models chats and has 3B parameters or more"),
        });
    };
    let spec = Spec::new("ollama", model.name.clone());
    found(spec, Origin::Found("Ollama on this machine"), world)
}

fn other_ports(world: &World) -> Tried {
    if world.ports.is_empty() {
        return Err("not asked (--probe)".into());
    }
    let mut why = Vec::new();
    for (port, probe) in &world.ports {
        let first = match probe {
            Probe::Has(offered) => offered.first(),
            Probe::Silent(not) => {
                why.push(format!("{port}: {not}"));
                continue;
            }
            Probe::NotAsked => continue,
        };
        let Some(Offered { name, .. }) = first else {
            why.push(format!("{port}: it has no models"));
            continue;
        };
        let spec = Spec {
            provider: "openai".into(),
            base: Some(format!("http://127.0.0.1:{port}/v1")),
            name: Some(name.clone()),
        };
        let mut choice = found(spec, Origin::Found("a server on this machine"), world)?;
        // Nobody said that this server is to have the user's key.
        choice.key = Key::None;
        return Ok(choice);
    }
    Err(why.join(", "))
}

fn cached(world: &World) -> Tried {
    has_local(world)?;
    if let Some(file) = world.vars.get("SUPERSTEP_MODEL_FILE") {
        let origin = Origin::Env("SUPERSTEP_MODEL_FILE".into());
        return found(Spec::new("local", file.clone()), origin, world);
    }
    for tier in ["default", "tiny"] {
        if world.weights.contains_key(tier) {
            let origin = Origin::Found("weights in the cache");
            return found(Spec::new("local", tier), origin, world);
        }
    }
    Err("no weights there".into())
}

fn has_local(world: &World) -> Result<(), String> {
    let is_there = world.providers.iter().any(|name| name == "local");
    match is_there {
        true => Ok(()),
        false => Err("this program was built without the local model".into()),
    }
}
