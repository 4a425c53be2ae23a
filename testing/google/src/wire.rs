//! Answers in the form that all of Google's services share.

use serde_json::{Value as Json, json};

/// What is answered.
pub(crate) struct Answer {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: String,
}

impl Answer {
    pub(crate) fn ok(body: &Json) -> Self {
        Self {
            status: 200,
            headers: vec![("content-type", "application/json; charset=UTF-8".into())],
            body: body.to_string(),
        }
    }

    pub(crate) fn status(status: u16, body: &Json) -> Self {
        Self {
            status,
            ..Self::ok(body)
        }
    }

    pub(crate) fn empty() -> Self {
        Self {
            status: 204,
            headers: Vec::new(),
            body: String::new(),
        }
    }

    pub(crate) fn garbage() -> Self {
        Self {
            body: "<html>".into(),
            ..Self::ok(&Json::Null)
        }
    }

    pub(crate) fn redirect(to: String) -> Self {
        Self {
            status: 302,
            ..Self::empty()
        }
        .with("location", to)
    }

    /// A failure in the envelope that all of Google's services share.
    pub(crate) fn refused(status: u16, reason: &str, message: &str) -> Self {
        let name = match status {
            400 => "INVALID_ARGUMENT",
            401 => "UNAUTHENTICATED",
            403 => "PERMISSION_DENIED",
            404 => "NOT_FOUND",
            409 => "ALREADY_EXISTS",
            429 => "RESOURCE_EXHAUSTED",
            _ => "INTERNAL",
        };
        Self::status(
            status,
            &json!({"error": {
                "code": status, "message": message, "status": name,
                "errors": [{"domain": "global", "reason": reason, "message": message}],
            }}),
        )
    }

    /// How many bytes its body has.
    pub(crate) fn len(&self) -> usize {
        self.body.len()
    }

    pub(crate) fn with(mut self, name: &'static str, value: String) -> Self {
        self.headers.push((name, value));
        self
    }
}

impl From<Answer> for superstep_loopback::Answer {
    fn from(answer: Answer) -> Self {
        let headers = answer.headers.iter();
        let headers: Vec<_> = headers
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        Self::status(answer.status, &headers, answer.body)
    }
}
