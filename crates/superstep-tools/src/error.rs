//! What goes wrong between a model and its tools, with stable codes.

use std::{error::Error as StdError, fmt};

use superstep_core::error::Coded;

/// Tools that cannot be used, or an agent that cannot go on. The thread is kept.
#[derive(Clone, PartialEq, Eq)]
pub struct ToolsError {
    message: String,
    coded: Coded,
}

impl ToolsError {
    fn new(code: &'static str, hint: &'static str, message: String) -> Self {
        let coded = Coded {
            code,
            hint: Some(hint),
            transient: false,
        };
        Self { message, coded }
    }

    pub(crate) fn bad_tools(problems: &[String]) -> Self {
        let hint = "mend the tools; nothing was run";
        Self::new("SS3101", hint, problems.join("; "))
    }

    pub(crate) fn turn_limit(turns: u32) -> Self {
        let hint = "raise the limit and go on without input";
        Self::new("SS3102", hint, format!("the model took {turns} turns"))
    }

    pub(crate) fn going_in_circles(tool: &str, times: usize) -> Self {
        let hint = "say something new to the agent, or go on without input to let it try again";
        let message = format!("the model made the same call of `{tool}` {times} times in a row");
        Self::new("SS3103", hint, message)
    }

    pub(crate) fn unusable(repairs: u32, why: &str) -> Self {
        let hint = "go on without input to try again, or choose a stronger model";
        let message = format!("the model's reply is of no use after {repairs} repairs: {why}");
        Self::new("SS3104", hint, message)
    }

    /// The stable code.
    pub fn code(&self) -> &'static str {
        self.coded.code
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        self.coded.hint
    }
}

impl fmt::Display for ToolsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Debug for ToolsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] {}", self.coded.code, self.message)
    }
}

impl StdError for ToolsError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&self.coded)
    }
}
