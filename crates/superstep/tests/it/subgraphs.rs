//! Graphs inside graphs.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use serde::{Deserialize, Serialize};
use superstep::{
    Event,
    dynamic::{EventKind, state::Depth},
    prelude::*,
};

use crate::plain::saver;

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Mail {
    subject: String,
    #[reduce(Append)]
    log: Vec<String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Reply {
    about: String,
    text: Option<String>,
    #[reduce(Sum)]
    turns: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Top {
    Respond,
    Archive,
    Escalate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Inner {
    Think,
    Review,
}

#[derive(Serialize, Ask)]
#[ask(answer = String)]
struct Edit {
    draft: String,
}

#[derive(Default)]
struct Thoughts {
    count: AtomicU32,
}

async fn think(reply: Snap<Reply>, thoughts: Res<Thoughts>) -> ReplyUpdate {
    thoughts.count.fetch_add(1, Ordering::SeqCst);
    Reply::update()
        .text(format!("re: {}", reply.about))
        .turns(1)
}

async fn review(reply: Snap<Reply>, ctx: Ctx) -> Result<ReplyUpdate, NodeError> {
    let text = ctx.ask(Edit {
        draft: reply.text.clone().unwrap_or_default(),
    })?;
    Ok(Reply::update().text(text))
}

fn graph(thoughts: &Arc<Thoughts>, persist: Persist) -> Graph<Mail, Top> {
    let child = Graph::<Reply, Inner>::builder()
        .shared(thoughts.clone())
        .persist(persist)
        .node(Inner::Think, think)
        .node(Inner::Review, review)
        .start(Inner::Think)
        .edge(Inner::Think, Inner::Review)
        .finish(Inner::Review)
        .build()
        .unwrap();
    Graph::<Mail, Top>::builder()
        .saver(saver())
        .subgraph(
            Top::Respond,
            &child,
            |mail| Reply::update().about(mail.subject.clone()),
            |reply| {
                let text = reply.text.clone().unwrap_or_default();
                let next = if text.is_empty() {
                    Top::Escalate
                } else {
                    Top::Archive
                };
                Mail::update()
                    .log([format!("{text} ({})", reply.turns)])
                    .goto(next)
            },
        )
        .node(Top::Archive, || async {
            Mail::update().log(["archived".to_owned()])
        })
        .node(Top::Escalate, || async {
            Mail::update().log(["escalated".to_owned()])
        })
        .start(Top::Respond)
        .may_goto(Top::Respond, &[Top::Archive, Top::Escalate])
        .finish(Top::Archive)
        .finish(Top::Escalate)
        .build()
        .unwrap()
}

#[tokio::test]
async fn an_ask_in_a_subgraph_resumes_without_redoing_earlier_work() {
    let thoughts = Arc::new(Thoughts::default());
    let graph = graph(&thoughts, Persist::PerCall);
    let outcome = graph
        .run("t", Mail::update().subject("lunch"))
        .await
        .unwrap();
    let [ask] = outcome.asks() else {
        panic!("the child asks")
    };
    assert_eq!(ask.body, serde_json::json!({"draft": "re: lunch"}));
    let done = graph
        .answer("t", [(ask.id, "at noon")])
        .await
        .unwrap()
        .done()
        .unwrap();
    assert_eq!(done.log, ["at noon (1)", "archived"]);
    assert_eq!(thoughts.count.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_child_hands_control_over_through_its_output() {
    let graph = graph(&Arc::default(), Persist::PerCall);
    let outcome = graph
        .run("t", Mail::update().subject("lunch"))
        .await
        .unwrap();
    let done = graph
        .answer("t", [(outcome.asks()[0].id, "")])
        .await
        .unwrap()
        .done()
        .unwrap();
    assert_eq!(done.log, [" (1)", "escalated"]);
}

#[tokio::test]
async fn a_child_per_thread_remembers_and_one_per_call_does_not() {
    for (persist, turns) in [(Persist::PerCall, 1), (Persist::PerThread, 2)] {
        let graph = graph(&Arc::default(), persist);
        for _ in 0..2 {
            let outcome = graph.run("t", Mail::update()).await.unwrap();
            graph
                .answer("t", [(outcome.asks()[0].id, "ok")])
                .await
                .unwrap();
        }
        let log = graph.state("t").await.unwrap().state.log.clone();
        assert_eq!(log[2], format!("ok ({turns})"));
    }
}

#[tokio::test]
async fn a_child_that_is_not_stored_starts_again_and_takes_its_answer() {
    let thoughts = Arc::new(Thoughts::default());
    let graph = graph(&thoughts, Persist::Off);
    let outcome = graph
        .run("t", Mail::update().subject("lunch"))
        .await
        .unwrap();
    assert_eq!(outcome.asks().len(), 1);
    let again = graph.resume("t").await.unwrap();
    assert_eq!(again.asks(), outcome.asks());
    assert_eq!(thoughts.count.load(Ordering::SeqCst), 2);
    let done = graph
        .answer("t", [(again.asks()[0].id, "at noon")])
        .await
        .unwrap()
        .done()
        .unwrap();
    assert_eq!(done.log, ["at noon (1)", "archived"]);
    assert_eq!(thoughts.count.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn an_unknown_effect_in_a_subgraph_is_settled_through_the_graph_around_it() {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
    enum One {
        Only,
    }
    let dying = Arc::new(tokio::sync::Notify::new());
    let child = Graph::<Reply, One>::builder()
        .shared(dying.clone())
        .node(
            One::Only,
            |ctx: Ctx, dying: Res<tokio::sync::Notify>| async move {
                let effect = || async {
                    dying.notify_one();
                    std::future::pending::<Result<u32, EffectError>>().await
                };
                let turns = ctx.once("send", effect).await?;
                Ok::<_, NodeError>(Reply::update().turns(turns))
            },
        )
        .start(One::Only)
        .finish(One::Only)
        .build()
        .unwrap();
    let graph = Graph::<Mail, One>::builder()
        .saver(saver())
        .subgraph(
            One::Only,
            &child,
            |_| Reply::update(),
            |reply| Mail::update().log([format!("{} turns", reply.turns)]),
        )
        .start(One::Only)
        .finish(One::Only)
        .build()
        .unwrap();
    tokio::select! {
        _ = graph.run("t", Mail::update()) => panic!("it never ends"),
        () = dying.notified() => {}
    }
    assert_eq!(graph.resume("t").await.unwrap_err().code(), "SS1202");
    graph.settle_done("t", "send", &3).await.unwrap();
    let done = graph.resume("t").await.unwrap().done().unwrap();
    assert_eq!(done.log, ["3 turns"]);
}

#[tokio::test]
async fn events_of_a_child_are_shown_when_asked_for() {
    let graph = graph(&Arc::default(), Persist::PerCall);
    for (subgraphs, expected) in [(false, 0), (true, 1)] {
        let graph = graph.with_options(|options| {
            options.subgraphs = subgraphs;
            options.modes = superstep::Modes::UPDATES;
        });
        let mut stream = graph.stream(format!("t{subgraphs}"), Mail::update());
        let (mut below, mut asked) = (0, 0);
        while let Some(event) = stream.next().await {
            match event {
                Event::Below(event) if matches!(&event.kind, EventKind::Update { node, .. } if &**node == "think") =>
                {
                    below += 1;
                }
                Event::Asked(asks) => asked += asks.len(),
                _ => {}
            }
        }
        assert_eq!((below, asked), (expected, 1));
        assert_eq!(stream.outcome().await.unwrap().asks().len(), 1);
    }
}

#[tokio::test]
async fn a_whole_state_is_an_input_too() {
    let graph = graph(&Arc::default(), Persist::PerCall);
    let mail = Mail {
        subject: "lunch".into(),
        log: vec!["before".into()],
    };
    let outcome = graph.run("t", mail.clone()).await.unwrap();
    assert_eq!(outcome.state().log, ["before"]);
    let outcome = graph.run("t", mail).await.unwrap();
    assert_eq!(
        outcome.state().log,
        ["before"],
        "a whole state replaces, it does not add"
    );
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Outer {
    Respond,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Careful {
    Review,
    Deliver,
}

/// A graph whose child asks, then fails once behind the answer.
fn fails_behind_an_answer() -> Graph<Mail, Outer> {
    let tries = Arc::new(AtomicU32::new(0));
    let child = Graph::<Reply, Careful>::builder()
        .node(Careful::Review, review)
        .node(Careful::Deliver, move || {
            let first = tries.fetch_add(1, Ordering::SeqCst) == 0;
            async move {
                match first {
                    true => Err(NodeError::from(std::io::Error::other("no route"))),
                    false => Ok(Reply::update().turns(1)),
                }
            }
        })
        .start(Careful::Review)
        .edge(Careful::Review, Careful::Deliver)
        .finish(Careful::Deliver)
        .build()
        .unwrap();
    Graph::<Mail, Outer>::builder()
        .saver(saver())
        .subgraph(
            Outer::Respond,
            &child,
            |mail| Reply::update().about(mail.subject.clone()),
            |reply| Mail::update().log([reply.text.clone().unwrap_or_default()]),
        )
        .start(Outer::Respond)
        .finish(Outer::Respond)
        .build()
        .unwrap()
}

#[tokio::test]
async fn a_question_of_a_subgraph_is_closed_once_it_is_answered_wherever_the_run_stops() {
    let graph = fails_behind_an_answer();
    let outcome = graph.run("t", Mail::update()).await.unwrap();
    let [ask] = outcome.asks() else {
        panic!("the child asks")
    };
    let open = graph.state("t").await.unwrap().asks;
    assert_eq!(open.iter().map(|it| it.id).collect::<Vec<_>>(), [ask.id]);

    assert!(graph.answer("t", [(ask.id, "at noon")]).await.is_err());
    let stopped = graph.state("t").await.unwrap();
    assert_eq!(stopped.next, [Outer::Respond]);
    assert!(stopped.asks.is_empty(), "{:?}", stopped.asks);
    for depth in [Depth::Here, Depth::Subgraphs] {
        let thread = "t".into();
        let snapshot = graph.dynamic().state(&thread, None, depth).await.unwrap();
        assert_eq!(snapshot.asks().count(), 0, "{depth:?}");
    }

    let done = graph.resume("t").await.unwrap().done().unwrap();
    assert_eq!(done.log, ["at noon"]);
}
