//! Each cell of the table of questions and answers: what is done, which note is changed, what is next.

use serde_json::{Value as Json, json};
use superstep::{
    Outcome,
    model::{
        Body,
        script::{Script, Step},
    },
};
use superstep_mail::{Answer, Class, Ingested, MailAgent, MailState, Settings, Topic};

use crate::fixture::{
    Fixture, about, answer, asked, class, done, mail, meeting, reply, responder, turns,
};

/// How many changes each note has seen.
async fn changes(agent: &MailAgent) -> [usize; 3] {
    let mut counts = [0; 3];
    for (count, topic) in counts.iter_mut().zip(Topic::ALL) {
        *count = agent.memory().versions(topic).await.unwrap().len() - 1;
    }
    counts
}

fn is_done(outcome: &Outcome<MailState>) -> bool {
    matches!(outcome, Outcome::Done(_))
}

/// The arguments of the first call in the conversation, and the last tool result.
fn call_and_result(state: &MailState) -> (Json, String) {
    let call = state.messages.iter().find_map(|message| {
        let call = message.reply()?.tool_calls.first()?;
        Some(Json::Object(call.args.clone()))
    });
    let result = state
        .messages
        .iter()
        .find(|message| matches!(message.body, Body::Tool(_)));
    (call.unwrap(), result.unwrap().text())
}

async fn fixture(steps: impl IntoIterator<Item = Step>) -> (Fixture, MailAgent) {
    let fixture = Fixture::new();
    fixture.put("a.eml", mail("lunch", "Shall we have lunch?"));
    let learning = fixture.learning().await;
    let agent = fixture.agent(responder(steps, learning));
    (fixture, agent)
}

#[tokio::test]
async fn an_accepted_reply_is_sent_and_nothing_is_learnt() {
    let (fixture, agent) = fixture([turns(&[reply("a.eml", "Yes.")]), turns(&[done()])]).await;
    let (_, items) = asked(&agent).await;
    let item = about(&items, "send_email_tool");
    let config = item.item.config;
    assert!(
        config.allow_accept && config.allow_edit && config.allow_ignore && config.allow_respond
    );
    assert!(fixture.sent().is_empty());
    let outcome = answer(&agent, item, Answer::accept()).await;
    assert!(is_done(&outcome));
    assert_eq!(fixture.sent_texts(), ["Yes."]);
    assert_eq!(changes(&agent).await, [0, 0, 0]);
    assert!(fixture.is_read("a.eml"));
    assert_eq!(
        outcome.state().classification_decision,
        Some(Class::Respond)
    );
    assert_eq!(
        call_and_result(outcome.state()).1,
        "sent to ann@example.org"
    );
}

#[tokio::test]
async fn an_edited_reply_is_sent_as_edited_and_teaches_how_to_reply() {
    let (fixture, agent) = fixture([turns(&[reply("a.eml", "Yes.")]), turns(&[done()])]).await;
    let (_, items) = asked(&agent).await;
    let mut args = items[0].item.action_request.args.clone();
    args.insert("response_text".into(), json!("Yes, gladly."));
    let outcome = answer(&agent, &items[0], Answer::edit("send_email_tool", args)).await;
    assert!(is_done(&outcome));
    assert_eq!(fixture.sent_texts(), ["Yes, gladly."]);
    assert_eq!(changes(&agent).await, [0, 1, 0]);
    let (call, _) = call_and_result(outcome.state());
    assert_eq!(
        call["response_text"], "Yes, gladly.",
        "the model's message is patched"
    );
}

#[tokio::test]
async fn an_ignored_reply_ends_it_and_teaches_what_matters() {
    let (fixture, agent) = fixture([turns(&[reply("a.eml", "Yes.")])]).await;
    let (_, items) = asked(&agent).await;
    let outcome = answer(&agent, &items[0], Answer::ignore()).await;
    assert!(is_done(&outcome));
    assert!(fixture.sent().is_empty());
    assert_eq!(changes(&agent).await, [1, 0, 0]);
    assert!(call_and_result(outcome.state()).1.contains("not made"));
    assert!(fixture.is_read("a.eml"), "ignored mail does not come back");
}

#[tokio::test]
async fn words_about_a_reply_go_to_the_model_and_teach_how_to_reply() {
    let second = turns(&[reply("a.eml", "Yes, at noon.")]);
    let (fixture, agent) =
        fixture([turns(&[reply("a.eml", "Yes.")]), second, turns(&[done()])]).await;
    let (thread, items) = asked(&agent).await;
    let outcome = answer(&agent, &items[0], Answer::response("Say when.")).await;
    assert!(matches!(outcome, Outcome::Waiting { .. }));
    assert!(fixture.sent().is_empty());
    assert_eq!(changes(&agent).await, [0, 1, 0]);
    let items = agent.open(&thread).await.unwrap();
    let outcome = answer(&agent, &items[0], Answer::accept()).await;
    assert!(
        call_and_result(outcome.state())
            .1
            .contains("the user says: Say when.")
    );
    assert_eq!(fixture.sent_texts(), ["Yes, at noon."]);
}

const START: &str = "2026-11-16T10:00:00";
const END: &str = "2026-11-16T10:30:00";

#[tokio::test]
async fn an_accepted_meeting_is_made() {
    let (fixture, agent) = fixture([turns(&[meeting(START, END)]), turns(&[done()])]).await;
    let (_, items) = asked(&agent).await;
    let item = about(&items, "schedule_meeting_tool");
    assert!(item.item.config.allow_accept && item.item.config.allow_edit);
    assert_eq!(fixture.meetings(), 0);
    let outcome = answer(&agent, item, Answer::accept()).await;
    assert!(is_done(&outcome));
    assert_eq!((fixture.meetings(), changes(&agent).await), (1, [0, 0, 0]));
}

#[tokio::test]
async fn an_edited_meeting_is_made_as_edited_and_teaches_about_meetings() {
    let (fixture, agent) = fixture([turns(&[meeting(START, END)]), turns(&[done()])]).await;
    let (_, items) = asked(&agent).await;
    let mut args = items[0].item.action_request.args.clone();
    args.insert("start_time".into(), json!("2026-11-16T14:00:00"));
    args.insert("end_time".into(), json!("2026-11-16T14:30:00"));
    let outcome = answer(
        &agent,
        &items[0],
        Answer::edit("schedule_meeting_tool", args),
    )
    .await;
    assert!(is_done(&outcome));
    assert_eq!((fixture.meetings(), changes(&agent).await), (1, [0, 0, 1]));
    let (call, result) = call_and_result(outcome.state());
    assert_eq!(call["start_time"], "2026-11-16T14:00:00");
    assert!(result.contains("14:00 to 14:30"), "{result}");
}

#[tokio::test]
async fn an_ignored_meeting_ends_it_and_teaches_what_matters() {
    let (fixture, agent) = fixture([turns(&[meeting(START, END)])]).await;
    let (_, items) = asked(&agent).await;
    assert!(is_done(&answer(&agent, &items[0], Answer::ignore()).await));
    assert_eq!((fixture.meetings(), changes(&agent).await), (0, [1, 0, 0]));
}

#[tokio::test]
async fn words_about_a_meeting_go_to_the_model_and_teach_about_meetings() {
    let (fixture, agent) = fixture([turns(&[meeting(START, END)]), turns(&[done()])]).await;
    let (_, items) = asked(&agent).await;
    let outcome = answer(&agent, &items[0], Answer::response("Not on Mondays.")).await;
    assert!(is_done(&outcome));
    assert_eq!((fixture.meetings(), changes(&agent).await), (0, [0, 0, 1]));
    assert!(
        call_and_result(outcome.state())
            .1
            .contains("Not on Mondays.")
    );
}

fn question() -> Step {
    turns(&[("Question", json!({"content": "Which Monday?"}))])
}

#[tokio::test]
async fn an_answered_question_goes_to_the_model_and_teaches_nothing() {
    let (_fixture, agent) = fixture([question(), turns(&[done()])]).await;
    let (_, items) = asked(&agent).await;
    let config = about(&items, "Question").item.config;
    assert!(!config.allow_accept && !config.allow_edit);
    assert!(config.allow_ignore && config.allow_respond);
    let outcome = answer(&agent, &items[0], Answer::response("The next.")).await;
    assert!(is_done(&outcome));
    assert_eq!(
        call_and_result(outcome.state()).1,
        "the user answers: The next."
    );
    assert_eq!(changes(&agent).await, [0, 0, 0]);
}

#[tokio::test]
async fn an_ignored_question_ends_it_and_teaches_what_matters() {
    let (_fixture, agent) = fixture([question()]).await;
    let (_, items) = asked(&agent).await;
    assert!(is_done(&answer(&agent, &items[0], Answer::ignore()).await));
    assert_eq!(changes(&agent).await, [1, 0, 0]);
}

async fn shown(steps: impl IntoIterator<Item = Step>) -> (Fixture, MailAgent) {
    let fixture = Fixture::new();
    fixture.put("a.eml", mail("report", "All is well."));
    let steps = [class("notify")].into_iter().chain(steps);
    let learning = fixture.learning().await;
    let agent = fixture.agent(Script::new(steps.chain(learning)));
    (fixture, agent)
}

#[tokio::test]
async fn a_notice_that_is_ignored_ends_it_and_teaches_what_matters() {
    let (fixture, agent) = shown([]).await;
    let (_, items) = asked(&agent).await;
    let item = &about(&items, "notify").item;
    assert!(!item.config.allow_accept && !item.config.allow_edit);
    assert!(item.config.allow_ignore && item.config.allow_respond);
    assert!(item.description.contains("All is well."));
    let outcome = answer(&agent, &items[0], Answer::ignore()).await;
    assert!(is_done(&outcome));
    assert_eq!(changes(&agent).await, [1, 0, 0]);
    assert_eq!(outcome.state().classification_decision, Some(Class::Notify));
    assert!(outcome.state().messages.is_empty());
    assert!(fixture.is_read("a.eml"));
}

#[tokio::test]
async fn words_about_a_notice_lead_to_an_answer_and_teach_what_matters() {
    let steps = [turns(&[reply("a.eml", "Thanks.")]), turns(&[done()])];
    let (fixture, agent) = shown(steps).await;
    let (thread, items) = asked(&agent).await;
    let outcome = answer(&agent, &items[0], Answer::response("Thank her.")).await;
    assert!(matches!(outcome, Outcome::Waiting { .. }));
    assert_eq!(changes(&agent).await, [1, 0, 0]);
    let items = agent.open(&thread).await.unwrap();
    let outcome = answer(&agent, about(&items, "send_email_tool"), Answer::accept()).await;
    assert!(is_done(&outcome));
    let said: Vec<String> = outcome
        .state()
        .messages
        .iter()
        .map(|it| it.text())
        .collect();
    assert!(
        said[0].contains("All is well.") && said[1].contains("Thank her."),
        "{said:?}"
    );
    assert_eq!(fixture.sent_texts(), ["Thanks."]);
}

#[tokio::test]
async fn mail_that_is_ignored_ends_at_once() {
    let fixture = Fixture::new();
    fixture.put("a.eml", mail("offers", "Buy!"));
    let agent = fixture.agent(Script::new([class("ignore")]));
    let taken = crate::fixture::take_in(&agent).await;
    assert_eq!(taken[0].result, superstep_mail::Ingested::Done);
    assert!(fixture.is_read("a.eml"));
    let state = agent.graph().state(taken[0].thread.as_str()).await.unwrap();
    assert_eq!(state.state.classification_decision, Some(Class::Ignore));
    assert!(state.state.messages.is_empty());
}

#[tokio::test]
async fn ignored_mail_stays_unread_by_default_and_is_known_the_next_time() {
    let fixture = Fixture::new();
    fixture.put("a.eml", mail("offers", "Buy!"));
    let settings = Settings {
        dry_run: false,
        ..Settings::default()
    };
    let (mailbox, calendar) = (fixture.mailbox(), fixture.calendar());
    let agent = fixture.agent_on(Script::new([class("ignore")]), mailbox, calendar, settings);
    for result in [Ingested::Done, Ingested::Known] {
        let taken = crate::fixture::take_in(&agent).await;
        assert_eq!(taken[0].result, result);
        assert!(!fixture.is_read("a.eml"));
    }
}
