//! Agents in plain text: a model by its name, a prompt, a reply, and questions in between.

use std::sync::{Arc, Mutex};

use serde_json::Value as Json;
use superstep::{
    model::{self, Content, Message, Model, Reply, ToolCall},
    prelude::*,
    tools::{Agent, AgentNode, AgentState, Approval, Tools, agent::say},
};
use superstep_fake_providers::{anthropic, openai};
use superstep_loopback::{Answer, Server};

use crate::fixture::{FnModel, Ledger, SendText, text, to_dana};

fn said(text: &str) -> Reply {
    Reply {
        content: Content::from(text),
        ..Reply::default()
    }
}

fn called(name: &str, args: &Json) -> Reply {
    let args = args.as_object().cloned().unwrap();
    let call = ToolCall {
        id: "c1".into(),
        name: name.into(),
        args,
    };
    Reply {
        tool_calls: vec![call],
        ..Reply::default()
    }
}

fn agent(model: impl Model + 'static, ledger: &Arc<Ledger>) -> Graph<AgentState, AgentNode> {
    let tools = Tools::builder().tool(SendText).shared(ledger.clone());
    let agent = Agent::new(model).tools(tools.build().unwrap());
    let saver = MemorySaver::default();
    agent.graph().saver(saver).build().unwrap()
}

#[tokio::test]
async fn a_prompt_returns_the_text_of_the_model_that_was_named() {
    type Stream = fn(&str, &Reply) -> String;
    for (provider, stream) in [
        ("openai", openai::stream as Stream),
        ("anthropic", anthropic::stream),
    ] {
        let server = Server::start([
            Answer::events(&stream("m", &said("Hello."))),
            Answer::events(&stream("m", &said("Again."))),
        ]);
        let server = server.await.unwrap();
        let name = format!("{provider}@{}:m", server.address());
        let model = model::open(&name).await.unwrap();
        let agent = agent(model, &Arc::default());
        let outcome = agent.prompt("t", "Hi!").await.unwrap();
        assert_eq!(outcome.text().unwrap(), "Hello.");
        // The thread goes on.
        let outcome = agent.prompt("t", "And now?").await.unwrap();
        assert_eq!(outcome.text().unwrap(), "Again.");
        let last = server.requests()[1].body["messages"].to_string();
        assert!(last.contains("Hi!") && last.contains("And now?"), "{last}");
    }
}

#[tokio::test]
async fn a_prompt_that_needs_approval_returns_the_question_and_no_text() {
    let replies = Mutex::new(vec![
        said("It is sent."),
        called("send_text", &to_dana("noon")),
        said("Shall I write to Dana?"),
    ]);
    let server = Server::with(move |_| {
        let reply = replies.lock().unwrap().pop().unwrap();
        Answer::events(&openai::stream("m", &reply))
    });
    let server = server.await.unwrap();
    let name = format!("openai@{}:m", server.address());
    let model = model::open(&name).await.unwrap();
    let ledger = Arc::new(Ledger::default());
    let agent = agent(model, &ledger);
    agent.prompt("t", "When do we meet?").await.unwrap();
    let outcome = agent.prompt("t", "Yes, say noon.").await.unwrap();
    let error = outcome.text().unwrap_err();
    assert_eq!(error.code(), "SS5109");
    assert!(error.to_string().contains("`tool_approval`"), "{error}");
    assert!(ledger.sent().is_empty());

    let ask = outcome.ask::<Approval>().unwrap();
    assert_eq!(ask.question.action_request.action, "send_text");
    let answer = ask.answer(ask.question.accept());
    let outcome = agent.answer("t", [answer]).await.unwrap();
    assert_eq!(outcome.text().unwrap(), "It is sent.");
    assert_eq!(ledger.sent(), ["dana: noon"]);
}

#[tokio::test]
async fn a_prompt_gives_the_model_all_its_turns_again() {
    let agent = Agent::new(FnModel::new(|_| text("ok"))).max_turns(1);
    let agent = agent.graph().saver(MemorySaver::default());
    let agent = agent.build().unwrap();
    for _ in 0..3 {
        let outcome = agent.prompt("t", "go").await.unwrap();
        assert_eq!(outcome.text().unwrap(), "ok");
    }
}

#[tokio::test]
async fn an_agent_takes_a_model_by_value_and_a_shared_one() {
    let shared: Arc<dyn Model> = FnModel::new(|_| text("ok"));
    for agent in [
        agent(shared.clone(), &Arc::default()),
        agent(
            model::Script::new([model::script::Step::text("ok")]),
            &Arc::default(),
        ),
    ] {
        let outcome = agent.run("t", say(Message::user("hi"))).await.unwrap();
        assert_eq!(outcome.text().unwrap(), "ok");
    }
}
