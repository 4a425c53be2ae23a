//! Settings of the agent.

mod table;

use superstep::{fs::Roots, tools::guided::Profile};
use superstep_agent::Surroundings;

use crate::{
    approval::Keywords,
    documents::{Limits, PdfReader},
    memory::MemoryPlace,
    prompts::Prompts,
};

/// How many tokens of documents a model gets that does not say how much it can read, unless the caller says otherwise.
pub const USUAL_DOCUMENT_TOKENS: usize = 48_000;

/// The most tokens of documents that a model gets however much it can read, unless the caller says otherwise.
pub const MOST_DOCUMENT_TOKENS: usize = 100_000;

/// What a caller can choose; the defaults do for a model on this machine and for one far away.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The prompts.
    pub prompts: Prompts,
    /// Which words approve.
    pub keywords: Keywords,
    /// What is read of a folder.
    pub limits: Limits,
    /// What makes text of PDFs; without it they are left out, and named.
    pub pdf: Option<PdfReader>,
    /// How many tokens of documents the model gets, as estimated. By default three eighths of what
    /// it can read and at most [`MOST_DOCUMENT_TOKENS`], and [`USUAL_DOCUMENT_TOKENS`] if it does not say.
    pub document_tokens: Option<usize>,
    /// Where the memory is; without a place nothing is remembered.
    pub memory: Option<MemoryPlace>,
    /// The folders that a thread may name, which then are data of others, as on a server; relative ones are below the
    /// first. Any folder if there is none.
    pub roots: Option<Roots>,
    /// How long replies may be.
    pub replies: Replies,
    /// How often a reply that is empty or breaks off is asked for.
    pub attempts: Attempts,
    /// How models are asked; by what they can if absent.
    pub profile: Option<Profile>,
    /// The clock and the zone of the day in prompts and notes; by default those of this machine.
    pub surroundings: Surroundings,
}

/// How many tokens replies may have; never more than a quarter of what the model can read. Without a limit it is the
/// model's own; small models have one in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replies {
    /// A turn of the conversation, or an answer.
    pub turn: Option<u32>,
    /// The analysis, or a context document.
    pub result: Option<u32>,
}

/// How often a reply that is empty or breaks off is asked for.
///
/// Other failures are not repeated here: the rules around a model (`superstep::model::ManagedModel`) do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempts {
    /// The attempts, the first included.
    pub most: u32,
    /// The wait before the second; it doubles.
    pub wait: std::time::Duration,
}

impl Default for Attempts {
    fn default() -> Self {
        Self {
            most: 3,
            wait: std::time::Duration::from_millis(500),
        }
    }
}
