//! Futures that traits return: boxed ones, and answers that may be ready at once.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use crate::error::SaverError;

/// A boxed future.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The answer of a saver: at once, or later.
///
/// A saver that answers at once (memory, or a commit made inline) costs no allocation.
pub enum MaybeReady<'a, T> {
    /// The answer.
    Now(Option<Result<T, SaverError>>),
    /// A future of it.
    Later(BoxFuture<'a, Result<T, SaverError>>),
}

impl<'a, T> MaybeReady<'a, T> {
    /// An answer at once.
    pub fn now(result: Result<T, SaverError>) -> Self {
        Self::Now(Some(result))
    }

    /// The answer with something done to it, such as by a layer around a saver; at once if it is there.
    #[must_use]
    pub fn map<U>(
        self,
        change: impl FnOnce(Result<T, SaverError>) -> Result<U, SaverError> + Send + 'a,
    ) -> MaybeReady<'a, U>
    where
        T: 'a,
    {
        match self {
            Self::Now(answer) => MaybeReady::Now(answer.map(change)),
            Self::Later(answer) => MaybeReady::Later(Box::pin(async move { change(answer.await) })),
        }
    }
}

impl<T: Unpin> Future for MaybeReady<'_, T> {
    type Output = Result<T, SaverError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut *self {
            Self::Now(answer) => match answer.take() {
                Some(answer) => Poll::Ready(answer),
                None => Poll::Ready(Err(SaverError::Io("an answer was awaited twice".into()))),
            },
            Self::Later(future) => future.as_mut().poll(cx),
        }
    }
}
