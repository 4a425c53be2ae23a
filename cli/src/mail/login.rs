//! `superstep mail login`: a person permits the assistant to use a Google account.

#[cfg(feature = "remote")]
use std::time::Duration;

use super::account;
#[cfg(feature = "remote")]
use crate::output::{Form, faint, plain, strong};
use crate::{
    args::{Global, Login},
    failure::Failure,
    output::Output,
    person::Person,
};

/// How long the person may take.
#[cfg(feature = "remote")]
const PATIENCE: Duration = Duration::from_secs(300);

#[cfg(feature = "remote")]
pub(super) async fn run(
    what: &Login,
    global: &Global,
    output: &Output,
    person: &mut Person,
) -> Result<(), Failure> {
    use superstep_mail::google::{App, Keys, SCOPES};
    let world = crate::world::look(global)?;
    if world.offline.is_some() || world.config.offline().is_some() {
        return Err(Failure::Usage(
            "nothing may leave this machine (offline)".into(),
        ));
    }
    let (token, secrets) = account::google_files(global)?;
    let token = what.token.clone().or(token);
    let token =
        token.ok_or_else(|| Failure::Usage("there is no home folder; use --token".into()))?;
    let app = match what.secrets.clone().or(secrets) {
        Some(file) => {
            let text = std::fs::read_to_string(&file)
                .map_err(|error| Failure::Usage(format!("{}: {error}", file.display())))?;
            App::read(&text)?
        }
        None if std::env::var_os("GMAIL_SECRET").is_some() => App::from_env()?,
        None => {
            return Err(Failure::Usage(
                "the file of the application is not known: --secrets FILE, or `secrets` in \
                 [agents.mail], or GMAIL_SECRET; docs/mail-accounts.md says how to get one"
                    .into(),
            ));
        }
    };
    let login = superstep_mail::google::Login::begin(app, &SCOPES).await?;
    output.say(&[faint("open this in a browser of this machine, and agree:")]);
    output.say(&[strong(login.url())]);
    let given = tokio::select! {
        given = login.finish(PATIENCE) => given?,
        () = person.pressed() => return Err(Failure::Cancelled),
    };
    if let Some(folder) = token.parent() {
        crate::private::make_folder(folder)?;
    }
    Keys::store(given, &token)?;
    if output.form == Form::Json {
        return output.json(&serde_json::json!({"token": token.display().to_string()}));
    }
    output.say(&[plain(format!(
        "permitted; it is kept in {}",
        token.display()
    ))]);
    Ok(())
}

#[cfg(not(feature = "remote"))]
pub(super) async fn run(
    _: &Login,
    global: &Global,
    _: &Output,
    _: &mut Person,
) -> Result<(), Failure> {
    account::google_files(global)?;
    Err(Failure::Usage(
        "accounts of Google are not part of this build (feature `remote`)".into(),
    ))
}
