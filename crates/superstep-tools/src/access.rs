//! Capabilities of a tool: what it can do to the outside world.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The kinds of effect that a tool can have; any number of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "Vec<String>", try_from = "Vec<String>")]
pub struct Capabilities(u8);

impl Capabilities {
    /// Nothing but compute.
    pub const NONE: Self = Self(0);
    /// Reads what is on this machine.
    pub const READ: Self = Self(1);
    /// Reads over the network.
    pub const NET: Self = Self(2);
    /// Changes what is on this machine or in an account.
    pub const WRITE: Self = Self(4);
    /// Sends something to other people.
    pub const SEND: Self = Self(8);
    /// Runs programs.
    pub const EXEC: Self = Self(16);

    const NAMES: [(Self, &'static str); 5] = [
        (Self::READ, "read"),
        (Self::NET, "net"),
        (Self::WRITE, "write"),
        (Self::SEND, "send"),
        (Self::EXEC, "exec"),
    ];

    /// Both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether any of `other` is in it.
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether a call leaves a trace in the world: it must not happen twice.
    #[must_use]
    pub const fn changes(self) -> bool {
        self.has(Self::WRITE.and(Self::SEND).and(Self::EXEC))
    }

    fn names(self) -> impl Iterator<Item = &'static str> {
        let named = Self::NAMES.into_iter();
        named.filter_map(move |(one, name)| self.has(one).then_some(name))
    }
}

impl fmt::Display for Capabilities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.names().collect();
        match names.as_slice() {
            [] => f.write_str("nothing"),
            names => f.write_str(&names.join(", ")),
        }
    }
}

impl From<Capabilities> for Vec<String> {
    fn from(all: Capabilities) -> Self {
        all.names().map(Into::into).collect()
    }
}

impl TryFrom<Vec<String>> for Capabilities {
    type Error = String;

    fn try_from(names: Vec<String>) -> Result<Self, String> {
        names.iter().try_fold(Self::NONE, |all, name| {
            let known = Self::NAMES.iter().find(|(_, known)| known == name);
            let (one, _) = known.ok_or_else(|| format!("no capability `{name}`"))?;
            Ok(all.and(*one))
        })
    }
}

/// What a tool can do, and what is known about its target and its output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// What it can do.
    pub capabilities: Capabilities,
    /// Its target is idempotent: a repetition with the same [`crate::ToolCtx::key`] has no second
    /// effect.
    pub idempotent: bool,
    /// Its output is trusted: nobody else's words are in it. Without this the output is untrusted.
    pub trusted_output: bool,
}
