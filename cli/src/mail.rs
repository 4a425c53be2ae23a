//! `superstep mail`: `ingest`, `watch`, `memory`, `login`, `check`.
//!
//! `account` is the mail account, `agent` opens the assistant with a model; then one file per command. Its
//! questions are in `inbox`.

pub(crate) mod account;
mod agent;
mod ingest;
mod login;
mod memory;

use crate::{
    app::App,
    args::{AccountArgs, MailCommand},
    console,
    error::Error,
};

pub(crate) use agent::{OpenedAgent, open};

/// Why the model of a project is not used for mail.
pub(crate) const NOT_OF_PROJECT: &str = "mail is not in the project's folder";

pub(crate) async fn run(command: MailCommand, app: &mut App<'_>) -> Result<(), Error> {
    match command {
        MailCommand::Ingest { retry, ingest } => ingest::once(&retry, &ingest, app).await,
        MailCommand::Watch { every, ingest } => ingest::watch(every, &ingest, app).await,
        MailCommand::Memory(command) => memory::run(command, app).await,
        MailCommand::Login(what) => login::run(&what, app).await,
        MailCommand::Check { account } => check(&account, app).await,
    }
}

/// Whether the account can be reached, and what is in it. Changes nothing.
async fn check(args: &AccountArgs, app: &mut App<'_>) -> Result<(), Error> {
    let account = account::read(args, app.global)?;
    let state = tokio::select! {
        state = account.state_notice() => state?,
        () = app.terminal.ctrl_c() => return Err(Error::Cancelled),
    };
    console::show([state], app.output)
}
