//! A fake Audius, and agents that ask it.

use std::{sync::Arc, time::Duration};

use serde_json::Value as Json;
use superstep::{
    Backends, MemorySaver, OpenAsk, Outcome,
    http::{Backoff, Jitter, RetryAfter},
    model::Model,
};
use superstep_atris::{Answer, Atris, AtrisState, ClientSettings, Question, Settings};
use superstep_fake_audius::{FakeAudius, Options};

/// A server that refuses what the real one would refuse.
pub(crate) async fn server() -> FakeAudius {
    FakeAudius::start(Options::default()).await.unwrap()
}

pub(crate) fn settings(hosts: impl IntoIterator<Item = String>) -> Settings {
    Settings {
        client: ClientSettings {
            hosts: hosts.into_iter().collect(),
            timeout: Duration::from_secs(10),
            deadline: Duration::from_secs(60),
            backoff: Backoff {
                attempts: 2,
                initial: Duration::from_millis(1),
                factor: 1,
                cap: Duration::from_millis(1),
                jitter: Jitter::None,
                retry_after: RetryAfter::GiveUpAbove(Duration::from_secs(2)),
                seed: Some(1),
            },
            ..ClientSettings::default()
        },
        ..Settings::default()
    }
}

pub(crate) fn agent(server: &FakeAudius) -> Atris {
    agent_with(settings([server.address()]), None)
}

/// A server, and an agent that asks it.
pub(crate) async fn both() -> (FakeAudius, Atris) {
    let server = server().await;
    let agent = agent(&server);
    (server, agent)
}

pub(crate) fn agent_with(settings: Settings, model: Option<Arc<dyn Model>>) -> Atris {
    Atris::new(model, settings, Backends::on(MemorySaver::default())).unwrap()
}

/// Asks in a thread, which may have a past.
pub(crate) async fn run(agent: &Atris, thread: &str, question: &str) -> Outcome<AtrisState> {
    let before = agent.graph().state(thread).await.ok();
    let before = before.as_ref().map(|before| &*before.state);
    agent
        .graph()
        .run(thread, agent.ask(question, before))
        .await
        .unwrap()
}

/// The answer to a question that needs no person.
pub(crate) async fn ask(agent: &Atris, question: &str) -> Answer {
    let thread = format!("t {question}");
    answered(run(agent, &thread, question).await)
}

/// The same in one thread, whose answers before count.
pub(crate) async fn say(agent: &Atris, question: &str) -> Answer {
    answered(run(agent, "t", question).await)
}

pub(crate) fn answered(outcome: Outcome<AtrisState>) -> Answer {
    match outcome {
        Outcome::Done(state) => state.last().unwrap().clone(),
        other => panic!("it asks: {:?}", other.asks()),
    }
}

pub(crate) fn open(outcome: &Outcome<AtrisState>) -> (&OpenAsk, Question) {
    let [ask] = outcome.asks() else {
        panic!("there is one question")
    };
    (ask, ask.question::<Question>().unwrap())
}

/// The paths that were called, without queries.
pub(crate) fn paths(server: &FakeAudius) -> Vec<String> {
    let calls = server.calls().into_iter();
    calls
        .map(|call| call.path.split('?').next().unwrap().to_owned())
        .collect()
}

/// A call that reads a path.
pub(crate) fn get(path: &str, query: &[(&str, &str)]) -> superstep_fake_audius::Call {
    superstep_fake_audius::Call {
        method: "GET".into(),
        path: path
            .split('/')
            .filter(|it| !it.is_empty())
            .map(str::to_owned)
            .collect(),
        query: query
            .iter()
            .map(|(name, value)| ((*name).into(), (*value).into()))
            .collect(),
    }
}

/// What the server says about a path, for comparison.
pub(crate) async fn truth(server: &FakeAudius, path: &str, query: &[(&str, &str)]) -> Json {
    superstep_fake_audius::respond(server.world(), &Default::default(), &get(path, query)).body
}
