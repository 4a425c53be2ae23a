//! An approval is for the mode it was given in: a run in the other one does nothing, and asks again.

use std::sync::atomic::Ordering;

use serde_json::json;
use superstep::{Archive, Outcome};
use superstep_mail::{Answer, InboxItem, Ingested, MailAgent, MailState, Settings};

use crate::{
    fixture::{
        Fixture, about, answer, asked, done, mail, meeting, reply, responder, take_in, turns, wet,
    },
    sending::{Fault, Faulty, Looks, results},
};

const SEND_AGAIN: &str = "send_email_tool: asked again";
const MEET_AGAIN: &str = "schedule_meeting_tool: asked again";

fn lunch() -> Fixture {
    let fixture = Fixture::new();
    fixture.put("a.eml", mail("lunch", "Shall we have lunch?"));
    fixture
}

/// An assistant that proposes a reply and a meeting in one turn.
fn two(fixture: &Fixture, settings: Settings) -> MailAgent {
    let calls = [
        reply("a.eml", "Yes."),
        meeting("2026-11-16T10:00:00", "2026-11-16T10:30:00"),
    ];
    let script = responder([turns(&calls), turns(&[done()])], Vec::new());
    fixture.agent_on(script, fixture.mailbox(), fixture.calendar(), settings)
}

/// An assistant on a mailbox that fails, which proposes a reply.
fn faulty(fixture: &Fixture, mailbox: &Faulty, settings: Settings) -> MailAgent {
    let steps = [turns(&[reply("a.eml", "Yes.")]), turns(&[done()])];
    let script = responder(steps, Vec::new());
    fixture.agent_on(script, mailbox.clone(), fixture.calendar(), settings)
}

fn done_with(outcome: &Outcome<MailState>) -> String {
    assert!(matches!(outcome, Outcome::Done(_)), "it is over");
    results(outcome)
}

async fn open(agent: &MailAgent, thread: &str) -> Vec<InboxItem> {
    agent.open(thread).await.unwrap()
}

#[tokio::test]
async fn a_reply_accepted_in_a_dry_run_is_not_sent_when_the_turn_is_finished_for_real() {
    let fixture = lunch();
    let (dry, real) = (two(&fixture, Settings::default()), two(&fixture, wet()));
    let (thread, items) = asked(&dry).await;
    let letter = about(&items, "send_email_tool");
    assert!(letter.item.description.contains("(dry run:"));
    answer(&dry, letter, Answer::accept()).await;
    let left = open(&real, &thread).await;
    let outcome = answer(
        &real,
        about(&left, "schedule_meeting_tool"),
        Answer::accept(),
    )
    .await;
    assert!(matches!(outcome, Outcome::Waiting { .. }));
    assert_eq!(fixture.meetings(), 1, "this was accepted for real");
    assert!(fixture.sent().is_empty(), "this was accepted in a dry run");
    let left = open(&real, &thread).await;
    let again = about(&left, SEND_AGAIN);
    for message in [
        "accepted this in a dry run", "(for real:", "To: Ann <ann@example.org>", "Yes.",
    ] {
        assert!(again.item.description.contains(message), "{message}");
    }
    let outcome = answer(&real, again, Answer::accept()).await;
    assert!(done_with(&outcome).contains("sent to ann@example.org"));
    assert_eq!(fixture.sent_texts(), ["Yes."]);
}

#[tokio::test]
async fn a_meeting_accepted_in_a_dry_run_is_not_made_when_the_turn_is_finished_for_real() {
    for kind in ["accept", "accept dry", "ignore", "response"] {
        let fixture = lunch();
        let (dry, real) = (two(&fixture, Settings::default()), two(&fixture, wet()));
        let (thread, items) = asked(&dry).await;
        answer(
            &dry,
            about(&items, "schedule_meeting_tool"),
            Answer::accept(),
        )
        .await;
        let left = open(&real, &thread).await;
        answer(&real, about(&left, "send_email_tool"), Answer::accept()).await;
        assert!(fixture.sent().is_empty(), "the reply waits for the meeting");
        assert_eq!(fixture.meetings(), 0, "{kind}");
        let left = open(&real, &thread).await;
        let again = about(&left, MEET_AGAIN);
        let (agent, said) = match kind {
            "accept" => (&real, Answer::accept()),
            "accept dry" => (&dry, Answer::accept()),
            "ignore" => (&real, Answer::ignore()),
            _ => (&real, Answer::response("Later.")),
        };
        let outcome = answer(agent, again, said).await;
        let is_made = kind == "accept";
        assert_eq!(fixture.meetings(), usize::from(is_made), "{kind}");
        if is_made {
            assert!(done_with(&outcome).contains("scheduled `Talk`"));
            assert_eq!(fixture.sent_texts(), ["Yes."]);
            continue;
        }
        // A reply promises no meeting that there is not.
        assert!(fixture.sent().is_empty(), "{kind}");
        let left = open(agent, &thread).await;
        let why = &about(&left, "stuck").item.description;
        let unsent = "not sent, because schedule_meeting_tool of this turn was not made";
        assert!(why.contains(unsent), "{kind}: {why}");
    }
}

#[tokio::test]
async fn both_accepted_in_a_dry_run_are_described_and_nothing_is_asked_again() {
    let fixture = lunch();
    let dry = two(&fixture, Settings::default());
    let (thread, items) = asked(&dry).await;
    let answers = items.iter().map(|item| (item.ask, Answer::accept()));
    let outcome = dry.answer(&thread, answers).await.unwrap();
    let message = done_with(&outcome);
    assert!(message.contains("dry run: nothing was sent"), "{message}");
    assert!(
        message.contains("dry run: nothing was scheduled"),
        "{message}"
    );
    assert!(fixture.sent().is_empty() && fixture.meetings() == 0);
}

#[tokio::test]
async fn an_answer_of_an_inbox_of_others_has_the_mode_that_its_question_named() {
    let accept = json!([{"type": "accept"}]);
    for is_dry in [true, false] {
        let fixture = lunch();
        let (dry, real) = (two(&fixture, Settings::default()), two(&fixture, wet()));
        let asking = if is_dry { &dry } else { &real };
        let (thread, items) = asked(asking).await;
        let answers = items.iter().map(|item| (item.ask, accept.clone()));
        real.graph().answer(thread.as_str(), answers).await.unwrap();
        assert_eq!(fixture.sent().is_empty(), is_dry, "asked dry: {is_dry}");
        assert_eq!(fixture.meetings() == 0, is_dry, "asked dry: {is_dry}");
        let mut again = open(&real, &thread).await;
        // The reply waits for the meeting.
        assert_eq!(again.len(), usize::from(is_dry));
        // The questions that it is asked again name the mode too, so the same answer suffices.
        while let Some(item) = again.pop() {
            real.graph()
                .answer(thread.as_str(), [(item.ask, accept.clone())])
                .await
                .unwrap();
            again = open(&real, &thread).await;
        }
        assert_eq!(fixture.sent_texts(), ["Yes."]);
        assert_eq!(fixture.meetings(), 1);
    }
}

#[tokio::test]
async fn an_answer_may_ask_for_a_dry_run_and_never_for_more_than_the_run_is() {
    let fixture = lunch();
    let (dry, real) = (two(&fixture, Settings::default()), two(&fixture, wet()));
    let (thread, items) = asked(&real).await;
    let as_dry: Answer = serde_json::from_value(json!({"type": "accept", "mode": "dry"})).unwrap();
    let as_real: Answer =
        serde_json::from_value(json!({"type": "accept", "mode": "send"})).unwrap();
    answer(&real, about(&items, "send_email_tool"), as_dry).await;
    answer(&dry, about(&items, "schedule_meeting_tool"), as_real).await;
    assert!(fixture.sent().is_empty() && fixture.meetings() == 0);
    let state = dry.graph().state(thread.as_str()).await.unwrap();
    assert!(state.next.is_empty(), "both were described");
    let wrong = json!([{"type": "accept", "mode": "sned"}]);
    let fixture = lunch();
    let real = two(&fixture, wet());
    let (thread, items) = asked(&real).await;
    let refused = real
        .graph()
        .answer(thread.as_str(), [(items[0].ask, wrong)]);
    assert_eq!(refused.await.map(|_| ()).unwrap_err().kind.code(), "SS1015");
    assert_eq!(open(&real, &thread).await.len(), 2);
}

#[tokio::test]
async fn what_was_accepted_for_real_is_not_sent_by_a_dry_run_and_not_lost() {
    for kind in ["accept", "accept dry", "ignore"] {
        let fixture = lunch();
        let mailbox = Faulty::new(&fixture, &[Fault::Revoked], Looks::Truly);
        let (dry, real) = (
            faulty(&fixture, &mailbox, Settings::default()),
            faulty(&fixture, &mailbox, wet()),
        );
        let (thread, items) = asked(&real).await;
        let failed = real
            .answer(&thread, [(items[0].ask, Answer::accept())])
            .await;
        assert_eq!(failed.map(|_| ()).unwrap_err().code(), "SS7003");
        assert_eq!(mailbox.sends.load(Ordering::SeqCst), 1);
        let taken = take_in(&dry).await;
        assert_eq!(taken[0].result, Ingested::Waiting(1), "{taken:?}");
        assert_eq!(mailbox.sends.load(Ordering::SeqCst), 1);
        let left = open(&dry, &thread).await;
        let again = about(&left, SEND_AGAIN);
        for message in ["accepted this for real", "(dry run:", "Yes."] {
            assert!(again.item.description.contains(message), "{message}");
        }
        // A run for real does not take the question for answered.
        take_in(&real).await;
        assert_eq!(mailbox.sends.load(Ordering::SeqCst), 1);
        let (agent, said) = match kind {
            "accept" => (&real, Answer::accept()),
            "accept dry" => (&dry, Answer::accept()),
            _ => (&real, Answer::ignore()),
        };
        answer(agent, again, said).await;
        let sent = fixture.sent_texts();
        assert_eq!(
            sent.len(),
            usize::from(kind == "accept"),
            "{kind}: {sent:?}"
        );
    }
}

#[tokio::test]
async fn whether_a_mail_was_sent_is_answered_in_a_mode_too() {
    for kind in ["accept", "accept dry"] {
        let fixture = lunch();
        let mailbox = Faulty::new(&fixture, &[Fault::LostMail], Looks::Unsure);
        let (dry, real) = (
            faulty(&fixture, &mailbox, Settings::default()),
            faulty(&fixture, &mailbox, wet()),
        );
        let (thread, items) = asked(&real).await;
        answer(&real, &items[0], Answer::accept()).await;
        let left = open(&dry, &thread).await;
        let unknown = about(&left, "send_email_tool: outcome unknown");
        let agent = if kind == "accept" { &real } else { &dry };
        let outcome = answer(agent, unknown, Answer::accept()).await;
        let message = results(&outcome);
        match kind {
            "accept" => assert_eq!(fixture.sent_texts(), ["Yes."]),
            _ => {
                assert_eq!(
                    mailbox.sends.load(Ordering::SeqCst),
                    1,
                    "only the first time"
                );
                assert!(message.contains("dry run: nothing was sent"), "{message}");
                assert!(
                    message.contains("not known whether an earlier attempt"),
                    "{message}"
                );
            }
        }
    }
}

#[tokio::test]
async fn a_call_that_an_earlier_version_was_making_is_refused_and_not_made_again() {
    let fixture = lunch();
    let mailbox = Faulty::new(&fixture, &[Fault::LostMail], Looks::Unsure);
    let agent = faulty(&fixture, &mailbox, wet());
    let (thread, items) = asked(&agent).await;
    answer(&agent, &items[0], Answer::accept()).await;
    let unknown = open(&agent, &thread).await.remove(0);
    let archive = agent.graph().export_thread(thread.as_str()).await.unwrap();
    let mut file = Vec::new();
    archive.write(&mut file).unwrap();
    // Earlier versions journaled calls in another form, at a node of this name.
    let old = String::from_utf8(file).unwrap();
    let old = old.replace("make_call", "tool_call");
    let other = Fixture::new();
    let later = faulty(&other, &mailbox, wet());
    let archive = Archive::read(old.as_bytes()).unwrap();
    let graph = later.graph();
    graph.import_thread(thread.as_str(), archive).await.unwrap();
    let accept = serde_json::to_value([Answer::accept()]).unwrap();
    let refused = graph.answer(thread.as_str(), [(unknown.ask, accept)]).await;
    assert_eq!(refused.map(|_| ()).unwrap_err().code(), "SS1203");
    assert_eq!(mailbox.sends.load(Ordering::SeqCst), 1);
}
