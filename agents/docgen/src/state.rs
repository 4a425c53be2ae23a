//! The states of the graph: data and names, never the facts themselves, which are taken anew from the folder.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use superstep::{Nodes, State};

use crate::{claims::ClaimReport, result::AgentResult, settings::Request};

/// The state of a documentation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, State)]
pub struct DocState {
    /// What to document.
    pub request: Request,
    /// A hash of what was read.
    pub digest: String,
    /// Which agents run, and which have a result already.
    pub plan: Vec<Planned>,
    /// Results of agents by name.
    #[reduce(Merge)]
    pub results: BTreeMap<String, AgentResult>,
    /// How it ended.
    pub outcome: Option<Outcome>,
}

/// An agent in the plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Planned {
    /// Its name.
    pub name: String,
    /// The key of its result.
    pub key: String,
    /// Its result is there already.
    pub is_kept: bool,
}

/// How a documentation ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// `success`, `partial`, `failed` if no agent could write, or `facts`.
    pub status: String,
    /// Where it is.
    pub output: String,
    /// Its files.
    pub files: Vec<String>,
    /// Agents that ran: each made a call at least.
    pub ran: Vec<String>,
    /// Agents whose results were kept.
    pub kept: Vec<String>,
    /// Agents that failed, with why.
    pub failed: BTreeMap<String, String>,
    /// Calls of the model in this run.
    pub calls: u32,
    /// Their tokens.
    pub tokens: u64,
    /// Those that were read.
    #[serde(default)]
    pub input_tokens: u64,
    /// Those that were written.
    #[serde(default)]
    pub output_tokens: u64,
    /// Some of the tokens are estimated.
    #[serde(default)]
    pub estimated: bool,
    /// What they cost, in millionths of a dollar, as far as it is known.
    pub micros: u64,
    /// The same by the name that money has in all output.
    #[serde(default)]
    pub cost_micro_usd: u64,
    /// Agents that could not make one call within the budget.
    #[serde(default)]
    pub unasked: Vec<String>,
    /// How many tokens the first call of one of these needs, its reply at full length; the most of all of them.
    #[serde(default)]
    pub needs_tokens: Option<u64>,
    /// The code of the error if a provider refused its key.
    #[serde(default)]
    pub refused: Option<String>,
    /// Claims of all pages.
    pub claims: ClaimReport,
    /// Links that led nowhere and were taken out.
    pub broken_links: u32,
    /// Agents that could not run and whose pages are of an earlier state.
    #[serde(default)]
    pub earlier: Vec<String>,
    /// What a reader should know of pages that were made now, by agent.
    #[serde(default)]
    pub warnings: BTreeMap<String, Vec<String>>,
    /// Pages that somebody had changed, by the names under which they were kept.
    #[serde(default)]
    pub aside: Vec<String>,
}

/// The nodes of a documentation, by the document's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
pub enum DocNode {
    /// Takes the facts.
    #[node(name = "ScanProjectStructure")]
    Scan,
    /// Decides which agents run.
    #[node(name = "CreateExecutionContext")]
    Plan,
    /// Runs them.
    #[node(name = "ExecuteAgents")]
    Execute,
    /// Makes pages, checks links, writes.
    #[node(name = "AggregateResults")]
    Aggregate,
}

/// The state of the agents of one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, State)]
pub struct BatchState {
    /// What is documented.
    pub request: Request,
    /// Names of the agents that run.
    pub names: Vec<String>,
    /// Questions that similar agents asked, by agent.
    pub shared: BTreeMap<String, Vec<String>>,
    /// Results by name.
    #[reduce(Merge)]
    pub results: BTreeMap<String, AgentResult>,
}

/// The nodes of the agents of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
pub enum BatchNode {
    /// One task for each agent.
    Start,
    /// One agent.
    Agent,
}
