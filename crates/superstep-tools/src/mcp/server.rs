//! Configuration of an MCP server: where it is, what its tools can do, what was approved, and limits.

use std::{collections::BTreeMap, env, time::Duration};

use superstep_text::Redactor;

use super::{at::At, pin::Pin};
use crate::access::Capabilities;

/// An MCP server, as the user knows it.
#[derive(Clone, Debug)]
pub struct Server {
    /// What it is called here: its tools are called `alias_tool`. Letters, digits and `_`.
    pub alias: String,
    /// Where it is.
    pub at: At,
    /// What its tools can do. A server's own words on this are not heard. As long as nobody says
    /// otherwise they read the network, write and send, so every call is asked for.
    pub capabilities: Capabilities,
    /// What single tools can do, by the server's names for them.
    pub tool_capabilities: BTreeMap<String, Capabilities>,
    /// What was approved of it.
    pub pin: Pin,
    /// How much it may take.
    pub limits: Limits,
}

impl Server {
    /// A server of which nothing is known yet.
    pub fn new(alias: impl Into<String>, at: impl Into<At>) -> Self {
        Self {
            alias: alias.into(),
            at: at.into(),
            capabilities: Capabilities::NET
                .and(Capabilities::WRITE)
                .and(Capabilities::SEND),
            tool_capabilities: BTreeMap::new(),
            pin: Pin::First,
            limits: Limits::default(),
        }
    }

    pub(super) fn capabilities_of(&self, tool: &str) -> Capabilities {
        self.tool_capabilities
            .get(tool)
            .copied()
            .unwrap_or(self.capabilities)
    }

    /// What finds secrets, those that the server was given among them: it may quote them in results,
    /// in failures and on stderr. Values count whose name is one that secrets have.
    pub(super) fn redactor(&self) -> Redactor {
        let mut values: Vec<(String, String)> = Vec::new();
        let own = |map: &BTreeMap<String, String>| -> Vec<(String, String)> {
            let pairs = map.iter();
            pairs.map(|(name, it)| (name.clone(), it.clone())).collect()
        };
        match &self.at {
            At::Command(command) => {
                values.extend(own(&command.env));
                let passed = command.pass.iter();
                values.extend(passed.filter_map(|name| Some((name.clone(), env::var(name).ok()?))));
            }
            At::Url(endpoint) => values.extend(own(&endpoint.headers)),
        }
        let standard = Redactor::standard();
        let secrets = values.iter().filter(|(name, _)| standard.hides(name));
        // `Bearer abc`: what follows is the key. One that is too short to look for is left out.
        let words =
            secrets.flat_map(|(_, value)| [value.as_str()].into_iter().chain(value.split(' ')));
        words.fold(Redactor::default(), |redactor, word| {
            match redactor.clone().with_secret(&word.into()) {
                Ok(more) => more,
                Err(_) => redactor,
            }
        })
    }
}

/// How much a server may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How long it may take to start and to answer what is asked first.
    pub connect: Duration,
    /// How long a call may take.
    pub call: Duration,
    /// How old its list of tools may be when a call is made. A server that tells of changes is
    /// asked at once; this is for those that do not.
    pub recheck: Duration,
    /// How many bytes a message may have.
    pub bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(30),
            call: Duration::from_mins(2),
            recheck: Duration::from_mins(1),
            bytes: 8 << 20,
        }
    }
}
