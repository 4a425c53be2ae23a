//! Totals of a branch: time, tokens, cost. `builder::sum` adds it up.

use superstep_core::event::Facts;

/// Sums over a branch and its parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Totals {
    /// Calls of models.
    pub models: u64,
    /// Runs of tools.
    pub tools: u64,
    /// Tokens that went in, cached ones too.
    pub input_tokens: u64,
    /// Those of them that were cached.
    pub cached_tokens: u64,
    /// Tokens that came out, those of reasoning too.
    pub output_tokens: u64,
    /// Those of them that were reasoning.
    pub reasoning_tokens: u64,
    /// What is known of the cost, in millionths of a dollar.
    pub cost: u64,
    /// Calls of models whose cost is not known.
    pub unpriced: u64,
    /// What failed by itself, not because a part of it did.
    pub errors: u64,
    /// Time spent in models, in microseconds; those that ran side by side count each.
    pub model_time: u64,
    /// Time spent in tools.
    pub tool_time: u64,
}

impl Totals {
    pub(crate) fn add(&mut self, other: &Self) {
        for (own, other) in self.all_mut().into_iter().zip(other.all()) {
            *own = own.saturating_add(other);
        }
    }

    /// What a span says of itself covers its parts.
    pub(crate) fn claim(&mut self, facts: &Facts) {
        let reported = [
            (&mut self.input_tokens, facts.input_tokens),
            (&mut self.cached_tokens, facts.cached_tokens),
            (&mut self.output_tokens, facts.output_tokens),
            (&mut self.reasoning_tokens, facts.reasoning_tokens),
            (&mut self.cost, facts.cost),
        ];
        for (sum, reported) in reported {
            *sum = reported.unwrap_or(*sum);
        }
    }

    fn all(&self) -> [u64; 11] {
        [
            self.models, self.tools, self.input_tokens, self.cached_tokens, self.output_tokens,
            self.reasoning_tokens, self.cost, self.unpriced, self.errors, self.model_time,
            self.tool_time,
        ]
    }

    fn all_mut(&mut self) -> [&mut u64; 11] {
        [
            &mut self.models, &mut self.tools, &mut self.input_tokens, &mut self.cached_tokens,
            &mut self.output_tokens, &mut self.reasoning_tokens, &mut self.cost,
            &mut self.unpriced, &mut self.errors, &mut self.model_time, &mut self.tool_time,
        ]
    }
}
