//! An agent that remembers over threads, per user, and finds what it remembers by meaning.
//!
//! Its tools take the store and the caller of the run: for whom they work. Neither a model nor a client of
//! a server can name another user. Facts are forgotten after thirty days without use. The embedder knows two subjects; `MiniLm`
//! and remote models have the same trait. This prints
//!
//! ```text
//! ann, monday: noted
//! ann, tuesday: you like figs
//! bob, tuesday: I know nothing about that
//! ```

use std::{error::Error, sync::Arc, time::Duration};

use serde_json::json;
use superstep::{
    Caller, Store,
    future::BoxFuture,
    model::{
        Message,
        script::{Script, Step, When},
    },
    prelude::*,
    store::{Embedder, Namespace, PutOptions, Search, StoreError},
    tools::{Agent, Policy, ToolCtx, ToolError, Tools, agent::say},
};

fn facts(caller: &Caller) -> Result<Namespace, ToolError> {
    let owner = caller.owner().ok_or("sign in first")?;
    Ok(Namespace::new(["facts", owner])?)
}

/// Remembers a fact about the user.
#[tool(write, idempotent)]
async fn remember(
    /// The fact, in a sentence.
    fact: String,
    caller: Caller,
    store: Store,
    ctx: ToolCtx,
) -> Result<String, ToolError> {
    let month = Duration::from_secs(30 * 24 * 3600);
    let options = PutOptions {
        ttl: Some(month),
        ..PutOptions::default()
    };
    store
        .put(&facts(&caller)?, ctx.key(), json!(fact), options)
        .await?;
    Ok("noted".to_owned())
}

/// Finds what is known about the user.
#[tool(read)]
async fn recall(
    /// What about.
    question: String,
    caller: Caller,
    store: Store,
) -> Result<String, ToolError> {
    let search = Search {
        prefix: facts(&caller)?.into(),
        query: Some(question),
        limit: 1,
        ..Search::default()
    };
    let found = store.search(search).await?;
    let fact = found.first().and_then(|found| found.item.value.as_str());
    Ok(fact.unwrap_or("I know nothing about that").to_owned())
}

struct Subjects;

impl Embedder for Subjects {
    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vec<f32>>, StoreError>> {
        let subjects = [["figs", "eat"], ["clocks", "work"]];
        let about =
            |text: &str, words: [&str; 2]| f32::from(words.iter().any(|it| text.contains(it)));
        let vector = |text: &String| subjects.map(|words| about(text, words)).to_vec();
        let vectors = texts.iter().map(vector).collect();
        Box::pin(async move { Ok(vectors) })
    }

    fn id(&self) -> &str {
        "subjects-1"
    }

    fn dimensions(&self) -> usize {
        2
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let model = Script::new([
        Step::call("remember", json!({"fact": "you like figs"}))
            .when(When::contains("I like figs")),
        Step::call("recall", json!({"question": "what do I eat?"}))
            .when(When::contains("breakfast")),
        Step::text("done").always(),
    ]);
    let graph = Agent::new(Arc::new(model))
        .tools(Tools::builder().tool(Remember).tool(Recall).build()?)
        .policy(Policy::default().allow("remember"))
        .graph()
        .saver(MemorySaver::default())
        .store(MemoryStore::new().with_embedder(Subjects))
        .build()?;
    for (user, day, words) in [
        ("ann", "monday", "I like figs"),
        ("ann", "tuesday", "what shall I have for breakfast?"),
        ("bob", "tuesday", "what shall I have for breakfast?"),
    ] {
        let graph = graph.for_caller(Caller::new(user));
        let thread = format!("{user} {day}");
        let outcome = graph.run(thread, say(Message::user(words))).await?;
        let heard = outcome
            .state()
            .messages
            .iter()
            .rev()
            .nth(1)
            .map(Message::text);
        println!("{user}, {day}: {}", heard.unwrap_or_default());
    }
    Ok(())
}
