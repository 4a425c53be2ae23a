//! What the calls about one mail work with, and the record of what they did.

use std::sync::Arc;

use jiff::Timestamp;
use superstep::{
    Failure,
    store::StoreError,
    tools::{Reconciled, ToolError},
};

use crate::{
    Address, Event, MailError, Warning,
    danger::dangers,
    input::EmailInput,
    past_calls::{PastCall, PastCalls},
    services::Services,
    small::evidence::is_public,
};

/// What the calls about one mail work with.
pub(crate) struct CallContext {
    /// The thread that makes the calls.
    pub(crate) thread: String,
    pub(crate) services: Arc<Services>,
    pub(crate) input: EmailInput,
    /// When the call was decided on: a reply carries this date, whenever it is sent.
    pub(crate) at: Timestamp,
    /// What was done about the mail before.
    pub(crate) before: Vec<PastCall>,
    /// Where what is done is put on record.
    pub(crate) past_calls: PastCalls,
    /// Meetings of other calls that wait for an answer.
    pub(crate) proposed: Vec<Event>,
}

impl CallContext {
    /// What is to be known of the mail before anything is done about it: signs of fraud, and what was done before.
    pub(super) fn warnings(&self) -> Vec<Warning> {
        let zone = &self.services.zone;
        let past = self.before.iter();
        let past = past.map(|past| Warning::new(past.describe(zone)));
        self.dangers().into_iter().chain(past).collect()
    }

    /// The signs of fraud in the mail.
    pub(super) fn dangers(&self) -> Vec<Warning> {
        dangers(&self.input, None, &self.services)
    }

    /// What other threads did about the mail, as the warnings say it. An answer must be to a question that shows it.
    pub(super) fn remarks(&self) -> Vec<String> {
        let zone = &self.services.zone;
        let elsewhere = self.before.iter().filter(|past| past.thread != self.thread);
        elsewhere.map(|past| past.describe(zone)).collect()
    }

    /// Whether somebody needs no remark: they were in the thread before, or the first mail of the thread is theirs or
    /// names them, a colleague of the owner.
    pub(super) fn is_known(&self, one: &Address) -> bool {
        let (input, owner) = (&self.input, self.services.mailbox.owner());
        if input.participants.iter().any(|it| it.is_same(one)) {
            return true;
        }
        let mail = &input.mail;
        let is_first = mail.in_reply_to.is_empty()
            && mail.references.is_empty()
            && matches!(input.participants.as_slice(), [it] if Some(it) == mail.from.as_ref());
        let mut named = mail.to.iter().chain(&mail.cc);
        is_first && named.any(|it| it.is_same(one)) && is_colleague(one, owner)
    }

    /// Puts on record that a call happened, or that it may have.
    pub(super) async fn record(
        &self,
        call: &str,
        what: &str,
        is_certain: bool,
    ) -> Result<(), StoreError> {
        let past = PastCall {
            thread: self.thread.clone(),
            what: what.to_owned(),
            at: self.at,
            is_certain,
        };
        let place = self.services.mailbox.place();
        self.past_calls
            .record(&place, &self.input, call, &past)
            .await
    }

    /// Puts on record that a call may happen, before it is made. Gives whether an attempt before this one was on
    /// record.
    pub(super) async fn begin(&self, call: &str, what: &str) -> Result<bool, ToolError> {
        let place = self.services.mailbox.place();
        let begun = async {
            let is_known = self
                .past_calls
                .has(&place, &self.input, (&self.thread, call))
                .await?;
            self.record(call, what, false).await?;
            Ok(is_known)
        };
        begun
            .await
            .map_err(|error| ToolError::Stopped(unrecorded(error)))
    }

    /// Takes off the record what [`CallContext::begin`] put there, for a call that made nothing for certain. What is known
    /// of an attempt before it stays.
    pub(super) async fn not_made(&self, call: &str, is_known: bool) -> Result<(), ToolError> {
        if is_known {
            return Ok(());
        }
        let place = self.services.mailbox.place();
        let removed = self
            .past_calls
            .remove(&place, &self.input, (&self.thread, call))
            .await;
        removed.map_err(|error| ToolError::Stopped(unrecorded(error)))
    }

    /// The end of a call that made something. It is on record before the call has ended, or else nobody knows.
    pub(super) async fn made(&self, call: &str, what: String) -> Result<String, ToolError> {
        match self.record(call, &what, true).await {
            Ok(()) => Ok(what),
            Err(error) => Err(ToolError::Unknown(format!(
                "it was {what}, and that could not be recorded: {error}"
            ))),
        }
    }

    /// The end of a call of which nobody knows whether it made something.
    pub(super) async fn lost(&self, call: &str, what: &str, why: String) -> ToolError {
        match self.record(call, what, false).await {
            Ok(()) => ToolError::Unknown(why),
            Err(error) => ToolError::Unknown(format!("{why}; that could not be recorded: {error}")),
        }
    }

    /// What a look-up found, on record.
    pub(super) async fn looked(
        &self,
        call: &str,
        what: &str,
        found: Reconciled,
    ) -> Result<Reconciled, Failure> {
        let recorded = match &found {
            Reconciled::Happened(_) => self.record(call, what, true).await,
            Reconciled::Unsure(_) => self.record(call, what, false).await,
            Reconciled::NotHappened(_) => {
                let place = self.services.mailbox.place();
                self.past_calls
                    .remove(&place, &self.input, (&self.thread, call))
                    .await
            }
        };
        recorded.map(|()| found).map_err(unrecorded)
    }
}

/// Whether two addresses are of one organization.
fn is_colleague(one: &Address, owner: &Address) -> bool {
    let domain = |one: &Address| {
        let domain = one.email.rsplit_once('@').map(|(_, domain)| domain);
        domain.unwrap_or_default().to_ascii_lowercase()
    };
    let own = domain(owner);
    !own.is_empty() && domain(one) == own && !is_public(&own)
}

/// What is done could not be put on record.
fn unrecorded(error: StoreError) -> Failure {
    MailError::Unreachable {
        place: "the long-term store".into(),
        why: error.to_string(),
    }
    .failure()
}
