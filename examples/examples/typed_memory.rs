//! A memory that all threads of a typed graph share: by user, searched with a filter, forgotten after a while.
//!
//! The caller of the run says for whom it works, so that no node can take another user's notes. This prints
//!
//! ```text
//! ann remembers ["tea at four"]
//! bob remembers []
//! ann's passing thought is gone, 1 note stays
//! ```

use std::{error::Error, sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};
use serde_json::json;
use superstep::{
    Caller, MemoryStore, Store,
    clock::ManualClock,
    prelude::*,
    store::{Filter, Namespace, Prefix, PutOptions, Search, Store as _},
};

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Chat {
    note: Option<String>,
    known: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    Keep,
    Recall,
}

fn notes(caller: &Caller) -> Result<Namespace, NodeError> {
    let owner = caller.owner().ok_or("sign in first")?;
    Ok(Namespace::new(["notes", owner])?)
}

async fn keep(chat: Snap<Chat>, caller: Caller, store: Store) -> Result<(), NodeError> {
    let Some(note) = &chat.note else {
        return Ok(());
    };
    let lasting = json!({ "text": note, "kind": "habit" });
    store
        .put(&notes(&caller)?, "habit", lasting, PutOptions::default())
        .await?;
    let passing = PutOptions {
        ttl: Some(Duration::from_secs(60)),
        ..PutOptions::default()
    };
    let thought = json!({ "text": "hm", "kind": "thought" });
    store
        .put(&notes(&caller)?, "thought", thought, passing)
        .await?;
    Ok(())
}

async fn recall(caller: Caller, store: Store) -> Result<ChatUpdate, NodeError> {
    let habits = Search {
        prefix: notes(&caller)?.into(),
        filter: Filter::Eq("kind".into(), "habit".into()),
        ..Search::default()
    };
    let found = store.search(habits).await?;
    let texts = found
        .iter()
        .filter_map(|found| found.item.value.get("text")?.as_str());
    Ok(Chat::update().known(texts.map(str::to_owned).collect::<Vec<_>>()))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let clock = Arc::new(ManualClock::at(0));
    let store = Arc::new(MemoryStore::new().with_clock(clock.clone()));
    let graph = Graph::<Chat, Node>::builder()
        .saver(MemorySaver::new())
        .store(store.clone())
        .node(Node::Keep, keep)
        .node(Node::Recall, recall)
        .start(Node::Keep)
        .edge(Node::Keep, Node::Recall)
        .finish(Node::Recall)
        .build()?;
    let of = |name: &str| graph.for_caller(Caller::new(name));

    let ann = of("ann")
        .run("monday", Chat::update().note("tea at four".to_owned()))
        .await?;
    println!("ann remembers {:?}", ann.state().known);
    let bob = of("bob").run("tuesday", Chat::default()).await?;
    println!("bob remembers {:?}", bob.state().known);

    clock.advance(Duration::from_secs(61));
    let all = Search {
        prefix: Prefix::new(["notes"])?,
        ..Search::default()
    };
    let left = store.search(all).await?;
    println!("ann's passing thought is gone, {} note stays", left.len());
    match (ann.state().known.len(), bob.state().known.len(), left.len()) {
        (1, 0, 1) => Ok(()),
        _ => Err("a memory is its user's, and forgets".into()),
    }
}
