//! How much callers may ask for: requests per minute, and how long an answer may take to begin.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use axum::{
    extract::{Request, State},
    http::{HeaderValue, StatusCode, header::RETRY_AFTER},
    middleware::Next,
    response::{IntoResponse, Response},
};

use superstep::sync::lock;

use crate::refusal::Refusal;

/// What callers may ask for.
pub(super) struct Limits {
    /// How long an answer may take to begin. Streams and those that wait for a run begin at once.
    pub(super) time_limit: Duration,
    rate: Option<Mutex<Bucket>>,
}

/// What is left of the requests of a minute.
struct Bucket {
    most: f64,
    left: f64,
    at: Instant,
}

impl Bucket {
    /// Takes one; how long to wait if there is none.
    fn take(&mut self, now: Instant) -> Result<(), Duration> {
        let per_second = self.most / 60.0;
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        self.left = (self.left + passed * per_second).min(self.most);
        self.at = now;
        if self.left < 1.0 {
            return Err(Duration::from_secs_f64((1.0 - self.left) / per_second));
        }
        self.left -= 1.0;
        Ok(())
    }
}

impl Limits {
    pub(super) fn new(time_limit: Duration, per_minute: Option<u32>) -> Self {
        let bucket = |most: u32| Bucket {
            most: f64::from(most.max(1)),
            left: f64::from(most.max(1)),
            at: Instant::now(),
        };
        Self {
            time_limit,
            rate: per_minute.map(|most| Mutex::new(bucket(most))),
        }
    }

    fn take(&self) -> Result<(), Duration> {
        match &self.rate {
            Some(bucket) => {
                let mut bucket = lock(bucket);
                bucket.take(Instant::now())
            }
            None => Ok(()),
        }
    }
}

/// Lets requests in that are within the limits.
pub(super) async fn within(
    State(limits): State<Arc<Limits>>,
    request: Request,
    next: Next,
) -> Response {
    if let Err(wait) = limits.take() {
        let why = "too many requests: the server takes so many a minute";
        let mut response = Refusal::new(StatusCode::TOO_MANY_REQUESTS, why).into_response();
        let seconds = HeaderValue::from(wait.as_secs().saturating_add(1));
        response.headers_mut().insert(RETRY_AFTER, seconds);
        return response;
    }
    match tokio::time::timeout(limits.time_limit, next.run(request)).await {
        Ok(response) => response,
        Err(_) => {
            let why = "the answer took too long to begin";
            Refusal::new(StatusCode::GATEWAY_TIMEOUT, why).into_response()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_empty_after_its_requests_and_fills_with_time() {
        let start = Instant::now();
        let mut bucket = Bucket {
            most: 2.0,
            left: 2.0,
            at: start,
        };
        assert!(bucket.take(start).is_ok() && bucket.take(start).is_ok());
        assert_eq!(bucket.take(start), Err(Duration::from_secs(30)));
        assert!(bucket.take(start + Duration::from_secs(31)).is_ok());
        assert!(bucket.take(start + Duration::from_secs(32)).is_err());
    }
}
