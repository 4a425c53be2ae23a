//! Tests of the documentation agents through their public API.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod claims;
mod code_questions;
mod documents;
mod earlier;
mod facts;
mod folder;
mod forecast;
mod frames;
mod hostile;
mod imports;
mod inert;
mod kept;
mod killed;
mod manifests;
mod material;
mod mermaid;
mod outcomes;
mod places;
mod planted_claims;
mod queries;
mod small;
mod statements;
mod support;
mod traces;
mod versions;
