//! Questions: several, in parallel, in any order, and those that are handled badly.

use serde::{Deserialize, Serialize};
use superstep::prelude::*;

use crate::plain::saver;

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Form {
    #[reduce(Append)]
    said: Vec<String>,
    #[reduce(Append)]
    asked: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Two {
    Left,
    Right,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum One {
    Only,
}

#[derive(Debug, Serialize, Deserialize, Ask)]
#[ask(answer = String, kind = "name")]
struct Name {
    of: String,
}

#[derive(Serialize, Ask)]
#[ask(answer = u32)]
struct HowOld<'a> {
    name: &'a str,
}

fn one<Args>(handler: impl superstep::Handler<Form, One, Args>) -> Graph<Form, One> {
    Graph::<Form, One>::builder()
        .saver(saver())
        .node(One::Only, handler)
        .start(One::Only)
        .finish(One::Only)
        .build()
        .unwrap()
}

async fn interview(ctx: Ctx) -> Result<FormUpdate, NodeError> {
    let name = ctx.ask(Name { of: "you".into() })?;
    let age = ctx.ask(HowOld { name: &name })?;
    Ok(Form::update().said([format!("{name} is {age}")]))
}

#[tokio::test]
async fn two_asks_of_one_node_get_their_own_answers() {
    let graph = one(interview);
    let outcome = graph.run("t", Form::update()).await.unwrap();
    let [ask] = outcome.asks() else {
        panic!("one question at a time")
    };
    assert_eq!(ask.question::<Name>().unwrap().of, "you");
    let outcome = graph
        .answer("t", [ask.answer::<Name>(&"eva".into()).unwrap()])
        .await
        .unwrap();
    let [ask] = outcome.asks() else {
        panic!("the second question")
    };
    assert!(ask.is::<HowOld<'_>>() && !ask.is::<Name>());
    assert_eq!(
        (&*ask.kind, &ask.body),
        ("how_old", &serde_json::json!({"name": "eva"}))
    );
    let outcome = graph.answer("t", [(ask.id, 7)]).await.unwrap();
    assert_eq!(outcome.done().unwrap().said, ["eva is 7"]);
}

fn parallel() -> Graph<Form, Two> {
    async fn ask(ctx: Ctx, of: &str) -> Result<FormUpdate, NodeError> {
        let name = ctx.ask(Name { of: of.into() })?;
        Ok(Form::update().said([format!("{of}: {name}")]))
    }
    Graph::<Form, Two>::builder()
        .saver(saver())
        .node(Two::Left, |ctx: Ctx| async move { ask(ctx, "left").await })
        .node(
            Two::Right,
            |ctx: Ctx| async move { ask(ctx, "right").await },
        )
        .start(Two::Left)
        .start(Two::Right)
        .finish(Two::Left)
        .finish(Two::Right)
        .build()
        .unwrap()
}

#[tokio::test]
async fn parallel_asks_are_answered_by_id_in_any_order() {
    for order in [[0, 1], [1, 0]] {
        let graph = parallel();
        let outcome = graph.run("t", Form::update()).await.unwrap();
        let asks = outcome.asks().to_vec();
        assert_eq!(asks.len(), 2);
        assert_ne!(asks[0].id, asks[1].id);
        let answer = |at: usize| {
            let of = asks[at].question::<Name>().unwrap().of;
            (asks[at].id, of.to_uppercase())
        };
        let between = graph.answer("t", [answer(order[0])]).await.unwrap();
        assert_eq!(between.asks(), [asks[order[1]].clone()]);
        let done = graph
            .answer("t", [answer(order[1])])
            .await
            .unwrap()
            .done()
            .unwrap();
        assert_eq!(done.said, ["left: LEFT", "right: RIGHT"]);
    }
}

#[tokio::test]
async fn several_asks_are_answered_in_one_call() {
    let graph = parallel();
    let outcome = graph.run("t", Form::update()).await.unwrap();
    let answers: Vec<_> = outcome.asks().iter().map(|ask| (ask.id, "same")).collect();
    let done = graph.answer("t", answers).await.unwrap().done().unwrap();
    assert_eq!(done.said, ["left: same", "right: same"]);
}

#[tokio::test]
async fn every_durability_keeps_what_a_waiting_run_did() {
    use superstep::Durability;

    for durability in [Durability::Sync, Durability::Async, Durability::Exit] {
        let graph = parallel().with_options(|options| options.durability = durability);
        let input = Form::update().asked(["before".to_owned()]);
        let outcome = graph.run("t", input).await.unwrap();
        let answers: Vec<_> = outcome.asks().iter().map(|ask| (ask.id, "same")).collect();
        graph.answer("t", answers).await.unwrap();
        let kept = graph.state("t").await.unwrap();
        assert_eq!(kept.state.asked, ["before"], "{durability:?}");
        assert_eq!(
            kept.state.said,
            ["left: same", "right: same"],
            "{durability:?}"
        );
    }
}

#[tokio::test]
async fn a_swallowed_ask_is_an_error() {
    let graph = one(|ctx: Ctx| async move {
        let name = ctx.ask(Name { of: "you".into() }).unwrap_or_default();
        Form::update().said([name])
    });
    let error = graph.run("t", Form::update()).await.unwrap_err();
    assert_eq!(error.code(), "SS1011");
}

#[tokio::test]
async fn an_answer_of_the_wrong_type_is_refused_and_the_question_stays_open() {
    let graph = one(interview);
    let outcome = graph.run("t", Form::update()).await.unwrap();
    let id = outcome.asks()[0].id;
    let error = graph.answer("t", [(id, 5)]).await.unwrap_err();
    assert_eq!(error.code(), "SS1015");
    assert_eq!(graph.state("t").await.unwrap().asks[0].id, id);
    let outcome = graph.answer("t", [(id, "eva")]).await.unwrap();
    let second = outcome.asks()[0].id;
    let error = graph.answer("t", [(second, "seven")]).await.unwrap_err();
    assert_eq!(error.code(), "SS1015");
    let done = graph
        .answer("t", [(second, 7)])
        .await
        .unwrap()
        .done()
        .unwrap();
    assert_eq!(done.said, ["eva is 7"]);
}

#[tokio::test]
async fn an_answer_to_a_question_that_is_not_open_is_an_error() {
    let graph = one(interview);
    let outcome = graph.run("t", Form::update()).await.unwrap();
    let id = outcome.asks()[0].id;
    graph.answer("t", [(id, "eva")]).await.unwrap();
    let error = graph.answer("t", [(id, "adam")]).await.unwrap_err();
    assert_eq!(error.code(), "SS1105");
}

#[tokio::test]
async fn open_questions_are_part_of_the_thread() {
    let graph = parallel();
    let outcome = graph.run("t", Form::update()).await.unwrap();
    let seen = graph.state("t").await.unwrap();
    assert_eq!(seen.asks, outcome.asks());
    assert_eq!(seen.next, [Two::Left, Two::Right]);
    let again = graph.resume("t").await.unwrap();
    assert_eq!(again.asks(), outcome.asks());
}

/// Which version of the program asks.
#[derive(Default)]
struct Version(std::sync::atomic::AtomicU32);

async fn versioned(ctx: Ctx, version: Res<Version>) -> Result<FormUpdate, NodeError> {
    let now = version.0.0.load(std::sync::atomic::Ordering::SeqCst);
    let name = Name {
        of: format!("version {now}"),
    };
    let wanted = name.of.clone();
    let check = |answer: &String| match *answer == wanted {
        true => Ok(()),
        false => Err(format!("the question is of {wanted}")),
    };
    let said = ctx.ask_checked(name, check)?;
    Ok(Form::update().said([said]))
}

#[tokio::test]
async fn a_question_whose_answer_was_refused_is_open_as_it_is_asked_now() {
    let version = std::sync::Arc::new(Version::default());
    let inside = || {
        Graph::<Form, One>::builder()
            .shared(version.clone())
            .node(One::Only, versioned)
            .start(One::Only)
            .finish(One::Only)
    };
    let alone = inside().saver(saver()).build().unwrap();
    let below = inside().build().unwrap();
    let around = Graph::<Form, One>::builder()
        .saver(saver())
        .subgraph(
            One::Only,
            &below,
            |_| Form::update(),
            |form| Form::update().said(form.said.clone()),
        )
        .start(One::Only)
        .finish(One::Only)
        .build()
        .unwrap();
    for graph in [alone, around] {
        let set = |now| version.0.store(now, std::sync::atomic::Ordering::SeqCst);
        set(1);
        let outcome = graph.run("t", Form::update()).await.unwrap();
        let id = outcome.asks()[0].id;
        set(2);
        let error = graph.answer("t", [(id, "version 1")]).await.unwrap_err();
        assert_eq!(error.code(), "SS1015");
        let asks = graph.state("t").await.unwrap().asks;
        assert_eq!(asks.len(), 1);
        assert_eq!(asks[0].question::<Name>().unwrap().of, "version 2");
        let outcome = graph.answer("t", [(asks[0].id, "version 2")]).await;
        assert_eq!(outcome.unwrap().done().unwrap().said, ["version 2"]);
    }
}

#[derive(Serialize, Ask)]
#[ask(answer = String)]
struct Title {
    of: String,
}

#[tokio::test]
async fn an_answer_does_not_reach_a_question_of_another_kind_that_a_newer_program_asks() {
    let saver = saver();
    let program = |titles: bool| {
        let ask = move |ctx: Ctx| async move {
            let of = "you".to_owned();
            let said = match titles {
                true => ctx.ask(Title { of })?,
                false => ctx.ask(Name { of })?,
            };
            Ok::<_, NodeError>(Form::update().said([said]))
        };
        Graph::<Form, One>::builder()
            .saver(saver.clone())
            .node(One::Only, ask)
            .start(One::Only)
            .finish(One::Only)
            .build()
            .unwrap()
    };
    let asked = program(false).run("t", Form::update()).await.unwrap();
    let id = asked.asks()[0].id;
    let newer = program(true);
    let error = newer.answer("t", [(id, "eva")]).await.unwrap_err();
    assert_eq!(error.code(), "SS1015");
    assert!(error.to_string().contains("another question"), "{error}");
    assert_eq!(
        newer.status("t").await.unwrap(),
        superstep::RunStatus::Waiting
    );
    let ask = newer.state("t").await.unwrap().asks.remove(0);
    assert!(ask.is::<Title>());
    let done = newer.answer("t", [(ask.id, "dr.")]).await.unwrap();
    assert_eq!(done.done().unwrap().said, ["dr."]);
}

#[tokio::test]
async fn answers_of_which_one_does_not_fit_are_all_given_back_before_a_run_begins() {
    use superstep::{RunQuery, RunStatus, saver::ThreadQuery};

    let graph = parallel();
    let asks = graph
        .run("t", Form::update())
        .await
        .unwrap()
        .asks()
        .to_vec();
    let answers = || {
        let wrong = serde_json::json!(5);
        [(asks[0].id, "left".into()), (asks[1].id, wrong)]
    };
    let answered = graph.answer("t", answers()).await.map(drop);
    let started = graph.start_answer("t", answers()).await.map(drop);
    let queued = graph.to_queue_answer("t", answers()).unwrap();
    let queued = graph.enqueue_run(queued).await.map(drop);
    for refused in [answered, started, queued] {
        assert_eq!(refused.unwrap_err().code(), "SS1015");
    }
    let runs = graph.runs("t", &RunQuery::default()).await.unwrap();
    assert_eq!(runs.len(), 1);
    let found = graph.find_threads(&ThreadQuery::default()).await.unwrap();
    let found = found.threads;
    assert_eq!((found[0].status, found[0].asks), (RunStatus::Waiting, 2));
    assert_eq!(graph.state("t").await.unwrap().asks, asks);
}

#[tokio::test]
async fn a_thread_still_waits_after_what_asked_has_refused_an_answer() {
    use superstep::{RunStatus, saver::ThreadQuery};

    let even = |n: &String| match n.len().is_multiple_of(2) {
        true => Ok(()),
        false => Err("the name is odd".to_owned()),
    };
    let graph = one(move |ctx: Ctx| async move {
        let name = ctx.ask_checked(Name { of: "you".into() }, even)?;
        Ok::<_, NodeError>(Form::update().said([name]))
    });
    let id = graph.run("t", Form::update()).await.unwrap().asks()[0].id;
    let error = graph.answer("t", [(id, "eva")]).await.unwrap_err();
    assert_eq!(error.code(), "SS1015");
    assert_eq!(graph.status("t").await.unwrap(), RunStatus::Waiting);
    let waiting = ThreadQuery {
        status: vec![RunStatus::Waiting],
        ..ThreadQuery::default()
    };
    assert_eq!(graph.find_threads(&waiting).await.unwrap().threads.len(), 1);
}
