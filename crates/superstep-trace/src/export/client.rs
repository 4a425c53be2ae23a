//! OTLP client: posts requests to a collector, with backoff.

use std::time::{Duration, SystemTime};

use superstep_http::{
    Backoff, Client as Http, Egress, Error, Rng, Settings, StatusCode, Url,
    header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue},
    retry_after,
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
    http: Http,
    headers: HeaderMap,
    endpoint: Url,
    timeout: Duration,
    backoff: Backoff,
    rng: Rng,
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
        let http = Http::new(&Settings {
            connect: options.timeout,
            // A collector in the same network rarely has a certificate.
            egress: Egress::Any,
            ..Settings::default()
        });
        let http = http.map_err(|error| ExportError::NoClient {
            why: error.to_string(),
        })?;
        Ok(Self {
            http,
            headers,
            endpoint,
            timeout: options.timeout,
            backoff: options.backoff,
            rng: options.backoff.rng(),
        })
    }

    /// Posts a request. Says how many spans the collector threw away.
    pub(super) async fn post(&self, body: Vec<u8>) -> Result<u64, String> {
        let mut attempt = 1;
        loop {
            let (why, after) = match self.once(&body).await {
                Ok(rejected) => return Ok(rejected),
                Err(Refused::Never(why)) => return Err(why),
                Err(Refused::Later(why, after)) => (why, after),
            };
            let Some(wait) = self.backoff.wait(attempt, after, &self.rng) else {
                return Err(format!("{why}, attempt {attempt} of {attempt}"));
            };
            tokio::time::sleep(wait).await;
            attempt += 1;
        }
    }

    async fn once(&self, body: &[u8]) -> Result<u64, Refused> {
        let request = self.http.post(self.endpoint.clone());
        let request = request
            .headers(self.headers.clone())
            .timeout(self.timeout)
            .body(body.to_vec());
        let response = self.http.send(request).await.map_err(|error| match error {
            Error::Forbidden { .. } | Error::Redirected { .. } => Refused::Never(error.to_string()),
            error => Refused::Later(error.to_string(), None),
        })?;
        let status = response.status();
        if status.is_success() {
            // It was taken, whatever else is said.
            let read = response.read(LONGEST_ANSWER).await.unwrap_or_default();
            return Ok(rejected(&read).unwrap_or(0));
        }
        let why = format!("the collector says {status}");
        match status {
            StatusCode::TOO_MANY_REQUESTS
            | StatusCode::BAD_GATEWAY
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::GATEWAY_TIMEOUT => {
                let after = retry_after(response.headers(), SystemTime::now());
                Err(Refused::Later(why, after))
            }
            _ => Err(Refused::Never(why)),
        }
    }
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
