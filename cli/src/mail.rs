//! The e-mail assistant on the command line: `mail ingest`, `watch`, `memory`, `login`, `check`.
//!
//! `account` says whose mail it is and where, `desk` opens the assistant with a model; then one file a
//! command. Its questions are in `inbox`.

mod account;
mod check;
mod desk;
mod ingest;
mod login;
mod memory;

use crate::{
    args::{Global, MailCommand},
    failure::Failure,
    output::Output,
    person::Person,
};

pub(crate) use account::Account;
pub(crate) use desk::open;

/// Why the model of a project is not used for mail.
pub(crate) const NOT_OF_PROJECT: &str = "mail is not in the project's folder";

pub(crate) async fn run(
    command: MailCommand,
    global: &Global,
    output: &Output,
    person: &mut Person,
) -> Result<(), Failure> {
    match command {
        MailCommand::Ingest { retry, ingest } => {
            ingest::once(&retry, &ingest, global, output, person).await
        }
        MailCommand::Watch { every, ingest } => {
            ingest::watch(every, &ingest, global, output, person).await
        }
        MailCommand::Memory(command) => memory::run(command, global, output).await,
        MailCommand::Login(what) => login::run(&what, global, output, person).await,
        MailCommand::Check { account } => check::run(&account, global, output, person).await,
    }
}
