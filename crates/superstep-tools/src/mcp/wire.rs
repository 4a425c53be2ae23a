//! JSON-RPC 2.0 messages: encoding and decoding.

use serde_json::{Value as Json, json};

/// The most of a server's own words that is in an error.
const MAX_SAID: usize = 1 << 10;

/// What a server sent.
#[derive(Debug, PartialEq)]
pub(super) enum Incoming {
    /// The reply to a request of ours.
    Reply {
        id: u64,
        outcome: Result<Json, Refusal>,
    },
    /// It asks something.
    Request { id: Json, method: String },
    /// It tells something.
    Notice { method: String },
    /// A message that answers nothing we asked.
    Stray,
}

/// A server's answer that it will not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) code: i64,
    pub(super) message: String,
}

impl Refusal {
    /// Whether it says that nothing was run: the request itself was at fault.
    pub(super) fn before_running(&self) -> bool {
        matches!(self.code, -32700 | -32600 | -32601 | -32602)
    }
}

/// Whether bytes are nested deeper than anything that is read: 128 levels.
pub(super) fn is_too_deep(bytes: &[u8]) -> bool {
    let read = serde_json::from_slice::<Json>(bytes);
    // The reader has a limit of its own and says so in words only.
    read.is_err_and(|error| error.to_string().contains("recursion limit"))
}

/// Reads a message; nothing if it is none.
pub(super) fn read(bytes: &[u8]) -> Option<Incoming> {
    let Ok(Json::Object(mut message)) = serde_json::from_slice(bytes) else {
        return None;
    };
    if message.get("jsonrpc").and_then(Json::as_str) != Some("2.0") {
        return None;
    }
    let id = message.remove("id");
    if let Some(Json::String(method)) = message.remove("method") {
        return Some(match id {
            Some(id) => Incoming::Request { id, method },
            None => Incoming::Notice { method },
        });
    }
    let outcome = match (message.remove("result"), message.remove("error")) {
        (Some(result), None) => Ok(result),
        (None, Some(error)) => Err(refusal(&error)),
        _ => return None,
    };
    Some(match id.and_then(|id| id.as_u64()) {
        Some(id) => Incoming::Reply { id, outcome },
        None => Incoming::Stray,
    })
}

/// The error in a body that came with a status of failure, whatever request it names.
pub(super) fn refused(bytes: &[u8]) -> Option<Refusal> {
    let body: Json = serde_json::from_slice(bytes).ok()?;
    body.get("error").filter(|it| it.is_object()).map(refusal)
}

fn refusal(error: &Json) -> Refusal {
    let message = error.get("message").and_then(Json::as_str);
    Refusal {
        code: error.get("code").and_then(Json::as_i64).unwrap_or_default(),
        message: shortened(message.unwrap_or("it does not say why"), MAX_SAID).into(),
    }
}

/// The beginning of a text.
pub(super) fn shortened(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most))
        .unwrap_or_default()
}

pub(super) fn request(id: u64, method: &str, params: &Json) -> Json {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

pub(super) fn notice(method: &str, params: &Json) -> Json {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}

pub(super) fn cancelled(id: u64) -> Json {
    let params = json!({"requestId": id, "reason": "the caller went away"});
    notice("notifications/cancelled", &params)
}

/// The answer to what a server asks: it may know that we live, and nothing else.
pub(super) fn answer(id: &Json, method: &str) -> Json {
    match method {
        "ping" => json!({"jsonrpc": "2.0", "id": id, "result": {}}),
        _ => {
            let error = json!({"code": -32601, "message": "method not found"});
            json!({"jsonrpc": "2.0", "id": id, "error": error})
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_told_apart() {
        let reply = read(br#"{"jsonrpc":"2.0","id":7,"result":{}}"#);
        let outcome = Ok(json!({}));
        assert_eq!(reply, Some(Incoming::Reply { id: 7, outcome }));
        let asked = read(br#"{"jsonrpc":"2.0","id":"x","method":"roots/list"}"#);
        assert!(matches!(asked, Some(Incoming::Request { .. })));
        let incoming = read(br#"{"jsonrpc":"2.0","method":"notifications/progress","params":1}"#);
        assert!(matches!(incoming, Some(Incoming::Notice { .. })));
        let stray = read(br#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}"#);
        assert_eq!(stray, Some(Incoming::Stray));
    }

    #[test]
    fn what_is_no_message_is_none() {
        let deep = format!(
            r#"{{"jsonrpc":"2.0","id":1,"result":{}1{}}}"#,
            "[".repeat(200),
            "]".repeat(200)
        );
        for bad in [
            "",
            "listening on 8080",
            "[]",
            r#"{"id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}"#,
            &deep,
        ] {
            assert_eq!(read(bad.as_bytes()), None, "{bad}");
            assert_eq!(is_too_deep(bad.as_bytes()), bad == deep, "{bad}");
        }
    }
}
