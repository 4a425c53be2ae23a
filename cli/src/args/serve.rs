//! Arguments of `superstep serve`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueHint};

use super::AccountArgs;
use crate::agents::Agent;

/// Where to serve, and what with.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  superstep serve
  superstep serve --port 8123 --model ollama:qwen3:8b
  SUPERSTEP_TOKEN=… superstep serve --host 0.0.0.0 --name agents.example.org

Clients of the LangGraph server API can use it, and browsers at its address. Other machines reach it only with
SUPERSTEP_TOKEN set, which callers send as `Authorization: Bearer` or `x-api-key`. Ctrl-C or SIGTERM ends it;
runs in progress are continued by the next one.")]
pub(crate) struct Serve {
    /// The address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub(crate) host: String,
    /// The port
    #[arg(long, default_value = "2024")]
    pub(crate) port: u16,
    /// A name that the server goes by besides its address
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Vec<String>,
    /// Pages of this address may call it, such as `https://chat.example.com`
    #[arg(long, value_name = "URL")]
    pub(crate) origin: Vec<String>,
    /// A file with a line `NAME TOKEN` for each owner, who sees the threads, files and memory of that name alone
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) owners: Option<PathBuf>,
    /// Owners may run this agent too: `mail` sends from your mailbox and reads your calendar, `docs` writes pages below --root,
    /// an agent of this program does what its author made it do
    #[arg(long, value_name = "AGENT", requires = "owners")]
    pub(crate) share: Vec<Agent>,
    /// Archie may read, and the documentation agents may read and write, folders below this one [default: the current folder]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) root: Vec<PathBuf>,
    /// Runs at once
    #[arg(long, value_name = "COUNT", default_value = "64", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) runs: u16,
    /// What this process does: `api` answers requests and runs nothing, `worker` runs what other processes accept into the
    /// same database
    #[arg(long, value_enum, default_value = "all")]
    pub(crate) role: ServeRole,
    /// Run only the runs of this graph, by its ID; other processes on the database must run the rest
    #[arg(long, value_name = "ID")]
    pub(crate) graph: Vec<String>,
    /// Seconds that steps have to finish when the server is told to end
    #[arg(long, value_name = "SECONDS", default_value = "10")]
    pub(crate) grace: u16,
    /// Atris asks a fake Audius inside this process
    #[arg(long)]
    pub(crate) fake_audius: bool,
    #[command(flatten)]
    pub(crate) account: AccountArgs,
}

/// What a process of a server does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ServeRole {
    /// Answers requests and runs agents
    All,
    /// Answers requests
    Api,
    /// Runs agents
    Worker,
}
