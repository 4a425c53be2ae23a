//! Mail that arrives: looked at once, in its thread, in its turn.

use std::{fs, sync::Arc};

use superstep::{
    Outcome,
    model::{
        Script,
        script::{FailureKind, Step, When},
    },
};
use superstep_mail::{Answer, IngestOptions, Ingested, MailId, MailState, thread_name};

use crate::fixture::{
    Fixture, about, answer, asked, class, done, mail, reply, responder, take_in, turns,
};

fn second(subject: &str) -> String {
    format!(
        "From: Ann <ann@example.org>\r\nTo: me@example.org\r\nSubject: Re: {subject}\r\n\
         Message-ID: <2-{subject}@example.org>\r\nIn-Reply-To: <{subject}@example.org>\r\n\
         References: <{subject}@example.org>\r\n\r\nOr rather at one?\r\n"
    )
}

#[tokio::test]
async fn a_mail_is_looked_at_once() {
    let fixture = Fixture::new();
    fixture.put("a.eml", mail("lunch", "Lunch?"));
    let model = Arc::new(responder(
        [turns(&[reply("a.eml", "Yes.")]), turns(&[done()])],
        Vec::new(),
    ));
    let agent = fixture.agent(model.clone());
    let (thread, items) = asked(&agent).await;
    let calls = model.seen().len();
    assert_eq!(take_in(&agent).await[0].result, Ingested::Known);
    assert_eq!(
        agent.open(&thread).await.unwrap(),
        items,
        "the question is the same"
    );
    assert_eq!(model.seen().len(), calls, "nothing ran");
    answer(&agent, &items[0], Answer::accept()).await;
    let calls = model.seen().len();
    let again = IngestOptions {
        include_read: true,
        ..IngestOptions::default()
    };
    let taken = agent.ingest(&again).await.unwrap();
    assert_eq!(taken[0].result, Ingested::Known);
    assert_eq!((model.seen().len(), fixture.sent().len()), (calls, 1));
}

#[tokio::test]
async fn a_new_mail_waits_for_open_questions_and_takes_none_away() {
    let fixture = Fixture::new();
    fixture.put("a.eml", mail("lunch", "Lunch?"));
    let steps = || {
        [
            turns(&[reply("a.eml", "Yes.")]),
            turns(&[reply("b.eml", "One is fine.")]),
        ]
    };
    let agent = fixture.agent(responder(steps(), Vec::new()));
    let (thread, before) = asked(&agent).await;
    fixture.put("b.eml", second("lunch"));
    let taken = take_in(&agent).await;
    let of = |id: &str| taken.iter().find(|it| it.mail.0 == id).unwrap();
    assert_eq!(of("b.eml").result, Ingested::Queued);
    assert_eq!(
        of("b.eml").thread,
        thread,
        "one thread for one conversation"
    );
    assert_eq!(
        agent.open(&thread).await.unwrap(),
        before,
        "no question is lost"
    );
    // Being told again changes nothing.
    take_in(&agent).await;
    assert_eq!(
        agent.inbox().await.unwrap().items,
        before,
        "the inbox of all threads has it"
    );

    // The program restarts; the answer to the old question is good, and the new mail follows.
    drop(agent);
    let agent = fixture.agent(responder(steps(), Vec::new()));
    let outcome = answer(&agent, &before[0], Answer::accept()).await;
    assert_eq!(fixture.sent_texts(), ["Yes."], "the approval counted");
    assert!(matches!(outcome, Outcome::Waiting { .. }));
    assert_eq!(
        outcome.state().handled,
        [MailId("a.eml".into()), MailId("b.eml".into())]
    );
    let items = agent.open(&thread).await.unwrap();
    assert!(items[0].item.description.contains("One is fine."));
    let outcome = answer(&agent, about(&items, "send_email_tool"), Answer::accept()).await;
    assert!(matches!(outcome, Outcome::Done(_)));
    assert_eq!(fixture.sent_texts(), ["One is fine.", "Yes."]);
    assert!(take_in(&agent).await.is_empty(), "both are read");
}

#[tokio::test]
async fn a_new_mail_in_a_finished_thread_is_looked_at_with_what_was_said_before() {
    let fixture = Fixture::new();
    fixture.put("a.eml", mail("lunch", "Lunch?"));
    let steps = [turns(&[reply("a.eml", "Yes.")]), turns(&[done()])];
    let agent = fixture.agent(responder(steps, Vec::new()));
    let (thread, items) = asked(&agent).await;
    answer(&agent, &items[0], Answer::accept()).await;
    fixture.put("b.eml", second("lunch"));
    let taken = take_in(&agent).await;
    assert_eq!((taken.len(), &taken[0].result), (1, &Ingested::Done));
    let found = agent.graph().state(thread.as_str()).await.unwrap();
    let mails = found
        .state
        .messages
        .iter()
        .filter(|it| it.text().starts_with("Email id: "));
    assert_eq!(mails.count(), 2);
    assert_eq!(found.state.handled.len(), 2);
}

#[tokio::test]
async fn a_rerun_begins_anew() {
    let fixture = Fixture::new();
    fixture.put("a.eml", mail("lunch", "Lunch?"));
    let steps = [turns(&[reply("a.eml", "Yes.")]), turns(&[done()])];
    let agent = fixture.agent(responder(steps, Vec::new()));
    let (thread, before) = asked(&agent).await;
    let rerun = IngestOptions {
        rerun: true,
        ..IngestOptions::default()
    };
    let taken = agent.ingest(&rerun).await.unwrap();
    assert_eq!(taken[0].result, Ingested::Waiting(1));
    let items = agent.open(&thread).await.unwrap();
    assert_ne!(items[0].ask, before[0].ask, "the old question is gone");
    let old = agent
        .answer(&thread, [(before[0].ask, Answer::accept())])
        .await;
    assert!(old.is_err());
    answer(&agent, &items[0], Answer::accept()).await;
    assert_eq!(fixture.sent_texts(), ["Yes."]);
}

#[tokio::test]
async fn what_fails_for_one_mail_keeps_no_other_from_being_looked_at() {
    let fixture = Fixture::new();
    fixture.put("a.eml", mail("bad", "Boom"));
    fixture.put("b.eml", mail("good", "Fine"));
    let fails = Step::error(FailureKind::Server)
        .when(When::contains("Boom"))
        .always();
    let agent = fixture.agent(Script::new([fails, class("ignore").always()]));
    let taken = take_in(&agent).await;
    assert!(
        matches!(taken[0].result, Ingested::Failed { code: "SS5006", .. }),
        "{taken:?}"
    );
    assert_eq!(taken[1].result, Ingested::Done);
    // The provider is back: the thread continues by itself.
    drop(agent);
    let agent = fixture.agent(Script::new([class("ignore").always()]));
    let taken = take_in(&agent).await;
    assert_eq!((taken.len(), &taken[0].result), (1, &Ingested::Done));
    assert!(fixture.is_read("a.eml"));
}

#[tokio::test]
async fn filters_say_which_mail_is_taken_in() {
    let fixture = Fixture::new();
    for n in 0..250 {
        fixture.put(&format!("{n:03}.eml"), mail(&format!("s{n:03}"), "x"));
    }
    fixture.put(
        "z.eml",
        "From: boss@corp.example\r\nSubject: urgent\r\n\r\nx",
    );
    let agent = fixture.agent(Script::new([class("ignore").always()]));
    let count = async |options: IngestOptions| agent.arrivals(&options).await.unwrap().len();
    let all = IngestOptions::default;
    assert_eq!(count(all()).await, 251, "all pages");
    assert_eq!(
        count(IngestOptions {
            limit: Some(7),
            ..all()
        })
        .await,
        7
    );
    assert_eq!(
        count(IngestOptions {
            from: vec!["corp".into()],
            ..all()
        })
        .await,
        1
    );
    assert_eq!(
        count(IngestOptions {
            subject: vec!["urgent".into()],
            ..all()
        })
        .await,
        1
    );
    assert_eq!(
        count(IngestOptions {
            minutes_since: Some(120),
            ..all()
        })
        .await,
        251
    );
    let old = fs::File::open(fixture.path.join("mail/z.eml")).unwrap();
    old.set_modified(std::time::UNIX_EPOCH).unwrap();
    assert_eq!(
        count(IngestOptions {
            minutes_since: Some(120),
            ..all()
        })
        .await,
        250
    );
}

#[tokio::test]
async fn the_name_of_a_thread_follows_from_the_conversation() {
    let fixture = Fixture::new();
    fixture.put("a.eml", mail("lunch", "Lunch?"));
    fixture.put("b.eml", second("lunch"));
    let agent = fixture.agent(Script::new([class("ignore").always()]));
    let arrivals = agent.arrivals(&IngestOptions::default()).await.unwrap();
    assert_eq!(
        thread_name(&arrivals[0].thread),
        thread_name(&arrivals[1].thread)
    );
    let one = agent
        .ingest_one(&MailId("b.eml".into()), &IngestOptions::default())
        .await
        .unwrap();
    assert_eq!(one.thread, thread_name(&arrivals[0].thread));
    assert_eq!(one.result, Ingested::Done);
}

#[tokio::test]
async fn programs_that_take_in_the_same_mail_at_once_handle_it_once() {
    let fixture = Fixture::new();
    for n in 0..8 {
        fixture.put(&format!("{n}.eml"), mail(&format!("s{n}"), "x"));
    }
    let script = || Script::new([class("ignore").always()]);
    let (one, other) = (fixture.agent(script()), fixture.agent(script()));
    let options = IngestOptions {
        include_read: true,
        ..IngestOptions::default()
    };
    let (first, second) = tokio::join!(one.ingest(&options), other.ingest(&options));
    let (first, second) = (first.unwrap(), second.unwrap());
    assert_eq!((first.len(), second.len()), (8, 8));
    for taken in first.iter().chain(&second) {
        assert!(
            !matches!(taken.result, Ingested::Failed { .. }),
            "{taken:?}"
        );
    }
    one.ingest(&options).await.unwrap();
    for taken in first {
        let found = one.graph().state(taken.thread.as_str()).await.unwrap();
        assert!(found.next.is_empty());
        assert_eq!(found.state.finished, [taken.mail], "it was handled once");
    }
}

#[tokio::test]
async fn a_mail_that_is_finished_is_not_handled_again_by_a_run_that_came_too_late() {
    let fixture = Fixture::new();
    fixture.put("a.eml", mail("lunch", "Lunch?"));
    let model = Arc::new(Script::new([class("ignore")]));
    let agent = fixture.agent(model.clone());
    let thread = take_in(&agent).await[0].thread.clone();
    let calls = model.seen().len();
    let id = MailId("a.eml".into());
    let late = agent.email_input(&id).await.unwrap();
    let late = MailState::update().email_input(late).handled(vec![id]);
    agent.graph().run(thread.as_str(), late).await.unwrap();
    assert_eq!(model.seen().len(), calls);
}

#[tokio::test]
async fn a_rerun_looks_at_every_mail_of_a_thread_again() {
    let fixture = Fixture::new();
    fixture.put("a.eml", mail("lunch", "Lunch?"));
    fixture.put("b.eml", second("lunch"));
    let agent = fixture.agent(Script::new([class("ignore").always()]));
    let options = IngestOptions {
        include_read: true,
        ..IngestOptions::default()
    };
    let rerun = IngestOptions {
        rerun: true,
        ..options
    };
    agent.ingest(&rerun).await.unwrap();
    let taken = agent.ingest(&rerun).await.unwrap();
    assert!(
        taken.iter().all(|it| it.result == Ingested::Done),
        "{taken:?}"
    );
    let found = agent.graph().state(taken[0].thread.as_str()).await.unwrap();
    assert_eq!(found.state.finished.len(), 2);
}

#[tokio::test]
async fn input_that_names_a_mail_of_the_mailbox_and_is_another_leaves_that_one_unread() {
    let fixture = Fixture::new();
    fixture.put("a.eml", mail("lunch", "Shall we have lunch?"));
    let agent = fixture.agent(Script::new([class("ignore").always()]));
    let id = superstep_mail::MailId("a.eml".into());
    let real = agent.email_input(&id).await.unwrap();
    let mut invented = real.clone();
    invented.mail.subject = "An offer".into();
    for (thread, input, is_read) in [("invented", invented, false), ("real", real, true)] {
        let input = superstep_mail::MailState::update().email_input(input);
        agent.graph().run(thread, input).await.unwrap();
        assert_eq!(fixture.is_read("a.eml"), is_read, "{thread}");
    }
}
