//! Providers over HTTP: one attempt of one call, no more.
//!
//! [`OpenAi`] speaks chat completions, which most services and local servers understand;
//! [`Anthropic`] speaks the Messages API. Both send through the one [`Client`], read through
//! [`sse`], mark untrusted content ([`messages`]), and classify errors ([`fault`]). Retries, deadlines
//! and budgets are the same for all models and belong to [`call`](crate::call): here, a call that is
//! dropped is cancelled, and nothing waits longer than the connection may take.
//!
//! `docs/providers.md` describes requests, replies and errors.

pub mod anthropic;
pub mod embeddings;
pub mod fault;
mod forced_tool;
pub mod http;
pub mod list;
pub mod messages;
pub mod openai;
mod schema;
pub mod sse;
mod stream;
#[cfg(test)]
mod tests;

pub use anthropic::Anthropic;
pub use embeddings::{Dimensions, Embeddings};
pub use http::Site;
pub use list::Listed;
pub use openai::OpenAi;
pub use schema::Subset;
pub use superstep_http::{Address, Client, Egress, Proxy, Settings};
