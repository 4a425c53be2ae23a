//! What the model can propose and look up: whom it reaches, what a person sees of it, and what is done.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use superstep::{
    Outcome,
    model::{
        Label,
        script::{Script, When},
    },
};
use superstep_agent::{Context, Desk as _, ForPrograms, InboxAnswer};
use superstep_mail::{
    Address, Answer, Calendar, Changed, EventChange, EventId, InboxItem, MailAgent, Span, Topic,
    attached_files,
};

use crate::fixture::{
    Fixture, OWNER, about, answer, asked, class, done, listed, mail, meeting, reply, responder,
    take_in, turns,
};

const FILE: &str = "Content-Type: text/csv; name=\"figures.csv\"\r\n\
    Content-Disposition: attachment; filename=\"figures.csv\"\r\nContent-Transfer-Encoding: base64\r\n\r\n\
    bW9udGg7c3VtCk9jdDs0Mgo=\r\n";

/// A mail to several people with a file.
fn with_file() -> String {
    format!(
        "From: Ann <ann@example.org>\r\nTo: Max <{OWNER}>, Bob <bob@example.net>\r\nCc: eve@example.net\r\n\
         Subject: Figures\r\nDate: Mon, 02 Nov 2026 10:00:00 +0100\r\nMessage-ID: <figures@example.org>\r\n\
         MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=\"b\"\r\n\r\n\
         --b\r\nContent-Type: text/plain\r\n\r\nHere they are.\r\n--b\r\n{FILE}--b--\r\n"
    )
}

fn fixture(mail: impl AsRef<[u8]>) -> Fixture {
    let fixture = Fixture::new();
    fixture.put("a.eml", mail);
    fixture
}

fn event(uid: &str, title: &str, lines: &str) -> String {
    format!(
        "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:{uid}\r\nSUMMARY:{title}\r\n{lines}\r\n\
         BEGIN:VALARM\r\nDURATION:PT5M\r\nEND:VALARM\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    )
}

const TEN: &str = "DTSTART;TZID=Europe/Berlin:20261116T100000\r\nDURATION:PT30M";

fn call(name: &'static str, args: Json) -> [(&'static str, Json); 1] {
    [(name, args)]
}

fn emails(all: &[Address]) -> Vec<&str> {
    all.iter().map(|it| it.email.as_str()).collect()
}

fn notes(item: &InboxItem) -> Vec<&str> {
    let view = item.item.view.as_ref().unwrap();
    view.warnings.iter().map(|it| it.text.as_str()).collect()
}

#[tokio::test]
async fn a_reply_goes_to_whom_the_question_shows_and_a_person_can_change_them_and_the_subject() {
    let fixture = fixture(with_file());
    let (name, mut args) = reply("a.eml", "Thanks.");
    args["drop"] = json!(["eve@example.net"]);
    let agent = fixture.agent(responder([turns(&[(name, args)])], Vec::new()));
    let (thread, items) = asked(&agent).await;
    let letter = items[0]
        .item
        .view
        .as_ref()
        .unwrap()
        .letter
        .as_ref()
        .unwrap();
    assert_eq!(
        (emails(&letter.to), emails(&letter.cc)),
        (vec!["ann@example.org"], vec!["bob@example.net"])
    );
    let mut args = items[0].item.action_request.args.clone();
    args.insert("to".into(), json!("sender"));
    args.insert(
        "subject".into(),
        json!("Your figures\r\nBcc: x@evil.example"),
    );
    let shown = agent
        .describe_edit(&thread, &items[0].item, &args)
        .await
        .unwrap();
    assert!(
        shown.contains("To: Ann <ann@example.org>\nSubject: Your figures Bcc: x@evil.example\n"),
        "{shown}"
    );
    answer(&agent, &items[0], Answer::edit(name, args)).await;
    let sent = &fixture.sent()[0];
    assert_eq!(
        (emails(&sent.to), emails(&sent.cc)),
        (vec!["ann@example.org"], vec![])
    );
    assert_eq!(sent.subject, "Your figures Bcc: x@evil.example");
}

#[tokio::test]
async fn a_forward_takes_the_mail_and_its_files_along_and_flags_who_is_new() {
    let fixture = fixture(with_file());
    let args = json!({"to": ["carl@example.com"], "text": "For you, Carl."});
    let agent = fixture.agent(responder([turns(&call("forward", args))], Vec::new()));
    let (_, items) = asked(&agent).await;
    assert_eq!(
        notes(&items[0]),
        ["Not in this thread so far: carl@example.com"]
    );
    assert!(
        items[0].item.description.contains("Attached: figures.csv"),
        "{}",
        items[0].item.description
    );
    assert!(fixture.sent().is_empty());
    let outcome = answer(&agent, &items[0], Answer::accept()).await;
    assert!(matches!(outcome, Outcome::Done(_)), "no further turn");
    let folder = fixture.path.join("mail/sent");
    let file = std::fs::read_dir(folder).unwrap().next().unwrap().unwrap();
    let files = attached_files(&std::fs::read(file.path()).unwrap()).unwrap();
    assert_eq!(files[0].bytes, b"month;sum\nOct;42\n");
    let sent = &fixture.sent()[0];
    assert_eq!(
        (sent.subject.as_str(), emails(&sent.to)),
        ("Fwd: Figures", vec!["carl@example.com"])
    );
    assert!(
        sent.text.starts_with("For you, Carl.") || sent.quoted.is_some(),
        "{}",
        sent.text
    );
    assert!(sent.in_reply_to.is_empty());
}

#[tokio::test]
async fn a_new_mail_goes_to_somebody_else_beside_the_reply_and_both_end_the_mail() {
    let fixture = fixture(mail("lunch", "Can Dora join?"));
    let args = json!({"to": ["Dora <dora@example.com>"], "subject": "Lunch?", "text": "Will you join us?"});
    let calls = [("new_mail", args), reply("a.eml", "I asked her.")];
    let script = Arc::new(responder([turns(&calls)], Vec::new()));
    let agent = fixture.agent(script.clone());
    let (thread, items) = asked(&agent).await;
    let answers = items.iter().map(|item| (item.ask, Answer::accept()));
    assert!(matches!(
        agent.answer(&thread, answers).await.unwrap(),
        Outcome::Done(_)
    ));
    assert_eq!(fixture.sent_texts(), ["I asked her.", "Will you join us?"]);
    let subjects: Vec<String> = fixture.sent().into_iter().map(|it| it.subject).collect();
    assert_eq!(subjects, ["Re: lunch", "Lunch?"]);
    assert_eq!(
        script.seen().len(),
        2,
        "one call to sort it, one to handle it"
    );
}

#[tokio::test]
async fn a_meeting_is_moved_or_cancelled_as_it_was_shown_and_no_other() {
    for (args, shown, file) in [
        (
            json!({"meeting": "m1", "start_time": "2026-11-17T09:00:00", "end_time": "2026-11-17T09:30:00"}),
            "New: Tuesday 17-11-2026 09:00 to 09:30",
            "DTSTART;TZID=Europe/Berlin:20261117T090000",
        ),
        (
            json!({"meeting": "m1"}),
            "Cancelled: Monday 16-11-2026 10:00 to 10:30",
            "STATUS:CANCELLED",
        ),
    ] {
        let name = if args["start_time"].is_null() {
            "cancel_meeting"
        } else {
            "move_meeting"
        };
        let fixture = fixture(mail("talk", "Not then, please."));
        fixture.put_meeting("a.ics", &event("m1", "Talk", TEN));
        fixture.put_meeting("b.ics", &event("m2", "Other", TEN));
        let calls = [(name, args), reply("a.eml", "Done.")];
        let agent = fixture.agent(responder([turns(&calls)], Vec::new()));
        let (thread, items) = asked(&agent).await;
        let item = about(&items, name);
        assert!(
            item.item.description.contains(shown),
            "{}",
            item.item.description
        );
        let answers = items.iter().map(|item| (item.ask, Answer::accept()));
        let outcome = agent.answer(&thread, answers).await.unwrap();
        assert!(matches!(outcome, Outcome::Done(_)), "{outcome:?}");
        let text = std::fs::read_to_string(fixture.path.join("meetings/a.ics")).unwrap();
        assert!(
            text.contains(file) && text.contains("BEGIN:VALARM\r\nDURATION:PT5M"),
            "{text}"
        );
        assert_eq!(text.matches("DTSTART").count(), 1, "{text}");
        let other = std::fs::read_to_string(fixture.path.join("meetings/b.ics")).unwrap();
        assert_eq!(other, event("m2", "Other", TEN));
    }
}

#[tokio::test]
async fn a_meeting_that_became_another_one_is_left_and_unknown_ones_and_series_are_refused() {
    let fixture = fixture(mail("talk", "Cancel it, please."));
    fixture.put_meeting("a.ics", &event("m1", "Talk", TEN));
    let series = format!("{TEN}\r\nRRULE:FREQ=DAILY;COUNT=3");
    fixture.put_meeting("b.ics", &event("s1", "Daily", &series));
    let steps = [
        turns(&[
            ("cancel_meeting", json!({"meeting": "s1_20261117T100000"})),
            ("cancel_meeting", json!({"meeting": "none"})),
        ]),
        turns(&call("cancel_meeting", json!({"meeting": "m1"}))),
        turns(&[done()]).always(),
    ];
    let agent = fixture.agent(responder(steps, Vec::new()));
    let (thread, items) = asked(&agent).await;
    fixture.put_meeting("a.ics", &event("m1", "Talk with Bob", TEN));
    answer(&agent, &items[0], Answer::accept()).await;
    let stuck = agent.open(&thread).await.unwrap();
    let outcome = answer(&agent, about(&stuck, "stuck"), Answer::ignore()).await;
    let results = crate::sending::results(&outcome);
    for why in [
        "is one of a series",
        "has no meeting `none`",
        "not what it was when this was approved",
    ] {
        assert!(results.contains(why), "{why}: {results}");
    }
    let text = std::fs::read_to_string(fixture.path.join("meetings/a.ics")).unwrap();
    assert!(!text.contains("CANCELLED"), "{text}");
    let span = Span {
        start: "2026-11-16T09:00:00Z".parse().unwrap(),
        end: "2026-11-16T09:30:00Z".parse().unwrap(),
    };
    let change = EventChange {
        id: EventId("m1".into()),
        to: Changed::Moved {
            span,
            time_zone: "Moon/Base".into(),
        },
    };
    assert_eq!(
        fixture.calendar().change(&change).await.unwrap_err().code(),
        "SS7005"
    );
    let none = superstep_mail::NoCalendar::default();
    let refused = none.change(&change).await.unwrap_err().to_string();
    assert!(refused.contains("no calendar"), "{refused}");
}

#[tokio::test]
async fn earlier_mail_is_found_and_files_are_read_as_data() {
    let fixture = fixture(with_file());
    fixture.put(
        "old.eml",
        mail("Contract 4711", "We agreed on 12 days.").replace("02 Nov", "01 Nov"),
    );
    let looks = [
        ("search_mail", json!({"words": ["4711", "agreed"]})),
        ("search_mail", json!({"words": ["nothing of the kind"]})),
        ("read_attachment", json!({"name": "figures.csv"})),
        ("read_attachment", json!({"name": "other.csv"})),
    ];
    let steps = [
        class("ignore").when(When {
            contains: Some("Subject: Contract".into()),
            ..When::schema("triage")
        }),
        class("respond"),
        turns(&looks),
        turns(&[done()]),
    ];
    let agent = fixture.agent(Script::new(steps));
    let taken = take_in(&agent).await;
    let thread = &taken.iter().find(|it| it.mail.0 == "a.eml").unwrap().thread;
    let state = agent.graph().state(thread.as_str()).await.unwrap().state;
    let results: Vec<_> = state
        .messages
        .iter()
        .filter(|it| it.label() == Label::Untrusted)
        .collect();
    let text: Vec<String> = results.iter().map(|it| it.text()).collect();
    let text = text.join("\n");
    for told in [
        "We agreed on 12 days.", "No other mail in the inbox", "│ month;sum\n│ Oct;42",
    ] {
        assert!(text.contains(told), "{told}: {text}");
    }
    let all: Vec<String> = state.messages.iter().map(|it| it.text()).collect();
    assert!(
        all.join("\n")
            .contains("there is no attachment `other.csv`; there are: figures.csv"),
        "{all:?}"
    );
}

#[tokio::test]
async fn the_day_is_shown_with_conflicts_and_what_waits_in_other_threads_counts() {
    let fixture = fixture(mail("talk", "Monday at ten?"));
    fixture.put("b.eml", mail("chat", "Monday at ten?"));
    fixture.put_meeting("a.ics", &event("m1", "Team standup", TEN));
    let calls = [meeting("2026-11-16T10:15:00", "2026-11-16T10:45:00")];
    let agent = fixture.agent(responder([turns(&calls), turns(&calls)], Vec::new()));
    let taken = take_in(&agent).await;
    let mut all = Vec::new();
    for taken in &taken {
        all.push(agent.open(&taken.thread).await.unwrap().remove(0));
    }
    assert_eq!(notes(&all[0]), ["Conflict: 10:00 to 10:30: Team standup"]);
    let day = all[0].item.view.as_ref().unwrap().day.clone().unwrap();
    assert!(
        day.contains("10:00 to 10:30: Team standup") && day.contains("free: 09:00 to 10:00"),
        "{day}"
    );
    assert!(
        all[0]
            .item
            .description
            .contains("│ - 10:00 to 10:30: Team standup")
    );
    // The one that was proposed first waits, under the same title and at the same time: a copy would, too.
    assert_eq!(notes(&all[1]).len(), 1);
}

#[tokio::test]
async fn a_day_of_which_not_all_could_be_read_is_not_called_free_and_the_person_is_warned() {
    for is_taken in [false, true] {
        let fixture = fixture(mail("talk", "Monday at ten?"));
        let unread = "BEGIN:VEVENT\nDTSTART:nonsense\nSUMMARY:Dentist\nEND:VEVENT\n";
        fixture.put_meeting("broken.ics", unread);
        if is_taken {
            fixture.put_meeting("a.ics", &event("m1", "Team standup", TEN));
        }
        let calls = [meeting("2026-11-16T14:00:00", "2026-11-16T15:00:00")];
        let agent = fixture.agent(responder([turns(&calls)], Vec::new()));
        let (_, items) = asked(&agent).await;
        let warning = &notes(&items[0])[0];
        assert!(
            warning.contains("Not all of the calendar could be read"),
            "{warning}"
        );
        assert!(warning.contains("event `Dentist`"), "{warning}");
        let shown = &items[0].item.description;
        assert!(shown.contains(&**warning), "{shown}");
        let day = items[0].item.view.as_ref().unwrap().day.clone().unwrap();
        for claim in ["free:", "nothing is in the calendar"] {
            assert!(!day.contains(claim) && !shown.contains(claim), "{shown}");
        }
        assert_eq!(day.contains("Team standup"), is_taken, "{day}");
    }
}

#[tokio::test]
async fn a_time_that_was_taken_since_the_question_is_asked_about_again() {
    for taken_by in ["calendar", "proposal"] {
        let fixture = fixture(mail("talk", "Monday at ten?"));
        let (name, mut other) = meeting("2026-11-16T10:00:00", "2026-11-16T11:00:00");
        other["title"] = json!("Another talk");
        let chat = When {
            tool: Some("Done".into()),
            contains: Some("Subject: chat".into()),
            ..When::default()
        };
        let steps = [
            turns(&[(name, other)]).when(chat),
            turns(&[meeting("2026-11-16T10:15:00", "2026-11-16T10:45:00")]),
            turns(&[done()]).always(),
        ];
        let agent = fixture.agent(responder(steps, Vec::new()));
        let (thread, items) = asked(&agent).await;
        assert!(notes(&items[0]).is_empty());
        let conflict = match taken_by {
            "calendar" => {
                fixture.put_meeting("b.ics", &event("m2", "Dentist", TEN));
                "Conflict: 10:00 to 10:30: Dentist"
            }
            _ => {
                fixture.put("b.eml", mail("chat", "Monday at ten?"));
                take_in(&agent).await;
                "Conflict: 10:00 to 11:00: Another talk (proposed; waits for the owner's answer)"
            }
        };
        let before = fixture.meetings();
        let outcome = answer(&agent, &items[0], Answer::accept()).await;
        assert!(matches!(outcome, Outcome::Waiting { .. }), "{taken_by}");
        assert_eq!(fixture.meetings(), before, "{taken_by}");
        let again = agent.open(&thread).await.unwrap();
        let again = about(&again, "schedule_meeting_tool: asked again");
        assert_eq!(notes(again)[0], conflict);
        let outcome = answer(&agent, again, Answer::accept()).await;
        assert!(matches!(outcome, Outcome::Done(_)), "{taken_by}");
        assert_eq!(fixture.meetings(), before + 1, "{taken_by}");
    }
}

/// How a mail is sorted, with everything that triage can say.
fn sorted(class: &str, more: Json) -> superstep::model::script::Step {
    let mut data = json!({"reasoning": "An outside domain poses as IT.", "classification": class,
        "suspicious": false, "security_notice": false, "urgency": "soon", "language": "English"});
    for (name, value) in more.as_object().unwrap() {
        data[name] = value.clone();
    }
    superstep::model::script::Step::data(data).when(When::schema("triage"))
}

async fn learnt(agent: &MailAgent) -> usize {
    agent.memory().versions(Topic::Triage).await.unwrap().len() - 1
}

#[tokio::test]
async fn a_fraud_is_shown_as_one_with_its_reason_and_is_never_answered_unasked_nor_learnt_from() {
    let text = mail("Password", "Confirm it.")
        .replace("Subject:", "Reply-To: it@evil.example\r\nSubject:");
    let fixture = fixture(text);
    let learning = fixture.learning().await;
    let first = sorted("respond", json!({"suspicious": true}));
    let script = Arc::new(Script::new([first].into_iter().chain(learning)));
    let agent = fixture.agent(script.clone());
    let (_, items) = asked(&agent).await;
    let view = items[0].item.view.as_ref().unwrap();
    assert!(view.warnings.iter().all(|it| it.is_danger));
    assert_eq!(
        notes(&items[0]),
        [
            "Danger: the assistant takes this mail for a fraud.",
            "Danger: Answers go to another domain than the sender's: it@evil.example",
        ]
    );
    assert!(
        items[0]
            .item
            .description
            .contains("Why it is shown: An outside domain poses as IT.")
    );
    let question = listed(&agent).await.remove(0);
    assert_eq!(question.warnings.len(), 2);
    answer(&agent, &items[0], Answer::ignore()).await;
    assert_eq!(learnt(&agent).await, 0);
    let triage = &script.seen()[0];
    let told = |label: Label| -> String {
        let messages = triage.messages.iter().filter(|it| it.label() == label);
        messages.map(|it| it.text()).collect()
    };
    assert!(told(Label::User).contains("signs of fraud that the program found: 1"));
    assert!(
        !told(Label::User).contains("evil"),
        "what a mail says is data"
    );
    assert!(told(Label::Untrusted).contains("Signs of fraud:\n- Answers go to another domain"));
}

#[tokio::test]
async fn a_notice_about_security_is_never_ignored_and_teaches_nothing() {
    let fixture = fixture(mail("New key", "A key with full access was made."));
    let learning = fixture.learning().await;
    let first = sorted(
        "ignore",
        json!({"security_notice": true, "urgency": "today"}),
    );
    let agent = fixture.agent(Script::new([first].into_iter().chain(learning)));
    let (_, items) = asked(&agent).await;
    assert_eq!(items[0].item.action_request.action, "notify");
    answer(&agent, &items[0], Answer::ignore()).await;
    assert_eq!(learnt(&agent).await, 0);
}

#[tokio::test]
async fn a_mail_that_was_read_is_marked_and_teaches_nothing() {
    for read in [Answer::read(), Answer::response("Mark as read")] {
        let fixture = fixture(mail("report", "All is well."));
        let learning = fixture.learning().await;
        let agent = fixture.agent(Script::new([class("notify")].into_iter().chain(learning)));
        let (_, items) = asked(&agent).await;
        assert_eq!(
            items[0].item.view.as_ref().unwrap().options,
            ["Mark as read"]
        );
        assert!(matches!(
            answer(&agent, &items[0], read).await,
            Outcome::Done(_)
        ));
        assert!(fixture.is_read("a.eml"));
        assert_eq!(learnt(&agent).await, 0);
    }
    let fixture = fixture(mail("lunch", "Lunch?"));
    let agent = fixture.agent(responder([turns(&[reply("a.eml", "Yes.")])], Vec::new()));
    let (thread, items) = asked(&agent).await;
    let refused = agent
        .answer(&thread, [(items[0].ask, Answer::read())])
        .await;
    assert_eq!(
        refused.map(|_| ()).unwrap_err().code(),
        "SS1015",
        "a proposal is not read"
    );
}

#[tokio::test]
async fn what_is_urgent_comes_first() {
    let fixture = Fixture::new();
    for (name, hour) in [("later", 8), ("today", 9), ("soon", 7)] {
        let text = mail(name, "x").replace("10:00:00", &format!("{hour:02}:00:00"));
        fixture.put(&format!("{name}.eml"), text);
    }
    let steps = ["later", "today", "soon"].map(|name| {
        let when = When {
            contains: Some(format!("Subject: {name}")),
            ..When::schema("triage")
        };
        sorted("notify", json!({"urgency": name})).when(when)
    });
    let agent = fixture.agent(Script::new(steps));
    take_in(&agent).await;
    let all = listed(&agent).await;
    let subjects: Vec<&str> = all.iter().map(|it| it.subject.as_str()).collect();
    assert_eq!(subjects, ["today", "soon", "later"]);
}

#[tokio::test]
async fn instructions_stand_outside_of_what_others_wrote() {
    let fixture = fixture(mail("lunch", "Lunch?"));
    let script = Arc::new(responder([turns(&[done()])], Vec::new()));
    let agent = fixture.agent(script.clone());
    take_in(&agent).await;
    for request in script.seen() {
        let of = |label: Label| -> String {
            let messages = request.messages.iter().filter(|it| it.label() == label);
            messages.map(|it| it.text()).collect()
        };
        let data = of(Label::Untrusted);
        let when = request.messages.last().map(|it| it.text());
        assert!(when.is_some_and(|when| when.starts_with("It is ")));
        assert!(
            data.starts_with("Email id: a.eml\n----- the mail begins"),
            "{data}"
        );
        let (_, behind) = data.split_once("----- the mail ends -----").unwrap();
        let reason = match request.tools.is_empty() {
            true => "",
            false => "\n\nReason of the sorting: it is so",
        };
        assert_eq!(behind, reason);
        let told = of(Label::User);
        assert!(told.contains("the mail below."), "{told}");
        assert!(!of(Label::System).contains("Lunch?"));
    }
}

#[tokio::test]
async fn an_edit_is_learnt_from_both_texts_and_the_change_of_the_note_is_shown() {
    let fixture = fixture(mail("Treffen", "Passt Donnerstag?"));
    let learning = fixture.learning().await;
    let first = sorted("respond", json!({"language": "German"}));
    let steps = [
        first,
        turns(&[reply("a.eml", "Guten Tag Ann,\nja, Donnerstag passt.")]),
    ];
    let script = Arc::new(Script::new(steps.into_iter().chain(learning)));
    let agent = fixture.agent(script.clone());
    asked(&agent).await;
    let question = listed(&agent).await.remove(0);
    let mut args = question.args().clone();
    args.insert("response_text".into(), json!("Hallo Ann,\npasst. R."));
    let edit = InboxAnswer::Edit(args);
    let with = Context {
        thread: question.thread.clone(),
        commands: Arc::new(|words| words.join(" ")),
    };
    let given = [(question, edit)];
    let after = agent.give(&given, &with, Box::pin(std::future::pending()));
    let notices = after.await.unwrap().notices;
    let learnt = notices.iter().find_map(|notice| match &notice.programs {
        ForPrograms::Event(event) if event["note"] == "response" => {
            event["changes"].as_array().map(Vec::len)
        }
        _ => None,
    });
    assert_eq!(learnt, Some(1), "the line that is new");
    let seen = script.seen();
    let lesson = seen.last().unwrap();
    let data = lesson
        .messages
        .iter()
        .find(|it| it.label() == Label::Untrusted)
        .unwrap()
        .text();
    for part in [
        "Subject of the mail: Treffen", "Language of the mail: German", "ja, Donnerstag passt.",
        "passt. R.",
    ] {
        assert!(data.contains(part), "{part}: {data}");
    }
    let told: String = lesson
        .messages
        .iter()
        .filter(|it| it.label() == Label::User)
        .map(|it| it.text())
        .collect();
    assert!(
        told.contains("ann@example.org") && told.contains("In words: "),
        "{told}"
    );
    assert!(!told.contains("Donnerstag passt"), "{told}");
}
