//! Questions of one turn stand together, are answered one by one, and take only answers that fit.

use serde_json::{Value as Json, json};
use superstep::{Nodes, Outcome, model::Body};
use superstep_mail::{
    Answer, Asked, Settings,
    graph::{ReplyNode, TopNode},
};

use crate::fixture::{
    Fixture, about, answer, asked, done, mail, meeting, refused, reply, responder, says, turns, wet,
};

fn lunch() -> Fixture {
    let fixture = Fixture::new();
    fixture.put("a.eml", mail("lunch", "Shall we have lunch?"));
    fixture
}

#[tokio::test]
async fn all_calls_of_a_turn_are_asked_for_together_and_decided_one_by_one() {
    let fixture = lunch();
    let calls = [
        reply("a.eml", "First."),
        reply("a.eml", "Second."),
        meeting("2026-11-16T10:00:00", "2026-11-16T11:00:00"),
        done(),
    ];
    let agent = fixture.agent(responder([turns(&calls), turns(&[done()])], Vec::new()));
    let (thread, items) = asked(&agent).await;
    let actions: Vec<&str> = items
        .iter()
        .map(|it| it.item.action_request.action.as_str())
        .collect();
    let all = [
        "send_email_tool", "send_email_tool", "schedule_meeting_tool",
    ];
    assert_eq!(actions, all);
    let outcome = answer(&agent, &items[0], Answer::accept()).await;
    assert_eq!(outcome.asks().len(), 2, "the others stay open");
    assert!(
        fixture.sent().is_empty(),
        "nothing is done before all is decided"
    );

    // The program restarts: the decision is kept.
    drop(agent);
    let agent = fixture.agent(responder([turns(&calls), turns(&[done()])], Vec::new()));
    let items = agent.open(&thread).await.unwrap();
    assert_eq!(items.len(), 2);
    answer(
        &agent,
        about(&items, "schedule_meeting_tool"),
        Answer::accept(),
    )
    .await;
    let items = agent.open(&thread).await.unwrap();
    let outcome = answer(&agent, &items[0], Answer::accept()).await;
    assert!(matches!(outcome, Outcome::Done(_)));
    assert_eq!(fixture.sent_texts(), ["First.", "Second."]);
    let results = outcome.state().messages.iter();
    let results = results.filter(|it| matches!(it.body, Body::Tool(_)));
    assert_eq!(results.count(), 4, "every call has exactly one result");
}

#[tokio::test]
async fn several_answers_can_come_at_once() {
    let fixture = lunch();
    let calls = [
        reply("a.eml", "One."),
        meeting("2026-11-16T10:00:00", "2026-11-16T11:00:00"),
    ];
    let agent = fixture.agent(responder([turns(&calls), turns(&[done()])], Vec::new()));
    let (thread, items) = asked(&agent).await;
    let answers = items.iter().map(|item| (item.ask, Answer::accept()));
    let outcome = agent.answer(&thread, answers).await.unwrap();
    assert!(matches!(outcome, Outcome::Done(_)));
    assert_eq!((fixture.sent().len(), fixture.meetings()), (1, 1));
}

#[tokio::test]
async fn done_beside_other_calls_is_honoured_when_they_are_made() {
    let fixture = lunch();
    let agent = fixture.agent(responder(
        [turns(&[done(), reply("a.eml", "Yes.")])],
        Vec::new(),
    ));
    let (_, items) = asked(&agent).await;
    let outcome = answer(&agent, &items[0], Answer::accept()).await;
    assert!(matches!(outcome, Outcome::Done(_)));
    assert_eq!(fixture.sent_texts(), ["Yes."]);
    assert!(fixture.is_read("a.eml"));
}

#[tokio::test]
async fn done_beside_a_call_that_came_to_nothing_is_not_honoured() {
    let fixture = lunch();
    let steps = [turns(&[reply("a.eml", "Yes."), done()]), turns(&[done()])];
    let agent = fixture.agent(responder(steps, Vec::new()));
    let (_, items) = asked(&agent).await;
    let outcome = answer(&agent, &items[0], Answer::response("Leave it.")).await;
    assert!(matches!(outcome, Outcome::Done(_)));
    let turns = outcome
        .state()
        .messages
        .iter()
        .filter(|it| it.reply().is_some());
    assert_eq!(turns.count(), 2, "the model heard what the person said");
}

#[tokio::test]
async fn answers_that_do_not_fit_are_refused_and_the_question_stays() {
    let fixture = lunch();
    let calls = [reply("a.eml", "Yes."), reply("a.eml", "Gladly.")];
    let agent = fixture.agent(responder([turns(&calls), turns(&[done()])], Vec::new()));
    let (thread, items) = asked(&agent).await;
    let letter = &items[0];
    let asks = lunch();
    let question = ("Question", json!({"content": "Which?"}));
    let asker = asks.agent(responder([turns(&[question])], Vec::new()));
    let (asking, questions) = asked(&asker).await;
    let question = about(&questions, "Question");
    let args = letter.item.action_request.args.clone();
    let mut elsewhere = args.clone();
    elsewhere.insert("email_id".into(), json!("b.eml"));
    let mut strange = args.clone();
    strange.insert("additional_recipients".into(), json!(["x@y\r\nBcc: z@y"]));
    let mut other = args.clone();
    other.insert("response_text".into(), json!("No."));
    let wrong: Vec<(&superstep_mail::InboxItem, Json)> = vec![
        (question, json!([{"type": "accept", "args": null}])),
        (
            question,
            json!([{"type": "edit", "args": {"action": "Question", "args": {"content": "x"}}}]),
        ),
        (
            letter,
            json!([{"type": "edit", "args": {"action": "Question", "args": args.clone()}}]),
        ),
        (
            letter,
            json!([{"type": "edit", "args": {"action": "send_email_tool", "args": elsewhere}}]),
        ),
        (
            letter,
            json!([{"type": "edit", "args": {"action": "send_email_tool", "args": strange}}]),
        ),
        (
            letter,
            json!([{"type": "accept", "args": {"action": "send_email_tool", "args": other}}]),
        ),
        (letter, json!([{"type": "response", "args": ""}])),
        (letter, json!([{"type": "response", "args": {"a": 1}}])),
        (letter, json!([{"type": "approve"}])),
        (letter, json!([])),
        (letter, json!([{"type": "accept"}, {"type": "accept"}])),
        (letter, json!({"type": "accept"})),
        (letter, json!("accept")),
    ];
    for (item, answer) in wrong {
        let (agent, thread, open) = match item.ask == question.ask {
            true => (&asker, &asking, 1),
            false => (&agent, &thread, 2),
        };
        let refused = agent
            .graph()
            .answer(thread.as_str(), [(item.ask, answer.clone())])
            .await;
        let error = refused.map(|_| ()).unwrap_err();
        assert_eq!(error.kind.code(), "SS1015", "{answer}");
        assert_eq!(agent.open(thread).await.unwrap().len(), open, "{answer}");
        assert!(fixture.sent().is_empty());
    }
    // What inboxes send when nothing was changed.
    let same = json!([{"type": "accept", "args": letter.item.action_request}]);
    agent
        .graph()
        .answer(thread.as_str(), [(letter.ask, same)])
        .await
        .unwrap();
    assert_eq!(agent.open(&thread).await.unwrap().len(), 1);
}

#[tokio::test]
async fn an_answer_that_names_the_digest_of_another_call_is_refused() {
    let fixture = lunch();
    let calls = [reply("a.eml", "One."), reply("a.eml", "Two.")];
    let agent = fixture.agent(responder([turns(&calls), turns(&[done()])], Vec::new()));
    let (thread, items) = asked(&agent).await;
    let other = items[1].item.answered(Answer::accept());
    let refused = agent.answer(&thread, [(items[0].ask, other)]).await;
    assert_eq!(refused.map(|_| ()).unwrap_err().code(), "SS1015");
    assert_eq!(agent.open(&thread).await.unwrap().len(), 2);
    let bound = items
        .iter()
        .map(|it| (it.ask, it.item.answered(Answer::accept())));
    agent.answer(&thread, bound).await.unwrap();
    assert_eq!(fixture.sent_texts(), ["One.", "Two."]);
}

#[tokio::test]
async fn an_approval_is_for_one_call_and_cannot_be_used_again() {
    let fixture = lunch();
    let steps = [
        turns(&[refused(), reply("a.eml", "One.")]),
        turns(&[reply("a.eml", "Two.")]),
    ];
    let agent = fixture.agent(responder(steps, Vec::new()));
    let (thread, items) = asked(&agent).await;
    answer(&agent, &items[0], Answer::accept()).await;
    assert_eq!(fixture.sent_texts(), ["One."]);
    let again = agent
        .answer(&thread, [(items[0].ask, Answer::accept())])
        .await;
    assert_eq!(again.map(|_| ()).unwrap_err().code(), "SS7015");
    assert_eq!(
        fixture.sent_texts(),
        ["One."],
        "the second reply has a question of its own"
    );
    assert_eq!(agent.open(&thread).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_question_has_the_shape_that_inboxes_know() {
    let fixture = lunch();
    let agent = fixture.agent(responder([turns(&[reply("a.eml", "Yes.")])], Vec::new()));
    let (thread, _) = asked(&agent).await;
    let found = agent.graph().state(thread.as_str()).await.unwrap();
    let body = &found.asks[0].body;
    let item = &body.as_array().unwrap()[0];
    assert_eq!(item["action_request"]["action"], "send_email_tool");
    assert_eq!(item["action_request"]["args"]["response_text"], "Yes.");
    let config = item["config"].as_object().unwrap();
    let mut keys: Vec<&String> = config.keys().collect();
    keys.sort();
    assert_eq!(
        keys,
        [
            "allow_accept", "allow_edit", "allow_ignore", "allow_respond"
        ]
    );
    assert!(
        item["description"]
            .as_str()
            .unwrap()
            .contains("Subject: Re: lunch")
    );
    assert!(found.asks[0].question::<Asked>().is_ok());
}

#[tokio::test]
async fn recipients_who_are_new_to_the_thread_are_flagged() {
    let fixture = lunch();
    let (name, mut args) = reply("a.eml", "Yes.");
    args["additional_recipients"] = json!(["stranger@example.net"]);
    let agent = fixture.agent(responder([turns(&[(name, args)])], Vec::new()));
    let (_, items) = asked(&agent).await;
    let text = &items[0].item.description;
    assert!(
        text.contains("Not in this thread so far: stranger@example.net"),
        "{text}"
    );
    assert!(!text.contains("Not in this thread so far: Ann"), "{text}");
}

#[tokio::test]
async fn a_question_has_its_letter_and_its_warnings_as_data_and_strong_in_its_words() {
    let fixture = Fixture::new();
    let text = mail("bank", "Please confirm our new bank details.");
    let text = text.replacen(
        "Subject:",
        "Cc: Bob <bob@example.org>\r\nReply-To: Ann <ann@lookalike.example>\r\nSubject:",
        1,
    );
    fixture.put("a.eml", text);
    let (name, mut args) = reply("a.eml", "We got them.");
    args["additional_recipients"] = json!(["Eve <eve@example.net>"]);
    let agent = fixture.agent(responder([turns(&[(name, args)])], Vec::new()));
    let (thread, _) = asked(&agent).await;
    let found = agent.graph().state(thread.as_str()).await.unwrap();
    let item = &found.asks[0].body.as_array().unwrap()[0];
    assert_eq!(item["mode"], "send");
    let letter = &item["view"]["letter"];
    let to = json!([{"name": "Ann", "email": "ann@lookalike.example"}]);
    assert_eq!(letter["to"], to, "{item}");
    assert_eq!(letter["subject"], "Re: bank");
    assert_eq!(letter["added"], json!(["eve@example.net"]));
    let text = letter["text_arg"].as_str().unwrap();
    assert_eq!(item["action_request"]["args"][text], "We got them.");
    let emails = letter["cc"].as_array().unwrap().iter();
    let emails: Vec<_> = emails.map(|one| one["email"].as_str().unwrap()).collect();
    assert_eq!(emails, ["bob@example.org", "eve@example.net"]);
    let warnings = item["view"]["warnings"].as_array().unwrap();
    let warnings: Vec<_> = warnings
        .iter()
        .map(|it| it["text"].as_str().unwrap())
        .collect();
    let elsewhere =
        "Danger: Answers go to another domain than the sender's: Ann <ann@lookalike.example>";
    let about_answers = warnings.iter().filter(|it| it.contains("nswers go to"));
    assert_eq!(about_answers.collect::<Vec<_>>(), [&elsewhere]);
    assert!(
        warnings.contains(&"Not in this thread so far: eve@example.net (added by the assistant)"),
        "{warnings:?}"
    );
    assert!(
        item["view"]["mail"]
            .as_str()
            .unwrap()
            .contains("new bank details")
    );
    // In Markdown a warning is strong, and no sign of it is escaped away.
    let words = item["description"].as_str().unwrap();
    let strong = "**Danger: Answers go to another domain than the sender's: Ann \\<ann@lookalike.example\\>**";
    assert!(words.contains(strong), "{words}");
}

#[tokio::test]
async fn an_input_without_a_mail_is_refused() {
    let fixture = lunch();
    let agent = fixture.agent(responder([turns(&[reply("a.eml", "Yes.")])], Vec::new()));
    let (thread, _) = asked(&agent).await;
    let input = json!({"messages": [{"role": "user", "content": "Tell Ann that I call her."}]});
    let options = superstep::RunOptions::on(thread.as_str());
    let again = agent.graph().dynamic().invoke(input, &options).await;
    assert_eq!(again.unwrap_err().code(), "SS7024");
    let now = agent.graph().state(thread.as_str()).await.unwrap();
    assert_eq!(now.asks.len(), 1, "its question is still open");
}

#[tokio::test]
async fn a_model_that_calls_no_tool_is_told_once_and_then_a_person_helps() {
    let fixture = lunch();
    let steps = [
        says("Hello!"),
        says("I am thinking."),
        turns(&[reply("a.eml", "Yes.")]),
        turns(&[done()]),
    ];
    let agent = fixture.agent(responder(steps, Vec::new()));
    let (thread, items) = asked(&agent).await;
    let item = about(&items, "stuck");
    assert!(!item.item.config.allow_accept && item.item.config.allow_respond);
    answer(&agent, item, Answer::response("Say yes.")).await;
    let items = agent.open(&thread).await.unwrap();
    let outcome = answer(&agent, about(&items, "send_email_tool"), Answer::accept()).await;
    assert!(matches!(outcome, Outcome::Done(_)));
    let nudges = outcome.state().messages.iter();
    let nudges = nudges
        .filter(|it| it.text().contains("no tool call"))
        .count();
    assert_eq!(nudges, 1, "it is told once");
}

#[tokio::test]
async fn a_model_that_never_ends_comes_to_a_person() {
    let fixture = lunch();
    let check = turns(&[("check_calendar_tool", json!({"dates": ["16-11-2026"]}))]).always();
    let settings = Settings {
        max_turns: 5,
        ..wet()
    };
    let script = responder([check], Vec::new());
    let agent = fixture.agent_on(script, fixture.mailbox(), fixture.calendar(), settings);
    let (thread, items) = asked(&agent).await;
    assert!(about(&items, "stuck").item.description.contains("5 turns"));
    let found = agent.graph().state(thread.as_str()).await.unwrap();
    assert!(!found.next.is_empty());
    let outcome = answer(&agent, &items[0], Answer::ignore()).await;
    assert!(matches!(outcome, Outcome::Done(_)));
    let turns = outcome
        .state()
        .messages
        .iter()
        .filter(|it| it.reply().is_some());
    assert_eq!(turns.count(), 5);
}

#[tokio::test]
async fn calls_that_make_no_sense_are_told_to_the_model_and_are_not_asked_about() {
    let fixture = lunch();
    let wrong = [
        ("delete_everything", json!({})),
        (
            "send_email_tool",
            json!({"email_id": "other.eml", "response_text": "x", "email_address": "me@example.org"}),
        ),
        (
            "send_email_tool",
            json!({"email_id": "a.eml", "response_text": "x", "email_address": "eve@evil.example"}),
        ),
        (
            "send_email_tool",
            json!({"email_id": "a.eml", "response_text": " ", "email_address": "me@example.org"}),
        ),
        (
            "schedule_meeting_tool",
            json!({"attendees": ["nobody"], "title": "T", "start_time": "2026-11-16T10:00:00",
            "end_time": "2026-11-16T11:00:00", "organizer_email": "me@example.org"}),
        ),
        meeting("2026-11-16T11:00:00", "2026-11-16T10:00:00"),
        meeting("2026-03-29T02:30:00", "2026-03-29T04:00:00"),
        ("check_calendar_tool", json!({"dates": ["2026-11-16"]})),
    ];
    let steps = [turns(&wrong), turns(&[done()])];
    let agent = fixture.agent(responder(steps, Vec::new()));
    // That the model leaves it at that is asked about.
    let (thread, items) = asked(&agent).await;
    assert_eq!(items.len(), 1);
    answer(&agent, about(&items, "stuck"), Answer::ignore()).await;
    let found = agent.graph().state(thread.as_str()).await.unwrap();
    let results = found.state.messages.iter();
    let results =
        results.filter(|it| matches!(&it.body, Body::Tool(reply) if reply.name != "Done"));
    assert_eq!(results.count(), wrong.len());
    assert!(fixture.sent().is_empty());
}

#[tokio::test]
async fn a_dry_run_changes_nothing_and_says_so() {
    let fixture = lunch();
    let calls = [
        reply("a.eml", "Yes."),
        meeting("2026-11-16T10:00:00", "2026-11-16T11:00:00"),
        done(),
    ];
    let script = responder([turns(&calls)], Vec::new());
    let agent = fixture.agent_on(
        script,
        fixture.mailbox(),
        fixture.calendar(),
        Settings::default(),
    );
    let (thread, items) = asked(&agent).await;
    let answers = items.iter().map(|item| (item.ask, Answer::accept()));
    let outcome = agent.answer(&thread, answers).await.unwrap();
    assert!(matches!(outcome, Outcome::Done(_)));
    assert_eq!(
        (
            fixture.sent().len(),
            fixture.meetings(),
            fixture.is_read("a.eml")
        ),
        (0, 0, false)
    );
    let dry = outcome
        .state()
        .messages
        .iter()
        .filter(|it| it.text().starts_with("dry run:"));
    assert_eq!(dry.count(), 2);
}

#[tokio::test]
async fn what_was_accepted_beside_an_ignored_call_is_done_before_the_end() {
    let fixture = lunch();
    let calls = [
        reply("a.eml", "Yes."),
        meeting("2026-11-16T10:00:00", "2026-11-16T11:00:00"),
    ];
    let agent = fixture.agent(responder([turns(&calls)], Vec::new()));
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
async fn calls_that_share_an_id_are_told_apart() {
    let fixture = lunch();
    let mut step = turns(&[reply("a.eml", "One."), reply("a.eml", "Two.")]);
    for call in &mut step.calls {
        call.id = Some("same".into());
    }
    let agent = fixture.agent(responder([step, turns(&[done()])], Vec::new()));
    let (thread, items) = asked(&agent).await;
    let answers = items.iter().map(|item| (item.ask, Answer::accept()));
    let outcome = agent.answer(&thread, answers).await.unwrap();
    let ids = outcome
        .state()
        .messages
        .iter()
        .filter_map(|it| match &it.body {
            Body::Tool(reply) if reply.name != "Done" => Some(reply.tool_call_id.clone()),
            _ => None,
        });
    let mut ids: Vec<String> = ids.collect();
    ids.sort();
    ids.dedup();
    assert_eq!((ids.len(), fixture.sent().len()), (2, 2));
}

#[test]
fn nodes_have_the_names_of_the_document() {
    let names = |all: &[&'static str]| all.to_vec();
    let top: Vec<&str> = TopNode::ALL.iter().map(|node| node.name()).collect();
    let document = [
        "triage_router", "triage_interrupt_handler", "response_agent", "mark_as_read_node",
    ];
    assert_eq!(top[..4], names(&document));
    let inner: Vec<&str> = ReplyNode::ALL.iter().map(|node| node.name()).collect();
    for name in ["llm_call", "interrupt_handler", "mark_as_read_node"] {
        assert!(inner.contains(&name), "{name}");
    }
}

#[tokio::test]
async fn a_reply_need_not_say_which_mail_it_answers_and_tools_are_the_same_for_every_mail() {
    let fixture = lunch();
    fixture.put("b.eml", mail("dinner", "Shall we have dinner?"));
    let args = json!({"response_text": "Yes.", "email_address": "me@example.org"});
    let calls = turns(&[("send_email_tool", args)]);
    let script = std::sync::Arc::new(responder([calls.always()], Vec::new()));
    let agent = fixture.agent(script.clone());
    let mut named = Vec::new();
    for intake in crate::fixture::take_in(&agent).await {
        let items = agent.open(&intake.thread).await.unwrap();
        let args = &about(&items, "send_email_tool").item.action_request.args;
        named.push(args["email_id"].clone());
    }
    named.sort_by_key(ToString::to_string);
    assert_eq!(named, ["a.eml", "b.eml"]);
    let seen = script.seen();
    let turns: Vec<_> = seen.iter().filter(|it| !it.tools.is_empty()).collect();
    let [one, other] = &turns[..] else {
        panic!("{} turns", turns.len());
    };
    assert_eq!(one.tools, other.tools);
    assert_eq!(one.messages[0], other.messages[0]);
    assert_ne!(one.messages[2], other.messages[2]);
}

#[tokio::test]
async fn attendees_may_come_with_their_names() {
    let fixture = lunch();
    let (name, mut args) = meeting("2026-11-16T10:00:00", "2026-11-16T11:00:00");
    args["attendees"] = json!(["Ann Example <ann@example.org>"]);
    let steps = [turns(&[(name, args)]), turns(&[done()])];
    let agent = fixture.agent(responder(steps, Vec::new()));
    let (_, items) = asked(&agent).await;
    let item = about(&items, "schedule_meeting_tool");
    assert!(
        item.item.description.contains("- ann@example.org\n"),
        "{}",
        item.item.description
    );
    answer(&agent, item, Answer::accept()).await;
    assert_eq!(fixture.meetings(), 1);
}
