//! Language models: what is said to them and what they say.
//!
//! [`Message`] is what state holds, [`Request`] what a model gets, [`Delta`] what comes back piece by
//! piece, [`Assembly`] how the pieces become a message again. [`Model`] is anything that answers; it
//! is object-safe and streams first. Messages are types of this crate, because they live in
//! checkpoints: no other library's release changes what is on disk.

pub mod assemble;
pub mod call;
pub mod cassette;
pub mod config;
pub mod delta;
pub mod error;
#[cfg(feature = "fake")]
pub mod fake;
pub mod message;
pub mod model;
pub mod model_id;
pub mod money;
pub mod near;
#[cfg(feature = "remote")]
pub mod remote;
pub mod request;
pub mod schema;
pub mod script;
pub mod select;
pub mod spec;
pub mod tool;
pub mod usage;

pub use superstep_text::Secret;

pub use assemble::Assembly;
pub use call::{Budget, Caller, Fitted, Policy, Prices, Watch, structured, structured_json};
pub use cassette::Cassette;
pub use delta::{Delta, Deltas};
pub use error::{ErrorKind, ModelError, Phase};
pub use message::{Body, Content, Label, Message, Part, Reasoning, Reply, ToolReply};
pub use model::{Caps, Model, Structured};
pub use model_id::ModelId;
pub use money::{Money, NotMoney};
pub use request::{Effort, OutputSchema, Request, ToolChoice};
pub use schema::{Problem, Schema, SchemaError};
pub use script::Script;
pub use tool::{InvalidCall, ToolCall, ToolSpec};
pub use usage::{Answered, Finish, Paid, Usage};
