//! A collector, over HTTP: posts a request, and tries again where that may help.

use std::{
    hash::{BuildHasher, RandomState},
    sync::Arc,
    time::Duration,
};

use reqwest::{
    StatusCode, Url,
    header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER},
    redirect::Policy,
};

use super::options::{ExportError, ExportOptions};

/// So much of an answer is read.
const LONGEST_ANSWER: usize = 64 * 1024;

/// What became of one request.
#[derive(Default)]
pub(super) struct Sent {
    pub(super) spans: u64,
    pub(super) rejected: u64,
}

pub(super) struct Client {
    http: reqwest::Client,
    endpoint: Url,
    attempts: u32,
    backoff: Duration,
    longest_wait: Duration,
}

enum Refused {
    /// Trying again may help, after this long if the collector says so.
    Later(String, Option<Duration>),
    /// It will not.
    Never(String),
}

impl Client {
    pub(super) fn new(options: &ExportOptions) -> Result<Self, ExportError> {
        let bad = |why: String| ExportError::BadEndpoint {
            endpoint: options.endpoint.clone(),
            why,
        };
        let endpoint = Url::parse(&options.endpoint).map_err(|error| bad(error.to_string()))?;
        if !matches!(endpoint.scheme(), "http" | "https") {
            return Err(bad("it is neither http nor https".to_owned()));
        }
        let mut headers = HeaderMap::new();
        for (name, value) in &options.headers {
            let refused = || ExportError::BadHeader { name: name.clone() };
            let key = HeaderName::try_from(name).map_err(|_| refused())?;
            let mut value = HeaderValue::try_from(value.expose()).map_err(|_| refused())?;
            value.set_sensitive(true);
            headers.insert(key, value);
        }
        let protobuf = HeaderValue::from_static("application/x-protobuf");
        headers.insert(CONTENT_TYPE, protobuf);
        let http = http(headers, options.timeout).map_err(|error| ExportError::NoClient {
            why: error.to_string(),
        })?;
        Ok(Self {
            http,
            endpoint,
            attempts: options.attempts.max(1),
            backoff: options.backoff,
            longest_wait: options.longest_wait,
        })
    }

    /// Posts a request. Says how many spans the collector threw away.
    pub(super) async fn post(&self, body: Vec<u8>) -> Result<u64, String> {
        let body: Arc<[u8]> = body.into();
        let mut wait = self.backoff;
        let mut attempt = 1;
        loop {
            let (why, after) = match self.once(&body).await {
                Ok(rejected) => return Ok(rejected),
                Err(Refused::Never(why)) => return Err(why),
                Err(Refused::Later(why, after)) => (why, after),
            };
            if attempt == self.attempts {
                return Err(format!("{why}, attempt {attempt} of {attempt}"));
            }
            attempt += 1;
            let pause = after.unwrap_or_else(|| wait + random_up_to(wait / 2));
            tokio::time::sleep(pause.min(self.longest_wait)).await;
            wait = wait.saturating_mul(2);
        }
    }

    async fn once(&self, body: &Arc<[u8]>) -> Result<u64, Refused> {
        let request = self.http.post(self.endpoint.clone()).body(body.to_vec());
        // Addresses may have keys in them, so that they are not repeated.
        let lost = |error: reqwest::Error| {
            let why = error.without_url();
            let cause = std::error::Error::source(&why).map(ToString::to_string);
            let text = cause.map_or_else(|| why.to_string(), |cause| format!("{why}: {cause}"));
            Refused::Later(text, None)
        };
        let mut answer = request.send().await.map_err(lost)?;
        let status = answer.status();
        if status.is_success() {
            let mut read = Vec::new();
            // It was taken, whatever else is said.
            while let Ok(Some(piece)) = answer.chunk().await {
                read.extend_from_slice(&piece);
                if read.len() > LONGEST_ANSWER {
                    return Ok(0);
                }
            }
            return Ok(rejected(&read).unwrap_or(0));
        }
        let why = format!("the collector says {status}");
        match status {
            StatusCode::TOO_MANY_REQUESTS
            | StatusCode::BAD_GATEWAY
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::GATEWAY_TIMEOUT => {
                let after = answer.headers().get(RETRY_AFTER);
                let seconds = after.and_then(|after| after.to_str().ok()?.trim().parse().ok());
                Err(Refused::Later(why, seconds.map(Duration::from_secs)))
            }
            _ => Err(Refused::Never(why)),
        }
    }
}

/// The one place where a client is made: without an installed provider of cryptography the first
/// request would panic.
fn http(headers: HeaderMap, timeout: Duration) -> Result<reqwest::Client, reqwest::Error> {
    // Somebody else may have installed one already, which is as good.
    let _installed = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .default_headers(headers)
        .redirect(Policy::none())
        .timeout(timeout)
        .connect_timeout(timeout)
        .build()
}

/// How many spans an answer says were thrown away: field 1 of field 1.
fn rejected(answer: &[u8]) -> Option<u64> {
    let mut bytes = answer.iter().copied();
    if bytes.next()? != 0x0a {
        return None;
    }
    let _length = varint(&mut bytes)?;
    if bytes.next()? != 0x08 {
        return None;
    }
    varint(&mut bytes)
}

fn varint(bytes: &mut impl Iterator<Item = u8>) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = bytes.next()?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

fn random_up_to(most: Duration) -> Duration {
    let share = RandomState::new().hash_one(0_u8) as f64 / u64::MAX as f64;
    most.mul_f64(share)
}

#[cfg(test)]
mod tests {
    use super::rejected;

    #[test]
    fn an_answer_says_how_many_spans_were_thrown_away() {
        assert_eq!(rejected(&[]), None);
        assert_eq!(rejected(&[0x0a, 0x02, 0x08, 0x05]), Some(5));
        assert_eq!(rejected(&[0x0a, 0x03, 0x08, 0x96, 0x01]), Some(150));
        assert_eq!(rejected(&[0x0a, 0x02, 0x12, 0x00]), None);
        assert_eq!(rejected(&[0xff; 20]), None);
    }
}
