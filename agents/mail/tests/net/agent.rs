//! The whole assistant on accounts over the network, with a model that follows a script.

use serde_json::{Value as Json, json};
use superstep::Outcome;
use superstep_fake_google::{self as fake, Fault};
use superstep_mail::{Answer, InboxItem, IngestOptions, Ingested, MailAgent, Mailbox};

use crate::{
    assistant::{accepted, assistant, reply_by},
    mails::mail,
    setup::{calendar, gmail, server},
};

fn reply(id: &str) -> (&'static str, Json) {
    reply_by("ada@example.org", id)
}

fn meeting() -> (&'static str, Json) {
    let args = json!({
        "attendees": ["b@b.example"], "title": "Lunch", "start_time": "2026-12-07T12:00:00",
        "end_time": "2026-12-07T13:00:00", "organizer_email": "ada@example.org",
    });
    ("schedule_meeting_tool", args)
}

async fn with_mail() -> (fake::Google, String) {
    let server = server().await;
    let id = server.deliver(
        &mail("b@b.example", "Lunch", "first@b.example"),
        1_770_000_000,
    );
    (server, id)
}

#[tokio::test]
async fn an_answer_goes_out_through_gmail_into_its_thread() {
    let (server, id) = with_mail().await;
    let folder = tempfile::tempdir().unwrap();
    let agent = assistant(
        folder.path(),
        gmail(&server),
        calendar(&server).await,
        reply(&id),
    );
    assert!(matches!(accepted(&agent).await, Ok(Outcome::Done(_))));
    assert_eq!(server.sent().len(), 1);
    let thread = gmail(&server)
        .thread(&superstep_mail::ThreadKey(id.clone()))
        .await
        .unwrap();
    assert_eq!(thread.len(), 2, "it joins the thread that it answers");
    assert!(!server.labels(&id).contains(&"UNREAD".to_owned()));
    let again = agent.ingest(&IngestOptions::default()).await.unwrap();
    assert_eq!(again, [], "nothing is left to look at");
}

#[tokio::test]
async fn a_send_that_took_effect_without_an_answer_is_not_repeated() {
    for fault in [Fault::SilentAfter, Fault::CutAfter, Fault::InternalAfter] {
        let (server, id) = with_mail().await;
        let folder = tempfile::tempdir().unwrap();
        server.trap("/messages/send", fault, 1);
        let agent = assistant(
            folder.path(),
            gmail(&server),
            calendar(&server).await,
            reply(&id),
        );
        assert!(
            matches!(accepted(&agent).await, Ok(Outcome::Done(_))),
            "{fault:?}"
        );
        assert_eq!(server.sent().len(), 1, "{fault:?}");
    }
}

#[tokio::test]
async fn a_permission_that_was_taken_back_stops_the_thread_until_a_login() {
    let (server, id) = with_mail().await;
    let folder = tempfile::tempdir().unwrap();
    let agent = assistant(
        folder.path(),
        gmail(&server),
        calendar(&server).await,
        reply(&id),
    );
    let taken = agent.ingest(&IngestOptions::default()).await.unwrap();
    server.revoke();
    let thread = taken[0].thread.clone();
    let items = agent.open(&thread).await.unwrap();
    let answers = [(items[0].ask, Answer::accept())];
    let error = agent
        .answer(&thread, answers)
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("log in again"), "{error}");
    assert_eq!(server.sent().len(), 0);
    drop(agent);

    // A person logs in, the program starts again, and what was approved is done.
    server.permit();
    let agent = assistant(
        folder.path(),
        gmail(&server),
        calendar(&server).await,
        reply(&id),
    );
    let taken = agent.catch_up().await.unwrap();
    assert_eq!(taken.len(), 1);
    assert_eq!(
        (&taken[0].thread, &taken[0].result),
        (&thread, &Ingested::Done)
    );
    assert_eq!(server.sent().len(), 1);
}

#[tokio::test]
async fn a_meeting_is_made_once_whatever_becomes_of_the_answer() {
    for fault in [Fault::CutAfter, Fault::SilentAfter] {
        let (server, _) = with_mail().await;
        let folder = tempfile::tempdir().unwrap();
        let calendar = calendar(&server).await;
        server.trap("sendUpdates", fault, 1);
        let agent = assistant(folder.path(), gmail(&server), calendar, meeting());
        assert!(
            matches!(accepted(&agent).await, Ok(Outcome::Done(_))),
            "{fault:?}"
        );
        assert_eq!(
            (server.events().len(), server.invited().len()),
            (1, 1),
            "{fault:?}"
        );
    }
}

#[tokio::test]
async fn a_calendar_that_is_down_is_told_and_nothing_is_made() {
    let (server, _) = with_mail().await;
    let folder = tempfile::tempdir().unwrap();
    let calendar = calendar(&server).await;
    let agent = assistant(folder.path(), gmail(&server), calendar, meeting());
    server.trap("/calendar/", Fault::Internal, usize::MAX);
    let outcome = accepted(&agent).await.unwrap();
    let [ask] = outcome.asks() else {
        panic!("{outcome:?}");
    };
    let message = format!("{ask:?}");
    assert!(message.contains("cannot be reached"), "{message}");
    assert_eq!(server.events().len(), 0);
}

/// The one open question, which must be whether something happened.
async fn doubt(agent: &MailAgent) -> InboxItem {
    let mut items = agent.inbox().await.unwrap().items;
    assert_eq!(items.len(), 1, "{items:?}");
    let item = items.remove(0);
    let action = &item.item.action_request.action;
    assert!(action.ends_with("outcome unknown"), "{action}");
    item
}

#[tokio::test]
async fn a_send_without_an_answer_that_is_not_found_is_asked_about() {
    // It took effect and the index lags, or it did not: from here they look alike.
    for (fault, count) in [(Fault::CutAfter, 1), (Fault::Cut, 0), (Fault::Silent, 0)] {
        let (server, id) = with_mail().await;
        let folder = tempfile::tempdir().unwrap();
        server.trap("/messages/send", fault, 1);
        server.lag(true);
        let calendar = calendar(&server).await;
        let agent = assistant(folder.path(), gmail(&server), calendar, reply(&id));
        let outcome = accepted(&agent).await.unwrap();
        assert!(matches!(outcome, Outcome::Waiting { .. }), "{fault:?}");
        let item = doubt(&agent).await;
        let message = &item.item.description;
        assert!(message.contains("may show late"), "{message}");
        // Looking at the mail again and again sends nothing.
        agent.ingest(&IngestOptions::default()).await.unwrap();
        assert_eq!(server.sent().len(), count, "{fault:?}");

        // The person says that it was not sent; the index has caught up and knows better.
        server.lag(false);
        let answers = [(item.ask, Answer::accept())];
        let outcome = agent.answer(&item.thread, answers).await.unwrap();
        assert!(matches!(outcome, Outcome::Done(_)), "{fault:?}");
        assert_eq!(server.sent().len(), 1, "{fault:?}");
    }
}

#[tokio::test]
async fn a_send_that_a_person_leaves_is_never_made_again() {
    let (server, id) = with_mail().await;
    let folder = tempfile::tempdir().unwrap();
    server.trap("/messages/send", Fault::Cut, 1);
    let open = async || {
        let calendar = calendar(&server).await;
        assistant(folder.path(), gmail(&server), calendar, reply(&id))
    };
    let agent = open().await;
    accepted(&agent).await.unwrap();
    let item = doubt(&agent).await;
    drop(agent);
    // Another process has the same question, and sends nothing by itself.
    let agent = open().await;
    agent.catch_up().await.unwrap();
    assert_eq!(doubt(&agent).await.ask, item.ask);
    let answers = [(item.ask, Answer::ignore())];
    agent.answer(&item.thread, answers).await.unwrap();
    agent.ingest(&IngestOptions::default()).await.unwrap();
    assert_eq!(server.sent().len(), 0);
}

#[tokio::test]
async fn a_meeting_without_an_answer_that_is_not_found_is_asked_about() {
    for (fault, count) in [(Fault::CutAfter, 1), (Fault::Garbage, 1), (Fault::Cut, 0)] {
        let (server, _) = with_mail().await;
        let folder = tempfile::tempdir().unwrap();
        let calendar = calendar(&server).await;
        server.trap("sendUpdates", fault, 1);
        server.lag(true);
        let agent = assistant(folder.path(), gmail(&server), calendar, meeting());
        let outcome = accepted(&agent).await.unwrap();
        assert!(matches!(outcome, Outcome::Waiting { .. }), "{fault:?}");
        let item = doubt(&agent).await;
        assert_eq!(
            server.invited().len(),
            count,
            "{fault:?}: no second attempt"
        );
        server.lag(false);
        let answers = [(item.ask, Answer::accept())];
        agent.answer(&item.thread, answers).await.unwrap();
        assert_eq!(
            (server.events().len(), server.invited().len()),
            (1, 1),
            "{fault:?}"
        );
    }
}
