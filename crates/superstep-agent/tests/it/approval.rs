//! Approvals of tools: what a person is shown, and which answers count.

use std::sync::Arc;

use serde_json::json;
use superstep::{
    Graph,
    model::script::{Script, Step},
    prelude::*,
    tools::{Agent, AgentNode, AgentState, ToolError, Tools},
};
use superstep_agent::{
    Answers, Card, Context, Conversation, Ended, InboxAnswer, Next, OpenAgent as _, PlainAgent,
    Verb, short_id,
};

use crate::console::Typist;

/// Pays a bill.
#[tool(write)]
async fn pay(
    /// Who gets the money.
    to: String,
    /// How much.
    euros: u32,
) -> Result<String, ToolError> {
    Ok(format!("paid {euros} to {to}"))
}

/// An agent whose model pays a bill and says so.
fn payer(saver: MemorySaver) -> Result<PlainAgent, Box<dyn std::error::Error>> {
    let script = Script::new([
        Step::call("pay", json!({"to": "ann\u{200b}e", "euros": 7})),
        Step::text("It is paid."),
    ]);
    let tools = Tools::builder().tool(Pay).build()?;
    let graph: Graph<AgentState, AgentNode> = Agent::new(Arc::new(script))
        .tools(tools)
        .graph()
        .saver(saver)
        .build()?;
    Ok(graph.into())
}

fn bill() -> Result<Next, &'static str> {
    let card = Card::new("payer", "Pays bills").chatting();
    let input = card.input_of("Pay the bill").ok_or("it takes words")?;
    Ok(Next::Input(input.into()))
}

#[tokio::test]
async fn a_person_sees_every_argument_of_a_call_before_they_approve_it()
-> Result<(), Box<dyn std::error::Error>> {
    let mut agent = payer(MemorySaver::default())?;
    let mut typist = Typist::typing(["y"]);
    let talk = Conversation::new(&mut agent, "bill-1", Answers::person(), &mut typist);
    let ended = talk.run(bill()?).await;
    assert!(matches!(ended, Ok(Ended::Done(None))), "{ended:?}");
    let shown = typist.shown.join("\n");
    for part in ["pay", "euros: 7", "to: ann<U+200B>e", "It is paid."] {
        assert!(shown.contains(part), "{part} is not in {shown}");
    }
    Ok(())
}

#[tokio::test]
async fn lines_of_a_pipe_approve_no_call() -> Result<(), Box<dyn std::error::Error>> {
    let mut agent = payer(MemorySaver::default())?;
    let mut typist = Typist {
        is_piped: true,
        ..Typist::typing(["y", "y"])
    };
    let talk = Conversation::new(&mut agent, "bill-1", Answers::person(), &mut typist);
    let ended = talk.run(bill()?).await;
    assert!(matches!(ended, Ok(Ended::Waiting(_))), "{ended:?}");
    assert_eq!(typist.lines.len(), 2, "the pipe is left alone");
    let how = typist.shown.last().cloned().unwrap_or_default();
    assert!(how.contains("--question"), "{how}");
    Ok(())
}

#[tokio::test]
async fn a_written_answer_to_an_older_question_must_name_it()
-> Result<(), Box<dyn std::error::Error>> {
    let mut agent = payer(MemorySaver::default())?;
    let mut typist = Typist::default();
    let talk = Conversation::new(&mut agent, "bill-1", Answers::person(), &mut typist);
    let Ok(Ended::Waiting(ask)) = talk.run(bill()?).await else {
        return Err("it asks before it pays".into());
    };
    let yes = || Answers::written(["y".to_owned()]);
    let unnamed = Conversation::new(&mut agent, "bill-1", yes(), &mut typist);
    let ended = unnamed.run(Next::Ask(ask.clone())).await;
    assert!(matches!(ended, Ok(Ended::Waiting(_))), "{ended:?}");
    let named = Conversation::new(&mut agent, "bill-1", yes(), &mut typist);
    let named = named.naming(Some(short_id(ask.id)));
    let ended = named.run(Next::Ask(ask)).await;
    assert!(matches!(ended, Ok(Ended::Done(None))), "{ended:?}");
    Ok(())
}

#[tokio::test]
async fn an_answer_that_comes_too_late_is_an_error() -> Result<(), Box<dyn std::error::Error>> {
    let mut agent = payer(MemorySaver::default())?;
    let mut first = Typist::default();
    let talk = Conversation::new(&mut agent, "bill-1", Answers::person(), &mut first);
    let Ok(Ended::Waiting(ask)) = talk.run(bill()?).await else {
        return Err("it asks before it pays".into());
    };
    let mut taken = Typist::typing(["n"]);
    let talk = Conversation::new(&mut agent, "bill-1", Answers::person(), &mut taken);
    let ended = talk.run(Next::Ask(ask.clone())).await;
    assert!(matches!(ended, Ok(Ended::Done(None))), "{ended:?}");
    let mut late = Typist::typing(["y"]);
    let talk = Conversation::new(&mut agent, "bill-1", Answers::person(), &mut late);
    let ended = talk.run(Next::Ask(ask)).await;
    assert!(ended.is_err(), "{ended:?}");
    Ok(())
}

#[tokio::test]
async fn answers_of_a_file_approve_no_call_that_a_run_comes_to()
-> Result<(), Box<dyn std::error::Error>> {
    let mut agent = payer(MemorySaver::default())?;
    let mut typist = Typist::default();
    let yes = Answers::written(["y".to_owned(), "y".to_owned()]);
    let talk = Conversation::new(&mut agent, "bill-1", yes, &mut typist);
    let ended = talk.run(bill()?).await;
    assert!(matches!(ended, Ok(Ended::Waiting(_))), "{ended:?}");
    Ok(())
}

#[tokio::test]
async fn lines_within_an_argument_do_not_look_like_arguments()
-> Result<(), Box<dyn std::error::Error>> {
    let script = Script::new([
        Step::call("pay", json!({"euros": 900, "to": "ann\neuros: 1"})),
        Step::text("It is paid."),
    ]);
    let tools = Tools::builder().tool(Pay).build()?;
    let graph: Graph<AgentState, AgentNode> = Agent::new(Arc::new(script))
        .tools(tools)
        .graph()
        .saver(MemorySaver::default())
        .build()?;
    let mut agent = PlainAgent::from(graph);
    let mut typist = Typist::default();
    let talk = Conversation::new(&mut agent, "bill-1", Answers::person(), &mut typist);
    let ended = talk.run(bill()?).await;
    assert!(matches!(ended, Ok(Ended::Waiting(_))), "{ended:?}");
    let lines = &typist.shown;
    let at = |text: &str| lines.iter().position(|line| line == text);
    assert!(at("    euros: 900").is_some(), "{lines:?}");
    assert!(at("      | euros: 1") < at("    euros: 900"), "{lines:?}");
    assert_eq!(at("    euros: 1"), None, "{lines:?}");
    Ok(())
}

#[tokio::test]
async fn a_reply_that_was_shown_as_it_arrived_is_not_shown_twice()
-> Result<(), Box<dyn std::error::Error>> {
    let mut agent = payer(MemorySaver::default())?;
    let mut typist = Typist::typing(["y"]);
    let talk = Conversation::new(&mut agent, "bill-1", Answers::person(), &mut typist);
    let ended = talk.run(bill()?).await;
    assert!(matches!(ended, Ok(Ended::Done(None))), "{ended:?}");
    let shown = typist.shown.join("");
    assert_eq!(shown.matches("It is paid.").count(), 1, "{shown}");
    Ok(())
}

#[tokio::test]
async fn an_inbox_shows_the_whole_call_and_takes_what_the_approval_allows()
-> Result<(), Box<dyn std::error::Error>> {
    let mut agent = payer(MemorySaver::default())?;
    let mut typist = Typist::typing([]);
    let nobody = Answers::written([]);
    let talk = Conversation::new(&mut agent, "bill-1", nobody, &mut typist);
    let Ok(Ended::Waiting(ask)) = talk.run(bill()?).await else {
        return Err("it does not ask".into());
    };
    let with = Context {
        thread: "bill-1".into(),
        commands: Arc::new(|words| words.join(" ")),
    };
    let question = agent.inbox_question(&ask, &with).await?;
    assert_eq!(question.takes, [Verb::Accept, Verb::Ignore, Verb::Respond]);
    assert!(question.check(Verb::Edit).is_err());
    assert_eq!(question.short_id, short_id(ask.id));
    assert_eq!(question.effect.as_ref().map(|it| &*it.to), Some("pay"));
    for words in ["euros: 7", "ann<u+200b>e"] {
        assert!(question.has_words(words), "{words}: {:?}", question.lines);
    }
    assert_eq!(question.wire()["interrupts"][0], ask.body);
    assert!(agent.desk().is_none());
    Ok(())
}

#[tokio::test]
async fn an_answer_of_an_inbox_approves_by_its_kind_and_not_by_its_words()
-> Result<(), Box<dyn std::error::Error>> {
    let words = InboxAnswer::Respond("yes".into());
    for (answer, is_paid) in [(words, false), (InboxAnswer::Accept, true)] {
        let mut agent = payer(MemorySaver::default())?;
        let mut typist = Typist::default();
        let talk = Conversation::new(&mut agent, "bill-1", Answers::written([]), &mut typist);
        let Ok(Ended::Waiting(ask)) = talk.run(bill()?).await else {
            return Err("it asks before it pays".into());
        };
        let answers = Answers::inbox(answer);
        let talk = Conversation::new(&mut agent, "bill-1", answers, &mut typist);
        let talk = talk.naming(Some(short_id(ask.id)));
        let ended = talk.run(Next::Ask(ask)).await;
        assert!(matches!(ended, Ok(Ended::Done(None))), "{ended:?}");
        let result = typist.events.iter().rfind(|it| it["event"] == "result");
        let state = result.ok_or("it has a result")?.to_string();
        assert_eq!(state.contains("paid 7 to"), is_paid, "{state}");
    }
    Ok(())
}
