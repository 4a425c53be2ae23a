//! Errors of tools and agents, with stable codes.

use std::{error::Error as StdError, fmt};

use superstep_core::error::{Category, Coded};

/// Tools that cannot be used, or an agent that cannot continue. The thread is kept.
#[derive(Clone, PartialEq, Eq)]
pub struct ToolsError {
    message: String,
    coded: Coded,
}

impl ToolsError {
    fn new(code: &'static str, category: Category, hint: &'static str, message: String) -> Self {
        let coded = Coded {
            code,
            category,
            hint: Some(hint),
            transient: false,
        };
        Self { message, coded }
    }

    pub(crate) fn bad_tools(problems: &[String]) -> Self {
        let hint = "fix the tools; nothing was run";
        Self::new("SS5101", Category::Internal, hint, problems.join("; "))
    }

    pub(crate) fn turn_limit(turns: u32) -> Self {
        let hint = "raise the limit and resume the thread";
        Self::new(
            "SS5102",
            Category::Internal,
            hint,
            format!("the model took {turns} turns"),
        )
    }

    pub(crate) fn repeated_calls(tool: &str, times: usize) -> Self {
        let hint = "give the agent a new message, or resume the thread";
        let message = format!("the model made the same call of `{tool}` {times} times in a row");
        Self::new("SS5103", Category::Internal, hint, message)
    }

    pub(crate) fn unusable(repairs: u32, why: &str) -> Self {
        let hint = "resume the thread to try again, or choose a stronger model";
        let message = format!("the model's reply is invalid, even after {repairs} repairs: {why}");
        Self::new("SS5104", Category::Unavailable, hint, message)
    }

    #[cfg(feature = "mcp")]
    pub(crate) fn mcp_unapproved(server: &str, fingerprint: &str) -> Self {
        let hint = "show what the server offers to whoever answers for it, and approve it";
        let message = format!("nobody approved the tools of `{server}` ({fingerprint})");
        Self::new("SS5105", Category::Refused, hint, message)
    }

    #[cfg(feature = "mcp")]
    pub(crate) fn mcp_changed(server: &str, changes: &[String]) -> Self {
        let hint = "look at what the server offers now, and approve it or leave the server";
        let shown: Vec<_> = changes.iter().take(8).map(String::as_str).collect();
        let mut what = shown.join(", ");
        if changes.len() > shown.len() {
            what.push_str(&format!(" and {} more", changes.len() - shown.len()));
        }
        let message = format!("`{server}` is not what was approved: {what}; it is not called");
        Self::new("SS5106", Category::Refused, hint, message)
    }

    #[cfg(feature = "mcp")]
    pub(crate) fn mcp_link(server: &str, why: &str) -> Self {
        let hint = "check the command or the address of the server; the thread is kept";
        let mut error = Self::new(
            "SS5107",
            Category::Unavailable,
            hint,
            format!("the server `{server}`: {why}"),
        );
        error.coded.transient = true;
        error
    }

    pub(crate) fn begun_and_unread(tool: &str, why: &str) -> Self {
        let hint = "resume the thread with the settings and tools that the call was begun with: it is looked up or asked \
                    about then";
        let message = format!(
            "a call of `{tool}` was begun and may have happened, and it cannot be read any more: {why}"
        );
        Self::new("SS5108", Category::Conflict, hint, message)
    }

    pub(crate) fn no_reply(why: &str) -> Self {
        let hint = "answer the open questions with `Graph::answer`, or resume the thread; its outcome has the reply";
        let message = format!("the agent has not replied: {why}");
        Self::new("SS5109", Category::Conflict, hint, message)
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
