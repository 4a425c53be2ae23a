//! Embeddings for semantic search of the long-term store.
//!
//! [`MiniLm`] is an [`Embedder`](superstep_store::Embedder) that runs in this process. Its weights
//! must be on the machine (see [`weights`](crate::weights)); without them it fails and says what to do,
//! and never answers with something else.
//!
//! Read next: `minilm` is the embedder, `network` the model behind it, `tokens` how a text becomes numbers.

mod minilm;
mod network;
mod tokens;

pub use minilm::MiniLm;
