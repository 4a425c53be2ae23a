//! Documentation of a code base: facts first, then agents whose claims are checked against them.
//!
//! ```text
//! start ─► ScanProjectStructure ─► CreateExecutionContext ─► ExecuteAgents ─► AggregateResults ─► end
//!                                                                 │
//!                             one task per agent: analyzeInitial ─► evaluateClarity ⇄ generateQuestions, refineAnalysis
//!                                                                                  └─► finalizeOutput
//! ```
//!
//! | in the source document | here |
//! |---|---|
//! | `BaseAgentWorkflow` | [`Workflow`], over [`superstep::tools::Refine`] |
//! | `getAgentName`, `buildSystemPrompt`, `buildHumanPrompt`, `parseAnalysis`, `formatMarkdown`, `generateSummary` | [`DocAgent`]: `name`, `system_prompt`, `human_prompt`, `parse`, `markdown`, `summary` |
//! | `AgentWorkflowState` | [`superstep::tools::Refinement`], with the same fields in snake case |
//! | `AgentWorkflowConfig` | [`superstep::tools::RefineConfig`], with the same names in JSON |
//! | `AgentContext` | [`AgentContext`] |
//! | `workflow.execute(context, config, runnableConfig)` | [`execute`] |
//! | the agent result | [`AgentResult`], with the same names in JSON |
//! | names of traces | the same: nodes, graphs `Agent-…`, spans `…-InitialAnalysis` and so on |
//!
//! Begin with [`Docgen`]. [`facts`] says what is known about a folder, [`agents`] who writes what, [`claims`] how it is
//! checked. The guide is `docs/docgen.md`.

mod agent;
pub mod agents;
mod aggregate;
pub mod analysis;
mod citations;
pub mod claims;
mod clean;
mod contract;
pub mod diagrams;
mod docgen;
mod earlier;
mod error;
pub mod facts;
mod failure;
pub mod findings;
mod forecast;
mod inert;
mod library;
pub mod links;
pub mod material;
pub mod mermaid;
pub mod metadata;
mod nodes;
pub mod numbered;
mod output;
mod pages;
mod plan;
mod profile;
pub mod query;
mod result;
mod review;
mod services;
mod session;
mod settings;
mod signature;
mod since;
mod state;
mod tools;
mod watch;
mod workflow;

pub use agent::{AgentContext, DocAgent, is_agent_name};
pub use analysis::Data;
pub use citations::CitedLine;
pub use clean::clean;
pub use contract::DocsAgent;
pub use docgen::{Docgen, NewError};
pub use error::Error;
pub use facts::{Facts, scan};
pub use forecast::{Forecast, ForecastAgent};
pub use metadata::Metadata;
pub use profile::Profile;
pub use result::{AgentResult, Earlier, ResultMetadata, Status};
pub use session::{CodeQuestion, DocsSession, forecast_notice, impact_notice, page_notice};
pub use settings::{Depth, DocsTable, Request, Settings, USUAL_OUTPUT};
pub use state::{BatchNode, BatchState, DocNode, DocState, DocStateUpdate, Outcome, Planned};
pub use workflow::{Workflow, WorkflowError, execute};
