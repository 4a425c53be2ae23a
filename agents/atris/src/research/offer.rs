//! The four tools as a model reads them.

use serde_json::{Value as Json, json};
use superstep::model::ToolSpec;

/// Looks operations up.
pub(crate) const FIND: &str = "find_operations";
/// Calls one.
pub(crate) const CALL: &str = "call";
/// Works on records.
pub(crate) const COMPUTE: &str = "compute";
/// Ends the question.
pub(crate) const ANSWER: &str = "answer";

/// The tools; at the end of all turns only the answer.
pub(crate) fn tools(is_last: bool) -> Vec<ToolSpec> {
    let answer = spec(ANSWER, ANSWER_IS, answer());
    if is_last {
        return vec![answer];
    }
    vec![
        spec(FIND, FIND_IS, words()),
        spec(CALL, CALL_IS, call()),
        spec(COMPUTE, COMPUTE_IS, compute()),
        answer,
    ]
}

const FIND_IS: &str = "Searches the API for operations and shows their parameters with type, values and meaning. \
    Give a few words for what you need, or ids of operations. Costs no call of the API.";

const CALL_IS: &str = "Calls one operation, which only reads. The records get an id such as r1, each of them r1.1, \
    r1.2 and so on. A parameter that the operation does not have, or with a value that does not fit, is an error, and \
    nothing is called. At most eight calls for a question.";

const COMPUTE_IS: &str = "Works on records of earlier results: the steps are done in order, each on the result of the one \
    before. The result gets an id such as c1. Use it for every filter, order, count, sum, mean, difference and match \
    that the API does not do itself. Costs no call of the API.";

const ANSWER_IS: &str = "Ends the question with the answer. Every figure in the text is checked against the records. \
    Call it alone, when everything you need is there.";

fn spec(name: &str, description: &str, parameters: Json) -> ToolSpec {
    ToolSpec {
        name: name.into(),
        description: description.into(),
        parameters,
    }
}

fn object(properties: Json, required: &[&str]) -> Json {
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn text(description: &str) -> Json {
    json!({"type": "string", "description": description})
}

fn words() -> Json {
    let words = text("what you need, such as: remixes of a track");
    object(json!({"words": words}), &["words"])
}

fn call() -> Json {
    object(
        json!({
            "operation": text("the id of the operation, such as getTrendingTracks"),
            "parameters": {
                "type": "object",
                "description": "its parameters by name; only those that the question needs",
            },
        }),
        &["operation", "parameters"],
    )
}

fn compute() -> Json {
    let operand =
        json!({"type": ["string", "number"], "description": "calculate: a field, or a number"});
    let measure = object(
        json!({
            "measure": {"type": "string", "enum": ["sum", "mean", "median", "min", "max"]},
            "field": {"type": "string"},
        }),
        &["measure", "field"],
    );
    let step = object(
        json!({
            "do": {
                "type": "string",
                "enum": ["filter", "sort", "limit", "distinct", "calculate", "summarize", "compare", "join"],
                "description": "filter: keeps records whose field passes a test. sort, limit: order and first ones. \
                    distinct: one record for each value of a field. calculate: a new field of each record. \
                    summarize: count and measures over all records, or for each value of `by`. compare: two records by \
                    a field (difference, ratio). join: adds to each record the one of another set with the same value",
            },
            "field": text("filter, sort, distinct, compare, join: a field, such as playCount or user.name"),
            "is": {
                "type": "string",
                "enum": [
                    "equals", "not_equals", "above", "at_least", "below", "at_most", "contains", "starts_with",
                    "one_of", "known", "unknown",
                ],
                "description": "filter: the test",
            },
            "value": {
                "type": ["string", "number", "boolean", "array"],
                "items": {"type": ["string", "number"]},
                "description": "filter: what the field is compared with; dates as 2025-03-31",
            },
            "order": {"type": "string", "enum": ["ascending", "descending"]},
            "count": {"type": "integer", "minimum": 1, "description": "limit: how many are kept"},
            "name": text("calculate: the name of the new field"),
            "left": operand.clone(),
            "operator": {"type": "string", "enum": ["+", "-", "*", "/"]},
            "right": operand,
            "by": text("summarize: one result for each value of this field"),
            "measures": {"type": "array", "items": measure},
            "with": text("join: the id of the other set"),
            "other": text("join: the field of the other set that must have the same value"),
            "keep": {
                "type": "string",
                "enum": ["matched", "unmatched"],
                "description": "join: records with a match, which is the default, or those without",
            },
        }),
        &["do"],
    );
    object(
        json!({
            "records": {
                "type": "array",
                "items": {"type": "string"},
                "description": "sets and single records, such as [\"r1\"] or [\"r1.1\", \"r2.1\"], taken together",
            },
            "steps": {"type": "array", "items": step},
        }),
        &["records", "steps"],
    )
}

fn answer() -> Json {
    let figure = object(
        json!({
            "text": text("the figure, exactly as the text of the answer writes it"),
            "record": text("the record that has it, such as r1.3 or c1.1; a set such as r1 for how many records it has"),
            "field": text("the field of the record, such as followerCount; `count` of a set"),
        }),
        &["text", "record", "field"],
    );
    let column = object(
        json!({"title": text("the head of the column"), "field": text("a field of the records")}),
        &["title", "field"],
    );
    let table = object(
        json!({
            "records": text("the set whose records are the rows, in their order"),
            "columns": {"type": "array", "items": column},
        }),
        &["records", "columns"],
    );
    let texts =
        |what: &str| json!({"type": "array", "items": {"type": "string"}, "description": what});
    object(
        json!({
            "understood": text("how you understood the question, with every condition of it, in one sentence"),
            "answered": {
                "type": "string",
                "enum": ["yes", "partly", "no"],
                "description": "whether the text answers the question that was asked",
            },
            "text": text("the answer, which comes first, in the language of the question; not the rows of the table"),
            "figures": {"type": "array", "items": figure, "description": "where each figure of the text comes from"},
            "table": {"anyOf": [table, {"type": "null"}], "description": "rows for a list; the program fills the cells"},
            "limits": texts("what of the question could not be expressed, looked up or made sure; empty if nothing"),
        }),
        &[
            "understood", "answered", "text", "figures", "table", "limits",
        ],
    )
}
