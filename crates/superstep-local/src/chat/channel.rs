//! Channel from the thread that computes to the reader of a reply, on any runtime or none.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// A sending and a receiving end.
pub(super) fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let (sender, receiver) = unbounded_channel();
    (Sender(sender), Receiver(receiver))
}

/// Dropping it ends the stream.
pub(super) struct Sender<T>(UnboundedSender<T>);

/// Dropping it closes the channel.
pub(super) struct Receiver<T>(UnboundedReceiver<T>);

impl<T> Sender<T> {
    pub(super) fn send(&self, item: T) {
        // A reader that has gone misses nothing; the sender looks for it between items.
        let _ = self.0.send(item);
    }

    /// Whether somebody still reads.
    pub(super) fn is_open(&self) -> bool {
        !self.0.is_closed()
    }
}

impl<T> Stream for Receiver<T> {
    type Item = T;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<T>> {
        self.0.poll_recv(context)
    }
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
        let (sender, mut receiver) = channel();
        let thread = std::thread::spawn(move || (0..100).for_each(|item| sender.send(item)));
        for item in 0..100 {
            assert_eq!(next(&mut receiver).await, Some(item));
        }
        assert_eq!(next(&mut receiver).await, None);
        thread.join().unwrap();
    }

    #[test]
    fn a_sender_learns_that_nobody_waits() {
        let (sender, receiver) = channel();
        assert!(sender.is_open());
        drop(receiver);
        sender.send(1);
        assert!(!sender.is_open());
    }
}
