//! A mailbox and a calendar that refuse every call: for an agent without an account, or an account without a calendar.

use crate::{
    Address, Busy, Calendar, Event, EventChange, EventId, Later, Lookup, MailError, MailId,
    Mailbox, NewEvent, Outgoing, Page, PageToken, Query, RawMail, SendError, Sent, Span, ThreadKey,
};

/// A mailbox that holds no mail and sends none.
#[derive(Debug)]
pub struct NoMailbox {
    owner: Address,
    why: String,
}

impl NoMailbox {
    /// Refuses calls with this reason.
    pub fn new(why: &str) -> Self {
        Self {
            owner: Address::new("nobody@localhost"),
            why: why.to_owned(),
        }
    }

    fn refused<'a, T: 'a>(&'a self) -> Later<'a, Result<T, MailError>> {
        Box::pin(async { Err(self.refusal()) })
    }

    fn refusal(&self) -> MailError {
        MailError::Refused {
            place: "no mailbox".into(),
            why: self.why.clone(),
        }
    }
}

impl Mailbox for NoMailbox {
    fn owner(&self) -> &Address {
        &self.owner
    }

    fn account(&self) -> Option<String> {
        None
    }

    fn place(&self) -> String {
        "no mailbox".into()
    }

    fn list<'a>(
        &'a self,
        _: &'a Query,
        _: Option<&'a PageToken>,
    ) -> Later<'a, Result<Page, MailError>> {
        self.refused()
    }

    fn fetch<'a>(&'a self, _: &'a MailId) -> Later<'a, Result<RawMail, MailError>> {
        self.refused()
    }

    fn thread<'a>(&'a self, _: &'a ThreadKey) -> Later<'a, Result<Vec<RawMail>, MailError>> {
        self.refused()
    }

    fn mark_read<'a>(&'a self, _: &'a MailId) -> Later<'a, Result<(), MailError>> {
        self.refused()
    }

    fn send<'a>(&'a self, _: &'a Outgoing) -> Later<'a, Result<Sent, SendError>> {
        Box::pin(async { Err(SendError::NotSent(self.refusal())) })
    }

    fn look_up<'a>(&'a self, _: &'a Outgoing) -> Later<'a, Result<Lookup, MailError>> {
        self.refused()
    }
}

/// A calendar that refuses every call: the assistant then proposes no times.
#[derive(Debug)]
pub struct NoCalendar {
    /// The zone of the owner.
    pub zone: String,
}

impl Default for NoCalendar {
    fn default() -> Self {
        let here = jiff::tz::TimeZone::system();
        let zone = here.iana_name().unwrap_or("UTC").to_owned();
        Self { zone }
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

    fn event<'a>(&'a self, _: &'a EventId) -> Later<'a, Result<Event, MailError>> {
        no_calendar()
    }

    fn change<'a>(&'a self, _: &'a EventChange) -> Later<'a, Result<(), MailError>> {
        no_calendar()
    }
}
