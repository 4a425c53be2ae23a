//! An answer counts once, for the question that was shown, wherever below a node that was asked.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use serde::{Deserialize, Serialize};
use superstep::{Call, Persist, RunStatus, prelude::*};

use crate::plain::{PlainSaver, saver};

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Log {
    #[reduce(Append)]
    said: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum One {
    Only,
}

#[derive(Debug, Serialize, Deserialize, Ask)]
#[ask(answer = bool)]
struct May {
    what: String,
}

/// A graph of one node.
fn one<Args>(
    saver: &Arc<PlainSaver>,
    node: impl superstep::Handler<Log, One, Args>,
) -> Graph<Log, One> {
    Graph::<Log, One>::builder()
        .saver(saver.clone())
        .node(One::Only, node)
        .start(One::Only)
        .finish(One::Only)
        .build()
        .unwrap()
}

/// Where a question is asked.
#[derive(Clone, Copy, Debug)]
enum Place {
    Node,
    Call,
    Subgraph,
    Run,
}

const PLACES: [Place; 4] = [Place::Node, Place::Call, Place::Subgraph, Place::Run];

/// How many runs got past the question, and how those end before the last.
#[derive(Clone)]
struct Cut {
    passed: Arc<AtomicUsize>,
    hangs: bool,
}

impl Cut {
    fn new(hangs: bool) -> Self {
        let passed = Arc::default();
        Self { passed, hangs }
    }

    async fn work(self, ctx: Ctx) -> Result<String, NodeError> {
        let what = "pay".to_owned();
        let may = ctx.ask(May { what })?;
        if self.passed.fetch_add(1, Ordering::SeqCst) == 0 {
            if self.hangs {
                std::future::pending::<()>().await;
            }
            return Err("the bank is closed".into());
        }
        Ok(format!("may: {may}"))
    }
}

fn asking(place: Place, cut: &Cut) -> Graph<Log, One> {
    let node = |cut: Cut| {
        move |ctx: Ctx| {
            let cut = cut.clone();
            async move { Ok::<_, NodeError>(Log::update().said([cut.work(ctx).await?])) }
        }
    };
    let inner = Graph::<Log, One>::builder()
        .nested()
        .node(One::Only, node(cut.clone()))
        .start(One::Only)
        .finish(One::Only)
        .build()
        .unwrap();
    let builder = Graph::<Log, One>::builder().saver(saver());
    let builder = match place {
        Place::Node => builder.node(One::Only, node(cut.clone())),
        Place::Call => {
            let cut = cut.clone();
            let work: Call<(), String> = Call::new("work", move |ctx: Ctx, ()| {
                let cut = cut.clone();
                cut.work(ctx)
            });
            builder.node(One::Only, move |ctx: Ctx| {
                let work = work.clone();
                async move { Ok::<_, NodeError>(Log::update().said([ctx.call(&work, ()).await?])) }
            })
        }
        Place::Subgraph => builder.subgraph(
            One::Only,
            &inner,
            |_| Log::update(),
            |inner| Log::update().said(inner.said.clone()),
        ),
        Place::Run => builder.node(One::Only, move |ctx: Ctx| {
            let inner = inner.clone();
            async move {
                let state = ctx.run(&inner, Log::update()).await?;
                Ok::<_, NodeError>(Log::update().said(state.said.clone()))
            }
        }),
    };
    builder.start(One::Only).finish(One::Only).build().unwrap()
}

#[tokio::test]
async fn a_question_that_was_answered_takes_no_second_answer_wherever_it_was_asked() {
    for place in PLACES {
        for hangs in [false, true] {
            let cut = Cut::new(hangs);
            let graph = asking(place, &cut);
            let asked = graph.run("t", Log::update()).await.unwrap();
            let id = asked.asks()[0].id;
            {
                let answering = graph.answer("t", [(id, true)]);
                let passed = async {
                    while cut.passed.load(Ordering::SeqCst) == 0 {
                        tokio::task::yield_now().await;
                    }
                };
                tokio::select! {
                    biased;
                    answered = answering => drop(answered.unwrap_err()),
                    () = passed, if hangs => {}
                }
            }
            let what = format!("{place:?}, hangs: {hangs}");
            assert!(graph.state("t").await.unwrap().asks.is_empty(), "{what}");
            let second = graph.answer("t", [(id, false)]).await.unwrap_err();
            assert_eq!(second.code(), "SS1105", "{what}");
            let bare = graph.answer_only("t", false).await.unwrap_err();
            assert_eq!(bare.code(), "SS1105", "{what}");
            let done = graph.resume("t").await.unwrap();
            assert_eq!(done.done().unwrap().said, ["may: true"], "{what}");
        }
    }
}

#[tokio::test]
async fn what_was_answered_at_an_earlier_checkpoint_takes_no_other_answer_there() {
    let graph = asking(Place::Node, &Cut::new(false));
    let asked = graph.run("t", Log::update()).await.unwrap();
    let (id, then) = (asked.asks()[0].id, graph.state("t").await.unwrap());
    graph.answer("t", [(id, true)]).await.unwrap_err();
    graph.resume("t").await.unwrap();
    let then = graph.at(then.id.unwrap());
    let refused = then.answer("t", [(id, false)]).await.unwrap_err();
    assert_eq!(refused.code(), "SS1105");
    // Whoever goes back there is asked again.
    let again = then.resume("t").await.unwrap();
    let done = graph.answer("t", [(again.asks()[0].id, false)]).await;
    assert_eq!(done.unwrap().done().unwrap().said, ["may: false"]);
}

#[tokio::test]
async fn one_question_is_not_answered_twice_at_once() {
    let graph = asking(Place::Node, &Cut::new(false));
    let asked = graph.run("t", Log::update()).await.unwrap();
    let id = asked.asks()[0].id;
    let error = graph.answer("t", [(id, true), (id, false)]).await;
    assert_eq!(error.unwrap_err().code(), "SS1111");
    assert_eq!(graph.status("t").await.unwrap(), RunStatus::Waiting);
}

/// A program that asks these questions in this order.
fn program(saver: &Arc<PlainSaver>, questions: &'static [&'static str]) -> Graph<Log, One> {
    let ask = move |ctx: Ctx| async move {
        let mut said = Vec::new();
        for what in questions {
            let may = ctx.ask(May {
                what: (*what).to_owned(),
            })?;
            said.push(format!("{what}: {may}"));
        }
        Ok::<_, NodeError>(Log::update().said(said))
    };
    one(saver, ask)
}

#[tokio::test]
async fn an_answer_does_not_reach_another_question_of_the_same_kind() {
    let cases: [(&[&str], &[&str]); 4] = [
        (&["read"], &["delete"]),
        (&["read", "write"], &["write", "read"]),
        (&["read", "write"], &["delete", "read", "write"]),
        (&["read", "write"], &["write"]),
    ];
    for (before, after) in cases {
        let saver = saver();
        let (old, new) = (program(&saver, before), program(&saver, after));
        let mut asked = old.run("t", Log::update()).await.unwrap();
        for _ in 1..before.len() {
            asked = old.answer_only("t", true).await.unwrap();
        }
        let stale = asked.asks()[0].id;
        let refused = new.answer("t", [(stale, true)]).await.unwrap_err();
        assert_eq!(refused.code(), "SS1015", "{after:?}: {refused}");
        // It is refused for good, whoever sends it again.
        let again = new.answer("t", [(stale, true)]).await.unwrap_err();
        assert_eq!(again.code(), "SS1105", "{after:?}");
        let mut outcome = new.resume("t").await.unwrap();
        for _ in after {
            let [ask] = outcome.asks() else {
                panic!("{after:?}: one question at a time")
            };
            outcome = new.answer("t", [(ask.id, false)]).await.unwrap();
        }
        let said: Vec<String> = after.iter().map(|it| format!("{it}: false")).collect();
        assert_eq!(outcome.done().unwrap().said, said);
    }
}

#[tokio::test]
async fn a_graph_that_stores_nothing_gets_the_answers_to_all_its_questions() {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
    enum Two {
        First,
        Second,
    }
    let ask = |what: &'static str| {
        move |ctx: Ctx| async move {
            let first = ctx.ask(May { what: what.into() })?;
            let more = format!("{what} more");
            let second = ctx.ask(May { what: more })?;
            Ok::<_, NodeError>(Log::update().said([format!("{what}: {first} {second}")]))
        }
    };
    let inner = Graph::<Log, Two>::builder()
        .nested()
        .persist(Persist::Off)
        .node(Two::First, ask("read"))
        .node(Two::Second, ask("write"))
        .start(Two::First)
        .edge(Two::First, Two::Second)
        .finish(Two::Second)
        .build()
        .unwrap();
    let graph = Graph::<Log, One>::builder()
        .saver(saver())
        .subgraph(
            One::Only,
            &inner,
            |_| Log::update(),
            |inner| Log::update().said(inner.said.clone()),
        )
        .start(One::Only)
        .finish(One::Only)
        .build()
        .unwrap();
    let mut outcome = graph.run("t", Log::update()).await.unwrap();
    for (n, what) in (0..).zip(["read", "read more", "write", "write more"]) {
        let [ask] = outcome.asks() else {
            panic!("{what}: one question at a time")
        };
        assert_eq!(ask.question::<May>().unwrap().what, what);
        outcome = graph.answer("t", [(ask.id, n % 2 == 0)]).await.unwrap();
    }
    let said = ["read: true false", "write: true false"];
    assert_eq!(outcome.done().unwrap().said, said);
}

#[tokio::test]
async fn calls_that_come_in_another_order_keep_their_results() {
    let (saver, made) = (saver(), Arc::new(AtomicUsize::new(0)));
    let program = |calls: &'static [(&'static str, u32)]| {
        let made = made.clone();
        let node = move |ctx: Ctx| {
            let made = made.clone();
            async move {
                let mut said = Vec::new();
                for (name, n) in calls {
                    let made = made.clone();
                    let call: Call<u32, String> = Call::new(*name, move |_: Ctx, n: u32| {
                        made.fetch_add(1, Ordering::SeqCst);
                        async move { Ok(format!("{name} {n}")) }
                    });
                    said.push(ctx.call(&call, *n).await?);
                }
                ctx.ask(May { what: "go".into() })?;
                Ok::<_, NodeError>(Log::update().said(said))
            }
        };
        one(&saver, node)
    };
    let old = program(&[("a", 1), ("a", 2), ("b", 1), ("b", 1)]);
    let asked = old.run("t", Log::update()).await.unwrap();
    assert_eq!(made.load(Ordering::SeqCst), 4);
    let new = program(&[("b", 1), ("a", 2), ("c", 1), ("b", 1), ("a", 1)]);
    let done = new.answer("t", [(asked.asks()[0].id, true)]).await.unwrap();
    let said = ["b 1", "a 2", "c 1", "b 1", "a 1"];
    assert_eq!(done.done().unwrap().said, said);
    assert_eq!(made.load(Ordering::SeqCst), 5, "only the new one ran");
}

#[tokio::test]
async fn an_answer_to_the_second_question_outlasts_a_failure_before_it() {
    let fails = Arc::new(AtomicUsize::new(0));
    let counted = fails.clone();
    let node = move |ctx: Ctx| {
        let fails = counted.clone();
        async move {
            let ask = |what: &str| May { what: what.into() };
            let first = ctx.ask(ask("one"))?;
            if fails.swap(0, Ordering::SeqCst) == 1 {
                return Err("no network".into());
            }
            let second = ctx.ask(ask("two"))?;
            Ok::<_, NodeError>(Log::update().said([format!("{first} {second}")]))
        }
    };
    let graph = one(&saver(), node);
    graph.run("t", Log::update()).await.unwrap();
    graph.answer_only("t", true).await.unwrap();
    fails.store(1, Ordering::SeqCst);
    graph.answer_only("t", false).await.unwrap_err();
    let done = graph.resume("t").await.unwrap();
    assert_eq!(done.done().unwrap().said, ["true false"]);
}

#[tokio::test]
async fn a_question_of_a_call_that_was_not_reached_again_takes_no_second_answer() {
    let fails = Arc::new(AtomicUsize::new(0));
    let counted = fails.clone();
    let node = move |ctx: Ctx| {
        let fails = counted.clone();
        async move {
            if fails.swap(0, Ordering::SeqCst) == 1 {
                return Err("no network".into());
            }
            let call: Call<(), bool> = Call::new("asks", |ctx: Ctx, ()| async move {
                ctx.ask(May { what: "pay".into() })
            });
            let may = ctx.call(&call, ()).await?;
            Ok::<_, NodeError>(Log::update().said([may.to_string()]))
        }
    };
    let graph = one(&saver(), node);
    let asked = graph.run("t", Log::update()).await.unwrap();
    let id = asked.asks()[0].id;
    fails.store(1, Ordering::SeqCst);
    graph.answer("t", [(id, true)]).await.unwrap_err();
    let second = graph.answer("t", [(id, false)]).await.unwrap_err();
    assert_eq!(second.code(), "SS1105");
    let done = graph.resume("t").await.unwrap();
    assert_eq!(done.done().unwrap().said, ["true"]);
}

#[tokio::test]
async fn a_node_that_swallows_the_question_of_a_call_fails() {
    let node = |ctx: Ctx| async move {
        let call: Call<(), bool> = Call::new("asks", |ctx: Ctx, ()| async move {
            ctx.ask(May { what: "pay".into() })
        });
        let may = ctx.call(&call, ()).await.unwrap_or(false);
        Ok::<_, NodeError>(Log::update().said([may.to_string()]))
    };
    let graph = one(&saver(), node);
    let error = graph.run("t", Log::update()).await.unwrap_err();
    assert_eq!(error.code(), "SS1011");
}

#[tokio::test]
async fn new_input_keeps_what_finished_beside_an_open_question() {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
    enum Two {
        Pay,
        Ask,
    }
    let ask = |ctx: Ctx| async move {
        ctx.ask(May { what: "go".into() })?;
        Ok::<_, NodeError>(())
    };
    let pays = Arc::new(AtomicUsize::new(0));
    let counted = pays.clone();
    let pay = move || {
        let n = counted.fetch_add(1, Ordering::SeqCst) + 1;
        async move { Log::update().said([format!("paid {n}")]) }
    };
    let graph = Graph::<Log, Two>::builder()
        .saver(saver())
        .node(Two::Pay, pay)
        .node(Two::Ask, ask)
        .start(Two::Pay)
        .start(Two::Ask)
        .finish(Two::Pay)
        .finish(Two::Ask)
        .build()
        .unwrap();
    graph.run("t", Log::update()).await.unwrap();
    let again = graph.run("t", Log::update().said(["new".to_owned()])).await;
    let said = again.unwrap().state().said.clone();
    assert_eq!(said, ["paid 1", "new", "paid 2"]);
}
