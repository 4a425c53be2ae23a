//! Figures of a call: tokens, and how long they took.

use std::time::Duration;

/// What a call took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Figures {
    /// Tokens of the conversation.
    pub prompt: usize,
    /// Those that were known from an earlier call.
    pub cached: usize,
    /// How long the others took to read.
    pub reading: Duration,
    /// Tokens of the reply.
    pub written: usize,
    /// Those that the grammar left no choice about.
    pub forced: usize,
    /// Those that were guessed rightly, and read together with the one before them.
    pub guessed: usize,
    /// How long the reply took to write.
    pub writing: Duration,
    /// How many threads computed the last pass over the weights.
    pub threads: usize,
    /// Whether the caller went away before the end.
    pub is_cancelled: bool,
}
