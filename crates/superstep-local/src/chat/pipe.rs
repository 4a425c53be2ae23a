//! From the thread that computes to whoever waits, on any runtime or none.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use futures_core::Stream;

/// A sending and a receiving end.
pub(super) fn pipe<T>() -> (Sender<T>, Receiver<T>) {
    let shared = Arc::new(Mutex::new(Shared {
        queue: VecDeque::new(),
        waker: None,
        is_ended: false,
        is_wanted: true,
    }));
    (Sender(Arc::clone(&shared)), Receiver(shared))
}

/// Dropping it ends the stream.
pub(super) struct Sender<T>(Arc<Mutex<Shared<T>>>);

/// Dropping it tells the sender that nobody waits any more.
pub(super) struct Receiver<T>(Arc<Mutex<Shared<T>>>);

struct Shared<T> {
    queue: VecDeque<T>,
    waker: Option<Waker>,
    is_ended: bool,
    is_wanted: bool,
}

impl<T> Sender<T> {
    pub(super) fn send(&self, item: T) {
        let mut shared = lock(&self.0);
        if shared.is_wanted {
            shared.queue.push_back(item);
        }
        let waker = shared.waker.take();
        drop(shared);
        waker.into_iter().for_each(Waker::wake);
    }

    /// Whether somebody still waits.
    pub(super) fn is_wanted(&self) -> bool {
        lock(&self.0).is_wanted
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        let mut shared = lock(&self.0);
        shared.is_ended = true;
        let waker = shared.waker.take();
        drop(shared);
        waker.into_iter().for_each(Waker::wake);
    }
}

impl<T> Stream for Receiver<T> {
    type Item = T;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<T>> {
        let mut shared = lock(&self.0);
        if let Some(item) = shared.queue.pop_front() {
            return Poll::Ready(Some(item));
        }
        if shared.is_ended {
            return Poll::Ready(None);
        }
        shared.waker = Some(context.waker().clone());
        Poll::Pending
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        let mut shared = lock(&self.0);
        shared.is_wanted = false;
        shared.queue.clear();
    }
}

/// Nothing panics while it holds the lock.
fn lock<T>(shared: &Mutex<Shared<T>>) -> MutexGuard<'_, Shared<T>> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    async fn next<T>(receiver: &mut Receiver<T>) -> Option<T> {
        poll_fn(|context| Pin::new(&mut *receiver).poll_next(context)).await
    }

    #[tokio::test]
    async fn what_is_sent_from_a_thread_arrives_in_order_and_then_ends() {
        let (sender, mut receiver) = pipe();
        let thread = std::thread::spawn(move || (0..100).for_each(|item| sender.send(item)));
        for item in 0..100 {
            assert_eq!(next(&mut receiver).await, Some(item));
        }
        assert_eq!(next(&mut receiver).await, None);
        thread.join().unwrap();
    }

    #[test]
    fn a_sender_learns_that_nobody_waits() {
        let (sender, receiver) = pipe();
        assert!(sender.is_wanted());
        drop(receiver);
        sender.send(1);
        assert!(!sender.is_wanted());
    }
}
