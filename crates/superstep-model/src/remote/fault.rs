//! Classification of provider errors: statuses, codes and texts to [`ErrorKind`].
//!
//! One table for all providers. What they say is scrubbed of the key and cut to a length before it
//! becomes part of an error, because errors are logged, stored and shown.

use std::time::Duration;

use serde_json::Value as Json;
use superstep_text::is_hidden;

use crate::{Secret, error::ErrorKind};

/// The most characters of a provider's words that enter an error.
pub const MAX_WORDS: usize = 500;

/// What is where a key was.
const SCRUBBED: &str = "[secret]";

/// A key shorter than this would be found in ordinary words.
const SHORTEST_KEY: usize = 4;

/// How many characters a word must share with the beginning of a key to be taken for a part of it.
const SHARED: usize = 8;

/// Whose call it is that failed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Endpoint<'a> {
    pub(crate) provider: &'a str,
    pub(crate) model: &'a str,
    pub(crate) host: &'a str,
    pub(crate) key: Option<&'a Secret>,
}

/// What a provider says about a failure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProviderError {
    message: String,
    /// Its codes and types, as far as they are words.
    codes: Vec<String>,
    /// A status it gives in the body.
    status: Option<u16>,
}

impl ProviderError {
    /// Reads the shapes that errors come in; nothing if it is none of them.
    pub(crate) fn read(body: &str) -> Option<Self> {
        Self::of(&serde_json::from_str(body).ok()?)
    }

    /// The same for JSON.
    pub(crate) fn of(body: &Json) -> Option<Self> {
        let error = match body.get("error") {
            Some(Json::Null) | None => body
                .get("detail")
                .or_else(|| body.get("message").map(|_| body))?,
            Some(error) => error,
        };
        let message = match error {
            Json::String(text) => text.clone(),
            Json::Object(fields) => match fields.get("message") {
                Some(Json::String(text)) => text.clone(),
                _ => error.to_string(),
            },
            other => other.to_string(),
        };
        let mut reported = Self {
            message,
            ..Self::default()
        };
        for name in ["code", "type", "status"] {
            match error.get(name) {
                Some(Json::String(word)) => reported.codes.push(word.to_ascii_lowercase()),
                Some(Json::Number(number)) => {
                    let status = number
                        .as_u64()
                        .and_then(|number| u16::try_from(number).ok());
                    reported.status = reported
                        .status
                        .or(status.filter(|s| (400..600).contains(s)));
                }
                _ => {}
            }
        }
        Some(reported)
    }

    /// A body that says nothing in a known way.
    pub(crate) fn bare(body: &str) -> Self {
        let body = body.trim();
        let message = match body.chars().next() {
            None => "no more was said".to_owned(),
            Some('<') => "an HTML page".to_owned(),
            Some(_) => body.to_owned(),
        };
        Self {
            message,
            ..Self::default()
        }
    }

    /// The status that the error would have had, if it had not come inside of an answer.
    pub(crate) fn as_status(&self) -> u16 {
        if let Some(status) = self.status {
            return status;
        }
        let known = self.codes.iter().find_map(|code| {
            Some(match code.as_str() {
                "context_length_exceeded" | "exceed_context_size_error" => 400,
                "invalid_request_error" | "bad_request" => 400,
                "authentication_error" | "invalid_api_key" => 401,
                "billing_error" | "insufficient_quota" => 402,
                "permission_error" => 403,
                "not_found_error" | "model_not_found" => 404,
                "request_too_large" => 413,
                "rate_limit_error" | "rate_limit_exceeded" | "rate_limited" => 429,
                "timeout_error" => 504,
                "overloaded_error" | "overloaded" => 529,
                _ => return None,
            })
        });
        known.unwrap_or(500)
    }

    fn has(&self, codes: &[&str]) -> bool {
        self.codes.iter().any(|code| codes.contains(&code.as_str()))
    }

    fn says(&self, words: &[&str]) -> bool {
        let message = self.message.to_ascii_lowercase();
        words.iter().any(|word| message.contains(word))
    }

    fn is_too_long(&self) -> bool {
        self.has(&["context_length_exceeded", "exceed_context_size_error"])
            || self.says(&[
                "prompt is too long",
                "maximum context length",
                "context length exceeded",
                "exceed context limit",
                "exceeds the context window",
                "exceeds the available context size",
            ])
    }
}

/// What a status and the words with it mean.
pub(crate) fn refusal(
    status: u16,
    after: Option<Duration>,
    reported: &ProviderError,
    endpoint: &Endpoint<'_>,
) -> ErrorKind {
    let message = scrub(&reported.message, endpoint.key);
    match status {
        400 | 413 | 422 if reported.is_too_long() => ErrorKind::TooLong { message },
        413 => ErrorKind::TooLong { message },
        400 if reported.has(&["invalid_api_key"]) => auth(endpoint, message),
        401 | 403 => auth(endpoint, message),
        400 | 404 if reported.has(&["model_not_found"]) => unknown_model(endpoint, message),
        404 if reported.says(&["model"]) => unknown_model(endpoint, message),
        // Waiting does not fill an account.
        429 if reported.has(&["insufficient_quota"]) => ErrorKind::Refused { status, message },
        429 => ErrorKind::Limited { message, after },
        408 | 409 | 425 | 500.. => ErrorKind::Server {
            status,
            message,
            after,
        },
        _ => ErrorKind::Refused { status, message },
    }
}

/// Words of a provider without the key, without control characters, and not too many.
///
/// Providers like to repeat a key they refuse, some with stars in the middle: a word that shares
/// its beginning with the key goes as a whole.
pub(crate) fn scrub(text: &str, key: Option<&Secret>) -> String {
    let shown: String = text
        .chars()
        .map(|c| {
            if c.is_control() || is_hidden(c) {
                ' '
            } else {
                c
            }
        })
        .collect();
    let key = key.map(|key| key.expose().trim()).unwrap_or_default();
    let mut clean = shown;
    if key.len() >= SHORTEST_KEY {
        clean = clean.replace(key, SCRUBBED);
    }
    if let Some(start) = key.get(..SHARED) {
        clean = without(&clean, start);
    }
    let mut cut: String = clean.chars().take(MAX_WORDS).collect();
    if cut.len() < clean.len() {
        cut.push('…');
    }
    cut
}

fn without(text: &str, start: &str) -> String {
    let is_edge = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ',' | '(' | ')');
    text.split_inclusive(is_edge)
        .map(|word| {
            if !word.contains(start) {
                return word.to_owned();
            }
            let edge = word.chars().next_back().filter(|c| is_edge(*c));
            format!("{SCRUBBED}{}", edge.map(String::from).unwrap_or_default())
        })
        .collect()
}

fn auth(endpoint: &Endpoint<'_>, message: String) -> ErrorKind {
    ErrorKind::Auth {
        provider: endpoint.provider.to_owned(),
        message,
    }
}

fn unknown_model(endpoint: &Endpoint<'_>, message: String) -> ErrorKind {
    ErrorKind::UnknownModel {
        model: endpoint.model.to_owned(),
        message,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    fn kind(status: u16, body: &str) -> ErrorKind {
        let endpoint = Endpoint {
            provider: "p",
            model: "m",
            host: "h",
            key: None,
        };
        let reported = ProviderError::read(body).unwrap_or_else(|| ProviderError::bare(body));
        refusal(status, None, &reported, &endpoint)
    }

    #[test]
    fn a_conversation_that_is_too_long_is_known_by_code_or_words() {
        for body in [
            r#"{"error":{"message":"x","code":"context_length_exceeded"}}"#,
            r#"{"error":{"message":"x","type":"exceed_context_size_error","code":400}}"#,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 tokens > 8 maximum"}}"#,
            r#"{"object":"error","message":"This model's maximum context length is 8"}"#,
        ] {
            assert!(
                matches!(kind(400, body), ErrorKind::TooLong { .. }),
                "{body}"
            );
        }
        assert!(matches!(kind(413, ""), ErrorKind::TooLong { .. }));
    }

    #[test]
    fn an_empty_account_is_no_reason_to_wait() {
        let body = r#"{"error":{"message":"x","code":"insufficient_quota"}}"#;
        assert!(matches!(kind(429, body), ErrorKind::Refused { .. }));
        assert!(matches!(kind(429, "{}"), ErrorKind::Limited { .. }));
    }

    #[test]
    fn a_missing_page_is_not_a_missing_model() {
        assert!(matches!(
            kind(404, "404 page not found"),
            ErrorKind::Refused { .. }
        ));
        let body = r#"{"error":{"message":"model 'x' not found"}}"#;
        assert!(matches!(kind(404, body), ErrorKind::UnknownModel { .. }));
    }

    #[test]
    fn errors_come_in_many_shapes() {
        for (body, said) in [
            (r#"{"error":"plain"}"#, "plain"),
            (r#"{"error":{"message":"nested"}}"#, "nested"),
            (r#"{"detail":"fast"}"#, "fast"),
            (r#"{"object":"error","message":"flat"}"#, "flat"),
            (r#"{"error":[1]}"#, "[1]"),
        ] {
            assert_eq!(ProviderError::read(body).unwrap().message, said);
        }
        assert_eq!(ProviderError::read(r#"{"error":null,"id":"x"}"#), None);
        assert_eq!(ProviderError::bare("<html>").message, "an HTML page");
    }

    #[test]
    fn errors_inside_of_answers_have_a_status_too() {
        for (body, status) in [
            (r#"{"error":{"code":502,"message":"x"}}"#, 502),
            (r#"{"error":{"type":"overloaded_error"}}"#, 529),
            (r#"{"error":{"code":"rate_limit_exceeded"}}"#, 429),
            (r#"{"error":{"code":7,"type":"server_error"}}"#, 500),
        ] {
            assert_eq!(
                ProviderError::read(body).unwrap().as_status(),
                status,
                "{body}"
            );
        }
    }

    #[test]
    fn no_part_of_a_key_stays_in_words() {
        let key = Secret::new("sk-abcdefgh-123456789");
        let said = "Incorrect key 'sk-abcde***6789', not sk-abcdefgh-123456789.\u{1b}[31m\n";
        let clean = scrub(said, Some(&key));
        assert_eq!(clean, "Incorrect key '[secret]', not [secret]. [31m ");
        assert_eq!(scrub("no abcd", Some(&Secret::new("abcd"))), "no [secret]");
        assert_eq!(scrub("no", Some(&Secret::new(""))), "no");
        assert_eq!(scrub(&"x".repeat(600), None).chars().count(), MAX_WORDS + 1);
    }
}
