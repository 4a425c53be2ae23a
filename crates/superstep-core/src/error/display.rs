//! What errors say.

use std::{fmt, sync::Arc};

use super::{ErrorKind, Limit, Unmatched};
use crate::past::{Certainty, Repeated};

/// How many effects an error names.
const MOST_SHOWN: usize = 5;

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(failure) => write!(f, "{}: {}", failure.kind, failure.message),
            Self::Panicked { message } => write!(f, "panicked: {message}"),
            Self::TimedOut {
                limit: Limit::Run,
                after,
            } => write!(f, "ran longer than {after:?}"),
            Self::TimedOut {
                limit: Limit::Idle,
                after,
            } => write!(f, "was silent for {after:?}"),
            Self::BadReturn { got } => write!(f, "returned {got} instead of an update"),
            Self::Conflict { channel, by } => {
                write!(
                    f,
                    "channel `{channel}` was written twice{}",
                    Nodes(" by", by)
                )
            }
            Self::DoubleOverwrite { channel, by } => {
                write!(
                    f,
                    "channel `{channel}` was overwritten twice{}",
                    Nodes(" by", by)
                )
            }
            Self::Reduce {
                channel,
                by,
                failure,
            } => write!(
                f,
                "the reducer of channel `{channel}` failed{}: {}: {}",
                Nodes(" on writes of", by),
                failure.kind,
                failure.message
            ),
            Self::RouteMissing { result } => write!(f, "a router returned unmapped {result}"),
            Self::RouteInvalid => f.write_str("a router returned no destination"),
            Self::SendToEnd => f.write_str("a send to the end of the graph"),
            Self::SwallowedAsk => f.write_str("asked a question and went on without the answer"),
            Self::NoParent => f.write_str("a command for the parent of a graph that has none"),
            Self::Decode { what, why } => write!(f, "{what} does not decode: {why}"),
            Self::Undeclared { target } => write!(f, "went to undeclared `{target}`"),
            Self::BadAnswer { kind, why, .. } => {
                write!(f, "the answer to question `{kind}` does not fit: {why}")
            }
            Self::EmptyInput => f.write_str("no input, and nothing to continue"),
            Self::StepLimit { limit } => write!(f, "the limit of {limit} steps ran out"),
            Self::Drained { reason } => write!(f, "stopped between steps: {reason}"),
            Self::AmbiguousResume { pending } => {
                write!(f, "one answer for {} open questions", pending.len())
            }
            Self::UnknownAsk { reason, .. } => match reason {
                Unmatched::NotPending => f.write_str("the answered question is not open"),
                Unmatched::EmptyMap => f.write_str("the answer names no question"),
                Unmatched::Ambiguous => f.write_str("one answer for several open questions"),
            },
            Self::AskExpired { .. } => f.write_str("the time to answer the question is over"),
            Self::AskInEffect { key } => {
                write!(f, "a question was asked inside the effect `{key}`")
            }
            Self::UnknownKeys { of, names } => {
                write!(f, "{of} names what the graph does not have:")?;
                names.iter().try_for_each(|name| write!(f, " `{name}`"))
            }
            Self::OpenAsks { pending } => {
                write!(f, "new input would drop {} open question(s)", pending.len())
            }
            Self::SealedFields { names } => {
                f.write_str("only nodes of the graph write")?;
                names.iter().try_for_each(|name| write!(f, " `{name}`"))
            }
            Self::ContextUnstored { run } => {
                write!(
                    f,
                    "the run {run} had a context that could not be stored, and none was brought to continue it"
                )
            }
            Self::ResumeWithoutSaver => f.write_str("an answer for a graph that stores nothing"),
            Self::NoSaver => f.write_str("the graph has no saver"),
            Self::Unknown { what, name } => write!(f, "no {what} `{name}`"),
            Self::AmbiguousUpdate => f.write_str("several nodes could have made this update"),
            Self::BadUpdate { why } | Self::BadArgument { why } => f.write_str(why),
            Self::UnknownCheckpoint { id } => write!(f, "no checkpoint {id}"),
            Self::Cancelled { reason } => write!(f, "cancelled: {reason}"),
            Self::DeadlinePassed => f.write_str("the run had not ended at its deadline"),
            Self::Version { why } => f.write_str(why),
            Self::LostNodes { nodes } => {
                f.write_str("the thread is about to run what the graph no longer has:")?;
                let mut names = nodes.iter();
                names.try_for_each(|name| write!(f, " `{name}`"))
            }
            Self::ForeignThread { of, graph } => {
                write!(f, "the thread belongs to graph `{of}`, this is `{graph}`")
            }
            Self::UnknownOutcome { key, cause: None } => {
                write!(
                    f,
                    "effect `{key}` was started before and its outcome is unknown"
                )
            }
            Self::UnknownOutcome {
                key,
                cause: Some(cause),
            } => write!(f, "the outcome of effect `{key}` is unknown: {cause}"),
            Self::SeveralEffects { key, count } => write!(
                f,
                "{count} tasks have an effect `{key}` whose outcome is unknown"
            ),
            Self::RepeatsEffects { effects } => {
                let is_unknown = |it: &Repeated| it.effect.certainty == Certainty::Unknown;
                f.write_str(match effects.iter().all(is_unknown) {
                    true => {
                        "nobody knows whether something was done, and it would be forgotten or done a second time: "
                    }
                    false => "going back to this step would do a second time what was done since: ",
                })?;
                for (at, effect) in effects.iter().enumerate() {
                    match at {
                        0 => effect.fmt(f)?,
                        1..MOST_SHOWN => write!(f, "; {effect}")?,
                        _ => return write!(f, "; and {} more", effects.len() - at),
                    }
                }
                Ok(())
            }
            Self::EffectKeyReused { key } => {
                write!(f, "the key `{key}` names two effects of one task")
            }
            Self::TaskEnded => f.write_str("a context was used after its task had ended"),
            Self::SharedHistory { position } => write!(
                f,
                "the graph at `{position}` has one history in its thread, and is run by several tasks of a step or \
                 several times by one: an answer could reach the wrong one"
            ),
            Self::EffectNotKept { key } => write!(
                f,
                "the effect `{key}` is in a graph that stores nothing of itself, so it would be made again when the \
                 thread resumes"
            ),
            Self::Saver(error) => error.fmt(f),
        }
    }
}

/// Nodes after a word, if they are known.
struct Nodes<'a>(&'a str, &'a [Arc<str>]);

impl fmt::Display for Nodes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut before = self.0;
        self.1.iter().try_for_each(|node| {
            write!(f, "{before} `{node}`")?;
            before = " and";
            Ok(())
        })
    }
}
