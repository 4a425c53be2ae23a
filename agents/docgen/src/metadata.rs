//! `metadata.json`: what the documentation was made of, in the words of the document; the cache of the next run.

use std::{collections::BTreeMap, path::Path};

use serde::{Deserialize, Serialize};

use crate::{
    claims::ClaimReport,
    error::Error,
    facts::Counts,
    result::AgentResult,
    signature::{self, FORMAT},
};

/// The name of the file.
pub const METADATA: &str = signature::METADATA;
/// The name of the file with the hashes of what was read.
pub const INPUTS: &str = "inputs.json";

const VERSION: u32 = 1;

/// The largest file that is read.
const LARGEST: u64 = 64 << 20;

/// How many revisions and grades are kept.
const KEPT: usize = 50;
const GRADES: usize = 10;

/// A documentation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Metadata {
    /// What the file calls itself.
    pub format: String,
    /// The version of the format.
    pub version: u32,
    /// The code base.
    pub name: String,
    /// The model that was asked; none if none was.
    pub model: Option<String>,
    /// `success` if all agents were; `failed` if none has written anything; `partial` otherwise; `facts` if no model was asked.
    pub status: String,
    /// Figures.
    pub counts: Counts,
    /// Claims of all agents.
    pub claims: ClaimReport,
    /// The agents, in the order of their pages.
    pub agents: Vec<AgentResult>,
    /// Grades of earlier runs, oldest first: what thresholds are learned from.
    pub history: BTreeMap<String, Vec<f64>>,
    /// What changed from run to run.
    pub revisions: Vec<Revision>,
    /// The files of the documentation.
    pub files: Vec<String>,
    /// Hashes of them as they were written; the next documentation replaces those that are still the same.
    pub written: BTreeMap<String, String>,
}

/// A run that changed something.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Revision {
    /// Its number, from 1.
    pub number: u32,
    /// Files that were new.
    pub added: Vec<String>,
    /// Files that were gone.
    pub removed: Vec<String>,
    /// Files that had changed.
    pub changed: Vec<String>,
    /// How many more files than are listed.
    pub more: u32,
    /// The agents that ran.
    pub agents: Vec<String>,
    /// Agents whose pages are gone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<String>,
}

impl Metadata {
    /// A new one of a code base.
    pub(crate) fn new(name: &str) -> Self {
        Self {
            format: FORMAT.into(),
            version: VERSION,
            name: name.to_owned(),
            ..Self::default()
        }
    }

    /// The one in a folder, if there is one that can be read.
    pub fn read(folder: &Path) -> Result<Option<Self>, Error> {
        let unusable = |why: String| Error::NoDocumentation {
            path: folder.display().to_string(),
            why,
        };
        let path = folder.join(METADATA);
        let text = match superstep::fs::read_text(&path, LARGEST) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unusable(format!("{METADATA}: {error}"))),
        };
        let read: Self = serde_json::from_str(&text)
            .map_err(|error| unusable(format!("{METADATA}: {error}")))?;
        if read.format != FORMAT || read.version != VERSION {
            return Err(unusable(format!("{METADATA} is of another format")));
        }
        Ok(Some(read))
    }

    /// An agent's result.
    pub fn agent(&self, name: &str) -> Option<&AgentResult> {
        self.agents.iter().find(|it| it.agent_name == name)
    }

    /// Adds the grade of a run.
    pub(crate) fn graded(&mut self, agent: &str, score: f64) {
        let grades = self.history.entry(agent.to_owned()).or_default();
        grades.push(score);
        let most = grades.len().saturating_sub(GRADES);
        grades.drain(..most);
    }

    /// Adds a revision, if there is one.
    pub(crate) fn revised(&mut self, mut revision: Revision) {
        if revision.is_empty() {
            return;
        }
        revision.number = self.revisions.last().map_or(0, |it| it.number) + 1;
        self.revisions.push(revision);
        let most = self.revisions.len().saturating_sub(KEPT);
        self.revisions.drain(..most);
    }
}

/// The most files of each kind that a revision lists.
const LISTED: usize = 30;

impl Revision {
    /// What changed between two sets of files, by their hashes.
    pub(crate) fn between(
        before: &BTreeMap<String, String>,
        after: &BTreeMap<String, String>,
    ) -> Self {
        let mut revision = Self::default();
        let mut list = |which: fn(&mut Self) -> &mut Vec<String>, path: &String| {
            let listed = which(&mut revision);
            match listed.len() < LISTED {
                true => listed.push(path.clone()),
                false => revision.more += 1,
            }
        };
        for (path, hash) in after {
            match before.get(path) {
                None => list(|it| &mut it.added, path),
                Some(old) if old != hash => list(|it| &mut it.changed, path),
                Some(_) => {}
            }
        }
        for path in before.keys().filter(|path| !after.contains_key(*path)) {
            list(|it| &mut it.removed, path);
        }
        revision
    }

    fn is_empty(&self) -> bool {
        self.added.is_empty()
            && self.removed.is_empty()
            && self.changed.is_empty()
            && self.agents.is_empty()
            && self.gone.is_empty()
    }
}

/// The hashes of the last run; empty if there are none.
pub(crate) fn inputs(folder: &Path) -> BTreeMap<String, String> {
    let text = superstep::fs::read_text(&folder.join(INPUTS), LARGEST);
    text.ok()
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default()
}
