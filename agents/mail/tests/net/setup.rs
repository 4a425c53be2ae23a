//! Accounts at the fake Google.

use std::time::Duration;

use superstep_fake_google::{self as fake, Options};
use superstep_mail::{
    Address,
    google::{Gmail, Google, GoogleCalendar, GoogleSettings, Keys, Token},
};

pub(crate) async fn server() -> fake::Google {
    fake::Google::start(Options::default()).await.unwrap()
}

/// Settings that do not wait long.
pub(crate) fn settings(server: &fake::Google) -> GoogleSettings {
    let mut settings = GoogleSettings {
        limit: Duration::from_secs(2),
        settle: Duration::from_millis(50),
        ..GoogleSettings::at(&server.address())
    };
    settings.backoff.initial = Duration::from_millis(5);
    settings
}

pub(crate) fn account(server: &fake::Google) -> Google {
    let token = Token::read(&server.token().to_string()).unwrap();
    Google::new(Keys::new(token), settings(server)).unwrap()
}

pub(crate) fn gmail(server: &fake::Google) -> Gmail {
    account(server)
        .mailbox_of(Address::new("ada@example.org"))
        .unwrap()
}

pub(crate) async fn calendar(server: &fake::Google) -> GoogleCalendar {
    account(server).calendar("primary").await.unwrap()
}
