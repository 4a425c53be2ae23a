//! Write-behind for durability `async`: the run takes its next steps while stores are under way.
//!
//! The saver is called in order and at once, so it sees several steps of a run together and can
//! make them durable together; its answers are taken in the same order, as they come.

use std::{
    collections::VecDeque,
    future::{Future, poll_fn},
    pin::Pin,
    task::{Context, Poll},
};

use superstep_core::{checkpoint::NextRecord, error::SaverError, future::MaybeReady};

/// How many answers may be outstanding before the run waits for the oldest.
pub(crate) const MOST: usize = 1024;

/// A call of the saver that may not be answered yet.
pub(crate) enum PendingStore<'a> {
    Commit(MaybeReady<'a, NextRecord>),
    Other(MaybeReady<'a, ()>),
}

impl Future for PendingStore<'_> {
    type Output = Result<NextRecord, SaverError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut *self {
            Self::Commit(reply) => Pin::new(reply).poll(cx),
            Self::Other(reply) => Pin::new(reply)
                .poll(cx)
                .map(|done| done.map(|()| NextRecord::Changes)),
        }
    }
}

/// The unanswered stores of one graph, oldest first.
#[derive(Default)]
pub(crate) struct WriteBehind<'a> {
    stores: VecDeque<PendingStore<'a>>,
    /// The first failure, in a box since few runs have one. What was called after it is waited for and not judged.
    failed: Option<Box<SaverError>>,
    wants_all: bool,
}

impl<'a> WriteBehind<'a> {
    /// Takes a store that has just been called, and the answers that have come.
    pub(crate) async fn push(&mut self, store: PendingStore<'a>) -> Result<(), SaverError> {
        self.stores.push_back(store);
        while self.stores.len() > MOST {
            poll_fn(|cx| self.poll_oldest(cx)).await;
        }
        poll_fn(|cx| {
            self.take_answers(cx);
            Poll::Ready(())
        })
        .await;
        self.verdict()
    }

    /// Takes answers as they come; ready at the first failure.
    pub(crate) fn poll_failure(&mut self, cx: &mut Context<'_>) -> Poll<SaverError> {
        self.take_answers(cx);
        match &self.failed {
            Some(error) => Poll::Ready((**error).clone()),
            None => Poll::Pending,
        }
    }

    /// Waits until all stores are answered.
    pub(crate) async fn flush(&mut self) -> Result<(), SaverError> {
        while !self.stores.is_empty() {
            poll_fn(|cx| self.poll_oldest(cx)).await;
        }
        self.verdict()
    }

    /// Whether, since this was last asked, an answer requested that the next record hold
    /// everything.
    pub(crate) fn takes_wish(&mut self) -> bool {
        std::mem::take(&mut self.wants_all)
    }

    fn take_answers(&mut self, cx: &mut Context<'_>) {
        while !self.stores.is_empty() && self.poll_oldest(cx).is_ready() {}
    }

    fn poll_oldest(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(oldest) = self.stores.front_mut() else {
            return Poll::Ready(());
        };
        let Poll::Ready(answer) = Pin::new(oldest).poll(cx) else {
            return Poll::Pending;
        };
        self.stores.pop_front();
        match answer {
            Ok(next) => self.wants_all |= next == NextRecord::Everything,
            Err(error) => {
                self.failed.get_or_insert_with(|| Box::new(error));
            }
        }
        Poll::Ready(())
    }

    fn verdict(&self) -> Result<(), SaverError> {
        self.failed.as_deref().cloned().map_or(Ok(()), Err)
    }
}
