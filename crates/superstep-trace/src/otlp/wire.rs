//! Encodings of spans: protocol buffers for collectors, JSON for files.
//!
//! The field numbers are those of `opentelemetry.proto.collector.trace.v1`.

use serde_json::{Value as Json, json};

use super::{Attribute, CONVENTIONS, Origin, OtlpSpan, Role, State, Worth};
use crate::proto::Message;

const SCOPE: &str = "superstep-trace";
const VERSION: &str = env!("CARGO_PKG_VERSION");

fn schema() -> String {
    format!("https://opentelemetry.io/schemas/{CONVENTIONS}")
}

fn resource(origin: &Origin) -> Vec<Attribute> {
    let pairs = [
        ("service.name", origin.service.as_str()),
        ("telemetry.sdk.name", "superstep"),
        ("telemetry.sdk.language", "rust"),
        ("telemetry.sdk.version", VERSION),
    ];
    let said = pairs.map(|(key, text)| Attribute {
        key: key.to_owned(),
        worth: Worth::Text(text.to_owned()),
    });
    said.into()
}

fn exception(span: &OtlpSpan) -> Option<Vec<Attribute>> {
    let error = span.exception.as_ref()?;
    let pairs = [
        ("exception.type", error.code.to_string()),
        ("exception.message", error.message.clone()),
    ];
    let said = pairs.map(|(key, text)| Attribute {
        key: key.to_owned(),
        worth: Worth::Text(text),
    });
    Some(said.into())
}

fn role(role: Role) -> u64 {
    match role {
        Role::Internal => 1,
        Role::Client => 3,
    }
}

fn state(state: State) -> u64 {
    match state {
        State::Unset => 0,
        State::Ok => 1,
        State::Error => 2,
    }
}

pub(super) fn protobuf(spans: &[OtlpSpan], origin: &Origin) -> Vec<u8> {
    let mut request = Message::default();
    request.message(1, |resource_spans| {
        resource_spans.message(1, |out| put_all(out, 1, &resource(origin)));
        resource_spans.message(2, |scope_spans| {
            scope_spans.message(1, |scope| {
                scope.text(1, SCOPE);
                scope.text(2, VERSION);
            });
            for span in spans {
                scope_spans.message(2, |out| put_span(out, span));
            }
            scope_spans.text(3, &schema());
        });
        resource_spans.text(3, &schema());
    });
    request.into_bytes()
}

fn put_span(out: &mut Message, span: &OtlpSpan) {
    out.bytes(1, &span.trace.to_be_bytes());
    out.bytes(2, &span.id.to_be_bytes());
    if let Some(parent) = span.parent {
        out.bytes(4, &parent.to_be_bytes());
    }
    out.text(5, &span.name);
    out.varint(6, role(span.role));
    out.fixed64(7, span.started);
    out.fixed64(8, span.ended);
    put_all(out, 9, &span.attributes);
    if let Some(says) = exception(span) {
        out.message(11, |event| {
            event.fixed64(1, span.ended);
            event.text(2, "exception");
            put_all(event, 3, &says);
        });
    }
    if let Some((trace, id)) = span.follows {
        out.message(13, |link| {
            link.bytes(1, &trace.to_be_bytes());
            link.bytes(2, &id.to_be_bytes());
        });
    }
    out.message(15, |status| {
        if let Some(error) = &span.exception {
            status.text(2, &error.message);
        }
        status.varint(3, state(span.state));
    });
}

fn put_all(out: &mut Message, field: u32, attributes: &[Attribute]) {
    for Attribute { key, worth } in attributes {
        out.message(field, |pair| {
            pair.text(1, key);
            pair.message(2, |value| put(value, worth));
        });
    }
}

fn put(value: &mut Message, worth: &Worth) {
    match worth {
        Worth::Text(text) => value.text(1, text),
        Worth::Int(number) => value.varint(3, *number as u64),
        Worth::Float(number) => value.double(4, *number),
        Worth::Texts(texts) => value.message(5, |list| {
            for text in texts {
                list.message(1, |item| item.text(1, text));
            }
        }),
    }
}

pub(super) fn json(spans: &[OtlpSpan], origin: &Origin) -> Json {
    let spans: Vec<Json> = spans.iter().map(span_json).collect();
    json!({ "resourceSpans": [{
        "resource": { "attributes": pairs(&resource(origin)) },
        "scopeSpans": [{
            "scope": { "name": SCOPE, "version": VERSION },
            "spans": spans,
            "schemaUrl": schema(),
        }],
        "schemaUrl": schema(),
    }] })
}

/// Ids are hexadecimal and large numbers are text, as the protocol wants it.
fn span_json(span: &OtlpSpan) -> Json {
    let mut said = json!({
        "traceId": format!("{:032x}", span.trace),
        "spanId": format!("{:016x}", span.id),
        "name": span.name,
        "kind": role(span.role),
        "startTimeUnixNano": span.started.to_string(),
        "endTimeUnixNano": span.ended.to_string(),
        "attributes": pairs(&span.attributes),
        "status": { "code": state(span.state) },
    });
    let Some(object) = said.as_object_mut() else {
        return said;
    };
    if let Some(parent) = span.parent {
        object.insert("parentSpanId".into(), format!("{parent:016x}").into());
    }
    if let Some(says) = exception(span) {
        let event = json!({
            "timeUnixNano": span.ended.to_string(),
            "name": "exception",
            "attributes": pairs(&says),
        });
        object.insert("events".into(), json!([event]));
    }
    if let (Some(error), Some(status)) = (&span.exception, object.get_mut("status")) {
        status["message"] = error.message.as_str().into();
    }
    if let Some((trace, id)) = span.follows {
        let link = json!({ "traceId": format!("{trace:032x}"), "spanId": format!("{id:016x}") });
        object.insert("links".into(), json!([link]));
    }
    said
}

fn pairs(attributes: &[Attribute]) -> Vec<Json> {
    let pair =
        |Attribute { key, worth }: &Attribute| json!({ "key": key, "value": worth_json(worth) });
    attributes.iter().map(pair).collect()
}

fn worth_json(worth: &Worth) -> Json {
    match worth {
        Worth::Text(text) => json!({ "stringValue": text }),
        Worth::Int(number) => json!({ "intValue": number.to_string() }),
        Worth::Float(number) => json!({ "doubleValue": number }),
        Worth::Texts(texts) => {
            let values: Vec<Json> = texts
                .iter()
                .map(|text| json!({ "stringValue": text }))
                .collect();
            json!({ "arrayValue": { "values": values } })
        }
    }
}
