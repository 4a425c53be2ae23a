//! A model that says what it is told to, and tools that remember what was done with them.

use std::sync::{Arc, Mutex};

use serde_json::{Value as Json, json};
use superstep::{
    Error, MemorySaver,
    future::BoxFuture,
    model::{Caps, Delta, Deltas, Finish, Message, Model, ModelError, ModelId, Request, Usage},
    prelude::*,
    tools::{Agent, AgentNode, AgentState, Policy, ToolCtx, ToolError, Tools, agent::say},
};

/// What a model says to a request.
type Answer = dyn Fn(&Request) -> Vec<Delta> + Send + Sync;

/// A model that is a function of the request, and keeps what it was asked.
pub(crate) struct FnModel {
    id: ModelId,
    answer: Box<Answer>,
    pub(crate) requests: Mutex<Vec<Request>>,
}

impl FnModel {
    pub(crate) fn new(
        answer: impl Fn(&Request) -> Vec<Delta> + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self {
            id: ModelId::new("test", "function"),
            answer: Box::new(answer),
            requests: Mutex::default(),
        })
    }

    /// Says its n-th line when the conversation has n messages of a model since it began.
    pub(crate) fn lines(lines: Vec<Vec<Delta>>) -> Arc<Self> {
        Self::new(move |request| {
            let said = request.messages.iter().filter_map(Message::reply).count();
            lines.get(said).cloned().expect("a line for every call")
        })
    }

    pub(crate) fn last(&self) -> Request {
        self.requests.lock().unwrap().last().cloned().unwrap()
    }

    /// What was said in the last request.
    pub(crate) fn texts(&self) -> Vec<String> {
        self.last().messages.iter().map(Message::text).collect()
    }
}

impl Model for FnModel {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn caps(&self) -> Caps {
        Caps::local()
    }

    fn stream<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Deltas, ModelError>> {
        self.requests.lock().unwrap().push(request.clone());
        let line = (self.answer)(request);
        Box::pin(async move { Ok(Deltas::ready(line.into_iter().map(Ok))) })
    }
}

pub(crate) fn text(text: &str) -> Vec<Delta> {
    vec![
        Delta::Text(text.into()),
        Delta::Usage(Usage::default()),
        Delta::Finish(Finish::Stop),
    ]
}

pub(crate) fn calls(calls: &[(&str, Json)]) -> Vec<Delta> {
    let mut line = Vec::new();
    for (index, (name, args)) in (0..).zip(calls) {
        line.push(Delta::Call {
            index,
            id: Some(format!("c{index}")),
            name: (*name).into(),
        });
        line.push(Delta::Args {
            index,
            json: match args {
                Json::String(raw) => raw.clone(),
                args => args.to_string(),
            },
        });
    }
    line.push(Delta::Finish(Finish::ToolCalls));
    line
}

/// What was sent, by key.
#[derive(Default)]
pub(crate) struct Ledger(Mutex<Vec<(String, String)>>);

impl Ledger {
    fn record(&self, entry: (String, String)) {
        self.0.lock().unwrap().push(entry);
    }

    pub(crate) fn sent(&self) -> Vec<String> {
        let sent = self.0.lock().unwrap();
        sent.iter().map(|(_, text)| text.clone()).collect()
    }
}

/// Sends a text to a person.
#[tool(send)]
pub(crate) async fn send_text(
    /// Who gets it.
    to: String,
    /// What it says.
    text: String,
    ctx: ToolCtx,
    ledger: Res<Ledger>,
) -> Result<String, ToolError> {
    if text == "broken wire" {
        return Err(ToolError::Unknown("the connection broke".into()));
    }
    let entry = (ctx.key().to_owned(), format!("{to}: {text}"));
    ledger.record(entry);
    Ok(format!("sent to {to}"))
}

/// What the web says.
#[derive(Default)]
pub(crate) struct Web(pub(crate) String);

/// Reads a page of the web.
#[tool(net)]
pub(crate) async fn read_page(
    /// Its address.
    url: String,
    web: Res<Web>,
) -> Result<String, ToolError> {
    Ok(format!("{url} says:\n{}", web.0.0))
}

/// Adds two numbers.
#[tool(pure, json, trusted_output)]
pub(crate) async fn add(
    /// One.
    left: i64,
    /// The other; 1 if it is left out.
    right: Option<i64>,
) -> Result<i64, ToolError> {
    let sum = left.checked_add(right.unwrap_or(1));
    sum.ok_or_else(|| ToolError::failed("the sum does not fit"))
}

pub(crate) struct Desk {
    pub(crate) graph: Graph<AgentState, AgentNode>,
    pub(crate) ledger: Arc<Ledger>,
}

impl Desk {
    pub(crate) fn new(lines: Vec<Vec<Delta>>) -> Self {
        Self::with(lines, Policy::default())
    }

    pub(crate) fn with(lines: Vec<Vec<Delta>>, policy: Policy) -> Self {
        Self::of(FnModel::lines(lines), policy, Web::default())
    }

    pub(crate) fn of(model: Arc<dyn Model>, policy: Policy, web: Web) -> Self {
        let ledger = Arc::new(Ledger::default());
        let tools = Tools::builder()
            .tool(SendText)
            .tool(ReadPage)
            .tool(Add)
            .shared(ledger.clone())
            .service(web)
            .build()
            .unwrap();
        let graph = Agent::new(model)
            .tools(tools)
            .policy(policy)
            .max_turns(8)
            .graph()
            .saver(MemorySaver::default())
            .build()
            .unwrap();
        Self { graph, ledger }
    }

    pub(crate) async fn say(&self, text: &str) -> Result<Outcome<AgentState>, Error> {
        self.graph.run("t", say(Message::user(text))).await
    }

    /// What is in the conversation, one line a message.
    pub(crate) async fn transcript(&self) -> Vec<String> {
        let state = self.graph.state("t").await.unwrap();
        let line = |message: &Message| {
            let data = serde_json::to_value(message).unwrap();
            let kind = data["type"].as_str().unwrap_or_default().to_owned();
            format!("{kind}: {}", message.text())
        };
        state.state.messages.iter().map(line).collect()
    }
}

pub(crate) fn to_dana(text: &str) -> Json {
    json!({"to": "dana", "text": text})
}
