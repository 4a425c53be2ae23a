//! What running tasks want from the shell that drives them.
//!
//! Most runs never send anything, so an empty mailbox is all they pay for. It closes when its
//! owner is dropped: later requests are refused, and all are dropped with their replies.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    task::{Context, Poll, Waker},
};

use crate::ctx::{Request, lock};

/// Sends requests; cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Mailbox(Arc<Mutex<Inner>>);

/// Takes requests out; closes the mailbox when dropped.
pub(crate) struct Inbox(Mailbox);

/// Nobody reads the mailbox any more.
#[derive(Debug)]
pub(crate) struct Closed;

#[derive(Default)]
struct Inner {
    waiting: VecDeque<Request>,
    reader: Option<Waker>,
    closed: bool,
}

impl Mailbox {
    /// A mailbox and the end that reads it.
    pub(crate) fn new() -> (Self, Inbox) {
        let mailbox = Self::default();
        (mailbox.clone(), Inbox(mailbox))
    }

    /// Leaves a request, or refuses it when nobody reads any more.
    pub(crate) fn send(&self, request: Request) -> Result<(), Closed> {
        let reader = {
            let mut inner = lock(&self.0);
            if inner.closed {
                return Err(Closed);
            }
            inner.waiting.push_back(request);
            inner.reader.take()
        };
        if let Some(reader) = reader {
            reader.wake();
        }
        Ok(())
    }
}

impl Inbox {
    /// The oldest request; wakes the reader when there is one.
    pub(crate) fn poll_next(&self, cx: &mut Context<'_>) -> Poll<Request> {
        let mut inner = lock(&self.0.0);
        match inner.waiting.pop_front() {
            Some(request) => Poll::Ready(request),
            None => {
                inner.reader = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl Drop for Inbox {
    fn drop(&mut self) {
        let waiting = {
            let mut inner = lock(&self.0.0);
            inner.closed = true;
            std::mem::take(&mut inner.waiting)
        };
        drop(waiting);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ctx::Attempt;

    fn journal(key: &str) -> Request {
        let (reply, _) = tokio::sync::oneshot::channel();
        let (key, effect) = (key.to_owned(), superstep_core::record::Effect::Started);
        Request::Journal {
            task: Attempt { at: 0, serial: 1 },
            key,
            effect,
            answers: Vec::new(),
            reply,
        }
    }

    #[test]
    fn requests_come_out_in_the_order_they_were_left() {
        let (mailbox, inbox) = Mailbox::new();
        assert!(mailbox.send(journal("a")).is_ok() && mailbox.send(journal("b")).is_ok());
        let mut cx = Context::from_waker(Waker::noop());
        let mut next = || match inbox.poll_next(&mut cx) {
            Poll::Ready(Request::Journal { key, .. }) => Some(key),
            _ => None,
        };
        assert_eq!(
            [next(), next(), next()],
            [Some("a".into()), Some("b".into()), None]
        );
    }

    #[test]
    fn a_closed_mailbox_refuses_requests() {
        let (mailbox, inbox) = Mailbox::new();
        drop(inbox);
        assert!(mailbox.send(journal("a")).is_err());
    }
}
