//! What the tests have in common: mails, and accounts at the fake Google.

use std::time::Duration;

use superstep_mail::{
    Address, Outgoing,
    fake::{self, Options},
    google::{Gmail, Google, GoogleCalendar, Keys, Settings, Token},
};

/// A mail that arrives.
pub(crate) fn mail(from: &str, subject: &str, id: &str) -> Vec<u8> {
    format!(
        "From: {from}\r\nTo: ada@example.org\r\nSubject: {subject}\r\nMessage-ID: <{id}>\r\n\
         Date: Mon, 23 Mar 2026 09:00:00 +0100\r\n\r\nHello.\r\n"
    )
    .into_bytes()
}

/// The mail that goes out: it answers `first@b.example`.
pub(crate) fn outgoing(from: &str, to: &str) -> Outgoing {
    let bytes = format!(
        "From: {from}\r\nTo: {to}\r\nSubject: Re: Lunch\r\nMessage-ID: <out-1@superstep.example>\r\n\
         In-Reply-To: <first@b.example>\r\nReferences: <first@b.example>\r\n\
         Date: Mon, 23 Mar 2026 10:00:00 +0100\r\nMIME-Version: 1.0\r\n\
         Content-Type: text/plain; charset=utf-8\r\n\r\nYes, gladly.\r\n"
    );
    Outgoing {
        message_id: "out-1@superstep.example".into(),
        from: Address::new(from),
        recipients: vec![Address::new(to)],
        thread: None,
        bytes: bytes.into_bytes(),
    }
}

pub(crate) async fn server() -> fake::Google {
    fake::Google::start(Options::default()).await.unwrap()
}

/// Settings that do not wait long.
pub(crate) fn settings(server: &fake::Google) -> Settings {
    Settings {
        limit: Duration::from_secs(2),
        pause: Duration::from_millis(5),
        settle: Duration::from_millis(50),
        ..Settings::at(&server.address())
    }
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
