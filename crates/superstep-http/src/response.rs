//! A response, whose body is read to a limit and no further.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use futures_core::Stream;
use http_body::Body as _;
use reqwest::{
    StatusCode, Url,
    header::{CONTENT_ENCODING, HeaderMap},
};

use crate::error::Error;

/// The answer to a request: status and headers are there, the body is still to come.
#[derive(Debug)]
pub struct Response {
    inner: reqwest::Response,
    first: Option<HeaderMap>,
}

impl Response {
    pub(crate) fn new(inner: reqwest::Response, first: Option<HeaderMap>) -> Self {
        Self { inner, first }
    }

    /// The status.
    pub fn status(&self) -> StatusCode {
        self.inner.status()
    }

    /// The headers.
    pub fn headers(&self) -> &HeaderMap {
        self.inner.headers()
    }

    /// The headers of the first server on the way: of the redirect, if one was followed.
    pub fn first_headers(&self) -> &HeaderMap {
        self.first.as_ref().unwrap_or(self.inner.headers())
    }

    /// The address that answered.
    pub fn url(&self) -> &Url {
        self.inner.url()
    }

    /// How long the body is, if the server says so.
    pub fn content_length(&self) -> Option<u64> {
        self.inner.content_length()
    }

    /// The next part of the body; nothing at its end. There is no limit on all of them together.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, Error> {
        self.check_encoding()?;
        Ok(self.inner.chunk().await?)
    }

    /// The whole body, unless it is larger than `limit`.
    pub async fn read(mut self, limit: usize) -> Result<Vec<u8>, Error> {
        let mut body = Vec::new();
        while let Some(chunk) = self.chunk().await? {
            body.extend_from_slice(&chunk);
            if body.len() > limit {
                return Err(Error::TooLarge { limit });
            }
        }
        Ok(body)
    }

    /// What can be had of the body, up to `limit`: for texts that help but change nothing.
    pub async fn read_some(mut self, limit: usize) -> Vec<u8> {
        let mut body = Vec::new();
        while let Ok(Some(chunk)) = self.chunk().await {
            body.extend_from_slice(&chunk);
            if body.len() >= limit {
                body.truncate(limit);
                break;
            }
        }
        body
    }

    /// The body as it comes.
    pub fn into_chunks(self) -> Result<Chunks, Error> {
        self.check_encoding()?;
        Ok(Chunks(reqwest::Body::from(self.inner)))
    }

    fn check_encoding(&self) -> Result<(), Error> {
        match self.headers().get(CONTENT_ENCODING) {
            Some(encoding) if encoding != "identity" => Err(Error::Encoded),
            _ => Ok(()),
        }
    }
}

/// The parts of a body as they come. Dropping them ends the connection.
#[derive(Debug)]
pub struct Chunks(reqwest::Body);

impl Stream for Chunks {
    type Item = Result<Bytes, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            return match Pin::new(&mut self.0).poll_frame(cx) {
                Poll::Pending => Poll::Pending,
                Poll::Ready(None) => Poll::Ready(None),
                Poll::Ready(Some(Err(error))) => Poll::Ready(Some(Err(error.into()))),
                Poll::Ready(Some(Ok(frame))) => match frame.into_data() {
                    Ok(bytes) => Poll::Ready(Some(Ok(bytes))),
                    // Trailers.
                    Err(_) => continue,
                },
            };
        }
    }
}
