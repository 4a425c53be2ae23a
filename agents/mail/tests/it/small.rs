//! Mail on a small model: the form, the owner's decision among proposed answers, the worded reply, the approval.

use serde_json::{Value as Json, json};
use superstep::{
    model::{
        Caps, Script,
        script::{Step, When},
    },
    tools::guided::Profile,
};
use superstep_agent::Change;
use superstep_mail::{Answer, Class, Settings, Topic};

use crate::fixture::{Fixture, about, answer, asked, mail, take_in, wet};

/// A script that says of itself that it is a small model.
fn small(steps: impl IntoIterator<Item = Step>) -> Script {
    let mut caps = Caps::local();
    caps.small = true;
    Script::new(steps).with_caps(caps)
}

fn respond() -> Step {
    let data = json!({"says": "Ann asks.", "act": "asks", "kind": "question"});
    Step::data(data).when(When::schema("triage")).always()
}

fn understood(meeting: &str, answers: [&str; 2]) -> Step {
    let data = json!({"asks": "Ann asks for an answer.", "meeting": meeting, "minutes": 0, "part": "any",
        "answer_1": answers[0], "answer_2": answers[1]});
    Step::data(data).when(When::schema("understand")).always()
}

/// The reply to what has these words in it; the examples are turns of the conversation too.
fn worded(about: &str, text: &str) -> Step {
    let when = When {
        schema: Some("reply".into()),
        contains: Some(about.into()),
        ..When::default()
    };
    Step::data(json!({"reply": text})).when(when).always()
}

fn texts<'a>(args: &'a serde_json::Map<String, Json>, name: &str) -> Vec<&'a str> {
    let list = args[name].as_array().unwrap();
    list.iter().filter_map(Json::as_str).collect()
}

#[tokio::test]
async fn a_mail_is_understood_decided_on_worded_and_approved() {
    let fixture = Fixture::new();
    fixture.put(
        "a.eml",
        mail("Contract", "Shall we renew for one year or for two?"),
    );
    let steps = [
        respond(),
        understood("no", ["Renew for one year", "Renew for two years"]),
        worded(
            "Decision: Renew for two years",
            "Hello Ann,\n\nwe renew for two years.\n\nMax",
        ),
    ];
    let agent = fixture.agent(small(steps));
    let (_, items) = asked(&agent).await;
    let question = about(&items, "Question");
    let args = &question.item.action_request.args;
    assert_eq!(
        texts(args, "answers"),
        ["Renew for one year", "Renew for two years"]
    );
    let description = &question.item.description;
    assert!(
        description.contains("2. Renew for two years"),
        "{description}"
    );
    answer(&agent, question, Answer::response("2")).await;

    let items = agent.open(&question.thread).await.unwrap();
    let proposed = about(&items, "send_email_tool");
    let description = &proposed.item.description;
    assert!(
        description.contains("Your decision: Renew for two years"),
        "{description}"
    );
    answer(&agent, proposed, Answer::accept()).await;
    assert_eq!(
        fixture.sent_texts(),
        ["Hello Ann,\n\nwe renew for two years.\n\nMax"]
    );
    assert!(fixture.is_read("a.eml"));
}

#[tokio::test]
async fn the_owner_is_told_before_they_decide_that_answers_go_elsewhere() {
    let fixture = Fixture::new();
    let elsewhere = mail("Invoice", "Did you get the new account number?").replacen(
        "Subject:",
        "Reply-To: ann@elsewhere.example\r\nSubject:",
        1,
    );
    fixture.put("a.eml", elsewhere);
    let agent = fixture.agent(small([respond(), understood("no", ["Yes", "No"])]));
    let (_, items) = asked(&agent).await;
    let description = &about(&items, "Question").item.description;
    assert!(
        description.contains("Answers go to ann@elsewhere.example, not to the sender."),
        "{description}"
    );
}

#[tokio::test]
async fn a_draft_that_does_not_keep_to_the_decision_gives_way_to_the_owners_own_words_and_says_so()
{
    let fixture = Fixture::new();
    fixture.put(
        "a.eml",
        mail("Contract", "Shall we renew for one year or for two?"),
    );
    let steps = [
        respond(),
        understood("no", ["Renew", "Do not renew"]),
        worded(
            "Decision: two years",
            "Hello Ann,\n\nwe renew for one year.\n\nMax",
        ),
        worded(
            "Write it again",
            "Hello Ann,\n\nwe renew for 3 years.\n\nMax",
        ),
    ];
    let agent = fixture.agent(small(steps));
    let (_, items) = asked(&agent).await;
    let own = Answer::response("two years, but only with support");
    answer(&agent, about(&items, "Question"), own).await;
    let items = agent.open(&items[0].thread).await.unwrap();
    let proposed = about(&items, "send_email_tool");
    let args = &proposed.item.action_request.args;
    assert_eq!(
        args["response_text"],
        "Hello Ann,\n\nTwo years, but only with support.\n\nMax"
    );
    assert!(
        proposed
            .item
            .description
            .contains("The reply is your own words"),
        "{}",
        proposed.item.description
    );
}

#[tokio::test]
async fn a_meeting_is_made_at_a_time_that_the_calendar_has_free() {
    let fixture = Fixture::new();
    let text = "Do you have 45 minutes on 2099-11-17 in the morning?";
    fixture.put("a.eml", mail("Contract", text));
    fixture.put_meeting(
        "taken.ics",
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:taken@example.org\r\nSUMMARY:Taken\r\n\
         DTSTART:20991117T080000Z\r\nDTEND:20991117T083000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
    );
    let steps = [
        respond(),
        understood("yes", ["Yes", "No"]),
        worded(
            "Decision: Yes, Tuesday",
            "Hello Ann,\n\nyes, Tuesday 17 November, 09:30 to 10:15.\n\nMax",
        ),
    ];
    let agent = fixture.agent(small(steps));
    let (_, items) = asked(&agent).await;
    let question = about(&items, "Question");
    let args = &question.item.action_request.args;
    let slot = "Yes, Tuesday 17 November, 09:30 to 10:15";
    assert_eq!(texts(args, "answers"), [slot, "No, I have no time then"]);
    assert_eq!(args["understood"]["meeting"]["minutes"], 45);
    answer(&agent, question, Answer::response("1")).await;

    let items = agent.open(&question.thread).await.unwrap();
    let meeting = about(&items, "schedule_meeting_tool");
    assert_eq!(
        meeting.item.action_request.args["start_time"],
        "2099-11-17T09:30:00"
    );
    answer(&agent, meeting, Answer::accept()).await;
    assert_eq!(fixture.meetings(), 2);

    let items = agent.open(&question.thread).await.unwrap();
    answer(&agent, about(&items, "send_email_tool"), Answer::accept()).await;
    assert_eq!(fixture.sent().len(), 1);
    assert!(fixture.is_read("a.eml"));
}

#[tokio::test]
async fn other_words_of_the_owner_are_worded_anew() {
    let fixture = Fixture::new();
    fixture.put("a.eml", mail("Contract", "Shall we renew?"));
    let learning = fixture.learning().await;
    let steps = [
        respond(),
        understood("no", ["Yes, we renew", "No, we do not renew"]),
        worded(
            "Decision: Yes, we renew",
            "Hello Ann,\n\nyes, we renew.\n\nMax",
        ),
        worded(
            "Decision: no, we",
            "Hello Ann,\n\nno, we do not renew.\n\nMax",
        ),
    ];
    let agent = fixture.agent(small(steps.into_iter().chain(learning)));
    let (_, items) = asked(&agent).await;
    let thread = items[0].thread.clone();
    answer(&agent, &items[0], Answer::response("yes, we renew")).await;
    let items = agent.open(&thread).await.unwrap();
    let other = Answer::response("no, we do not renew");
    answer(&agent, about(&items, "send_email_tool"), other).await;
    let items = agent.open(&thread).await.unwrap();
    answer(&agent, about(&items, "send_email_tool"), Answer::accept()).await;
    assert_eq!(
        fixture.sent_texts(),
        ["Hello Ann,\n\nno, we do not renew.\n\nMax"]
    );
}

#[tokio::test]
async fn what_the_owner_says_to_a_mail_they_are_told_of_is_worded_at_once() {
    let fixture = Fixture::new();
    fixture.put("a.eml", mail("Moved", "I moved to Hamburg."));
    let learning = fixture.learning().await;
    let notify = json!({"says": "Ann tells it.", "act": "tells", "kind": "changed plan"});
    let steps = [
        Step::data(notify).when(When::schema("triage")).always(),
        worded(
            "Decision: congratulations",
            "Hello Ann,\n\ncongratulations to Hamburg!\n\nMax",
        ),
    ];
    let agent = fixture.agent(small(steps.into_iter().chain(learning)));
    let (_, items) = asked(&agent).await;
    answer(
        &agent,
        about(&items, "notify"),
        Answer::response("congratulations"),
    )
    .await;
    let items = agent.open(&items[0].thread).await.unwrap();
    let args = &about(&items, "send_email_tool").item.action_request.args;
    assert_eq!(
        args["response_text"],
        "Hello Ann,\n\ncongratulations to Hamburg!\n\nMax"
    );
}

#[tokio::test]
async fn the_setting_goes_before_what_the_model_says_of_itself() {
    let fixture = Fixture::new();
    fixture.put("a.eml", mail("Contract", "Shall we renew?"));
    let settings = Settings {
        profile: Some(Profile::Small),
        ..wet()
    };
    let model = Script::new([respond(), understood("no", ["Yes", "No"])]);
    let agent = fixture.agent_on(model, fixture.mailbox(), fixture.calendar(), settings);
    let (_, items) = asked(&agent).await;
    let args = &about(&items, "Question").item.action_request.args;
    assert_eq!(texts(args, "answers"), ["Yes", "No"]);
}

#[tokio::test]
async fn a_small_model_reads_short_mails_with_examples_as_turns() {
    let fixture = Fixture::new();
    fixture.put("a.eml", mail("Long", &"word ".repeat(2_000)));
    let told = json!({"says": "Nothing.", "act": "tells", "kind": "status"});
    // The mail is the last of what was said, after eleven examples.
    let when = When {
        schema: Some("triage".into()),
        call: Some(11),
        contains: Some("Subject: Long".into()),
        ..When::default()
    };
    let agent = fixture.agent(small([Step::data(told).when(when)]));
    let taken = take_in(&agent).await;
    let state = agent
        .graph()
        .state(taken[0].thread.as_str())
        .await
        .unwrap()
        .state;
    assert_eq!(state.classification_decision, Some(Class::Notify));
}

#[tokio::test]
async fn headers_say_whether_anybody_waits_for_an_answer() {
    let asks = |sent: &str| {
        let when = When {
            schema: Some("triage".into()),
            call: Some(11),
            contains: Some(format!("Sent: {sent}\nSubject: Seat")),
            ..When::default()
        };
        let data = json!({"says": "They ask to come.", "act": "asks", "kind": "invitation"});
        Step::data(data).when(when).always()
    };
    for (header, sent, wanted) in [
        ("X-Mailer: pen", "to you", Class::Respond),
        (
            "List-Unsubscribe: <https://seats.example/u>",
            "in bulk, with an unsubscribe link",
            Class::Ignore,
        ),
        (
            "List-Id: <seats.example.org>",
            "on a mailing list",
            Class::Respond,
        ),
    ] {
        let fixture = Fixture::new();
        let invited = mail("Seat", "Will you come on Monday?");
        fixture.put("a.eml", format!("{header}\r\n{invited}"));
        let steps = [asks(sent), understood("no", ["Yes", "No"])];
        let agent = fixture.agent(small(steps));
        let taken = take_in(&agent).await;
        let thread = taken[0].thread.as_str();
        let state = agent.graph().state(thread).await.unwrap().state;
        assert_eq!(state.classification_decision, Some(wanted), "{sent}");
    }
}

#[tokio::test]
async fn an_edit_teaches_one_line_and_no_other_line_of_the_note_changes() {
    for (line, replaces, changed) in [
        ("Sign replies with R.", 0, vec!["+- Sign replies with R."]),
        (
            "Very short.",
            1,
            vec!["-- Short, friendly and to the point.", "+- Very short."],
        ),
        ("", 0, Vec::new()),
    ] {
        let fixture = Fixture::new();
        fixture.put("a.eml", mail("Contract", "Shall we renew?"));
        let when = When {
            contains: Some("put in \"Cheers, R.\"".into()),
            ..When::schema("note_line")
        };
        let lesson = Step::data(json!({"line": line, "replaces": replaces})).when(when);
        let steps = [
            respond(),
            understood("no", ["Yes", "No"]),
            worded("Decision: Yes", "Hello Ann,\n\nyes.\n\nMax"),
            lesson,
        ];
        let agent = fixture.agent(small(steps));
        let (thread, items) = asked(&agent).await;
        answer(&agent, about(&items, "Question"), Answer::response("1")).await;
        let items = agent.open(&thread).await.unwrap();
        let proposed = about(&items, "send_email_tool");
        let mut args = proposed.item.action_request.args.clone();
        args.insert(
            "response_text".into(),
            json!("Hello Ann,\n\nyes.\n\nCheers, R."),
        );
        answer(&agent, proposed, Answer::edit("send_email_tool", args)).await;
        let memory = agent.memory();
        let newest = memory.versions(Topic::Response).await.unwrap().len() as u64;
        let shown = memory.diff(Topic::Response, 1, newest).await.unwrap();
        let shown: Vec<String> = shown
            .into_iter()
            .filter_map(|change| match change {
                Change::Added(line) => Some(format!("+{line}")),
                Change::Removed(line) => Some(format!("-{line}")),
                Change::Kept(_) => None,
            })
            .collect();
        assert_eq!(shown, changed);
    }
}
