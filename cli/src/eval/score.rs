//! Scores: what came of cases, as a table and as JSON.

use std::time::Duration;

use serde_json::{Value as Json, json};
use superstep::model::Money;
use superstep_agent::{Table, TableStyle, count};

use super::meter::Taken;
use crate::{
    error::Error,
    output::{Form, Output, plain, strong},
    table,
};

/// What came of one case.
pub(super) struct CaseScore {
    pub(super) name: String,
    /// Why it failed; it passed if there is nothing.
    pub(super) failures: Vec<String>,
    pub(super) spent: Taken,
    pub(super) took: Duration,
}

/// What came of all cases with one model.
pub(super) struct ModelScore {
    pub(super) model: String,
    pub(super) cases: Vec<CaseScore>,
}

impl CaseScore {
    fn is_passed(&self) -> bool {
        self.failures.is_empty()
    }

    pub(super) fn json(&self, model: &str) -> Json {
        json!({
            "event": "case",
            "model": model,
            "case": self.name,
            "passed": self.is_passed(),
            "failures": self.failures,
            "calls": self.spent.calls,
            "input_tokens": self.spent.spent.usage.input,
            "output_tokens": self.spent.spent.usage.output,
            "cost_micro_usd": self.spent.cost().map(Money::as_micros),
            "took_ms": millis(self.took),
        })
    }
}

impl ModelScore {
    pub(super) fn new(model: String) -> Self {
        Self {
            model,
            cases: Vec::new(),
        }
    }

    pub(super) fn is_perfect(&self) -> bool {
        self.cases.iter().all(CaseScore::is_passed)
    }

    fn passed(&self) -> usize {
        self.cases.iter().filter(|case| case.is_passed()).count()
    }

    /// The share of passed cases, in whole percent.
    fn accuracy(&self) -> usize {
        (self.passed() * 100)
            .checked_div(self.cases.len())
            .unwrap_or(0)
    }

    fn sum(&self, of: impl Fn(&CaseScore) -> u64) -> u64 {
        self.cases.iter().map(of).sum()
    }

    fn cost(&self) -> Option<Money> {
        let mut costs = self.cases.iter().map(|case| case.spent.cost());
        costs.try_fold(Money::default(), |sum, cost| Some(sum.plus(cost?)))
    }

    fn took(&self) -> Duration {
        self.cases.iter().map(|case| case.took).sum()
    }

    fn row(&self) -> Vec<String> {
        let usage = |of: fn(&Taken) -> u64| self.sum(|case| of(&case.spent)).to_string();
        vec![
            self.model.clone(),
            format!("{}/{}", self.passed(), self.cases.len()),
            format!("{}%", self.accuracy()),
            usage(|it| it.calls),
            usage(|it| it.spent.usage.input),
            usage(|it| it.spent.usage.output),
            self.cost()
                .map_or_else(|| "n/a".into(), |it| it.to_string()),
            format!("{:.1} s", self.took().as_secs_f64()),
        ]
    }

    fn json(&self) -> Json {
        json!({
            "event": "score",
            "model": self.model,
            "cases": self.cases.len(),
            "passed": self.passed(),
            "calls": self.sum(|case| case.spent.calls),
            "input_tokens": self.sum(|case| case.spent.spent.usage.input),
            "output_tokens": self.sum(|case| case.spent.spent.usage.output),
            "cost_micro_usd": self.cost().map(Money::as_micros),
            "took_ms": millis(self.took()),
        })
    }
}

/// Prints a row for each model, and the cases that not all of them did alike.
pub(super) fn print(scores: &[ModelScore], output: &Output) -> Result<(), Error> {
    if output.form == Form::Json {
        return scores
            .iter()
            .try_for_each(|score| output.json(&score.json()));
    }
    let columns = [
        "MODEL", "PASSED", "ACCURACY", "CALLS", "TOKENS IN", "OUT", "COST", "TIME",
    ];
    let scored = Table {
        columns: columns.map(str::to_owned).into(),
        rows: scores.iter().map(ModelScore::row).collect(),
        style: TableStyle::Records,
        text: None,
    };
    table::print(&scored, output)?;
    let differing = differing(scores);
    if differing.is_empty() {
        return Ok(());
    }
    let how_many = count(differing.len(), "case");
    output.data(&[strong(format!("\n{how_many} that not all did alike"))])?;
    for (name, verdicts) in differing {
        output.data(&[plain(format!("  {name}: {verdicts}"))])?;
    }
    Ok(())
}

/// Cases that some models passed and others failed, each with the models that passed.
fn differing(scores: &[ModelScore]) -> Vec<(&str, String)> {
    let Some((first, others)) = scores.split_first() else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (place, case) in first.cases.iter().enumerate() {
        let at = |score: &ModelScore| score.cases.get(place).is_some_and(CaseScore::is_passed);
        if others.iter().all(|other| at(other) == case.is_passed()) {
            continue;
        }
        let passed = scores.iter().filter(|score| at(score));
        let names: Vec<&str> = passed.map(|score| score.model.as_str()).collect();
        found.push((
            case.name.as_str(),
            format!("passed by {}", names.join(", ")),
        ));
    }
    found
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
