//! Second try of a streamed reply that a limit of tokens cut before its first word.
//!
//! Until something is shown, the last pieces (usage, end, price) are kept back: if the reply turns out to be lost, they
//! are not passed on, and the pieces of another call with a wider limit follow.

use std::{
    collections::VecDeque,
    pin::Pin,
    task::{Context, Poll, ready},
};

use futures_core::Stream;
use superstep_core::future::BoxFuture;

use super::ManagedModel;
use crate::{
    call::{lost::LostAttempts, room},
    delta::{Delta, Deltas},
    error::ModelError,
    request::Request,
    usage::{Finish, Paid, Usage},
};

/// The pieces of a reply, and of a second one if the first is lost.
pub(super) struct SecondTry {
    model: ManagedModel,
    /// The request with more room; nothing if there is none, or if it was used.
    wider: Option<Request>,
    /// The limit of the request that runs.
    limit: Option<u32>,
    pieces: Pieces,
    held: VecDeque<Delta>,
    is_shown: bool,
    lost: LostAttempts,
}

enum Pieces {
    Coming(Deltas),
    Opening(BoxFuture<'static, Result<Deltas, ModelError>>),
    Over,
}

impl SecondTry {
    pub(super) fn new(
        model: ManagedModel,
        limit: Option<u32>,
        wider: Option<Request>,
        deltas: Deltas,
    ) -> Self {
        Self {
            model,
            wider,
            limit,
            pieces: Pieces::Coming(deltas),
            held: VecDeque::new(),
            is_shown: false,
            lost: LostAttempts::default(),
        }
    }

    /// The piece as it is passed on, if it is.
    fn take(&mut self, delta: Delta) -> Option<Delta> {
        let delta = self.lost.in_delta(delta);
        match &delta {
            Delta::Usage(_) | Delta::Finish(_) | Delta::Paid(_) if !self.is_shown => {
                self.held.push_back(delta);
                return None;
            }
            Delta::Text(text) if !text.trim().is_empty() => self.is_shown = true,
            Delta::Call { .. } => self.is_shown = true,
            _ => {}
        }
        self.held.push_back(delta);
        match self.is_shown {
            true => self.held.pop_front(),
            false => self.held.pop_back(),
        }
    }

    /// The end of a reply: another one, the error of one that is lost, or the pieces that were kept back.
    fn end(&mut self) -> Result<(), ModelError> {
        self.pieces = Pieces::Over;
        let cut = Delta::Finish(Finish::Length);
        if self.is_shown || !self.held.contains(&cut) {
            self.is_shown = true;
            return Ok(());
        }
        let (usage, paid) = self.taken();
        self.held.clear();
        // What was lost before is in these numbers already.
        self.lost = LostAttempts::default();
        self.lost.give_up(usage, paid.as_ref());
        let Some(wider) = self.wider.take() else {
            let error = room::used_up(crate::Model::id(&self.model), self.limit);
            return Err(self.lost.in_error(error));
        };
        self.limit = wider.max_tokens;
        let model = self.model.clone();
        self.pieces = Pieces::Opening(Box::pin(async move { model.begin_stream(&wider).await }));
        Ok(())
    }

    /// What the reply took that ends.
    fn taken(&self) -> (Usage, Option<Paid>) {
        let mut usage = Usage::default();
        let mut paid = None;
        for delta in &self.held {
            match delta {
                Delta::Usage(last) => usage = *last,
                Delta::Paid(last) => paid = Some(last.clone()),
                _ => {}
            }
        }
        (usage, paid)
    }
}

impl Stream for SecondTry {
    type Item = Result<Delta, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        loop {
            if this.is_shown
                && let Some(delta) = this.held.pop_front()
            {
                return Poll::Ready(Some(Ok(delta)));
            }
            let failed = match &mut this.pieces {
                Pieces::Over => return Poll::Ready(None),
                Pieces::Opening(opening) => match ready!(opening.as_mut().poll(cx)) {
                    Ok(deltas) => {
                        this.pieces = Pieces::Coming(deltas);
                        continue;
                    }
                    Err(error) => error,
                },
                Pieces::Coming(deltas) => match ready!(Pin::new(deltas).poll_next(cx)) {
                    Some(Ok(delta)) => match this.take(delta) {
                        Some(delta) => return Poll::Ready(Some(Ok(delta))),
                        None => continue,
                    },
                    Some(Err(error)) => error,
                    None => match this.end() {
                        Ok(()) => continue,
                        Err(error) => return Poll::Ready(Some(Err(error))),
                    },
                },
            };
            this.pieces = Pieces::Over;
            this.held.clear();
            return Poll::Ready(Some(Err(this.lost.in_error(failed))));
        }
    }
}
