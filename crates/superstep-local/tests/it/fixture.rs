//! A cache of its own, and entries that fit into a test.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sha2::{Digest, Sha256};
use superstep_local::weights::{
    Cache, Entry, Pin, Sources, Weights, WeightsError, WeightsFile, Wheel, silent,
};
use tempfile::TempDir;

pub(crate) struct Fixture {
    folder: TempDir,
    pub(crate) sources: Sources,
}

impl Fixture {
    /// With nothing but a cache that is empty.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache {
            folder: folder.path().join("models"),
        };
        let mut sources = Sources {
            ..Sources::offline(cache)
        };
        sources.backoff.initial = Duration::ZERO;
        Self { folder, sources }
    }

    pub(crate) fn with_hub(url: &str) -> Self {
        let mut fixture = Self::new();
        fixture.sources.hub = Some(url.to_owned());
        fixture
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) async fn pull(&self, entry: &'static Entry) -> Result<WeightsFile, WeightsError> {
        self.sources.pull(&Weights::Entry(entry), silent()).await
    }

    /// Where an entry lies while it is on its way.
    pub(crate) fn part(&self, entry: &Entry) -> PathBuf {
        self.cache().join(format!("{}.part", entry.sha256))
    }

    pub(crate) fn cache(&self) -> &Path {
        &self.sources.cache.folder
    }

    /// What is in the cache, without locks.
    pub(crate) fn files(&self) -> Vec<String> {
        let Ok(files) = fs::read_dir(self.cache()) else {
            return Vec::new();
        };
        let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| !name.ends_with(".lock")).collect();
        names.sort();
        names
    }
}

/// Bytes that do not repeat soon.
pub(crate) fn bytes(count: usize) -> Vec<u8> {
    let mut state: u32 = 7;
    let next = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..count).map(next).collect()
}

pub(crate) fn sha256(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// An entry for a file with these bytes; entries live as long as the program.
pub(crate) fn entry(body: &[u8], wheels: Vec<Wheel>) -> &'static Entry {
    Box::leak(Box::new(Entry {
        key: "test",
        name: "test-model",
        license: "none",
        about: "",
        size: body.len() as u64,
        sha256: leak(sha256(body)),
        extension: "gguf",
        hub: Some(Pin {
            repo: "owner/repo",
            file: "folder/model.gguf",
            revision: "abc",
        }),
        wheels: Box::leak(wheels.into_boxed_slice()),
    }))
}

pub(crate) fn leak(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}
