//! A reply that speaks of what was refused or failed is not sent, in whatever order the answers come.

use std::{fs, sync::Arc};

use serde_json::{Value as Json, json};
use superstep::{
    Outcome,
    model::{Body, Label, script::Step},
};
use superstep_agent::{Context, Desk as _, InboxAnswer};
use superstep_mail::{Answer, InboxItem, MailAgent, Topic};

use crate::fixture::{Fixture, about, answer, asked, done, mail, meeting, reply, responder, turns};

const MADE: &str = "Done as you asked.";
const TRUE: &str = "I cannot do it.";

fn forward() -> (&'static str, Json) {
    let args = json!({"to": ["carl@example.com"], "text": "For you."});
    ("forward", args)
}

fn tuesday() -> (&'static str, Json) {
    meeting("2026-11-17T10:00:00", "2026-11-17T11:00:00")
}

/// A mail, and a model that proposes something with a reply and, told that it was refused, another reply.
async fn proposed(call: (&'static str, Json)) -> (Fixture, MailAgent) {
    let fixture = Fixture::new();
    fixture.put("a.eml", mail("wish", "Will you?"));
    let agent = again(&fixture, call).await;
    (fixture, agent)
}

/// The agent of the same mail in another process.
async fn again(fixture: &Fixture, call: (&'static str, Json)) -> MailAgent {
    let steps = [
        turns(&[call, reply("a.eml", MADE)]),
        turns(&[reply("a.eml", TRUE)]),
        turns(&[done()]),
    ];
    fixture.agent(responder(steps, fixture.learning().await))
}

fn texts(item: &InboxItem) -> Vec<String> {
    let view = item.item.view.as_ref().unwrap();
    view.warnings.iter().map(|it| it.text.clone()).collect()
}

/// What a person says to the call beside the reply.
fn refusals() -> [Answer; 2] {
    [Answer::ignore(), Answer::response("That does not work.")]
}

#[tokio::test]
async fn a_reply_is_withdrawn_if_what_was_proposed_with_it_is_refused_before_after_or_at_once() {
    for call in [forward(), tuesday()] {
        for refusal in refusals() {
            for order in ["first", "last", "at once"] {
                let case = format!("{} {refusal:?} {order}", call.0);
                let (fixture, agent) = proposed(call.clone()).await;
                let (thread, items) = asked(&agent).await;
                let (beside, letter) = (about(&items, call.0), about(&items, "send_email_tool"));
                assert!(
                    letter.item.description.contains("It is sent only if"),
                    "{case}"
                );
                let given = [
                    (beside.ask, refusal.clone()),
                    (letter.ask, Answer::accept()),
                ];
                let given: Vec<Vec<_>> = match order {
                    "first" => given.into_iter().map(|it| vec![it]).collect(),
                    "last" => given.into_iter().rev().map(|it| vec![it]).collect(),
                    _ => vec![given.into()],
                };
                for answers in given {
                    agent.answer(&thread, answers).await.unwrap();
                }
                assert!(fixture.sent().is_empty(), "{case}");
                let items = agent.open(&thread).await.unwrap();
                let letter = about(&items, "send_email_tool");
                assert_eq!(
                    letter.item.action_request.args["response_text"], TRUE,
                    "{case}"
                );
                let told = texts(letter);
                assert!(told[0].contains("accepted before was not sent"), "{told:?}");
                let outcome = answer(&agent, letter, Answer::accept()).await;
                assert!(matches!(outcome, Outcome::Done(_)), "{case}");
                assert_eq!(fixture.sent_texts(), [TRUE], "{case}");
                assert_eq!(fixture.meetings(), 0, "{case}");
            }
        }
    }
}

#[tokio::test]
async fn an_inbox_says_that_a_reply_is_not_sent_as_it_stands() {
    let (_fixture, agent) = proposed(tuesday()).await;
    let (thread, items) = asked(&agent).await;
    let refusal = Answer::response("That does not work.");
    answer(&agent, about(&items, "schedule_meeting_tool"), refusal).await;
    let questions = agent.inbox_questions(&thread).await.unwrap();
    let warnings = &questions[0].warnings;
    assert!(
        warnings[0].starts_with("You refused the meeting proposed with it"),
        "{warnings:?}"
    );
}

#[tokio::test]
async fn a_reply_is_withdrawn_in_a_process_that_did_not_hear_of_the_refusal() {
    let (fixture, agent) = proposed(forward()).await;
    let (thread, items) = asked(&agent).await;
    answer(&agent, about(&items, "forward"), Answer::ignore()).await;
    drop(agent);
    let other = again(&fixture, forward()).await;
    let items = other.open(&thread).await.unwrap();
    answer(&other, &items[0], Answer::accept()).await;
    assert!(fixture.sent().is_empty());
    let items = other.open(&thread).await.unwrap();
    let letter = about(&items, "send_email_tool");
    assert_eq!(letter.item.action_request.args["response_text"], TRUE);
}

#[tokio::test]
async fn a_reply_is_withdrawn_if_what_was_proposed_with_it_fails() {
    let fixture = Fixture::new();
    let file = "Content-Type: text/plain; name=a.txt\r\nContent-Disposition: attachment\r\n\r\nx";
    let with_file = mail(
        "wish",
        &format!("--b\r\n\r\nWill you?\r\n--b\r\n{file}\r\n--b--"),
    );
    let kind = "MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\nSubject:";
    fixture.put("a.eml", with_file.replacen("Subject:", kind, 1));
    let agent = again(&fixture, forward()).await;
    let (thread, items) = asked(&agent).await;
    // The files of a forward are read from the mailbox.
    fs::rename(
        fixture.path.join("mail/a.eml"),
        fixture.path.join("elsewhere"),
    )
    .unwrap();
    let all = items.iter().map(|item| (item.ask, Answer::accept()));
    agent.answer(&thread, all).await.unwrap();
    assert!(fixture.sent().is_empty());
    let items = agent.open(&thread).await.unwrap();
    assert_eq!(
        about(&items, "send_email_tool").item.action_request.args["response_text"],
        TRUE
    );
}

#[tokio::test]
async fn a_reply_that_is_refused_stops_nothing_that_was_proposed_with_it() {
    let (fixture, agent) = proposed(tuesday()).await;
    let (thread, items) = asked(&agent).await;
    let answers = [
        (about(&items, "send_email_tool").ask, Answer::ignore()),
        (about(&items, "schedule_meeting_tool").ask, Answer::accept()),
    ];
    let outcome = agent.answer(&thread, answers).await.unwrap();
    assert!(matches!(outcome, Outcome::Done(_)));
    assert_eq!((fixture.sent().len(), fixture.meetings()), (0, 1));
}

#[tokio::test]
async fn words_about_a_call_are_read_although_the_reply_beside_it_is_ignored() {
    let (fixture, agent) = proposed(tuesday()).await;
    let (thread, items) = asked(&agent).await;
    let answers = [
        (about(&items, "send_email_tool").ask, Answer::ignore()),
        (
            about(&items, "schedule_meeting_tool").ask,
            Answer::response("Offer Wednesday."),
        ),
    ];
    agent.answer(&thread, answers).await.unwrap();
    let items = agent.open(&thread).await.unwrap();
    assert_eq!(
        about(&items, "send_email_tool").item.action_request.args["response_text"],
        TRUE
    );
    assert!(fixture.sent().is_empty());
}

#[tokio::test]
async fn an_ignored_call_teaches_about_itself_if_the_mail_is_answered() {
    let fixture = Fixture::new();
    fixture.put("a.eml", mail("wish", "Will you?"));
    let steps = [
        turns(&[forward(), reply("a.eml", MADE)]),
        turns(&[reply("a.eml", TRUE)]),
    ];
    let script = Arc::new(responder(steps, fixture.learning().await));
    let agent = fixture.agent(script.clone());
    let (thread, items) = asked(&agent).await;
    let answers = [
        (about(&items, "forward").ask, Answer::ignore()),
        (about(&items, "send_email_tool").ask, Answer::accept()),
    ];
    agent.answer(&thread, answers).await.unwrap();
    let memory = agent.memory();
    assert_eq!(memory.versions(Topic::Triage).await.unwrap().len(), 1);
    assert_eq!(memory.versions(Topic::Response).await.unwrap().len(), 2);
    let seen = script.seen();
    let lesson = seen.iter().find(|it| {
        let output = it.output.as_ref();
        output.is_some_and(|output| output.name == "user_preferences")
    });
    let told = lesson.unwrap().messages.iter();
    let told: String = told
        .filter(|it| it.label() == Label::User)
        .map(|it| it.text())
        .collect();
    assert!(told.contains("did not want a mail passed on"), "{told}");
    assert!(!told.contains("nothing is to be done"), "{told}");
    let state = agent.graph().state(thread.as_str()).await.unwrap();
    assert_eq!(state.asks.len(), 1);
    let read = seen.last().unwrap().messages.iter();
    let read: String = read.map(|it| it.text()).collect();
    assert!(read.contains("the user does not want this call"), "{read}");
}

#[tokio::test]
async fn what_rests_on_an_unread_result_is_not_asked_about() {
    let check = |date: &str| ("check_calendar_tool", json!({"dates": [date]}));
    let question = || ("Question", json!({"content": "What does B cost?"}));
    let yes = || reply("a.eml", "Wednesday suits me.");
    let invalid = || meeting("2026-11-17T11:00:00", "2026-11-17T10:00:00");
    for (calls, first) in [
        // The form of the date is wrong.
        (vec![check("2026-12-02"), question(), yes()], None),
        (vec![check("02-12-2026"), yes()], None),
        (vec![check("02-12-2026"), question()], None),
        (vec![question(), yes(), tuesday()], Some("Question")),
        (vec![invalid(), yes()], None),
        (vec![("book_flight", json!({})), yes()], None),
    ] {
        let fixture = Fixture::new();
        fixture.put("a.eml", mail("offer", "Wednesday?"));
        let steps: [Step; 2] = [turns(&calls), turns(&[forward()])];
        let agent = fixture.agent(responder(steps, Vec::new()));
        let (thread, items) = asked(&agent).await;
        let actions = items.iter().map(|it| &*it.item.action_request.action);
        let expected = first.unwrap_or("forward");
        assert_eq!(actions.collect::<Vec<_>>(), [expected], "{calls:?}");
        if first.is_some() {
            answer(&agent, &items[0], Answer::response("12 EUR.")).await;
            let items = agent.open(&thread).await.unwrap();
            about(&items, "forward");
        }
        let state = agent.graph().dynamic();
        let depth = superstep::dynamic::state::Depth::Subgraphs;
        let state = state.state(&thread.as_str().into(), None, depth).await;
        let shown = serde_json::to_string(&state.unwrap()).unwrap();
        assert!(shown.contains("not shown to the user: read the result of"));
    }
}

#[tokio::test]
async fn an_invalid_reply_keeps_no_meeting_from_being_asked_about() {
    let fixture = Fixture::new();
    fixture.put("a.eml", mail("offer", "Tuesday?"));
    let steps = [turns(&[tuesday(), crate::fixture::refused()])];
    let agent = fixture.agent(responder(steps, Vec::new()));
    let (_, items) = asked(&agent).await;
    about(&items, "schedule_meeting_tool");
}

#[tokio::test]
async fn the_model_reads_its_calls_as_it_is_told_to_make_them() {
    let fixture = Fixture::new();
    fixture.put("a.eml", mail("wish", "Will you?"));
    let args = json!({"response_text": MADE});
    let steps = [
        turns(&[("send_email_tool", args)]),
        turns(&[reply("a.eml", TRUE)]),
    ];
    let script = Arc::new(responder(steps, fixture.learning().await));
    let agent = fixture.agent(script.clone());
    let (_, items) = asked(&agent).await;
    answer(&agent, &items[0], Answer::response("No.")).await;
    let seen = script.seen();
    let calls = seen.last().unwrap().messages.iter();
    let mut calls = calls.filter_map(|message| match &message.body {
        Body::Model(said) => said.tool_calls.first(),
        _ => None,
    });
    let args = &calls.next().unwrap().args;
    assert_eq!(args.keys().collect::<Vec<_>>(), ["response_text"]);
}

#[tokio::test]
async fn an_editor_shows_recipients_and_subject_and_an_edit_is_of_what_was_changed() {
    let fixture = Fixture::new();
    fixture.put("a.eml", mail("wish", "Will you?"));
    let steps = [turns(&[reply("a.eml", MADE)])];
    let script = Arc::new(responder(steps, fixture.learning().await));
    let agent = fixture.agent(script.clone());
    let (thread, _) = asked(&agent).await;
    let question = agent.inbox_questions(&thread).await.unwrap().remove(0);
    let mut args = question.args().clone();
    let mut names: Vec<&str> = args.keys().map(String::as_str).collect();
    names.sort_unstable();
    assert_eq!(names, ["drop", "response_text", "subject", "to"]);
    assert_eq!(args["subject"], "Re: wish");
    args.insert("response_text".into(), json!(TRUE));
    let with = Context {
        thread,
        commands: Arc::new(|words| words.join(" ")),
    };
    let given = [(question, InboxAnswer::Edit(args))];
    let after = agent.give(&given, &with, Box::pin(std::future::pending()));
    after.await.unwrap();
    assert_eq!(fixture.sent_texts(), [TRUE]);
    let lesson = script.seen().last().unwrap().clone();
    let told = lesson.messages.iter();
    let told: String = told.map(|it| it.text()).collect();
    assert!(
        !told.contains("`subject`") && !told.contains("`to`"),
        "{told}"
    );
}
