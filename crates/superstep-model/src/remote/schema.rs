//! Schemas in the subset of JSON schema that a provider takes.
//!
//! A word that a provider does not know is left out of what is sent, never out of what is checked: the caller holds
//! answers against the whole schema. Where a provider wants all properties, optional ones may be null;
//! `structured` reads such a null as absent.

use std::cell::Cell;

use serde_json::{Map, Value as Json, json};

/// A subset of JSON schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subset {
    /// All of it: the server makes a grammar of the schema.
    All,
    /// OpenAI's strict mode: closed objects, all properties required, no constraints.
    OpenAi,
    /// Anthropic's structured output: closed objects, no constraints of numbers and lengths.
    Anthropic,
    /// Gemini's structured output: no `oneOf`, no `const`, references written out.
    Gemini,
}

/// How deep schemas are written, and how large they may become: references that are written out can grow without end.
const DEEPEST: usize = 64;
const MOST: usize = 10_000;

/// Words with a schema below them, or several, or named ones.
const ONE: [&str; 1] = ["items"];
const SEVERAL: [&str; 2] = ["anyOf", "prefixItems"];
const NAMED: [&str; 3] = ["properties", "$defs", "definitions"];

/// Words that all providers take.
const PLAIN: [&str; 6] = ["type", "description", "title", "enum", "required", "$ref"];

/// Words that Gemini takes besides.
const OF_GEMINI: [&str; 4] = ["minimum", "maximum", "minItems", "maxItems"];

/// Formats that providers know.
const FORMATS: [&str; 9] = [
    "date-time", "date", "time", "duration", "email", "hostname", "ipv4", "ipv6", "uuid",
];

impl Subset {
    /// The schema in this subset; nothing if it cannot be said in it, such as an object with any properties.
    pub(crate) fn of(self, schema: &Json) -> Option<Json> {
        if self == Self::All {
            return Some(schema.clone());
        }
        if self == Self::OpenAi && schema.get("type") != Some(&json!("object")) {
            return None;
        }
        Writer::new(schema, self).schema(schema, 0)
    }

    fn closes(self) -> bool {
        !matches!(self, Self::Gemini)
    }
}

struct Writer<'a> {
    root: &'a Json,
    to: Subset,
    written: Cell<usize>,
}

impl<'a> Writer<'a> {
    fn new(root: &'a Json, to: Subset) -> Self {
        Self {
            root,
            to,
            written: Cell::new(0),
        }
    }

    fn schema(&self, schema: &Json, depth: usize) -> Option<Json> {
        self.written.set(self.written.get() + 1);
        if depth > DEEPEST || self.written.get() > MOST {
            return None;
        }
        let Json::Object(words) = schema else {
            // Strict mode cannot say "anything".
            return (self.to != Subset::OpenAi).then(|| json!({}));
        };
        if let Some(Json::String(reference)) = words.get("$ref") {
            return match self.to {
                // Nothing may stand beside a reference.
                Subset::OpenAi => Some(json!({"$ref": reference})),
                Subset::Anthropic => self.is_finite(reference, depth).then(|| schema.clone()),
                Subset::Gemini | Subset::All => self.schema(self.target(reference)?, depth + 1),
            };
        }
        let mut out = Map::new();
        for (word, below) in words {
            self.word(word, below, depth, &mut out)?;
        }
        self.finish(words, &mut out)?;
        Some(Json::Object(out))
    }

    fn word(
        &self,
        word: &str,
        below: &Json,
        depth: usize,
        out: &mut Map<String, Json>,
    ) -> Option<()> {
        let several = |all: &[Json]| -> Option<Json> {
            let all: Option<Vec<Json>> =
                all.iter().map(|one| self.schema(one, depth + 1)).collect();
            all.map(Json::Array)
        };
        match (word, below) {
            // Here the keys are names of the user's, not words of the language.
            (named, Json::Object(all)) if NAMED.contains(&named) => {
                if named != "properties" && self.to == Subset::Gemini {
                    return Some(());
                }
                let mut written = Map::new();
                for (name, one) in all {
                    written.insert(name.clone(), self.schema(one, depth + 1)?);
                }
                out.insert(named.into(), Json::Object(written));
            }
            (one, below) if ONE.contains(&one) => {
                out.insert(one.into(), self.schema(below, depth + 1)?);
            }
            (many, Json::Array(all)) if SEVERAL.contains(&many) => {
                out.insert(many.into(), several(all)?);
            }
            ("oneOf", Json::Array(all)) => {
                out.insert("anyOf".into(), several(all)?);
            }
            ("allOf", Json::Array(all)) => match all.as_slice() {
                [one] => {
                    let Json::Object(one) = self.schema(one, depth + 1)? else {
                        return None;
                    };
                    out.extend(one);
                }
                _ => return None,
            },
            ("const", value) => {
                out.insert("enum".into(), json!([value]));
            }
            ("format", Json::String(format)) if FORMATS.contains(&format.as_str()) => {
                out.insert("format".into(), below.clone());
            }
            ("additionalProperties", Json::Bool(false)) => {}
            ("additionalProperties", _) if self.to.closes() => return None,
            (plain, _)
                if PLAIN.contains(&plain)
                    || (self.to == Subset::Gemini && OF_GEMINI.contains(&plain)) =>
            {
                out.insert(plain.into(), below.clone());
            }
            _ => {}
        }
        Some(())
    }

    /// What a provider wants besides: closed objects, all properties required, a type for every schema.
    fn finish(&self, words: &Map<String, Json>, out: &mut Map<String, Json>) -> Option<()> {
        if words.get("nullable") == Some(&json!(true)) {
            let schema = nullable(Json::Object(std::mem::take(out)));
            if let Json::Object(with_null) = schema {
                *out = with_null;
            }
        }
        if let (None, Some(Json::Array(values))) = (out.get("type"), out.get("enum"))
            && let Some(of_all) = type_of(values)
        {
            out.insert("type".into(), of_all);
        }
        let is_object = out.get("type") == Some(&json!("object")) || out.contains_key("properties");
        if is_object && self.to.closes() {
            if !out.contains_key("properties") {
                return None;
            }
            out.insert("additionalProperties".into(), json!(false));
        }
        if self.to == Subset::OpenAi {
            let says_something = ["type", "anyOf"].iter().any(|word| out.contains_key(*word));
            if !says_something {
                return None;
            }
            require_all(out);
        }
        Some(())
    }

    /// The schema that a reference means.
    fn target(&self, reference: &str) -> Option<&Json> {
        self.root.pointer(reference.strip_prefix('#')?)
    }

    /// Whether writing out a reference comes to an end.
    fn is_finite(&self, reference: &str, depth: usize) -> bool {
        let inlined = Writer::new(self.root, Subset::Gemini);
        let target = self.target(reference);
        target.is_some_and(|target| inlined.schema(target, depth + 1).is_some())
    }
}

/// Requires all properties of an object; those that may be absent may be null instead.
fn require_all(out: &mut Map<String, Json>) {
    let required = out.remove("required").unwrap_or_default();
    let Some(Json::Object(properties)) = out.get_mut("properties") else {
        return;
    };
    let is_required = |name: &String| {
        let all = required.as_array();
        all.is_some_and(|all| all.iter().any(|it| it.as_str() == Some(name)))
    };
    for (name, property) in properties.iter_mut() {
        if !is_required(name) {
            *property = nullable(property.take());
        }
    }
    let names: Vec<Json> = properties.keys().map(|name| json!(name)).collect();
    out.insert("required".into(), Json::Array(names));
}

/// The schema, or null.
fn nullable(schema: Json) -> Json {
    let null = json!("null");
    let Json::Object(mut words) = schema else {
        return schema;
    };
    if let Some(Json::Array(all)) = words.get_mut("anyOf") {
        let takes_null = |one: &Json| one.get("type") == Some(&null);
        if !all.iter().any(takes_null) {
            all.push(json!({"type": "null"}));
        }
        return Json::Object(words);
    }
    let types = match words.get("type") {
        Some(Json::String(one)) => vec![json!(one)],
        Some(Json::Array(several)) => several.clone(),
        _ => return json!({"anyOf": [words, {"type": "null"}]}),
    };
    if !types.contains(&null) {
        let types: Vec<Json> = types.into_iter().chain([null]).collect();
        words.insert("type".into(), Json::Array(types));
    }
    if let Some(Json::Array(values)) = words.get_mut("enum")
        && !values.contains(&Json::Null)
    {
        values.push(Json::Null);
    }
    Json::Object(words)
}

/// The type of values, if all have one.
fn type_of(values: &[Json]) -> Option<Json> {
    let name = |value: &Json| match value {
        Json::String(_) => Some("string"),
        Json::Bool(_) => Some("boolean"),
        Json::Number(number) if number.is_f64() => Some("number"),
        Json::Number(_) => Some("integer"),
        _ => None,
    };
    let first = name(values.first()?)?;
    let same = values.iter().all(|value| name(value) == Some(first));
    same.then(|| json!(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_closed_all_the_way_down() {
        let schema = json!({
            "$schema": "x", "type": "object", "required": ["a", "minimum"],
            "properties": {
                "a": {"type": "array", "items": {"$ref": "#/$defs/B"}},
                "minimum": {"type": "integer", "format": "uint32", "minimum": 0},
            },
            "$defs": {"B": {"type": "object", "properties": {}}},
        });
        let sent = json!({
            "type": "object", "required": ["a", "minimum"], "additionalProperties": false,
            "properties": {
                "a": {"type": "array", "items": {"$ref": "#/$defs/B"}},
                "minimum": {"type": "integer"},
            },
            "$defs": {"B": {"type": "object", "properties": {}, "additionalProperties": false}},
        });
        assert_eq!(Subset::Anthropic.of(&schema), Some(sent));
    }

    #[test]
    fn strict_mode_requires_all_properties_and_lets_optional_ones_be_null() {
        let schema = json!({
            "type": "object", "required": ["name"],
            "properties": {
                "name": {"type": "string", "minLength": 1, "maxLength": 80, "pattern": "x"},
                "kind": {"enum": ["a", "b"]},
                "size": {"type": ["integer", "null"], "format": "int32", "minimum": 0},
                "note": {"$ref": "#/$defs/Note", "description": "a note"},
                "when": {"type": "string", "format": "date-time"},
                "one": {"oneOf": [{"const": 1}, {"type": "string"}]},
                "all": {"allOf": [{"type": "boolean"}]},
            },
            "$defs": {"Note": {
                "type": "object", "properties": {"text": {"type": "string", "default": ""}},
            }},
        });
        let sent = json!({
            "type": "object", "additionalProperties": false,
            "required": ["name", "kind", "size", "note", "when", "one", "all"],
            "properties": {
                "name": {"type": "string"},
                "kind": {"type": ["string", "null"], "enum": ["a", "b", null]},
                "size": {"type": ["integer", "null"]},
                "note": {"anyOf": [{"$ref": "#/$defs/Note"}, {"type": "null"}]},
                "when": {"type": ["string", "null"], "format": "date-time"},
                "one": {"anyOf": [
                    {"type": "integer", "enum": [1]}, {"type": "string"}, {"type": "null"},
                ]},
                "all": {"type": ["boolean", "null"]},
            },
            "$defs": {"Note": {
                "type": "object", "additionalProperties": false, "required": ["text"],
                "properties": {"text": {"type": ["string", "null"]}},
            }},
        });
        let mut written = Subset::OpenAi.of(&schema);
        let mut expected = Some(sent);
        for one in [&mut written, &mut expected] {
            // Objects have no order.
            let required = one.as_mut().and_then(|it| it.get_mut("required"));
            if let Some(Json::Array(names)) = required {
                names.sort_by_key(Json::to_string);
            }
        }
        assert_eq!(written, expected);
    }

    #[test]
    fn gemini_gets_references_written_out() {
        let schema = json!({
            "$schema": "x", "type": "object", "required": ["a"], "additionalProperties": false,
            "properties": {"a": {"$ref": "#/$defs/A"}},
            "$defs": {"A": {"type": "integer", "minimum": 1, "exclusiveMaximum": 9, "format": "uint8"}},
        });
        let sent = json!({
            "type": "object", "required": ["a"],
            "properties": {"a": {"type": "integer", "minimum": 1}},
        });
        assert_eq!(Subset::Gemini.of(&schema), Some(sent));
        let endless = json!({"type": "object", "properties": {"next": {"$ref": "#"}}});
        assert_eq!(Subset::Gemini.of(&endless), None);
        let twice = json!({"properties": {"a": {"$ref": "#"}, "b": {"$ref": "#"}}});
        assert_eq!(Subset::Gemini.of(&twice), None);
        assert_eq!(Subset::Anthropic.of(&endless), None);
    }

    #[test]
    fn what_cannot_be_said_is_not_sent() {
        for schema in [
            json!({"type": "object", "additionalProperties": {"type": "string"}}),
            json!({"type": "object"}),
            json!({"items": {"type": "object", "properties": {}, "additionalProperties": true}}),
        ] {
            for subset in [Subset::OpenAi, Subset::Anthropic] {
                assert_eq!(subset.of(&schema), None, "{schema}");
            }
        }
        let anything = json!({"type": "object", "properties": {"x": {}}, "required": ["x"]});
        assert_eq!(Subset::OpenAi.of(&anything), None);
        let several = json!({"type": "object", "properties": {"x": {"allOf": [{}, {}]}}});
        assert_eq!(Subset::OpenAi.of(&several), None);
    }
}
