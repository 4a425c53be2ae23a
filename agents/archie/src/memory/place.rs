//! Where memories are: one file, a file for each folder of documents, or the store.
//!
//! What the documents of one folder say is not told to a model that reads those of another. A thread without a
//! folder asks about anything, so it reads all of them.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use super::{Memory, Source, load};
use crate::{
    documents::{Inputs, hash},
    error::Error,
};

/// How many memories are read for a thread without a folder.
const MOST_FILES: usize = 1_000;

/// How much of a folder's name is in the name of its file.
const LONGEST_NAME: usize = 40;

/// Where the memory is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemoryPlace {
    /// One file, whatever is read.
    File(PathBuf),
    /// A file for each folder of documents.
    Folder {
        /// The folder with these files.
        path: PathBuf,
        /// A file that was written for all folders together. What it says about the documents of a folder, or was
        /// added by a person, is read; it is not written.
        shared: Option<PathBuf>,
    },
    /// The long-term store that the graph runs on, for each folder of documents apart. On a server that gives its owners
    /// stores of their own, each has a memory of their own.
    Store,
}

impl From<PathBuf> for MemoryPlace {
    fn from(file: PathBuf) -> Self {
        Self::File(file)
    }
}

/// What is remembered for a thread.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Recalled {
    /// Memories, with the name of the folder each is of if there may be several.
    pub(crate) memories: Vec<(String, Memory)>,
    /// Files that made no sense, and where they were put.
    pub(crate) damaged: Vec<(PathBuf, PathBuf)>,
}

impl MemoryPlace {
    /// The file that what is said about these documents is written to; nothing without a folder, or if it goes to the
    /// store.
    pub fn file(&self, inputs: &Inputs) -> Option<PathBuf> {
        match self {
            Self::File(file) => Some(file.clone()),
            Self::Folder { path, .. } => Some(path.join(file_name(inputs)?)),
            Self::Store => None,
        }
    }

    /// Whether something that is said about these documents can be remembered.
    pub(crate) fn takes(&self, inputs: &Inputs) -> bool {
        matches!(self, Self::File(_)) || inputs.folder.is_some()
    }

    /// What is known to a thread with these documents.
    pub(crate) fn recall(&self, inputs: &Inputs) -> Result<Recalled, Error> {
        let mut recalled = Recalled::default();
        let Self::Folder { path, shared } = self else {
            if let Some(file) = self.file(inputs) {
                recalled.read(&file, String::new(), |_| {})?;
            }
            return Ok(recalled);
        };
        match self.file(inputs) {
            Some(file) => recalled.read(&file, String::new(), |_| {})?,
            None => {
                for file in files(path) {
                    let name = file.file_name().unwrap_or_default().to_string_lossy();
                    recalled.read(&file, label_of(&name), |_| {})?;
                }
            }
        }
        if let Some(file) = shared {
            recalled.read(file, String::new(), |memory| {
                if inputs.folder.is_some() {
                    memory.keep_only(inputs);
                }
            })?;
        }
        Ok(recalled)
    }
}

impl Recalled {
    fn read(
        &mut self,
        file: &Path,
        label: String,
        choose: impl FnOnce(&mut Memory),
    ) -> Result<(), Error> {
        let mut loaded = load(file)?;
        choose(&mut loaded.memory);
        self.memories.push((label, loaded.memory));
        let damaged = loaded.aside.map(|aside| (file.to_owned(), aside));
        self.damaged.extend(damaged);
        Ok(())
    }
}

impl Memory {
    /// Leaves what comes from these documents or from a person.
    fn keep_only(&mut self, inputs: &Inputs) {
        let hashes: BTreeSet<&str> = inputs
            .included()
            .filter_map(|entry| entry.sha256.as_deref())
            .collect();
        let is_ours = |source: &Source| {
            source.document == "user" || hashes.contains(source.document.as_str())
        };
        let keep = |sources: &mut Vec<Source>| {
            let is_anybodys = sources.is_empty();
            sources.retain(is_ours);
            is_anybodys || !sources.is_empty()
        };
        self.statements.retain_mut(|it| keep(&mut it.sources));
        self.entities.retain_mut(|it| keep(&mut it.sources));
        self.relationships.retain_mut(|it| keep(&mut it.sources));
        self.documents
            .retain(|sha256, _| hashes.contains(sha256.as_str()));
    }
}

/// The memories in a folder, by name.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(there) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let there = there.filter_map(|entry| Some(entry.ok()?.path()));
    let is_memory = |path: &PathBuf| path.extension().is_some_and(|it| it == "json");
    let mut files: Vec<PathBuf> = there.filter(is_memory).take(MOST_FILES).collect();
    files.sort();
    files
}

/// The name of the folder of some documents; empty if there is none.
pub(crate) fn label(inputs: &Inputs) -> String {
    file_name(inputs).map_or_else(String::new, |name| label_of(&name))
}

/// The name of the folder that a memory of this name is of.
pub(super) fn label_of(file: &str) -> String {
    let (name, _) = file.rsplit_once('-').unwrap_or((file, ""));
    name.to_owned()
}

/// The name of the file of the folder of some documents: what it is called, and what tells it from others of that name.
pub(super) fn file_name(inputs: &Inputs) -> Option<String> {
    let folder = PathBuf::from(inputs.folder.as_ref()?);
    let folder = fs::canonicalize(&folder).unwrap_or(folder);
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let name = name.chars().take(LONGEST_NAME);
    let name: String = name
        .map(|c| {
            if c.is_alphanumeric() || matches!(c, '-' | '_') {
                c
            } else {
                '-'
            }
        })
        .collect();
    let mut sha256 = hash(folder.as_os_str().as_encoded_bytes());
    sha256.truncate(16);
    Some(format!("{name}-{sha256}.json"))
}
