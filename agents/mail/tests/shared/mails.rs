//! The mails that tests of back ends deliver and send.

use superstep_mail::{Address, Outgoing};

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
