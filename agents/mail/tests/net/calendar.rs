//! Google Calendar as a calendar.

use jiff::{Timestamp, civil::date};
use serde_json::json;
use superstep_fake_google::Fault;
use superstep_mail::{
    Address, Calendar, Changed, EventChange, EventId, EventLookup, MailError, NewEvent, Span, When,
};

use crate::setup::{account, calendar, server};

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn span(start: &str, end: &str) -> Span {
    Span {
        start: at(start),
        end: at(end),
    }
}

fn lunch() -> NewEvent {
    NewEvent {
        key: "abc0123456789v".into(),
        title: "Lunch".into(),
        span: span("2026-03-30T10:00:00Z", "2026-03-30T11:00:00Z"),
        time_zone: "Europe/Berlin".into(),
        attendees: vec![Address::new("b@b.example")],
        organizer: Address::new("ada@example.org"),
        location: None,
        note: None,
    }
}

#[tokio::test]
async fn a_week_in_which_the_clocks_change_is_told_in_instants() {
    let server = server().await;
    server.add_event(json!({
        "id": "daily", "summary": "Stand-up", "recurrence": ["RRULE:FREQ=DAILY;COUNT=4"],
        "start": {"dateTime": "2026-03-27T09:00:00", "timeZone": "Europe/Berlin"},
        "end": {"dateTime": "2026-03-27T09:15:00", "timeZone": "Europe/Berlin"},
    }));
    let calendar = calendar(&server).await;
    assert_eq!(calendar.time_zone(), "Europe/Berlin");
    let week = span("2026-03-27T00:00:00Z", "2026-04-01T00:00:00Z");
    let starts: Vec<Timestamp> = calendar
        .events(week)
        .await
        .unwrap()
        .into_iter()
        .map(|event| match event.when {
            When::Times(span) => span.start,
            days @ When::Days { .. } => panic!("{days:?}"),
        })
        .collect();
    let expected = [
        "2026-03-27T08:00Z", "2026-03-28T08:00Z", "2026-03-29T07:00Z", "2026-03-30T07:00Z",
    ];
    assert_eq!(starts, expected.map(at));
    let busy = calendar.busy(week).await.unwrap();
    assert_eq!(
        busy[2].span,
        span("2026-03-29T07:00:00Z", "2026-03-29T07:15:00Z")
    );
}

#[tokio::test]
async fn whole_days_free_time_and_refused_invitations_are_told_apart() {
    let server = server().await;
    server.add_event(json!({
        "summary": "Holiday", "start": {"date": "2026-03-28"}, "end": {"date": "2026-03-30"},
    }));
    server.add_event(json!({
        "summary": "Reading", "transparency": "transparent",
        "start": {"dateTime": "2026-03-30T10:00:00+02:00"}, "end": {"dateTime": "2026-03-30T11:00:00+02:00"},
    }));
    server.add_event(json!({
        "summary": "Party", "attendees": [
            {"email": "ada@example.org", "self": true, "responseStatus": "declined"},
            {"email": "b@b.example", "displayName": "Bob"},
        ],
        "start": {"dateTime": "2026-03-30T12:00:00+02:00"}, "end": {"dateTime": "2026-03-30T13:00:00+02:00"},
    }));
    server.add_event(json!({
        "summary": "Gone", "status": "cancelled",
        "start": {"dateTime": "2026-03-30T14:00:00+02:00"}, "end": {"dateTime": "2026-03-30T15:00:00+02:00"},
    }));
    let calendar = calendar(&server).await;
    let week = span("2026-03-27T00:00:00Z", "2026-04-01T00:00:00Z");
    let events = calendar.events(week).await.unwrap();
    let message: Vec<(&str, bool)> = events
        .iter()
        .map(|it| (it.title.as_str(), it.is_free))
        .collect();
    assert_eq!(
        message,
        [("Holiday", false), ("Reading", true), ("Party", true)]
    );
    let (first, end) = (date(2026, 3, 28), date(2026, 3, 30));
    assert_eq!(events[0].when, When::Days { first, end });
    assert_eq!(events[2].attendees[1].name.as_deref(), Some("Bob"));
    // A holiday over the change of the clocks has an hour less.
    let busy = calendar
        .busy(span("2026-03-28T00:00:00Z", "2026-03-30T00:00:00Z"))
        .await
        .unwrap();
    assert_eq!(busy[0].span.end, at("2026-03-29T22:00:00Z"));
}

#[tokio::test]
async fn all_pages_of_a_calendar_are_read() {
    let server = server().await;
    for n in 0..520 {
        let start = at("2026-05-01T00:00:00Z") + jiff::Span::new().minutes(n);
        server.add_event(json!({
            "summary": format!("e{n}"), "start": {"dateTime": start.to_string()},
            "end": {"dateTime": (start + jiff::Span::new().minutes(1)).to_string()},
        }));
    }
    let month = span("2026-05-01T00:00:00Z", "2026-06-01T00:00:00Z");
    let events = calendar(&server).await.events(month).await.unwrap();
    assert_eq!(events.len(), 520);
    assert_eq!(events[519].title, "e519");
}

#[tokio::test]
async fn an_event_made_twice_is_there_once_and_invites_once() {
    let server = server().await;
    let calendar = calendar(&server).await;
    let first = calendar.insert(&lunch()).await.unwrap();
    let second = calendar.insert(&lunch()).await.unwrap();
    assert_eq!(first, second);
    assert_eq!(server.events().len(), 1);
    assert_eq!(server.invited().len(), 1);
    let made = &server.events()[0];
    assert_eq!(made["start"]["dateTime"], "2026-03-30T12:00:00+02:00");
    assert_eq!(made["start"]["timeZone"], "Europe/Berlin");
    assert!(made.get("sendUpdates").is_none());
}

#[tokio::test]
async fn an_event_whose_answer_did_not_come_is_made_once() {
    for fault in [Fault::CutAfter, Fault::SilentAfter, Fault::InternalAfter] {
        let server = server().await;
        let calendar = calendar(&server).await;
        server.trap("sendUpdates", fault, 1);
        let made = calendar.insert(&lunch()).await.unwrap();
        assert_eq!(made.0, lunch().key, "{fault:?}");
        assert_eq!(
            (server.events().len(), server.invited().len()),
            (1, 1),
            "{fault:?}"
        );
    }
}

#[tokio::test]
async fn an_event_that_was_deleted_since_is_not_told_as_made() {
    let server = server().await;
    let mut event = json!({
        "id": lunch().key, "status": "cancelled",
        "start": {"dateTime": "2026-03-30T12:00:00+02:00"}, "end": {"dateTime": "2026-03-30T13:00:00+02:00"},
    });
    event["summary"] = "Lunch".into();
    server.add_event(event);
    let refused = calendar(&server).await.insert(&lunch()).await.unwrap_err();
    assert_eq!(refused.code(), "SS7005");
}

#[tokio::test]
async fn a_calendar_that_is_down_is_an_error_and_no_free_time() {
    let server = server().await;
    let calendar = calendar(&server).await;
    let week = span("2026-03-27T00:00:00Z", "2026-04-01T00:00:00Z");
    server.trap("/calendar/", Fault::Internal, 99);
    assert_eq!(calendar.busy(week).await.unwrap_err().code(), "SS7001");
    assert_eq!(calendar.events(week).await.unwrap_err().code(), "SS7001");
    assert_eq!(
        calendar.insert(&lunch()).await.unwrap_err().code(),
        "SS7001"
    );
    assert_eq!(server.events().len(), 0);
}

#[tokio::test]
async fn a_calendar_that_is_not_there_is_missing() {
    let server = server().await;
    let missing = account(&server)
        .calendar("nobody@example.org")
        .await
        .unwrap_err();
    assert!(matches!(missing, MailError::Missing { .. }), "{missing}");
}

#[tokio::test]
async fn a_zone_that_is_not_known_is_refused_before_anything_is_made() {
    let server = server().await;
    let event = NewEvent {
        time_zone: "Mars/Olympus".into(),
        ..lunch()
    };
    let refused = calendar(&server).await.insert(&event).await.unwrap_err();
    assert_eq!(refused.code(), "SS7005");
    assert_eq!(server.events().len(), 0);
}

#[tokio::test]
async fn a_meeting_is_moved_and_cancelled_by_one_call_whatever_becomes_of_its_answer() {
    let server = server().await;
    let calendar = calendar(&server).await;
    let id = calendar.insert(&lunch()).await.unwrap();
    let later = span("2026-03-31T10:00:00Z", "2026-03-31T11:00:00Z");
    let moved = EventChange {
        id: id.clone(),
        to: Changed::Moved {
            span: later,
            time_zone: "Europe/Berlin".into(),
        },
    };
    server.trap("/events/", Fault::SilentAfter, 1);
    calendar.change(&moved).await.unwrap();
    assert_eq!(calendar.event(&id).await.unwrap().when, When::Times(later));
    let found = calendar.look_up_change(&moved).await.unwrap();
    assert_eq!(found, EventLookup::Made(id.clone()));
    let cancelled = EventChange {
        id: id.clone(),
        to: Changed::Cancelled,
    };
    let found = calendar.look_up_change(&cancelled).await.unwrap();
    assert!(matches!(found, EventLookup::Unsure { .. }), "{found:?}");
    calendar.change(&cancelled).await.unwrap();
    calendar.change(&cancelled).await.unwrap();
    let gone = calendar.event(&id).await.unwrap_err();
    assert!(matches!(gone, MailError::Missing { .. }), "{gone}");
    let unknown = EventId("nothing".into());
    assert_eq!(calendar.event(&unknown).await.unwrap_err().code(), "SS7004");
}
