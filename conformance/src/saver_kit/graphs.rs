//! Graphs on the saver: everything observable must be as on the memory saver.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use superstep_core::{
    command::{Command, END, Output, START, Send},
    edit::Update,
    error::Failure as NodeFailure,
    plan::{Destination, Pauses, Persist},
    policy::Durability,
    reducer::Reducer,
    run::{Halt, RunInput},
    saver::Keep,
    value::Value,
};
use superstep_engine::{
    Backends, CheckpointRef, DynCtx, DynGraph, DynGraphBuilder, DynNodeOptions, RunOptions,
    input::{answers, go_on, resume},
};

use super::fixture::Bench;
use super::records::id;
use super::stage::{Stage, checkpoints, like_memory};
use crate::kit::{Failure, Verdict, cases, equal};

cases![
    SaverCheck: a_question_waits_for_its_answer,
    questions_of_parallel_tasks_are_answered_by_id,
    an_effect_happens_once_over_a_question,
    a_failed_step_keeps_what_its_other_tasks_did,
    a_run_from_an_older_checkpoint_is_a_fork,
    an_edit_is_a_checkpoint_of_its_own,
    a_subgraph_asks_and_goes_on,
    a_subgraph_remembers_over_runs,
    sends_and_joins_survive_a_pause,
    a_long_loop_reads_right_at_every_step,
    every_durability_ends_in_the_same_state,
    a_copied_thread_gets_another_answer,
    a_pruned_thread_still_waits_for_its_answer,
    a_moved_thread_gets_its_answer_where_it_is,
];

fn update<const N: usize>(pairs: [(&str, Value); N]) -> Value {
    Value::map(pairs)
}

/// A list channel `log`, a value `x`, and a function that logs a word.
fn builder(backends: &Backends) -> DynGraphBuilder {
    DynGraphBuilder::new()
        .reduce("log", Reducer::Add, Value::list([]))
        .last_value("x")
        .backends(backends.clone())
}

fn logs(word: &'static str) -> impl superstep_engine::Node {
    move |_: DynCtx| async move { Ok::<_, Halt>(logged(word)) }
}

fn logged(word: impl Into<Value>) -> Value {
    update([("log", Value::list([word.into()]))])
}

fn asks(question: &'static str) -> impl superstep_engine::Node {
    move |ctx: DynCtx| async move {
        let schema = update([("type", "string".into())]);
        let answer = ctx.ask_with(question.into(), Some(schema))?;
        Ok::<_, Halt>(logged(answer))
    }
}

fn word(value: &str) -> Value {
    logged(value)
}

/// Three steps in a row, the second of which asks.
fn asking(backends: &Backends) -> Result<DynGraph, Failure> {
    let graph = builder(backends)
        .node("before", logs("before"))
        .node("ask", asks("who?"))
        .node("after", logs("after"))
        .edge(START, "before")
        .edge("before", "ask")
        .edge("ask", "after");
    Ok(graph.build()?)
}

/// Three steps in a row.
fn line(backends: &Backends) -> Result<DynGraph, Failure> {
    let graph = builder(backends)
        .node("a", logs("a"))
        .node("b", logs("b"))
        .node("c", logs("c"))
        .edge(START, "a")
        .edge("a", "b")
        .edge("b", "c");
    Ok(graph.build()?)
}

async fn a_question_waits_for_its_answer(bench: &Bench<'_>) -> Verdict {
    async fn play(mut stage: Stage) -> Result<Stage, Failure> {
        let graph = asking(&stage.backends)?;
        let on = RunOptions::on("t");
        stage.run(&graph, word("in"), &on).await?;
        stage.look(&graph, "t").await?;
        // Going on without an answer asks again.
        stage.run(&graph, go_on(), &on).await?;
        let outcome = stage.run(&graph, resume("Ada"), &on).await?;
        let wanted = ["in", "before", "Ada", "after"].map(Value::from);
        let log = outcome.output.and_then(|output| output.get("log").cloned());
        equal("the log", log, Some(Value::list(wanted)))?;
        stage.run(&graph, word("again"), &on).await?;
        stage.look(&graph, "t").await?;
        Ok(stage)
    }
    like_memory(bench, |stage| Box::pin(play(stage))).await
}

async fn questions_of_parallel_tasks_are_answered_by_id(bench: &Bench<'_>) -> Verdict {
    async fn play(mut stage: Stage) -> Result<Stage, Failure> {
        let graph = builder(&stage.backends)
            .node("left", asks("left?"))
            .node("right", asks("right?"))
            .node("middle", logs("middle"))
            .edge(START, "left")
            .edge(START, "right")
            .edge(START, "middle")
            .build()?;
        let on = RunOptions::on("t");
        let outcome = stage.run(&graph, word("in"), &on).await?;
        stage.look(&graph, "t").await?;
        let named = outcome.asks.iter().map(|ask| (ask.id, ask.value.clone()));
        let mut named: Vec<_> = named.collect();
        let last = named.pop();
        stage.run(&graph, answers(named), &on).await?;
        stage.look(&graph, "t").await?;
        stage.run(&graph, answers(last), &on).await?;
        stage.look(&graph, "t").await?;
        Ok(stage)
    }
    like_memory(bench, |stage| Box::pin(play(stage))).await
}

async fn an_effect_happens_once_over_a_question(bench: &Bench<'_>) -> Verdict {
    async fn play(mut stage: Stage) -> Result<Stage, Failure> {
        let paid = Arc::new(AtomicU32::new(0));
        let counter = paid.clone();
        let pay = move |ctx: DynCtx| {
            let counter = counter.clone();
            async move {
                let effect = || async move {
                    let times = counter.fetch_add(1, Ordering::SeqCst);
                    Ok(i64::from(times) + 1)
                };
                let receipt = ctx.once("pay", effect).await?;
                let answer = ctx.ask("sure?")?;
                let both = Value::list([Value::Int(receipt), answer]);
                Ok::<_, Halt>(update([("x", both)]))
            }
        };
        let graph = builder(&stage.backends)
            .node("pay", pay)
            .edge(START, "pay")
            .build()?;
        let on = RunOptions::on("t");
        stage.run(&graph, word("in"), &on).await?;
        stage.look(&graph, "t").await?;
        stage.run(&graph, resume("yes"), &on).await?;
        stage.look(&graph, "t").await?;
        equal("payments", paid.load(Ordering::SeqCst), 1)?;
        Ok(stage)
    }
    like_memory(bench, |stage| Box::pin(play(stage))).await
}

async fn a_failed_step_keeps_what_its_other_tasks_did(bench: &Bench<'_>) -> Verdict {
    async fn play(mut stage: Stage) -> Result<Stage, Failure> {
        let tries = Arc::new(AtomicU32::new(0));
        let weak = move |_: DynCtx| {
            let first = tries.fetch_add(1, Ordering::SeqCst) == 0;
            async move {
                match first {
                    true => Err(Halt::from(NodeFailure::new("Weak", "not yet").permanent())),
                    false => Ok(word("weak")),
                }
            }
        };
        let runs = Arc::new(AtomicU32::new(0));
        let counter = runs.clone();
        let strong = move |_: DynCtx| {
            counter.fetch_add(1, Ordering::SeqCst);
            async move { Ok::<_, Halt>(word("strong")) }
        };
        let graph = builder(&stage.backends)
            .node("strong", strong)
            .node("weak", weak)
            .edge(START, "strong")
            .edge(START, "weak")
            .build()?;
        let on = RunOptions::on("t");
        stage.fail(&graph, word("in"), &on).await?;
        stage.look(&graph, "t").await?;
        stage.run(&graph, go_on(), &on).await?;
        stage.look(&graph, "t").await?;
        equal(
            "runs of the task that worked",
            runs.load(Ordering::SeqCst),
            1,
        )?;
        Ok(stage)
    }
    like_memory(bench, |stage| Box::pin(play(stage))).await
}

async fn a_run_from_an_older_checkpoint_is_a_fork(bench: &Bench<'_>) -> Verdict {
    async fn play(mut stage: Stage) -> Result<Stage, Failure> {
        let graph = line(&stage.backends)?;
        let on = RunOptions::on("t");
        stage.run(&graph, word("in"), &on).await?;
        let all = checkpoints(&graph, &"t".into()).await?;
        for snapshot in all {
            let at = snapshot.checkpoint.map(CheckpointRef::root);
            let from = RunOptions { at, ..on.clone() };
            let input = match snapshot.next.is_empty() {
                true => RunInput::Value(word("more")),
                false => RunInput::Nothing,
            };
            stage.run(&graph, input, &from).await?;
        }
        stage.look(&graph, "t").await?;
        Ok(stage)
    }
    like_memory(bench, |stage| Box::pin(play(stage))).await
}

async fn an_edit_is_a_checkpoint_of_its_own(bench: &Bench<'_>) -> Verdict {
    async fn play(mut stage: Stage) -> Result<Stage, Failure> {
        let graph = line(&stage.backends)?;
        let on = RunOptions::on("t");
        stage.run(&graph, word("in"), &on).await?;
        let edit = |text: &str, node: &str| Update {
            output: Output::Update(word(text)),
            as_node: Some(node.into()),
        };
        let middle = checkpoints(&graph, &"t".into()).await?;
        let middle = middle.get(1).and_then(|snapshot| snapshot.checkpoint);
        let middle = middle.map(super::records::number);
        stage.edit(&graph, "t", None, edit("end", "c")).await?;
        stage.edit(&graph, "t", middle, edit("middle", "a")).await?;
        stage.look(&graph, "t").await?;
        stage.run(&graph, go_on(), &on).await?;
        stage.edit(&graph, "new", None, edit("made", "b")).await?;
        stage.run(&graph, go_on(), &RunOptions::on("new")).await?;
        stage.look(&graph, "t").await?;
        stage.look(&graph, "new").await?;
        Ok(stage)
    }
    like_memory(bench, |stage| Box::pin(play(stage))).await
}

async fn a_subgraph_asks_and_goes_on(bench: &Bench<'_>) -> Verdict {
    async fn play(mut stage: Stage) -> Result<Stage, Failure> {
        let inner = asking(&Backends::default())?;
        let middle = builder(&Backends::default())
            .subgraph("inner", inner, DynNodeOptions::default())
            .node("after", logs("below"))
            .edge(START, "inner")
            .edge("inner", "after")
            .build()?;
        let graph = builder(&stage.backends)
            .node("before", logs("above"))
            .subgraph("middle", middle, DynNodeOptions::default())
            .edge(START, "before")
            .edge("before", "middle")
            .build()?;
        let on = RunOptions::on("t");
        stage.run(&graph, word("in"), &on).await?;
        stage.look(&graph, "t").await?;
        stage.run(&graph, resume("Ada"), &on).await?;
        stage.run(&graph, word("again"), &on).await?;
        stage.run(&graph, resume("Bob"), &on).await?;
        stage.look(&graph, "t").await?;
        Ok(stage)
    }
    like_memory(bench, |stage| Box::pin(play(stage))).await
}

async fn a_subgraph_remembers_over_runs(bench: &Bench<'_>) -> Verdict {
    async fn play(mut stage: Stage) -> Result<Stage, Failure> {
        let count = |ctx: DynCtx| async move {
            let seen = ctx.get("x").as_i64().unwrap_or(0);
            Ok::<_, Halt>(update([("x", Value::Int(seen + 1))]))
        };
        let memory = DynGraphBuilder::new()
            .last_value("x")
            .last_value("in")
            .node("count", count)
            .edge(START, "count")
            .persist(Persist::PerThread)
            .build()?;
        let graph = DynGraphBuilder::new()
            .last_value("in")
            .last_value("x")
            .backends(stage.backends.clone())
            .node_with(
                "call",
                {
                    let memory = memory.clone();
                    move |ctx: DynCtx| {
                        let memory = memory.clone();
                        async move {
                            let input = update([("in", Value::Int(1))]);
                            let output = ctx.run_graph(&memory, input).await?;
                            let seen = output.and_then(|output| output.get("x").cloned());
                            Ok::<_, Halt>(update([("x", seen.unwrap_or_default())]))
                        }
                    }
                },
                DynNodeOptions {
                    calls: Some(memory),
                    ..DynNodeOptions::default()
                },
            )
            .edge(START, "call")
            .build()?;
        let on = RunOptions::on("t");
        for run in 1..4 {
            let input = update([("in", Value::Int(run))]);
            let outcome = stage.run(&graph, input, &on).await?;
            let seen = outcome.output.and_then(|output| output.get("x").cloned());
            equal("runs the subgraph remembers", seen, Some(Value::Int(run)))?;
        }
        stage.look(&graph, "t").await?;
        Ok(stage)
    }
    like_memory(bench, |stage| Box::pin(play(stage))).await
}

async fn sends_and_joins_survive_a_pause(bench: &Bench<'_>) -> Verdict {
    async fn play(mut stage: Stage) -> Result<Stage, Failure> {
        let each = |ctx: DynCtx| async move { Ok::<_, Halt>(logged(ctx.input())) };
        let graph = builder(&stage.backends)
            .node("plan", logs("plan"))
            .node("each", each)
            .node("side", logs("side"))
            .node("later", logs("later"))
            .node("join", logs("join"))
            .route("plan", |_| {
                let sends = (0..3).map(|n| Destination::from(Send::new("each", Value::Int(n))));
                sends.collect::<Vec<_>>()
            })
            .edge(START, "plan")
            .edge("plan", "side")
            .edge("side", "later")
            .join(["each", "later"], "join")
            .pause_before(Pauses::All)
            .build()?;
        let on = RunOptions::on("t");
        stage.run(&graph, word("in"), &on).await?;
        for _ in 0..4 {
            stage.look(&graph, "t").await?;
            stage.run(&graph, go_on(), &on).await?;
        }
        stage.look(&graph, "t").await?;
        Ok(stage)
    }
    like_memory(bench, |stage| Box::pin(play(stage))).await
}

/// Goes round until `x` reaches its end.
fn looping(backends: &Backends, end: i64) -> Result<DynGraph, Failure> {
    let round = move |ctx: DynCtx| async move {
        let x = ctx.get("x").as_i64().unwrap_or(0) + 1;
        let next = if x < end { "round" } else { END };
        let command = Command::goto(next).set("x", x);
        Ok::<_, Halt>(command.set("log", Value::list([Value::Int(x)])))
    };
    let graph = builder(backends).node("round", round).edge(START, "round");
    Ok(graph.build()?)
}

async fn a_long_loop_reads_right_at_every_step(bench: &Bench<'_>) -> Verdict {
    async fn play(mut stage: Stage) -> Result<Stage, Failure> {
        let graph = looping(&stage.backends, 300)?;
        let on = RunOptions::on("t");
        stage.run(&graph, word("in"), &on).await?;
        let all = checkpoints(&graph, &"t".into()).await?;
        for snapshot in &all {
            let values = &snapshot.values;
            let length = values
                .get("log")
                .and_then(Value::as_list)
                .map_or(0, <[Value]>::len);
            let x = values.get("x").and_then(Value::as_i64).unwrap_or(-1);
            if x >= 0 {
                equal(
                    "the log beside x",
                    length,
                    usize::try_from(x + 1).unwrap_or(0),
                )?;
            }
        }
        equal("checkpoints", all.len(), 302)?;
        stage.look(&graph, "t").await?;
        Ok(stage)
    }
    like_memory(bench, |stage| Box::pin(play(stage))).await
}

async fn every_durability_ends_in_the_same_state(bench: &Bench<'_>) -> Verdict {
    async fn play(mut stage: Stage) -> Result<Stage, Failure> {
        let graph = asking(&stage.backends)?;
        let all = [Durability::Sync, Durability::Async, Durability::Exit];
        for (thread, durability) in ["sync", "async", "exit"].into_iter().zip(all) {
            let on = RunOptions {
                durability,
                ..RunOptions::on(thread)
            };
            for name in ["Ada", "Bob"] {
                stage.run(&graph, word("in"), &on).await?;
                stage.look(&graph, thread).await?;
                stage.run(&graph, resume(name), &on).await?;
                stage.look(&graph, thread).await?;
            }
        }
        Ok(stage)
    }
    like_memory(bench, |stage| Box::pin(play(stage))).await
}

async fn a_copied_thread_gets_another_answer(bench: &Bench<'_>) -> Verdict {
    async fn play(mut stage: Stage) -> Result<Stage, Failure> {
        let graph = asking(&stage.backends)?;
        stage.run(&graph, word("in"), &RunOptions::on("t")).await?;
        stage.saver.copy(&"t".into(), &"copy".into()).await?;
        for (thread, name) in [("t", "Ada"), ("copy", "Bob")] {
            let on = RunOptions::on(thread);
            stage.run(&graph, resume(name), &on).await?;
        }
        stage.look(&graph, "t").await?;
        stage.look(&graph, "copy").await?;
        Ok(stage)
    }
    like_memory(bench, |stage| Box::pin(play(stage))).await
}

async fn a_pruned_thread_still_waits_for_its_answer(bench: &Bench<'_>) -> Verdict {
    async fn play(mut stage: Stage) -> Result<Stage, Failure> {
        let inner = asking(&Backends::default())?;
        let graph = builder(&stage.backends)
            .subgraph("inner", inner, DynNodeOptions::default())
            .node("loop", logs("loop"))
            .edge(START, "loop")
            .edge("loop", "inner")
            .build()?;
        let on = RunOptions::on("t");
        for keep in [Keep::Last(2), Keep::Latest, Keep::Last(1)] {
            stage.run(&graph, word("in"), &on).await?;
            stage.saver.prune(&"t".into(), keep).await?;
            let outcome = stage.run(&graph, resume("Ada"), &on).await?;
            equal("open questions", outcome.asks.len(), 0)?;
        }
        let newest = checkpoints(&graph, &"t".into()).await?;
        let newest = newest.first().and_then(|snapshot| snapshot.checkpoint);
        let far = newest.is_some_and(|newest| newest > id(10));
        equal("whether the thread went on", far, true)?;
        Ok(stage)
    }
    like_memory(bench, |stage| Box::pin(play(stage))).await
}

async fn a_moved_thread_gets_its_answer_where_it_is(bench: &Bench<'_>) -> Verdict {
    async fn play(mut stage: Stage) -> Result<Stage, Failure> {
        let inner = asking(&Backends::default())?;
        let graph = builder(&stage.backends)
            .subgraph("inner", inner, DynNodeOptions::default())
            .node("beside", asks("and?"))
            .node("done", logs("done"))
            .edge(START, "inner")
            .edge(START, "beside")
            .edge("inner", "done")
            .build()?;
        let asked = stage.run(&graph, word("in"), &RunOptions::on("t")).await?;
        let archive = stage.saver.export(&"t".into()).await?;
        stage.saver.import(&"moved".into(), archive).await?;
        stage.look(&graph, "moved").await?;
        // One of the questions here, the other after another move.
        let mut named = asked.asks.iter().map(|ask| (ask.id, ask.value.clone()));
        let on = RunOptions::on("moved");
        stage.run(&graph, answers(named.next()), &on).await?;
        let archive = stage.saver.export(&"moved".into()).await?;
        stage.saver.import(&"again".into(), archive).await?;
        let on = RunOptions::on("again");
        let outcome = stage.run(&graph, answers(named.next()), &on).await?;
        equal("open questions", outcome.asks.len(), 0)?;
        for thread in ["t", "moved", "again"] {
            stage.look(&graph, thread).await?;
        }
        Ok(stage)
    }
    like_memory(bench, |stage| Box::pin(play(stage))).await
}
