//! Folders of mail and meetings: what is there, what is read, what belongs together.

use std::{fs, os::unix::fs::symlink, path::Path};

use jiff::Timestamp;
use superstep_mail::{
    Address, Calendar, EventLookup, Lookup, MailId, Mailbox, NewEvent, Outgoing, PageToken, Query,
    Span, ThreadKey, When,
};

use crate::fixture::{Fixture, mail};

fn named(name: &str, subject: &str, headers: &str) -> (String, String) {
    let text = format!(
        "From: ann@example.org\r\nSubject: {subject}\r\nMessage-ID: <{name}@x>\r\n{headers}\r\ntext\r\n"
    );
    (format!("{name}.eml"), text)
}

#[tokio::test]
async fn mails_that_refer_to_each_other_are_one_thread() {
    let fixture = Fixture::new();
    for (file, text) in [
        named("1", "a", ""),
        named("2", "Re: a", "In-Reply-To: <1@x>\r\n"),
        named("3", "Re: a", "In-Reply-To: <2@x>\r\n"),
        named(
            "4",
            "Re: a",
            "References: <1@x> <3@x>\r\nIn-Reply-To: <3@x>\r\n",
        ),
        named("5", "b", ""),
        named("6", "circle", "In-Reply-To: <7@x>\r\n"),
        named("7", "circle", "In-Reply-To: <6@x>\r\n"),
    ] {
        fixture.put(&file, text);
    }
    let mailbox = fixture.mailbox();
    let thread = mailbox.thread(&ThreadKey("1@x".into())).await.unwrap();
    let mut ids: Vec<String> = thread.into_iter().map(|mail| mail.id.0).collect();
    ids.sort();
    assert_eq!(ids, ["1.eml", "2.eml", "3.eml", "4.eml"]);
    assert_eq!(
        mailbox
            .thread(&ThreadKey("5@x".into()))
            .await
            .unwrap()
            .len(),
        1
    );
    assert!(mailbox.thread(&ThreadKey("none".into())).await.is_err());
}

#[tokio::test]
async fn pages_give_every_mail_once() {
    let fixture = Fixture::new();
    for n in 0..7 {
        fixture.put(&format!("{n}.eml"), mail(&format!("s{n}"), "x"));
    }
    let mailbox = fixture.mailbox();
    let query = Query {
        page_size: Some(3),
        ..Query::default()
    };
    let (mut found, mut page): (Vec<String>, Option<PageToken>) = (Vec::new(), None);
    loop {
        let next = mailbox.list(&query, page.as_ref()).await.unwrap();
        assert!(next.arrivals.len() <= 3);
        found.extend(next.arrivals.into_iter().map(|it| it.id.0));
        page = next.next;
        if page.is_none() {
            break;
        }
    }
    found.sort();
    let expected: Vec<String> = (0..7).map(|n| format!("{n}.eml")).collect();
    assert_eq!(found, expected);
}

#[tokio::test]
async fn filters_and_read_marks_decide_what_is_listed() {
    let fixture = Fixture::new();
    fixture.put("a.eml", mail("invoice", "x"));
    fixture.put("b.eml", "From: bob@other.example\r\nSubject: hi\r\n\r\nx");
    let mailbox = fixture.mailbox();
    let list = async |query: Query| -> Vec<String> {
        let page = mailbox.list(&query, None).await.unwrap();
        page.arrivals.into_iter().map(|it| it.id.0).collect()
    };
    let from = Query {
        from: vec!["OTHER".into()],
        ..Query::default()
    };
    assert_eq!(list(from).await, ["b.eml"]);
    let subject = Query {
        subject: vec!["nothing".into(), "Invoice".into()],
        ..Query::default()
    };
    assert_eq!(list(subject).await, ["a.eml"]);
    mailbox.mark_read(&MailId("a.eml".into())).await.unwrap();
    mailbox.mark_read(&MailId("a.eml".into())).await.unwrap();
    assert_eq!(list(Query::default()).await, ["b.eml"]);
    let all = Query {
        include_read: true,
        ..Query::default()
    };
    assert_eq!(list(all).await.len(), 2);
    let said = |words: &[&str]| Query {
        include_read: true,
        words: words.iter().map(|word| (*word).to_owned()).collect(),
        ..Query::default()
    };
    assert_eq!(list(said(&["INVOICE", "ann@example"])).await, ["a.eml"]);
    assert!(list(said(&["invoice", "no such word"])).await.is_empty());
    let later = Query {
        since: Some(Timestamp::now().as_second() + 3_600),
        ..Query::default()
    };
    assert!(list(later).await.is_empty());
    assert!(
        mailbox
            .fetch(&MailId("a.eml".into()))
            .await
            .unwrap()
            .is_read
    );
}

#[tokio::test]
async fn a_maildir_keeps_its_flags() {
    let fixture = Fixture::new();
    let root = fixture.path.join("mail");
    for folder in ["new", "cur", "tmp"] {
        fs::create_dir(root.join(folder)).unwrap();
    }
    fs::write(root.join("new/1700000000.1.host"), mail("new", "x")).unwrap();
    fs::write(root.join("cur/1700000001.2.host:2,F"), mail("flagged", "x")).unwrap();
    fs::write(root.join("cur/1700000002.3.host:2,RS"), mail("seen", "x")).unwrap();
    fs::write(root.join("tmp/1700000003.4.host"), mail("half", "x")).unwrap();
    let mailbox = fixture.mailbox();
    let unread = mailbox
        .list(&Query::default(), None)
        .await
        .unwrap()
        .arrivals;
    assert_eq!(unread.len(), 2, "{unread:?}");
    for arrival in &unread {
        mailbox.mark_read(&arrival.id).await.unwrap();
        assert!(
            mailbox.fetch(&arrival.id).await.unwrap().is_read,
            "its name stays"
        );
    }
    assert!(root.join("cur/1700000000.1.host:2,S").is_file());
    assert!(root.join("cur/1700000001.2.host:2,FS").is_file());
    assert!(
        mailbox
            .list(&Query::default(), None)
            .await
            .unwrap()
            .arrivals
            .is_empty()
    );
    assert_eq!(
        mailbox.fetch(&unread[0].id).await.unwrap().arrived,
        1_700_000_000
    );
}

#[tokio::test]
async fn what_is_no_mail_is_listed_and_not_opened() {
    let fixture = Fixture::new();
    fixture.put("good.eml", mail("good", "x"));
    let root = fixture.path.join("mail");
    fs::create_dir(root.join("folder.eml")).unwrap();
    symlink("/etc/passwd", root.join("link.eml")).unwrap();
    let fifo = std::process::Command::new("mkfifo")
        .arg(root.join("pipe.eml"))
        .status();
    assert!(fifo.unwrap().success());
    let mailbox = fixture.mailbox();
    let listed = mailbox
        .list(&Query::default(), None)
        .await
        .unwrap()
        .arrivals;
    // What is not opened is listed, so that it is reported.
    assert_eq!(listed.len(), 4);
    let mut wrong: Vec<String> = mailbox
        .problems()
        .await
        .unwrap()
        .into_iter()
        .map(|it| it.0)
        .collect();
    wrong.sort();
    assert_eq!(wrong, ["folder.eml", "link.eml", "pipe.eml"]);
    for id in [
        "../threads.db", "/etc/passwd", "link.eml", "", "sent/../good.eml",
    ] {
        assert!(mailbox.fetch(&MailId(id.into())).await.is_err(), "{id}");
    }
}

fn outgoing(id: &str, text: &str) -> Outgoing {
    Outgoing {
        message_id: id.into(),
        from: Address::new("me@example.org"),
        recipients: vec![Address::new("ann@example.org")],
        thread: None,
        bytes: format!("Message-ID: <{id}>\r\n\r\n{text}").into_bytes(),
    }
}

#[tokio::test]
async fn a_mail_is_sent_once_under_its_message_id() {
    let fixture = Fixture::new();
    let mailbox = fixture.mailbox();
    let (one, other) = (outgoing("1@x", "first"), outgoing("../../2@x", "second"));
    assert!(matches!(
        mailbox.look_up(&one).await.unwrap(),
        Lookup::Unsure { .. }
    ));
    mailbox.send(&one).await.unwrap();
    mailbox.send(&one).await.unwrap();
    mailbox.send(&other).await.unwrap();
    assert!(matches!(
        mailbox.look_up(&one).await.unwrap(),
        Lookup::Sent(_)
    ));
    assert_eq!(fixture.sent_texts(), ["first", "second"]);
    let listed = Query {
        include_read: true,
        ..Query::default()
    };
    assert!(
        mailbox
            .list(&listed, None)
            .await
            .unwrap()
            .arrivals
            .is_empty(),
        "sent mail does not arrive"
    );
}

#[tokio::test]
async fn what_others_took_from_a_folder_is_not_taken_for_never_sent() {
    let fixture = Fixture::new();
    let (mailbox, calendar) = (fixture.mailbox(), fixture.calendar());
    let (mail, meeting) = (outgoing("1@x", "first"), event("abc123"));
    mailbox.send(&mail).await.unwrap();
    calendar.insert(&meeting).await.unwrap();
    for folder in ["mail/sent", "meetings"] {
        for file in fs::read_dir(fixture.path.join(folder)).unwrap() {
            let path = file.unwrap().path();
            if path.is_file() {
                fs::remove_file(path).unwrap();
            }
        }
    }
    let found = mailbox.look_up(&mail).await.unwrap();
    assert!(matches!(found, Lookup::Unsure { .. }), "{found:?}");
    let found = calendar.look_up(&meeting).await.unwrap();
    assert!(matches!(found, EventLookup::Unsure { .. }), "{found:?}");
}

#[tokio::test]
async fn what_a_killed_process_left_in_outgoing_proves_that_it_was_not_sent() {
    let fixture = Fixture::new();
    let (mailbox, calendar) = (fixture.mailbox(), fixture.calendar());
    let (mail, meeting) = (outgoing("1@x", "first"), event("abc123"));
    mailbox.send(&mail).await.unwrap();
    calendar.insert(&meeting).await.unwrap();
    // As if the process had ended before the move.
    for (folder, outgoing) in [
        ("mail/sent", "mail/.outgoing"),
        ("meetings", "meetings/.outgoing"),
    ] {
        assert_eq!(files(&fixture.path.join(outgoing)), [""; 0]);
        let name = files(&fixture.path.join(folder)).remove(0);
        let from = fixture.path.join(folder).join(&name);
        fs::rename(from, fixture.path.join(outgoing).join(&name)).unwrap();
    }
    assert_eq!(mailbox.look_up(&mail).await.unwrap(), Lookup::NotSent);
    let found = calendar.look_up(&meeting).await.unwrap();
    assert_eq!(found, EventLookup::NotMade);
    for folder in [
        "mail/sent", "mail/.outgoing", "meetings", "meetings/.outgoing",
    ] {
        assert_eq!(files(&fixture.path.join(folder)), [""; 0], "{folder}");
    }
}

/// The names of the files in a folder.
fn files(folder: &Path) -> Vec<String> {
    let there = fs::read_dir(folder).unwrap().map(Result::unwrap);
    let files = there.filter(|it| it.path().is_file());
    files
        .map(|it| it.file_name().to_string_lossy().into_owned())
        .collect()
}

fn event(key: &str) -> NewEvent {
    let at = |text: &str| text.parse::<Timestamp>().unwrap();
    NewEvent {
        key: key.into(),
        title: "Talk; about, \\ things".into(),
        span: Span {
            start: at("2026-11-16T09:00:00Z"),
            end: at("2026-11-16T09:30:00Z"),
        },
        time_zone: "Europe/Berlin".into(),
        attendees: vec![Address::new("ann@example.org")],
        organizer: Address::new("me@example.org"),
        location: None,
        note: None,
    }
}

#[tokio::test]
async fn a_meeting_is_made_once_by_its_key_and_read_back() {
    let fixture = Fixture::new();
    let calendar = fixture.calendar();
    let new = event("abc123");
    let id = calendar.insert(&new).await.unwrap();
    assert_eq!(calendar.insert(&new).await.unwrap(), id);
    assert!(calendar.insert(&event("../evil")).await.is_err());
    assert_eq!(fixture.meetings(), 1);
    let day = Span {
        start: "2026-11-16T00:00:00Z".parse().unwrap(),
        end: "2026-11-17T00:00:00Z".parse().unwrap(),
    };
    let events = calendar.events(day).await.unwrap();
    assert_eq!(events[0].title, new.title);
    assert_eq!(events[0].when, When::Times(new.span));
    assert_eq!(events[0].attendees, new.attendees);
}

#[tokio::test]
async fn files_of_meetings_that_make_no_sense_are_listed() {
    let fixture = Fixture::new();
    fixture.put_meeting("a.ics", "BEGIN:VEVENT\nDTSTART:20261116T100000Z\nSUMMARY:ok\nEND:VEVENT\nBEGIN:VEVENT\nDTSTART:nonsense\nEND:VEVENT\n");
    fixture.put_meeting(
        "b.ics",
        "BEGIN:VEVENT\nDTSTART;TZID=Moon/Base:20261116T100000\nEND:VEVENT\n",
    );
    fixture.put_meeting(
        "c.ics",
        "BEGIN:VEVENT\nDTSTART:20261116T100000Z\nRRULE:FREQ=MINUTELY\nEND:VEVENT\nBEGIN:VEVENT\n",
    );
    fs::write(fixture.path.join("meetings/d.ics"), [0xff, 0xfe, 0]).unwrap();
    let calendar = fixture.calendar();
    let day = Span {
        start: "2026-11-16T00:00:00Z".parse().unwrap(),
        end: "2026-11-17T00:00:00Z".parse().unwrap(),
    };
    assert_eq!(calendar.events(day).await.unwrap().len(), 1);
    assert_eq!(calendar.problems().await.unwrap().len(), 4);
}

/// What the model reads about a day of a calendar.
async fn told_about(fixture: &Fixture, day: &str) -> String {
    fixture.put("a.eml", crate::fixture::mail("lunch", "When are you free?"));
    let check =
        crate::fixture::turns(&[("check_calendar_tool", serde_json::json!({"dates": [day]}))]);
    let done = crate::fixture::turns(&[crate::fixture::done()]).always();
    let agent = fixture.agent(crate::fixture::responder([check, done], Vec::new()));
    let taken = crate::fixture::take_in(&agent).await;
    let found = agent.graph().state(taken[0].thread.as_str()).await.unwrap();
    let texts = found.state.messages.iter().map(|message| message.text());
    texts.collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn a_day_with_more_events_than_are_counted_is_an_error_and_no_free_day() {
    let fixture = Fixture::new();
    let event = |n: usize, transparent: &str| {
        format!(
            "BEGIN:VEVENT\nUID:{n}\nDTSTART:20261116T0{}0000Z\nDURATION:PT1M\n{transparent}END:VEVENT\n",
            n % 10
        )
    };
    let many: String = (0..5_000)
        .map(|n| event(n, "TRANSP:TRANSPARENT\n"))
        .collect();
    fixture.put_meeting("a.ics", &many);
    let day = Span {
        start: "2026-11-16T00:00:00Z".parse().unwrap(),
        end: "2026-11-17T00:00:00Z".parse().unwrap(),
    };
    let calendar = fixture.calendar();
    assert_eq!(calendar.events(day).await.unwrap().len(), 5_000);
    // The one that takes the time would be left out.
    fixture.put_meeting("b.ics", &event(9, ""));
    for found in [
        calendar.events(day).await.map(|_| ()),
        calendar.busy(day).await.map(|_| ()),
    ] {
        let error = found.unwrap_err();
        assert_eq!(error.code(), "SS7005");
        assert!(
            error.to_string().contains("more than 5000 events"),
            "{error}"
        );
    }
    let reported = told_about(&fixture, "16-11-2026").await;
    assert!(reported.contains("offer no times"), "{reported}");
    assert!(!reported.contains("free:"), "{reported}");
}

#[tokio::test]
async fn a_file_with_more_events_than_are_read_is_an_error() {
    let fixture = Fixture::new();
    let one = "BEGIN:VEVENT\nDTSTART:20261116T100000Z\nEND:VEVENT\n";
    fixture.put_meeting("a.ics", &one.repeat(100_001));
    let elsewhere = Span {
        start: "2030-01-01T00:00:00Z".parse().unwrap(),
        end: "2030-01-02T00:00:00Z".parse().unwrap(),
    };
    let calendar = fixture.calendar();
    let error = calendar.events(elsewhere).await.unwrap_err();
    assert_eq!(error.code(), "SS7006");
    assert!(error.to_string().contains("a.ics"), "{error}");
    assert_eq!(calendar.problems().await.unwrap().len(), 1);
}

#[tokio::test]
async fn the_model_reads_what_of_a_calendar_was_left_out() {
    let fixture = Fixture::new();
    fixture.put_meeting(
        "a.ics",
        "BEGIN:VEVENT\nDTSTART:20261116T100000Z\nSUMMARY:Talk\nEND:VEVENT\n\
         BEGIN:VEVENT\nDTSTART:nonsense\nSUMMARY:Dentist\nEND:VEVENT\n",
    );
    let output = told_about(&fixture, "16-11-2026").await;
    assert!(
        output.contains("Talk") && !output.contains("free:"),
        "{output}"
    );
    assert!(
        output.contains("Not all of the calendar could be read"),
        "{output}"
    );
    assert!(output.contains("event `Dentist`"), "{output}");
}
