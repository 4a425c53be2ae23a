//! Validation of a server's list of tools.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use superstep_model::schema::Schema;
use superstep_text::Hidden;

use crate::approval::sha256;

/// The most bytes that a tool's description may have, and its schema.
const MAX_WORDS: usize = 32 << 10;

/// The longest name that every provider takes.
const MAX_NAME: usize = 64;

/// A tool as its server describes it. What the server says about how harmless it is, is not kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Offered {
    /// The server's name for it.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The JSON schema of its arguments.
    pub schema: Json,
}

impl Offered {
    /// Reads an entry of a server's list.
    pub(super) fn read(entry: &Json) -> Option<Self> {
        let text = |key| entry.get(key).and_then(Json::as_str);
        Some(Self {
            name: text("name")?.to_owned(),
            description: text("description").unwrap_or_default().to_owned(),
            schema: entry.get("inputSchema").cloned().unwrap_or_default(),
        })
    }

    /// The schema its arguments are checked against, or why it cannot be used.
    pub(super) fn validate(&self) -> Result<Schema, String> {
        if !self.schema.is_object() {
            return Err("its schema is no object".into());
        }
        let declared = self.schema.get("type").and_then(Json::as_str);
        if declared != Some("object") {
            return Err("its arguments are no object".into());
        }
        let words = self.schema.to_string();
        if self.description.len().max(words.len()) > MAX_WORDS {
            return Err(format!("it is described in more than {MAX_WORDS} bytes"));
        }
        let parts = [
            ("name", Hidden::of(&self.name)),
            ("description", Hidden::of(&self.description)),
            ("schema", Hidden::of_json(&self.schema)),
        ];
        if let Some((part, hidden)) = parts.iter().find(|(_, hidden)| !hidden.is_empty()) {
            return Err(format!("its {part} holds {hidden}"));
        }
        // Such values would have to be sent as headers too.
        if words.contains("\"x-mcp-header\"") {
            return Err("it wants arguments in headers".into());
        }
        Schema::new(&*self.name, self.schema.clone()).map_err(|error| error.to_string())
    }
}

/// A name without anything that is no letter, digit, `_` or `-`.
pub(super) fn plain_name(name: &str) -> String {
    let plain = |c: char| match c.is_ascii_alphanumeric() || c == '-' {
        true => c,
        false => '_',
    };
    name.chars().take(MAX_NAME).map(plain).collect()
}

/// Names for models, by the server's names: those of the server behind the alias. Two that would
/// come out equal are problems, not tools.
pub(super) fn names(alias: &str, tools: &[Offered]) -> (BTreeMap<String, String>, Vec<String>) {
    let mut by_given: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for tool in tools {
        let given = given_name(alias, &tool.name);
        by_given.entry(given).or_default().push(&tool.name);
    }
    let mut names = BTreeMap::new();
    let mut problems = Vec::new();
    for (given, owners) in by_given {
        match owners.as_slice() {
            [one] => {
                names.insert((*one).to_owned(), given);
            }
            many => problems.push(format!(
                "{} tools of the server would be called `{given}`: none of them is",
                many.len()
            )),
        }
    }
    (names, problems)
}

fn given_name(alias: &str, name: &str) -> String {
    let full = format!("{alias}_{}", plain_name(name));
    if full.len() <= MAX_NAME && name.chars().count() <= MAX_NAME {
        return full;
    }
    let hash = sha256([name.to_owned()]);
    let hash = hash.get(..8).unwrap_or_default();
    let kept = full.get(..MAX_NAME - 9).unwrap_or(&full);
    format!("{kept}_{hash}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tool(name: &str, schema: Json) -> Offered {
        Offered {
            name: name.into(),
            description: "does".into(),
            schema,
        }
    }

    #[test]
    fn names_are_made_valid_and_collisions_are_told() {
        let long = "x".repeat(100);
        let tools: Vec<_> = ["read.file", "a b", "a/b", &long]
            .iter()
            .map(|name| tool(name, json!({})))
            .collect();
        let (names, problems) = names("fs", &tools);
        let name = |of: &str| names.get(of).map(String::as_str);
        assert_eq!(name("read.file"), Some("fs_read_file"));
        assert_eq!(name(&long).map(str::len), Some(MAX_NAME));
        assert_eq!((name("a b"), name("a/b")), (None, None));
        assert_eq!(problems.len(), 1, "{problems:?}");
    }

    #[test]
    fn hostile_schemas_and_hidden_words_are_not_used() {
        let object = json!({"type": "object"});
        assert!(tool("t", object.clone()).validate().is_ok());
        for bad in [
            Json::Null,
            json!([]),
            json!({"type": "string"}),
            json!({"type": "object", "properties": 3}),
            json!({"type": "object", "properties": {"a": {"$ref": "#/nowhere"}}}),
            json!({"type": "object", "properties": {"a": {"$ref": "http://evil.example/s"}}}),
            json!({"type": "object", "description": "x".repeat(MAX_WORDS)}),
            json!({"type": "object", "description": "hi\u{e0041}"}),
            json!({"type": "object", "properties": {"a": {"description": "\u{1b}]0;x\u{7}"}}}),
            json!({"type": "object", "properties": {"a\u{3164}": {"type": "string"}}}),
            json!({"type": "object", "properties": {"a": {"enum": ["x\u{e0101}"]}}}),
            json!({"type": "object", "properties": {"a": {"x-mcp-header": "A"}}}),
        ] {
            assert!(tool("t", bad.clone()).validate().is_err(), "{bad}");
        }
        for hidden in [
            "\u{202e}", "\u{e0101}", "\u{3164}", "\u{ad}", "\u{1b}[8m", "\u{180e}",
        ] {
            let mut tool = tool("t", object.clone());
            tool.description = format!("adds{hidden} two numbers");
            let why = tool.validate().err().unwrap_or_default();
            assert!(why.contains("its description holds"), "{hidden:?}: {why}");
            tool.description.clear();
            tool.name.push_str(hidden);
            let why = tool.validate().err().unwrap_or_default();
            assert!(why.contains("its name holds"), "{hidden:?}: {why}");
        }
    }
}
