//! Classification of errors of mail servers.

use async_imap::error::Error as ImapError;
use lettre::transport::smtp::Error as SmtpError;
use superstep::text::{Redactor, is_hidden};

use crate::MailError;

/// The most characters of a server's words that are shown.
const MAX_WHY: usize = 300;

/// What an error of IMAP means.
pub(super) fn imap(place: &str, error: ImapError) -> MailError {
    let place = place.to_owned();
    match error {
        ImapError::No(response) | ImapError::Bad(response) => {
            let says = |code: &str| response.contains(code);
            let why = clean(said(&response));
            if says("INUSE") || says("[LIMIT") {
                let retry_after = None;
                return MailError::Busy {
                    place,
                    why,
                    retry_after,
                };
            }
            if says("[UNAVAILABLE") || says("[SERVERBUG") {
                return MailError::Unreachable { place, why };
            }
            MailError::Refused { place, why }
        }
        ImapError::Io(error) => MailError::Unreachable {
            place,
            why: clean(&error.to_string()),
        },
        ImapError::ConnectionLost => MailError::Unreachable {
            place,
            why: "the connection was lost".into(),
        },
        ImapError::Validate(_) => MailError::Refused {
            place,
            why: "a name or a word in the request cannot be sent to the server".into(),
        },
        // Others hold bytes of the server, and so perhaps of a mail.
        _ => MailError::Refused {
            place,
            why: "it answered what cannot be understood".into(),
        },
    }
}

/// What a login that failed means: the words of the server say nothing about the password.
pub(super) fn login(place: &str, error: ImapError) -> MailError {
    match imap(place, error) {
        MailError::Refused { place, why } => MailError::Auth { place, why },
        other => other,
    }
}

/// What an error of SMTP means.
pub(super) fn smtp(place: &str, error: &SmtpError) -> MailError {
    let place = place.to_owned();
    let why = clean(&words(error));
    let code = error.status().map(u16::from);
    match code {
        Some(530 | 534 | 535 | 538) => MailError::Auth { place, why },
        Some(400..=499) => MailError::Busy {
            place,
            why,
            retry_after: None,
        },
        Some(_) => MailError::Refused { place, why },
        None if error.is_client() => MailError::Refused { place, why },
        None => MailError::Unreachable { place, why },
    }
}

/// That an act took too long.
pub(super) fn late(place: &str) -> MailError {
    MailError::Unreachable {
        place: place.to_owned(),
        why: "no answer came in time".into(),
    }
}

/// Words of a server: without what looks like a secret, without hidden characters, not many.
pub(super) fn clean(text: &str) -> String {
    let text = Redactor::standard().text(text);
    let visible = text.chars().map(|c| if is_hidden(c) { ' ' } else { c });
    visible.take(MAX_WHY).collect()
}

/// What the server said, out of the form that the client shows it in.
fn said(response: &str) -> &str {
    let rest = response.split_once("information: Some(\"");
    let rest = rest.map_or(response, |(_, rest)| rest);
    rest.rsplit_once("\")").map_or(rest, |(words, _)| words)
}

fn words(error: &SmtpError) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(below) = cause {
        let more = below.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = below.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_told_in_its_own_words() {
        let shown = "outcome: Outcome { code: None, information: Some(\"[LIMIT] no \u{7}more\") }";
        let error = imap("mail.test", ImapError::No(shown.into()));
        let response = "mail.test wants to be asked later: [LIMIT] no  more";
        assert_eq!(error.to_string(), response);
        let error = login("mail.test", ImapError::No("wrong".into()));
        assert_eq!(error.code(), "SS7003");
    }
}
