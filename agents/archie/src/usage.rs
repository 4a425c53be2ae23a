//! Token usage and cost of model calls.

use serde::{Deserialize, Serialize};
use superstep::model::{Money, Reply, Usage};

use crate::prompts::Stage;

/// What one call cost, or several together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// Which turn of the conversation it was for.
    pub turn: usize,
    /// What the call was for; nothing for a sum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<Stage>,
    /// The model that answered, as it names itself.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// How many calls there were.
    pub calls: u32,
    /// How many of them did not say how many tokens they took.
    #[serde(default)]
    pub uncounted: u32,
    /// Tokens.
    pub tokens: Usage,
    /// How many attempts the calls took.
    pub attempts: u32,
    /// The price, as far as prices are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Money>,
    /// How many calls have no known price.
    #[serde(default)]
    pub unpriced: u32,
}

impl Spent {
    /// What a reply cost.
    pub(crate) fn on(reply: &Reply, stage: Stage, turn: usize) -> Self {
        let answered = reply.answered.as_ref();
        let paid = answered.and_then(|answered| answered.paid.as_ref());
        let cost = paid.and_then(|paid| paid.cost);
        Self {
            turn,
            stage: Some(stage),
            model: answered
                .map(|answered| answered.model.clone())
                .unwrap_or_default(),
            calls: 1,
            uncounted: u32::from(reply.usage.is_none()),
            tokens: reply.usage.unwrap_or_default(),
            attempts: paid.map_or(1, |paid| paid.attempts),
            cost,
            unpriced: u32::from(cost.is_none()),
        }
    }

    /// Both together. A sum names no stage, and the turn and model of the later one.
    #[must_use]
    pub fn plus(mut self, other: &Self) -> Self {
        self.turn = other.turn;
        self.stage = None;
        self.model.clone_from(&other.model);
        self.calls = self.calls.saturating_add(other.calls);
        self.uncounted = self.uncounted.saturating_add(other.uncounted);
        self.tokens += other.tokens;
        self.attempts = self.attempts.saturating_add(other.attempts);
        self.cost = match (self.cost, other.cost) {
            (Some(one), Some(other)) => Some(one.plus(other)),
            (one, other) => one.or(other),
        };
        self.unpriced = self.unpriced.saturating_add(other.unpriced);
        self
    }
}
