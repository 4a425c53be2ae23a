//! HTTP as all calls to Google have it: the client, the addresses that keys may go to, forms, and what it means that
//! there is no answer.

use std::time::Duration;

use superstep::http::{Address, Client, Error, Response, Settings as HttpSettings, Url, header};

use super::{fault, fault::Failed};
use crate::MailError;

/// The most bytes of a failure's text.
pub(super) const MAX_FAILURE: usize = 64 << 10;

/// The HTTP client; one is enough for an account.
pub(super) fn client() -> Result<Client, MailError> {
    Client::new(&HttpSettings::default()).map_err(|error| MailError::Refused {
        place: "the HTTP client".into(),
        why: error.to_string(),
    })
}

/// Reads the address of a service: keys go there, so it is HTTPS or this machine.
pub(super) fn base(place: &str, text: &str) -> Result<Url, MailError> {
    let refused = |why: String| MailError::Refused {
        place: place.to_owned(),
        why,
    };
    Address::new(text).map_err(|error| refused(error.to_string()))?;
    let url = Url::parse(text).map_err(|error| refused(error.to_string()))?;
    if url.cannot_be_a_base() {
        return Err(refused(format!("{text} is no address")));
    }
    Ok(url)
}

/// Sends a form to the endpoint that gives tokens; gives its status and what it says.
pub(super) async fn form(
    client: &Client,
    place: &str,
    url: &str,
    fields: &[(&str, &str)],
) -> Result<(u16, Vec<u8>), MailError> {
    let url = base(place, url)?;
    let mut encoded = url.clone();
    encoded.query_pairs_mut().clear().extend_pairs(fields);
    let body = encoded.query().unwrap_or_default().to_owned();
    let request = client
        .post(url)
        .timeout(Duration::from_secs(30))
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .body(body);
    let response = client.send(request).await;
    let response = response.map_err(|error| failed(place, error).error())?;
    let status = response.status().as_u16();
    let body = bytes(place, response, MAX_FAILURE).await;
    Ok((status, body.map_err(Failed::error)?))
}

/// What it means that a call has no answer.
pub(super) fn failed(place: &str, error: Error) -> Failed {
    let is_before = error.is_unsent();
    let is_redirect = matches!(error, Error::Redirected { .. });
    let why = fault::clean(&error.to_string());
    let place = place.to_owned();
    if is_redirect {
        return Failed::Refused(MailError::Refused { place, why });
    }
    let error = MailError::Unreachable { place, why };
    if is_before {
        Failed::Refused(error)
    } else {
        Failed::Unsure(error)
    }
}

/// The whole of an answer.
pub(super) async fn bytes(
    place: &str,
    response: Response,
    limit: usize,
) -> Result<Vec<u8>, Failed> {
    // The answer had begun: the call was made.
    response.read(limit).await.map_err(|error| {
        Failed::Unsure(match error {
            Error::TooLarge { .. } | Error::Encoded => MailError::Refused {
                place: place.to_owned(),
                why: format!("its answer has {error}"),
            },
            error => failed(place, error).error(),
        })
    })
}
