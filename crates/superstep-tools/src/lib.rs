//! Tools that models call: checked, approved by people, made once.
//!
//! A [`Tool`] has a description for models and [`Access`] for people: what it can do to the outside
//! world. [`Tools`] is what an agent has. A call runs as a durable task of its own ([`execute`]):
//! checked, allowed by the [`Policy`] or approved by a person, journaled before and after, so that it
//! happens at most once and a person is asked about an unknown outcome. [`agent`] is the loop of a
//! model and its tools as a graph; [`refine`] is an analysis that questions itself; [`guided`] asks a
//! small model for one thing at a time; [`Chat`] keeps a conversation in state. With the feature `mcp` the tools of MCP servers
//! are tools like others, with less trust.

// The macros name the facade's paths; below it this crate stands in for it.
extern crate self as superstep;
#[allow(
    unused_imports,
    reason = "which of them the macros use is their business"
)]
use superstep_core::{ErrorKind, Value};
#[allow(
    unused_imports,
    reason = "which of them the macros use is their business"
)]
use superstep_engine::typed::*;

pub mod access;
pub mod agent;
pub mod approval;
mod attempt;
pub mod chat;
pub mod error;
mod execute;
pub mod guided;
mod happened;
#[cfg(feature = "mcp")]
pub mod mcp;
pub mod policy;
pub mod refine;
mod stream_reply;
pub mod tool;
pub mod toolbox;
mod traced;

pub use access::{Access, Capabilities};
pub use agent::{
    Agent, AgentNode, AgentState, Conversation, Hook, HookCtx, Progress, Prompt, ReplyText,
    SubAgent, Summaries, Team, Turn,
};
pub use approval::{
    Approval, ApprovalAnswer, Decision, Digest, Mode, OutcomeAnswer, OutcomeQuestion, Resolution,
    Scope, Terms, Verdict,
};
pub use attempt::{CallEnd, Gate, Lost, Next, Reviewer, call_key, check_unread, make};
pub use chat::Chat;
pub use error::ToolsError;
pub use execute::{Decided, OutcomeReviewer, ask_approval, decide, execute};
pub use happened::past_effects;
pub use policy::{Policy, Ruling};
pub use refine::{Refine, RefineConfig, Refinement, RefinementUpdate};
pub use stream_reply::stream_reply;
pub use tool::{
    ParsedCall, Reconciled, Tool, ToolCtx, ToolError, ToolOutput,
    call_values::{FromCall, IntoOutput, OptionalFromCall},
};
pub use toolbox::{Checked, Tools, ToolsBuilder};
pub use traced::{ModelCalls, Traced};

#[doc(hidden)]
pub mod __tool {
    //! What `#[tool]` needs; not for people.

    pub use serde;
    pub use serde_json;
    pub use superstep_schema::schemars;

    pub use crate::tool::{
        call_values::{FromCall, FromModel, IntoOutput},
        typed::{parse, spec},
    };

    /// Compiles if a model can give a `T`.
    pub fn is_given<T: FromModel>() {}
}
