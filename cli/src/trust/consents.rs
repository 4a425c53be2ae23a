//! Decisions about project files: one small file per decision, in the data folder.
//!
//! A consent is bound to the canonical path of the file and to the SHA-256 of its content. To ignore a
//! file is bound to its place alone, so no change of the file ends it. Each decision is a file of its
//! own, so that two processes that decide at once do not overwrite each other.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use superstep::model::config::{Decision, ProjectFile};

use super::TrustError;
use crate::{dirs, private};

/// The version of the format.
const VERSION: u32 = 1;

/// A decision as it is kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Consent {
    v: u32,
    /// The file.
    pub(super) path: String,
    /// The SHA-256 of its content at that time.
    pub(super) sha256: String,
    /// What was decided.
    pub(super) decision: Decided,
    /// When.
    pub(super) at: String,
}

/// What was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Decided {
    Trusted,
    Ignored,
}

impl Consent {
    /// What holds for the file now.
    pub(super) fn decision(&self) -> Decision {
        match self.decision {
            Decided::Trusted => Decision::Trusted {
                digest: self.sha256.clone(),
            },
            Decided::Ignored => Decision::Ignored,
        }
    }
}

/// The decision about a file. One that cannot be read is none: the user is asked again.
pub(super) fn find(file: &ProjectFile) -> Option<Consent> {
    let folder = folder()?;
    let about = |path: &Path| {
        let consent = read(&folder.join(name(path)))?;
        (consent.path == path.to_string_lossy()).then_some(consent)
    };
    let ignored = about(&file.place).filter(|consent| consent.decision == Decided::Ignored);
    ignored.or_else(|| about(&file.canonical))
}

/// Keeps a decision.
pub(super) fn keep(file: &ProjectFile, decision: Decided) -> Result<(), TrustError> {
    let failed = |why: String| TrustError::NotKept {
        file: file.path.display().to_string(),
        why,
    };
    let folder = folder().ok_or_else(|| failed("there is no home folder; set HOME".into()))?;
    let about = match decision {
        Decided::Trusted => &file.canonical,
        Decided::Ignored => &file.place,
    };
    let consent = Consent {
        v: VERSION,
        path: about.to_string_lossy().into_owned(),
        sha256: file.digest.clone(),
        decision,
        at: Timestamp::now().to_string(),
    };
    let record = serde_json::to_vec(&consent).map_err(|error| failed(error.to_string()))?;
    let written = private::replace(&folder.join(name(about)), &record);
    written.map_err(|error| failed(format!("{}: {error}", folder.display())))?;
    // A link that was ignored no longer is.
    if decision == Decided::Trusted && file.place != file.canonical {
        delete(&folder.join(name(&file.place)), &file.path)?;
    }
    Ok(())
}

/// Takes a decision back; whether there was one.
pub(super) fn remove(file: &ProjectFile) -> Result<bool, TrustError> {
    let Some(folder) = folder() else {
        return Ok(false);
    };
    let mut was_there = false;
    for path in [&file.place, &file.canonical] {
        was_there |= delete(&folder.join(name(path)), &file.path)?;
    }
    Ok(was_there)
}

/// Takes the decision about a path back whose file is gone; whether there was one.
pub(super) fn remove_of(path: &Path) -> Result<bool, TrustError> {
    let Some(folder) = folder() else {
        return Ok(false);
    };
    let mut was_there = false;
    for (record, consent) in records(&folder) {
        if Path::new(&consent.path) == path {
            was_there |= delete(&record, path)?;
        }
    }
    Ok(was_there)
}

/// All decisions, by path.
pub(super) fn all() -> Vec<Consent> {
    let records = folder().map(|folder| records(&folder)).unwrap_or_default();
    let mut all: Vec<Consent> = records.into_iter().map(|(_, consent)| consent).collect();
    all.sort_by(|one, other| one.path.cmp(&other.path));
    all
}

fn folder() -> Option<PathBuf> {
    dirs::data().map(|folder| folder.join("trust"))
}

fn name(about: &Path) -> String {
    format!("{}.json", ProjectFile::id(about))
}

fn records(folder: &Path) -> Vec<(PathBuf, Consent)> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let json = paths.filter(|path| path.extension().is_some_and(|kind| kind == "json"));
    json.filter_map(|path| read(&path).map(|consent| (path, consent)))
        .collect()
}

fn read(path: &Path) -> Option<Consent> {
    let text = fs::read(path).ok()?;
    let consent: Consent = serde_json::from_slice(&text).ok()?;
    (consent.v == VERSION).then_some(consent)
}

fn delete(record: &Path, about: &Path) -> Result<bool, TrustError> {
    match fs::remove_file(record) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(TrustError::NotKept {
            file: about.display().to_string(),
            why: format!("{}: {error}", record.display()),
        }),
    }
}
