//! What the bodies of requests have, for the description of the routes. Every route with a JSON body has a row here, which
//! `tests/it/system.rs` checks. Fields that are not listed are ignored.

use serde_json::{Map, Value as Json, json};

/// The form of a field.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    Any,
    Bool,
    Count,
    Number,
    Object,
    Objects,
    Text,
    TextOrTexts,
    Texts,
    Uuid,
    Uuids,
    Word(&'static [&'static str]),
}

use Form::{
    Any, Bool, Count, Number, Object, Objects, Text, TextOrTexts, Texts, Uuid, Uuids, Word,
};

type Field = (&'static str, Form);

const PAGE: &[Field] = &[
    ("limit", Count),
    ("offset", Count),
    ("metadata", Object),
    ("sort_by", Text),
    ("sort_order", Word(&["asc", "desc"])),
    ("select", Texts),
];

const RUN: &[Field] = &[
    ("assistant_id", Text),
    ("input", Any),
    ("command", Object),
    ("config", Object),
    ("context", Object),
    ("metadata", Object),
    ("checkpoint", Object),
    ("checkpoint_id", Uuid),
    ("stream_mode", TextOrTexts),
    ("stream_subgraphs", Bool),
    ("stream_resumable", Bool),
    ("interrupt_before", TextOrTexts),
    ("interrupt_after", TextOrTexts),
    (
        "multitask_strategy",
        Word(&["enqueue", "interrupt", "reject", "rollback"]),
    ),
    ("on_disconnect", Word(&["cancel", "continue"])),
    ("on_completion", Word(&["delete", "keep"])),
    ("if_not_exists", Word(&["create", "reject"])),
    ("durability", Word(&["async", "exit", "sync"])),
    ("after_seconds", Number),
    ("webhook", Text),
];

const CRON: &[Field] = &[
    ("assistant_id", Text),
    ("schedule", Text),
    ("timezone", Text),
    ("end_time", Text),
    ("enabled", Bool),
    ("on_run_completed", Word(&["delete", "keep"])),
    ("input", Any),
    ("metadata", Object),
];

const ASSISTANT: &[Field] = &[
    ("graph_id", Text),
    ("config", Object),
    ("context", Object),
    ("metadata", Object),
    ("name", Text),
    ("description", Text),
];

const ITEM: &[Field] = &[
    ("namespace", Texts),
    ("key", Text),
    ("value", Any),
    ("expected", Any),
    ("index", Any),
    ("ttl", Number),
];

const CALL: &[Field] = &[
    ("jsonrpc", Text),
    ("id", Any),
    ("method", Text),
    ("params", Object),
];

type BodyRow = (
    &'static str,
    &'static str,
    &'static [&'static [Field]],
    &'static [&'static str],
);

/// Method and path, the fields, and those that must be there.
const ROWS: &[BodyRow] = &[
    ("POST", "/files/search", &[PAGE], &[]),
    (
        "POST",
        "/runs/search",
        &[&[
            ("days", Count),
            ("graph_id", Text),
            (
                "status",
                Word(&["error", "interrupted", "pending", "running", "success"]),
            ),
            ("query", Text),
            ("limit", Count),
            ("offset", Count),
        ]],
        &[],
    ),
    ("PUT", "/settings/model", &[&[("name", Text)]], &["name"]),
    (
        "PUT",
        "/settings/keys/{provider}",
        &[&[("key", Text)]],
        &["key"],
    ),
    (
        "POST",
        "/settings/download",
        &[&[("name", Text)]],
        &["name"],
    ),
    ("POST", "/settings/restart", &[], &[]),
    ("POST", "/mcp", &[CALL], &["method"]),
    ("POST", "/mcp/", &[CALL], &["method"]),
    ("POST", "/a2a/{assistant_id}", &[CALL], &["method"]),
    (
        "POST",
        "/runs/crons",
        &[CRON],
        &["assistant_id", "schedule"],
    ),
    (
        "POST",
        "/threads/{id}/runs/crons",
        &[CRON],
        &["assistant_id", "schedule"],
    ),
    ("PATCH", "/runs/crons/{cron}", &[CRON], &[]),
    (
        "POST",
        "/runs/crons/search",
        &[
            PAGE,
            &[
                ("assistant_id", Uuid),
                ("thread_id", Uuid),
                ("enabled", Bool),
            ],
        ],
        &[],
    ),
    (
        "POST",
        "/runs/crons/count",
        &[&[
            ("assistant_id", Uuid),
            ("thread_id", Uuid),
            ("metadata", Object),
        ]],
        &[],
    ),
    (
        "POST",
        "/assistants/search",
        &[PAGE, &[("graph_id", Text), ("name", Text)]],
        &[],
    ),
    (
        "POST",
        "/assistants/count",
        &[&[("graph_id", Text), ("name", Text), ("metadata", Object)]],
        &[],
    ),
    (
        "POST",
        "/assistants",
        &[
            ASSISTANT,
            &[
                ("assistant_id", Uuid),
                ("if_exists", Word(&["do_nothing", "raise"])),
            ],
        ],
        &["graph_id"],
    ),
    ("PATCH", "/assistants/{id}", &[ASSISTANT], &[]),
    (
        "POST",
        "/assistants/{id}/versions",
        &[&[("limit", Count), ("offset", Count), ("metadata", Object)]],
        &[],
    ),
    (
        "POST",
        "/assistants/{id}/latest",
        &[&[("version", Count)]],
        &["version"],
    ),
    (
        "POST",
        "/threads",
        &[&[
            ("thread_id", Uuid),
            ("metadata", Object),
            ("graph_id", Text),
            ("if_exists", Word(&["do_nothing", "raise"])),
            ("supersteps", Objects),
        ]],
        &[],
    ),
    ("PATCH", "/threads/{id}", &[&[("metadata", Object)]], &[]),
    (
        "POST",
        "/threads/search",
        &[
            PAGE,
            &[
                ("ids", Uuids),
                ("values", Object),
                ("status", Word(&["busy", "error", "idle", "interrupted"])),
                ("query", Text),
            ],
        ],
        &[],
    ),
    (
        "POST",
        "/threads/count",
        &[&[
            ("ids", Uuids),
            ("metadata", Object),
            ("values", Object),
            ("status", Word(&["busy", "error", "idle", "interrupted"])),
            ("query", Text),
            ("group_by", Word(&["status"])),
        ]],
        &[],
    ),
    (
        "POST",
        "/threads/{id}/answer",
        &[&[("question", Text), ("text", Text)]],
        &["question", "text"],
    ),
    ("POST", "/threads/{id}/copy", &[], &[]),
    (
        "POST",
        "/threads/{id}/state",
        &[&[
            ("values", Any),
            ("as_node", Text),
            ("checkpoint", Object),
            ("checkpoint_id", Uuid),
        ]],
        &[],
    ),
    (
        "POST",
        "/threads/{id}/state/checkpoint",
        &[&[("checkpoint", Object), ("subgraphs", Bool)]],
        &[],
    ),
    (
        "POST",
        "/threads/{id}/history",
        &[&[
            ("limit", Count),
            ("before", Any),
            ("metadata", Object),
            ("checkpoint", Object),
        ]],
        &[],
    ),
    (
        "POST",
        "/threads/{id}/commands",
        &[&[("id", Count), ("method", Text), ("params", Object)]],
        &["id", "method"],
    ),
    (
        "POST",
        "/threads/{id}/stream/events",
        &[&[
            ("channels", Texts),
            ("namespaces", Any),
            ("depth", Count),
            ("since", Count),
        ]],
        &[],
    ),
    ("POST", "/threads/{id}/runs", &[RUN], &["assistant_id"]),
    (
        "POST",
        "/threads/{id}/runs/stream",
        &[RUN],
        &["assistant_id"],
    ),
    ("POST", "/threads/{id}/runs/wait", &[RUN], &["assistant_id"]),
    ("POST", "/threads/{id}/runs/{run}/cancel", &[], &[]),
    ("POST", "/runs", &[RUN], &["assistant_id"]),
    ("POST", "/runs/stream", &[RUN], &["assistant_id"]),
    ("POST", "/runs/wait", &[RUN], &["assistant_id"]),
    (
        "POST",
        "/runs/cancel",
        &[&[
            ("thread_id", Uuid),
            ("run_ids", Uuids),
            ("status", Word(&["all", "pending", "running"])),
            ("action", Word(&["interrupt", "rollback"])),
        ]],
        &[],
    ),
    (
        "PUT",
        "/store/items",
        &[ITEM],
        &["key", "namespace", "value"],
    ),
    (
        "DELETE",
        "/store/items",
        &[&[("namespace", Texts), ("key", Text)]],
        &["key", "namespace"],
    ),
    (
        "POST",
        "/store/items/search",
        &[&[
            ("namespace_prefix", Texts),
            ("filter", Object),
            ("query", Text),
            ("limit", Count),
            ("offset", Count),
            ("refresh_ttl", Bool),
        ]],
        &[],
    ),
    (
        "POST",
        "/store/namespaces",
        &[&[
            ("prefix", Texts),
            ("suffix", Texts),
            ("max_depth", Count),
            ("limit", Count),
            ("offset", Count),
        ]],
        &[],
    ),
];

/// The schema of the body of a route; nothing for one without a JSON body.
pub(super) fn body(method: &str, path: &str) -> Option<Json> {
    if (method, path) == ("POST", "/runs/batch") {
        let run = object(&[RUN, &[("thread_id", Uuid)]], &["assistant_id"]);
        return Some(json!({ "type": "array", "items": run, "maxItems": 1000 }));
    }
    // Those for inboxes take what the others take.
    let path = path.strip_prefix("/inbox").unwrap_or(path);
    let mut rows = ROWS.iter();
    let (_, _, fields, required) = rows.find(|row| (row.0, row.1) == (method, path))?;
    Some(object(fields, required))
}

fn object(fields: &[&[Field]], required: &[&str]) -> Json {
    let fields = fields.iter().flat_map(|fields| fields.iter());
    let properties: Map<String, Json> = fields
        .map(|(name, form)| ((*name).to_owned(), schema(*form)))
        .collect();
    let mut object = json!({ "type": "object", "properties": properties });
    if let (false, Json::Object(object)) = (required.is_empty(), &mut object) {
        object.insert("required".to_owned(), json!(required));
    }
    object
}

fn schema(form: Form) -> Json {
    let text = json!({ "type": "string" });
    let uuid = json!({ "type": "string", "format": "uuid" });
    match form {
        Any => json!({}),
        Bool => json!({ "type": "boolean" }),
        Count => json!({ "type": "integer", "minimum": 0 }),
        Number => json!({ "type": "number" }),
        Object => json!({ "type": "object" }),
        Objects => json!({ "type": "array", "items": { "type": "object" } }),
        Text => text,
        TextOrTexts => json!({ "anyOf": [text, { "type": "array", "items": text }] }),
        Texts => json!({ "type": "array", "items": text }),
        Uuid => uuid,
        Uuids => json!({ "type": "array", "items": uuid }),
        Word(words) => json!({ "enum": words }),
    }
}
