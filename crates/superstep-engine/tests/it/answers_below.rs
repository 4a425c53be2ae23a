//! Answers to questions of a subgraph, when the run that brings them is cut short between any two
//! things it stores.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use superstep_core::{
    Value,
    error::SaverError,
    plan::{Pauses, Persist},
    reducer::Reducer,
    run::Halt,
    saver::{Commit, MaybeReady, NextRecord, Notes, Saver, SaverLayer},
};
use superstep_engine::{
    Backends, DynCtx, DynGraph, DynGraphBuilder, DynNodeOptions, Node, RunOptions, Status, input,
    memory::MemorySaver, state::Depth,
};

/// Stores so much and then nothing more, like a process that was killed.
struct Mortal {
    inner: MemorySaver,
    left: AtomicUsize,
}

impl Mortal {
    fn lives(&self) -> Result<(), SaverError> {
        let left = &self.left;
        let taken = left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1));
        let dead = |_| SaverError::Io("the process is gone".into());
        taken.map(drop).map_err(dead)
    }
}

impl SaverLayer for Mortal {
    fn inner(&self) -> &dyn Saver {
        &self.inner
    }

    fn commit(&self, commit: Commit) -> MaybeReady<'_, NextRecord> {
        match self.lives() {
            Ok(()) => Saver::commit(&self.inner, commit),
            Err(dead) => MaybeReady::now(Err(dead)),
        }
    }

    fn note(&self, notes: Notes) -> MaybeReady<'_, ()> {
        match self.lives() {
            Ok(()) => Saver::note(&self.inner, notes),
            Err(dead) => MaybeReady::now(Err(dead)),
        }
    }
}

/// A node that asks one question after the other.
fn asks(questions: &'static [&'static str]) -> impl Node {
    move |ctx: DynCtx| async move {
        let mut said = Vec::new();
        for question in questions {
            said.push(ctx.ask(*question)?);
        }
        Ok::<_, Halt>(Value::map([("said", Value::list(said))]))
    }
}

/// The only node of a subgraph asks two questions.
fn two_questions(saver: impl Saver) -> DynGraph {
    let inner = DynGraphBuilder::new()
        .last_value("said")
        .node("asks", asks(&["first", "second"]))
        .edge("__start__", "asks")
        .build()
        .unwrap();
    DynGraphBuilder::new()
        .last_value("said")
        .subgraph("inner", inner, DynNodeOptions::default())
        .edge("__start__", "inner")
        .backends(Backends::on(saver))
        .build()
        .unwrap()
}

/// [`two_questions`] on one storage: as it is, and in a process that dies after it stored so much.
fn whole_and_cut(left: usize) -> (DynGraph, DynGraph) {
    let inner = MemorySaver::new();
    let whole = two_questions(inner.clone());
    let left = AtomicUsize::new(left);
    (whole, two_questions(Mortal { inner, left }))
}

/// Two tasks of a subgraph ask, one of them twice; so does a node beside it.
fn graph(saver: impl Saver) -> DynGraph {
    let inner = DynGraphBuilder::new()
        .reduce("said", Reducer::Add, json!([]))
        .node("left", asks(&["left", "left again"]))
        .node("right", asks(&["right"]))
        .edge("__start__", "left")
        .edge("__start__", "right")
        .output_schema(vec!["said".into()])
        .build()
        .unwrap();
    DynGraphBuilder::new()
        .reduce("said", Reducer::Add, json!([]))
        .subgraph("inner", inner, DynNodeOptions::default())
        .node("beside", asks(&["beside"]))
        .edge("__start__", "inner")
        .edge("__start__", "beside")
        .backends(Backends::on(saver))
        .build()
        .unwrap()
}

fn answer(ask: &superstep_core::ask::Ask) -> (superstep_core::id::AskId, Value) {
    (
        ask.id,
        format!("{} is answered", ask.value.as_str().unwrap()).into(),
    )
}

#[tokio::test]
async fn every_question_that_is_shown_takes_its_answer_wherever_the_run_before_was_cut() {
    let mut cuts = 0;
    loop {
        let memory = MemorySaver::new();
        let options = RunOptions {
            strict_resume: true,
            ..RunOptions::on("t")
        };
        let graph_of = |left| {
            let mortal = Mortal {
                inner: memory.clone(),
                left: AtomicUsize::new(left),
            };
            graph(mortal)
        };
        let whole = graph_of(usize::MAX);
        let asked = whole.invoke(json!({}), &options).await.unwrap();
        assert_eq!(asked.asks.len(), 3);
        let answers = || input::answers(asked.asks.iter().map(answer));
        let cut = graph_of(cuts).invoke(answers(), &options).await;
        let mut rounds = 0;
        loop {
            rounds += 1;
            assert!(rounds < 6, "cut after {cuts}: it asks for ever");
            let thread = "t".into();
            let state = whole.state(&thread, None, Depth::Here).await.unwrap();
            let open: Vec<_> = state.asks().map(answer).collect();
            if state.next.is_empty() {
                break;
            }
            let with = match open.is_empty() {
                true => input::go_on(),
                false => input::answers(open),
            };
            let outcome = whole.invoke(with, &options).await;
            let outcome = outcome.unwrap_or_else(|error| panic!("cut after {cuts}: {error}"));
            if outcome.status == Status::Done {
                break;
            }
        }
        let state = whole.state(&"t".into(), None, Depth::Here).await.unwrap();
        let mut said: Vec<String> =
            serde_json::from_value(state.values.to_json()["said"].clone()).unwrap();
        said.sort();
        let wanted =
            ["beside", "left again", "left", "right"].map(|it| format!("{it} is answered"));
        let mut wanted = wanted.to_vec();
        wanted.sort();
        assert_eq!(said, wanted, "cut after {cuts}");
        if cut.is_ok() {
            break;
        }
        cuts += 1;
    }
    assert!(cuts > 3, "{cuts} cuts");
}

#[tokio::test]
async fn a_plain_answer_reaches_one_question_wherever_its_run_is_cut() {
    let mut cuts = 0;
    loop {
        let options = RunOptions::on("t");
        let (whole, mortal) = whole_and_cut(cuts);
        let asked = whole.invoke(json!({}), &options).await.unwrap();
        assert_eq!(asked.status, Status::Waiting);
        let cut = mortal.invoke(input::resume("yes"), &options).await;
        let resumed = whole.invoke(input::go_on(), &options).await.unwrap();
        assert_eq!(resumed.status, Status::Waiting, "cut after {cuts}");
        let answered = resumed.asks[0].value == Value::from("second");
        let last = whole.invoke(input::resume("no"), &options).await.unwrap();
        match answered {
            true => {
                let said = last.output.unwrap().get("said").cloned();
                assert_eq!(said, Some(Value::list(["yes".into(), "no".into()])));
            }
            false => assert_eq!(last.asks[0].value, Value::from("second")),
        }
        if cut.is_ok() {
            assert!(answered);
            break;
        }
        cuts += 1;
    }
    assert!(cuts > 1, "{cuts} cuts");
}

#[tokio::test]
async fn a_plain_answer_that_no_question_waited_for_is_gone_when_its_run_is_cut() {
    let mut cuts = 0;
    loop {
        let options = RunOptions::on("t");
        let (whole, mortal) = whole_and_cut(cuts);
        let paused = RunOptions {
            pause_before: Pauses::All,
            ..options.clone()
        };
        let paused = whole.invoke(json!({}), &paused).await.unwrap();
        assert_eq!(paused.status, Status::Paused);
        let cut = mortal.invoke(input::resume("yes"), &options).await;
        let resumed = whole.invoke(input::go_on(), &options).await.unwrap();
        assert_eq!(resumed.status, Status::Waiting, "cut after {cuts}");
        if cut.is_ok() {
            break;
        }
        cuts += 1;
    }
    assert!(cuts > 1, "{cuts} cuts");
}

#[tokio::test]
async fn a_question_of_a_graph_of_which_nothing_is_stored_takes_a_plain_answer_and_one_by_id() {
    for by_id in [true, false] {
        let inner = DynGraphBuilder::new()
            .last_value("said")
            .node("before", |_: DynCtx| async { Ok::<_, Halt>(()) })
            .node("asks", asks(&["first"]))
            .edge("__start__", "before")
            .edge("before", "asks")
            .persist(Persist::Off)
            .build()
            .unwrap();
        let graph = DynGraphBuilder::new()
            .last_value("said")
            .subgraph("inner", inner, DynNodeOptions::default())
            .edge("__start__", "inner")
            .backends(Backends::on(MemorySaver::new()))
            .build()
            .unwrap();
        let options = RunOptions::on("t");
        let asked = graph.invoke(json!({}), &options).await.unwrap();
        let with = match by_id {
            true => input::answers([(asked.asks[0].id, "yes".into())]),
            false => input::resume("yes"),
        };
        let done = graph.invoke(with, &options).await.unwrap();
        assert_eq!(done.status, Status::Done, "by id: {by_id}");
    }
}
