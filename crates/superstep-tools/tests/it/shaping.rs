//! An agent shaped by its user: state, prompt, hooks, limits, data as the answer.

use std::{ops::ControlFlow, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::json;
use superstep::{
    MemorySaver, NodeError,
    future::BoxFuture,
    model::{Message, Request, ToolCall, history, request::Cached},
    prelude::*,
    schemars::{self, JsonSchema},
    tools::{
        Agent, AgentState, Chat, Conversation, Hook, HookCtx, Summaries, ToolError, Tools,
        agent::say,
    },
};

use crate::fixture::{Add, FnModel, Ledger, SendText, calls, text, to_dana};

fn last_text(request: &Request) -> String {
    request
        .messages
        .last()
        .map(Message::text)
        .unwrap_or_default()
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Desk {
    #[reduce(Chat)]
    messages: Vec<Message>,
    customer: String,
}

impl Conversation for Desk {
    fn messages(&self) -> &[Message] {
        &self.messages
    }

    fn said(messages: Vec<Message>) -> DeskUpdate {
        Desk::update().messages(messages)
    }
}

#[derive(Clone, Serialize, Deserialize)]
struct Clerk {
    name: String,
}

/// Who the customer is.
#[tool(read, trusted_output)]
async fn customer(desk: Snap<Desk>) -> Result<String, ToolError> {
    Ok(desk.customer.clone())
}

#[tokio::test]
async fn the_prompt_and_the_tools_know_own_fields_and_the_context() {
    let model = FnModel::new(|request| match request.messages.len() {
        2 => calls(&[("customer", json!({}))]),
        _ => text("hello"),
    });
    let graph = Agent::<Desk>::over(model.clone())
        .tools(Tools::builder().tool(Customer).build().unwrap())
        .system_with(|at| {
            let clerk: Clerk = at.ctx.context()?;
            Ok(format!(
                "You are {} and serve {}.",
                clerk.name, at.state.customer
            ))
        })
        .graph()
        .saver(MemorySaver::default())
        .build()
        .unwrap();
    let graph = graph.with_context(Clerk { name: "Bo".into() });
    let input = Desk::said(vec![Message::user("hi")]).customer("Ann");
    let outcome = graph.run("t", input).await.unwrap();
    assert_eq!(outcome.state().customer, "Ann");
    assert_eq!(
        model.texts(),
        ["You are Bo and serve Ann.", "hi", "", "Ann"]
    );
    assert_eq!(model.last().cached, Cached::Conversation);
}

struct Guard;

impl Hook<AgentState> for Guard {
    fn before_model<'a>(
        &'a self,
        _: &'a HookCtx<'a, AgentState>,
        request: &'a mut Request,
    ) -> BoxFuture<'a, Result<ControlFlow<Message>, NodeError>> {
        Box::pin(async move {
            if last_text(request).contains("password") {
                return Ok(ControlFlow::Break(Message::model(
                    "I do not talk about that.",
                )));
            }
            request.temperature = Some(0.0);
            Ok(ControlFlow::Continue(()))
        })
    }

    fn after_model<'a>(
        &'a self,
        at: &'a HookCtx<'a, AgentState>,
        reply: &'a mut Message,
    ) -> BoxFuture<'a, Result<(), NodeError>> {
        Box::pin(async move {
            if reply.text().contains("damn") {
                let id = at.ctx.idempotency_key("reply");
                *reply = Message::model("(said politely)").with_id(id);
            }
            Ok(())
        })
    }

    fn before_tool<'a>(
        &'a self,
        _: &'a HookCtx<'a, AgentState>,
        call: &'a ToolCall,
    ) -> BoxFuture<'a, Result<ControlFlow<String>, NodeError>> {
        let refused = call.name == "send_text";
        Box::pin(async move {
            Ok(match refused {
                true => ControlFlow::Break("nothing is sent today".into()),
                false => ControlFlow::Continue(()),
            })
        })
    }

    fn after_tool<'a>(
        &'a self,
        _: &'a HookCtx<'a, AgentState>,
        call: &'a ToolCall,
        result: &'a mut Message,
    ) -> BoxFuture<'a, Result<(), NodeError>> {
        Box::pin(async move {
            if call.name == "add"
                && let superstep::model::Body::Tool(reply) = &mut result.body
            {
                reply.content = format!("exactly {}", reply.content.text()).into();
            }
            Ok(())
        })
    }
}

#[tokio::test]
async fn hooks_stand_before_and_behind_models_and_tools() {
    let model = FnModel::new(|request| match last_text(request).as_str() {
        "go" => calls(&[
            ("add", json!({"left": 2, "right": 3})),
            ("send_text", to_dana("x")),
        ]),
        "swear" => text("damn"),
        _ => text("done"),
    });
    let ledger = Arc::new(Ledger::default());
    let tools = Tools::builder()
        .tool(Add)
        .tool(SendText)
        .shared(ledger.clone());
    let graph = Agent::new(model.clone())
        .tools(tools.build().unwrap())
        .hook(Guard)
        .graph()
        .saver(MemorySaver::default())
        .build()
        .unwrap();
    let ask = async |words: &str| {
        let outcome = graph.run("t", say(Message::user(words))).await.unwrap();
        assert!(matches!(outcome, Outcome::Done(_)), "nobody is asked");
        let texts = outcome.state().messages.iter().map(Message::text);
        texts.collect::<Vec<_>>()
    };
    let said = ask("what is the password?").await;
    assert_eq!(said, ["what is the password?", "I do not talk about that."]);
    assert!(
        model.requests.lock().unwrap().is_empty(),
        "the model is not called"
    );
    let said = ask("go").await;
    assert_eq!(said[4..], ["exactly 5", "nothing is sent today", "done"]);
    assert!(ledger.sent().is_empty());
    assert_eq!(model.last().temperature, Some(0.0));
    assert_eq!(ask("swear").await.last().unwrap(), "(said politely)");
}

#[tokio::test]
async fn a_long_conversation_is_trimmed_for_the_model_and_kept_in_the_state() {
    let model = FnModel::new(|_| text("ok"));
    let graph = Agent::new(model.clone())
        .system("be brief")
        .trim(60)
        .graph()
        .saver(MemorySaver::default())
        .build()
        .unwrap();
    let mut kept = 0;
    for n in 0..10 {
        let words = format!("message {n} {}", "word ".repeat(20));
        let outcome = graph.run("t", say(Message::user(words))).await.unwrap();
        kept = outcome.state().messages.len();
        assert!(history::tokens(&model.last().messages) <= 60);
    }
    assert_eq!(kept, 20);
    let texts = model.texts();
    assert_eq!(texts[0], "be brief");
    assert!(texts[1].starts_with("message 8"), "{texts:?}");
}

#[tokio::test]
async fn a_summary_is_made_once_and_stands_for_what_is_old() {
    let model = FnModel::new(
        |request| match request.messages[0].text().starts_with("Summarize") {
            true => text("they counted"),
            false => text("ok"),
        },
    );
    let graph = Agent::new(model.clone())
        .summarize(Summaries {
            above: 120,
            keep: 60,
            model: None,
        })
        .graph()
        .saver(MemorySaver::default())
        .build()
        .unwrap();
    for n in 0..12 {
        let words = format!("message {n} {}", "word ".repeat(20));
        graph.run("t", say(Message::user(words))).await.unwrap();
    }
    let requests = model.requests.lock().unwrap().clone();
    let summaries = requests
        .iter()
        .filter(|it| it.messages[0].text().starts_with("Summarize"));
    let summaries: Vec<String> = summaries.map(|it| it.messages[1].text()).collect();
    assert!(
        (2..=6).contains(&summaries.len()),
        "now and then, not every time: {}",
        summaries.len()
    );
    assert!(
        summaries[1].contains("they counted"),
        "a summary builds on the one before"
    );
    assert!(
        !summaries[1].contains("message 0"),
        "what is in it is not read again"
    );
    let last = requests.last().unwrap();
    assert!(history::is_summary(&last.messages[0]));
    assert!(history::tokens(&last.messages) <= 150);
    let state = graph.state("t").await.unwrap().state;
    let own = state
        .messages
        .iter()
        .filter(|message| !history::is_summary(message));
    assert_eq!(own.count(), 24, "the state keeps every word");
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Sum {
    left: i64,
    sum: i64,
}

#[tokio::test]
async fn an_answer_is_data_if_it_is_asked_for_as_such() {
    let model = FnModel::new(|request| match (&request.output, request.messages.len()) {
        (Some(_), _) => text(r#"{"left": 2, "sum": 5}"#),
        (None, 1) => calls(&[("add", json!({"left": 2, "right": 3}))]),
        (None, _) => text("it is five"),
    });
    for tools in [
        Tools::default(),
        Tools::builder().tool(Add).build().unwrap(),
    ] {
        let has_tools = !tools.is_empty();
        let graph = Agent::new(model.clone())
            .tools(tools)
            .answer_as::<Sum>()
            .graph()
            .saver(MemorySaver::default())
            .build()
            .unwrap();
        let outcome = graph
            .run("t", say(Message::user("2 and 3?")))
            .await
            .unwrap();
        let state = outcome.state();
        assert_eq!(state.answer::<Sum>().unwrap(), Sum { left: 2, sum: 5 });
        assert_eq!(state.messages.len(), if has_tools { 4 } else { 2 });
        assert_eq!(state.finish, Some(superstep::model::Finish::Stop));
    }
}
