//! Usage, cost and origin of a reply.

use std::{fmt, ops::AddAssign};

use serde::{Deserialize, Serialize};

use crate::money::Money;

/// Tokens of one call or of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Tokens the model read, those it had in a cache among them.
    #[serde(rename = "input_tokens")]
    pub input: u64,
    /// Tokens of the input that came from a cache.
    #[serde(rename = "cached_tokens")]
    pub cached: u64,
    /// Tokens the model wrote, reasoning among them.
    #[serde(rename = "output_tokens")]
    pub output: u64,
    /// Tokens of the output that were reasoning.
    #[serde(rename = "reasoning_tokens")]
    pub reasoning: u64,
}

impl Usage {
    /// All tokens.
    pub fn total(&self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input = self.input.saturating_add(other.input);
        self.cached = self.cached.saturating_add(other.cached);
        self.output = self.output.saturating_add(other.output);
        self.reasoning = self.reasoning.saturating_add(other.reasoning);
    }
}

/// Which model gave a reply, and why it stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    /// Whose model it is.
    pub provider: String,
    /// The model that answered, as it names itself.
    #[serde(rename = "model_name")]
    pub model: String,
    /// The hash of its weights, where we have them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<String>,
    /// Why it stopped.
    #[serde(rename = "finish_reason")]
    pub finish: Finish,
    /// What was paid for it, where somebody counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paid: Option<Paid>,
}

/// What attempts took that gave no reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lost {
    /// Their tokens.
    pub usage: Usage,
    /// Their price; nothing if the model's prices are not known.
    pub cost: Option<Money>,
}

/// What was paid for a reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Paid {
    /// How often it was asked for.
    pub attempts: u32,
    /// The price of all attempts; nothing if the model's prices are not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Money>,
    /// The day of the prices.
    pub prices: String,
    /// The usage is estimated: the model did not say how many tokens it took, or what it said cannot be.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
}

/// Why a model stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// It was done, or met a stop word.
    #[default]
    Stop,
    /// It wants tools called.
    ToolCalls,
    /// It ran into the limit of tokens: what it said is cut.
    Length,
    /// It refused.
    Refusal,
    /// The provider held the answer back.
    Filtered,
    /// Something this version does not know.
    #[serde(untagged)]
    Other(String),
}

impl fmt::Display for Finish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stop => "stop",
            Self::ToolCalls => "tool_calls",
            Self::Length => "length",
            Self::Refusal => "refusal",
            Self::Filtered => "filtered",
            Self::Other(other) => other,
        })
    }
}
