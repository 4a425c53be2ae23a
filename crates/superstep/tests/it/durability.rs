//! What survives: failures, dropped runs, new graph objects on the same saver.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU32, Ordering},
};

use serde::{Deserialize, Serialize};
use superstep::{Error, Saver, prelude::*};
use superstep_core::{record::Change, table::Key};
use tokio::sync::Notify;

use crate::plain::{PlainSaver, saver};
use crate::support::finished;

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Mail {
    body: String,
    #[reduce(Append)]
    log: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum One {
    Send,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Two {
    Left,
    Right,
}

#[derive(Serialize, Ask)]
#[ask(answer = bool)]
struct Approve;

/// The outside world: counts what reaches it, and may let the process die at a chosen point.
#[derive(Default)]
struct World {
    sent: AtomicU32,
    dies: AtomicBool,
    dying: Notify,
}

impl World {
    fn sent(&self) -> u32 {
        self.sent.load(Ordering::SeqCst)
    }

    fn send(&self) -> u32 {
        self.sent.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// The first time after `dies` was set, never returns.
    async fn may_die(&self) {
        if self.dies.swap(false, Ordering::SeqCst) {
            self.dying.notify_one();
            std::future::pending::<()>().await;
        }
    }
}

fn send_graph<Args>(
    saver: &Arc<PlainSaver>,
    world: &Arc<World>,
    handler: impl superstep::Handler<Mail, One, Args>,
) -> Graph<Mail, One> {
    Graph::<Mail, One>::builder()
        .saver(saver.clone())
        .shared(world.clone())
        .node(One::Send, handler)
        .start(One::Send)
        .finish(One::Send)
        .build()
        .unwrap()
}

/// Runs until the process "dies", and drops the run there.
async fn until_death<T>(world: &World, run: impl Future<Output = T>) {
    tokio::select! {
        _ = run => panic!("it should not end"),
        () = world.dying.notified() => {}
    }
}

async fn dies_before(ctx: Ctx, world: Res<World>) -> Result<MailUpdate, NodeError> {
    if !ctx.ask(Approve)? {
        return Ok(Mail::update().log(["refused".to_owned()]));
    }
    world.may_die().await;
    let n = ctx.once("send", || async { Ok(world.send()) }).await?;
    Ok(Mail::update().log([format!("sent {n}")]))
}

async fn dies_after(ctx: Ctx, world: Res<World>) -> Result<MailUpdate, NodeError> {
    if !ctx.ask(Approve)? {
        return Ok(Mail::update().log(["refused".to_owned()]));
    }
    let n = ctx.once("send", || async { Ok(world.send()) }).await?;
    world.may_die().await;
    Ok(Mail::update().log([format!("sent {n}")]))
}

async fn dies_within(ctx: Ctx, world: Res<World>) -> Result<MailUpdate, NodeError> {
    let effect = || async {
        let n = world.send();
        world.may_die().await;
        Ok(n)
    };
    let n = ctx.once("send", effect).await?;
    Ok(Mail::update().log([format!("sent {n}")]))
}

#[tokio::test]
async fn an_approved_effect_happens_once_when_the_process_dies_before_it() {
    let (saver, world) = (saver(), Arc::new(World::default()));
    let graph = send_graph(&saver, &world, dies_before);
    let outcome = graph.run("t", Mail::update()).await.unwrap();
    world.dies.store(true, Ordering::SeqCst);
    until_death(&world, graph.answer("t", [(outcome.asks()[0].id, true)])).await;
    assert_eq!(world.sent(), 0);
    drop(graph);
    let reborn = send_graph(&saver, &world, dies_before);
    let done = reborn.resume("t").await.unwrap().done().unwrap();
    assert_eq!((world.sent(), &*done.log), (1, &["sent 1".to_owned()][..]));
}

#[tokio::test]
async fn an_approved_effect_happens_once_when_the_process_dies_after_it() {
    let (saver, world) = (saver(), Arc::new(World::default()));
    let graph = send_graph(&saver, &world, dies_after);
    let outcome = graph.run("t", Mail::update()).await.unwrap();
    world.dies.store(true, Ordering::SeqCst);
    until_death(&world, graph.answer("t", [(outcome.asks()[0].id, true)])).await;
    assert_eq!(world.sent(), 1);
    drop(graph);
    let reborn = send_graph(&saver, &world, dies_after);
    let done = reborn.resume("t").await.unwrap().done().unwrap();
    assert_eq!((world.sent(), &*done.log), (1, &["sent 1".to_owned()][..]));
}

#[tokio::test]
async fn an_effect_of_unknown_outcome_is_reported_and_not_repeated() {
    let (saver, world) = (saver(), Arc::new(World::default()));
    world.dies.store(true, Ordering::SeqCst);
    let graph = send_graph(&saver, &world, dies_within);
    until_death(&world, graph.run("t", Mail::update())).await;
    let reborn = send_graph(&saver, &world, dies_within);
    let error = reborn.resume("t").await.unwrap_err();
    assert_eq!(error.code(), "SS1202");
    assert_eq!(world.sent(), 1);
}

#[tokio::test]
async fn an_effect_of_unknown_outcome_is_settled_by_whoever_knows() {
    for happened in [true, false] {
        let (saver, world) = (saver(), Arc::new(World::default()));
        world.dies.store(true, Ordering::SeqCst);
        let graph = send_graph(&saver, &world, dies_within);
        until_death(&world, graph.run("t", Mail::update())).await;
        let error = graph.settle_undone("t", "other").await.unwrap_err();
        assert_eq!(error.code(), "SS1108");
        match happened {
            true => graph.settle_done("t", "send", &7).await.unwrap(),
            false => graph.settle_undone("t", "send").await.unwrap(),
        }
        let done = graph.resume("t").await.unwrap().done().unwrap();
        let (sent, line) = if happened {
            (1, "sent 7")
        } else {
            (2, "sent 2")
        };
        assert_eq!((world.sent(), &*done.log), (sent, &[line.to_owned()][..]));
    }
}

#[tokio::test]
async fn an_effect_is_done_once_across_a_failure_and_a_resume() {
    let (saver, world) = (saver(), Arc::new(World::default()));
    let fails = |ctx: Ctx, world: Res<World>| async move {
        let n = ctx.once("send", || async { Ok(world.send()) }).await?;
        if world.dies.swap(false, Ordering::SeqCst) {
            return Err(NodeError::msg("the network is down"));
        }
        Ok(Mail::update().log([format!("sent {n}")]))
    };
    world.dies.store(true, Ordering::SeqCst);
    let graph = send_graph(&saver, &world, fails);
    let error = graph.run("t", Mail::update()).await.unwrap_err();
    assert_eq!(error.code(), "SS1001");
    let reborn = send_graph(&saver, &world, fails);
    let done = reborn.resume("t").await.unwrap().done().unwrap();
    assert_eq!((world.sent(), &*done.log), (1, &["sent 1".to_owned()][..]));
}

#[tokio::test]
async fn an_effect_that_says_it_is_not_done_may_be_tried_again() {
    let (saver, world) = (saver(), Arc::new(World::default()));
    let refused = |ctx: Ctx, world: Res<World>| async move {
        let effect = || async {
            match world.send() {
                1 => Err(EffectError::not_done(NodeError::msg("refused"))),
                n => Ok(n),
            }
        };
        let n = ctx.once("send", effect).await?;
        Ok::<_, NodeError>(Mail::update().log([format!("sent {n}")]))
    };
    let graph = send_graph(&saver, &world, refused);
    assert!(graph.run("t", Mail::update()).await.is_err());
    let done = graph.resume("t").await.unwrap().done().unwrap();
    assert_eq!(done.log, ["sent 2"]);
}

#[tokio::test]
async fn an_effect_on_an_idempotent_target_is_repeated_with_the_same_key() {
    let (saver, world) = (saver(), Arc::new(World::default()));
    let lost = |ctx: Ctx, world: Res<World>| async move {
        let effect = |key: String| async move {
            match world.send() {
                1 => Err(NodeError::msg(format!("no answer for {key}")))?,
                n => Ok((n, key)),
            }
        };
        let (n, key): (u32, String) = ctx.once_idempotent("send", effect).await?;
        assert_eq!(key, ctx.idempotency_key("send"));
        // The key names one effect, however it is run.
        let again = ctx.once("send", || async { Ok(()) }).await;
        let code = again.unwrap_err().error().map(Error::code);
        assert_eq!(code, Some("SS3050"));
        Ok::<_, NodeError>(Mail::update().log([format!("sent {n}")]))
    };
    let graph = send_graph(&saver, &world, lost);
    let error = graph.run("t", Mail::update()).await.unwrap_err();
    assert_eq!(error.code(), "SS1001");
    assert!(error.to_string().contains("no answer for"), "{error}");
    let done = graph.resume("t").await.unwrap().done().unwrap();
    assert_eq!(done.log, ["sent 2"]);
}

#[tokio::test]
async fn a_finished_sibling_is_not_rerun_after_a_failure() {
    async fn left(world: Res<World>) -> MailUpdate {
        Mail::update().log([format!("left ran {}", world.send())])
    }
    async fn right(world: Res<World>) -> Result<MailUpdate, NodeError> {
        match world.dies.swap(false, Ordering::SeqCst) {
            true => Err(NodeError::msg("not yet")),
            false => Ok(Mail::update().log(["right".to_owned()])),
        }
    }
    let world = Arc::new(World::default());
    world.dies.store(true, Ordering::SeqCst);
    let graph = Graph::<Mail, Two>::builder()
        .saver(saver())
        .shared(world.clone())
        .node(Two::Left, left)
        .node(Two::Right, right)
        .start(Two::Left)
        .start(Two::Right)
        .finish(Two::Left)
        .finish(Two::Right)
        .build()
        .unwrap();
    let error = graph.run("t", Mail::update()).await.unwrap_err();
    assert_eq!(error.place.node.as_deref(), Some("right"));
    let failed = graph.state("t").await.unwrap();
    assert_eq!(failed.errors.len(), 1);
    assert_eq!(failed.errors[0].0, Two::Right);
    let done = graph.resume("t").await.unwrap().done().unwrap();
    assert_eq!(done.log, ["left ran 1", "right"]);
}

#[tokio::test]
async fn a_dropped_run_stops_its_tasks_and_frees_the_thread() {
    struct Ends(Arc<Notify>);
    impl Drop for Ends {
        fn drop(&mut self) {
            self.0.notify_one();
        }
    }
    let (saver, world, ended) = (saver(), Arc::new(World::default()), Arc::new(Notify::new()));
    let tell = ended.clone();
    let graph = send_graph(&saver, &world, move |world: Res<World>| {
        let ends = Ends(tell.clone());
        async move {
            let _ends = ends;
            world.may_die().await;
            Mail::update().log([format!("sent {}", world.send())])
        }
    });
    world.dies.store(true, Ordering::SeqCst);
    until_death(&world, graph.run("t", Mail::update())).await;
    ended.notified().await;
    assert_eq!(world.sent(), 0);
    assert_eq!(
        graph.resume("t").await.unwrap().done().unwrap().log,
        ["sent 1"]
    );
}

#[tokio::test]
async fn of_two_runs_of_a_thread_one_wins() {
    let (saver, world) = (saver(), Arc::new(World::default()));
    world.dies.store(true, Ordering::SeqCst);
    let graph = send_graph(&saver, &world, |world: Res<World>| async move {
        world.may_die().await;
    });
    let (running, other) = (graph.clone(), graph.clone());
    let first = tokio::spawn(async move { running.run("t", Mail::update()).await });
    world.dying.notified().await;
    let error = other.run("t", Mail::update()).await.unwrap_err();
    assert_eq!(error.code(), "SS2001");
    first.abort();
}

#[tokio::test]
async fn history_grows_by_exactly_what_was_added() {
    let (saver, world) = (saver(), Arc::new(World::default()));
    let graph = send_graph(&saver, &world, |mail: Snap<Mail>| async move {
        Mail::update().log([format!("{} answers", mail.body)])
    });
    for turn in 0..20 {
        let input = Mail::update().body("bot").log([format!("turn {turn:02}")]);
        let done = finished(&graph, "t", input).await;
        assert_eq!(done.log.len(), 2 * (turn + 1));
    }
    records_hold_one_line_each(&saver);
    let thread = "t".into();
    let loaded = saver
        .load(&thread, &"".into(), Default::default())
        .await
        .unwrap()
        .unwrap();
    assert!(loaded.chain.len() > 1);
}

fn records_hold_one_line_each(saver: &PlainSaver) {
    let records = saver.records.lock().unwrap();
    let log = superstep_core::table::ChannelIx::at(1);
    let mut sizes = Vec::new();
    for stored in records.iter().filter(|stored| !stored.record.full) {
        for (channel, change) in &stored.record.changes {
            if *channel == log {
                let Change::Extend(added) = change else {
                    panic!("the log was stored whole")
                };
                assert_eq!(added.as_list().unwrap().len(), 1);
                sizes.push(stored.bytes);
            }
        }
    }
    assert!(sizes.len() >= 38, "each turn adds twice: {}", sizes.len());
    let (least, most) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
    assert!(
        most - least < 100,
        "a record's size does not grow: {least} to {most}"
    );
}

#[tokio::test]
async fn an_effect_whose_result_cannot_be_stored_is_settled_by_whoever_knows_it() {
    let (saver, world) = (saver(), Arc::new(World::default()));
    let mean = |ctx: Ctx, world: Res<World>| async move {
        let mean: f64 = ctx
            .once("mean", || async {
                world.send();
                Ok(f64::NAN)
            })
            .await?;
        Ok::<_, NodeError>(Mail::update().log([format!("mean {mean}")]))
    };
    let graph = send_graph(&saver, &world, mean);
    let error = graph.run("t", Mail::update()).await.unwrap_err();
    assert_eq!(error.code(), "SS1202");
    assert!(error.to_string().contains("cannot be stored"), "{error}");
    graph.settle_done("t", "mean", &0.5).await.unwrap();
    let done = graph.resume("t").await.unwrap().done().unwrap();
    assert_eq!(
        (world.sent(), &*done.log),
        (1, &["mean 0.5".to_owned()][..])
    );
}

#[tokio::test]
async fn an_unknown_effect_of_a_call_is_not_forgotten_because_the_call_has_another_name() {
    use superstep::Call;

    let (saver, world) = (saver(), Arc::new(World::default()));
    let program = |name: &'static str, is_sure: bool| {
        let pay = move |ctx: Ctx, world: Res<World>| async move {
            let call: Call<(), u32> = Call::new(name, move |ctx: Ctx, ()| {
                let world = world.clone();
                async move {
                    let pay = || async {
                        let n = world.send();
                        match is_sure {
                            true => Ok(n),
                            false => Err(std::io::Error::other("lost").into()),
                        }
                    };
                    ctx.once("pay", pay).await
                }
            });
            let n = ctx.call(&call, ()).await?;
            Ok::<_, NodeError>(Mail::update().log([format!("paid {n}")]))
        };
        send_graph(&saver, &world, pay)
    };
    let error = program("pay", false).run("t", Mail::update()).await;
    assert_eq!(error.unwrap_err().code(), "SS1202");
    let new = program("transfer", true);
    assert_eq!(new.resume("t").await.unwrap_err().code(), "SS1202");
    new.settle_undone("t", "pay").await.unwrap();
    let done = new.resume("t").await.unwrap();
    assert_eq!(done.done().unwrap().log.len(), 1);
}
