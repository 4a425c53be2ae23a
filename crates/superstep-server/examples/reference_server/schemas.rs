//! What clients are told about the graphs: the schemas of their states.

use serde_json::{Value as Json, json};
use superstep::Schemas;

/// The schemas of a graph.
pub(crate) fn of(graph: &str) -> Schemas {
    let text = || json!({ "type": "string" });
    let integer = || json!({ "type": "integer" });
    let list = |of: Json| json!({ "type": "array", "items": of });
    let (fields, required): (Vec<(&str, Json)>, &[&str]) = match graph {
        "agent" => (
            vec![("messages", list(json!({ "type": "object" })))],
            &["messages"],
        ),
        "hitl" => (
            vec![("topic", text()), ("draft", text()), ("outcome", text())],
            &["topic"],
        ),
        "nested" => (
            vec![
                ("trail", list(text())),
                ("ask", json!({ "type": "boolean" })),
            ],
            &["trail"],
        ),
        "slow" => (
            vec![
                ("ticks", integer()),
                ("delay", json!({ "type": "number" })),
                ("log", list(text())),
                ("done", integer()),
            ],
            &["log"],
        ),
        "fanout" => (
            vec![
                ("items", list(integer())),
                ("squares", list(integer())),
                ("total", integer()),
            ],
            &["items"],
        ),
        "twoasks" => (vec![("answers", list(text()))], &["answers"]),
        "memory" => (
            vec![("key", text()), ("value", text()), ("seen", json!({}))],
            &["key"],
        ),
        "ctx" => (vec![("name", text()), ("greeting", text())], &["name"]),
        "fail" => (vec![("x", integer())], &[]),
        _ => (vec![("n", integer())], &["n"]),
    };
    let fields: serde_json::Map<String, Json> = fields
        .into_iter()
        .map(|(name, schema)| (name.to_owned(), schema))
        .collect();
    let schema = json!({
        "title": graph,
        "type": "object",
        "properties": fields,
        "required": required,
    });
    let context = json!({
        "title": "Ctx",
        "type": "object",
        "properties": { "tone": text() },
    });
    Schemas {
        state: Some(schema.clone()),
        input: Some(schema),
        context: (graph == "ctx").then_some(context),
        ..Schemas::default()
    }
}
