//! Settings of an IMAP account: servers and credentials.

use std::{net::IpAddr, path::PathBuf, process::Stdio, time::Duration};

use superstep::Secret;

use crate::{Address, MailError};

/// Servers that keep a copy of what they send themselves.
const KEEPERS: [&str; 4] = [
    "gmail.com", "googlemail.com", "office365.com", "outlook.com",
];

/// How long a command that gives a password may take.
const COMMAND_LIMIT: Duration = Duration::from_secs(30);

/// An account.
#[derive(Clone, Debug)]
pub struct Account {
    /// Whose it is.
    pub owner: Address,
    /// Where mail is read.
    pub imap: Server,
    /// Where mail is sent.
    pub smtp: Server,
    /// The name to log in with, at both.
    pub user: String,
    /// The password, at both.
    pub password: Password,
    /// The folder of sent mails, if the server does not say or has an unusual name for it.
    pub sent: Option<String>,
    /// Who keeps a copy of what is sent.
    pub keeps: Keeps,
    /// Whether the owner gets what is sent too: the only trace of a mail whose answer was lost.
    pub copy_to_self: bool,
    /// Certificates to trust besides those of the machine, as PEM.
    pub certificates: Option<PathBuf>,
    /// How long one act may take, besides the time that a large mail needs on its way out.
    pub limit: Duration,
    /// How long a mail that was accepted may take to arrive at the owner.
    pub settle: Duration,
}

/// A server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// Its name or address.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// How it is spoken to.
    pub security: Security,
}

/// How a connection is protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Security {
    /// Encrypted from the first byte.
    Tls,
    /// Encrypted after a greeting, and given up if the server cannot.
    StartTls,
    /// Not at all; only on this machine.
    Plain,
}

/// Who keeps a copy of what is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeps {
    /// We do, in the folder of sent mails.
    Client,
    /// The server does it by itself.
    Server,
}

/// Where a password comes from.
#[derive(Clone, Debug)]
pub enum Password {
    /// It is this.
    Given(Secret),
    /// It is in this variable of the environment.
    Env(String),
    /// This command of the shell prints it as its first line.
    Command(String),
}

impl Account {
    /// An account with what suits its servers.
    pub fn new(
        owner: Address,
        imap: Server,
        smtp: Server,
        user: impl Into<String>,
        password: Password,
    ) -> Self {
        let host = smtp.host.to_ascii_lowercase();
        let is_keeper = KEEPERS.iter().any(|keeper| host.ends_with(keeper));
        Self {
            owner,
            imap,
            smtp,
            user: user.into(),
            password,
            sent: None,
            keeps: if is_keeper {
                Keeps::Server
            } else {
                Keeps::Client
            },
            copy_to_self: !is_keeper,
            certificates: None,
            limit: Duration::from_secs(120),
            settle: Duration::from_secs(30),
        }
    }

    /// Refuses what can never work, or must not.
    pub(super) fn check(&self) -> Result<(), MailError> {
        for server in [&self.imap, &self.smtp] {
            if server.security == Security::Plain && !server.is_local() {
                return Err(MailError::Refused {
                    place: server.host.clone(),
                    why: "passwords and mails go to other machines encrypted only".into(),
                });
            }
        }
        Ok(())
    }
}

impl Server {
    pub(super) fn is_local(&self) -> bool {
        let host = self.host.trim_matches(['[', ']']);
        host == "localhost" || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
    }
}

impl Password {
    /// The password itself.
    pub(super) async fn read(&self, place: &str) -> Result<Secret, MailError> {
        let refused = |why: String| MailError::Auth {
            place: place.to_owned(),
            why,
        };
        match self {
            Self::Given(secret) => Ok(secret.clone()),
            Self::Env(name) => match std::env::var(name) {
                Ok(value) if !value.is_empty() => Ok(value.into()),
                _ => Err(refused(format!("{name} is not set"))),
            },
            Self::Command(command) => {
                let child = tokio::process::Command::new("sh")
                    .args(["-c", command])
                    .stdin(Stdio::null())
                    .stderr(Stdio::null())
                    .kill_on_drop(true)
                    .output();
                let output = tokio::time::timeout(COMMAND_LIMIT, child).await;
                let Ok(Ok(output)) = output else {
                    return Err(refused("the command for the password did not end".into()));
                };
                if !output.status.success() {
                    let why = format!("the command for the password failed: {}", output.status);
                    return Err(refused(why));
                }
                let text = String::from_utf8_lossy(&output.stdout);
                match text.lines().next() {
                    Some(line) if !line.is_empty() => Ok(line.into()),
                    _ => Err(refused(
                        "the command for the password printed nothing".into(),
                    )),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(host: &str, security: Security) -> Account {
        let server = Server {
            host: host.into(),
            port: 1,
            security,
        };
        let password = Password::Given("hunter2".into());
        Account::new(Address::new("a@b"), server.clone(), server, "a", password)
    }

    #[test]
    fn nothing_is_plain_but_this_machine() {
        assert!(account("127.0.0.1", Security::Plain).check().is_ok());
        assert!(
            account("mail.example.org", Security::StartTls)
                .check()
                .is_ok()
        );
        assert!(account("10.0.0.1", Security::Plain).check().is_err());
    }

    #[test]
    fn servers_that_keep_sent_mails_are_known() {
        let google = account("smtp.gmail.com", Security::Tls);
        assert_eq!((google.keeps, google.copy_to_self), (Keeps::Server, false));
        let other = account("mail.example.org", Security::Tls);
        assert_eq!((other.keeps, other.copy_to_self), (Keeps::Client, true));
        assert!(!format!("{other:?}").contains("hunter2"));
    }
}
