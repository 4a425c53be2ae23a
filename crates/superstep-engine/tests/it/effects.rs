//! Effects journaled with `ctx.once`.

use serde_json::json;
use std::sync::Arc;

use superstep_core::{
    Failure, Value,
    archive::Archive,
    clock::UnixMillis,
    event::{Cursor, Logged},
    id::{Namespace, ThreadId},
    run::{Durability, Halt},
    saver::{
        At, Commit, Events, HistoryQuery, Keep, Lease, Loaded, NextRecord, Notes, Reply, Retained,
        Retention, Saver, SaverError,
    },
};
use superstep_engine::{Backends, Ctx, RunOptions, input, memory::MemorySaver};
use tokio::sync::Notify;

use crate::kit::{Count, object, one, saved};

#[tokio::test]
async fn an_effect_happens_once_over_a_failure_and_an_answer() {
    let (sent, runs) = (Count::default(), Count::default());
    let (s, r) = (sent.clone(), runs.clone());
    let graph = one(move |ctx: Ctx| {
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
    let graph = one(move |ctx: Ctx| {
        let tries = t.clone();
        async move {
            let sent = || async move {
                match tries.up() {
                    1 => Err(Failure::new("Refused", "not now")),
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
        let graph = one(move |ctx: Ctx| {
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
        let child = one(move |ctx: Ctx| {
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
        let graph = one(move |ctx: Ctx| {
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

impl Saver for NoNotes {
    fn lease(&self, thread: &ThreadId) -> Reply<'_, Lease> {
        self.0.lease(thread)
    }
    fn load(&self, thread: &ThreadId, namespace: &Namespace, at: At) -> Reply<'_, Option<Loaded>> {
        self.0.load(thread, namespace, at)
    }
    fn history(
        &self,
        thread: &ThreadId,
        namespace: &Namespace,
        query: &HistoryQuery,
    ) -> Reply<'_, Vec<Loaded>> {
        self.0.history(thread, namespace, query)
    }
    fn commit(&self, commit: Commit) -> Reply<'_, NextRecord> {
        self.0.commit(commit)
    }
    fn note(&self, _: Notes) -> Reply<'_, ()> {
        Reply::now(Err(SaverError::Io("no answer in time".into())))
    }
    fn threads(&self) -> Reply<'_, Vec<ThreadId>> {
        self.0.threads()
    }
    fn delete(&self, thread: &ThreadId) -> Reply<'_, ()> {
        self.0.delete(thread)
    }
    fn copy(&self, from: &ThreadId, to: &ThreadId) -> Reply<'_, ()> {
        self.0.copy(from, to)
    }
    fn prune(&self, thread: &ThreadId, keep: Keep) -> Reply<'_, ()> {
        self.0.prune(thread, keep)
    }
    fn log(&self, events: Events) -> Reply<'_, ()> {
        self.0.log(events)
    }
    fn events(
        &self,
        thread: &ThreadId,
        after: Option<Cursor>,
        limit: usize,
    ) -> Reply<'_, Vec<Logged>> {
        self.0.events(thread, after, limit)
    }
    fn changed(&self, thread: &ThreadId) -> Reply<'_, ()> {
        self.0.changed(thread)
    }
    fn export(&self, thread: &ThreadId) -> Reply<'_, Archive> {
        self.0.export(thread)
    }
    fn import(&self, thread: &ThreadId, archive: Archive) -> Reply<'_, ()> {
        self.0.import(thread, archive)
    }
    fn retain(&self, retention: &Retention, now: UnixMillis) -> Reply<'_, Retained> {
        self.0.retain(retention, now)
    }
}

#[tokio::test]
async fn a_run_whose_effect_cannot_be_journaled_is_over_whatever_its_node_makes_of_it() {
    let sent = Count::default();
    let s = sent.clone();
    let graph = one(move |ctx: Ctx| {
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
    let graph = one(|ctx: Ctx| async move {
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
