//! HTTP client with one policy for TLS, egress, sizes, deadlines and backoff.
//!
//! - [`Backoff`]: how often a request is tried and how long to wait between attempts, `Retry-After`
//!   included. It needs no feature.
//! - `tls` (feature `tls`): the TLS configuration of every connection, HTTP or not. No process-wide
//!   provider of cryptography is needed or installed.
//! - `Client` (feature `client`): requests to `https`, or to this machine; no redirects unless
//!   asked for; no compression; bodies are read to a limit and no further.
//!
//! One attempt of one request is all that a client makes: who sends decides about the next one.

#[cfg(feature = "client")]
mod address;
mod backoff;
#[cfg(feature = "client")]
mod client;
#[cfg(feature = "client")]
mod egress;
#[cfg(feature = "client")]
mod error;
#[cfg(feature = "client")]
mod response;
#[cfg(feature = "client")]
mod retry_after;
#[cfg(feature = "tls")]
pub mod tls;

#[cfg(feature = "client")]
pub use address::Address;
pub use backoff::{Backoff, Jitter, RetryAfter, Rng};
#[cfg(feature = "client")]
pub use client::{Client, Proxy, Settings};
#[cfg(feature = "client")]
pub use egress::{Egress, host, is_loopback, without_secrets};
#[cfg(feature = "client")]
pub use error::Error;
#[cfg(feature = "client")]
pub use reqwest::{Method, RequestBuilder, StatusCode, Url, header};
#[cfg(feature = "client")]
pub use response::{Chunks, Response};
#[cfg(feature = "client")]
pub use retry_after::retry_after;
