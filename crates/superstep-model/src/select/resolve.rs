//! Resolution order of model sources. The first source that has a model is taken; the chain records
//! why each one before it was not.

use std::fmt;

use serde::Serialize;

use super::{
    choice::Choice,
    environment::{DataOwner, Environment, Offered, Probe, is_on},
    key::Key,
};
use crate::{
    config::{Origin, Scope, Setting, Trust},
    error::{ErrorKind, ModelError},
    spec::{self, KNOWN, Known, Spec},
};

/// Why a source without a name or a file was passed over. An error does not list those.
const NOT_GIVEN: &str = "not given";
const NO_FILE: &str = "no such file";

/// What came of looking, and how.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
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
    #[serde(rename = "way")]
    pub source: Source,
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
pub enum Source {
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

impl fmt::Display for Source {
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
            Self::LocalServer => "Ollama on this machine",
            Self::OtherPorts => "other ports of this machine",
            Self::Cache => "embedded model in the cache",
            Self::Pull => "embedded model to be fetched",
        })
    }
}

/// Looks for the model of a node, or of everything. What was named and cannot be had is an error:
/// nothing else is taken in its place.
pub fn resolve(environment: &Environment, node: Option<&str>) -> Result<Resolution, ModelError> {
    let mut resolver = Resolver {
        environment,
        chain: Vec::new(),
        found: None,
    };
    resolver.named(Source::Flag, || {
        Ok(match &environment.flag {
            Some(flag) => Named::As(flag.clone(), Origin::Flag("--model")),
            None => Named::Not(NOT_GIVEN.into()),
        })
    })?;
    resolver.named(Source::Environment, || {
        Ok(match environment.vars.get("SUPERSTEP_MODEL") {
            Some(set) => Named::As(set.clone(), Origin::Env("SUPERSTEP_MODEL".into())),
            None => Named::Not("not set".into()),
        })
    })?;
    if let Some(node) = node {
        for (source, scope) in [
            (Source::ProjectNode, Scope::Project),
            (Source::UserNode, Scope::User),
        ] {
            resolver.named(source, || set_in(environment, scope, Some(node)))?;
        }
    }
    for (source, scope) in [
        (Source::ProjectFile, Scope::Project),
        (Source::UserFile, Scope::User),
    ] {
        resolver.named(source, || set_in(environment, scope, None))?;
    }
    resolver.look(Source::BaseUrl, base_url);
    resolver.look(Source::AnthropicKey, |environment| {
        with_key(environment, "anthropic")
    });
    resolver.look(Source::OpenAiKey, |environment| {
        with_key(environment, "openai")
    });
    resolver.look(Source::OtherKey, other_key);
    resolver.look(Source::LocalServer, ollama);
    resolver.look(Source::OtherPorts, other_ports);
    resolver.look(Source::Cache, cached);
    resolver.pull();
    Ok(Resolution {
        outcome: resolver.found.unwrap_or(Outcome::Nothing),
        chain: resolver.chain,
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
            Verdict::Skipped(why) if why == NOT_GIVEN || why == NO_FILE => None,
            Verdict::Skipped(why) => Some(format!("{}: {why}", link.source)),
            Verdict::Taken(what) => Some(format!("{}: {what}", link.source)),
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

struct Resolver<'a> {
    environment: &'a Environment,
    chain: Vec<Link>,
    found: Option<Outcome>,
}

impl Resolver<'_> {
    /// A way on which a model may have been named.
    fn named(
        &mut self,
        source: Source,
        read: impl FnOnce() -> Result<Named, ModelError>,
    ) -> Result<(), ModelError> {
        if self.found.is_some() {
            self.pass(source, Verdict::NotReached);
            return Ok(());
        }
        let (text, origin) = match read()? {
            Named::As(text, origin) => (text, origin),
            Named::Not(why) => {
                self.pass(source, Verdict::Skipped(why));
                return Ok(());
            }
        };
        let choice = self.environment.choice(&text, origin)?;
        self.take(source, choice);
        Ok(())
    }

    /// A way on which a model may be found.
    fn look(&mut self, source: Source, find: impl FnOnce(&Environment) -> Tried) {
        if self.found.is_some() {
            return self.pass(source, Verdict::NotReached);
        }
        match find(self.environment) {
            Ok(choice) => self.take(source, choice),
            Err(why) => self.pass(source, Verdict::Skipped(why)),
        }
    }

    fn pull(&mut self) {
        let source = Source::Pull;
        if self.found.is_some() {
            return self.pass(source, Verdict::NotReached);
        }
        let environment = self.environment;
        let auto = environment.vars.get("SUPERSTEP_AUTO_PULL");
        let is_auto = auto.is_some_and(|value| is_on(value));
        let consent = match (has_local(environment), &environment.offline) {
            (Err(why), _) => Err(why),
            (_, Some(origin)) => Err(format!("offline ({origin})")),
            _ if environment.yes => Ok((Consent::Given, "--yes")),
            _ if environment.can_ask => Ok((Consent::Ask, "a person can be asked")),
            _ if is_auto => Ok((Consent::Given, "SUPERSTEP_AUTO_PULL")),
            _ => Err("nobody to ask, and neither --yes nor SUPERSTEP_AUTO_PULL=1".into()),
        };
        match consent {
            Ok((consent, why)) => {
                self.pass(source, Verdict::Taken(format!("local:default, {why}")));
                self.found = Some(Outcome::Pull(consent));
            }
            Err(why) => self.pass(source, Verdict::Skipped(why)),
        }
    }

    fn take(&mut self, source: Source, choice: Choice) {
        let mut what = choice.spec.to_string();
        if !matches!(choice.origin, Origin::Flag(_)) {
            what = format!("{what} ({})", choice.origin);
        }
        self.pass(source, Verdict::Taken(what));
        self.found = Some(Outcome::Chosen(Box::new(choice)));
    }

    fn pass(&mut self, source: Source, verdict: Verdict) {
        self.chain.push(Link { source, verdict });
    }
}

/// What a file says. A project's file says nothing about data that is not the project's, and is an
/// error where it needs a consent that it does not have.
fn set_in(
    environment: &Environment,
    scope: Scope,
    node: Option<&str>,
) -> Result<Named, ModelError> {
    let config = &environment.config;
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
    match (&environment.content, withheld) {
        _ if in_force.is_none() && withheld.is_none() => return not(NO_FILE),
        _ if settings.is_some() && setting.is_none() => return not("not set there"),
        (DataOwner::Elsewhere(why), _) if scope == Scope::Project => {
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

fn found(spec: Spec, origin: Origin, environment: &Environment) -> Tried {
    Choice::of(spec, origin, environment).map_err(|error| error.to_string())
}

fn base_url(environment: &Environment) -> Tried {
    let base = environment.vars.get("OPENAI_BASE_URL").ok_or("not set")?;
    if spec::host(base).is_none() {
        let base = superstep_text::Redactor::standard().text(base);
        return Err(format!("`{base}` is no address"));
    }
    let spec = Spec {
        provider: "openai".into(),
        base: Some(base.trim_end_matches('/').to_owned()),
        name: environment.vars.get("OPENAI_MODEL").cloned(),
    };
    found(spec, Origin::Env("OPENAI_BASE_URL".into()), environment)
}

fn with_key(environment: &Environment, provider: &str) -> Tried {
    let known = Known::named(provider).ok_or("not known")?;
    let spec = Spec {
        provider: provider.to_owned(),
        base: None,
        name: None,
    };
    let settings = environment.config.provider(provider);
    // Keys that the user's file names count like those in the usual place.
    let is_named = settings.is_some_and(|settings| {
        settings.key_cmd.is_some() || settings.key_file.is_some() || settings.key_env.is_some()
    });
    let usual = known.key_env.unwrap_or_default();
    let origin = match is_named {
        true => Origin::Found("key in the user's config.toml"),
        false if environment.keys.contains(usual) => Origin::Env(usual.to_owned()),
        false => return Err("not set".into()),
    };
    let choice = found(spec, origin, environment)?;
    match &choice.key {
        Key::Env(name) if !environment.keys.contains(name) => Err(format!("no key in ${name}")),
        _ => Ok(choice),
    }
}

fn other_key(environment: &Environment) -> Tried {
    let others = KNOWN
        .iter()
        .filter(|known| known.key_env.is_some())
        .filter(|known| !matches!(known.name, "anthropic" | "openai"));
    let mut why = Vec::new();
    for known in others {
        match with_key(environment, known.name) {
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

fn ollama(environment: &Environment) -> Tried {
    let offered = match &environment.ollama {
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
    found(spec, Origin::Found("Ollama on this machine"), environment)
}

fn other_ports(environment: &Environment) -> Tried {
    if environment.ports.is_empty() {
        return Err("not asked (--probe)".into());
    }
    let mut why = Vec::new();
    for (port, probe) in &environment.ports {
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
        let mut choice = found(spec, Origin::Found("a server on this machine"), environment)?;
        // Nobody said that this server is to have the user's key.
        choice.key = Key::None;
        return Ok(choice);
    }
    Err(why.join(", "))
}

fn cached(environment: &Environment) -> Tried {
    has_local(environment)?;
    if let Some(file) = environment.vars.get("SUPERSTEP_MODEL_FILE") {
        let origin = Origin::Env("SUPERSTEP_MODEL_FILE".into());
        return found(Spec::new("local", file.clone()), origin, environment);
    }
    for tier in ["default", "tiny"] {
        if environment.weights.contains_key(tier) {
            let origin = Origin::Found("weights in the cache");
            return found(Spec::new("local", tier), origin, environment);
        }
    }
    Err("no weights there".into())
}

fn has_local(environment: &Environment) -> Result<(), String> {
    let is_there = environment.providers.iter().any(|name| name == "local");
    match is_there {
        true => Ok(()),
        false => Err("this program was built without the local model".into()),
    }
}
