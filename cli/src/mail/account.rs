//! Mail account, from `[agents.mail]` and flags.
//!
//! Where mail goes is the user's decision, so a project's file may not set any of it. `written`
//! reads the settings, `open` makes a mailbox and a calendar of them.

mod open;
mod written;

use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;
use superstep::model::config::Config;
use superstep_mail::{Address, Settings};

use crate::{
    args::{AccountArgs, Global},
    dirs, environment,
    error::Error,
    output::{Output, faint, strong},
};

pub(crate) use open::OpenedAccount;

/// An account, before anything of it is opened.
#[derive(Debug)]
pub(crate) struct Account {
    kind: Kind,
    owner: Option<Address>,
    calendar: Option<CalendarAt>,
    zone: Option<String>,
    settings: Settings,
    is_offline: bool,
}

/// Where mail is.
#[derive(Debug)]
#[cfg_attr(
    not(feature = "remote"),
    allow(dead_code, reason = "settings are checked in every build")
)]
enum Kind {
    Folder(PathBuf),
    Google { token: PathBuf, is_named: bool },
    Imap(Box<Servers>),
}

/// Where meetings are.
#[derive(Debug)]
#[cfg_attr(
    not(feature = "remote"),
    allow(dead_code, reason = "settings are checked in every build")
)]
enum CalendarAt {
    Folder(PathBuf),
    Google(String),
}

/// Servers of mail, and how to log in.
#[derive(Debug)]
#[cfg_attr(
    not(feature = "imap"),
    allow(dead_code, reason = "settings are checked in every build")
)]
struct Servers {
    imap: Host,
    smtp: Host,
    user: Option<String>,
    password_env: Option<String>,
    password_cmd: Option<String>,
}

/// A server.
#[derive(Debug, Default)]
struct Host {
    host: Option<String>,
    port: Option<u16>,
    security: Security,
}

/// How a connection is protected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Security {
    #[default]
    Tls,
    StartTls,
    Plain,
}

impl Account {
    /// The account that flags and settings name.
    pub(crate) fn read(args: &AccountArgs, global: &Global) -> Result<Self, Error> {
        let environment = environment::load(global)?;
        let written = written::Written::read(&environment.config)?;
        let is_offline = environment.offline.is_some() || environment.config.offline().is_some();
        let mut account = written.account(args, is_offline)?;
        if args.send {
            account.settings.dry_run = false;
        }
        Ok(account)
    }

    /// What it is, in a few words.
    pub(crate) fn about(&self) -> String {
        let kind = match &self.kind {
            Kind::Folder(folder) => format!("mail in {}", folder.display()),
            Kind::Google { .. } => "Google".to_owned(),
            Kind::Imap(servers) => {
                let host = servers.imap.host.as_deref().unwrap_or("no host yet");
                format!("IMAP at {host}")
            }
        };
        let owner = self.owner.as_ref().map(|owner| format!(" of {owner}"));
        let mode = match self.is_dry() {
            true => "dry run unless --send",
            false => "sends what is approved",
        };
        format!(
            "{kind}{}, {mode}; `superstep mail check` opens it",
            owner.unwrap_or_default()
        )
    }

    /// The folders of this machine in which its mail and its meetings are.
    pub(crate) fn folders(&self) -> impl Iterator<Item = &Path> {
        let mail = match &self.kind {
            Kind::Folder(folder) => Some(folder.as_path()),
            _ => None,
        };
        let calendar = match &self.calendar {
            Some(CalendarAt::Folder(folder)) => Some(folder.as_path()),
            _ => None,
        };
        mail.into_iter().chain(calendar)
    }

    /// The folder of mail, if it is one that does not exist.
    pub(crate) fn missing_folder(&self) -> Option<&Path> {
        match &self.kind {
            Kind::Folder(folder) if !folder.is_dir() => Some(folder),
            _ => None,
        }
    }

    /// Refuses settings that cannot be used.
    pub(crate) fn check_settings(config: &Config) -> Result<(), Error> {
        written::Written::read(config).map(drop)
    }

    /// Whether nothing leaves.
    pub(crate) fn is_dry(&self) -> bool {
        self.settings.dry_run
    }

    /// Prints whether approved actions are carried out; on every run.
    pub(crate) fn tell(&self, output: &Output) {
        match self.settings.dry_run {
            true => output.say(&[
                strong("dry run"),
                faint(": nothing is sent, scheduled or marked as read; use --send for real"),
            ]),
            false => output.say(&[
                strong("for real"),
                faint(": approved actions are sent and scheduled"),
            ]),
        }
    }

    /// The zone of the owner: as set, or that of this machine.
    fn zone(&self) -> String {
        let system = || TimeZone::system().iana_name().map(str::to_owned);
        let zone = self.zone.clone().or_else(system);
        zone.unwrap_or_else(|| "UTC".into())
    }
}

/// Where the permission of Google is, and the file of the application if one is set.
pub(super) fn google_files(global: &Global) -> Result<(Option<PathBuf>, Option<PathBuf>), Error> {
    let written = written::Written::read(&environment::load(global)?.config)?;
    let token = written.token.or_else(usual_token);
    Ok((token, written.secrets))
}

fn usual_token() -> Option<PathBuf> {
    dirs::data().map(|folder| folder.join("google-token.json"))
}

/// Parses `Ada <ada@example.org>` or the address alone.
fn address(text: &str) -> Option<Address> {
    let (name, email) = match text.trim().strip_suffix('>') {
        Some(rest) => {
            let (name, email) = rest.split_once('<')?;
            (Some(name.trim().to_owned()), email)
        }
        None => (None, text.trim()),
    };
    let (local, host) = email.rsplit_once('@')?;
    let is_odd = |c: char| c.is_whitespace() || c.is_control() || "<>,;".contains(c);
    if local.is_empty() || host.is_empty() || email.contains(is_odd) {
        return None;
    }
    Some(Address {
        name: name.filter(|name| !name.is_empty()),
        email: email.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_has_a_name_or_not() {
        let ada = address("Ada L. <ada@example.org>").unwrap();
        assert_eq!(ada.name.as_deref(), Some("Ada L."));
        assert_eq!(ada.email, "ada@example.org");
        assert_eq!(address("ada@example.org").unwrap().name, None);
        for wrong in ["ada", "@x", "a b@c", "a@b, c@d", "Ada <ada@x"] {
            assert!(address(wrong).is_none(), "{wrong}");
        }
    }
}
