//! Classification of errors of Google's services.

use serde::Deserialize;
use superstep::text::{Redactor, is_hidden};

use crate::MailError;

/// The most characters of a failure's text that are shown.
const MAX_WHY: usize = 300;

/// A failure, and what is known about the call that met it.
#[derive(Debug)]
pub(super) enum Failed {
    /// The service did not get the call, or refused it: it had no effect.
    Refused(MailError),
    /// There is already what the call was to make.
    Duplicate(MailError),
    /// The call may have had its effect: the answer did not come, or says nothing about it.
    Unsure(MailError),
}

impl Failed {
    pub(super) fn error(self) -> MailError {
        match self {
            Self::Refused(error) | Self::Duplicate(error) | Self::Unsure(error) => error,
        }
    }
}

impl From<MailError> for Failed {
    fn from(error: MailError) -> Self {
        Self::Refused(error)
    }
}

#[derive(Default, Deserialize)]
struct Envelope {
    #[serde(default)]
    error: ApiError,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ApiError {
    message: String,
    status: String,
    errors: Vec<ApiErrorDetail>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ApiErrorDetail {
    reason: String,
}

/// What a status means, with the words that came along.
pub(super) fn refusal(
    place: &str,
    status: u16,
    retry_after: Option<u64>,
    body: &[u8],
    what: &str,
) -> Failed {
    let reported = serde_json::from_slice::<Envelope>(body).unwrap_or_default();
    let reported = reported.error;
    let reason = reported
        .errors
        .first()
        .map_or("", |first| first.reason.as_str());
    let place = place.to_owned();
    let why = match (reported.message.as_str(), reason) {
        ("", _) => format!("status {status}"),
        (message, "") => clean(&format!("{message} (status {status} {})", reported.status)),
        (message, reason) => clean(&format!("{message} (status {status}, {reason})")),
    };
    let is_limit = matches!(
        reason,
        "rateLimitExceeded" | "userRateLimitExceeded" | "quotaExceeded" | "dailyLimitExceeded"
    );
    match status {
        401 => {
            let why = format!("{why}; log in again");
            Failed::Refused(MailError::Auth { place, why })
        }
        429 => Failed::Refused(MailError::Busy {
            place,
            why,
            retry_after,
        }),
        403 if is_limit => Failed::Refused(MailError::Busy {
            place,
            why,
            retry_after,
        }),
        403 if matches!(reason, "insufficientPermissions" | "authError") => {
            let why = format!("{why}; log in again and permit all of it");
            Failed::Refused(MailError::Auth { place, why })
        }
        404 | 410 => {
            let what = what.to_owned();
            Failed::Refused(MailError::Missing { place, what })
        }
        409 => Failed::Duplicate(MailError::Refused { place, why }),
        // The service broke while it worked: it may have done what it was asked for.
        500.. => Failed::Unsure(MailError::Unreachable { place, why }),
        _ => Failed::Refused(MailError::Refused { place, why }),
    }
}

/// Text of others: without what looks like a secret, without hidden characters, and not much.
pub(super) fn clean(text: &str) -> String {
    let text = Redactor::standard().text(text);
    let visible = text.chars().map(|c| if is_hidden(c) { ' ' } else { c });
    visible.take(MAX_WHY).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(status: u16, body: &str) -> &'static str {
        refusal("Gmail", status, None, body.as_bytes(), "mail 1")
            .error()
            .code()
    }

    #[test]
    fn a_limit_is_no_matter_of_permission() {
        let limit = r#"{"error":{"message":"m","errors":[{"reason":"userRateLimitExceeded"}]}}"#;
        assert_eq!(code(403, limit), "SS7002");
        let lacks = r#"{"error":{"message":"m","errors":[{"reason":"insufficientPermissions"}]}}"#;
        assert_eq!(code(403, lacks), "SS7003");
        assert_eq!(code(403, "{}"), "SS7005");
        assert_eq!(code(429, "no json"), "SS7002");
        assert_eq!(code(404, "{}"), "SS7004");
        assert_eq!(code(503, "{}"), "SS7001");
        assert_eq!(code(400, "{}"), "SS7005");
    }

    #[test]
    fn words_of_others_are_cut_and_made_harmless() {
        assert_eq!(clean("a\u{1b}[2Jb"), "a [2Jb");
        assert_eq!(clean(&"x".repeat(5000)).len(), MAX_WHY);
    }
}
