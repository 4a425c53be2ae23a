//! What `#[tool]` makes of a function.

use serde_json::json;
use superstep::tools::{Access, Capabilities, Tool, Tools};

use crate::fixture::{Add, ReadPage, SendText};

#[test]
fn a_function_becomes_a_tool_with_schema_and_docs() {
    let spec = SendText.spec();
    assert_eq!(spec.name, "send_text");
    assert_eq!(spec.description, "Sends a text to a person.");
    let schema = json!({
        "type": "object",
        "properties": {
            "to": {"type": "string", "description": "Who gets it."},
            "text": {"type": "string", "description": "What it says."},
        },
        "required": ["to", "text"],
        "additionalProperties": false,
    });
    assert_eq!(spec.parameters, schema);
    let access = Access {
        capabilities: Capabilities::SEND,
        ..Access::default()
    };
    assert_eq!(SendText.access(), access);
    assert!(Add.access().trusted_output && Add.access().capabilities == Capabilities::NONE);
}

#[test]
fn arguments_are_checked_without_running_anything() {
    let args = |json: serde_json::Value| json.as_object().cloned().unwrap();
    assert!(Add.parse(&args(json!({"left": 1}))).is_ok());
    for bad in [
        json!({}),
        json!({"left": "1"}),
        json!({"left": 1, "extra": 2}),
        json!({"left": 1.5}),
        json!({"left": null}),
    ] {
        assert!(Add.parse(&args(bad.clone())).is_err(), "{bad}");
    }
}

#[test]
fn a_missing_service_and_a_second_tool_are_found_at_once() {
    let built = Tools::builder()
        .tool(SendText)
        .tool(ReadPage)
        .tool(ReadPage)
        .build();
    let error = built.err().unwrap();
    assert_eq!(error.code(), "SS5101");
    let said = error.to_string();
    assert!(
        said.contains("`send_text` needs the service") && said.contains("two tools `read_page`")
    );
}
