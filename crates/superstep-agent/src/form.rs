//! A form derived from the JSON schema of an input: one field per property, typed text as values.

use serde_json::{Map, Value as Json};
use superstep::model::did_you_mean;

/// The fields of an input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form {
    /// The fields, in the order of the schema.
    pub fields: Vec<Field>,
}

/// A field of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: FieldKind,
    /// Its description; empty if the schema has none.
    pub about: String,
}

/// Type of a field: it decides how typed text becomes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// Text, as it is typed.
    Text,
    /// `true` or `false`.
    YesNo,
    /// A whole number.
    Whole,
    /// Any number.
    Number,
    /// Anything else, as JSON.
    Json,
}

impl Form {
    /// The form of a schema. Without properties it has no fields.
    pub fn of(schema: &Json) -> Self {
        let properties = schema.get("properties").and_then(Json::as_object);
        let fields = properties
            .into_iter()
            .flatten()
            .map(|(name, schema)| Field {
                name: name.clone(),
                kind: FieldKind::of(schema),
                about: text_of(schema, "description").to_owned(),
            });
        Self {
            fields: fields.collect(),
        }
    }

    /// Puts typed text into a field of an input.
    pub fn set(&self, input: &mut Map<String, Json>, name: &str, text: &str) -> Result<(), String> {
        let Some(field) = self.fields.iter().find(|field| field.name == name) else {
            let names = self.fields.iter().map(|field| field.name.as_str());
            let hint = did_you_mean::hint(name, names);
            return Err(format!("the input has no field `{name}`{hint}"));
        };
        let value = field.kind.read(text);
        let value = value.ok_or_else(|| format!("`{name}` must be {}", field.kind.wanted()))?;
        input.insert(name.to_owned(), value);
        Ok(())
    }
}

impl FieldKind {
    fn of(schema: &Json) -> Self {
        let kind = match schema.get("type") {
            // An optional field: `["string", "null"]`.
            Some(Json::Array(kinds)) => kinds.iter().find(|kind| *kind != "null"),
            kind => kind,
        };
        match kind.and_then(Json::as_str) {
            Some("string") => Self::Text,
            Some("boolean") => Self::YesNo,
            Some("integer") => Self::Whole,
            Some("number") => Self::Number,
            _ => Self::Json,
        }
    }

    fn read(self, text: &str) -> Option<Json> {
        let json = || serde_json::from_str::<Json>(text).ok();
        match self {
            Self::Text => Some(Json::String(text.to_owned())),
            Self::YesNo => json().filter(Json::is_boolean),
            Self::Whole => json().filter(|value| value.is_i64() || value.is_u64()),
            Self::Number => json().filter(Json::is_number),
            Self::Json => json(),
        }
    }

    /// The values that fit, in words.
    pub fn wanted(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::YesNo => "true or false",
            Self::Whole => "a whole number",
            Self::Number => "a number",
            Self::Json => "JSON",
        }
    }
}

fn text_of<'a>(schema: &'a Json, key: &str) -> &'a str {
    schema.get(key).and_then(Json::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn typed_text_becomes_a_value_of_the_type_of_its_field() {
        let form = Form::of(&json!({"properties": {
            "topic": {"type": "string", "description": "What it is about."},
            "lines": {"type": ["integer", "null"]},
            "rhymes": {"type": "boolean"},
            "tags": {"type": "array"},
        }}));
        let mut input = Map::new();
        for (name, text) in [
            ("topic", "7"),
            ("lines", "7"),
            ("rhymes", "true"),
            ("tags", r#"["a"]"#),
        ] {
            assert_eq!(form.set(&mut input, name, text), Ok(()));
        }
        let expected = json!({"topic": "7", "lines": 7, "rhymes": true, "tags": ["a"]});
        assert_eq!(Json::Object(input.clone()), expected);
        for (name, text) in [("lines", "7.5"), ("rhymes", "maybe"), ("tags", "a, b")] {
            assert!(form.set(&mut input, name, text).is_err(), "{name}");
        }
        let unknown = form.set(&mut input, "topics", "tea");
        assert!(unknown.is_err_and(|why| why.contains("topic")));
        assert_eq!(Json::Object(input), expected);
    }
}
