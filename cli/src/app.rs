//! Context of a command: its options, where it prints, and the terminal it reads.

use crate::{args::Global, output::Output, terminal::Terminal};

/// What every command works with.
pub(crate) struct App<'a> {
    pub(crate) global: &'a Global,
    pub(crate) output: &'a Output,
    pub(crate) terminal: &'a mut Terminal,
}

impl App<'_> {
    /// The same terminal for a command with options and output of its own.
    pub(crate) fn with<'a>(&'a mut self, global: &'a Global, output: &'a Output) -> App<'a> {
        App {
            global,
            output,
            terminal: &mut *self.terminal,
        }
    }
}
