//! What the calls of models in a run took.

use serde::{Deserialize, Serialize};

use crate::event::Facts;

/// What calls of models took, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunCost {
    /// How many there were.
    pub calls: u64,
    /// Tokens that went in, cached ones too.
    pub input_tokens: u64,
    /// Tokens that came out, those of reasoning too.
    pub output_tokens: u64,
    /// What is known of the price, in millionths of a dollar.
    pub micro_usd: u64,
    /// Calls of which the price is not known.
    pub unpriced: u64,
}

impl RunCost {
    /// What one call took.
    pub fn of(facts: &Facts) -> Self {
        Self {
            calls: 1,
            input_tokens: facts.input_tokens.unwrap_or(0),
            output_tokens: facts.output_tokens.unwrap_or(0),
            micro_usd: facts.cost.unwrap_or(0),
            unpriced: u64::from(facts.cost.is_none()),
        }
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            calls: self.calls.saturating_add(other.calls),
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            micro_usd: self.micro_usd.saturating_add(other.micro_usd),
            unpriced: self.unpriced.saturating_add(other.unpriced),
        }
    }

    /// Whether no model was called.
    pub fn is_zero(&self) -> bool {
        *self == Self::default()
    }
}
