//! Settings: how deep, how much, with which agents.

mod table;

use std::{path::PathBuf, sync::Arc};

use serde::{Deserialize, Serialize};
use superstep::{fs::Roots, tools::RefineConfig};

pub use table::DocsTable;

use crate::{
    agent::DocAgent,
    agents::standard_agents,
    error::Error,
    facts::{Limits, Order},
    profile::{Profile, SMALL_REPLY, SMALL_ROOM},
};

pub use crate::facts::USUAL_OUTPUT;

/// How thorough a documentation is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Depth {
    /// One refinement, 70 points.
    Quick,
    /// Three refinements, 80 points.
    #[default]
    Normal,
    /// Six refinements, 90 points.
    Deep,
}

impl Depth {
    /// What it means.
    pub fn config(self) -> RefineConfig {
        let (max_iterations, clarity_threshold) = match self {
            Self::Quick => (1, 70.0),
            Self::Normal => (3, 80.0),
            Self::Deep => (6, 90.0),
        };
        RefineConfig {
            max_iterations,
            clarity_threshold,
            ..RefineConfig::default()
        }
    }
}

/// How documentation is made.
#[derive(Clone)]
pub struct Settings {
    /// When an analysis is good enough.
    pub refine: RefineConfig,
    /// The agents that work, in the order of their pages.
    pub agents: Vec<Arc<dyn DocAgent>>,
    /// Agents whose pages stay as they are if they have any; some of `agents` may be among them, and the pages are in this order.
    pub pages: Vec<Arc<dyn DocAgent>>,
    /// How many characters of material a prompt may have.
    pub room: usize,
    /// Which kind of model is asked.
    pub profile: Profile,
    /// Whether models may look files and symbols up.
    pub tools: bool,
    /// How many agents work at once.
    pub at_once: usize,
    /// Thresholds follow the grades of earlier runs.
    pub learn_thresholds: bool,
    /// Agents read the questions of similar ones.
    pub share_questions: bool,
    /// Limits of the scan.
    pub limits: Limits,
    /// The folders that requests may name, which then are data of others, as on a server: paths are below one of
    /// these, relative ones below the first, and documentation goes to the usual folder. Any folder if there is none.
    pub roots: Option<Roots>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            refine: Depth::Normal.config(),
            agents: standard_agents(),
            pages: standard_agents(),
            room: 40_000,
            profile: Profile::Strong,
            tools: true,
            at_once: 4,
            learn_thresholds: false,
            share_questions: false,
            limits: Limits::default(),
            roots: None,
        }
    }
}

impl Settings {
    /// Whether they make sense.
    pub fn check(&self) -> Result<(), Error> {
        let wrong = |why: &str| {
            Err(Error::Settings {
                why: why.to_owned(),
            })
        };
        let refine = &self.refine;
        if !(0.0..=100.0).contains(&refine.clarity_threshold) {
            return wrong("the clarity threshold is a number from 0 to 100");
        }
        if !(0.0..=100.0).contains(&refine.min_improvement) {
            return wrong("the minimum improvement is a number from 0 to 100");
        }
        if refine.max_iterations > 20 {
            return wrong("there may be 20 iterations at most");
        }
        if !(100..=2_000_000).contains(&self.room) {
            return wrong("a prompt has 100 to 2,000,000 characters of material");
        }
        if self.agents.is_empty() {
            return wrong("no agent is chosen");
        }
        Ok(())
    }

    /// The same for models of this kind. A small one is asked once per page unless `is_refined` says that more is
    /// wanted: its grades say little.
    #[must_use]
    pub fn with_profile(mut self, profile: Profile, is_refined: bool) -> Self {
        self.profile = profile;
        if profile == Profile::Small {
            self.room = self.room.min(SMALL_ROOM);
            self.at_once = 1;
            self.tools = false;
            self.refine.max_tokens.get_or_insert(SMALL_REPLY);
            self.refine.enable_self_questioning &= is_refined;
        }
        self
    }

    /// All agents that may have a page, in order.
    pub(crate) fn all_agents(&self) -> Vec<Arc<dyn DocAgent>> {
        let is_listed = |name: &str| self.pages.iter().any(|it| it.name() == name);
        let more = self.agents.iter().filter(|it| !is_listed(it.name()));
        // The agent that works is the one that counts, if there is another of its name.
        let own = |page: &Arc<dyn DocAgent>| {
            let own = self.agents.iter().find(|it| it.name() == page.name());
            own.unwrap_or(page).clone()
        };
        self.pages.iter().map(own).chain(more.cloned()).collect()
    }

    /// A request as it may be carried out.
    pub(crate) fn allowed(&self, request: &Request) -> Result<Request, Error> {
        let Some(allowed) = &self.roots else {
            return Ok(request.clone());
        };
        let refused = || Error::Root {
            path: superstep::text::single_line(&request.root.display().to_string()),
            why: "it is no folder that may be read here".to_owned(),
        };
        let real = allowed.below(&request.root).filter(|real| real.is_dir());
        let found = Request::new(&real.ok_or_else(refused)?, None)?;
        let output = &request.output;
        if !output.as_os_str().is_empty() && *output != found.output {
            return Err(Error::Output {
                path: superstep::text::single_line(&output.display().to_string()),
                why: format!("documentation goes to {}", found.output.display()),
            });
        }
        Ok(Request {
            root: found.root,
            output: found.output,
            ..request.clone()
        })
    }

    /// A scan for documentation that goes to a folder.
    pub(crate) fn order(&self, output: &std::path::Path, root: &std::path::Path) -> Order {
        Order {
            skip: vec![output.to_owned(), root.join(USUAL_OUTPUT)],
            private: self
                .roots
                .as_ref()
                .map_or_else(Default::default, |roots| roots.private(root)),
            limits: self.limits,
        }
    }
}

/// What to document, and where to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The folder, as it really is.
    pub root: PathBuf,
    /// The folder the documentation goes to.
    #[serde(default)]
    pub output: PathBuf,
    /// No model is asked.
    #[serde(default)]
    pub no_model: bool,
    /// Agents that saw none of the files changed since this commit keep what they have.
    #[serde(default)]
    pub since: Option<String>,
    /// Earlier results are not used.
    #[serde(default)]
    pub force: bool,
    /// A person is asked before a round that takes more tokens than this; whoever resumes the run must ask the same.
    #[serde(default)]
    pub approve_above: Option<u64>,
}

impl Request {
    /// Documents a folder, into one or into the usual one below it.
    pub fn new(root: &std::path::Path, output: Option<&std::path::Path>) -> Result<Self, Error> {
        let unreadable = |error: std::io::Error| Error::Root {
            path: root.display().to_string(),
            why: error.to_string(),
        };
        let real = std::fs::canonicalize(root).map_err(unreadable)?;
        let output = match output {
            None => real.join(USUAL_OUTPUT),
            Some(path) => {
                let failed = |why: String| Error::Output {
                    path: path.display().to_string(),
                    why,
                };
                let Some(name) = path.file_name() else {
                    return Err(failed("it has no name".into()));
                };
                let above = superstep::fs::parent(path);
                let parent = real_or_new(above).map_err(|error| {
                    failed(format!("the folder above it, {}: {error}", above.display()))
                })?;
                let output = parent.join(name);
                // A link that came with the code base would say where documentation goes.
                if leads_out(above, root, &real).map_err(|error| failed(error.to_string()))? {
                    let why =
                        "a link on the way leads out of the code base; name the folder itself";
                    return Err(failed(why.into()));
                }
                output
            }
        };
        if real.starts_with(&output) {
            return Err(Error::Output {
                path: output.display().to_string(),
                why: "the code base is in it".into(),
            });
        }
        Ok(Self {
            root: real,
            output,
            ..Self::default()
        })
    }
}

/// Whether a link of the code base is on the way to a folder and leads out of the code base. `..` leads to the folder
/// above as it is written, unless a link was before it.
fn leads_out(
    folder: &std::path::Path,
    root: &std::path::Path,
    real: &std::path::Path,
) -> std::io::Result<bool> {
    let root = without_dots(&std::path::absolute(root)?);
    let mut written = PathBuf::new();
    for part in std::path::absolute(folder)?.components() {
        written.push(part);
        let plain = without_dots(&written);
        let is_below = plain.starts_with(&root) || plain.starts_with(real);
        if is_below && !real_or_new(&written)?.starts_with(real) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A path in which each `..` took the folder before it away.
fn without_dots(path: &std::path::Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

/// A folder as it really is; of one that is not there yet, the folders above it that are.
fn real_or_new(folder: &std::path::Path) -> std::io::Result<PathBuf> {
    use std::{io::ErrorKind, path::Component};
    let error = match std::fs::canonicalize(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => error,
        real => return real,
    };
    // What a link would lead to that leads nowhere is not made, nor is what `..` of nothing is.
    let is_link = std::fs::symlink_metadata(folder).is_ok();
    let last = folder.components().next_back();
    let Some(Component::Normal(name)) = last.filter(|_| !is_link) else {
        return Err(error);
    };
    Ok(real_or_new(superstep::fs::parent(folder))?.join(name))
}
