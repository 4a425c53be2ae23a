//! Times and money: one form in the JSON of every command, which docs/cli.md lists.
//!
//! A time is ISO 8601 in UTC with milliseconds, under a name that ends with `_at`. Money is a whole number of millionths of a US
//! dollar, under a name that ends with `_micro_usd`.

use jiff::Timestamp;
use serde_json::Value as Json;
use superstep::{
    CheckpointId,
    clock::made_at,
    model::{Budget, Money},
    runs::RunCost,
};

/// A time in microseconds since 1970.
pub(crate) fn iso(micros: u64) -> Json {
    let at = i64::try_from(micros / 1_000).ok();
    let at = at.and_then(|at| Timestamp::from_millisecond(at).ok());
    at.map_or(Json::Null, |at| format!("{at:.3}").into())
}

/// When a checkpoint was made.
pub(crate) fn made(checkpoint: CheckpointId) -> Json {
    iso(made_at(checkpoint))
}

/// A time in milliseconds since 1970.
pub(crate) fn iso_of_millis(millis: u64) -> Json {
    iso(millis.saturating_mul(1_000))
}

/// What calls of models cost, for people: `free`, `$0.0012`, `?` if no price is known.
pub(crate) fn cost(cost: &RunCost) -> String {
    match (cost.calls, cost.micro_usd, cost.unpriced) {
        (0, ..) => "-".to_owned(),
        (_, 0, 0) => "free".to_owned(),
        (_, 0, _) => "?".to_owned(),
        (_, known, 0) => Money::micros(known).to_string(),
        (_, known, _) => format!("{} + ?", Money::micros(known)),
    }
}

/// What the calls within a budget took, for people.
pub(crate) fn spent(budget: &Budget) -> String {
    let spent = budget.spent();
    let money = match spent.money.as_micros() {
        0 => "free".to_owned(),
        _ => spent.money.to_string(),
    };
    let usage = &spent.usage;
    format!("{} + {} tokens · {money}", usage.input, usage.output)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_iso_with_milliseconds() {
        assert_eq!(iso(951_782_400_042_999), "2000-02-29T00:00:00.042Z");
        assert_eq!(iso(u64::MAX), Json::Null);
    }

    #[test]
    fn a_cost_says_what_is_not_known() {
        let of = |calls, micro_usd, unpriced| {
            let mut one = RunCost::default();
            (one.calls, one.micro_usd, one.unpriced) = (calls, micro_usd, unpriced);
            cost(&one)
        };
        assert_eq!(of(0, 0, 0), "-");
        assert_eq!(of(2, 0, 0), "free");
        assert_eq!(of(2, 0, 1), "?");
        assert_eq!(of(2, 1_200, 0), "$0.0012");
        assert_eq!(of(2, 1_200, 1), "$0.0012 + ?");
    }
}
