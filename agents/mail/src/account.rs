//! Mail account, from `[agents.mail]` and options of a command.
//!
//! Where mail goes is the user's decision, so a project's file may not set any of it. `config`
//! reads the settings, `open` makes a mailbox and a calendar of them.

mod config;
mod error;
mod open;

use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;
use superstep::model::config::Config;
use superstep_agent::{Span, faint, strong};

use crate::{Address, Settings};

pub use error::AccountError;
pub use open::OpenedAccount;

/// Options of a command, which override the settings of an account.
#[derive(Clone, Debug, Default)]
pub struct AccountOptions {
    /// A folder of mail, instead of the configured account.
    pub folder: Option<PathBuf>,
    /// A folder of meetings.
    pub calendar: Option<PathBuf>,
    /// The owner of the mailbox.
    pub owner: Option<String>,
    /// Whether approved actions are carried out.
    pub send: bool,
    /// Whether nothing may leave this machine.
    pub is_offline: bool,
    /// The token of Google, where the settings name none.
    pub usual_token: Option<PathBuf>,
}

/// An account, before anything of it is opened.
#[derive(Debug)]
pub struct MailAccount {
    kind: MailboxAt,
    owner: Option<Address>,
    calendar: Option<CalendarAt>,
    zone: Option<String>,
    settings: Settings,
    is_offline: bool,
}

/// The place of mail.
#[derive(Debug)]
enum MailboxAt {
    Folder(PathBuf),
    Google { token: PathBuf, is_named: bool },
    Imap(Box<MailServers>),
}

/// The place of meetings.
#[derive(Debug)]
#[cfg_attr(
    not(feature = "google"),
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
struct MailServers {
    imap: MailHost,
    smtp: MailHost,
    user: Option<String>,
    password_env: Option<String>,
    password_cmd: Option<String>,
}

/// A server.
#[derive(Debug, Default)]
struct MailHost {
    host: Option<String>,
    port: Option<u16>,
    security: Encryption,
}

/// Protection of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Encryption {
    #[default]
    Tls,
    StartTls,
    Plain,
}

impl MailAccount {
    /// The account that options and settings name.
    pub fn read(config: &Config, options: &AccountOptions) -> Result<Self, AccountError> {
        config::AccountSettings::read(config)?.account(options)
    }

    /// A description in a few words.
    pub fn about(&self) -> String {
        let kind = match &self.kind {
            MailboxAt::Folder(folder) => format!("mail in {}", folder.display()),
            MailboxAt::Google { .. } => "Google".to_owned(),
            MailboxAt::Imap(servers) => {
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
    pub fn folders(&self) -> impl Iterator<Item = &Path> {
        let mail = match &self.kind {
            MailboxAt::Folder(folder) => Some(folder.as_path()),
            _ => None,
        };
        let calendar = match &self.calendar {
            Some(CalendarAt::Folder(folder)) => Some(folder.as_path()),
            _ => None,
        };
        mail.into_iter().chain(calendar)
    }

    /// The folder of mail, if it is one that does not exist.
    pub fn missing_folder(&self) -> Option<&Path> {
        match &self.kind {
            MailboxAt::Folder(folder) if !folder.is_dir() => Some(folder),
            _ => None,
        }
    }

    /// Refuses settings that cannot be used.
    pub fn check_settings(config: &Config) -> Result<(), AccountError> {
        config::AccountSettings::read(config).map(drop)
    }

    /// Whether nothing leaves.
    pub fn is_dry(&self) -> bool {
        self.settings.dry_run
    }

    /// Whether approved actions are carried out, in a line for every run.
    pub fn mode_line(&self) -> [Span; 2] {
        match self.settings.dry_run {
            true => [
                strong("dry run"),
                faint(": nothing is sent, scheduled or marked as read; use --send for real"),
            ],
            false => [
                strong("for real"),
                faint(": approved actions are sent and scheduled"),
            ],
        }
    }

    /// The files with the token and the client secrets of Google, if they are set.
    pub fn google_files(config: &Config) -> Result<[Option<PathBuf>; 2], AccountError> {
        let settings = config::AccountSettings::read(config)?;
        Ok([settings.token, settings.secrets])
    }

    /// The zone of the owner: as set, or that of this machine.
    fn zone(&self) -> String {
        let system = || TimeZone::system().iana_name().map(str::to_owned);
        let zone = self.zone.clone().or_else(system);
        zone.unwrap_or_else(|| "UTC".into())
    }
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
