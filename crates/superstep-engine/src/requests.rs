//! Queue of what running tasks request from the driver of their run.
//!
//! Most runs never send anything, so an empty queue is all they pay for. It closes when its reader
//! is dropped: later requests are refused, and all are dropped with their replies.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    task::{Context, Poll, Waker},
};

use superstep_core::sync::lock;

/// Sends requests; cheap to clone.
pub(crate) struct Requests<T>(Arc<Mutex<Queue<T>>>);

/// Takes requests out; closes the queue when dropped.
pub(crate) struct RequestReader<T>(Requests<T>);

/// The reader is gone.
#[derive(Debug)]
pub(crate) struct Closed;

struct Queue<T> {
    waiting: VecDeque<T>,
    reader: Option<Waker>,
    closed: bool,
}

impl<T> Clone for Requests<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Requests<T> {
    /// Both ends of a queue.
    pub(crate) fn new() -> (Self, RequestReader<T>) {
        let requests = Self(Arc::new(Mutex::new(Queue {
            waiting: VecDeque::new(),
            reader: None,
            closed: false,
        })));
        (requests.clone(), RequestReader(requests))
    }

    /// Adds a request, or refuses it when the queue is closed.
    pub(crate) fn send(&self, request: T) -> Result<(), Closed> {
        let reader = {
            let mut queue = lock(&self.0);
            if queue.closed {
                return Err(Closed);
            }
            queue.waiting.push_back(request);
            queue.reader.take()
        };
        if let Some(reader) = reader {
            reader.wake();
        }
        Ok(())
    }
}

impl<T> RequestReader<T> {
    /// The oldest request; wakes the reader when there is one.
    pub(crate) fn poll_next(&self, cx: &mut Context<'_>) -> Poll<T> {
        let mut queue = lock(&self.0.0);
        match queue.waiting.pop_front() {
            Some(request) => Poll::Ready(request),
            None => {
                queue.reader = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl<T> Drop for RequestReader<T> {
    fn drop(&mut self) {
        let waiting = {
            let mut queue = lock(&self.0.0);
            queue.closed = true;
            std::mem::take(&mut queue.waiting)
        };
        drop(waiting);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_come_out_in_the_order_they_were_sent() {
        let (requests, reader) = Requests::new();
        assert!(requests.send("a").is_ok() && requests.send("b").is_ok());
        let mut cx = Context::from_waker(Waker::noop());
        let mut next = || match reader.poll_next(&mut cx) {
            Poll::Ready(request) => Some(request),
            Poll::Pending => None,
        };
        assert_eq!([next(), next(), next()], [Some("a"), Some("b"), None]);
    }

    #[test]
    fn a_closed_queue_refuses_requests() {
        let (requests, reader) = Requests::new();
        drop(reader);
        assert!(requests.send("a").is_err());
    }
}
