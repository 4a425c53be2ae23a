//! Mailbox and calendar of a read-only agent, and of an account without a calendar: every call is refused.

use superstep_mail::{
    Address, Busy, Calendar, Event, EventId, Later, Lookup, MailError, MailId, Mailbox, NewEvent,
    Outgoing, Page, PageToken, Query, RawMail, SendError, Sent, Span, ThreadKey,
};

/// Holds no mail, and sends none.
#[derive(Debug)]
pub(crate) struct NoMailbox(Address);

impl Default for NoMailbox {
    fn default() -> Self {
        Self(Address::new("nobody@localhost"))
    }
}

fn refused<'a, T: 'a>() -> Later<'a, Result<T, MailError>> {
    Box::pin(async { Err(no_mailbox()) })
}

fn no_mailbox() -> MailError {
    MailError::Refused {
        place: "no mailbox".into(),
        why: "the thread was opened read-only".into(),
    }
}

impl Mailbox for NoMailbox {
    fn owner(&self) -> &Address {
        &self.0
    }

    fn place(&self) -> String {
        "no mailbox".into()
    }

    fn list<'a>(
        &'a self,
        _: &'a Query,
        _: Option<&'a PageToken>,
    ) -> Later<'a, Result<Page, MailError>> {
        refused()
    }

    fn fetch<'a>(&'a self, _: &'a MailId) -> Later<'a, Result<RawMail, MailError>> {
        refused()
    }

    fn thread<'a>(&'a self, _: &'a ThreadKey) -> Later<'a, Result<Vec<RawMail>, MailError>> {
        refused()
    }

    fn mark_read<'a>(&'a self, _: &'a MailId) -> Later<'a, Result<(), MailError>> {
        refused()
    }

    fn send<'a>(&'a self, _: &'a Outgoing) -> Later<'a, Result<Sent, SendError>> {
        Box::pin(async { Err(SendError::NotSent(no_mailbox())) })
    }

    fn look_up<'a>(&'a self, _: &'a Outgoing) -> Later<'a, Result<Lookup, MailError>> {
        refused()
    }
}

/// A calendar that refuses every call: the assistant then proposes no times.
#[derive(Debug)]
pub(crate) struct NoCalendar {
    /// The zone of the owner.
    pub(crate) zone: String,
}

impl Default for NoCalendar {
    fn default() -> Self {
        Self { zone: "UTC".into() }
    }
}

fn no_calendar<'a, T: 'a>() -> Later<'a, Result<T, MailError>> {
    Box::pin(async {
        Err(MailError::Refused {
            place: "no calendar".into(),
            why: "there is none; set `calendar` in [agents.mail] or use --calendar".into(),
        })
    })
}

impl Calendar for NoCalendar {
    fn place(&self) -> String {
        "no calendar".into()
    }

    fn time_zone(&self) -> String {
        self.zone.clone()
    }

    fn events(&self, _: Span) -> Later<'_, Result<Vec<Event>, MailError>> {
        no_calendar()
    }

    fn busy(&self, _: Span) -> Later<'_, Result<Vec<Busy>, MailError>> {
        no_calendar()
    }

    fn insert<'a>(&'a self, _: &'a NewEvent) -> Later<'a, Result<EventId, MailError>> {
        no_calendar()
    }
}
