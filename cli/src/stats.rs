//! Statistics of a reply: tokens, latency, speed, cost.

use std::time::Duration;

use serde::Serialize;
use superstep::model::{ManagedModel, Reply, Usage};

/// Tokens, latency and cost of a reply.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Stats {
    /// The model that gave it.
    pub(crate) model: String,
    /// Tokens, if the model reports them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) usage: Option<Usage>,
    /// In all.
    pub(crate) seconds: f64,
    /// Until the first token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) first_seconds: Option<f64>,
    /// After the first token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tokens_per_second: Option<f64>,
    /// In millionths of a dollar; absent where no price is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cost_micro_usd: Option<u64>,
    /// The same under its older name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cost_micros: Option<u64>,
    #[serde(skip)]
    shown_cost: String,
}

impl Stats {
    pub(crate) fn of(
        caller: &ManagedModel,
        reply: &Reply,
        whole: Duration,
        first: Option<Duration>,
    ) -> Self {
        let usage = reply.usage;
        let answered = reply.answered.as_ref();
        let model = answered.map(|by| format!("{}:{}", by.provider, by.model));
        let cost = caller
            .price()
            .zip(usage)
            .map(|(price, usage)| price.cost(&usage));
        let writing = whole
            .saturating_sub(first.unwrap_or_default())
            .as_secs_f64();
        let output = usage.map(|usage| usage.output as f64);
        // Less than that is no measurement.
        let speed = output
            .filter(|_| writing > 0.001)
            .map(|tokens| tokens / writing);
        Self {
            model: model.unwrap_or_default(),
            usage,
            seconds: rounded(whole.as_secs_f64()),
            first_seconds: first.map(|first| rounded(first.as_secs_f64())),
            tokens_per_second: speed.map(rounded),
            cost_micro_usd: cost.map(|cost| cost.as_micros()),
            cost_micros: cost.map(|cost| cost.as_micros()),
            shown_cost: match cost {
                Some(cost) if cost.as_micros() == 0 => "free".into(),
                Some(cost) => cost.to_string(),
                None => "price n/a".into(),
            },
        }
    }

    pub(crate) fn line(&self) -> String {
        let tokens = match self.usage {
            Some(usage) => format!("{} + {} tokens", usage.input, usage.output),
            None => "tokens n/a".into(),
        };
        let speed = match self.tokens_per_second {
            Some(speed) => format!(" · {speed:.1} tok/s"),
            None => String::new(),
        };
        format!(
            "{} · {tokens} · {:.1} s{speed} · {}",
            self.model, self.seconds, self.shown_cost
        )
    }
}

fn rounded(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}
