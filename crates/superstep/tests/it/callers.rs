//! Callers and contexts: who calls, and what travels with a run that is answered, queued or cut short.

use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer, ser::Error as _};
use superstep::{
    CachePolicy, Caller, Context, MemoryCache, RunOptions, RunQuery, RunStatus, Saver,
    dynamic::Worker, prelude::*, schedules::CronSchedule,
};
use tokio::sync::Notify;

use crate::{plain::saver, support::finished};

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Log {
    #[reduce(Append)]
    lines: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Step {
    First,
    Second,
}

#[derive(Debug, Serialize, Deserialize, Ask)]
#[ask(answer = bool)]
struct Approve;

fn name(caller: &Caller) -> String {
    caller.owner().unwrap_or("nobody").to_owned()
}

/// Says who calls, then works for the context.
fn graph<A, B>(
    saver: Arc<dyn Saver>,
    first: impl superstep::Handler<Log, Step, A>,
    second: impl superstep::Handler<Log, Step, B>,
) -> Graph<Log, Step> {
    Graph::<Log, Step>::builder()
        .name("callers")
        .saver(saver)
        .node(Step::First, first)
        .node(Step::Second, second)
        .start(Step::First)
        .edge(Step::First, Step::Second)
        .finish(Step::Second)
        .build()
        .unwrap()
}

async fn called(caller: Caller) -> LogUpdate {
    Log::update().lines([format!("called by {}", name(&caller))])
}

async fn works(caller: Caller, user: Context<String>) -> LogUpdate {
    Log::update().lines([format!("{} for {}", name(&caller), user.0)])
}

async fn asks(ctx: Ctx) -> Result<LogUpdate, NodeError> {
    let said = ctx.ask(Approve)?;
    let line = format!("{said}, said {}", name(ctx.caller()));
    Ok(Log::update().lines([line]))
}

#[tokio::test]
async fn nodes_and_those_of_subgraphs_see_the_caller_of_the_run() {
    let below = Graph::<Log, Step>::builder()
        .nested()
        .node(Step::First, called)
        .node(Step::Second, |caller: Caller| async move {
            Log::update().lines([caller.has_role("clerk").to_string()])
        })
        .start(Step::First)
        .edge(Step::First, Step::Second)
        .finish(Step::Second)
        .build()
        .unwrap();
    let graph = Graph::<Log, Step>::builder()
        .saver(saver())
        .subgraph_shared(Step::First, &below)
        .node(Step::Second, called)
        .start(Step::First)
        .edge(Step::First, Step::Second)
        .finish(Step::Second)
        .build()
        .unwrap();
    let ann = graph.for_caller(Caller::new("ann").role("clerk"));
    let done = finished(&ann, "t", Log::update()).await;
    assert_eq!(done.lines, ["called by ann", "true", "called by ann"]);
    let done = finished(&graph, "u", Log::update()).await;
    assert_eq!(
        done.lines,
        ["called by nobody", "false", "called by nobody"]
    );
}

#[tokio::test]
async fn interrupted_runs_of_two_users_finish_each_with_its_own_caller_and_context() {
    let saver: Arc<dyn Saver> = saver();
    let there = Arc::new(Notify::new());
    let hangs = {
        let there = there.clone();
        move || {
            let there = there.clone();
            async move {
                there.notify_one();
                std::future::pending::<()>().await;
            }
        }
    };
    let before = graph(saver.clone(), hangs, works);
    for user in ["ann", "bob"] {
        let own = before.for_caller(Caller::new(user));
        let own = own.with_context(format!("{user}'s shop"));
        tokio::select! {
            _ = own.run(user, Log::update()) => panic!("it hangs"),
            () = there.notified() => {}
        }
    }
    let nobodys = before.with_context("no one".to_owned());
    tokio::select! {
        _ = nobodys.run("none", Log::update()) => panic!("it hangs"),
        () = there.notified() => {}
    }
    let eve = graph(saver, called, works)
        .for_caller(Caller::new("eve"))
        .with_context("eve".to_owned());
    let recovery = eve.resume_interrupted().await.unwrap();
    assert!(recovery.failed.is_empty(), "{:?}", recovery.failed);
    let mut lines = Vec::new();
    for running in recovery.started {
        lines.extend(running.await.unwrap().state().lines.clone());
    }
    lines.sort();
    assert_eq!(
        lines,
        [
            "ann for ann's shop", "bob for bob's shop", "called by ann", "called by bob",
            "called by nobody", "nobody for no one",
        ]
    );
}

#[tokio::test]
async fn an_answer_without_context_continues_with_that_of_the_run_that_asked() {
    let graph = graph(saver(), asks, works);
    let ann = graph
        .for_caller(Caller::new("ann"))
        .with_context("ann's shop".to_owned());
    ann.run("t", Log::update()).await.unwrap();
    let boss = graph.for_caller(Caller::new("boss"));
    let outcome = boss.answer_only("t", true).await.unwrap();
    assert_eq!(
        outcome.state().lines,
        ["true, said boss", "boss for ann's shop"]
    );
    // A queued answer too.
    ann.run("q", Log::update()).await.unwrap();
    let ask = graph.state("q").await.unwrap().asks[0].id;
    let queued = boss.to_queue_answer("q", [(ask, false)]).unwrap();
    boss.enqueue_run(queued).await.unwrap();
    let worker = Worker::new([graph.dynamic().clone()], RunOptions::default()).unwrap();
    worker.work_once().await.unwrap().unwrap().outcome.unwrap();
    let lines = graph.state("q").await.unwrap().state.lines.clone();
    assert_eq!(lines, ["false, said boss", "boss for ann's shop"]);
}

#[tokio::test]
async fn the_record_of_a_run_says_who_answered_what_and_when() {
    let graph = graph(saver(), asks, called);
    graph.run("t", Log::update()).await.unwrap();
    let asked = graph.state("t").await.unwrap().asks[0].id;
    let boss = graph.for_caller(Caller::new("boss").role("supervisor"));
    boss.answer_only("t", true).await.unwrap();
    let runs = graph.runs("t", &RunQuery::default()).await.unwrap();
    let [answered, first] = runs.as_slice() else {
        panic!("{runs:?}");
    };
    assert_eq!(answered.answers, [asked]);
    assert_eq!(answered.caller().owner(), Some("boss"));
    assert!(answered.caller().has_role("supervisor"));
    assert!(answered.started >= first.ended);
    assert!(first.answers.is_empty() && first.caller().is_local());
}

#[tokio::test]
async fn a_resumed_run_keeps_its_caller_and_an_answer_has_the_caller_who_gives_it() {
    let graph = graph(saver(), asks, called);
    let paused = graph.with_options(|options| {
        options.pause_before = superstep::dynamic::Pauses::All;
        options.caller = Some(Caller::new("ann"));
    });
    paused.run("t", Log::update()).await.unwrap();
    let outcome = graph.resume("t").await.unwrap();
    assert_eq!(outcome.asks().len(), 1);
    let runs = graph.runs("t", &RunQuery::default()).await.unwrap();
    assert_eq!(runs[0].caller().owner(), Some("ann"));
    // In process nobody else is named: it is the local user who answers.
    let outcome = graph.answer_only("t", true).await.unwrap();
    assert_eq!(
        outcome.state().lines,
        ["true, said nobody", "called by nobody"]
    );
}

#[tokio::test]
async fn queued_and_scheduled_runs_keep_caller_and_context() {
    let graph = graph(saver(), called, works);
    let ann = graph
        .for_caller(Caller::new("ann"))
        .with_context("ann's shop".to_owned());
    ann.enqueue("t", Log::update()).await.unwrap();
    let eve = RunOptions {
        caller: Some(Caller::new("eve")),
        context: "eve".into(),
        ..RunOptions::default()
    };
    let worker = Worker::new([graph.dynamic().clone()], eve).unwrap();
    worker.work_once().await.unwrap().unwrap().outcome.unwrap();
    let lines = graph.state("t").await.unwrap().state.lines.clone();
    assert_eq!(lines, ["called by ann", "ann for ann's shop"]);

    let daily = CronSchedule::new("daily", "0 9 * * *");
    let stored = ann.schedule(daily, Log::update()).await.unwrap();
    assert_eq!(stored.options.caller, Some(Caller::new("ann")));
    assert_eq!(stored.options.context, Some("ann's shop".into()));
}

/// A context that has no JSON form.
#[derive(Clone, Deserialize)]
struct Handle(u32);

impl Serialize for Handle {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(S::Error::custom("a handle of this process"))
    }
}

#[tokio::test]
async fn a_context_that_cannot_be_stored_is_asked_for_again_and_costs_no_answer() {
    async fn shows(handle: Context<Handle>) -> LogUpdate {
        Log::update().lines([handle.0.0.to_string()])
    }
    let graph = graph(saver(), asks, shows);
    let held = graph.with_context(Handle(7));
    held.run("t", Log::update()).await.unwrap();
    let error = graph.answer_only("t", true).await.unwrap_err();
    assert_eq!(error.code(), "SS1123");
    assert!(error.hint().unwrap().contains("with_context"));
    assert_eq!(graph.status("t").await.unwrap(), RunStatus::Waiting);
    let outcome = held.answer_only("t", true).await.unwrap();
    assert_eq!(outcome.state().lines, ["true, said nobody", "7"]);
}

#[tokio::test]
async fn a_result_that_is_kept_for_one_owner_is_not_given_to_another() {
    let graph = Graph::<Log, Step>::builder()
        .saver(saver())
        .cache(MemoryCache::default())
        .node_with(
            Step::First,
            called,
            NodeOptions::default().cache(CachePolicy::default()),
        )
        .node(Step::Second, || async {})
        .start(Step::First)
        .edge(Step::First, Step::Second)
        .finish(Step::Second)
        .build()
        .unwrap();
    for (thread, user) in [("a", "ann"), ("b", "bob")] {
        let own = graph.for_caller(Caller::new(user));
        let done = finished(&own, thread, Log::update()).await;
        assert_eq!(done.lines, [format!("called by {user}")]);
    }
}
