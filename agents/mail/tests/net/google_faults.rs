//! Gmail when something goes wrong: every fault has its meaning, and nothing is made up.

use std::time::Duration;

use superstep_fake_google::{self as fake, Fault};
use superstep_mail::{
    Address, Lookup, MailError, MailId, Mailbox, Query, SendError,
    google::{Google, GoogleSettings, Keys, Token},
};

use crate::{
    mails::{mail, outgoing},
    setup::{gmail, server, settings},
};

const SEND: &str = "/messages/send";

async fn listing(fault: Fault, times: usize) -> (Result<usize, MailError>, usize) {
    let server = server().await;
    server.deliver(&mail("b@b.example", "s", "1@b"), 1000);
    server.trap("/messages", fault, times);
    let mailbox = gmail(&server);
    let listed = mailbox.list(&Query::default(), None).await;
    let asked = server
        .requests()
        .iter()
        .filter(|seen| seen.path.contains("/messages"))
        .count();
    (listed.map(|page| page.arrivals.len()), asked)
}

#[tokio::test]
async fn a_fault_that_passes_is_tried_again() {
    for fault in [
        Fault::RateLimited,
        Fault::TooMany { retry_after: 0 },
        Fault::Internal,
        Fault::Cut,
        Fault::Silent,
    ] {
        let (listed, asked) = listing(fault, 1).await;
        assert_eq!((listed, asked), (Ok(1), 2), "{fault:?}");
    }
}

#[tokio::test]
async fn a_fault_that_stays_is_told_after_three_attempts() {
    for (fault, code) in [
        (Fault::RateLimited, "SS7002"),
        (Fault::TooMany { retry_after: 0 }, "SS7002"),
        (Fault::Internal, "SS7001"),
        (Fault::Cut, "SS7001"),
    ] {
        let (listed, asked) = listing(fault, 9).await;
        assert_eq!(listed.map_err(|error| error.code()), Err(code), "{fault:?}");
        assert_eq!(asked, 3, "{fault:?}");
    }
}

#[tokio::test]
async fn a_wait_that_is_too_long_is_left_to_the_caller() {
    let (listed, asked) = listing(Fault::TooMany { retry_after: 300 }, 1).await;
    let Err(MailError::Busy { retry_after, .. }) = listed else {
        panic!("{listed:?}");
    };
    assert_eq!((retry_after, asked), (Some(300), 1));
}

#[tokio::test]
async fn an_answer_that_is_none_is_an_error_and_no_empty_list() {
    let (listed, asked) = listing(Fault::Garbage, 1).await;
    assert_eq!(listed.map_err(|error| error.code()), Err("SS7005"));
    assert_eq!(asked, 1);
}

#[tokio::test]
async fn a_refused_token_is_renewed_once() {
    let (listed, _) = listing(Fault::Unauthorized, 1).await;
    assert_eq!(listed, Ok(1));
    let (listed, asked) = listing(Fault::Unauthorized, 9).await;
    assert_eq!(listed.map_err(|error| error.code()), Err("SS7003"));
    assert_eq!(asked, 2);
}

#[tokio::test]
async fn nobody_listening_is_told() {
    let address = server().await.address();
    let token = serde_json::json!({
        "token": "t", "client_id": "c", "client_secret": "s", "expiry": "2099-01-01T00:00:00Z",
    });
    let mut settings = GoogleSettings::at(&address);
    settings.backoff.initial = Duration::from_millis(1);
    let keys = Keys::new(Token::read(&token.to_string()).unwrap());
    let account = Google::new(keys, settings).unwrap();
    let mailbox = account.mailbox_of(Address::new("ada@example.org")).unwrap();
    let error = mailbox.fetch(&MailId("1".into())).await.unwrap_err();
    assert_eq!(error.code(), "SS7001");
    let mail = outgoing("ada@example.org", "b@b.example");
    let error = mailbox.send(&mail).await.unwrap_err();
    assert!(matches!(error, SendError::NotSent(_)), "{error}");
}

async fn sending(fault: Fault) -> (fake::Google, Result<(), SendError>) {
    let server = server().await;
    server.trap(SEND, fault, 1);
    let mailbox = gmail(&server);
    let sent = mailbox
        .send(&outgoing("ada@example.org", "b@b.example"))
        .await;
    let sent = sent.map(|_| ());
    let asked = server
        .requests()
        .iter()
        .filter(|seen| seen.path.contains(SEND))
        .count();
    let expected = if fault == Fault::Unauthorized { 2 } else { 1 };
    assert_eq!(asked, expected, "{fault:?}: a send is made once");
    (server, sent)
}

#[tokio::test]
async fn a_send_that_was_refused_was_not_sent() {
    for fault in [Fault::RateLimited, Fault::TooMany { retry_after: 0 }] {
        let (server, sent) = sending(fault).await;
        assert!(
            matches!(sent, Err(SendError::NotSent(MailError::Busy { .. }))),
            "{sent:?}"
        );
        assert_eq!(server.sent().len(), 0);
    }
}

#[tokio::test]
async fn a_send_with_an_old_token_goes_out_with_a_new_one() {
    let (server, sent) = sending(Fault::Unauthorized).await;
    assert_eq!((sent, server.sent().len()), (Ok(()), 1));
}

#[tokio::test]
async fn a_send_without_an_answer_is_unknown_and_the_mail_is_found() {
    for fault in [
        Fault::SilentAfter,
        Fault::CutAfter,
        Fault::InternalAfter,
        Fault::Garbage,
    ] {
        let (server, sent) = sending(fault).await;
        assert!(
            matches!(sent, Err(SendError::Unknown(_))),
            "{fault:?}: {sent:?}"
        );
        let mail = outgoing("ada@example.org", "b@b.example");
        let found = gmail(&server).look_up(&mail).await.unwrap();
        assert!(matches!(found, Lookup::Sent(_)), "{fault:?}: {found:?}");
        assert_eq!(server.sent().len(), 1, "{fault:?}");
    }
}

#[tokio::test]
async fn a_send_that_broke_off_before_it_took_effect_is_not_found_and_nobody_can_tell() {
    for fault in [Fault::Silent, Fault::Cut, Fault::Internal] {
        let (server, sent) = sending(fault).await;
        assert!(
            matches!(sent, Err(SendError::Unknown(_))),
            "{fault:?}: {sent:?}"
        );
        let mail = outgoing("ada@example.org", "b@b.example");
        let looked = gmail(&server).look_up(&mail).await.unwrap();
        assert!(
            matches!(looked, Lookup::Unsure { .. }),
            "{fault:?}: {looked:?}"
        );
        assert_eq!(server.sent().len(), 0, "{fault:?}");
    }
}

#[tokio::test]
async fn a_mail_that_the_index_does_not_show_yet_is_not_taken_for_unsent() {
    let (server, sent) = sending(Fault::CutAfter).await;
    assert!(matches!(sent, Err(SendError::Unknown(_))), "{sent:?}");
    server.lag(true);
    let mail = outgoing("ada@example.org", "b@b.example");
    let looked = gmail(&server).look_up(&mail).await.unwrap();
    assert!(matches!(looked, Lookup::Unsure { .. }), "{looked:?}");
    server.lag(false);
    let looked = gmail(&server).look_up(&mail).await.unwrap();
    assert!(matches!(looked, Lookup::Sent(_)), "{looked:?}");
}

#[tokio::test]
async fn a_look_that_fails_is_no_word_on_the_mail() {
    let server = server().await;
    server.trap("/messages", Fault::Internal, 99);
    let mail = outgoing("ada@example.org", "b@b.example");
    let looked = gmail(&server).look_up(&mail).await;
    assert_eq!(looked.unwrap_err().code(), "SS7001");
}

#[tokio::test]
async fn secrets_are_in_no_error_and_no_debug_text() {
    let server = server().await;
    server.revoke();
    let token = Token::read(&server.token().to_string());
    let file = serde_json::json!({
        "token": "access-token-0", "refresh_token": "refresh-token-0",
        "token_uri": format!("{}/token", server.address()),
        "client_id": "client-1.apps.example", "client_secret": "client-secret-1",
        "expiry": "2099-01-01T00:00:00Z",
    });
    let account = Google::new(
        Keys::new(Token::read(&file.to_string()).unwrap()),
        settings(&server),
    );
    let account = account.unwrap();
    let error = account.mailbox().await.unwrap_err();
    let shown = format!("{error} {error:?} {account:?} {token:?}");
    for secret in ["access-token", "refresh-token", "client-secret"] {
        assert!(!shown.contains(secret), "{shown}");
    }
}
