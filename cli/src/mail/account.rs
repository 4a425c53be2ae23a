//! Mail account of a command, from `[agents.mail]` and flags.

use std::path::PathBuf;

use superstep_mail::account::{AccountOptions, MailAccount};

use crate::{
    args::{AccountArgs, Global},
    dirs, environment,
    error::Error,
};

/// The account that flags and settings name.
pub(crate) fn read(args: &AccountArgs, global: &Global) -> Result<MailAccount, Error> {
    let environment = environment::load(global)?;
    let options = AccountOptions {
        folder: args.folder.clone(),
        calendar: args.calendar.clone(),
        owner: args.owner.clone(),
        send: args.send,
        is_offline: environment.offline.is_some() || environment.config.offline().is_some(),
        usual_token: usual_token(),
    };
    Ok(MailAccount::read(&environment.config, &options)?)
}

/// The files with the token and the client secrets of Google.
pub(super) fn google_files(global: &Global) -> Result<[Option<PathBuf>; 2], Error> {
    let [token, secrets] = MailAccount::google_files(&environment::load(global)?.config)?;
    Ok([token.or_else(usual_token), secrets])
}

fn usual_token() -> Option<PathBuf> {
    dirs::data().map(|folder| folder.join("google-token.json"))
}
