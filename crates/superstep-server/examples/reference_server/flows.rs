//! The graphs without a model.

use std::time::Duration;

use serde_json::{Value as Json, json};
use superstep::{
    BuildErrors, Failure,
    dynamic::{
        DynCommand, DynCtx, DynGraph, DynGraphBuilder, DynNodeOptions, DynReducer, END, Halt,
        START, Send,
    },
    store::{Namespace, PutOptions, TtlOnRead},
};

/// A text of the state; empty if there is none.
fn text(ctx: &DynCtx, key: &str) -> String {
    let value = ctx.get(key);
    value.as_str().unwrap_or_default().to_owned()
}

fn number(ctx: &DynCtx, key: &str) -> i64 {
    ctx.get(key).as_i64().unwrap_or_default()
}

/// Writes a draft and has a person review it, in the form of Agent Inbox.
pub(crate) fn hitl() -> Result<DynGraph, BuildErrors> {
    let write = |ctx: DynCtx| async move {
        let draft = format!("Draft about {}", text(&ctx, "topic"));
        Ok::<_, Halt>(json!({ "draft": draft }))
    };
    let publish = |ctx: DynCtx| async move {
        let draft = format!("{} [published]", text(&ctx, "draft"));
        Ok::<_, Halt>(json!({ "draft": draft }))
    };
    DynGraphBuilder::new()
        .last_value("topic")
        .last_value("draft")
        .last_value("outcome")
        .node("write_draft", write)
        .node_with(
            "review",
            review,
            DynNodeOptions {
                destinations: vec!["publish".into(), END.into()],
                ..DynNodeOptions::default()
            },
        )
        .node("publish", publish)
        .edge(START, "write_draft")
        .edge("write_draft", "review")
        .edge("publish", END)
        .build()
}

async fn review(ctx: DynCtx) -> Result<DynCommand, Halt> {
    let draft = text(&ctx, "draft");
    let request = json!({
        "action_request": { "action": "publish_draft", "args": { "draft": draft } },
        "config": {
            "allow_ignore": true,
            "allow_respond": true,
            "allow_edit": true,
            "allow_accept": true,
        },
        "description": "Review the draft before publishing",
    });
    let answer = ctx.ask(json!([request]))?.to_json();
    let answer = answer.get(0).unwrap_or(&answer);
    let on = |outcome: &str| DynCommand::goto("publish").set("outcome", outcome);
    Ok(match answer["type"].as_str() {
        Some("accept") => on("accepted"),
        Some("edit") => {
            let new = answer["args"]["args"]["draft"].as_str();
            on("edited").set("draft", new.unwrap_or_default())
        }
        Some("response") => {
            let said = answer["args"].as_str().unwrap_or_default();
            on("responded").set("draft", format!("{draft} | {said}"))
        }
        _ => DynCommand::goto(END).set("outcome", "ignored"),
    })
}

/// A graph of two nodes between two nodes; the last of the inner ones asks if it is told to.
pub(crate) fn nested() -> Result<DynGraph, BuildErrors> {
    let state = || {
        DynGraphBuilder::new()
            .reduce("trail", DynReducer::Add, json!([]))
            .last_value("ask")
    };
    let note = |name: &'static str| {
        move |_: DynCtx| async move { Ok::<_, Halt>(json!({ "trail": [name] })) }
    };
    let ask = |ctx: DynCtx| async move {
        let step = match ctx.get("ask").as_bool() {
            Some(true) => {
                let answer = ctx.ask(json!({ "question": "continue?" }))?.to_json();
                let answer = answer.as_str().map_or(answer.to_string(), str::to_owned);
                format!("child_b:{answer}")
            }
            _ => "child_b".to_owned(),
        };
        Ok::<_, Halt>(json!({ "trail": [step] }))
    };
    let child = state()
        .node("child_a", note("child_a"))
        .node("child_b", ask)
        .edge(START, "child_a")
        .edge("child_a", "child_b")
        .build()?;
    state()
        .node("before", note("before"))
        .subgraph("child", child, DynNodeOptions::default())
        .node("after", note("after"))
        .edge(START, "before")
        .edge("before", "child")
        .edge("child", "after")
        .build()
}

/// Counts slowly.
pub(crate) fn slow() -> Result<DynGraph, BuildErrors> {
    let tick = |ctx: DynCtx| async move {
        let n = number(&ctx, "done") + 1;
        let delay = ctx.get("delay").as_f64().filter(|delay| *delay > 0.0);
        let delay = Duration::try_from_secs_f64(delay.unwrap_or(0.2)).unwrap_or_default();
        tokio::time::sleep(delay).await;
        ctx.emit(json!({ "tick": n })).await;
        Ok::<_, Halt>(json!({ "done": n, "log": [format!("tick{n}")] }))
    };
    let finish = |_: DynCtx| async move { Ok::<_, Halt>(json!({ "log": ["finish"], "done": 0 })) };
    DynGraphBuilder::new()
        .last_value("ticks")
        .last_value("delay")
        .reduce("log", DynReducer::Add, json!([]))
        .last_value("done")
        .node("tick", tick)
        .node("finish", finish)
        .edge(START, "tick")
        .route_map(
            "tick",
            [("tick", "tick"), ("finish", "finish")],
            |state| -> Result<_, Failure> {
                let done = state.get("done")?.as_i64().unwrap_or_default();
                let ticks = state.get("ticks")?.as_i64().filter(|ticks| *ticks > 0);
                Ok(match done < ticks.unwrap_or(5) {
                    true => "tick",
                    false => "finish",
                })
            },
        )
        .build()
}

pub(crate) fn fail() -> Result<DynGraph, BuildErrors> {
    let boom = |_: DynCtx| async move {
        let failure = Failure::new("ValueError", "boom").permanent();
        Err::<Json, Halt>(failure.into())
    };
    DynGraphBuilder::new()
        .last_value("x")
        .node("boom", boom)
        .edge(START, "boom")
        .build()
}

/// Squares each item in a task of its own, and adds them up.
pub(crate) fn fanout() -> Result<DynGraph, BuildErrors> {
    let square = |ctx: DynCtx| async move {
        let item = ctx.input().get("item").and_then(|item| item.as_i64());
        let item = item.unwrap_or_default();
        Ok::<_, Halt>(json!({ "squares": [item * item] }))
    };
    let gather = |ctx: DynCtx| async move {
        let squares: Vec<i64> = ctx.read("squares")?;
        Ok::<_, Halt>(json!({ "total": squares.iter().sum::<i64>() }))
    };
    DynGraphBuilder::new()
        .last_value("items")
        .reduce("squares", DynReducer::Add, json!([]))
        .last_value("total")
        .node("square", square)
        .node("gather", gather)
        .route_map(
            START,
            [("square", "square")],
            |state| -> Result<_, Failure> {
                let items = state.get("items")?;
                let items = items.as_list().unwrap_or_default().iter();
                let send = |item: &superstep::Value| {
                    Send::new("square", json!({ "item": item.to_json() }))
                };
                Ok(items.map(send).collect::<Vec<_>>())
            },
        )
        .edge("square", "gather")
        .build()
}

/// Asks two questions at once.
pub(crate) fn twoasks() -> Result<DynGraph, BuildErrors> {
    let ask = |side: &'static str| {
        move |ctx: DynCtx| async move {
            let answer = ctx.ask(json!({ "side": side }))?.to_json();
            let answer = answer.as_str().map_or(answer.to_string(), str::to_owned);
            Ok::<_, Halt>(json!({ "answers": [format!("{side}={answer}")] }))
        }
    };
    DynGraphBuilder::new()
        .reduce("answers", DynReducer::Add, json!([]))
        .node("ask_left", ask("left"))
        .node("ask_right", ask("right"))
        .edge(START, "ask_left")
        .edge(START, "ask_right")
        .build()
}

/// Reads an item of the long-term store, and writes it if there is something to write.
pub(crate) fn memory() -> Result<DynGraph, BuildErrors> {
    let remember = |ctx: DynCtx| async move {
        let broken = |error: String| Failure::new("StoreError", error);
        let store = ctx
            .store()
            .ok_or_else(|| broken("there is none".to_owned()))?;
        let space = Namespace::new(["acceptance", "memory"]);
        let space = space.map_err(|error| broken(error.to_string()))?;
        let key = text(&ctx, "key");
        let old = store.get(&space, &key, TtlOnRead::Keep).await;
        let old = old.map_err(|error| broken(error.to_string()))?;
        if let Some(value) = ctx.get("value").as_str() {
            let value = json!({ "value": value });
            let put = store.put(&space, &key, value, PutOptions::default()).await;
            put.map_err(|error| broken(error.to_string()))?;
        }
        Ok::<_, Halt>(json!({ "seen": old.map(|item| item.value) }))
    };
    DynGraphBuilder::new()
        .last_value("key")
        .last_value("value")
        .last_value("seen")
        .node("remember", remember)
        .edge(START, "remember")
        .build()
}

/// Greets in the tone of its context.
pub(crate) fn ctx() -> Result<DynGraph, BuildErrors> {
    let greet = |ctx: DynCtx| async move {
        let tone = ctx.context().get("tone").and_then(|tone| tone.as_str());
        let greeting = format!("{}: hello {}", tone.unwrap_or("plain"), text(&ctx, "name"));
        Ok::<_, Halt>(json!({ "greeting": greeting }))
    };
    DynGraphBuilder::new()
        .last_value("name")
        .last_value("greeting")
        .node("greet", greet)
        .edge(START, "greet")
        .build()
}

/// So many nodes in a row, each of which adds one.
pub(crate) fn chain(nodes: usize) -> Result<DynGraph, BuildErrors> {
    let mut graph = DynGraphBuilder::new().last_value("n");
    let mut before = START.to_owned();
    for n in 0..nodes {
        let name = format!("n{n}");
        let add = |ctx: DynCtx| async move { Ok::<_, Halt>(json!({ "n": number(&ctx, "n") + 1 })) };
        graph = graph.node(&*name, add).edge(&*before, &*name);
        before = name;
    }
    graph.build()
}
