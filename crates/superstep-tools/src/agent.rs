//! The tool-calling agent: a model and its tools in a loop, as a graph.
//!
//! ```text
//! start ──► model ──► (one task for each call) tool ──► model ──► ... ──► end
//! ```
//!
//! Each call is a task of its own, so all calls of a turn that need a person are asked for together
//! and decided one by one, and those that are made are made once. What is wrong with a reply goes
//! back to the model at most [`REPAIRS`] times in a row.
//!
//! [`Prompt`] sends a message in plain text, [`ReplyText`] reads the reply.
//!
//! An agent is open to its user: a state of one's own ([`Conversation`]), a prompt made of state and
//! context ([`Agent::system_with`]), hooks around models and tools ([`Hook`]), limits for what a model reads
//! ([`Agent::trim`], [`Agent::summarize`]), data as the answer ([`Agent::answer_as`]), agents that hand
//! over to each other ([`Team`]) or that are tools of others ([`Agent::into_tool`]). The loop itself is
//! in the module `steps`, what a reply asks for in `turn`, how they make a graph in `graph`.

mod config;
mod conversation;
mod graph;
mod hook;
mod prompt;
mod state;
mod steps;
mod sub_agent;
mod summary;
mod team;
mod turn;

pub use config::Agent;
pub use conversation::{Conversation, Progress};
pub use hook::{Hook, HookCtx};
pub use prompt::{Prompt, ReplyText};
pub use state::{AgentNode, AgentState, AgentStateUpdate, say};
pub use sub_agent::SubAgent;
pub use summary::Summaries;
pub use team::Team;
pub use turn::{MAX_SAME_CALLS, REPAIRS, Turn};
