//! One step after the other: who runs, what they see, what becomes of their updates.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde::{Deserialize, Serialize};
use superstep::{Command, ErrorKind, prelude::*};
use tokio::sync::Barrier;

use crate::{plain::saver, support::finished};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, State)]
struct Work {
    owner: Option<String>,
    count: u32,
    #[reduce(Append)]
    log: Vec<String>,
    #[reduce(Sum)]
    total: u64,
    #[state(ephemeral)]
    draft: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Two {
    Left,
    Right,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Three {
    First,
    Second,
    Third,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum One {
    Again,
}

fn text(text: &str) -> String {
    text.to_owned()
}

#[tokio::test]
async fn two_nodes_of_a_step_run_at_the_same_time() {
    async fn meet(barrier: Res<Barrier>) -> WorkUpdate {
        barrier.wait().await;
        Work::update().log([text("met")])
    }
    let graph = Graph::<Work, Two>::builder()
        .resource(Barrier::new(2))
        .node(Two::Left, meet)
        .node(Two::Right, meet)
        .start(Two::Left)
        .start(Two::Right)
        .finish(Two::Left)
        .finish(Two::Right)
        .build()
        .unwrap();
    let run = graph.run("t", Work::update());
    let outcome = tokio::time::timeout(Duration::from_secs(30), run)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(outcome.done().unwrap().log, ["met", "met"]);
}

#[tokio::test]
async fn a_command_updates_and_goes_to_a_node() {
    async fn first() -> Command<Work, Three> {
        Work::update().owner(text("anna")).goto(Three::Third)
    }
    async fn second() -> WorkUpdate {
        Work::update().log([text("second")])
    }
    async fn third(work: Snap<Work>) -> WorkUpdate {
        Work::update().log([format!("third saw {:?}", work.owner)])
    }
    let graph = Graph::<Work, Three>::builder()
        .saver(saver())
        .node(Three::First, first)
        .node(Three::Second, second)
        .node(Three::Third, third)
        .start(Three::First)
        .may_goto(Three::First, &[Three::Second, Three::Third])
        .finish(Three::Second)
        .finish(Three::Third)
        .build()
        .unwrap();
    let done = finished(&graph, "t", Work::update()).await;
    assert_eq!(done.log, [r#"third saw Some("anna")"#]);
}

#[tokio::test]
async fn a_command_to_an_undeclared_node_is_an_error() {
    async fn first() -> Command<Work, Two> {
        Command::goto(Two::Left)
    }
    let graph = Graph::<Work, Two>::builder()
        .node(Two::Left, first)
        .node(Two::Right, || async {})
        .start(Two::Left)
        .may_goto(Two::Left, &[Two::Right])
        .finish(Two::Right)
        .build()
        .unwrap();
    let error = graph.run("t", Work::update()).await.unwrap_err();
    assert_eq!(error.code(), "SS1014");
    assert_eq!(error.place.node.as_deref(), Some("left"));
}

#[tokio::test]
async fn two_writers_of_a_plain_field_are_a_conflict_that_names_it() {
    async fn write() -> WorkUpdate {
        Work::update().count(1)
    }
    let graph = Graph::<Work, Two>::builder()
        .node(Two::Left, write)
        .node(Two::Right, write)
        .start(Two::Left)
        .start(Two::Right)
        .finish(Two::Left)
        .finish(Two::Right)
        .build()
        .unwrap();
    let error = graph.run("t", Work::update()).await.unwrap_err();
    assert!(matches!(&*error.kind, ErrorKind::Conflict { channel, .. } if &**channel == "count"));
}

fn counting(saver: Arc<dyn superstep::Saver>, limit: u64) -> Graph<Work, One> {
    async fn again(work: Snap<Work>) -> WorkUpdate {
        let n = work.count;
        Work::update()
            .count(n + 1)
            .log([format!("step {n}")])
            .total(u64::from(n))
    }
    Graph::<Work, One>::builder()
        .saver(saver)
        .node(One::Again, again)
        .start(One::Again)
        .route(One::Again, &[One::Again], |work| {
            (work.count < 1_000).then_some(One::Again)
        })
        .step_limit(limit)
        .build()
        .unwrap()
}

#[tokio::test]
async fn an_endless_loop_stops_at_the_limit_with_its_work_kept() {
    let graph = counting(saver(), 10);
    let error = graph.run("t", Work::update()).await.unwrap_err();
    assert!(matches!(&*error.kind, ErrorKind::StepLimit { limit: 10 }));
    let kept = graph.state("t").await.unwrap();
    assert_eq!((kept.state.count, kept.state.log.len()), (10, 10));
    assert_eq!(kept.next, [One::Again]);
    let patient = graph.with_options(|options| options.limit = 2_000);
    let done = patient.resume("t").await.unwrap().done().unwrap();
    assert_eq!(done.log.len(), 1_000);
}

#[tokio::test]
async fn a_thousand_steps_on_a_growing_log_give_the_right_result() {
    let saver = saver();
    let graph = counting(saver.clone(), 2_000);
    let done = finished(&graph, "t", Work::update()).await;
    assert_eq!((done.count, done.total), (1_000, (0..1_000).sum()));
    let expected: Vec<String> = (0..1_000).map(|n| format!("step {n}")).collect();
    assert_eq!(done.log, expected);
    let again = graph.state("t").await.unwrap();
    assert_eq!(again.state.log, expected);
}

#[tokio::test]
async fn the_start_follows_the_condition_on_the_input() {
    async fn say(ctx: Ctx) -> WorkUpdate {
        Work::update().log([format!("step {}", ctx.step())])
    }
    let graph = Graph::<Work, Two>::builder()
        .node(Two::Left, say)
        .node(Two::Right, || async { Work::update().log([text("right")]) })
        .start_if(&[Two::Left, Two::Right], |work| {
            if work.owner.is_some() {
                Two::Right
            } else {
                Two::Left
            }
        })
        .finish(Two::Left)
        .finish(Two::Right)
        .build()
        .unwrap();
    let right = finished(&graph, "t", Work::update().owner(text("me"))).await;
    assert_eq!(right.log, ["right"]);
    let left = finished(&graph, "t", Work::update()).await;
    assert_eq!(left.log, ["step 1"]);
}

#[tokio::test]
async fn an_ephemeral_field_is_seen_by_the_next_step_only() {
    async fn note(work: Snap<Work>) -> WorkUpdate {
        Work::update().log([format!("{:?}", work.draft)])
    }
    let graph = Graph::<Work, Three>::builder()
        .saver(saver())
        .node(Three::First, || async { Work::update().draft(text("d")) })
        .node(Three::Second, note)
        .node(Three::Third, note)
        .start(Three::First)
        .edge(Three::First, Three::Second)
        .edge(Three::Second, Three::Third)
        .finish(Three::Third)
        .build()
        .unwrap();
    let done = finished(&graph, "t", Work::update()).await;
    assert_eq!(done.log, [r#"Some("d")"#, "None"]);
    assert_eq!(done.draft, None);
    let drafts: Vec<Option<String>> = graph
        .history("t")
        .await
        .unwrap()
        .iter()
        .map(|checkpoint| checkpoint.state.draft.clone())
        .collect();
    assert_eq!(drafts, [None, None, Some(text("d")), None, None]);
}

#[tokio::test]
async fn a_join_runs_once_when_all_its_sources_have_run() {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
    enum Fan {
        A,
        B,
        C,
        Joined,
    }
    async fn say(ctx: Ctx) -> WorkUpdate {
        Work::update().log([format!("step {}", ctx.step())])
    }
    let graph = Graph::<Work, Fan>::builder()
        .node(Fan::A, say)
        .node(Fan::B, say)
        .node(Fan::C, say)
        .node(Fan::Joined, || async {
            Work::update().log([text("joined")])
        })
        .start(Fan::A)
        .start(Fan::B)
        .edge(Fan::B, Fan::C)
        .join(&[Fan::A, Fan::C], Fan::Joined)
        .finish(Fan::Joined)
        .build()
        .unwrap();
    let done = finished(&graph, "t", Work::update()).await;
    assert_eq!(done.log, ["step 1", "step 1", "step 2", "joined"]);
}

#[tokio::test]
async fn a_router_sees_the_writes_of_its_own_node_and_leaves_no_trace() {
    async fn left() -> WorkUpdate {
        Work::update().count(1).log([text("left")]).total(5)
    }
    let graph = Graph::<Work, Three>::builder()
        .node(Three::First, left)
        .node(Three::Second, || async {
            Work::update().log([text("beside")]).total(7)
        })
        .node(Three::Third, |work: Snap<Work>| async move {
            Work::update().log([format!("{} {}", work.count, work.total)])
        })
        .start(Three::First)
        .start(Three::Second)
        .route(Three::First, &[Three::Third], |work| {
            assert_eq!((work.count, work.total), (1, 5));
            assert_eq!(work.log, ["left"]);
            Some(Three::Third)
        })
        .finish(Three::Second)
        .finish(Three::Third)
        .build()
        .unwrap();
    let done = finished(&graph, "t", Work::update()).await;
    assert_eq!(done.log, ["left", "beside", "1 12"]);
}

#[tokio::test]
async fn a_deferred_node_waits_until_nothing_else_would_run() {
    async fn say(ctx: Ctx) -> WorkUpdate {
        Work::update().log([format!("step {}", ctx.step())])
    }
    let graph = Graph::<Work, Three>::builder()
        .saver(saver())
        .node(Three::First, say)
        .node(Three::Second, say)
        .node(Three::Third, || async {
            Work::update().log([text("last")])
        })
        .start(Three::First)
        .route_many(Three::First, &[Three::Second, Three::Third], |_| {
            vec![Three::Third, Three::Second]
        })
        .edge(Three::Second, Three::Third)
        .defer(Three::Third)
        .finish(Three::Third)
        .build()
        .unwrap();
    let done = finished(&graph, "t", Work::update()).await;
    assert_eq!(done.log, ["step 1", "step 2", "last"]);
}

#[tokio::test]
async fn an_overwrite_replaces_what_a_reducer_holds() {
    let graph = Graph::<Work, One>::builder()
        .saver(saver())
        .node(One::Again, || async {
            Work::update().overwrite_log(vec![text("new")])
        })
        .start(One::Again)
        .finish(One::Again)
        .build()
        .unwrap();
    let done = finished(&graph, "t", Work::update().log([text("old")])).await;
    assert_eq!(done.log, ["new"]);
    assert_eq!(graph.state("t").await.unwrap().state.log, ["new"]);
}

static COPIES: AtomicUsize = AtomicUsize::new(0);

#[derive(Debug, Default, Serialize, Deserialize)]
struct Witness;

impl Clone for Witness {
    fn clone(&self) -> Self {
        COPIES.fetch_add(1, Ordering::Relaxed);
        Self
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Watched {
    witness: Witness,
    count: u32,
    #[reduce(Append)]
    log: Vec<u32>,
}

#[tokio::test]
async fn a_step_does_not_copy_what_it_does_not_change() {
    let graph = Graph::<Watched, One>::builder()
        .node(One::Again, |state: Snap<Watched>| async move {
            tokio::task::yield_now().await;
            Watched::update().count(state.count + 1).log([state.count])
        })
        .start(One::Again)
        .route(One::Again, &[One::Again], |state| {
            (state.count < 200).then_some(One::Again)
        })
        .build()
        .unwrap();
    let done = finished(&graph, "t", Watched::update()).await;
    assert_eq!(done.log.len(), 200);
    assert_eq!(COPIES.load(Ordering::Relaxed), 0);
}
