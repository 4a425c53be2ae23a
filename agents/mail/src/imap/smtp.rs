//! SMTP submission in two steps: everything before the mail, and the mail itself.

use std::{future::Future, time::Duration};

use lettre::{
    Address as Mailbox,
    transport::smtp::{
        Error as SmtpError,
        authentication::{Credentials, Mechanism},
        client::AsyncSmtpConnection,
        commands::{Data, Mail, Rcpt},
        extension::{ClientId, Extension, MailBodyParameter, MailParameter},
    },
};

use super::{fault, settings::Account, wire};
use crate::{Address, MailError, Outgoing};

/// The bytes that go over a slow line in a second.
const SLOW_LINE: usize = 50_000;

/// A server that has taken sender and recipients and waits for the mail.
pub(super) struct Ready<'a> {
    account: &'a Account,
    connection: AsyncSmtpConnection,
    body: &'a [u8],
}

/// What became of a mail that was handed over.
pub(super) enum Handed {
    /// The server has it.
    Accepted,
    /// The server does not want it, for certain.
    Refused(MailError),
    /// No answer: it may have it.
    Unknown(MailError),
}

/// Connects, logs in, and names sender and recipients. A failure here sent nothing.
pub(super) async fn ready<'a>(
    account: &'a Account,
    mail: &'a Outgoing,
) -> Result<Ready<'a>, MailError> {
    let host = &account.smtp.host;
    let mut connection = connected(account).await?;
    let password = account.password.read(host).await?;
    let credentials = Credentials::new(account.user.clone(), password.expose().to_owned());
    let mechanisms = [Mechanism::Plain, Mechanism::Login];
    in_time(account, connection.auth(&mechanisms, &credentials)).await?;

    let sender = address(host, &mail.from)?;
    let mut recipients = Vec::new();
    for recipient in &mail.recipients {
        recipients.push(address(host, recipient)?);
    }
    if recipients.is_empty() {
        return Err(refused(host, "the mail is for nobody"));
    }
    let is_copied = mail.recipients.iter().any(|it| it.is_same(&account.owner));
    if account.copy_to_self && !is_copied {
        recipients.push(address(host, &account.owner)?);
    }
    let has = |feature| connection.server_info().supports_feature(feature);
    let mut parameters = Vec::new();
    if !mail.bytes.is_ascii() {
        if !has(Extension::EightBitMime) {
            return Err(refused(host, "it takes no mail with 8-bit characters"));
        }
        parameters.push(MailParameter::Body(MailBodyParameter::EightBitMime));
    }
    let is_plain = |it: &Mailbox| AsRef::<str>::as_ref(it).is_ascii();
    if !is_plain(&sender) || !recipients.iter().all(is_plain) {
        if !has(Extension::SmtpUtfEight) {
            return Err(refused(host, "it takes no addresses with 8-bit characters"));
        }
        parameters.push(MailParameter::SmtpUtfEight);
    }
    in_time(
        account,
        connection.command(Mail::new(Some(sender), parameters)),
    )
    .await?;
    for recipient in recipients {
        // One recipient who is refused is enough: a mail goes to all or to nobody.
        in_time(
            account,
            connection.command(Rcpt::new(recipient, Vec::new())),
        )
        .await?;
    }
    // The end of the mail brings its own end of a line.
    let body = mail.bytes.strip_suffix(b"\r\n").unwrap_or(&mail.bytes);
    Ok(Ready {
        account,
        connection,
        body,
    })
}

impl Ready<'_> {
    /// Hands the mail over.
    pub(super) async fn hand_over(mut self) -> Handed {
        // A server that does not ask for the mail has not got it.
        if let Err(error) = in_time(self.account, self.connection.command(Data)).await {
            return Handed::Refused(error);
        }
        let handed = self.connection.message(self.body);
        let limit = self.account.limit + slow(self.body.len());
        let handed = tokio::time::timeout(limit, handed).await;
        let host = &self.account.smtp.host;
        match handed {
            Ok(Ok(_)) => {
                // It has the mail, whatever becomes of the good-bye.
                in_time(self.account, self.connection.quit()).await.ok();
                Handed::Accepted
            }
            Ok(Err(error)) if error.status().is_some() => {
                Handed::Refused(fault::smtp(host, &error))
            }
            Ok(Err(error)) => Handed::Unknown(fault::smtp(host, &error)),
            Err(_) => Handed::Unknown(fault::late(host)),
        }
    }
}

/// What so many bytes take on a slow line.
fn slow(size: usize) -> Duration {
    Duration::from_secs(u64::try_from(size / SLOW_LINE).unwrap_or(0))
}

async fn connected(account: &Account) -> Result<AsyncSmtpConnection, MailError> {
    let line = tokio::time::timeout(account.limit, wire::connect(account)).await;
    let line = line.map_err(|_| fault::late(&account.smtp.host))??;
    let name = ClientId::default();
    let greeted = AsyncSmtpConnection::connect_with_transport(Box::new(line), &name);
    in_time(account, greeted).await
}

async fn in_time<T>(
    account: &Account,
    work: impl Future<Output = Result<T, SmtpError>>,
) -> Result<T, MailError> {
    let host = &account.smtp.host;
    match tokio::time::timeout(account.limit, work).await {
        Ok(done) => done.map_err(|error| fault::smtp(host, &error)),
        Err(_) => Err(fault::late(host)),
    }
}

fn address(host: &str, address: &Address) -> Result<Mailbox, MailError> {
    let email = address.email.trim();
    let parsed = email.parse();
    parsed.map_err(|_| refused(host, &format!("{} is no address", fault::clean(email))))
}

fn refused(host: &str, why: &str) -> MailError {
    MailError::Refused {
        place: host.to_owned(),
        why: why.to_owned(),
    }
}
