//! Deep equality up to interrupt ids, generated message ids and the wording of engine errors.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::{Map, Value as Json};

use crate::value::compare_numbers;

/// Which id each interrupt label of a case stands for. Cheap to copy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct Bindings(Rc<BTreeMap<String, String>>);

impl Bindings {
    /// Takes note that the label stands for the id; false if that contradicts what is known.
    fn bind(&mut self, label: &str, id: &str) -> bool {
        if let Some(known) = self.0.get(label) {
            return known == id;
        }
        if self.0.values().any(|known| known == id) {
            return false;
        }
        Rc::make_mut(&mut self.0).insert(label.to_owned(), id.to_owned());
        true
    }
}

/// The first difference between two values.
#[derive(Debug)]
pub(super) struct Diff {
    /// The way to it, innermost step first.
    way: Vec<String>,
    /// What it is.
    pub(super) why: String,
}

impl Diff {
    pub(super) fn new(why: String) -> Self {
        let way = Vec::new();
        Diff { way, why }
    }

    fn under(mut self, step: &str) -> Self {
        self.way.push(step.to_owned());
        self
    }

    /// The steps to the difference, outermost first.
    pub(super) fn steps(&self) -> impl Iterator<Item = &str> {
        self.way.iter().rev().map(String::as_str)
    }

    /// The way to the difference.
    pub(super) fn path(&self) -> String {
        self.steps().flat_map(|step| ["/", step]).collect()
    }
}

/// Compares an actual value with a recorded one; new labels are noted in `bindings`.
pub(super) fn equal(expected: &Json, actual: &Json, bindings: &mut Bindings) -> Result<(), Diff> {
    match (expected, actual) {
        (Json::Object(expected), Json::Object(actual)) => objects(expected, actual, bindings),
        (Json::Array(expected), Json::Array(actual)) => {
            if expected.len() != actual.len() {
                let (want, got) = (expected.len(), actual.len());
                return Err(Diff::new(format!("{got} elements instead of {want}")));
            }
            for (index, (expected, actual)) in expected.iter().zip(actual).enumerate() {
                equal(expected, actual, bindings).map_err(|diff| diff.under(&index.to_string()))?;
            }
            Ok(())
        }
        (Json::Number(a), Json::Number(b)) if compare_numbers(a, b) == Ordering::Equal => Ok(()),
        _ if expected == actual => Ok(()),
        _ => Err(Diff::new("values differ".to_owned())),
    }
}

/// The actual value as a reader should see it: every part that agrees is written as recorded,
/// so that only real differences are left.
pub(super) fn shown(expected: &Json, actual: &Json, bindings: &Bindings) -> Json {
    let aligned = aligned(expected, actual, bindings);
    match aligned == *expected {
        // The parts agree one by one, but contradict each other.
        true => actual.clone(),
        false => aligned,
    }
}

fn aligned(expected: &Json, actual: &Json, bindings: &Bindings) -> Json {
    if equal(expected, actual, &mut bindings.clone()).is_ok() {
        return expected.clone();
    }
    match (expected, actual) {
        (Json::Object(expected), Json::Object(actual)) => {
            let part = |(key, value): (&String, &Json)| match (IdRule::of(expected), value) {
                (IdRule::Any, _) if key == "id" => (key.clone(), "*".into()),
                (IdRule::Label(label), Json::String(id))
                    if key == "id" && bindings.clone().bind(label, id) =>
                {
                    (key.clone(), label.into())
                }
                _ => match expected.get(key) {
                    Some(other) => (key.clone(), aligned(other, value, bindings)),
                    None => (key.clone(), value.clone()),
                },
            };
            Json::Object(actual.iter().map(part).collect())
        }
        (Json::Array(expected), Json::Array(actual)) => {
            let part = |(index, value)| match expected.get(index) {
                Some(other) => aligned(other, value, bindings),
                None => Json::clone(value),
            };
            actual.iter().enumerate().map(part).collect()
        }
        _ => actual.clone(),
    }
}

type Object = Map<String, Json>;

fn objects(expected: &Object, actual: &Object, bindings: &mut Bindings) -> Result<(), Diff> {
    if is_engine_error(expected) {
        return engine_errors(expected, actual);
    }
    let rule = IdRule::of(expected);
    same_keys(expected, actual, &rule)?;
    for (key, expected) in expected {
        let Some(actual) = actual.get(key) else {
            continue;
        };
        match rule {
            IdRule::Any if key == "id" => {}
            IdRule::Label(label) if key == "id" => same_interrupt(label, actual, bindings)?,
            _ => equal(expected, actual, bindings).map_err(|diff| diff.under(key))?,
        }
    }
    Ok(())
}

/// How the `id` of a recorded object is compared.
enum IdRule<'a> {
    /// Like every other field.
    Plain,
    /// It stands for an interrupt, the same one wherever it occurs.
    Label(&'a str),
    /// It was generated: any will do, or none.
    Any,
}

impl<'a> IdRule<'a> {
    fn of(expected: &'a Object) -> Self {
        match (expected.get("id"), interrupt_label(expected)) {
            (_, Some(label)) => IdRule::Label(label),
            (Some(Json::String(id)), None) if id == "*" && is_message(expected) => IdRule::Any,
            _ => IdRule::Plain,
        }
    }
}

fn is_engine_error(expected: &Object) -> bool {
    expected.get("engine") == Some(&Json::Bool(true)) && expected.contains_key("kind")
}

/// Engine errors agree if their kind does, and those details that were recorded.
fn engine_errors(expected: &Object, actual: &Object) -> Result<(), Diff> {
    for key in ["kind", "reason", "timeout_kind", "node"] {
        let Some(wanted) = expected.get(key) else {
            continue;
        };
        if wanted != actual.get(key).unwrap_or(&Json::Null) {
            return Err(Diff::new("engine errors differ".to_owned()).under(key));
        }
    }
    Ok(())
}

/// The label of a recorded interrupt: an object of value, id and perhaps schema whose id is
/// `i` and a number.
fn interrupt_label(expected: &Object) -> Option<&str> {
    let Json::String(id) = expected.get("id")? else {
        return None;
    };
    let number = id.strip_prefix('i')?;
    let numbered = !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit());
    let known = |key: &String| matches!(key.as_str(), "value" | "id" | "schema");
    let shaped = expected.contains_key("value") && expected.keys().all(known);
    (numbered && shaped).then_some(id)
}

fn is_message(expected: &Object) -> bool {
    let Some(kind) = expected.get("type") else {
        return false;
    };
    expected.contains_key("content") || kind == "remove"
}

fn same_interrupt(label: &str, actual: &Json, bindings: &mut Bindings) -> Result<(), Diff> {
    if actual.as_str().is_some_and(|id| bindings.bind(label, id)) {
        return Ok(());
    }
    let why = format!("{label} is not the same interrupt as before");
    Err(Diff::new(why).under("id"))
}

/// Both must have the same keys; only the id of a message may be missing if any would do.
fn same_keys(expected: &Object, actual: &Object, rule: &IdRule<'_>) -> Result<(), Diff> {
    let excused = |key: &str| matches!(rule, IdRule::Any) && key == "id";
    let missing = list(expected, actual, |key| !excused(key));
    let unexpected = list(actual, expected, |_| true);
    let why = match (missing.is_empty(), unexpected.is_empty()) {
        (true, true) => return Ok(()),
        (false, true) => format!("missing {missing}"),
        (true, false) => format!("unexpected {unexpected}"),
        (false, false) => format!("missing {missing}, unexpected {unexpected}"),
    };
    Err(Diff::new(why))
}

/// The keys of `these` that are not among `those`.
fn list(these: &Object, those: &Object, counts: impl Fn(&str) -> bool) -> String {
    let extra = |key: &&String| !those.contains_key(*key) && counts(key);
    let names: Vec<&str> = these.keys().filter(extra).map(String::as_str).collect();
    names.join(", ")
}
