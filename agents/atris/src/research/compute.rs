//! Computations over records: steps, each on the result of the one before.
//!
//! `step` is what a model can ask for, `test` the tests of a filter. What a step leaves out because a value is not
//! known is noted, and a field that no record has is refused.

mod step;
mod test;

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use super::{
    Research,
    record_set::{AT, RecordSet, SOURCE, value},
};
use crate::reply::WORKED_OUT;
use step::{Keep, Measure, Measured, Operand, SortOrder, Step};
use test::number_in;

/// The most steps of a computation.
const MAX_STEPS: usize = 12;

/// A computation as a model asks for it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Computing {
    records: Vec<String>,
    steps: Vec<Step>,
}

impl Computing {
    /// Its arguments, or what is wrong with them.
    pub(crate) fn read(args: &Map<String, Json>) -> Result<Self, String> {
        let read: Self = serde_json::from_value(Json::Object(args.clone()))
            .map_err(|error| format!("the arguments do not fit: {error}"))?;
        if read.records.is_empty() {
            return Err("`records` is empty: name a set such as r1".into());
        }
        if read.steps.is_empty() || read.steps.len() > MAX_STEPS {
            return Err(format!("`steps` must have 1 to {MAX_STEPS} steps"));
        }
        Ok(read)
    }

    /// Its steps in words.
    pub(crate) fn words(&self) -> String {
        let steps: Vec<String> = self.steps.iter().map(ToString::to_string).collect();
        format!("{}: {}", self.records.join(" and "), steps.join("; "))
    }

    /// Its result, as a set of its own.
    pub(crate) fn done(&self, research: &Research) -> Result<RecordSet, String> {
        let mut set = RecordSet {
            id: research.next_id('c'),
            about: self.words(),
            source: 0,
            records: Vec::new(),
            notes: Vec::new(),
        };
        for (place, id) in self.records.iter().enumerate() {
            let (source, records) = match id.contains('.') {
                true => {
                    let of = id.split('.').next().unwrap_or_default();
                    (research.set(of)?.source, vec![research.record(id)?.clone()])
                }
                false => {
                    let known = research.set(id)?;
                    (known.source, known.records.clone())
                }
            };
            if place == 0 {
                set.source = source;
            }
            set.records.extend(records);
        }
        for step in &self.steps {
            apply(step, &mut set, research)?;
        }
        Ok(set)
    }
}

fn apply(step: &Step, set: &mut RecordSet, research: &Research) -> Result<(), String> {
    match step {
        Step::Filter { field, is, value } => {
            set.require(field)?;
            let test = test::Test::new(*is, value.as_ref())?;
            if is.wants_known() {
                keep_known(set, field, "pass no test");
            }
            let mut problem = None;
            set.records.retain(|record| {
                let passed = test.passes(super::record_set::value(record, field));
                passed.unwrap_or_else(|why| {
                    problem.get_or_insert(why);
                    false
                })
            });
            problem.map_or(Ok(()), |why| Err(format!("`{field}`: {why}")))
        }
        Step::Sort { field, order } => {
            set.require(field)?;
            keep_known(set, field, "cannot be put in order");
            set.records.sort_by(|a, b| {
                let both = (value(a, field), value(b, field));
                let found = match both {
                    (Some(a), Some(b)) => test::ordered(a, b),
                    _ => None,
                };
                let found = found.unwrap_or(std::cmp::Ordering::Equal);
                match order {
                    SortOrder::Ascending => found,
                    SortOrder::Descending => found.reverse(),
                }
            });
            Ok(())
        }
        Step::Limit { count } => {
            set.records.truncate(*count);
            Ok(())
        }
        Step::Distinct { field } => {
            set.require(field)?;
            let mut seen: Vec<Json> = Vec::new();
            set.records.retain(|record| {
                let own = value(record, field).cloned().unwrap_or_default();
                let is_new = !seen.contains(&own);
                if is_new {
                    seen.push(own);
                }
                is_new
            });
            Ok(())
        }
        Step::Calculate {
            name,
            left,
            operator,
            right,
        } => calculate(set, name, (left, right), |a, b| operator.of(a, b)),
        Step::Summarize { by, measures } => summarize(set, by.as_deref(), measures),
        Step::Compare { field } => compare(set, field),
        Step::Join {
            with,
            field,
            other,
            keep,
        } => {
            set.require(field)?;
            let known = research.set(with)?;
            known.require(other)?;
            let found = |record: &Json| {
                let own = value(record, field)?;
                let mut others = known.records.iter();
                others.find(|it| value(it, other) == Some(own)).cloned()
            };
            let records = std::mem::take(&mut set.records);
            set.records = records
                .into_iter()
                .filter_map(|mut record| match (found(&record), keep) {
                    (Some(other), Keep::Matched) => {
                        record.as_object_mut()?.insert(with.clone(), other);
                        Some(record)
                    }
                    (None, Keep::Unmatched) => Some(record),
                    _ => None,
                })
                .collect();
            Ok(())
        }
    }
}

/// Leaves out records that do not say a field, and notes how many.
fn keep_known(set: &mut RecordSet, field: &str, why: &str) {
    let before = set.records.len();
    set.records.retain(|record| value(record, field).is_some());
    if let left @ 1.. = before - set.records.len() {
        set.notes.push(format!(
            "{left} of {before} records do not say `{field}` and {why}"
        ));
    }
}

fn number(record: &Json, operand: &Operand) -> Result<Option<f64>, String> {
    match operand {
        Operand::Number(number) => Ok(Some(*number)),
        Operand::Field(field) => match value(record, field) {
            None => Ok(None),
            Some(value) => match number_in(value) {
                Some(number) => Ok(Some(number)),
                None => Err(format!("`{field}` is no number: {value}")),
            },
        },
    }
}

fn calculate(
    set: &mut RecordSet,
    name: &str,
    (left, right): (&Operand, &Operand),
    of: impl Fn(f64, f64) -> Option<f64>,
) -> Result<(), String> {
    if name.is_empty() || name.contains('.') || [AT, SOURCE, "id", "type"].contains(&name) {
        return Err(format!("`{name}` cannot be the name of a new field"));
    }
    for operand in [left, right] {
        if let Operand::Field(field) = operand {
            set.require(field)?;
        }
    }
    let mut unknown = 0;
    for record in &mut set.records {
        let result = match (number(record, left)?, number(record, right)?) {
            (Some(left), Some(right)) => of(left, right),
            _ => None,
        };
        unknown += usize::from(result.is_none());
        if let Some(fields) = record.as_object_mut() {
            fields.insert(name.to_owned(), result.map_or(Json::Null, figure));
            let worked_out = fields.entry(WORKED_OUT).or_insert_with(|| json!([]));
            if let Some(names) = worked_out.as_array_mut() {
                names.push(name.into());
            }
        }
    }
    if unknown > 0 {
        set.notes.push(format!(
            "{unknown} records have no `{name}`: a value is not known, or it divides by 0"
        ));
    }
    Ok(())
}

fn summarize(set: &mut RecordSet, by: Option<&str>, measures: &[Measured]) -> Result<(), String> {
    let fields = by
        .into_iter()
        .chain(measures.iter().map(|it| it.field.as_str()));
    for field in fields {
        set.require(field)?;
    }
    let mut groups: Vec<(Json, Vec<Json>)> = match by {
        Some(_) => Vec::new(),
        None => vec![(Json::Null, std::mem::take(&mut set.records))],
    };
    for record in std::mem::take(&mut set.records) {
        let own = by
            .and_then(|by| value(&record, by))
            .cloned()
            .unwrap_or_default();
        match groups.iter_mut().find(|(known, _)| *known == own) {
            Some((_, records)) => records.push(record),
            None => groups.push((own, vec![record])),
        }
    }
    let mut summaries = Vec::new();
    for (own, records) in groups {
        let mut summary = Map::new();
        if let Some(by) = by {
            summary.insert(by.replace('.', "_"), own);
        }
        summary.insert("count".into(), records.len().into());
        for Measured { measure, field } in measures {
            let numbers: Vec<f64> = records
                .iter()
                .map(|record| number(record, &Operand::Field(field.clone())))
                .filter_map(Result::transpose)
                .collect::<Result<_, _>>()?;
            let name = format!("{measure}_{}", field.replace('.', "_"));
            if numbers.len() < records.len() {
                let (known, all) = (numbers.len(), records.len());
                set.notes.push(format!(
                    "{name} is of {known} of {all} records: the others do not say it"
                ));
            }
            summary.insert(name, measure.of(numbers).map_or(Json::Null, figure));
        }
        summaries.push(Json::Object(summary));
    }
    set.records = summaries;
    Ok(())
}

/// Two records by a number: the first against the second.
fn compare(set: &mut RecordSet, field: &str) -> Result<(), String> {
    let [first, second] = set.records.as_slice() else {
        let count = set.records.len();
        return Err(format!("compare takes 2 records, and here are {count}"));
    };
    let field = Operand::Field(field.to_owned());
    let both = (number(first, &field)?, number(second, &field)?);
    let (Some(a), Some(b)) = both else {
        return Err("one of the two records does not say it".into());
    };
    let ratio = (b != 0.0).then(|| a / b);
    let mut compared = json!({
        "first": figure(a), "second": figure(b), "difference": figure(a - b),
    });
    if let (Some(compared), Some(ratio)) = (compared.as_object_mut(), ratio) {
        compared.insert("ratio".into(), figure(ratio));
        compared.insert("percentMore".into(), figure((ratio - 1.0) * 100.0));
    }
    set.records = vec![compared];
    Ok(())
}

/// A whole number as one, any other with four places.
fn figure(number: f64) -> Json {
    match number.fract() == 0.0 && number.abs() < 1e15 {
        true => json!(number as i64),
        false => json!((number * 10_000.0).round() / 10_000.0),
    }
}

impl Measure {
    /// Its value; nothing of no numbers.
    fn of(self, mut numbers: Vec<f64>) -> Option<f64> {
        let count = numbers.len() as f64;
        let sum: f64 = numbers.iter().sum();
        numbers.sort_by(f64::total_cmp);
        let (first, last) = (numbers.first().copied()?, numbers.last().copied()?);
        Some(match self {
            Self::Sum => sum,
            Self::Mean => sum / count,
            Self::Min => first,
            Self::Max => last,
            Self::Median => {
                let middle = numbers.len() / 2;
                let upper = numbers.get(middle).copied()?;
                match numbers.len().is_multiple_of(2) {
                    true => (upper + numbers.get(middle.checked_sub(1)?).copied()?) / 2.0,
                    false => upper,
                }
            }
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    fn research() -> Research {
        let set = |id: &str, records: Json| RecordSet {
            id: id.into(),
            about: "a call".into(),
            source: 0,
            records: serde_json::from_value(records).unwrap(),
            notes: Vec::new(),
        };
        let tracks = json!([
            {"title": "A", "playCount": 30, "bpm": 120, "user": {"id": "u1"}, "tags": ["club"]},
            {"title": "B", "playCount": 10, "bpm": null, "user": {"id": "u2"}, "tags": []},
            {"title": "C", "playCount": 20, "bpm": 128, "user": {"id": "u1"}, "tags": ["night"]},
        ]);
        let users = json!([{"id": "u1", "isVerified": true}, {"id": "u3", "isVerified": false}]);
        Research {
            sets: vec![set("r1", tracks), set("r2", users)],
            ..Research::default()
        }
    }

    fn compute(records: Json, steps: Json) -> Result<RecordSet, String> {
        let args = json!({"records": records, "steps": steps});
        Computing::read(args.as_object().unwrap())?.done(&research())
    }

    fn titles(set: &RecordSet) -> Vec<&str> {
        let titles = set.records.iter().map(|it| it["title"].as_str().unwrap());
        titles.collect()
    }

    #[test]
    fn records_are_filtered_ordered_and_cut_and_what_is_unknown_is_noted() {
        let steps = json!([
            {"do": "filter", "field": "bpm", "is": "at_least", "value": 100},
            {"do": "sort", "field": "playCount", "order": "ascending"},
            {"do": "limit", "count": 1},
        ]);
        let set = compute(json!(["r1"]), steps).unwrap();
        assert_eq!(titles(&set), ["C"]);
        assert_eq!(
            set.notes,
            ["1 of 3 records do not say `bpm` and pass no test"]
        );
        let tagged = json!([{"do": "filter", "field": "tags", "is": "contains", "value": "Club"}]);
        assert_eq!(titles(&compute(json!(["r1"]), tagged).unwrap()), ["A"]);
    }

    #[test]
    fn records_are_summed_by_a_field_and_compared_two_by_two() {
        let measures =
            json!([{"measure": "sum", "field": "playCount"}, {"measure": "mean", "field": "bpm"}]);
        let steps = json!([{"do": "summarize", "by": "user.id", "measures": measures}]);
        let set = compute(json!(["r1"]), steps).unwrap();
        assert_eq!(
            set.records[0],
            json!({"user_id": "u1", "count": 2, "sum_playCount": 50, "mean_bpm": 124})
        );
        let two = json!([{"do": "compare", "field": "playCount"}]);
        let set = compute(json!(["r1.1", "r1.3"]), two).unwrap();
        assert_eq!(
            set.records[0],
            json!({"first": 30, "second": 20, "difference": 10, "ratio": 1.5, "percentMore": 50})
        );
        let new = json!([{"do": "calculate", "name": "share", "left": "playCount", "operator": "/", "right": 60}]);
        assert_eq!(
            compute(json!(["r1"]), new).unwrap().records[0]["share"],
            0.5
        );
    }

    #[test]
    fn records_are_joined_with_those_of_another_set() {
        let join = |keep: &str| json!([{"do": "join", "with": "r2", "field": "user.id", "other": "id", "keep": keep}]);
        let set = compute(json!(["r1"]), join("matched")).unwrap();
        assert_eq!(titles(&set), ["A", "C"]);
        assert_eq!(value(&set.records[0], "r2.isVerified"), Some(&json!(true)));
        assert_eq!(
            titles(&compute(json!(["r1"]), join("unmatched")).unwrap()),
            ["B"]
        );
    }

    #[test]
    fn what_cannot_be_done_is_an_error_that_names_it() {
        for (steps, named) in [
            (
                json!([{"do": "filter", "field": "tempo", "is": "above", "value": 1}]),
                "tempo",
            ),
            (
                json!([{"do": "filter", "field": "title", "is": "above", "value": 1}]),
                "title",
            ),
            (
                json!([{"do": "filter", "field": "bpm", "is": "above"}]),
                "value",
            ),
            (json!([{"do": "shuffle"}]), "shuffle"),
            (
                json!([{"do": "limit", "count": 1, "fieldd": "bpm"}]),
                "fieldd",
            ),
            (
                json!([{"do": "compare", "field": "playCount"}]),
                "2 records",
            ),
            (
                json!([{"do": "join", "with": "r9", "field": "bpm", "other": "id"}]),
                "r9",
            ),
            (json!([]), "steps"),
        ] {
            let why = compute(json!(["r1"]), steps).unwrap_err();
            assert!(why.contains(named), "{why}");
        }
    }
}
