//! Providers over HTTP: one attempt of one call, no more.
//!
//! [`OpenAi`] speaks chat completions, which most services and local servers understand;
//! [`Anthropic`] speaks the Messages API. Both send through the one [`Client`], read through
//! [`sse`], mark foreign text as [`turns`] says, and map what goes wrong in [`fault`]. Retries,
//! deadlines and budgets stand around a model and are the same for all of them: a call that is
//! dropped is cancelled, and nothing here waits longer than the connection may take.
//!
//! `docs/providers.md` tells what is sent and what comes of it.

pub mod anthropic;
pub mod embeddings;
pub mod fault;
mod forced;
pub mod http;
pub mod list;
pub mod openai;
mod pieces;
mod schema;
pub mod sse;
#[cfg(test)]
mod tests;
pub mod turns;

pub use anthropic::Anthropic;
pub use embeddings::{Dimensions, Embeddings};
pub use http::Site;
pub use list::Listed;
pub use openai::OpenAi;
pub use superstep_http::{Address, Client, Egress, Proxy, Settings};
