//! Going back behind an effect: refused unless the caller means it, at every door.

use serde_json::json;
use superstep_core::{
    Value,
    command::END,
    edit::{AS_COPY, Update},
    error::ErrorKind,
    id::{CheckpointId, ThreadId},
    past::Certainty,
    record::Effect,
    run::{EffectError, Halt},
    saver::HistoryQuery,
    snapshot::Snapshot,
};
use superstep_engine::{
    CallTask, CheckpointRef, DynCtx, DynGraph, DynGraphBuilder, DynNodeOptions, RunOptions, input,
    state::Depth,
};

use crate::fixture::{Count, object, one, saved, writes};

/// `before`, then `pay`, which does something once, then `after`.
fn shop(pay: &Count, is_sure: bool) -> DynGraph {
    shop_with(payment(pay, is_sure))
}

fn payment(pay: &Count, is_sure: bool) -> impl superstep_engine::Node {
    let pay = pay.clone();
    move |ctx: DynCtx| {
        let pay = pay.clone();
        async move {
            let paid = || async move {
                let n = pay.up();
                match is_sure {
                    true => Ok(n),
                    false => Err(EffectError::from(superstep_core::Failure::new(
                        "Lost", "no answer",
                    ))),
                }
            };
            let n: usize = ctx.once("pay", paid).await?;
            Ok::<_, Halt>(Value::map([("x", Value::from(n as i64))]))
        }
    }
}

fn shop_with(pay: impl superstep_engine::Node) -> DynGraph {
    DynGraphBuilder::new()
        .last_value("x")
        .node("before", writes(object(json!({}))))
        .node("pay", pay)
        .node("after", writes(object(json!({}))))
        .edge("__start__", "before")
        .edge("before", "pay")
        .edge("pay", "after")
        .backends(saved())
        .build()
        .expect("it builds")
}

async fn history(graph: &DynGraph) -> Vec<Snapshot> {
    graph
        .history(&"t".into(), &"".into(), &HistoryQuery::default())
        .await
        .expect("a history")
}

/// The checkpoint at which a node is about to run.
async fn before(graph: &DynGraph, node: &str) -> CheckpointId {
    let history = history(graph).await;
    let found = history
        .iter()
        .rev()
        .find(|it| it.next.iter().any(|next| **next == *node));
    found
        .and_then(|it| it.checkpoint)
        .expect("it was about to run")
}

fn copy() -> Update {
    Update {
        as_node: Some(AS_COPY.into()),
        ..Update::default()
    }
}

fn is_refused(error: &superstep_core::Error) -> Vec<Certainty> {
    assert_eq!(error.code(), "SS1205", "{error}");
    match &*error.kind {
        ErrorKind::RepeatsEffects { effects } => {
            assert!(effects.iter().all(|it| &*it.node == "pay"), "{error}");
            effects.iter().map(|it| it.effect.certainty).collect()
        }
        _ => panic!("{error}"),
    }
}

#[tokio::test]
async fn no_run_and_no_edit_goes_back_behind_an_effect_unasked() {
    let pay = Count::default();
    let graph = shop(&pay, true);
    let (thread, options) = (ThreadId::from("t"), RunOptions::on("t"));
    graph
        .invoke(object(json!({})), &options)
        .await
        .expect("it runs");
    let steps = history(&graph).await.len();
    for node in ["before", "pay"] {
        let at = CheckpointRef::root(before(&graph, node).await);
        let back = RunOptions {
            at: Some(at.clone()),
            ..options.clone()
        };
        for fed in [
            input::go_on(),
            object(json!({})).into(),
            input::resume("yes"),
        ] {
            let error = graph.invoke(fed, &back).await.expect_err("it is refused");
            assert_eq!(is_refused(&error), [Certainty::Happened]);
            assert!(error.to_string().contains("`pay`"), "{error}");
        }
        let error = graph.update_state(&thread, Some(&at), copy()).await;
        is_refused(&error.expect_err("it is refused"));
    }
    assert_eq!(history(&graph).await.len(), steps, "nothing was stored");
    // What comes after it repeats nothing.
    let at = Some(CheckpointRef::root(before(&graph, "after").await));
    let later = RunOptions {
        at,
        ..options.clone()
    };
    graph.invoke(input::go_on(), &later).await.expect("it runs");
    assert_eq!(pay.get(), 1);
    // Who means it says so.
    let at = CheckpointRef::root(before(&graph, "pay").await).repeating();
    let back = RunOptions {
        at: Some(at),
        ..options.clone()
    };
    graph.invoke(input::go_on(), &back).await.expect("it runs");
    assert_eq!(pay.get(), 2);
}

#[tokio::test]
async fn an_effect_of_which_nobody_knows_whether_it_happened_counts_until_it_is_settled() {
    let pay = Count::default();
    let graph = shop(&pay, false);
    let (thread, options) = (ThreadId::from("t"), RunOptions::on("t"));
    graph
        .invoke(object(json!({})), &options)
        .await
        .expect_err("nobody knows");
    let at = CheckpointRef::root(before(&graph, "pay").await);
    let error = graph.update_state(&thread, Some(&at), copy()).await;
    assert_eq!(
        is_refused(&error.expect_err("it is refused")),
        [Certainty::Unknown]
    );
    // The newest checkpoint forgets its tasks too, unless it is their end that is edited.
    let error = graph.update_state(&thread, None, copy()).await;
    is_refused(&error.expect_err("it is refused"));
    let back = RunOptions {
        at: Some(at.clone()),
        ..options.clone()
    };
    let error = graph.invoke(input::go_on(), &back).await;
    is_refused(&error.expect_err("it is refused"));
    assert_eq!(pay.get(), 1);
    let undone = superstep_core::record::Effect::Failed;
    graph
        .settle(&thread, "pay", &undone)
        .await
        .expect("it is settled");
    graph
        .update_state(&thread, Some(&at), copy())
        .await
        .expect("it goes back");
}

fn as_node(node: &str) -> Update {
    Update {
        as_node: Some(node.into()),
        ..Update::default()
    }
}

#[tokio::test]
async fn what_nobody_knows_is_forgotten_by_no_input_and_no_edit_unasked() {
    let pay = Count::default();
    let graph = shop(&pay, false);
    graph
        .invoke(object(json!({})), &RunOptions::on("t"))
        .await
        .expect_err("nobody knows");
    graph
        .copy_thread(&"t".into(), &"copy".into())
        .await
        .expect("a copy");
    let steps = history(&graph).await.len();
    let here = CheckpointRef::root(before(&graph, "pay").await);
    for name in ["t", "copy"] {
        let thread = ThreadId::from(name);
        for at in [None, Some(CheckpointRef::default()), Some(here.clone())] {
            let options = RunOptions {
                at: at.clone(),
                ..RunOptions::on(name)
            };
            let error = graph.invoke(object(json!({})), &options).await;
            let error = error.expect_err("it is refused");
            assert_eq!(is_refused(&error), [Certainty::Unknown], "{name}: {at:?}");
            assert!(error.to_string().contains("may have happened"), "{error}");
            for node in ["pay", "before", END] {
                let edited = graph.update_state(&thread, at.as_ref(), as_node(node));
                is_refused(&edited.await.expect_err("it is refused"));
            }
        }
    }
    // The end at an earlier step forgets it too.
    let early = CheckpointRef::root(before(&graph, "before").await);
    let ended = graph
        .update_state(&"t".into(), Some(&early), as_node(END))
        .await;
    is_refused(&ended.expect_err("it is refused"));
    assert_eq!(history(&graph).await.len(), steps, "nothing was stored");
    assert_eq!(pay.get(), 1);
    // Who means it says so.
    let meant = RunOptions {
        at: Some(CheckpointRef::default().repeating()),
        ..RunOptions::on("t")
    };
    let error = graph.invoke(object(json!({})), &meant).await;
    assert_ne!(error.expect_err("nobody knows").code(), "SS1205");
    assert_eq!(pay.get(), 2);
    // What is settled is known.
    let undone = superstep_core::record::Effect::Failed;
    graph
        .settle(&"copy".into(), "pay", &undone)
        .await
        .expect("it is settled");
    let error = graph
        .invoke(object(json!({})), &RunOptions::on("copy"))
        .await;
    assert_ne!(error.expect_err("nobody knows").code(), "SS1205");
    assert_eq!(pay.get(), 3);
}

#[tokio::test]
async fn what_is_known_to_have_happened_is_dropped_by_input_an_edit_as_the_node_or_the_end() {
    let asks = || {
        shop_with(|ctx: DynCtx| async move {
            ctx.once("pay", || async { Ok(1) }).await?;
            ctx.ask("and now?")?;
            Ok::<_, Halt>(Value::map([("x", Value::from(1))]))
        })
    };
    let graph = asks();
    for _ in 0..2 {
        let fed = graph.invoke(object(json!({})), &RunOptions::on("t")).await;
        assert_eq!(fed.expect("it asks").asks.len(), 1);
    }
    for node in ["pay", END] {
        let graph = asks();
        graph
            .invoke(object(json!({})), &RunOptions::on("t"))
            .await
            .expect("it asks");
        graph
            .update_state(&"t".into(), None, as_node(node))
            .await
            .expect("it is edited");
        graph
            .invoke(input::go_on(), &RunOptions::on("t"))
            .await
            .ok();
        let state = graph.state(&"t".into(), None, Depth::Here).await;
        assert!(state.expect("a state").next.is_empty(), "{node}");
    }
}

#[tokio::test]
async fn what_nobody_knows_of_a_graph_below_is_not_forgotten() {
    let pay = Count::default();
    for is_sure in [false, true] {
        let child = DynGraphBuilder::new()
            .last_value("x")
            .node("inner", payment(&pay, is_sure))
            .edge("__start__", "inner")
            .build()
            .expect("it builds");
        let middle = DynGraphBuilder::new()
            .last_value("x")
            .subgraph("middle", child, DynNodeOptions::default())
            .edge("__start__", "middle")
            .build()
            .expect("it builds");
        let graph = DynGraphBuilder::new()
            .last_value("x")
            .node("before", writes(object(json!({}))))
            .subgraph("pay", middle, DynNodeOptions::default())
            .edge("__start__", "before")
            .edge("before", "pay")
            .backends(saved())
            .build()
            .expect("it builds");
        let options = RunOptions::on("t");
        let first = graph.invoke(object(json!({})), &options).await;
        assert_eq!(first.is_ok(), is_sure);
        let second = graph.invoke(object(json!({})), &options).await;
        match is_sure {
            true => {
                second.expect("it runs again");
            }
            false => {
                let error = second.expect_err("it is refused");
                assert_eq!(is_refused(&error), [Certainty::Unknown]);
            }
        }
    }
    assert_eq!(pay.get(), 3);
}

#[tokio::test]
async fn an_effect_of_a_graph_below_counts() {
    let pay = Count::default();
    let child = DynGraphBuilder::new()
        .last_value("x")
        .node("inner", payment(&pay, true))
        .edge("__start__", "inner")
        .build()
        .expect("it builds");
    let graph = DynGraphBuilder::new()
        .last_value("x")
        .node("before", writes(object(json!({}))))
        .subgraph("pay", child, DynNodeOptions::default())
        .edge("__start__", "before")
        .edge("before", "pay")
        .backends(saved())
        .build()
        .expect("it builds");
    graph
        .invoke(object(json!({})), &RunOptions::on("t"))
        .await
        .expect("it runs");
    let at = CheckpointRef::root(before(&graph, "pay").await);
    let error = graph.update_state(&"t".into(), Some(&at), copy()).await;
    is_refused(&error.expect_err("it is refused"));
    assert_eq!(pay.get(), 1);
}

#[tokio::test]
async fn timers_are_no_effects_and_an_answer_at_the_newest_checkpoint_goes_on() {
    let graph = shop_with(|ctx: DynCtx| async move {
        ctx.sleep(std::time::Duration::from_millis(1)).await?;
        ctx.once("note", || async { Ok(1) }).await?;
        ctx.ask("and now?")?;
        Ok::<_, Halt>(Value::map([("x", Value::from(1))]))
    });
    let options = RunOptions::on("t");
    graph
        .invoke(object(json!({})), &options)
        .await
        .expect("it asks");
    let at = Some(CheckpointRef::root(before(&graph, "pay").await));
    let here = RunOptions {
        at,
        ..options.clone()
    };
    graph
        .invoke(input::resume("on"), &here)
        .await
        .expect("it continues");
    let at = CheckpointRef::root(before(&graph, "before").await);
    let effects = graph
        .effects_since(&"t".into(), &at)
        .await
        .expect("effects");
    let keys: Vec<&str> = effects.iter().map(|it| it.effect.key.as_str()).collect();
    assert_eq!(keys, ["note"]);
}

/// A node that pays in a call, in a graph that it runs, or in one that is declared, and then asks.
fn shops_that_ask(pay: &Count) -> Vec<DynGraph> {
    let child = || {
        DynGraphBuilder::new()
            .last_value("x")
            .node("inner", payment(pay, true))
            .edge("__start__", "inner")
            .build()
            .expect("it builds")
    };
    let (counted, run) = (pay.clone(), child());
    let calls = move |ctx: DynCtx| {
        let pay = counted.clone();
        let task = CallTask::new("called", move |ctx: DynCtx, _| {
            let pay = pay.clone();
            async move {
                let n: usize = ctx.once("pay", || async move { Ok(pay.up()) }).await?;
                Ok(Value::from(n as i64))
            }
        });
        async move {
            ctx.call(&task, Vec::new()).await?;
            ctx.ask("go on?")?;
            Ok::<_, Halt>(Value::Null)
        }
    };
    let runs = move |ctx: DynCtx| {
        let child = run.clone();
        async move {
            ctx.run_graph(&child, json!({})).await?;
            ctx.ask("go on?")?;
            Ok::<_, Halt>(Value::Null)
        }
    };
    let asks = |ctx: DynCtx| async move {
        ctx.ask("go on?")?;
        Ok::<_, Halt>(Value::Null)
    };
    let below = DynGraphBuilder::new()
        .last_value("x")
        .node("inner", payment(pay, true))
        .node("asks", asks)
        .edge("__start__", "inner")
        .edge("inner", "asks")
        .build()
        .expect("it builds");
    let declared = DynGraphBuilder::new()
        .last_value("x")
        .node("before", writes(object(json!({}))))
        .subgraph("pay", below, DynNodeOptions::default())
        .edge("__start__", "before")
        .edge("before", "pay")
        .backends(saved())
        .build()
        .expect("it builds");
    vec![shop_with(calls), shop_with(runs), declared]
}

#[tokio::test]
async fn what_an_open_task_has_paid_in_a_call_or_a_graph_is_not_paid_again_unasked() {
    for at in 0..3 {
        let pay = Count::default();
        let graph = shops_that_ask(&pay).swap_remove(at);
        let (thread, options) = (ThreadId::from("t"), RunOptions::on("t"));
        graph
            .invoke(object(json!({})), &options)
            .await
            .expect("it asks");
        let head = CheckpointRef::root(before(&graph, "pay").await);
        let as_before = Update {
            as_node: Some("before".into()),
            ..Update::default()
        };
        for update in [copy(), as_before] {
            let edited = graph.update_state(&thread, Some(&head), update).await;
            assert_eq!(
                is_refused(&edited.expect_err("it is refused")),
                [Certainty::Happened]
            );
        }
        let again = RunOptions {
            at: Some(head),
            ..options.clone()
        };
        let rerun = graph.invoke(input::go_on(), &again).await;
        is_refused(&rerun.expect_err("it is refused"));
        // The answer continues, and what is known to have happened may be dropped by new input.
        graph
            .invoke(input::resume("yes"), &options)
            .await
            .expect("it continues");
        assert_eq!(pay.get(), 1, "{at}");
    }
}

#[tokio::test]
async fn what_nobody_knows_of_a_graph_that_a_node_runs_is_not_forgotten() {
    let pay = Count::default();
    let child = DynGraphBuilder::new()
        .last_value("x")
        .node("inner", payment(&pay, false))
        .edge("__start__", "inner")
        .build()
        .expect("it builds");
    let graph = shop_with(move |ctx: DynCtx| {
        let child = child.clone();
        async move {
            ctx.run_graph(&child, json!({})).await?;
            Ok::<_, Halt>(Value::Null)
        }
    });
    let (thread, options) = (ThreadId::from("t"), RunOptions::on("t"));
    graph
        .invoke(object(json!({})), &options)
        .await
        .expect_err("it is lost");
    let again = graph.invoke(object(json!({})), &options).await;
    assert_eq!(
        is_refused(&again.expect_err("it is refused")),
        [Certainty::Unknown]
    );
    let edited = graph.update_state(&thread, None, copy()).await;
    is_refused(&edited.expect_err("it is refused"));
    // A person finds out, and the thread continues.
    graph
        .settle(&thread, "pay", &Effect::Done(Value::from(1)))
        .await
        .expect("it is settled");
    graph
        .invoke(input::go_on(), &options)
        .await
        .expect("it continues");
    assert_eq!(pay.get(), 1);
}

/// `before`, then `pay` and, beside it, `other`, which asks.
fn beside(pay: &Count) -> DynGraph {
    DynGraphBuilder::new()
        .last_value("x")
        .last_value("y")
        .node("before", writes(object(json!({ "y": 1 }))))
        .node("pay", payment(pay, true))
        .node("other", |ctx: DynCtx| async move {
            ctx.ask("and now?")?;
            Ok::<_, Halt>(())
        })
        .edge("__start__", "before")
        .edge("before", "pay")
        .edge("before", "other")
        .backends(saved())
        .build()
        .expect("it builds")
}

#[tokio::test]
async fn a_step_that_is_open_is_not_begun_anew_behind_what_has_finished_in_it() {
    let pay = Count::default();
    let graph = beside(&pay);
    let (thread, options) = (ThreadId::from("t"), RunOptions::on("t"));
    let asked = graph.invoke(object(json!({})), &options).await;
    assert_eq!(asked.expect("it asks").asks.len(), 1);
    let steps = history(&graph).await.len();
    let at = CheckpointRef::root(before(&graph, "other").await);
    let back = RunOptions {
        at: Some(at.clone()),
        ..options.clone()
    };
    let run = graph.invoke(input::go_on(), &back).await;
    is_refused(&run.expect_err("it would run `pay` again"));
    let edit = |as_node: Option<&str>| Update {
        output: superstep_core::command::Output::Update(object(json!({ "y": 2 }))),
        as_node: as_node.map(Into::into),
    };
    for (at, update) in [
        (Some(&at), copy()),
        (Some(&at), edit(None)),
        (None, edit(None)),
        (None, edit(Some("before"))),
    ] {
        let edited = graph.update_state(&thread, at, update).await;
        is_refused(&edited.expect_err("`pay` would run again"));
    }
    assert_eq!(history(&graph).await.len(), steps, "nothing was stored");
    // What acts for the node that asks ends the step, and nothing runs a second time.
    let edited = graph.update_state(&thread, None, edit(Some("other")));
    edited.await.expect("nothing is repeated");
    graph
        .invoke(input::go_on(), &options)
        .await
        .expect("it continues");
    assert_eq!(pay.get(), 1);
}

#[tokio::test]
async fn of_several_unknown_effects_with_one_key_each_is_settled_by_itself() {
    use superstep_core::command::{Command, Goto, Output, Send};

    let pay = Count::default();
    let sends = |_: DynCtx| async {
        let send = |n: i64| Goto::Send(Send::new("pay", n));
        Ok::<_, Halt>(Output::Command(Command {
            goto: vec![send(1), send(2)],
            ..Command::default()
        }))
    };
    let graph = DynGraphBuilder::new()
        .last_value("x")
        .reduce(
            "paid",
            superstep_core::reducer::Reducer::Add,
            Value::list([]),
        )
        .node("start", sends)
        .node("pay", {
            let pay = pay.clone();
            move |ctx: DynCtx| {
                let pay = pay.clone();
                async move {
                    let lost = || async move {
                        pay.up();
                        Err::<i64, _>(EffectError::from(superstep_core::Failure::new(
                            "Lost", "no answer",
                        )))
                    };
                    let receipt: i64 = ctx.once("pay", lost).await?;
                    let line = Value::list([Value::from(receipt)]);
                    Ok::<_, Halt>(Value::map([("paid", line)]))
                }
            }
        })
        .edge("__start__", "start")
        .backends(saved())
        .build()
        .expect("it builds");
    let (thread, options) = (ThreadId::from("t"), RunOptions::on("t"));
    let run = graph.invoke(object(json!({})), &options).await;
    assert_eq!(run.expect_err("nobody knows").code(), "SS1202");
    let done = |n: i64| Effect::Done(Value::from(n));
    let both = graph.settle(&thread, "pay", &done(7)).await;
    assert_eq!(both.expect_err("there are two").code(), "SS1206");
    let listed = graph.unknown_effects(&thread).await.expect("a list");
    let sent: Vec<&Value> = listed.iter().map(|it| &it.input).collect();
    assert_eq!(sent, [&Value::from(1), &Value::from(2)]);
    for (effect, receipt) in listed.iter().zip([11, 22]) {
        let settled = graph.settle(&thread, effect, &done(receipt)).await;
        settled.expect("it is settled");
    }
    let again = graph.settle(&thread, &listed[0], &done(7)).await;
    assert_eq!(again.expect_err("it is settled already").code(), "SS1108");
    let outcome = graph.invoke(input::go_on(), &options).await.expect("done");
    let paid = outcome.output.expect("a state").get("paid").cloned();
    assert_eq!(paid, Some(Value::list([11.into(), 22.into()])));
    assert_eq!(pay.get(), 2);
}

#[tokio::test]
async fn a_list_of_unknown_effects_settles_none_of_a_later_run() {
    let pay = Count::default();
    let p = pay.clone();
    let graph = one(move |ctx: DynCtx| {
        let pay = p.clone();
        async move {
            let lost = || async move {
                pay.up();
                let lost = superstep_core::Failure::new("Lost", "no answer");
                Err::<i64, _>(EffectError::from(lost))
            };
            let receipt: i64 = ctx.once("pay", lost).await?;
            Ok::<_, Halt>(Value::map([("x", Value::from(receipt))]))
        }
    });
    let graph = graph.backends(saved()).build().expect("it builds");
    let (thread, options) = (ThreadId::from("t"), RunOptions::on("t"));
    let mut lists = Vec::new();
    for _ in 0..2 {
        let run = graph.invoke(object(json!({ "x": 0 })), &options).await;
        assert_eq!(run.expect_err("nobody knows").code(), "SS1202");
        let listed = graph.unknown_effects(&thread).await.expect("a list");
        let effect = listed.first().expect("one").clone();
        if let Some(stale) = lists.last() {
            let settled = graph.settle(&thread, stale, &Effect::Failed).await;
            assert_eq!(settled.expect_err("it is another").code(), "SS1108");
        }
        let done = Effect::Done(Value::from(7));
        let settled = graph.settle(&thread, &effect, &done).await;
        settled.expect("it is settled");
        let outcome = graph.invoke(input::go_on(), &options).await.expect("done");
        let x = outcome.output.expect("a state").get("x").cloned();
        assert_eq!(x, Some(Value::from(7)));
        lists.push(effect);
    }
    assert_eq!(pay.get(), 2);
}
