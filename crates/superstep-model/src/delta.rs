//! Deltas: the parts of a reply as they stream in.

use std::{
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll},
};

use futures_core::Stream;
use serde::{Deserialize, Serialize};

use crate::{
    error::ModelError,
    usage::{Finish, Paid, Usage},
};

/// A piece of a reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Delta {
    /// The model reads the conversation; no piece of the reply. Models on this machine tell it, for
    /// they take their time.
    Reading {
        /// How many tokens it has read.
        read: u64,
        /// How many there are.
        total: u64,
    },
    /// Who answers; the first piece of the reply.
    From {
        /// The model, as it names itself.
        model: String,
        /// The hash of its weights, where we have them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        weights: Option<String>,
    },
    /// Text.
    Text(String),
    /// Reasoning that shows.
    Reasoning(String),
    /// The end of a piece of reasoning, with what the provider wants back.
    ReasoningEnd {
        /// The provider's proof that the text is its own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signature: Option<String>,
        /// Reasoning that does not show.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hidden: Option<String>,
    },
    /// A tool call begins.
    Call {
        /// Which of the reply's calls.
        index: u32,
        /// Its identity; one is made up if the provider gives none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// The tool.
        name: String,
    },
    /// More of a call's arguments.
    Args {
        /// Which of the reply's calls.
        index: u32,
        /// JSON text.
        json: String,
    },
    /// What the call cost so far; the last one counts.
    Usage(Usage),
    /// Why it stopped; the last piece but for the usage and what was paid. A stream that ends
    /// without it was cut.
    Finish(Finish),
    /// What was paid, reported by whoever counts.
    Paid(Paid),
}

/// The pieces of one reply. Dropping it cancels the call.
pub struct Deltas(Pin<Box<dyn Stream<Item = Result<Delta, ModelError>> + Send>>);

impl Deltas {
    /// The pieces that a stream gives.
    pub fn new(stream: impl Stream<Item = Result<Delta, ModelError>> + Send + 'static) -> Self {
        Self(Box::pin(stream))
    }

    /// Pieces that are there already.
    pub fn ready<I>(pieces: I) -> Self
    where
        I: IntoIterator<Item = Result<Delta, ModelError>>,
        I::IntoIter: Send + Unpin + 'static,
    {
        Self::new(Ready(pieces.into_iter()))
    }

    /// The next piece; nothing when the reply has ended.
    pub async fn next(&mut self) -> Option<Result<Delta, ModelError>> {
        poll_fn(|cx| self.0.as_mut().poll_next(cx)).await
    }
}

impl Stream for Deltas {
    type Item = Result<Delta, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.as_mut().poll_next(cx)
    }
}

struct Ready<I>(I);

impl<I: Iterator + Unpin> Stream for Ready<I> {
    type Item = I::Item;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<I::Item>> {
        Poll::Ready(self.0.next())
    }
}
