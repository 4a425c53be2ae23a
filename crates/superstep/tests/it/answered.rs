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
    Graph::<Log, One>::builder()
        .saver(saver.clone())
        .node(One::Only, ask)
        .start(One::Only)
        .finish(One::Only)
        .build()
        .unwrap()
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
async fn a_call_of_another_task_does_not_get_the_result_of_the_one_before() {
    let saver = saver();
    let program = |names: &'static [&'static str]| {
        let node = move |ctx: Ctx| async move {
            let mut said = Vec::new();
            for name in names {
                let call: Call<(), String> = Call::new(*name, move |_: Ctx, ()| async move {
                    Ok(format!("done by {name}"))
                });
                said.push(ctx.call(&call, ()).await?);
            }
            ctx.ask(May { what: "go".into() })?;
            Ok::<_, NodeError>(Log::update().said(said))
        };
        Graph::<Log, One>::builder()
            .saver(saver.clone())
            .node(One::Only, node)
            .start(One::Only)
            .finish(One::Only)
            .build()
            .unwrap()
    };
    let old = program(&["a", "b"]);
    let asked = old.run("t", Log::update()).await.unwrap();
    let id = asked.asks()[0].id;
    let swapped = program(&["b", "a"]).answer("t", [(id, true)]).await;
    assert_eq!(swapped.unwrap_err().code(), "SS3054");
    let done = old.resume("t").await.unwrap();
    assert_eq!(done.done().unwrap().said, ["done by a", "done by b"]);
}
