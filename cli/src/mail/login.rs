//! `superstep mail login`: OAuth login of a Google account.

#[cfg(feature = "remote")]
use std::time::Duration;

use super::account;
#[cfg(feature = "remote")]
use crate::output::{Form, faint, plain, strong};
use crate::{app::App, args::Login, error::Error};

/// How long the person may take.
#[cfg(feature = "remote")]
const TIMEOUT: Duration = Duration::from_secs(300);

#[cfg(feature = "remote")]
pub(super) async fn run(what: &Login, app: &mut App<'_>) -> Result<(), Error> {
    use superstep_mail::google::{self, Keys, SCOPES};
    let environment = crate::environment::load(app.global)?;
    if environment.offline.is_some() || environment.config.offline().is_some() {
        return Err(Error::Usage(
            "nothing may leave this machine (offline)".into(),
        ));
    }
    let [token, secrets] = account::google_files(app.global)?;
    let token = what.token.clone().or(token);
    let token = token.ok_or_else(|| Error::Usage("there is no home folder; use --token".into()))?;
    let secret = match what.secrets.clone().or(secrets) {
        Some(file) => google::App::read(&crate::files::text(&file)?)?,
        None if std::env::var_os("GMAIL_SECRET").is_some() => google::App::from_env()?,
        None => {
            return Err(Error::Usage(
                "no client secrets: use --secrets FILE, `secrets` in [agents.mail], or GMAIL_SECRET; see \
                 docs/mail-accounts.md"
                    .into(),
            ));
        }
    };
    let login = google::Login::begin(secret, &SCOPES).await?;
    app.output.say(&[faint(
        "open this URL in a browser on this machine, and agree:",
    )]);
    app.output.say(&[strong(login.url())]);
    let given = tokio::select! {
        given = login.finish(TIMEOUT) => given?,
        () = app.terminal.ctrl_c() => return Err(Error::Cancelled),
    };
    if let Some(folder) = token.parent() {
        superstep::fs::private_dir(folder)?;
    }
    Keys::store(given, &token)?;
    if app.output.form == Form::Json {
        return app
            .output
            .json(&serde_json::json!({"token": token.display().to_string()}));
    }
    app.output.say(&[plain(format!(
        "access granted; the token is in {}",
        token.display()
    ))]);
    Ok(())
}

#[cfg(not(feature = "remote"))]
pub(super) async fn run(_: &Login, app: &mut App<'_>) -> Result<(), Error> {
    account::google_files(app.global)?;
    Err(Error::Usage(
        "accounts of Google are not part of this build (feature `remote`)".into(),
    ))
}
