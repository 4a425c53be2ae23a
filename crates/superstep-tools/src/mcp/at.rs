//! Where an MCP server is: a program that is started, or an address.

use std::{collections::BTreeMap, fmt, path::PathBuf};

/// Where a server is.
#[derive(Clone, Debug)]
pub enum At {
    /// A program on this machine, spoken to over its pipes.
    Command(Command),
    /// An address, spoken to over HTTP.
    Url(Endpoint),
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
