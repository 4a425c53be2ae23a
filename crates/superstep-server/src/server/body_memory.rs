//! Memory for the bodies of requests: all of them together have a limit.
//!
//! A body is read into memory before its handler runs, and senders decide how long that takes. Without a shared limit many
//! unfinished bodies of the largest size would fill the memory of the process.

use std::{
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll, ready},
};

use axum::{
    body::{Body, Bytes, HttpBody},
    extract::{Request, State},
    http::StatusCode,
    middleware::Next,
    response::{IntoResponse, Response},
};
use hyper::body::{Frame, SizeHint};
use superstep::sync::lock;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::refusal::Refusal;

/// Bodies of the largest size that fit at once.
const AT_ONCE: usize = 4;

/// The memory that bodies share.
#[derive(Clone)]
pub(super) struct BodyMemory(Arc<Semaphore>);

impl BodyMemory {
    /// Memory for bodies of up to this size.
    pub(super) fn new(largest: usize) -> Self {
        let bytes = largest.saturating_mul(AT_ONCE).min(Semaphore::MAX_PERMITS);
        Self(Arc::new(Semaphore::new(bytes)))
    }
}

/// The part of the memory that one request has.
#[derive(Default)]
struct Share {
    held: Option<OwnedSemaphorePermit>,
    was_refused: bool,
}

impl Share {
    /// Takes memory for more bytes; says whether there is some.
    fn grow(&mut self, memory: &BodyMemory, bytes: usize) -> bool {
        let count = u32::try_from(bytes).ok();
        let more = count.and_then(|count| memory.0.clone().try_acquire_many_owned(count).ok());
        match (&mut self.held, more) {
            (_, None) => self.was_refused = true,
            (Some(held), Some(more)) => held.merge(more),
            (none, more) => *none = more,
        }
        !self.was_refused
    }
}

/// Reads the body of a request within the shared memory, which it has until its handler is done. A request that does not
/// fit is refused with 503.
pub(super) async fn share(
    State(memory): State<BodyMemory>,
    request: Request,
    next: Next,
) -> Response {
    let share = Arc::new(Mutex::new(Share::default()));
    let request = request.map(|body| {
        let share = share.clone();
        Body::new(SharedBody {
            body,
            memory,
            share,
        })
    });
    let response = next.run(request).await;
    match lock(&share).was_refused {
        true => no_room().into_response(),
        false => response,
    }
}

/// A body that takes its share of the memory as it arrives.
struct SharedBody {
    body: Body,
    memory: BodyMemory,
    share: Arc<Mutex<Share>>,
}

impl HttpBody for SharedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        let bytes = match &frame {
            Some(Ok(frame)) => frame.data_ref().map_or(0, Bytes::len),
            _ => 0,
        };
        let fits = bytes == 0 || lock(&self.share).grow(&self.memory, bytes);
        Poll::Ready(match fits {
            true => frame,
            false => Some(Err(axum::Error::new("the memory for bodies is used up"))),
        })
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

fn no_room() -> Refusal {
    let why = "too many requests with large bodies are under way: try again later";
    Refusal::new(StatusCode::SERVICE_UNAVAILABLE, why)
}
