//! Validation of a value against a schema.

use std::{cmp::Ordering, collections::HashSet};

use serde_json::{Map, Number, Value as Json};

use super::{MAX_DEPTH, MAX_PROBLEMS, Problem, number, resolve};

/// What every check may cost, in schemas applied to values, and what each part of a value adds.
/// References that multiply run into it; schemas of plain types stay far below.
const BASE_WORK: u64 = 10_000;
const WORK_A_PART: u64 = 256;
const MOST_WORK: u64 = 50_000_000;

/// How many schemas may be inside each other, references counted. Values have at most half as many
/// levels, so only references without end get here.
const MAX_APPLIED: usize = 2 * MAX_DEPTH;

/// How far off a value is, to tell which of several shapes was meant.
const SLIP: u32 = 1;
const OTHER_TAG: u32 = 100;
const OTHER_TYPE: u32 = 10_000;

pub(super) fn problems(root: &Json, value: &Json) -> Vec<Problem> {
    let Some(parts) = parts(value) else {
        let message = format!("nested deeper than {MAX_DEPTH}");
        let pointer = String::new();
        return vec![Problem { pointer, message }];
    };
    let work = BASE_WORK.saturating_add(parts.saturating_mul(WORK_A_PART));
    let mut walk = Checker {
        root,
        path: Vec::new(),
        found: Vec::new(),
        work: work.min(MOST_WORK),
    };
    walk.check(root, value, 0);
    if walk.work == 0 {
        walk.path.clear();
        walk.found.truncate(MAX_PROBLEMS - 1);
        walk.tell(SLIP, "its schema takes too much work to check".into());
    }
    let problems = walk.found.into_iter().map(|found| found.problem);
    problems.collect()
}

/// How many parts a value has; nothing if it is nested too deeply for anything to walk it.
pub(super) fn parts(value: &Json) -> Option<u64> {
    // A stack of our own: a value can be nested deeper than threads have stack.
    let mut open = vec![(value, 0)];
    let mut count = 0;
    while let Some((value, depth)) = open.pop() {
        if depth > MAX_DEPTH {
            return None;
        }
        count += 1;
        match value {
            Json::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Json::Object(map) => open.extend(map.values().map(|item| (item, depth + 1))),
            _ => {}
        }
    }
    Some(count)
}

struct Checker<'a> {
    root: &'a Json,
    path: Vec<PathStep<'a>>,
    found: Vec<Mismatch>,
    work: u64,
}

#[derive(Clone, Copy)]
enum PathStep<'a> {
    Key(&'a str),
    Item(usize),
}

struct Mismatch {
    problem: Problem,
    weight: u32,
}

impl<'a> Checker<'a> {
    fn check(&mut self, schema: &'a Json, value: &'a Json, depth: usize) {
        if self.found.len() >= MAX_PROBLEMS || self.work == 0 {
            return;
        }
        self.work -= 1;
        let map = match schema {
            Json::Bool(true) => return,
            Json::Object(map) => map,
            _ => return self.tell(SLIP, "nothing is allowed here".into()),
        };
        if depth > MAX_APPLIED {
            // Not a problem of one shape among several: nothing more can be said.
            self.work = 0;
            return;
        }
        if value.is_null() && map.get("nullable") == Some(&Json::Bool(true)) {
            return;
        }
        if !self.has_type(map, value) {
            return;
        }
        self.is_listed(map, value);
        match value {
            Json::Number(n) => self.number(map, n),
            Json::String(text) => self.text(map, text),
            Json::Array(items) => self.items(map, items, depth),
            Json::Object(fields) => self.fields(map, fields, depth),
            Json::Null | Json::Bool(_) => {}
        }
        if let Some(Json::String(to)) = map.get("$ref") {
            match resolve(self.root, to) {
                Some(part) => self.check(part, value, depth + 1),
                None => self.tell(SLIP, format!("`{to}` names nothing in the schema")),
            }
        }
        self.shapes(map, value, depth);
    }

    fn has_type(&mut self, map: &Map<String, Json>, value: &Json) -> bool {
        let is = |name: &Json| match (name.as_str(), value) {
            (Some("null"), Json::Null)
            | (Some("boolean"), Json::Bool(_))
            | (Some("object"), Json::Object(_))
            | (Some("array"), Json::Array(_))
            | (Some("number"), Json::Number(_))
            | (Some("string"), Json::String(_)) => true,
            (Some("integer"), Json::Number(n)) => number::is_whole(n),
            _ => false,
        };
        let (fits, wanted) = match map.get("type") {
            None => return true,
            Some(Json::Array(names)) => {
                let all: Vec<&str> = names.iter().filter_map(Json::as_str).collect();
                (names.iter().any(is), all.join(" or "))
            }
            Some(one) => (is(one), one.as_str().unwrap_or_default().to_owned()),
        };
        if !fits {
            let is = kind(value);
            let message = format!("must be {wanted}, is {is} {}", shown(value));
            self.tell(OTHER_TYPE, message);
        }
        fits
    }

    fn is_listed(&mut self, map: &Map<String, Json>, value: &Json) {
        if let Some(constant) = map.get("const")
            && !number::same(constant, value)
        {
            let message = format!("must be {}, is {}", shown(constant), shown(value));
            self.tell(OTHER_TAG, message);
        }
        if let Some(Json::Array(list)) = map.get("enum")
            && !list.iter().any(|one| number::same(one, value))
        {
            self.tell(OTHER_TAG, not_among(list, value));
        }
    }

    fn number(&mut self, map: &Map<String, Json>, n: &Number) {
        type Holds = fn(Ordering) -> bool;
        let bounds: [(&str, &str, Holds); 4] = [
            ("minimum", "at least", |order| order.is_ge()),
            ("maximum", "at most", |order| order.is_le()),
            ("exclusiveMinimum", "more than", |order| order.is_gt()),
            ("exclusiveMaximum", "less than", |order| order.is_lt()),
        ];
        for (key, words, holds) in bounds {
            if let Some(Json::Number(bound)) = map.get(key)
                && !holds(number::compare(n, bound))
            {
                self.tell(SLIP, format!("must be {words} {bound}, is {n}"));
            }
        }
        if let Some(Json::Number(unit)) = map.get("multipleOf")
            && !number::is_multiple(n, unit)
        {
            self.tell(SLIP, format!("must be a multiple of {unit}, is {n}"));
        }
        let whole = map.get("type").and_then(Json::as_str) == Some("integer");
        if let Some(Json::String(format)) = map.get("format")
            && whole
            && !number::fits(n, format)
        {
            self.tell(SLIP, format!("must fit {format}, is {n}"));
        }
    }

    fn text(&mut self, map: &Map<String, Json>, text: &str) {
        if map.contains_key("minLength") || map.contains_key("maxLength") {
            let words = ["minLength", "maxLength", "characters"];
            self.count(map, words, text.chars().count());
        }
    }

    fn items(&mut self, map: &'a Map<String, Json>, items: &'a [Json], depth: usize) {
        self.count(map, ["minItems", "maxItems", "items"], items.len());
        // A tuple is `prefixItems` with `items` for the rest, or in older schemas a list of `items`
        // with `additionalItems` for the rest.
        let (first, rest) = match (map.get("prefixItems"), map.get("items")) {
            (Some(Json::Array(first)), rest) => (first.as_slice(), rest),
            (_, Some(Json::Array(first))) => (first.as_slice(), map.get("additionalItems")),
            (_, rest) => (&[][..], rest),
        };
        for (n, item) in items.iter().enumerate() {
            if let Some(schema) = first.get(n).or(rest) {
                self.inside(PathStep::Item(n), schema, item, depth);
            }
        }
        if map.get("uniqueItems") == Some(&Json::Bool(true)) {
            let mut seen = HashSet::new();
            if let Some(n) = items.iter().position(|item| !seen.insert(item.to_string())) {
                self.tell(SLIP, format!("item {n} repeats an earlier one"));
            }
        }
    }

    fn fields(&mut self, map: &'a Map<String, Json>, fields: &'a Map<String, Json>, depth: usize) {
        let words = ["minProperties", "maxProperties", "fields"];
        self.count(map, words, fields.len());
        let required = map.get("required").and_then(Json::as_array);
        for name in required.into_iter().flatten().filter_map(Json::as_str) {
            if !fields.contains_key(name) {
                self.tell(SLIP, format!("`{name}` is missing"));
            }
        }
        let known = map.get("properties").and_then(Json::as_object);
        for (name, value) in fields {
            if let Some(schema) = known.and_then(|known| known.get(name)) {
                self.inside(PathStep::Key(name), schema, value, depth);
                continue;
            }
            match map.get("additionalProperties") {
                None | Some(Json::Bool(true)) => {}
                Some(Json::Bool(false)) => {
                    let names = known.into_iter().flat_map(Map::keys);
                    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
                    let name = clipped(name, 80);
                    let message =
                        format!("`{name}` is not allowed; there are {}", names.join(", "));
                    self.tell(SLIP, message);
                }
                Some(schema) => self.inside(PathStep::Key(name), schema, value, depth),
            }
        }
    }

    fn inside(&mut self, step: PathStep<'a>, schema: &'a Json, value: &'a Json, depth: usize) {
        self.path.push(step);
        self.check(schema, value, depth + 1);
        self.path.pop();
    }

    fn count(&mut self, map: &Map<String, Json>, [low, high, what]: [&str; 3], count: usize) {
        let count = Number::from(count);
        if let Some(Json::Number(low)) = map.get(low)
            && number::compare(&count, low).is_lt()
        {
            self.tell(
                SLIP,
                format!("must have at least {low} {what}, has {count}"),
            );
        }
        if let Some(Json::Number(high)) = map.get(high)
            && number::compare(&count, high).is_gt()
        {
            self.tell(
                SLIP,
                format!("must have at most {high} {what}, has {count}"),
            );
        }
    }

    fn shapes(&mut self, map: &'a Map<String, Json>, value: &'a Json, depth: usize) {
        if let Some(Json::Array(all)) = map.get("allOf") {
            for schema in all {
                self.check(schema, value, depth + 1);
            }
        }
        if let Some(Json::Array(shapes)) = map.get("anyOf") {
            self.some_shape(shapes, value, depth);
        }
        if let Some(Json::Array(shapes)) = map.get("oneOf")
            && self.some_shape(shapes, value, depth) > 1
        {
            self.tell(SLIP, "fits more than one of the shapes it may have".into());
        }
        if let Some(schema) = map.get("not")
            && self.trial(schema, value, depth).is_empty()
            && self.work > 0
        {
            self.tell(SLIP, format!("must not be {}", shown(value)));
        }
    }

    /// How many of these shapes a value has. If none, what is reported is about the nearest.
    fn some_shape(&mut self, shapes: &'a [Json], value: &'a Json, depth: usize) -> usize {
        let mut fits = 0;
        let mut nearest: Option<(u64, Vec<Mismatch>)> = None;
        for schema in shapes {
            let found = self.trial(schema, value, depth);
            let off = found.iter().map(|found| u64::from(found.weight)).sum();
            match &nearest {
                _ if found.is_empty() => fits += 1,
                Some((least, _)) if *least <= off => {}
                _ => nearest = Some((off, found)),
            }
        }
        if fits > 0 || self.work == 0 {
            return fits;
        }
        if let Some(list) = constants(shapes) {
            self.tell(OTHER_TAG, not_among(&list, value));
            return 0;
        }
        match nearest {
            None => self.tell(SLIP, "no shape is allowed here".into()),
            Some((_, found)) => self.found.extend(found),
        }
        self.found.truncate(MAX_PROBLEMS);
        0
    }

    fn trial(&mut self, schema: &'a Json, value: &'a Json, depth: usize) -> Vec<Mismatch> {
        let before = std::mem::take(&mut self.found);
        self.check(schema, value, depth + 1);
        std::mem::replace(&mut self.found, before)
    }

    fn tell(&mut self, weight: u32, message: String) {
        if self.found.len() >= MAX_PROBLEMS {
            return;
        }
        let pointer = self.path.iter().map(|step| match step {
            PathStep::Key(key) => format!("/{}", key.replace('~', "~0").replace('/', "~1")),
            PathStep::Item(n) => format!("/{n}"),
        });
        let pointer = pointer.collect();
        let problem = Problem { pointer, message };
        self.found.push(Mismatch { problem, weight });
    }
}

/// The values of shapes that are constants, if all are.
fn constants(shapes: &[Json]) -> Option<Vec<Json>> {
    let mut list = Vec::new();
    for shape in shapes {
        match (shape.get("const"), shape.get("enum")) {
            (Some(one), _) => list.push(one.clone()),
            (None, Some(Json::Array(some))) => list.extend(some.iter().cloned()),
            _ => return None,
        }
    }
    (!list.is_empty()).then_some(list)
}

fn not_among(list: &[Json], value: &Json) -> String {
    let list: Vec<String> = list.iter().map(shown).collect();
    format!("must be one of {}, is {}", list.join(", "), shown(value))
}

fn kind(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "boolean",
        Json::Number(_) => "number",
        Json::String(_) => "string",
        Json::Array(_) => "array",
        Json::Object(_) => "object",
    }
}

/// A value as a message quotes it.
fn shown(value: &Json) -> String {
    match value {
        Json::Array(items) if items.len() > 8 => format!("[... {} items]", items.len()),
        Json::Object(map) if map.len() > 8 => format!("{{... {} fields}}", map.len()),
        Json::String(text) => Json::from(clipped(text, 80)).to_string(),
        other => clipped(&other.to_string(), 80),
    }
}

fn clipped(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.into(),
        Some((end, _)) => format!("{}...", text.split_at(end).0),
    }
}
