//! Memory beyond a thread: what a graph learns in one conversation, it knows in the next.
//!
//! A thread's state belongs to that thread. The store belongs to all of them: documents under a
//! namespace and a key, found by prefix and filter. This prints
//!
//! ```text
//! monday    ann on food: ["likes figs"]
//! tuesday   ann on work: ["is a pilot"]
//! wednesday ann on food: ["likes figs","hates mint"]
//! thursday  bob on food: ["likes mint"]
//! users.ann.facts/monday = {"about":"food","fact":"likes figs"}
//! users.ann.facts/tuesday = {"about":"work","fact":"is a pilot"}
//! users.ann.facts/wednesday = {"about":"food","fact":"hates mint"}
//! users.bob.facts/thursday = {"about":"food","fact":"likes mint"}
//! ```

use std::{error::Error, sync::Arc};

use serde_json::{Value as Json, json};
use superstep::{
    Backends, Failure, MemorySaver, MemoryStore, RunOptions, Value,
    dynamic::{DynCtx, DynGraphBuilder, Halt, START},
    store::{Filter, Namespace, Prefix, PutOptions, Search, Store},
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let store = Arc::new(MemoryStore::new());
    let graph = DynGraphBuilder::new()
        .last_value("user")
        .last_value("fact")
        .last_value("about")
        .last_value("known")
        .node("remember", remember)
        .node("recall", recall)
        .edge(START, "remember")
        .edge("remember", "recall")
        .backends(Backends {
            store: Some(store.clone()),
            ..Backends::on(MemorySaver::new())
        })
        .build()?;

    let conversations = [
        ("monday", "ann", "food", "likes figs", 1),
        ("tuesday", "ann", "work", "is a pilot", 1),
        ("wednesday", "ann", "food", "hates mint", 2),
        ("thursday", "bob", "food", "likes mint", 1),
    ];
    for (thread, user, about, fact, expected) in conversations {
        let input = json!({ "user": user, "about": about, "fact": fact });
        let outcome = graph.invoke(input, &RunOptions::on(thread)).await?;
        let known = outcome.output.and_then(|state| state.get("known").cloned());
        let known = known.ok_or("the graph says what it knows")?;
        println!("{thread:9} {user} on {about}: {known}");
        if known.as_list().map(<[Value]>::len) != Some(expected) {
            return Err(format!("{expected} facts should be known").into());
        }
    }

    let everybody = Search {
        prefix: Prefix::new(["users"])?,
        ..Search::default()
    };
    for found in store.search(everybody).await? {
        println!(
            "{}/{} = {}",
            found.item.namespace, found.item.key, found.item.value
        );
    }
    Ok(())
}

fn facts(ctx: &DynCtx) -> Result<(Arc<dyn Store>, Namespace), Halt> {
    let store = ctx
        .store()
        .ok_or_else(|| Failure::new("Setup", "no store").permanent())?;
    let user: String = ctx.read("user")?;
    Ok((store.clone(), Namespace::new(["users", &user, "facts"])?))
}

async fn remember(ctx: DynCtx) -> Result<(), Halt> {
    let (store, namespace) = facts(&ctx)?;
    let thread = ctx.thread().map(ToString::to_string).unwrap_or_default();
    let fact = json!({ "about": ctx.get("about"), "fact": ctx.get("fact") });
    let put = store.put(&namespace, &thread, fact, PutOptions::default());
    put.await?;
    Ok(())
}

async fn recall(ctx: DynCtx) -> Result<Json, Halt> {
    let (store, namespace) = facts(&ctx)?;
    let search = Search {
        prefix: namespace.into(),
        filter: Filter::Eq("about".into(), ctx.read("about")?),
        ..Search::default()
    };
    let found = store.search(search).await?;
    let known = found
        .into_iter()
        .filter_map(|found| found.item.value.get("fact").cloned());
    Ok(json!({ "known": known.collect::<Vec<_>>() }))
}
