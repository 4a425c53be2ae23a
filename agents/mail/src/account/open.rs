//! Opening the mailbox and calendar of an account.

use std::{path::Path, sync::Arc};

use super::{AccountError, CalendarAt, MailAccount, MailServers, MailboxAt};
#[cfg(feature = "imap")]
use super::{Encryption, MailHost};
#[cfg(feature = "google")]
use crate::google::{Google, GoogleSettings, Keys};
#[cfg(feature = "imap")]
use crate::imap::{Account as ImapAccount, ImapMailbox, Password, Server};
use crate::{Calendar, FolderCalendar, FolderMailbox, MailError, Mailbox, NoCalendar, Settings};

/// A mailbox and a calendar, and the settings of an assistant that works on them.
pub struct OpenedAccount {
    /// The mailbox.
    pub mailbox: Arc<dyn Mailbox>,
    /// The calendar; an empty one if the account has none.
    pub calendar: Arc<dyn Calendar>,
    /// Whether the account has a calendar.
    pub has_calendar: bool,
    /// The settings.
    pub settings: Settings,
}

impl MailAccount {
    /// Opens it. Accounts elsewhere may be asked who owns them.
    pub async fn open(&self) -> Result<OpenedAccount, AccountError> {
        let zone = self.zone();
        let mut calendar: Option<Arc<dyn Calendar>> = match &self.calendar {
            Some(CalendarAt::Folder(folder)) => Some(Arc::new(meetings(folder, &zone)?)),
            _ => None,
        };
        let mailbox: Arc<dyn Mailbox> = match &self.kind {
            MailboxAt::Folder(folder) => {
                let owner = self.owner.clone().ok_or_else(|| no_owner("folder"))?;
                Arc::new(FolderMailbox::open(folder, owner)?)
            }
            MailboxAt::Google { token, is_named } => {
                self.online("mail of Google")?;
                let (mailbox, of_google) = self.google(token, *is_named).await?;
                calendar = calendar.or(of_google);
                mailbox
            }
            MailboxAt::Imap(servers) => self.imap(servers)?,
        };
        let mut settings = self.settings.clone();
        settings.time_zone = match calendar {
            // The calendar knows its zone, unless another one is set.
            Some(_) => self.zone.clone(),
            None => Some(zone.clone()),
        };
        Ok(OpenedAccount {
            mailbox,
            has_calendar: calendar.is_some(),
            calendar: calendar.unwrap_or_else(|| Arc::new(NoCalendar { zone })),
            settings,
        })
    }

    #[cfg(feature = "google")]
    async fn google(
        &self,
        token: &Path,
        is_named: bool,
    ) -> Result<(Arc<dyn Mailbox>, Option<Arc<dyn Calendar>>), AccountError> {
        let is_given = !is_named && !token.exists() && std::env::var_os("GMAIL_TOKEN").is_some();
        let keys = match is_given {
            true => Keys::from_env()?,
            false => Keys::open(token)?,
        };
        let account = Google::new(keys, GoogleSettings::default())?;
        let mailbox = match &self.owner {
            Some(owner) => account.mailbox_of(owner.clone())?,
            None => account.mailbox().await?,
        };
        let calendar: Option<Arc<dyn Calendar>> = match &self.calendar {
            Some(CalendarAt::Google(id)) => Some(Arc::new(account.calendar(id).await?)),
            _ => None,
        };
        Ok((Arc::new(mailbox), calendar))
    }

    #[cfg(not(feature = "google"))]
    async fn google(
        &self,
        _: &Path,
        _: bool,
    ) -> Result<(Arc<dyn Mailbox>, Option<Arc<dyn Calendar>>), AccountError> {
        Err(left_out("google", "remote"))
    }

    #[cfg(feature = "imap")]
    fn imap(&self, servers: &MailServers) -> Result<Arc<dyn Mailbox>, AccountError> {
        let needs = |key: &str| AccountError::Unusable(format!("an account of IMAP needs `{key}`"));
        let owner = self.owner.clone().ok_or_else(|| no_owner("imap"))?;
        let imap = servers.imap.server([993, 143, 143]);
        let smtp = servers.smtp.server([465, 587, 25]);
        let imap = imap.ok_or_else(|| needs("imap.host"))?;
        let smtp = smtp.ok_or_else(|| needs("smtp.host"))?;
        if [&imap.host, &smtp.host].iter().any(|host| !is_here(host)) {
            self.online("mail of a server")?;
        }
        let password = match (&servers.password_cmd, &servers.password_env) {
            (Some(command), _) => Password::Command(command.clone()),
            (None, Some(name)) => Password::Env(name.clone()),
            (None, None) => return Err(needs("password_cmd` or `password_env")),
        };
        let user = servers.user.clone().unwrap_or_else(|| owner.email.clone());
        let account = ImapAccount::new(owner, imap, smtp, user, password);
        Ok(Arc::new(ImapMailbox::new(account)?))
    }

    #[cfg(not(feature = "imap"))]
    fn imap(&self, _: &MailServers) -> Result<Arc<dyn Mailbox>, AccountError> {
        Err(left_out("imap", "imap"))
    }

    fn online(&self, what: &str) -> Result<(), AccountError> {
        match self.is_offline {
            true => Err(AccountError::Unusable(format!(
                "{what} is not on this machine, and nothing may leave it (offline)"
            ))),
            false => Ok(()),
        }
    }

    /// Problems of an account in folders, by the name of the file that cannot be read.
    pub async fn problems(&self) -> Result<Vec<(String, MailError)>, AccountError> {
        let mut all = Vec::new();
        if let (MailboxAt::Folder(folder), Some(owner)) = (&self.kind, &self.owner) {
            let mailbox = FolderMailbox::open(folder, owner.clone())?;
            all.extend(within(folder, mailbox.problems().await?));
        }
        if let Some(CalendarAt::Folder(folder)) = &self.calendar {
            let problems = meetings(folder, &self.zone())?.problems().await?;
            all.extend(within(folder, problems));
        }
        Ok(all)
    }
}

/// Problems with the paths of their files.
fn within(
    folder: &Path,
    problems: Vec<(String, MailError)>,
) -> impl Iterator<Item = (String, MailError)> {
    let problems = problems.into_iter();
    problems.map(|(file, error)| (folder.join(file).display().to_string(), error))
}

/// A folder of meetings. A mistyped name must not become a calendar where all time is free.
fn meetings(folder: &Path, zone: &str) -> Result<FolderCalendar, AccountError> {
    if !folder.is_dir() {
        return Err(AccountError::Unusable(format!(
            "there is no folder {} for the calendar",
            folder.display()
        )));
    }
    Ok(FolderCalendar::open(folder, zone)?)
}

#[cfg(feature = "imap")]
impl MailHost {
    /// The server, at the port of its kind: TLS, STARTTLS, plain.
    fn server(&self, [tls, start, plain]: [u16; 3]) -> Option<Server> {
        use crate::imap::Security as Of;
        let (usual, security) = match self.security {
            Encryption::Tls => (tls, Of::Tls),
            Encryption::StartTls => (start, Of::StartTls),
            Encryption::Plain => (plain, Of::Plain),
        };
        Some(Server {
            host: self.host.clone()?,
            port: self.port.unwrap_or(usual),
            security,
        })
    }
}

#[cfg(feature = "imap")]
fn is_here(host: &str) -> bool {
    let host = host.trim_matches(['[', ']']);
    let ip = host.parse::<std::net::IpAddr>();
    host == "localhost" || ip.is_ok_and(|ip| ip.is_loopback())
}

fn no_owner(kind: &str) -> AccountError {
    AccountError::Unusable(format!(
        "an account of the kind `{kind}` needs its owner: --owner ADDRESS, or `owner` in [agents.mail]"
    ))
}

/// The feature is that of the command line.
#[cfg(not(all(feature = "google", feature = "imap")))]
fn left_out(kind: &str, feature: &str) -> AccountError {
    AccountError::Unusable(format!(
        "accounts of the kind `{kind}` are not part of this build (feature `{feature}`)"
    ))
}
