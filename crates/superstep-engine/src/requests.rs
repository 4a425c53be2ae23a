//! Queue of what running tasks request from the driver of their run.
//!
//! Most runs never send anything, so an empty queue is all they pay for. Once its reader has closed
//! it, later requests are refused, and all are dropped with their replies.

use std::{
    collections::VecDeque,
    sync::Mutex,
    task::{Context, Poll, Waker},
};

use superstep_core::sync::lock;

/// Requests, in the order they were sent.
pub(crate) struct Requests<T>(Mutex<Queue<T>>);

/// The reader is gone.
#[derive(Debug)]
pub(crate) struct Closed;

struct Queue<T> {
    /// In boxes: few runs have any, and each would have room for one where it waits.
    waiting: VecDeque<Box<T>>,
    reader: Option<Waker>,
    closed: bool,
}

impl<T> Default for Requests<T> {
    fn default() -> Self {
        Self(Mutex::new(Queue {
            waiting: VecDeque::new(),
            reader: None,
            closed: false,
        }))
    }
}

impl<T> Requests<T> {
    /// Adds a request, or refuses it when the queue is closed.
    pub(crate) fn send(&self, request: T) -> Result<(), Closed> {
        let reader = {
            let mut queue = lock(&self.0);
            if queue.closed {
                return Err(Closed);
            }
            queue.waiting.push_back(Box::new(request));
            queue.reader.take()
        };
        if let Some(reader) = reader {
            reader.wake();
        }
        Ok(())
    }

    /// The oldest request; wakes the reader when there is one.
    pub(crate) fn poll_next(&self, cx: &mut Context<'_>) -> Poll<Box<T>> {
        let mut queue = lock(&self.0);
        match queue.waiting.pop_front() {
            Some(request) => Poll::Ready(request),
            None => {
                queue.reader = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }

    /// Refuses requests from now on, and drops those that wait.
    pub(crate) fn close(&self) {
        let waiting = {
            let mut queue = lock(&self.0);
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
        let requests = Requests::default();
        assert!(requests.send("a").is_ok() && requests.send("b").is_ok());
        let mut cx = Context::from_waker(Waker::noop());
        let mut next = || match requests.poll_next(&mut cx) {
            Poll::Ready(request) => Some(*request),
            Poll::Pending => None,
        };
        assert_eq!([next(), next(), next()], [Some("a"), Some("b"), None]);
    }

    #[test]
    fn a_closed_queue_refuses_requests() {
        let requests = Requests::default();
        requests.close();
        assert!(requests.send("a").is_err());
    }
}
