//! Agents that hand over to each other, and agents that are tools of others.

use std::sync::Arc;

use serde_json::json;
use superstep::{
    MemorySaver,
    model::{Message, Request},
    prelude::*,
    tools::{Agent, AgentNode, AgentState, Approval, Team, Tools, agent::say},
};

use crate::fixture::{FnModel, Ledger, SendText, calls, text, to_dana};

fn instructions(request: &Request) -> String {
    request.messages[0].text()
}

fn swarm(saver: &MemorySaver) -> Graph<AgentState, AgentNode> {
    let model = FnModel::new(|request| {
        let asked = request
            .messages
            .iter()
            .filter(|message| message.reply().is_none());
        let asked = asked.map(Message::text).collect::<Vec<_>>().join(" ");
        match instructions(request).as_str() {
            "You sell." if asked.contains("broken") => calls(&[("transfer_to_repairs", json!({}))]),
            "You sell." => text("buy it"),
            _ => text("repairs: send it in"),
        }
    });
    let agent = |words: &str| Agent::new(model.clone()).system(words);
    let team = Team::new("sales", "sells", agent("You sell."));
    let team = team.member("repairs", "repairs what is broken", agent("You repair."));
    team.graph().unwrap().saver(saver.clone()).build().unwrap()
}

#[tokio::test]
async fn a_conversation_stays_with_whom_it_was_handed_to() {
    let saver = MemorySaver::default();
    let last = async |words: &str| {
        // As after a restart: nothing of it is in memory.
        let outcome = swarm(&saver)
            .run("t", say(Message::user(words)))
            .await
            .unwrap();
        outcome.state().messages.last().map(Message::text).unwrap()
    };
    assert_eq!(last("hello").await, "buy it");
    assert_eq!(last("my lamp is broken").await, "repairs: send it in");
    assert_eq!(last("thanks").await, "repairs: send it in");
}

#[test]
fn two_members_of_one_name_are_refused() {
    let model = FnModel::new(|_| text("x"));
    let agent = || Agent::new(model.clone());
    let two = Team::new("b", "", agent()).member("b", "", agent());
    let three = Team::new("a", "", agent()).member("b", "", agent());
    for team in [two, three.member("b", "", agent())] {
        let error = team.graph().err().unwrap();
        assert_eq!(error.code(), "SS5101");
        assert!(error.to_string().contains("`b`"), "{error}");
    }
}

#[tokio::test]
async fn a_question_of_an_agent_inside_a_tool_is_the_runs() {
    let worker = FnModel::new(|request| match request.messages.len() {
        1 => calls(&[("send_text", to_dana("hi"))]),
        _ => text("it is sent"),
    });
    let boss = FnModel::new(|request| match request.messages.len() {
        1 => calls(&[("postman", json!({"task": "say hi to dana"}))]),
        _ => text(&format!("the postman says: {}", request.messages[2].text())),
    });
    let ledger = Arc::new(Ledger::default());
    let own = Tools::builder()
        .tool(SendText)
        .shared(ledger.clone())
        .build()
        .unwrap();
    let postman = Agent::new(worker)
        .tools(own)
        .into_tool("postman", "Sends texts.")
        .unwrap();
    let graph = Agent::new(boss)
        .tools(Tools::builder().tool(postman).build().unwrap())
        .graph()
        .saver(MemorySaver::default())
        .build()
        .unwrap();
    let outcome = graph
        .run("t", say(Message::user("greet dana")))
        .await
        .unwrap();
    let ask = outcome.ask::<Approval>().unwrap();
    assert_eq!(ask.question.action_request.action, "send_text");
    assert!(ledger.sent().is_empty());
    let yes = ask.answer(ask.question.accept());
    let outcome = graph.answer("t", [yes]).await.unwrap();
    let last = outcome.state().messages.last().map(Message::text).unwrap();
    assert_eq!(last, "the postman says: it is sent");
    assert_eq!(ledger.sent(), ["dana: hi"]);
}
