//! How the embedded model uses the machine.

use std::path::PathBuf;

use super::machine::Threads;

/// How the model uses the machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// How many threads compute.
    pub threads: Threads,
    /// How many tokens a conversation and its reply may have. What the model was made for limits it
    /// too.
    pub context: usize,
    /// How many prompt prefixes are cached, so that they need not be read again. Nodes
    /// with instructions of their own each want one.
    pub prefixes: usize,
    /// Where prefixes of requests with [`Cached::Examples`](superstep_model::Cached::Examples) are kept for
    /// the next process, for its owner alone. Not at all without one.
    pub prefix_folder: Option<PathBuf>,
    /// How many calls may wait.
    pub queue: usize,
    /// How many tokens a reply may have if its request does not say.
    pub max_tokens: u32,
    /// With a temperature, only the likeliest tokens that make up this share are considered.
    pub top_p: f32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            threads: Threads::Auto,
            context: 8192,
            prefixes: 3,
            prefix_folder: None,
            queue: 64,
            max_tokens: 1024,
            top_p: 0.95,
        }
    }
}
