//! Tee of a reply: deltas are passed on, and recorded when the reply is whole.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use futures_core::Stream;

use super::{Shared, file::Interaction, request::Canonical};
use crate::{
    delta::{Delta, Deltas},
    error::ModelError,
    model::Caps,
};

/// The pieces of a reply, which are kept until its end.
pub(super) struct Tap {
    deltas: Deltas,
    seen: Vec<Delta>,
    about: Option<(Canonical, Caps)>,
    shared: Arc<Shared>,
}

impl Tap {
    pub(super) fn new(deltas: Deltas, request: Canonical, caps: Caps, shared: Arc<Shared>) -> Self {
        Self {
            deltas,
            seen: Vec::new(),
            about: Some((request, caps)),
            shared,
        }
    }

    /// A reply that broke off is none: only one with an end is written.
    fn ended(&mut self) -> Option<Result<Delta, ModelError>> {
        let (request, caps) = self.about.take()?;
        let seen = std::mem::take(&mut self.seen);
        if !seen.iter().any(|piece| matches!(piece, Delta::Finish(_))) {
            return None;
        }
        let line = Interaction::live(request, caps, self.shared.take, seen);
        self.shared.keep(line).err().map(Err)
    }
}

impl Stream for Tap {
    type Item = Result<Delta, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = Pin::new(&mut self.deltas).poll_next(cx);
        if let Poll::Ready(piece) = &next {
            match piece {
                // How long somebody read is no part of what was said.
                Some(Ok(Delta::Reading { .. })) => {}
                Some(Ok(piece)) => {
                    let piece = piece.clone();
                    self.seen.push(piece);
                }
                Some(Err(_)) => self.about = None,
                None => return Poll::Ready(self.ended()),
            }
        }
        next
    }
}
