//! How a run of a typed graph ended.

use std::time::SystemTime;

use serde::de::DeserializeOwned;
use superstep_core::error::{Error, ErrorKind};

use super::{
    ask::{Ask, Asked, OpenAsk},
    channel_state::whole_state,
    snap::Snap,
    state::State,
};
use crate::{
    clock::time,
    options::{DynOutcome, Status},
};

/// How a run ended.
///
/// ```
/// # use serde::{Deserialize, Serialize};
/// # use superstep::prelude::*;
/// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
/// # struct Mail { subject: String, reply: String, #[reduce(Append)] log: Vec<String> }
/// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
/// # enum Node { Draft, Check, Send }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let graph = Graph::<Mail, Node>::builder()
/// #     .node(Node::Draft, || async {}).node(Node::Check, || async {}).node(Node::Send, || async {})
/// #     .start(Node::Draft).edge(Node::Draft, Node::Check).edge(Node::Check, Node::Send)
/// #     .finish(Node::Send).build()?;
/// match graph.run("t", Mail::update().subject("hi")).await? {
///     Outcome::Done(mail) => assert_eq!(mail.subject, "hi"),
///     Outcome::Waiting { asks, .. } => println!("{} open questions", asks.len()),
///     other => println!("paused at {:?}", other.state()),
/// }
/// # Ok(()) }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum Outcome<S> {
    /// Nothing is left to run.
    Done(Snap<S>),
    /// Questions are open; answer them to resume.
    Waiting {
        /// The questions.
        asks: Vec<OpenAsk>,
        /// The state, with what finished tasks of the step wrote.
        state: Snap<S>,
    },
    /// It is at a pause of the graph; resume it.
    Paused {
        /// The state.
        state: Snap<S>,
    },
    /// It waits for a time ([`Ctx::sleep`](super::Ctx::sleep)). A worker wakes it then, or
    /// [`Graph::wake_due`](super::Graph::wake_due).
    Sleeping {
        /// The time.
        until: SystemTime,
        /// The state, with what finished tasks of the step wrote.
        state: Snap<S>,
    },
}

impl<S> Outcome<S> {
    /// The state, however the run ended.
    pub fn state(&self) -> &Snap<S> {
        match self {
            Self::Done(state)
            | Self::Waiting { state, .. }
            | Self::Paused { state }
            | Self::Sleeping { state, .. } => state,
        }
    }

    /// The final state, if nothing is left to run.
    pub fn done(self) -> Option<Snap<S>> {
        match self {
            Self::Done(state) => Some(state),
            _ => None,
        }
    }

    /// The open questions.
    pub fn asks(&self) -> &[OpenAsk] {
        match self {
            Self::Waiting { asks, .. } => asks,
            _ => &[],
        }
    }

    /// The first open question of this type, to be read and answered.
    pub fn ask<Q: Ask + DeserializeOwned>(&self) -> Result<Asked<Q>, Error> {
        let asks = self.asks();
        if let Some(ask) = asks.iter().find(|ask| ask.is::<Q>()) {
            return ask.typed();
        }
        let kinds: Vec<String> = asks.iter().map(|ask| format!("`{}`", ask.kind)).collect();
        let why = match kinds.as_slice() {
            [] => format!(
                "the run is not waiting for `{}`: no question is open",
                Q::KIND
            ),
            kinds => format!(
                "the run is not waiting for `{}` but for {}",
                Q::KIND,
                kinds.join(", ")
            ),
        };
        Err(ErrorKind::BadArgument { why }.into())
    }
}

impl<S: State> Outcome<S> {
    pub(crate) fn new(outcome: DynOutcome) -> Result<Self, Error> {
        let state = Snap(whole_state(&outcome.output.unwrap_or_default())?);
        Ok(match outcome.status {
            Status::Done => Self::Done(state),
            Status::Paused => Self::Paused { state },
            Status::Sleeping => Self::Sleeping {
                until: time(outcome.until.unwrap_or_default()),
                state,
            },
            Status::Waiting => Self::Waiting {
                asks: outcome.asks.iter().map(OpenAsk::from).collect(),
                state,
            },
        })
    }
}
