//! Any mail server as a [`Mailbox`]: read over IMAP, sent over SMTP.
//!
//! [`Account`] says where the servers are and how to log in; [`ImapMailbox`] is the mailbox.
//!
//! # Sent once
//!
//! A mail that SMTP accepted and whose answer was lost leaves no trace of itself: nobody could say
//! later whether it went out. So two traces are made.
//!
//! - **Before**: when the server has taken sender and recipients, and right before the mail itself
//!   is handed over, a copy goes into the folder of sent mails as a draft (`\Draft`). Once SMTP
//!   has accepted, the copy is a draft no more. A server that keeps sent mails itself gets the
//!   draft into its folder of drafts, and it is deleted once SMTP has accepted.
//! - **After**: the owner is a recipient too ([`Account::copy_to_self`]), so what was accepted
//!   arrives in the owner's own inbox. Such a copy is not listed as an arrival.
//!
//! What a look-up then finds:
//!
//! | copy among the sent | copy that arrived | verdict |
//! |---|---|---|
//! | there | | sent |
//! | a draft | there | sent; the draft becomes the copy |
//! | a draft | not there, also after [`Account::settle`] | unsure: a person has to look |
//! | none | none | not sent: the mail was never handed over |
//!
//! A failure before the mail was handed over, or a refusal of it, is certain: the draft is taken
//! back and the mail was not sent. Everything else is unknown until it is looked up. A mail is
//! never handed over twice by this module itself.
//!
//! # Threads
//!
//! IMAP has none, so the first id in `References` (or `In-Reply-To`, or the mail's own) names one.
//!
//! `settings` is the account, `session` a connection, `read` and `outbox` the two directions,
//! `smtp` the handing over and `wire` its connection, `tls` the encryption, `fault` what errors mean.

mod fault;
mod outbox;
mod read;
mod session;
mod settings;
mod smtp;
mod tls;
mod wire;

use tokio::sync::Mutex;

use crate::{
    Address, Later, Lookup, MailError, MailId, Mailbox, Outgoing, Page, PageToken, Query, RawMail,
    SendError, Sent, ThreadKey,
};

pub use settings::{Account, Keeps, Password, Security, Server};

/// A mailbox on a server. One connection is kept open between calls.
#[derive(Debug)]
pub struct ImapMailbox {
    account: Account,
    kept: Mutex<Option<session::LoggedIn>>,
}

impl ImapMailbox {
    /// The mailbox of an account. Nothing is asked yet, but what can never work is refused.
    pub fn new(account: Account) -> Result<Self, MailError> {
        account.check()?;
        let kept = Mutex::new(None);
        Ok(Self { account, kept })
    }

    /// Logs in and finds the folders, so that a wrong setting shows before anything depends on it.
    pub async fn check(&self) -> Result<(), MailError> {
        let mut kept = self.kept.lock().await;
        let session = self.session(&mut kept).await?;
        *kept = Some(session);
        Ok(())
    }
}

impl Mailbox for ImapMailbox {
    fn owner(&self) -> &Address {
        &self.account.owner
    }

    fn place(&self) -> String {
        self.account.imap.host.clone()
    }

    fn list<'a>(
        &'a self,
        query: &'a Query,
        page: Option<&'a PageToken>,
    ) -> Later<'a, Result<Page, MailError>> {
        Box::pin(self.listed(query, page))
    }

    fn fetch<'a>(&'a self, id: &'a MailId) -> Later<'a, Result<RawMail, MailError>> {
        Box::pin(self.fetched(id))
    }

    fn thread<'a>(&'a self, thread: &'a ThreadKey) -> Later<'a, Result<Vec<RawMail>, MailError>> {
        Box::pin(self.of_thread(thread))
    }

    fn thread_headers<'a>(
        &'a self,
        thread: &'a ThreadKey,
    ) -> Later<'a, Result<Vec<RawMail>, MailError>> {
        Box::pin(self.heads_of_thread(thread))
    }

    fn mark_read<'a>(&'a self, id: &'a MailId) -> Later<'a, Result<(), MailError>> {
        Box::pin(self.seen(id))
    }

    fn send<'a>(&'a self, mail: &'a Outgoing) -> Later<'a, Result<Sent, SendError>> {
        Box::pin(self.send_once(mail))
    }

    fn look_up<'a>(&'a self, mail: &'a Outgoing) -> Later<'a, Result<Lookup, MailError>> {
        Box::pin(self.looked_up(mail))
    }
}
