//! Budget of a run and its thread: how much their calls of models may take.

use serde::{Deserialize, Serialize};

use super::RunCost;

/// How much calls of models may take; what is absent is not limited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Allowance {
    /// Tokens, in and out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Money, in millionths of a dollar. After a call without a known price there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub micro_usd: Option<u64>,
}

impl Allowance {
    /// So many tokens.
    pub fn tokens(tokens: u64) -> Self {
        Self {
            tokens: Some(tokens),
            micro_usd: None,
        }
    }

    /// So many millionths of a dollar.
    pub fn micro_usd(micro_usd: u64) -> Self {
        Self {
            tokens: None,
            micro_usd: Some(micro_usd),
        }
    }

    fn check(&self, of: &'static str, spent: RunCost) -> Result<(), BudgetSpent> {
        let over = |spent: String, limit: String| {
            let limit = format!("{limit} of the {of}");
            Err(BudgetSpent { spent, limit })
        };
        let tokens = spent.input_tokens.saturating_add(spent.output_tokens);
        if let Some(limit) = self.tokens.filter(|limit| tokens >= *limit) {
            return over(format!("{tokens} tokens"), format!("{limit} tokens"));
        }
        let Some(limit) = self.micro_usd else {
            return Ok(());
        };
        let dollars = |micro: u64| format!("${:.6}", micro as f64 / 1e6);
        match (spent.unpriced, spent.micro_usd) {
            (0, money) if money < limit => Ok(()),
            (0, money) => over(dollars(money), dollars(limit)),
            (calls, _) => over(format!("{calls} calls without a price"), dollars(limit)),
        }
    }
}

/// The budget of a run. It is stored with the run, and what was spent is counted from the records of runs, so that both
/// survive restarts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunBudget {
    /// Of the run, with the times before it slept or was handed back.
    pub run: Allowance,
    /// Of all runs of its thread together.
    pub thread: Allowance,
}

impl RunBudget {
    /// Whether nothing is limited.
    pub fn is_unlimited(&self) -> bool {
        *self == Self::default()
    }

    /// Whether another call of a model may be made, by what the run and its thread have spent.
    pub fn check(&self, run: RunCost, thread: RunCost) -> Result<(), BudgetSpent> {
        self.run.check("run", run)?;
        self.thread.check("thread", thread)
    }
}

/// A budget has nothing left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetSpent {
    /// What was spent.
    pub spent: String,
    /// The limit.
    pub limit: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_ends_with_its_first_limit() {
        let cost = |tokens, micro_usd, unpriced| RunCost {
            input_tokens: tokens,
            micro_usd,
            unpriced,
            ..RunCost::default()
        };
        let none = RunCost::default();
        let budget = RunBudget {
            run: Allowance::tokens(10),
            thread: Allowance::micro_usd(50),
        };
        assert!(budget.check(cost(9, 0, 0), cost(100, 49, 0)).is_ok());
        let spent = budget.check(cost(10, 0, 0), none).unwrap_err();
        assert_eq!(
            (&*spent.spent, &*spent.limit),
            ("10 tokens", "10 tokens of the run")
        );
        let spent = budget.check(none, cost(0, 50, 0)).unwrap_err();
        assert_eq!(spent.limit, "$0.000050 of the thread");
        assert!(budget.check(none, cost(0, 0, 1)).is_err());
        assert!(
            RunBudget::default()
                .check(cost(1, 1, 1), cost(1, 1, 1))
                .is_ok()
        );
    }
}
