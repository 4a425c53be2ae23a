//! The journal of a task, read for effects that happened or may have.
//!
//! It says which effects were started and which are done. Whoever stores more in it (`superstep-tools` stores
//! calls that failed too) reads it with a function of its own, which a graph is built with.

use super::{Effect, TaskNote};
use crate::past::{Certainty, PastEffect};

/// Effects of the runtime itself, which nobody outside notices: timers.
const OWN: &str = "__";

/// Reads the journal of a task: the effects that happened or may have happened.
pub type ReadEffects = fn(&TaskNote) -> Vec<PastEffect>;

impl TaskNote {
    /// The effects that happened or may have happened, as `ctx.once` stores them.
    pub fn past_effects(&self) -> Vec<PastEffect> {
        let own = |(key, effect): (&String, &Effect)| {
            let certainty = match effect {
                Effect::Started => Certainty::Unknown,
                Effect::Done(_) => Certainty::Happened,
                Effect::Failed => return None,
            };
            (!key.starts_with(OWN)).then(|| PastEffect {
                key: key.clone(),
                what: None,
                certainty,
            })
        };
        self.extras.effects.iter().filter_map(own).collect()
    }
}
