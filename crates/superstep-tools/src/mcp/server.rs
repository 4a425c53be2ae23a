//! Configuration of an MCP server: its address, capabilities and limits.

use std::{collections::BTreeMap, env, fmt, path::PathBuf, time::Duration};

use superstep_text::Redactor;

use super::{
    client::Client,
    http::Web,
    link::{Changed, Fault, Link},
    pin::Pin,
    stdio::Pipe,
};
use crate::{access::Capabilities, error::ToolsError};

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

    /// Starts or reaches the server and reads its list of tools. One that was approved at another
    /// command line or address is not even started.
    pub async fn connect(self) -> Result<Client, ToolsError> {
        Client::connect(self).await
    }

    pub(super) fn capabilities_of(&self, tool: &str) -> Capabilities {
        self.tool_capabilities
            .get(tool)
            .copied()
            .unwrap_or(self.capabilities)
    }

    pub(super) fn link(&self, changed: Changed) -> Result<Link, Fault> {
        let most = self.limits.bytes;
        match &self.at {
            At::Command(command) => Pipe::open(command, most, changed).map(Link::Pipe),
            At::Url(endpoint) => Web::open(endpoint, most, changed).map(Link::Web),
        }
    }
}

impl Server {
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

/// Where a server is.
#[derive(Clone, Debug)]
pub enum At {
    /// A program on this machine, spoken to over its pipes.
    Command(Command),
    /// An address, spoken to over HTTP.
    Url(Endpoint),
}

/// A program that is a server. It runs in a process group of its own, which ends with the client.
#[derive(Clone, Default)]
pub struct Command {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables it gets, with their values.
    pub env: BTreeMap<String, String>,
    /// Variables it gets from our own environment. Of the others it sees only where programs and
    /// files are, and the language.
    pub pass: Vec<String>,
    /// The folder it runs in; ours, if none is given.
    pub dir: Option<PathBuf>,
}

impl Command {
    /// A program with arguments.
    pub fn new<A: Into<String>>(
        program: impl Into<PathBuf>,
        args: impl IntoIterator<Item = A>,
    ) -> Self {
        Self {
            program: program.into(),
            args: args.into_iter().map(Into::into).collect(),
            ..Self::default()
        }
    }
}

/// The address of a server.
#[derive(Clone)]
pub struct Endpoint {
    /// The address: HTTPS, or HTTP on this machine.
    pub url: String,
    /// Headers of every request, such as `authorization`.
    pub headers: BTreeMap<String, String>,
}

impl Endpoint {
    /// An address that needs no key.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            headers: BTreeMap::new(),
        }
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

impl From<Command> for At {
    fn from(command: Command) -> Self {
        Self::Command(command)
    }
}

impl From<Endpoint> for At {
    fn from(endpoint: Endpoint) -> Self {
        Self::Url(endpoint)
    }
}

/// Values of variables and headers, and the query of an address, may be keys: they are not shown.
impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Command")
            .field("program", &self.program)
            .field("args", &self.args)
            .field("env", &self.env.keys())
            .field("pass", &self.pass)
            .field("dir", &self.dir)
            .finish()
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("url", &self.url.split('?').next())
            .field("headers", &self.headers.keys())
            .finish()
    }
}
