//! The whole assistant on accounts over the network, with a model that follows a script.

use std::{path::Path, sync::Arc};

use serde_json::{Value as Json, json};
use superstep::{
    Backends, Outcome,
    model::script::{Script, Step, When},
    sqlite::Database,
};
use superstep_mail::{
    Answer, Calendar, FolderCalendar, IngestOptions, Ingested, MailAgent, Mailbox, Query, Settings,
    fake::{self, Fault},
    imap::ImapMailbox,
};

use crate::{
    proxy::{Mischief, Proxy},
    servers::Servers,
    setup::{calendar, gmail, mail, server},
};

/// An assistant that answers, with this call in its first turn, and keeps its threads in a folder.
fn assistant(
    folder: &Path,
    mailbox: impl Mailbox,
    calendar: impl Calendar,
    call: (&str, Json),
) -> MailAgent {
    let turn = || When {
        tool: Some("Done".into()),
        ..When::default()
    };
    let class = json!({"reasoning": "it is so", "classification": "respond"});
    let done = Step::default().and_call("Done", json!({"done": true}));
    let model = Script::new([
        Step::data(class).when(When::schema("triage")).always(),
        Step::default().and_call(call.0, call.1).when(turn()),
        done.when(turn()).always(),
    ]);
    let database = Database::open(folder.join("threads.db")).unwrap();
    let backends = Backends {
        saver: Some(Arc::new(database.saver())),
        store: Some(Arc::new(database.store())),
        ..Backends::default()
    };
    let settings = Settings {
        dry_run: false,
        ..Settings::default()
    };
    let (mailbox, calendar) = (Arc::new(mailbox), Arc::new(calendar));
    MailAgent::new(Arc::new(model), mailbox, calendar, settings, backends).unwrap()
}

fn reply(id: &str) -> (&'static str, Json) {
    reply_by("ada@example.org", id)
}

fn reply_by(owner: &str, id: &str) -> (&'static str, Json) {
    let args = json!({"email_id": id, "response_text": "Gladly.", "email_address": owner});
    ("send_email_tool", args)
}

fn meeting() -> (&'static str, Json) {
    let args = json!({
        "attendees": ["b@b.example"], "title": "Lunch", "start_time": "2026-12-07T12:00:00",
        "end_time": "2026-12-07T13:00:00", "organizer_email": "ada@example.org",
    });
    ("schedule_meeting_tool", args)
}

/// Takes the one mail in, and accepts the one question about it.
async fn accepted(agent: &MailAgent) -> Result<Outcome<superstep_mail::MailState>, String> {
    let taken = agent.ingest(&IngestOptions::default()).await.unwrap();
    assert_eq!(taken.len(), 1, "{taken:?}");
    assert_eq!(taken[0].result, Ingested::Waiting(1));
    let thread = taken[0].thread.clone();
    let items = agent.open(&thread).await.unwrap();
    let answers = [(items[0].ask, Answer::accept())];
    let outcome = agent.answer(&thread, answers).await;
    outcome.map_err(|error| error.to_string())
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
    let told = format!("{ask:?}");
    assert!(told.contains("cannot be reached"), "{told}");
    assert_eq!(server.events().len(), 0);
}

#[tokio::test]
async fn an_answer_goes_out_through_real_servers_once() {
    for mischief in [Mischief::None, Mischief::CutAnswer] {
        let Some(servers) = Servers::start().await else {
            return;
        };
        let text = String::from_utf8(mail("bob@test", "Lunch", "first@b.example")).unwrap();
        let text = text.replace("ada@example.org", "ada@test");
        servers.deliver(text.as_bytes(), 1_770_000_000, "m");
        let proxy = Proxy::start(servers.smtp, mischief).await;
        let mut account = servers.account();
        account.smtp.port = proxy.port;
        let mailbox = ImapMailbox::new(account).unwrap();
        let page = mailbox.list(&Query::default(), None).await.unwrap();
        let id = page.arrivals[0].id.0.clone();
        let folder = tempfile::tempdir().unwrap();
        let calendar = FolderCalendar::open(folder.path(), "Europe/Berlin").unwrap();
        let agent = assistant(folder.path(), mailbox, calendar, reply_by("ada@test", &id));
        let outcome = accepted(&agent).await;
        assert!(matches!(outcome, Ok(Outcome::Done(_))), "{mischief:?}");
        assert_eq!(servers.arrived().await, 1, "{mischief:?}");
        let again = agent.ingest(&IngestOptions::default()).await.unwrap();
        assert_eq!(again, [], "the copy of the answer is no mail to answer");
    }
}
