//! Questions with a deadline: answered before it, given up after it, decided once.

use std::{collections::HashMap, time::Duration};

use serde_json::json;
use superstep_core::{
    Value,
    ask::{Ask, Resume},
    command::Command,
    error::Error,
    id::AskId,
    run::{Halt, RunInput},
    runs::{QueuedInput, RunQuery, RunStatus},
};
use superstep_engine::{
    DynCtx, DynGraph, DynGraphBuilder, DynOutcome, RunOptions, Status, state::Depth,
};
use tokio::time::advance;

use crate::fixture::{Count, one, saved};

const DAY: Duration = Duration::from_secs(24 * 3600);

/// Asks whether it has arrived, and reminds twice, once a day.
fn graph() -> (DynGraph, Count) {
    let reminders = Count::default();
    let counts = reminders.clone();
    let node = move |ctx: DynCtx| {
        let counts = counts.clone();
        async move {
            for n in 0..3 {
                if let Some(answer) = ctx.ask_within("arrived?", DAY).await? {
                    return Ok::<_, Halt>(json!({ "x": answer.to_json() }));
                }
                let counts = counts.clone();
                ctx.once(&format!("remind {n}"), || async move { Ok(counts.up()) })
                    .await?;
            }
            Ok(json!({ "x": "lost" }))
        }
    };
    let graph = one(node).name("parcels").backends(saved()).build();
    (graph.unwrap(), reminders)
}

async fn start(graph: &DynGraph) -> DynOutcome {
    graph.invoke(json!({}), &RunOptions::on("t")).await.unwrap()
}

async fn wake(graph: &DynGraph) -> Vec<Status> {
    let worked = graph.wake_due(&RunOptions::default()).await.unwrap();
    let status = |outcome: DynOutcome| outcome.status;
    worked
        .into_iter()
        .map(|it| it.outcome.map(status).unwrap())
        .collect()
}

fn answer(id: AskId, answer: &str) -> RunInput {
    let answers = HashMap::from([(id, Value::from(answer))]);
    RunInput::Command(Box::default(), Some(Resume::ById(answers)))
}

async fn open(graph: &DynGraph) -> Vec<Ask> {
    let state = graph.state(&"t".into(), None, Depth::Here).await.unwrap();
    state.asks().cloned().collect()
}

async fn x(graph: &DynGraph) -> Value {
    let state = graph.state(&"t".into(), None, Depth::Here).await.unwrap();
    state.values.get("x").cloned().unwrap_or_default()
}

#[tokio::test(start_paused = true)]
async fn an_answer_in_time_is_returned() {
    let (graph, reminders) = graph();
    let outcome = start(&graph).await;
    assert_eq!(outcome.status, Status::Waiting);
    assert_eq!(outcome.until, outcome.asks[0].deadline);
    advance(DAY / 2).await;
    assert!(wake(&graph).await.is_empty(), "nobody gave up yet");
    let input = answer(outcome.asks[0].id, "yes");
    let options = RunOptions::on("t");
    let done = graph.invoke(input, &options).await.unwrap();
    assert_eq!(done.status, Status::Done);
    advance(2 * DAY).await;
    assert!(wake(&graph).await.is_empty(), "its alarm is gone");
    assert_eq!((x(&graph).await, reminders.get()), ("yes".into(), 0));
}

#[tokio::test(start_paused = true)]
async fn a_question_that_is_asked_again_is_one_question_with_a_new_deadline() {
    let (graph, reminders) = graph();
    let first = start(&graph).await.asks[0].clone();
    let runs = graph.runs("t", &RunQuery::default()).await.unwrap();
    assert_eq!(runs.len(), 1, "nobody sees its alarm");
    assert_eq!(graph.status("t").await.unwrap(), RunStatus::Waiting);
    advance(DAY).await;
    assert_eq!(wake(&graph).await, [Status::Waiting]);
    let [second] = &open(&graph).await[..] else {
        panic!("one question");
    };
    assert_eq!((second.id, &second.value), (first.id, &first.value));
    let day = i64::try_from(DAY.as_millis()).unwrap();
    assert_eq!(second.deadline, first.deadline.map(|it| it + day));
    // Who was shown the first one answers the second.
    let options = RunOptions::on("t");
    let done = graph.invoke(answer(first.id, "now"), &options).await;
    assert_eq!(done.unwrap().status, Status::Done);
    assert_eq!((x(&graph).await, reminders.get()), ("now".into(), 1));
}

#[tokio::test(start_paused = true)]
async fn nobody_answers_and_the_task_goes_on_without() {
    let (graph, reminders) = graph();
    let asked = start(&graph).await.asks[0].id;
    for status in [Status::Waiting, Status::Waiting, Status::Done] {
        advance(DAY).await;
        assert_eq!(wake(&graph).await, [status]);
    }
    assert_eq!((x(&graph).await, reminders.get()), ("lost".into(), 3));
    let options = RunOptions {
        strict_resume: true,
        ..RunOptions::on("t")
    };
    let late = graph.invoke(answer(asked, "yes"), &options).await;
    assert_eq!(late.unwrap_err().code(), "SS1105");
}

#[tokio::test(start_paused = true)]
async fn an_answer_after_the_deadline_is_refused_and_the_timer_has_it() {
    let (graph, _) = graph();
    let asked = start(&graph).await.asks[0].id;
    advance(DAY).await;
    let code = |error: Error| error.code().to_owned();
    let late = graph
        .invoke(answer(asked, "yes"), &RunOptions::on("t"))
        .await;
    assert_eq!(late.map(drop).map_err(code), Err("SS1124".to_owned()));
    let answers = Some(Resume::Next("yes".into()));
    let queued = graph.queued("t", QueuedInput::Command(Command::default(), answers));
    let late = graph.enqueue(queued).await;
    assert_eq!(late.map(drop).map_err(code), Err("SS1124".to_owned()));
    assert_eq!(wake(&graph).await, [Status::Waiting]);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_was_queued_in_time_counts_when_it_gets_there_late() {
    let (graph, reminders) = graph();
    start(&graph).await;
    let answers = Some(Resume::Next("yes".into()));
    let queued = graph.queued("t", QueuedInput::Command(Command::default(), answers));
    graph.enqueue(queued).await.unwrap();
    advance(2 * DAY).await;
    let worked = graph.wake_due(&RunOptions::default()).await.unwrap();
    let done = worked.into_iter().filter_map(|it| it.outcome.ok());
    assert_eq!(done.map(|it| it.status).collect::<Vec<_>>(), [Status::Done]);
    assert_eq!((x(&graph).await, reminders.get()), ("yes".into(), 0));
}

#[tokio::test(start_paused = true)]
async fn a_question_beside_a_timer_is_answered_while_that_sleeps() {
    let graph = DynGraphBuilder::new()
        .last_value("x")
        .last_value("y")
        .node("asks", |ctx: DynCtx| async move {
            Ok::<_, Halt>(json!({ "x": ctx.ask("which?")?.to_json() }))
        })
        .node("naps", |ctx: DynCtx| async move {
            ctx.sleep(DAY).await?;
            Ok::<_, Halt>(json!({ "y": "awake" }))
        })
        .edge("__start__", "asks")
        .edge("__start__", "naps")
        .backends(saved())
        .build()
        .unwrap();
    let outcome = start(&graph).await;
    assert_eq!(outcome.status, Status::Waiting);
    let input = answer(outcome.asks[0].id, "this");
    let answered = graph.invoke(input, &RunOptions::on("t")).await.unwrap();
    assert_eq!(answered.status, Status::Sleeping);
    advance(DAY).await;
    assert_eq!(wake(&graph).await, [Status::Done]);
    let state = graph.state(&"t".into(), None, Depth::Here).await.unwrap();
    assert_eq!(state.values, json!({ "x": "this", "y": "awake" }).into());
}

#[tokio::test(start_paused = true)]
async fn another_question_after_the_deadline_is_another_question() {
    let node = |ctx: DynCtx| async move {
        let first = ctx.ask_within("red?", DAY).await?;
        let second = ctx.ask_within("blue?", DAY).await?;
        Ok::<_, Halt>(
            json!({ "x": [first.unwrap_or_default().to_json(), second.unwrap_or_default().to_json()] }),
        )
    };
    let graph = one(node).backends(saved()).build().unwrap();
    let red = start(&graph).await.asks[0].id;
    advance(DAY).await;
    assert_eq!(wake(&graph).await, [Status::Waiting]);
    let blue = open(&graph).await[0].id;
    assert_ne!(red, blue);
    graph
        .invoke(answer(blue, "yes"), &RunOptions::on("t"))
        .await
        .unwrap();
    assert_eq!(x(&graph).await, json!([null, "yes"]).into());
}
