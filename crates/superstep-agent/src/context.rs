//! The surroundings of an agent in a conversation.

use crate::console::Commands;

/// The conversation that an agent takes part in.
#[derive(Clone)]
pub struct Context {
    /// The thread.
    pub thread: String,
    /// Writes commands of the front end.
    pub commands: Commands,
}

impl Context {
    /// A command of the front end, as it works.
    pub fn command(&self, words: &[&str]) -> String {
        (self.commands)(words)
    }
}
