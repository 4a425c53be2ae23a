//! An IMAP session, and the folders of its server.
//!
//! One is kept between calls. Whoever uses it takes it and puts it back when all went well: one
//! that met an error, or whose call was dropped half-way, is not used again.

use std::time::Duration;

use async_imap::{
    Client, Session,
    error::Result as ImapResult,
    types::{Flag, NameAttribute},
};
use futures_util::TryStreamExt as _;
use tokio::{net::TcpStream, time::Instant};

use super::{
    ImapMailbox,
    fault::{self, clean},
    settings::{Account, Keeps, Security},
    tls::{self, Wire},
};
use crate::MailError;

/// A connection that did nothing for so long is asked whether it still lives.
const STALE: Duration = Duration::from_secs(5);

/// Names of folders of sent mails on servers that do not say which it is.
const SENT_NAMES: [&str; 6] = [
    "Sent", "INBOX.Sent", "INBOX/Sent", "Sent Items", "Sent Messages", "Gesendet",
];

/// A connection after its login.
#[derive(Debug)]
pub(super) struct LoggedIn {
    pub(super) session: Session<Box<dyn Wire>>,
    pub(super) folders: Folders,
    used: Instant,
}

/// The folders that matter.
#[derive(Clone, Debug, Default)]
pub(super) struct Folders {
    /// Where sent mails are.
    pub(super) sent: String,
    /// Where the note that a mail is about to be sent goes.
    pub(super) pending: String,
    /// Where all mails are, if the server has such a folder.
    pub(super) all: Option<String>,
}

impl Folders {
    /// Where a mail that was sent, or came back to its owner, may be.
    pub(super) fn places(&self) -> Vec<&str> {
        let mut places = vec![self.sent.as_str(), "INBOX"];
        places.extend(self.all.as_deref());
        places
    }
}

impl ImapMailbox {
    /// The connection that was kept, if it lives, or a new one.
    pub(super) async fn session(&self, kept: &mut Option<LoggedIn>) -> Result<LoggedIn, MailError> {
        if let Some(mut kept) = kept.take() {
            if kept.used.elapsed() < STALE {
                return Ok(kept.used_now());
            }
            let alive = tokio::time::timeout(STALE, kept.session.noop()).await;
            if matches!(alive, Ok(Ok(()))) {
                return Ok(kept.used_now());
            }
        }
        let opened = tokio::time::timeout(self.account.limit, open(&self.account)).await;
        opened.map_err(|_| fault::late(&self.account.imap.host))?
    }
}

impl LoggedIn {
    /// The numbers of the mails of the chosen folder that a question finds, in order.
    pub(super) async fn search(&mut self, question: &str) -> ImapResult<Vec<u32>> {
        let found = self.session.uid_search(question).await?;
        let mut uids: Vec<u32> = found.into_iter().collect();
        uids.sort_unstable();
        Ok(uids)
    }

    fn used_now(mut self) -> Self {
        self.used = Instant::now();
        self
    }
}

async fn open(account: &Account) -> Result<LoggedIn, MailError> {
    let host = &account.imap.host;
    let failed = |error| fault::imap(host, error);
    let client = greeted(account).await?;
    let password = account.password.read(host).await?;
    let logged_in = client.login(&account.user, password.expose()).await;
    let mut session = logged_in.map_err(|(error, _)| fault::login(host, error))?;
    let folders = folders(&mut session, account).await;
    let folders = folders.map_err(failed)?;
    Ok(LoggedIn {
        session,
        folders,
        used: Instant::now(),
    })
}

async fn greeted(account: &Account) -> Result<Client<Box<dyn Wire>>, MailError> {
    let server = &account.imap;
    let host = &server.host;
    let unreachable = |why: String| MailError::Unreachable {
        place: host.clone(),
        why,
    };
    let stream = TcpStream::connect((host.as_str(), server.port)).await;
    let stream = stream.map_err(|error| unreachable(error.to_string()))?;
    // Commands are small and wait for their answer.
    stream.set_nodelay(true).ok();
    let certificates = account.certificates.as_deref();
    let stream: Box<dyn Wire> = match server.security {
        Security::Tls => tls::encrypted(host, certificates, stream).await?,
        Security::Plain => Box::new(stream),
        Security::StartTls => {
            let mut client = Client::new(stream);
            greeting(&mut client, host).await?;
            let started = client.run_command_and_check_ok("STARTTLS", None).await;
            // Without it there is no login: the password would be seen.
            started.map_err(|error| fault::imap(host, error))?;
            let stream = tls::encrypted(host, certificates, client.into_inner()).await?;
            return Ok(Client::new(stream));
        }
    };
    let mut client = Client::new(stream);
    greeting(&mut client, host).await?;
    Ok(client)
}

async fn greeting<T>(client: &mut Client<T>, host: &str) -> Result<(), MailError>
where
    T: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + std::fmt::Debug + Send,
{
    let unreachable = |why: String| MailError::Unreachable {
        place: host.to_owned(),
        why,
    };
    match client.read_response().await {
        Ok(Some(_)) => Ok(()),
        Ok(None) => Err(unreachable(
            "it closed the connection without a greeting".into(),
        )),
        Err(error) => Err(unreachable(clean(&error.to_string()))),
    }
}

async fn folders(
    session: &mut Session<Box<dyn Wire>>,
    account: &Account,
) -> async_imap::error::Result<Folders> {
    let names: Vec<_> = session
        .list(Some(""), Some("*"))
        .await?
        .try_collect()
        .await?;
    let with = |wanted: &NameAttribute<'_>| {
        let mut names = names.iter();
        let found = names.find(|name| name.attributes().contains(wanted))?;
        Some(found.name().to_owned())
    };
    let named = |wanted: &str| {
        let mut names = names.iter().map(async_imap::types::Name::name);
        names.find(|name| *name == wanted).map(str::to_owned)
    };
    let sent = account
        .sent
        .clone()
        .or_else(|| with(&NameAttribute::Sent))
        .or_else(|| SENT_NAMES.iter().find_map(|name| named(name)));
    let sent = match sent {
        Some(sent) => sent,
        None => created(session, "Sent").await?,
    };
    let pending = match account.keeps {
        Keeps::Client => sent.clone(),
        Keeps::Server => match with(&NameAttribute::Drafts).or_else(|| named("Drafts")) {
            Some(drafts) => drafts,
            None => created(session, "Drafts").await?,
        },
    };
    let all = with(&NameAttribute::All).or_else(|| with(&NameAttribute::Archive));
    Ok(Folders { sent, pending, all })
}

async fn created(
    session: &mut Session<Box<dyn Wire>>,
    name: &str,
) -> async_imap::error::Result<String> {
    session.create(name).await?;
    Ok(name.to_owned())
}

/// Whether a mail has a flag.
pub(super) fn has(mail: &async_imap::types::Fetch, flag: &Flag<'_>) -> bool {
    mail.flags().any(|known| known == *flag)
}

/// A word in the form of a quoted string; nothing if it has characters that cannot be in one.
pub(super) fn quoted(text: &str) -> Option<String> {
    if text.chars().any(char::is_control) {
        return None;
    }
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    Some(format!("\"{text}\""))
}
