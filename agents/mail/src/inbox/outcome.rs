//! Effects of an answer, and the end of its run.

use superstep_agent::Change;

use super::{error::InboxError, question::Question};
use crate::{Answer, Topic, tools::EffectKind};

/// The effects of an answer.
pub struct After {
    /// The thread.
    pub thread: String,
    /// The questions and the answers; none if the run was only resumed.
    pub answered: Vec<(String, Answer)>,
    /// The effects that were decided about, and whether they were approved.
    pub(super) decided: Vec<(String, bool)>,
    /// What happened.
    pub effects: Vec<Effect>,
    /// What is asked now.
    pub open: Vec<Question>,
    /// Whether the thread is done.
    pub is_done: bool,
    /// Why the run stopped, after what was done.
    pub failure: Option<InboxError>,
}

impl After {
    /// The failure of the run. An exit code if an effect that a person approved failed, or was not even tried.
    pub fn ended(self) -> Result<Option<u8>, InboxError> {
        let ended = |name: &str, with_error: bool| {
            let is_one = |effect: &&Effect| match effect {
                Effect::Call { tool, is_error, .. } => tool == name && *is_error == with_error,
                _ => false,
            };
            self.effects.iter().filter(is_one).count()
        };
        let decided = |name: &str, approved: bool| {
            let is_one =
                |(action, was): &&(String, bool)| action.starts_with(name) && *was == approved;
            self.decided.iter().filter(is_one).count()
        };
        // One that is asked about again has not ended; one that was refused ends with an error, too.
        let is_short = |name: &&str| {
            decided(name, true) > ended(name, false) && ended(name, true) > decided(name, false)
        };
        let is_failed = |effect: &Effect| match effect {
            Effect::Call {
                tool,
                text,
                is_error,
            } => *is_error && EffectKind::of(tool).is_some() && text.starts_with(FAILED),
            _ => false,
        };
        match self.failure {
            Some(error) => Err(error),
            None if self.effects.iter().any(is_failed)
                || EffectKind::TOOLS.iter().any(is_short) =>
            {
                Ok(Some(1))
            }
            None => Ok(None),
        }
    }
}

/// How the result of a call begins that was made and failed. One that a person left is an error for the model too, but
/// not for the person.
const FAILED: &str = "the call failed: ";

/// One thing that happened.
pub enum Effect {
    /// A call of a tool was made, or not.
    Call {
        /// The tool.
        tool: String,
        /// Its result.
        text: String,
        /// Whether the result is an error.
        is_error: bool,
    },
    /// A note changed, by these lines.
    Learned(Topic, Vec<Change>),
    /// Something people should know.
    Remark(String),
}
