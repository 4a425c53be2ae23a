//! Resumable download over HTTP ranges.
//!
//! A file whose hash is known continues with whatever a server sends: if that does not fit, the hash says
//! so. A file whose hash is not known continues only if the server confirms, by its tag, that it is still
//! the same.

use std::time::{Duration, SystemTime};

use superstep_http::header::{CONTENT_RANGE, ETAG, HeaderMap, HeaderValue, IF_RANGE, RANGE};
use superstep_http::{
    Backoff, Client, Jitter, Response, RetryAfter, Url, host, retry_after, without_secrets,
};

use super::error::WeightsError;
use super::hash::is_hex;
use super::http::{explain, get};
use super::partial::Partial;
use super::progress::{Progress, Source, Watch};

/// How much is collected before it is written.
const BATCH: usize = 1 << 19;
/// A server that sends a byte a connection is not worth it.
const ROUNDS: u32 = 1_000;
/// The longest delay between attempts, also where the server asks for a longer one.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// The backoff of a download. Only attempts in a row that bring nothing count.
pub(super) const BACKOFF: Backoff = Backoff {
    attempts: 3,
    initial: Duration::from_millis(500),
    factor: 2,
    cap: LONGEST_WAIT,
    jitter: Jitter::None,
    retry_after: RetryAfter::ClampTo(LONGEST_WAIT),
    seed: None,
};

/// One file on its way.
pub(super) struct Download<'a> {
    pub(super) client: &'a Client,
    pub(super) url: Url,
    pub(super) name: &'a str,
    pub(super) partial: &'a Partial,
    /// How many bytes the file has, once that is known.
    pub(super) total: Option<u64>,
    pub(super) same: Same<'a>,
    /// The hash the hub speaks of, if it does.
    pub(super) spoken: Option<String>,
    pub(super) watch: &'a Watch,
}

/// How it is known that a server still sends the same file.
pub(super) enum Same<'a> {
    /// The hash at the end decides.
    ByHash,
    /// The server's tag must be the same.
    ByTag {
        tag: Option<String>,
        /// Where a new tag is kept for the next process.
        keep: &'a (dyn Fn(&str) -> Result<(), WeightsError> + Send + Sync),
    },
}

/// Why an attempt failed, and whether another makes sense.
struct Failure {
    error: WeightsError,
    again: Again,
}

#[derive(Clone, Copy)]
enum Again {
    Never,
    /// If anything came so far, or after a wait.
    Soon,
    After(Duration),
}

impl From<WeightsError> for Failure {
    fn from(error: WeightsError) -> Self {
        let again = match error {
            WeightsError::Cut { .. } | WeightsError::Network { .. } => Again::Soon,
            _ => Again::Never,
        };
        Self { error, again }
    }
}

impl Download<'_> {
    /// Brings the file to its end.
    pub(super) async fn run(&mut self, backoff: Backoff) -> Result<(), WeightsError> {
        let rng = backoff.rng();
        let mut barren = 0;
        for round in 1.. {
            let before = self.partial.len();
            let Err(failure) = self.attempt().await else {
                return Ok(());
            };
            let came = self.partial.len() > before;
            barren = if came { 0 } else { barren + 1 };
            let wait = match failure.again {
                Again::Never => None,
                // Nobody there at all: another source is tried sooner than this one again.
                Again::Soon if round == 1 && !came && is_unreachable(&failure.error) => None,
                Again::Soon if came => Some(Duration::ZERO),
                Again::Soon => backoff.wait(barren, None, &rng),
                Again::After(asked) => backoff.wait(barren, Some(asked), &rng),
            };
            let Some(wait) = wait.filter(|_| round < ROUNDS) else {
                return Err(failure.error);
            };
            if !wait.is_zero() {
                tokio::time::sleep(wait).await;
            }
        }
        Ok(())
    }

    async fn attempt(&mut self) -> Result<(), Failure> {
        let have = self.begin()?;
        if self.total == Some(have) {
            return Ok(());
        }
        let response = get(self.client, &self.url, self.headers(have)).await?;
        self.listen(&response);
        let start = self.start(&response, have)?;
        self.learn_length(&response, start)?;
        self.learn_tag(&response)?;
        // A server that ignores the range sends again what is there: that is let by.
        let skip = self.partial.len().saturating_sub(start);
        self.receive(response, skip).await
    }

    /// How many bytes are there and can be relied on.
    fn begin(&self) -> Result<u64, WeightsError> {
        let is_unsure = matches!(self.same, Same::ByTag { tag: None, .. });
        if is_unsure && self.partial.len() > 0 {
            self.partial.restart()?;
        }
        Ok(self.partial.len())
    }

    fn headers(&self, have: u64) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if have == 0 {
            return headers;
        }
        if let Ok(range) = HeaderValue::from_str(&format!("bytes={have}-")) {
            headers.insert(RANGE, range);
        }
        if let Same::ByTag { tag: Some(tag), .. } = &self.same
            && let Ok(tag) = HeaderValue::from_str(tag)
        {
            headers.insert(IF_RANGE, tag);
        }
        headers
    }

    /// What the hub itself says of the file, before it sends us on.
    fn listen(&mut self, response: &Response) {
        if matches!(self.same, Same::ByHash) {
            return;
        }
        let hash = text(response.first_headers(), "x-linked-etag").map(|tag| tag.trim_matches('"'));
        self.spoken = hash.filter(|hash| is_hex(hash)).map(str::to_owned);
        // What is sent whole may be another file than before, with another length.
        if response.status().as_u16() == 200 {
            let size = text(response.first_headers(), "x-linked-size");
            self.total = size.and_then(|size| size.parse().ok());
        }
    }

    /// At which byte the answer starts.
    fn start(&self, response: &Response, have: u64) -> Result<u64, Failure> {
        let status = response.status().as_u16();
        match status {
            206 => {
                let range = text(response.headers(), CONTENT_RANGE.as_str()).and_then(range);
                let fits = |(start, _): &_| *start == have && self.is_same(response);
                let Some((start, total)) = range.filter(fits) else {
                    // A stretch nobody asked for, or of another file: from the start instead.
                    self.partial.restart()?;
                    return Err(self.cut().into());
                };
                match self.total {
                    Some(expected) if total.is_some_and(|total| total != expected) => {
                        Err(self.wrong_length(total.unwrap_or_default()).into())
                    }
                    _ => Ok(start),
                }
            }
            200 if matches!(self.same, Same::ByHash) => Ok(0),
            200 => {
                // The tag is another: so is the file.
                if have > 0 {
                    self.partial.restart()?;
                }
                Ok(0)
            }
            416 => {
                self.partial.restart()?;
                Err(self.cut().into())
            }
            407 => Err(Failure::from(WeightsError::Proxy {
                host: host(response.url()),
                reason: "it wants a user and a password".to_owned(),
            })),
            408 | 429 | 500..=599 => Err(Failure {
                error: self.status(response),
                again: retry_after(response.headers(), SystemTime::now())
                    .map_or(Again::Soon, Again::After),
            }),
            _ => Err(self.status(response).into()),
        }
    }

    /// Whether a stretch is of the file we have the beginning of, as far as tags tell.
    fn is_same(&self, response: &Response) -> bool {
        match &self.same {
            Same::ByHash | Same::ByTag { tag: None, .. } => true,
            Same::ByTag { tag, .. } => text(response.headers(), ETAG.as_str()) == tag.as_deref(),
        }
    }

    fn learn_length(&mut self, response: &Response, start: u64) -> Result<(), WeightsError> {
        let announced = response.content_length().map(|length| start + length);
        match (self.total, announced) {
            (Some(total), Some(announced)) if total != announced => {
                Err(self.wrong_length(announced))
            }
            (None, None) => Err(WeightsError::NotWeights {
                what: self.name.to_owned(),
                reason: "the server does not say how long it is",
            }),
            (total, announced) => {
                self.total = total.or(announced);
                Ok(())
            }
        }
    }

    fn learn_tag(&mut self, response: &Response) -> Result<(), WeightsError> {
        let Same::ByTag { tag, keep } = &mut self.same else {
            return Ok(());
        };
        // A weak tag does not promise the same bytes.
        let found = text(response.headers(), ETAG.as_str()).filter(|tag| !tag.starts_with("W/"));
        if let Some(found) = found
            && tag.as_deref() != Some(found)
        {
            keep(found)?;
            *tag = Some(found.to_owned());
        }
        Ok(())
    }

    async fn receive(&self, mut response: Response, mut skip: u64) -> Result<(), Failure> {
        let mut batch = Vec::new();
        loop {
            let piece = match response.chunk().await {
                Ok(Some(piece)) => piece,
                Ok(None) => break,
                Err(error) => {
                    self.write(std::mem::take(&mut batch)).await?;
                    return Err(explain(&self.url, error).into());
                }
            };
            let by = usize::try_from(skip).map_or(piece.len(), |skip| skip.min(piece.len()));
            skip -= by as u64;
            batch.extend_from_slice(piece.get(by..).unwrap_or_default());
            let sum = self.partial.len() + batch.len() as u64;
            if self.total.is_some_and(|total| sum > total) {
                self.partial.restart()?;
                return Err(self.wrong_length(sum).into());
            }
            if batch.len() >= BATCH {
                self.write(std::mem::take(&mut batch)).await?;
            }
        }
        self.write(batch).await?;
        match self.total {
            Some(total) if self.partial.len() < total => Err(self.cut().into()),
            _ => Ok(()),
        }
    }

    async fn write(&self, batch: Vec<u8>) -> Result<(), WeightsError> {
        if batch.is_empty() {
            return Ok(());
        }
        self.partial.append_soon(batch).await?;
        (self.watch)(Progress {
            done: self.partial.len(),
            total: self.total,
            source: Source::Hub,
        });
        Ok(())
    }

    fn cut(&self) -> WeightsError {
        WeightsError::Cut {
            what: self.name.to_owned(),
            done: self.partial.len(),
        }
    }

    fn wrong_length(&self, found: u64) -> WeightsError {
        WeightsError::WrongLength {
            what: self.name.to_owned(),
            expected: self.total.unwrap_or_default(),
            found,
        }
    }

    fn status(&self, response: &Response) -> WeightsError {
        WeightsError::Status {
            url: without_secrets(response.url()),
            status: response.status().as_u16(),
        }
    }
}

fn is_unreachable(error: &WeightsError) -> bool {
    matches!(error, WeightsError::Network { .. })
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Start and total of a `content-range`, such as `bytes 5-9/10` or `bytes 5-9/*`.
fn range(text: &str) -> Option<(u64, Option<u64>)> {
    let (stretch, total) = text.strip_prefix("bytes ")?.split_once('/')?;
    let (start, _) = stretch.split_once('-')?;
    Some((start.trim().parse().ok()?, total.trim().parse().ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_content_range_is_read_with_and_without_its_total() {
        assert_eq!(range("bytes 5-9/10"), Some((5, Some(10))));
        assert_eq!(range("bytes 5-9/*"), Some((5, None)));
        for wrong in ["", "bytes", "bytes */10", "lines 5-9/10", "bytes -9/10"] {
            assert_eq!(range(wrong), None, "{wrong}");
        }
    }
}
