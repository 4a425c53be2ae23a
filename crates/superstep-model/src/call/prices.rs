//! Prices per model; the table itself is `prices.json`.
//!
//! The table in `prices.json` holds what providers listed on its date, per million tokens, and the models of
//! `spec::KNOWN` at the price of their own date. It must be checked before anybody relies on it: prices change, and long conversations, written caches,
//! batches and tools of the provider can cost otherwise. A file of the same form comes on top. A
//! model that is in neither has no price: that is shown as `n/a` and is never taken for free.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::{
    error::{ErrorKind, ModelError},
    model_id::ModelId,
    money::Money,
    usage::Usage,
};

const BUILT_IN: &str = include_str!("prices.json");

/// The day of prices that a person chose.
const CHOSEN: &str = "your settings";

/// Prices of models.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prices {
    as_of: String,
    models: BTreeMap<String, Price>,
}

/// What a million tokens of a model cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Price {
    /// Tokens it reads.
    pub input: Money,
    /// Tokens it reads from a cache.
    pub cached: Money,
    /// Tokens it writes.
    pub output: Money,
}

impl Prices {
    /// The table that comes with this crate.
    pub fn built_in() -> Self {
        // A test reads it; a table that could not be read would leave all prices unknown.
        Self::parse(BUILT_IN).unwrap_or_default()
    }

    /// Reads a table, as JSON:
    /// `{"as_of": "2026-01-31", "models": {"openai:gpt-4o": {"input": 2.5, "cached": 1.25,
    /// "output": 10}, "mine:*": {"input": 0, "output": 0}}}`, in dollars for a million tokens.
    /// Without a price for cached tokens they cost what others cost.
    pub fn parse(text: &str) -> Result<Self, ModelError> {
        let table: Table = serde_json::from_str(text).map_err(|error| settings(&error))?;
        let mut models = BTreeMap::new();
        for (name, entry) in table.models {
            if !name.contains(':') {
                let why = format!("`{name}` is not `provider:model`");
                return Err(settings(&why));
            }
            let read = |n: &serde_json::Number| n.to_string().parse().map_err(|why| settings(&why));
            let input = read(&entry.input)?;
            let price = Price {
                input,
                cached: entry.cached.as_ref().map_or(Ok(input), read)?,
                output: read(&entry.output)?,
            };
            models.insert(name, price);
        }
        let as_of = table.as_of;
        Ok(Self { as_of, models })
    }

    /// Prices that a person chose.
    pub fn chosen(prices: impl IntoIterator<Item = (String, Price)>) -> Self {
        Self {
            as_of: CHOSEN.into(),
            models: prices.into_iter().collect(),
        }
    }

    /// These prices, and others where they differ.
    #[must_use]
    pub fn with(mut self, others: Self) -> Self {
        self.models.extend(others.models);
        self
    }

    /// The day the prices were looked up.
    pub fn as_of(&self) -> &str {
        &self.as_of
    }

    /// What a model costs, if that is known.
    ///
    /// A model with a date behind its name costs what the name without it does, unless it is listed
    /// itself.
    pub fn of(&self, model: &ModelId) -> Option<Price> {
        let provider = model.provider.as_str();
        let listed = match provider {
            "gemini" => "google",
            other => other,
        };
        let name = model.name.strip_prefix("models/").unwrap_or(&model.name);
        let undated = name.rmatch_indices('-').filter_map(|(at, _)| {
            let (short, end) = name.split_at(at);
            is_date(end).then_some(short)
        });
        let names = [name].into_iter().chain(undated).chain(["*"]);
        let mut found = names.filter_map(|name| {
            let by = |provider: &str| self.models.get(&format!("{provider}:{name}"));
            by(provider).or_else(|| by(listed))
        });
        found.next().copied()
    }

    /// What tokens of a model cost, rounded up; nothing if its price is not known.
    pub fn cost(&self, model: &ModelId, usage: &Usage) -> Option<Money> {
        self.of(model).map(|price| price.cost(usage))
    }
}

impl Price {
    /// What tokens cost, rounded up.
    pub fn cost(&self, usage: &Usage) -> Money {
        // A provider that tells of more cached than read tokens is wrong about one of them.
        let cached = usage.cached.min(usage.input);
        let parts = [
            (usage.input - cached, self.input),
            (cached, self.cached),
            (usage.output, self.output),
        ];
        let total = parts.iter().fold(0_u128, |sum, (tokens, price)| {
            let part = u128::from(*tokens).saturating_mul(price.as_micros().into());
            sum.saturating_add(part)
        });
        Money::micros(u64::try_from(total.div_ceil(1_000_000)).unwrap_or(u64::MAX))
    }
}

/// Whether the end of a name is a date or a version of the same model, such as `-2024-08-06`.
fn is_date(end: &str) -> bool {
    let digits = end.bytes().filter(u8::is_ascii_digit).count();
    let plain = end.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    end == "-latest" || (plain && digits >= 3)
}

fn settings(why: &dyn std::fmt::Display) -> ModelError {
    let why = format!("prices: {why}");
    ErrorKind::Settings { why }.into()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    as_of: String,
    #[serde(default, rename = "unit")]
    _unit: String,
    models: BTreeMap<String, Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    input: serde_json::Number,
    cached: Option<serde_json::Number>,
    output: serde_json::Number,
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    fn cost(model: &str, input: u64, cached: u64, output: u64) -> Option<Money> {
        let (provider, name) = model.split_once(':').unwrap();
        let usage = Usage {
            input,
            cached,
            output,
            reasoning: 0,
        };
        Prices::built_in().cost(&ModelId::new(provider, name), &usage)
    }

    #[test]
    fn the_table_is_read_and_dated() {
        let prices = Prices::parse(BUILT_IN).unwrap();
        assert!(prices.models.len() > 70);
        assert_eq!(prices.as_of().len(), "2026-01-31".len());
        for provider in [
            "openai", "anthropic", "google", "groq", "mistral", "deepseek",
        ] {
            let whose = |name: &&String| name.starts_with(&format!("{provider}:"));
            assert!(
                prices.models.keys().filter(whose).count() >= 4,
                "{provider}"
            );
        }
        for (name, price) in &prices.models {
            let free = name.ends_with(":*");
            assert_eq!(price.output == Money::default(), free, "{name}");
            assert!(price.cached <= price.input, "{name}");
        }
    }

    #[test]
    fn models_that_are_taken_by_default_have_a_price() {
        let prices = Prices::built_in();
        let is_listed = |known: &&crate::spec::Known| known.name != "openrouter";
        for known in crate::spec::KNOWN.iter().filter(is_listed) {
            let Some(model) = known.model else { continue };
            let price = prices.of(&ModelId::new(known.name, model));
            assert!(price.is_some(), "{}:{model}", known.name);
        }
    }

    #[test]
    fn costs_are_exact_and_rounded_up() {
        assert_eq!(
            cost("openai:gpt-4o", 1_000_000, 0, 0),
            Some(Money::micros(2_500_000))
        );
        assert_eq!(
            cost("openai:gpt-4o", 1_000, 400, 10),
            Some(Money::micros(2_100))
        );
        assert_eq!(cost("openai:gpt-4o-mini", 1, 0, 0), Some(Money::micros(1)));
        assert_eq!(cost("openai:gpt-4o-mini", 0, 0, 0), Some(Money::default()));
        assert_eq!(
            cost("local:anything", 1 << 40, 0, 1 << 40),
            Some(Money::default())
        );
    }

    #[test]
    fn a_model_without_a_price_is_not_free() {
        assert_eq!(cost("openai:gpt-99", 1, 0, 1), None);
        assert_eq!(cost("nobody:gpt-4o", 1, 0, 1), None);
        assert_eq!(cost("openai:gpt-4o-audio", 1, 0, 1), None);
    }

    #[test]
    fn a_dated_name_costs_what_the_plain_name_does() {
        assert_eq!(
            cost("openai:gpt-4o-2024-08-06", 1_000, 0, 0),
            Some(Money::micros(2_500))
        );
        assert_eq!(
            cost("openai:gpt-4o-2024-05-13", 1_000, 0, 0),
            Some(Money::micros(5_000))
        );
        let dated = cost("anthropic:claude-opus-4-5-20251101", 1_000, 0, 0);
        assert_eq!(dated, Some(Money::micros(5_000)));
        assert_eq!(
            cost("gemini:models/gemini-2.5-flash", 10, 0, 0),
            Some(Money::micros(3))
        );
    }

    #[test]
    fn huge_and_contradictory_usage_saturates() {
        let all = cost("openai:gpt-4o", u64::MAX, u64::MAX, u64::MAX);
        assert_eq!(all, Some(Money::micros(u64::MAX)));
        assert_eq!(
            cost("openai:gpt-4o", 0, u64::MAX, 0),
            Some(Money::default())
        );
    }

    #[test]
    fn a_file_of_the_user_goes_on_top() {
        let mine = r#"{"as_of": "2026-10-01", "models": {
            "openai:gpt-4o": {"input": 1, "output": 2}, "mine:*": {"input": 0.5, "output": 0}}}"#;
        let prices = Prices::built_in().with(Prices::parse(mine).unwrap());
        let price = prices.of(&ModelId::new("openai", "gpt-4o")).unwrap();
        assert_eq!(price.cached, Money::dollars(1));
        assert!(prices.of(&ModelId::new("mine", "x")).is_some());
        assert!(prices.of(&ModelId::new("openai", "gpt-4o-mini")).is_some());
        for bad in [
            "{}",
            r#"{"as_of": "x", "models": {"a": {"input": 1, "output": 1}}}"#,
            r#"{"as_of": "x", "models": {"a:b": {"input": -1, "output": 1}}}"#,
            r#"{"as_of": "x", "models": {"a:b": {"input": 1}}}"#,
            r#"{"as_of": "x", "models": {"a:b": {"input": 1, "output": 1, "inptu": 2}}}"#,
        ] {
            assert_eq!(Prices::parse(bad).unwrap_err().code(), "SS5019", "{bad}");
        }
        let mine = r#"{"as_of": "x", "models": {"gemini:own": {"input": 1, "output": 2}}}"#;
        let mine = Prices::parse(mine).unwrap();
        assert!(mine.of(&ModelId::new("gemini", "own")).is_some());
    }
}
