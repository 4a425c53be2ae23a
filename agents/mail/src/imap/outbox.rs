//! Sending once over SMTP: the drafts and copies of a mail, and what they prove. `imap` explains it.

use std::time::Duration;

use async_imap::{
    error::Result as ImapResult,
    types::{Fetch, Flag},
};
use futures_util::TryStreamExt as _;

use super::{
    ImapMailbox,
    read::At,
    session::{LoggedIn, has, quoted},
    settings::Keeps,
    smtp::{self, Handed},
};
use crate::{Lookup, MailError, Outgoing, SendError, Sent, header};

/// How long to wait before looking for a copy again.
const AGAIN: Duration = Duration::from_millis(500);

/// The traces of a mail.
#[derive(Debug, Default)]
struct Traces {
    /// The note that it is about to be sent.
    pending: Option<At>,
    /// A copy that is no draft, and where.
    copy: Option<At>,
}

impl ImapMailbox {
    pub(super) async fn send_once(&self, mail: &Outgoing) -> Result<Sent, SendError> {
        let mut kept = self.kept.lock().await;
        let mut session = self.session(&mut kept).await.map_err(SendError::NotSent)?;
        let traces = self
            .traces(&mut session, mail)
            .await
            .map_err(SendError::NotSent)?;
        if let Some(copy) = traces.copy {
            // An earlier attempt went through; sending again would send twice.
            *kept = Some(session);
            return Ok(Sent {
                id: Some(copy.id()),
            });
        }
        let ready = smtp::ready(&self.account, mail)
            .await
            .map_err(SendError::NotSent)?;
        let pending = match traces.pending {
            Some(pending) => pending,
            None => self
                .noted(&mut session, mail)
                .await
                .map_err(SendError::NotSent)?,
        };
        match ready.hand_over().await {
            Handed::Accepted => {
                // The mail is out: what goes wrong with its copy from here on does not change it.
                let id = self
                    .in_time(accepted(&mut session, &pending, self.account.keeps))
                    .await;
                if id.is_ok() {
                    *kept = Some(session);
                }
                let id = match self.account.keeps {
                    Keeps::Client => Some(pending.id()),
                    Keeps::Server => None,
                };
                Ok(Sent { id })
            }
            Handed::Refused(error) => {
                // A note that stays makes a later look-up unsure, and no more than that.
                if self.in_time(removed(&mut session, &pending)).await.is_ok() {
                    *kept = Some(session);
                }
                Err(SendError::NotSent(error))
            }
            Handed::Unknown(error) => {
                *kept = Some(session);
                Err(SendError::Unknown(error))
            }
        }
    }

    pub(super) async fn looked_up(&self, mail: &Outgoing) -> Result<Lookup, MailError> {
        let begun = tokio::time::Instant::now();
        loop {
            let mut kept = self.kept.lock().await;
            let mut session = self.session(&mut kept).await?;
            let traces = self.traces(&mut session, mail).await?;
            let verdict = match (traces.copy, traces.pending) {
                (Some(copy), pending) => {
                    if let Some(pending) = pending {
                        let keeps = self.account.keeps;
                        self.in_time(accepted(&mut session, &pending, keeps))
                            .await?;
                    }
                    Some(Lookup::Sent(Sent {
                        id: Some(copy.id()),
                    }))
                }
                (None, None) => Some(Lookup::NotSent),
                (None, Some(_)) if begun.elapsed() >= self.account.settle => {
                    Some(Lookup::Unsure { why: self.doubt() })
                }
                (None, Some(_)) => None,
            };
            *kept = Some(session);
            drop(kept);
            if let Some(verdict) = verdict {
                return Ok(verdict);
            }
            tokio::time::sleep(AGAIN).await;
        }
    }

    fn doubt(&self) -> String {
        let host = &self.account.smtp.host;
        if self.account.copy_to_self {
            return format!(
                "the mail was about to be handed to {host}, and no copy of it has arrived since; \
                 ask a recipient, or look into the log of the server"
            );
        }
        format!(
            "the mail was about to be handed to {host}, and no copy was asked for that could tell"
        )
    }

    /// What is there of a mail.
    async fn traces(&self, kept: &mut LoggedIn, mail: &Outgoing) -> Result<Traces, MailError> {
        let id = quoted(&mail.message_id);
        let id = id.ok_or_else(|| self.refused("the id of the mail has control characters"))?;
        self.in_time(found(kept, &id, &mail.message_id)).await
    }

    /// Notes that a mail is about to be sent.
    async fn noted(&self, kept: &mut LoggedIn, mail: &Outgoing) -> Result<At, MailError> {
        let folder = kept.folders.pending.clone();
        let appended = kept
            .session
            .append(&folder, Some("(\\Draft \\Seen)"), None, &mail.bytes);
        self.in_time(appended).await?;
        let traces = self.traces(kept, mail).await?;
        traces
            .pending
            .ok_or_else(|| self.refused("it lost the copy it was given"))
    }
}

async fn found(kept: &mut LoggedIn, quoted: &str, id: &str) -> ImapResult<Traces> {
    let folders = kept.folders.clone();
    let mut places = folders.places();
    if !places.contains(&folders.pending.as_str()) {
        places.push(&folders.pending);
    }
    let mut traces = Traces::default();
    for place in places {
        let folder = kept.session.examine(place).await?;
        let question = format!("UNDELETED HEADER Message-ID {quoted}");
        let uids = kept.search(&question).await?;
        if uids.is_empty() {
            continue;
        }
        let set: Vec<String> = uids.iter().map(u32::to_string).collect();
        let parts = "(UID FLAGS BODY.PEEK[HEADER])";
        let mails = kept.session.uid_fetch(set.join(","), parts).await?;
        let mails: Vec<Fetch> = mails.try_collect().await?;
        for mail in mails {
            // Searches find pieces of words.
            let is_it =
                header::message_id(mail.header().unwrap_or_default()).as_deref() == Some(id);
            let (true, Some(uid)) = (is_it, mail.uid) else {
                continue;
            };
            let at = At {
                validity: folder.uid_validity.unwrap_or(0),
                uid,
                folder: place.to_owned(),
            };
            if !has(&mail, &Flag::Draft) {
                traces.copy.get_or_insert(at);
            } else if place == folders.pending {
                traces.pending.get_or_insert(at);
            }
        }
    }
    Ok(traces)
}

/// Turns the note into the copy of a mail that was sent, or takes it away.
async fn accepted(kept: &mut LoggedIn, pending: &At, keeps: Keeps) -> ImapResult<()> {
    match keeps {
        Keeps::Client => {
            kept.session.select(&pending.folder).await?;
            flagged(kept, pending, "-FLAGS.SILENT (\\Draft)").await
        }
        Keeps::Server => removed(kept, pending).await,
    }
}

async fn removed(kept: &mut LoggedIn, pending: &At) -> ImapResult<()> {
    kept.session.select(&pending.folder).await?;
    flagged(kept, pending, "+FLAGS.SILENT (\\Deleted)").await?;
    let capabilities = kept.session.capabilities().await?;
    if capabilities.has_str("UIDPLUS") {
        // Without it others would be removed as well: then the mark has to do.
        let gone = kept.session.uid_expunge(pending.uid.to_string()).await?;
        let _: Vec<u32> = gone.try_collect().await?;
    }
    Ok(())
}

async fn flagged(kept: &mut LoggedIn, at: &At, change: &str) -> ImapResult<()> {
    let stored = kept.session.uid_store(at.uid.to_string(), change).await?;
    let _: Vec<Fetch> = stored.try_collect().await?;
    Ok(())
}
