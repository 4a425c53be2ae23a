//! The requests that go to Google, to the letter.

use std::fmt::Write as _;

use superstep_loopback::Request;
use superstep_mail::{Address, Calendar, Mailbox, NewEvent, Outgoing, Query, Span};

use crate::{
    mails::{mail, outgoing},
    setup::{account, server},
};

fn written(seen: &[Request]) -> String {
    let mut text = String::new();
    for seen in seen {
        writeln!(text, "{} {}", seen.method, seen.path).unwrap();
        for name in ["authorization", "content-type", "accept-encoding"] {
            if let Some(value) = seen.header(name) {
                writeln!(text, "{name}: {value}").unwrap();
            }
        }
        if !seen.bytes.is_empty() {
            writeln!(text, "{}", String::from_utf8_lossy(&seen.bytes)).unwrap();
        }
        text.push('\n');
    }
    text
}

#[tokio::test]
async fn requests_are_as_they_were_written_down() {
    let server = server().await;
    server.deliver(
        &mail("b@b.example", "Lunch", "first@b.example"),
        1_700_000_000,
    );
    let account = account(&server);
    let mailbox = account.mailbox().await.unwrap();
    let query = Query {
        since: Some(1_600_000_000),
        from: vec!["b@b.example".into(), "c+d@c.example".into()],
        subject: vec!["Lunch & more".into(), "lunch".into()],
        ..Query::default()
    };
    let page = mailbox.list(&query, None).await.unwrap();
    let arrival = &page.arrivals[0];
    mailbox.fetch(&arrival.id).await.unwrap();
    mailbox.thread(&arrival.thread).await.unwrap();
    mailbox.mark_read(&arrival.id).await.unwrap();
    let answer = Outgoing {
        thread: Some(arrival.thread.clone()),
        ..outgoing("ada@example.org", "b@b.example")
    };
    mailbox.send(&answer).await.unwrap();
    mailbox.look_up(&answer).await.unwrap();
    let calendar = account.calendar("primary").await.unwrap();
    let span = Span {
        start: "2026-10-25T00:30:00Z".parse().unwrap(),
        end: "2026-10-25T01:30:00Z".parse().unwrap(),
    };
    calendar.events(span).await.unwrap();
    calendar.busy(span).await.unwrap();
    let event = NewEvent {
        key: "k0123456789".into(),
        title: "The hour that comes twice".into(),
        span,
        time_zone: "Europe/Berlin".into(),
        attendees: vec![Address {
            name: Some("Bob".into()),
            email: "b@b.example".into(),
        }],
        organizer: Address::new("ada@example.org"),
        location: None,
        note: None,
    };
    calendar.insert(&event).await.unwrap();
    calendar.insert(&event).await.unwrap();
    let golden = include_str!("golden/google.txt");
    let seen = written(&server.requests());
    assert_eq!(seen, golden, "what was asked:\n{seen}");
}
