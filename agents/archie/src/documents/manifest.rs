//! Manifest of the documents of a thread: which files were found, which are included, how many are not.

use std::{collections::BTreeMap, path::PathBuf};

use serde::{Deserialize, Serialize};

use super::Reading;
use crate::entry::{Entry, Fate};

/// How many files that were left out are named in the state. The others are counted there, and
/// named in the store.
pub const LISTED: usize = 200;

/// Where documents are and what was found there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Inputs {
    /// The folder, or one file; nothing if the thread has no documents.
    pub folder: Option<String>,
    /// Files that a client has uploaded, in place of a folder.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uploads: Vec<Upload>,
    /// Files besides `.txt` and `.md`.
    pub globs: Vec<String>,
    /// Files that are never read: where results go.
    pub skip: Vec<String>,
    /// The files that are included, then the first [`LISTED`] of those that are not.
    pub files: Vec<Entry>,
    /// How many files, from the first of the whole list, have their text in the store. Threads of earlier versions say
    /// nothing about it and have the included ones.
    pub kept: usize,
    /// How many files are not included, by reason.
    pub left: BTreeMap<String, usize>,
    /// How many tokens the included ones are, as estimated.
    pub tokens: usize,
    /// How many they could have been.
    pub budget: usize,
    /// Where in the store all files are listed, if not all are listed here.
    pub manifest: Option<String>,
}

/// A file that a client has uploaded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Upload {
    /// Its name, which says what kind it is.
    pub name: String,
    /// The SHA-256 of its bytes.
    pub sha256: String,
}

impl Inputs {
    /// Documents below this folder.
    pub(crate) fn of(folder: Option<&PathBuf>, globs: &[String], skip: &[PathBuf]) -> Self {
        let absolute = |path: &PathBuf| {
            let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
            path.to_string_lossy().into_owned()
        };
        Self {
            folder: folder.map(absolute),
            globs: globs.to_vec(),
            skip: skip.iter().map(absolute).collect(),
            ..Self::default()
        }
    }

    /// The same with what was read.
    pub(crate) fn filled(mut self, reading: &Reading, budget: usize) -> Self {
        self.tokens = reading.tokens;
        self.kept = reading.texts.len();
        self.budget = budget;
        self.left.clear();
        self.files.clear();
        let mut listed = 0;
        for entry in &reading.files {
            if let Fate::Left(why) = &entry.fate {
                *self.left.entry(why.name().to_owned()).or_default() += 1;
                listed += 1;
                if listed > LISTED {
                    continue;
                }
            }
            self.files.push(entry.clone());
        }
        self
    }

    /// The files that are included.
    pub fn included(&self) -> impl Iterator<Item = &Entry> {
        self.files
            .iter()
            .filter(|entry| entry.fate.tokens().is_some())
    }

    /// How many files are not included.
    pub fn omitted(&self) -> usize {
        self.left.values().sum()
    }
}
