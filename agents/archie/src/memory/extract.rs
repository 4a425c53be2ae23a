//! Extraction request: entities and relationships as structured output.

use serde::Deserialize;
use serde_json::{Map, json};
use superstep::model::{Message, Request, Schema, SchemaError};

use super::{Entity, Memory, Relationship, Seen, Source, VERSION};
use crate::documents::Document;

/// How much is asked for. A model on a slow machine writes a few tokens a second.
const MOST_ENTITIES: usize = 8;
const MOST_RELATIONSHIPS: usize = 6;
const LONGEST_NAME: usize = 50;
const LONGEST_SENTENCE: usize = 120;
const MOST_TAGS: usize = 2;

/// What a model found.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Extracted {
    entities: Vec<FoundEntity>,
    relationships: Vec<FoundRelationship>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
struct FoundEntity {
    document: usize,
    name: String,
    #[serde(rename = "type")]
    kind: String,
    description: String,
    tags: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
struct FoundRelationship {
    document: usize,
    from: String,
    #[serde(rename = "type")]
    kind: String,
    to: String,
}

/// The shape of what is asked for.
pub(crate) fn schema(documents: usize) -> Result<Schema, SchemaError> {
    let document = json!({"type": "integer", "minimum": 1, "maximum": documents});
    let text = |longest: usize| json!({"type": "string", "minLength": 1, "maxLength": longest});
    let name = text(LONGEST_NAME);
    let entity = json!({
        "type": "object",
        "properties": {
            "document": document,
            "name": name,
            "type": text(30),
            "description": text(LONGEST_SENTENCE),
            "tags": {"type": "array", "items": text(30), "maxItems": MOST_TAGS},
        },
        "required": ["document", "name", "type", "description", "tags"],
        "additionalProperties": false,
    });
    let relationship = json!({
        "type": "object",
        "properties": {
            "document": document,
            "from": name,
            "type": text(40),
            "to": name,
        },
        "required": ["document", "from", "type", "to"],
        "additionalProperties": false,
    });
    Schema::new(
        "entities",
        json!({
            "type": "object",
            "properties": {
                "entities": {"type": "array", "items": entity, "maxItems": MOST_ENTITIES},
                "relationships": {
                    "type": "array", "items": relationship, "maxItems": MOST_RELATIONSHIPS,
                },
            },
            "required": ["entities", "relationships"],
            "additionalProperties": false,
        }),
    )
}

/// The call: the beginning that all calls of the thread share, then what to do.
pub(crate) fn extract_request(
    beginning: Vec<Message>,
    documents: &[Document],
    is_new: impl Fn(&Document) -> bool,
    instruction: &str,
    max_tokens: u32,
) -> Request {
    let numbered = (1..).zip(documents);
    let new = numbered.filter(|(_, document)| is_new(document));
    let new: Vec<String> = new.map(|(number, _)| number.to_string()).collect();
    let task = format!(
        "Documents to look through: {}\n\n{instruction}",
        new.join(", ")
    );
    Request {
        max_tokens: Some(max_tokens),
        ..Request::new(beginning.into_iter().chain([Message::user(task)]))
    }
}

/// What was found, as a memory of its own.
pub(crate) fn found(extracted: Extracted, documents: &[Document], thread: &str) -> Memory {
    let source = |number: usize| {
        let document = number.checked_sub(1).and_then(|index| documents.get(index));
        let document = document.or(documents.first());
        vec![Source {
            thread: thread.to_owned(),
            document: document.map(|it| it.sha256.clone()).unwrap_or_default(),
        }]
    };
    let plain = |text: &str| superstep::text::single_line(text);
    // A document tells of a system and is no part of it.
    let paths: Vec<&str> = documents.iter().map(|it| it.path.as_str()).collect();
    let is_name = |name: &str| !name.is_empty() && !is_document(name, &paths);
    let entities = extracted.entities.into_iter().map(|it| Entity {
        name: plain(&it.name),
        description: plain(&it.description),
        kind: plain(&it.kind),
        tags: it.tags.iter().map(|tag| plain(tag)).collect(),
        properties: Map::new(),
        sources: source(it.document),
    });
    let relationships = extracted.relationships.into_iter().map(|it| Relationship {
        from: plain(&it.from),
        to: plain(&it.to),
        kind: plain(&it.kind),
        properties: Map::new(),
        sources: source(it.document),
    });
    let seen = documents.iter().map(|document| {
        let seen = Seen {
            path: document.path.clone(),
            thread: thread.to_owned(),
        };
        (document.sha256.clone(), seen)
    });
    Memory {
        version: VERSION,
        entities: entities.filter(|it| is_name(&it.name)).collect(),
        relationships: relationships
            .filter(|it| is_name(&it.from) && is_name(&it.to))
            .collect(),
        documents: seen.collect(),
        ..Memory::default()
    }
}

/// Endings of documents.
const ENDINGS: [&str; 12] = [
    "md", "markdown", "txt", "rst", "adoc", "pdf", "doc", "docx", "odt", "html", "htm", "rtf",
];

/// Whether something is named like a document: one of these, any file with the ending of one, or `Document 2`, as the
/// prompt numbers them.
pub(super) fn is_document(name: &str, paths: &[&str]) -> bool {
    let name = name.trim().trim_matches(['`', '"', '\'']);
    let is_same = |path: &&str| {
        let file = path.rsplit('/').next().unwrap_or(path);
        path.eq_ignore_ascii_case(name) || file.eq_ignore_ascii_case(name)
    };
    if paths.iter().any(is_same) {
        return true;
    }
    if let Some((_, ending)) = name.rsplit_once('.')
        && ENDINGS.iter().any(|it| it.eq_ignore_ascii_case(ending))
    {
        return true;
    }
    let mut words = name.split_whitespace();
    let is_numbered = words
        .next()
        .is_some_and(|word| word.eq_ignore_ascii_case("document"))
        && words
            .next()
            .is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    is_numbered && words.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_told_from_what_it_tells_of() {
        let paths = ["notes/offers.md", "Makefile"];
        for name in [
            "offers.md", "Notes/Offers.md", "`offers.md`", "other.pdf", "Document 2", "makefile",
        ] {
            assert!(is_document(name, &paths), "{name}");
        }
        for name in [
            "offers", "Offer service", "Document store", "Node.js", "document", "a.b",
        ] {
            assert!(!is_document(name, &paths), "{name}");
        }
    }
}
