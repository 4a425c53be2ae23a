//! Gmail as a [`Mailbox`](crate::Mailbox) and Google Calendar as a [`Calendar`](crate::Calendar).
//!
//! [`Google`] is an account: an HTTP client, the [`Keys`] that open it, and [`GoogleSettings`]. From it
//! come a [`Gmail`] and a [`GoogleCalendar`]. [`Login`] is how a person permits it, once.
//!
//! What is safe to repeat is repeated a few times when the service is busy or out of reach;
//! sending a mail is not, ever. An error stays an error: nothing is made up in its place.
//!
//! `api` is a call, `http` what carries it, `fault` what a failure means, `token` what is kept, `oauth` the login.

mod api;
mod calendar;
mod fault;
mod gmail;
mod http;
mod oauth;
mod token;

use std::{sync::Arc, time::Duration};

use superstep::http::Client;

use crate::{Address, MailError};

use api::Api;
pub use calendar::GoogleCalendar;
pub use gmail::Gmail;
pub use oauth::{App, Login, SCOPES};
pub use superstep::http::{Backoff, Jitter, RetryAfter};
pub use token::{Keys, Token};

/// The longest wait that a service may ask for and get; a longer one is the caller's.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// What can be chosen about an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoogleSettings {
    /// Where Gmail is; only tests have another.
    pub gmail: String,
    /// Where the calendar is; only tests have another.
    pub calendar: String,
    /// How long one call may take, besides the time that a large mail needs on its way out.
    pub limit: Duration,
    /// How often a call is made that is safe to repeat, and the delays between attempts.
    pub backoff: Backoff,
    /// How long a mail whose answer did not come may take to show among the sent ones.
    pub settle: Duration,
}

impl Default for GoogleSettings {
    fn default() -> Self {
        Self {
            gmail: "https://gmail.googleapis.com".into(),
            calendar: "https://www.googleapis.com".into(),
            limit: Duration::from_secs(120),
            backoff: Backoff {
                attempts: 3,
                initial: Duration::from_millis(500),
                factor: 2,
                cap: LONGEST_WAIT,
                jitter: Jitter::None,
                retry_after: RetryAfter::GiveUpAbove(LONGEST_WAIT),
                seed: None,
            },
            settle: Duration::from_secs(10),
        }
    }
}

impl GoogleSettings {
    /// The settings for a Google that is at one address, such as the fake one.
    pub fn at(address: &str) -> Self {
        Self {
            gmail: address.to_owned(),
            calendar: address.to_owned(),
            ..Self::default()
        }
    }
}

/// An account.
#[derive(Clone, Debug)]
pub struct Google {
    client: Client,
    keys: Arc<Keys>,
    settings: GoogleSettings,
}

impl Google {
    /// An account that these keys open. Nothing is asked yet.
    pub fn new(keys: Keys, settings: GoogleSettings) -> Result<Self, MailError> {
        Ok(Self {
            client: http::client()?,
            keys: Arc::new(keys),
            settings,
        })
    }

    /// Its mailbox; asks whose it is.
    pub async fn mailbox(&self) -> Result<Gmail, MailError> {
        Gmail::open(self.api("Gmail", &self.settings.gmail)?).await
    }

    /// One of its calendars, such as `primary`; asks for its time zone.
    pub async fn calendar(&self, id: &str) -> Result<GoogleCalendar, MailError> {
        let api = self.api("Google Calendar", &self.settings.calendar)?;
        GoogleCalendar::open(api, id).await
    }

    /// A mailbox whose owner is known, without asking.
    pub fn mailbox_of(&self, owner: Address) -> Result<Gmail, MailError> {
        Ok(Gmail::new(self.api("Gmail", &self.settings.gmail)?, owner))
    }

    fn api(&self, place: &'static str, base: &str) -> Result<Api, MailError> {
        let base = http::base(place, base)?;
        Ok(Api {
            place,
            base,
            client: self.client.clone(),
            keys: Arc::clone(&self.keys),
            settings: self.settings.clone(),
        })
    }
}
