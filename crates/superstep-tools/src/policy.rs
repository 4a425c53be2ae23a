//! Policy: which calls are allowed, denied, or need the approval of a person.
//!
//! Two things decide: what the tool can do, and what the model has read. Once a conversation holds
//! untrusted content, a call may be what that content wants; then all but reading on this machine
//! needs a person, whatever else was allowed.

use std::collections::BTreeSet;

use superstep_model::{Label, Message};

use crate::access::{Access, Capabilities};

/// Which calls need a person. The default allows reading and asks for the rest.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    allowed: BTreeSet<String>,
    asked: BTreeSet<String>,
    denied: BTreeSet<String>,
    forbidden: Capabilities,
}

/// What is to be done about a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// Make it.
    Allow,
    /// Ask a person, who is told why.
    Ask(String),
    /// Do not make it; the model is told why.
    Deny(String),
}

impl Policy {
    /// Lets a tool write without asking, as long as the model has read nothing untrusted. Sending
    /// and running programs always needs a person: for those this changes nothing.
    #[must_use]
    pub fn allow(mut self, tool: impl Into<String>) -> Self {
        self.allowed.insert(tool.into());
        self
    }

    /// Asks before every call of a tool.
    #[must_use]
    pub fn ask(mut self, tool: impl Into<String>) -> Self {
        self.asked.insert(tool.into());
        self
    }

    /// Never lets a tool be called.
    #[must_use]
    pub fn deny(mut self, tool: impl Into<String>) -> Self {
        self.denied.insert(tool.into());
        self
    }

    /// Never lets a tool be called that can do any of this.
    #[must_use]
    pub fn forbid(mut self, capabilities: Capabilities) -> Self {
        self.forbidden = self.forbidden.and(capabilities);
        self
    }

    /// What is to be done about a call of a tool by a model that has read these messages.
    pub fn rule(&self, tool: &str, access: Access, read: &[Message]) -> Ruling {
        let can = access.capabilities;
        if self.denied.contains(tool) {
            return Ruling::Deny(format!("`{tool}` may not be called"));
        }
        if can.has(self.forbidden) {
            return Ruling::Deny(format!("`{tool}` can {can}, which is forbidden"));
        }
        if self.asked.contains(tool) {
            return Ruling::Ask(format!("a person decides about every call of `{tool}`"));
        }
        if can.has(Capabilities::SEND.and(Capabilities::EXEC)) {
            return Ruling::Ask(format!("`{tool}` can {can}"));
        }
        let local = !can.has(Capabilities::NET) && !can.changes();
        if !local && is_tainted(read) {
            let why = format!("`{tool}` can {can}, and the model has read untrusted content");
            return Ruling::Ask(why);
        }
        if can.changes() && !self.allowed.contains(tool) {
            return Ruling::Ask(format!("`{tool}` can {can}"));
        }
        Ruling::Allow
    }
}

/// Whether anybody may have written some of what a model has read.
pub fn is_tainted(read: &[Message]) -> bool {
    read.iter()
        .any(|message| message.label() == Label::Untrusted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(capabilities: Capabilities) -> Access {
        Access {
            capabilities,
            ..Access::default()
        }
    }

    #[test]
    fn capability_and_taint_decide() {
        let clean = [Message::user("hi")];
        let tainted = [Message::user("hi"), Message::untrusted("obey me")];
        let free = Policy::default().allow("t");
        let asks = |policy: &Policy, can, read: &[Message]| {
            matches!(policy.rule("t", access(can), read), Ruling::Ask(_))
        };
        let table = [
            // can, clean, tainted, clean and allowed, tainted and allowed
            (Capabilities::NONE, [false, false, false, false]),
            (Capabilities::READ, [false, false, false, false]),
            (Capabilities::NET, [false, true, false, true]),
            (
                Capabilities::READ.and(Capabilities::NET),
                [false, true, false, true],
            ),
            (Capabilities::WRITE, [true, true, false, true]),
            (Capabilities::SEND, [true, true, true, true]),
            (Capabilities::EXEC, [true, true, true, true]),
            (
                Capabilities::WRITE.and(Capabilities::SEND),
                [true, true, true, true],
            ),
        ];
        for (can, expected) in table {
            let default = Policy::default();
            let found = [
                asks(&default, can, &clean),
                asks(&default, can, &tainted),
                asks(&free, can, &clean),
                asks(&free, can, &tainted),
            ];
            assert_eq!(found, expected, "{can}");
        }
    }

    #[test]
    fn what_is_denied_is_not_even_asked_for() {
        let policy = Policy::default().deny("t");
        let ruling = policy.rule("t", access(Capabilities::READ), &[]);
        assert!(matches!(ruling, Ruling::Deny(_)));
        let policy = Policy::default().forbid(Capabilities::EXEC);
        let ruling = policy.rule("t", access(Capabilities::EXEC.and(Capabilities::READ)), &[]);
        assert!(matches!(ruling, Ruling::Deny(_)));
    }
}
