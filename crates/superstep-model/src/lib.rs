//! Language models: messages, the `Model` trait, providers, scripts, recordings, call policies.
//!
//! [`Message`] is what state holds, [`Request`] what a model gets, [`Delta`] a part of its reply as it
//! streams in, [`Assembly`] makes a message of the deltas. [`Model`] is the trait of anything that
//! answers; it is object-safe and streams first. Messages are types of this crate, because they are
//! stored in checkpoints: no other library's release changes what is on disk.

pub mod assemble;
pub mod call;
pub mod cassette;
pub mod config;
pub mod delta;
pub mod did_you_mean;
pub mod error;
pub mod history;
pub mod message;
pub mod model;
pub mod model_id;
pub mod money;
mod node_models;
#[cfg(feature = "remote")]
pub mod remote;
pub mod request;
pub mod script;
pub mod select;
pub mod spec;
pub mod tool;
mod trace_scope;
pub mod usage;

#[doc(inline)]
pub use superstep_schema as schema;
pub use superstep_text::Secret;

pub use assemble::Assembly;
pub use call::{
    Budget, CallObserver, ManagedModel, Policy, Prices, StructuredReply, structured,
    structured_json, structured_within,
};
pub use cassette::Cassette;
pub use delta::{Delta, Deltas};
pub use error::{ErrorKind, ModelError, Phase};
pub use message::{Body, Content, Label, Message, Part, Reasoning, Reply, ToolReply};
pub use model::{Caps, Model, ModelLayer, Structured};
pub use model_id::ModelId;
pub use money::{Money, NotMoney};
pub use node_models::NodeModels;
pub use request::{Cached, Effort, OutputSchema, Request, ToolChoice};
pub use schema::{Problem, Schema, SchemaError};
pub use script::Script;
pub use tool::{InvalidCall, ToolCall, ToolSpec};
pub use trace_scope::in_trace;
pub use usage::{Answered, Finish, Lost, Paid, Usage};
