//! Settings from files, each with the place it comes from.
//!
//! There are two files: `superstep.toml` of the project, found in the folder or one above, and the
//! user's `config.toml`. What the project says counts before what the user says, and flags and the
//! environment before both. A project is often somebody else's, so it may choose a model, and may
//! forbid that content leaves the machine, but not say where keys come from and go to. The keys are
//! told in `docs/choosing-a-model.md`.

mod file;

use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
};

use serde::Serialize;
use serde_json::Value as Json;

use crate::error::{ErrorKind, ModelError};

/// The name of the project's file.
pub const PROJECT_FILE: &str = "superstep.toml";

/// What the files say, the one that counts first in front.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// The files that are there.
    pub files: Vec<ConfigFile>,
}

/// What one file says.
#[derive(Clone, Debug, PartialEq)]
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
    /// `agents.NAME`: what an agent is told, by keys such as `prompts.initial`. What the keys mean
    /// is the agent's business.
    pub agents: BTreeMap<String, BTreeMap<String, Setting<Json>>>,
}

/// How to reach a provider.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
        /// Where.
        line: usize,
    },
    /// Found by looking.
    Found(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(name) | Self::Found(name) => f.write_str(name),
            Self::Env(name) => write!(f, "${name}"),
            Self::File { path, line, .. } => write!(f, "{}:{line}", path.display()),
        }
    }
}

impl Config {
    /// The settings that hold in a folder. The user's file is one that may be missing.
    pub fn load(folder: &Path, user: Option<&Path>) -> Result<Self, ModelError> {
        let mut files = Vec::new();
        let project = folder.ancestors().map(|above| above.join(PROJECT_FILE));
        for path in project {
            if let Some(file) = file::read(&path, Scope::Project)? {
                files.push(file);
                break;
            }
        }
        if let Some(path) = user {
            files.extend(file::read(path, Scope::User)?);
        }
        Ok(Self { files })
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
    /// it back.
    pub fn offline(&self) -> Option<&Setting<bool>> {
        let set = self.files.iter().filter_map(|file| file.offline.as_ref());
        set.into_iter().find(|setting| setting.value)
    }

    /// The database.
    pub fn db(&self) -> Option<&Setting<PathBuf>> {
        self.files.iter().find_map(|file| file.db.as_ref())
    }

    /// What an agent is told, by key; for each key the file that counts.
    pub fn agent(&self, name: &str) -> BTreeMap<&str, &Setting<Json>> {
        let mut all = BTreeMap::new();
        for file in self.files.iter().rev() {
            let keys = file.agents.get(name).into_iter().flatten();
            all.extend(keys.map(|(key, setting)| (key.as_str(), setting)));
        }
        all
    }

    /// How to reach a provider.
    pub fn provider(&self, name: &str) -> Option<&ProviderSettings> {
        let mut files = self.files.iter();
        files.find_map(|file| file.providers.get(name))
    }
}

impl<T> Setting<T> {
    /// A path as it is written in a file: relative to the file, `~/` for the home folder.
    pub fn path(&self, written: &str) -> PathBuf {
        let folder = match &self.origin {
            Origin::File { path, .. } => path.parent(),
            _ => None,
        };
        let home = written.strip_prefix("~/").zip(std::env::home_dir());
        match home {
            Some((rest, home)) => home.join(rest),
            None => folder.unwrap_or(Path::new("")).join(written),
        }
    }
}

pub(crate) fn wrong(why: impl Into<String>) -> ModelError {
    ErrorKind::Settings { why: why.into() }.into()
}
