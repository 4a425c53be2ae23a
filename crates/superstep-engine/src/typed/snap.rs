//! A shared look at a state.

use std::{fmt, ops::Deref, sync::Arc};

/// The state as it stood at one moment; shared, never copied.
///
/// While one is held, the step that changes the state copies it first; a node's own ends with the
/// node.
///
/// ```
/// # use serde::{Deserialize, Serialize};
/// # use superstep::prelude::*;
/// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
/// # struct Mail { subject: String, reply: String, #[reduce(Append)] log: Vec<String> }
/// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
/// # enum Node { Draft, Check, Send }
/// async fn draft(mail: Snap<Mail>) -> MailUpdate {
///     let words = mail.subject.split(' ').count(); // fields are read through it
///     Mail::update().log([format!("{words} words")])
/// }
/// # let _ = draft;
/// ```
pub struct Snap<S>(pub(crate) Arc<S>);

impl<S> Snap<S> {
    /// The state itself: moved when this is the only holder, cloned otherwise.
    pub fn into_inner(self) -> S
    where
        S: Clone,
    {
        Arc::unwrap_or_clone(self.0)
    }
}

impl<S> Clone for Snap<S> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<S> Deref for Snap<S> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.0
    }
}

impl<S: fmt::Debug> fmt::Debug for Snap<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<S: PartialEq> PartialEq for Snap<S> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}
