//! Effects journaled with `ctx.once`.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::json;

use superstep_core::{
    Failure, Value,
    channel::{ChannelKind, ChannelSpec},
    error::SaverError,
    future::MaybeReady,
    policy::{Durability, RetryOn, RetryPolicy, Timeouts},
    record::Effect,
    reducer::Reducer,
    run::{EffectError, Halt},
    saver::{Notes, Saver, SaverLayer},
};
use superstep_engine::{
    Backends, CallTask, DynCtx, DynGraphBuilder, DynNodeOptions, Node, RunOptions, input,
    memory::MemorySaver, state::Depth,
};
use tokio::sync::Notify;

use crate::fixture::{Count, object, one, saved};

#[tokio::test]
async fn an_effect_happens_once_over_a_failure_and_an_answer() {
    let (sent, runs) = (Count::default(), Count::default());
    let (s, r) = (sent.clone(), runs.clone());
    let graph = one(move |ctx: DynCtx| {
        let (sent, runs) = (s.clone(), r.clone());
        async move {
            let receipt: usize = ctx.once("send", || async move { Ok(sent.up()) }).await?;
            let answer = ctx.ask("and now?")?;
            if runs.up() == 1 {
                return Err(Failure::new("Network", "gone").into());
            }
            Ok::<_, Halt>(Value::map([(
                "x",
                Value::list([Value::from(receipt as i64), answer]),
            )]))
        }
    })
    .backends(saved())
    .build()
    .expect("it builds");
    let options = RunOptions::on("t");
    graph
        .invoke(object(json!({})), &options)
        .await
        .expect("it asks");
    graph
        .invoke(input::resume("go"), &options)
        .await
        .expect_err("it fails after the answer");
    let outcome = graph
        .invoke(input::go_on(), &options)
        .await
        .expect("it goes on");
    assert_eq!(
        outcome.output.expect("output").to_json(),
        json!({ "x": [1, "go"] })
    );
    assert_eq!(sent.get(), 1);
}

#[tokio::test]
async fn an_effect_that_says_it_did_not_happen_may_be_tried_again() {
    let tries = Count::default();
    let t = tries.clone();
    let graph = one(move |ctx: DynCtx| {
        let tries = t.clone();
        async move {
            let sent = || async move {
                match tries.up() {
                    1 => Err(EffectError::not_done(Failure::new("Refused", "not now"))),
                    n => Ok(n),
                }
            };
            let n: usize = ctx.once("send", sent).await?;
            Ok::<_, Halt>(Value::map([("x", Value::from(n as i64))]))
        }
    })
    .backends(saved())
    .build()
    .expect("it builds");
    graph
        .invoke(object(json!({})), &RunOptions::on("t"))
        .await
        .expect_err("refused");
    let outcome = graph
        .invoke(input::go_on(), &RunOptions::on("t"))
        .await
        .expect("second try");
    assert_eq!(outcome.output.expect("output").to_json(), json!({ "x": 2 }));
}

#[tokio::test]
async fn an_effect_cut_off_in_the_middle_is_reported_unknown_whatever_the_durability() {
    for durability in [Durability::Sync, Durability::Async, Durability::Exit] {
        let (tries, started) = (Count::default(), Arc::new(Notify::new()));
        let (t, s) = (tries.clone(), started.clone());
        let graph = one(move |ctx: DynCtx| {
            let (tries, started) = (t.clone(), s.clone());
            async move {
                ctx.ask("pay?")?;
                let effect = || async move {
                    tries.up();
                    started.notify_one();
                    std::future::pending::<()>().await;
                    Ok(())
                };
                ctx.once("pay", effect).await?;
                Ok::<_, Halt>(Value::Null)
            }
        })
        .backends(saved())
        .build()
        .expect("it builds");
        let options = RunOptions {
            durability,
            ..RunOptions::on("t")
        };
        let asked = graph.invoke(json!({}), &options).await.expect("it asks");
        let id = asked.asks.first().expect("a question").id;
        tokio::select! {
            _ = graph.invoke(input::answers([(id, Value::from("yes"))]), &options) => {
                panic!("the effect hangs")
            }
            () = started.notified() => {}
        }
        // The run was cut off: approved, started, outcome unknown. Nobody is asked again.
        let error = graph.invoke(input::go_on(), &options).await;
        let error = error.expect_err("the outcome is unknown");
        assert_eq!(error.code(), "SS1202", "{durability:?}: {error}");
        assert!(error.to_string().contains("`pay`"), "{error}");
        assert_eq!(tries.get(), 1, "{durability:?}");
    }
}

#[tokio::test]
async fn an_effect_cut_off_inside_a_subgraph_is_found_again_whatever_the_durability() {
    for durability in [Durability::Sync, Durability::Async, Durability::Exit] {
        let (tries, started) = (Count::default(), Arc::new(Notify::new()));
        let (t, s) = (tries.clone(), started.clone());
        let child = one(move |ctx: DynCtx| {
            let (tries, started) = (t.clone(), s.clone());
            async move {
                let effect = || async move {
                    tries.up();
                    started.notify_one();
                    std::future::pending::<()>().await;
                    Ok(())
                };
                ctx.once("pay", effect).await?;
                Ok::<_, Halt>(Value::Null)
            }
        });
        let child = child.build().expect("the child builds");
        let graph = one(move |ctx: DynCtx| {
            let child = child.clone();
            async move {
                ctx.run_graph(&child, json!({ "x": 1 })).await?;
                Ok::<_, Halt>(Value::Null)
            }
        });
        let graph = graph.backends(saved()).build().expect("it builds");
        let options = RunOptions {
            durability,
            ..RunOptions::on("t")
        };
        tokio::select! {
            _ = graph.invoke(json!({}), &options) => panic!("the effect hangs"),
            () = started.notified() => {}
        }
        let error = graph.invoke(input::go_on(), &options).await;
        let error = error.expect_err("the outcome is unknown");
        assert_eq!(error.code(), "SS1202", "{durability:?}: {error}");
        assert_eq!(tries.get(), 1, "{durability:?}");
    }
}

/// A saver that stores no notes.
struct NoNotes(MemorySaver);

impl SaverLayer for NoNotes {
    fn inner(&self) -> &dyn Saver {
        &self.0
    }

    fn note(&self, _: Notes) -> MaybeReady<'_, ()> {
        MaybeReady::now(Err(SaverError::Io("no answer in time".into())))
    }
}

#[tokio::test]
async fn a_run_whose_effect_cannot_be_journaled_is_over_whatever_its_node_makes_of_it() {
    let sent = Count::default();
    let s = sent.clone();
    let graph = one(move |ctx: DynCtx| {
        let sent = s.clone();
        async move {
            let _swallowed = ctx.once("send", || async move { Ok(sent.up()) }).await;
            Ok::<_, Halt>(object(json!({ "x": "went on" })))
        }
    })
    .backends(Backends::on(NoNotes(MemorySaver::new())))
    .build()
    .expect("it builds");
    let ended = graph.invoke(json!({}), &RunOptions::on("t")).await;
    let error = ended.expect_err("the start is not stored");
    assert_eq!((error.code(), sent.get()), ("SS2006", 0));
}

#[tokio::test]
async fn an_ask_that_is_swallowed_is_caught() {
    let graph = one(|ctx: DynCtx| async move {
        let _ignored = ctx.ask("really?");
        Ok::<_, Halt>(object(json!({ "x": "went on" })))
    })
    .backends(saved())
    .build()
    .expect("it builds");
    let error = graph
        .invoke(object(json!({})), &RunOptions::on("t"))
        .await
        .expect_err("caught");
    assert_eq!(error.code(), "SS1011");
}

/// One task with an effect that is sent and then fails, tried three times if it may be.
pub(crate) fn retried(node: impl Node) -> DynGraphBuilder {
    let retry = RetryPolicy {
        initial: Duration::ZERO,
        jitter: Duration::ZERO,
        on: RetryOn::Any,
        ..RetryPolicy::default()
    };
    let options = DynNodeOptions {
        retry: vec![retry],
        ..DynNodeOptions::default()
    };
    DynGraphBuilder::new()
        .last_value("x")
        .node_with("a", node, options)
        .edge("__start__", "a")
        .backends(saved())
}

#[tokio::test]
async fn an_effect_whose_answer_is_lost_is_not_repeated_by_a_retry_or_a_resume() {
    let sent = Count::default();
    let s = sent.clone();
    let graph = retried(move |ctx: DynCtx| {
        let sent = s.clone();
        async move {
            let send = || async move {
                if sent.up() == 1 {
                    Err(Failure::new("Timeout", "no answer in time"))?;
                }
                Ok("receipt".to_owned())
            };
            let receipt: String = ctx.once("send", send).await?;
            Ok::<_, Halt>(object(json!({ "x": receipt })))
        }
    })
    .build()
    .expect("it builds");
    let options = RunOptions::on("t");
    let error = graph.invoke(json!({}), &options).await.expect_err("lost");
    assert_eq!((error.code(), sent.get()), ("SS1202", 1), "{error}");
    for _ in 0..2 {
        let error = graph.invoke(input::go_on(), &options).await;
        let error = error.expect_err("nobody has found out");
        assert_eq!((error.code(), sent.get()), ("SS1202", 1), "{error}");
    }
    let settled = graph.settle(&"t".into(), "send", &Effect::Failed).await;
    settled.expect("it is settled");
    let outcome = graph.invoke(input::go_on(), &options).await;
    let output = outcome.expect("it is sent").output.expect("output");
    assert_eq!(
        (output.to_json(), sent.get()),
        (json!({ "x": "receipt" }), 2)
    );
}

#[tokio::test]
async fn the_report_of_an_unknown_outcome_says_what_the_effect_said() {
    let graph = one(|ctx: DynCtx| async move {
        let send = || async { Err(std::io::Error::other("connection reset"))? };
        let (): () = ctx.once("send", send).await?;
        Ok::<_, Halt>(Value::Null)
    });
    let graph = graph.backends(saved()).build().expect("it builds");
    let ended = graph.invoke(json!({}), &RunOptions::on("t")).await;
    let error = ended.expect_err("lost");
    let said = error.to_string();
    assert!(said.contains("effect `send` is unknown"), "{said}");
    assert!(said.contains("connection reset"), "{said}");
    let again = graph.invoke(input::go_on(), &RunOptions::on("t")).await;
    let said = again.expect_err("still unknown").to_string();
    assert!(said.contains("was started before"), "{said}");
}

#[tokio::test]
async fn an_effect_that_is_not_done_is_repeated_by_a_retry() {
    let tries = Count::default();
    let t = tries.clone();
    let graph = retried(move |ctx: DynCtx| {
        let tries = t.clone();
        async move {
            let send = || async move {
                match tries.up() {
                    3 => Ok(3),
                    _ => Err(EffectError::not_done(Failure::new("Refused", "not now"))),
                }
            };
            let n: i64 = ctx.once("send", send).await?;
            Ok::<_, Halt>(object(json!({ "x": n })))
        }
    })
    .build()
    .expect("it builds");
    let outcome = graph.invoke(json!({}), &RunOptions::on("t")).await;
    let output = outcome.expect("the third attempt works").output;
    assert_eq!(output.expect("output").to_json(), json!({ "x": 3 }));
}

#[tokio::test]
async fn a_question_within_an_effect_is_refused_and_leaves_its_outcome_unknown() {
    let sent = Count::default();
    let s = sent.clone();
    let graph = one(move |ctx: DynCtx| {
        let sent = s.clone();
        async move {
            let inside = ctx.clone();
            let send = || async move {
                sent.up();
                inside.ask("really?")?;
                Ok(())
            };
            ctx.once("send", send).await?;
            Ok::<_, Halt>(Value::Null)
        }
    });
    let graph = graph.backends(saved()).build().expect("it builds");
    let options = RunOptions::on("t");
    let inputs = [object(json!({})).into(), input::resume("yes")];
    for (input, code) in inputs.into_iter().zip(["SS3054", "SS1202"]) {
        let error = graph.invoke(input, &options).await.expect_err("unknown");
        assert_eq!((error.code(), sent.get()), (code, 1), "{error}");
    }
}

#[tokio::test]
async fn an_effect_whose_result_cannot_be_stored_is_not_repeated() {
    let sent = Count::default();
    let s = sent.clone();
    let graph = retried(move |ctx: DynCtx| {
        let sent = s.clone();
        async move {
            // JSON has no objects whose keys are lists.
            let send = || async move {
                sent.up();
                Ok(BTreeMap::from([(vec![1], 2)]))
            };
            ctx.once("send", send).await?;
            Ok::<_, Halt>(Value::Null)
        }
    })
    .build()
    .expect("it builds");
    let ended = graph.invoke(json!({}), &RunOptions::on("t")).await;
    let error = ended.expect_err("the result is lost");
    assert_eq!((error.code(), sent.get()), ("SS1202", 1), "{error}");
}

#[tokio::test]
async fn a_key_that_names_two_effects_of_a_task_is_refused() {
    let sent = Arc::new(Mutex::new(Vec::new()));
    let s = sent.clone();
    let graph = retried(move |ctx: DynCtx| {
        let sent = s.clone();
        async move {
            for name in ["ann", "bob", "eve"] {
                let send = || async {
                    sent.lock().expect("unpoisoned").push(name);
                    Ok(format!("sent to {name}"))
                };
                ctx.once("send", send).await?;
            }
            Ok::<_, Halt>(Value::Null)
        }
    })
    .build()
    .expect("it builds");
    let options = RunOptions::on("t");
    for input in [object(json!({})).into(), input::go_on()] {
        let error = graph.invoke(input, &options).await.expect_err("refused");
        assert_eq!(error.code(), "SS3050", "{error}");
        assert!(error.to_string().contains("`send`"), "{error}");
    }
    assert_eq!(*sent.lock().expect("unpoisoned"), ["ann"]);
}

#[tokio::test]
async fn a_key_is_refused_while_its_effect_is_under_way_and_after_it_was_not_done() {
    let sent = Count::default();
    let s = sent.clone();
    let graph = one(move |ctx: DynCtx| {
        let sent = s.clone();
        async move {
            let send = || async {
                sent.up();
                tokio::task::yield_now().await;
                Ok(())
            };
            let (first, second) = tokio::join!(ctx.once("send", send), ctx.once("send", send));
            let refused = |done: Result<(), Halt>| match done {
                Err(Halt::Error(error)) => error.code(),
                other => panic!("{other:?}"),
            };
            assert!(first.is_ok());
            assert_eq!(refused(second), "SS3050");
            let fails = || async { Err(EffectError::not_done(Failure::new("No", "no"))) };
            assert_eq!(refused(ctx.once("other", fails).await), "SS1001");
            assert_eq!(refused(ctx.once("other", fails).await), "SS3050");
            Ok::<_, Halt>(Value::Null)
        }
    });
    let graph = graph.backends(saved()).build().expect("it builds");
    let done = graph.invoke(json!({}), &RunOptions::on("t")).await;
    done.expect("all of it is as it should be");
    assert_eq!(sent.get(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_effect_whose_task_panics_or_takes_too_long_is_not_repeated_by_a_retry() {
    for hangs in [true, false] {
        let sent = Count::default();
        let s = sent.clone();
        let node = move |ctx: DynCtx| {
            let sent = s.clone();
            async move {
                let send = || async move {
                    sent.up();
                    match hangs {
                        true => std::future::pending::<()>().await,
                        false => panic!("in the middle of it"),
                    }
                    Ok(())
                };
                ctx.once("send", send).await?;
                Ok::<_, Halt>(Value::Null)
            }
        };
        let options = DynNodeOptions {
            retry: vec![RetryPolicy {
                on: RetryOn::Any,
                ..RetryPolicy::default()
            }],
            timeouts: Timeouts {
                run: Some(Duration::from_secs(1)),
                ..Timeouts::default()
            },
            ..DynNodeOptions::default()
        };
        let graph = DynGraphBuilder::new()
            .last_value("x")
            .node_with("a", node, options)
            .edge("__start__", "a")
            .backends(saved())
            .build()
            .expect("it builds");
        let ended = graph.invoke(json!({}), &RunOptions::on("t")).await;
        let error = ended.expect_err("the outcome is unknown");
        assert_eq!((error.code(), sent.get()), ("SS1202", 1), "{error}");
    }
}

#[tokio::test]
async fn a_lost_answer_is_reported_whatever_the_durability_and_in_a_called_task_too() {
    for durability in [Durability::Sync, Durability::Async, Durability::Exit] {
        let sent = Count::default();
        let s = sent.clone();
        let graph = one(move |ctx: DynCtx| {
            let sent = s.clone();
            let mut task = CallTask::new("called", move |ctx: DynCtx, _| {
                let sent = sent.clone();
                async move {
                    let send = || async move {
                        sent.up();
                        Err(Failure::new("Timeout", "no answer"))?
                    };
                    let (): () = ctx.once("send", send).await?;
                    Ok(Value::Null)
                }
            });
            task.retry = vec![RetryPolicy {
                initial: Duration::ZERO,
                jitter: Duration::ZERO,
                on: RetryOn::Any,
                ..RetryPolicy::default()
            }];
            async move {
                // The same key in another task is another effect.
                ctx.once("send", || async { Ok(()) }).await?;
                ctx.call(&task, Vec::new()).await
            }
        });
        let graph = graph.backends(saved()).build().expect("it builds");
        let options = RunOptions {
            durability,
            ..RunOptions::on("t")
        };
        for input in [object(json!({})).into(), input::go_on()] {
            let error = graph.invoke(input, &options).await.expect_err("lost");
            assert_eq!((error.code(), sent.get()), ("SS1202", 1), "{error}");
        }
    }
}

/// A run that is stored at its end has stored a part of itself already when an effect was journaled.
#[tokio::test]
async fn a_first_run_that_is_stored_at_its_end_may_have_effects_on_the_way() {
    let node = |word: &'static str| {
        move |ctx: DynCtx| async move {
            let done: String = ctx
                .once(word, || async { Ok::<_, EffectError>(word.to_owned()) })
                .await?;
            Ok::<_, Halt>(json!({ "log": [done] }))
        }
    };
    let graph = DynGraphBuilder::new()
        .channel(ChannelSpec {
            name: "log".into(),
            kind: ChannelKind::Reduce {
                reducer: Reducer::Add,
                init: Some(Value::list([])),
                delta: Some(50),
            },
            private: false,
        })
        .node("a", node("a"))
        .node("b", |_: DynCtx| async {
            Ok::<_, Halt>(json!({ "log": ["b"] }))
        })
        .edge("__start__", "a")
        .edge("a", "b")
        .backends(saved())
        .build()
        .unwrap();
    let options = RunOptions {
        durability: Durability::Exit,
        ..RunOptions::on("t")
    };
    let outcome = graph.invoke(json!({}), &options).await.unwrap();
    assert_eq!(
        outcome.output.unwrap().to_json(),
        json!({ "log": ["a", "b"] })
    );
    let state = graph.state(&"t".into(), None, Depth::Here).await.unwrap();
    assert_eq!(state.values.to_json(), json!({ "log": ["a", "b"] }));
}

/// A node that fails for good, and what handles that.
fn handled(handler: impl Node) -> superstep_engine::DynGraph {
    let options = DynNodeOptions {
        on_error: Some(Arc::new(handler)),
        ..DynNodeOptions::default()
    };
    let fails = |_: DynCtx| async { Err::<Value, Halt>(Failure::new("Declined", "no").into()) };
    DynGraphBuilder::new()
        .last_value("x")
        .node_with("a", fails, options)
        .edge("__start__", "a")
        .backends(saved())
        .build()
        .expect("it builds")
}

#[tokio::test]
async fn what_handles_a_failure_makes_its_effect_once_and_gets_its_answer() {
    let refunds = Count::default();
    let counted = refunds.clone();
    let graph = handled(move |ctx: DynCtx| {
        let refunds = counted.clone();
        async move {
            ctx.once("refund", || async move { Ok(refunds.up()) })
                .await?;
            let answer = ctx.ask("shall I say so?")?;
            Ok::<_, Halt>(Value::map([("x", answer)]))
        }
    });
    let options = RunOptions::on("t");
    graph
        .invoke(object(json!({})), &options)
        .await
        .expect("it asks");
    for _ in 0..2 {
        graph
            .invoke(input::go_on(), &options)
            .await
            .expect("it asks again");
    }
    let state = graph.state(&"t".into(), None, Depth::Here).await.unwrap();
    assert_eq!(state.asks().count(), 1);
    let outcome = graph
        .invoke(input::resume("yes"), &options)
        .await
        .expect("it is answered");
    assert_eq!(
        outcome.output.expect("output").to_json(),
        json!({ "x": "yes" })
    );
    assert_eq!(refunds.get(), 1);
}

#[tokio::test]
async fn an_effect_of_what_handles_a_failure_is_not_made_again_while_its_outcome_is_unknown() {
    let refunds = Count::default();
    let counted = refunds.clone();
    let graph = handled(move |ctx: DynCtx| {
        let refunds = counted.clone();
        async move {
            let lost = || async move {
                refunds.up();
                Err::<(), _>(EffectError::from(Halt::from(Failure::new(
                    "Network", "gone",
                ))))
            };
            ctx.once("refund", lost).await?;
            Ok::<_, Halt>(Value::Null)
        }
    });
    let options = RunOptions::on("t");
    for begin in [true, false, false] {
        let input = match begin {
            true => object(json!({})).into(),
            false => input::go_on(),
        };
        let refused = graph.invoke(input, &options).await.expect_err("unknown");
        assert_eq!(refused.code(), "SS1202");
    }
    assert_eq!(refunds.get(), 1);
}
