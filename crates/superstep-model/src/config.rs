//! Settings from files, each with the place it comes from.
//!
//! There are two files: `superstep.toml` of the project, found in the folder or one above, and the
//! user's `config.toml`. What the project says counts before what the user says, and flags and the
//! environment before both. A project is often somebody else's, so it may choose a model, and may
//! forbid that content leaves the machine, but not say where keys come from and go to. Paths in it
//! stay below its folder (`confine`), and whatever makes content leave the process needs a consent
//! (`consent`), without which the file is not in force (`project`). The keys are listed in
//! `docs/choosing-a-model.md`.

mod confine;
mod consent;
mod file;
mod project;

use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
};

use serde::Serialize;
use serde_json::Value as Json;

use crate::{
    call::{Price, Prices},
    error::{ErrorKind, ModelError},
    request::Effort,
};

pub use consent::Reason;
pub use project::{Decision, ProjectFile, Trust};

/// The name of the project's file.
pub const PROJECT_FILE: &str = "superstep.toml";

/// The largest file that is read.
const MAX_BYTES: u64 = 1 << 20;

/// What the files say, the one that counts first in front.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Config {
    /// The files that are in force.
    pub files: Vec<ConfigFile>,
    /// The project's file, whether it is in force or not.
    pub project: Option<ProjectFile>,
}

/// What one file says.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ConfigFile {
    /// Where it is.
    pub path: PathBuf,
    /// Whose it is.
    pub scope: Scope,
    /// `model`: the model for everything.
    pub model: Option<Setting<String>>,
    /// `models.NODE`: the model for a node.
    pub models: BTreeMap<String, Setting<String>>,
    /// `offline`: nothing may leave the machine.
    pub offline: Option<Setting<bool>>,
    /// `db`: the database.
    pub db: Option<Setting<PathBuf>>,
    /// `providers.NAME`: how to reach a provider.
    pub providers: BTreeMap<String, ProviderSettings>,
    /// `prices."PROVIDER:MODEL"`: what a model costs, whatever its address.
    pub prices: BTreeMap<String, Setting<Price>>,
    /// `agents.NAME`: the prompts of an agent, by keys such as `prompts.initial`. What the keys mean
    /// is the agent's business.
    pub agents: BTreeMap<String, BTreeMap<String, Setting<Json>>>,
}

/// How to reach a provider.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProviderSettings {
    /// `base_url`: its address.
    pub base_url: Option<Setting<String>>,
    /// `model`: its model where only the provider is named.
    pub model: Option<Setting<String>>,
    /// `key_env`: the variable with its key.
    pub key_env: Option<Setting<String>>,
    /// `key_cmd`: a command that prints its key.
    pub key_cmd: Option<Setting<String>>,
    /// `key_file`: a file with its key.
    pub key_file: Option<Setting<PathBuf>>,
    /// `at_once`: how many calls run side by side.
    pub at_once: Option<Setting<u32>>,
    /// `per_minute`: how many attempts begin within a minute.
    pub per_minute: Option<Setting<u32>>,
    /// `max_tokens`: the limit of output tokens of a call.
    pub max_tokens: Option<Setting<u32>>,
    /// `effort`: how much its models think where an agent does not say.
    pub effort: Option<Setting<Effort>>,
}

/// Whose file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// The project's.
    Project,
    /// The user's.
    User,
}

/// A value and where it was set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting<T> {
    /// The value.
    pub value: T,
    /// Where it was set.
    pub origin: Origin,
}

/// Where a value was set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// On the command line.
    Flag(&'static str),
    /// In the environment.
    Env(String),
    /// In a file.
    File {
        /// Whose.
        scope: Scope,
        /// Which.
        path: PathBuf,
        /// The whole key, such as `agents.archie.prompts.system`.
        key: String,
        /// Where.
        line: usize,
    },
    /// Found by looking.
    Found(&'static str),
    /// In the code of a program, by a call of this function.
    Call(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(name) | Self::Found(name) | Self::Call(name) => f.write_str(name),
            Self::Env(name) => write!(f, "${name}"),
            Self::File { path, line, .. } => write!(f, "{}:{line}", path.display()),
        }
    }
}

impl Config {
    /// The settings that hold in a folder. The user's file is one that may be missing. `decided` says
    /// what the user decided about a project's file; one that needs a consent and has none is not in
    /// force.
    pub fn load(
        folder: &Path,
        user: Option<&Path>,
        decided: impl Fn(&ProjectFile) -> Option<Decision>,
    ) -> Result<Self, ModelError> {
        let mut config = Self::default();
        if let Some(found) = ProjectFile::find(folder)? {
            let decision = decided(&found);
            let found = found.decided(decision.as_ref());
            if found.trust.is_in_force() {
                config.files.extend(found.in_force()?);
            }
            config.project = Some(found);
        }
        if let Some(path) = user {
            config.files.extend(file::read(path, Scope::User)?);
        }
        Ok(config)
    }

    /// The settings of a text.
    pub fn parse(path: &Path, scope: Scope, text: &str) -> Result<ConfigFile, ModelError> {
        file::parse(path, scope, text)
    }

    /// The file of a scope, if there is one.
    pub fn file(&self, scope: Scope) -> Option<&ConfigFile> {
        self.files.iter().find(|file| file.scope == scope)
    }

    /// Where it was set that nothing may leave the machine. One file is enough: no other can take
    /// it back. To forbid needs no consent, so a file without it counts here.
    pub fn offline(&self) -> Option<&Setting<bool>> {
        let without = self.without_consent();
        let without = without.and_then(|project| project.settings.as_ref());
        let files = self.files.iter().chain(without);
        let mut set = files.filter_map(|file| file.offline.as_ref());
        set.find(|setting| setting.value)
    }

    /// The project's file, if it is not in force because it needs a consent.
    pub fn without_consent(&self) -> Option<&ProjectFile> {
        let project = self.project.as_ref()?;
        matches!(project.trust, Trust::Missing | Trust::Changed).then_some(project)
    }

    /// Whether something lies in the project's folder, with all links followed.
    pub fn is_in_project(&self, path: &Path) -> bool {
        let folder = self.project.as_ref().and_then(|file| file.path.parent());
        let (Some(folder), Ok(path)) = (folder, path.canonicalize()) else {
            return false;
        };
        folder
            .canonicalize()
            .is_ok_and(|folder| path.starts_with(folder))
    }

    /// Fails if the project's file has settings of an agent and is not in force for want of a
    /// consent: what an agent does must not depend on that unnoticed.
    pub fn agent_is_trusted(&self, name: &str) -> Result<(), ModelError> {
        let Some(project) = self.without_consent() else {
            return Ok(());
        };
        let says = |file: &ConfigFile| file.agents.contains_key(name);
        match project.settings.as_ref().is_none_or(says) {
            true => Err(project.untrusted(&format!("agents.{name}"))),
            false => Ok(()),
        }
    }

    /// The database.
    pub fn db(&self) -> Option<&Setting<PathBuf>> {
        self.files.iter().find_map(|file| file.db.as_ref())
    }

    /// The prompts of an agent, by key; for each key the file that counts.
    pub fn agent(&self, name: &str) -> BTreeMap<&str, &Setting<Json>> {
        let mut all = BTreeMap::new();
        for file in self.files.iter().rev() {
            let keys = file.agents.get(name).into_iter().flatten();
            all.extend(keys.map(|(key, setting)| (key.as_str(), setting)));
        }
        all
    }

    /// What models cost, as the files say; for each model the file that counts.
    pub fn prices(&self) -> Prices {
        let files = self.files.iter().rev();
        let all = files.flat_map(|file| &file.prices);
        Prices::chosen(all.map(|(name, price)| (name.clone(), price.value)))
    }

    /// How to reach a provider.
    pub fn provider(&self, name: &str) -> Option<&ProviderSettings> {
        let mut files = self.files.iter();
        files.find_map(|file| file.providers.get(name))
    }
}

impl<T> Setting<T> {
    /// A path as it is written in a file: relative to the file, `~/` for the home folder. In a
    /// project's file it must lead to something below its folder.
    pub fn path(&self, written: &str) -> Result<PathBuf, ModelError> {
        self.origin.path(written)
    }
}

impl Origin {
    /// Whether a project's file said so.
    pub fn is_project(&self) -> bool {
        matches!(
            self,
            Self::File {
                scope: Scope::Project,
                ..
            }
        )
    }

    /// A path that was named there, such as the file of a script. See [`Setting::path`].
    pub(crate) fn path(&self, written: &str) -> Result<PathBuf, ModelError> {
        let Self::File {
            scope, path, key, ..
        } = self
        else {
            return Ok(written.into());
        };
        let folder = path.parent().unwrap_or(Path::new(""));
        if *scope == Scope::Project {
            return confine::confined(folder, written).map_err(|why| {
                let (key, path) = (key.clone(), written.to_owned());
                let origin = self.to_string();
                let kind = ErrorKind::Outside {
                    origin,
                    key,
                    path,
                    why,
                };
                kind.into()
            });
        }
        let home = written.strip_prefix("~/").zip(std::env::home_dir());
        Ok(match home {
            Some((rest, home)) => home.join(rest),
            None => folder.join(written),
        })
    }
}
