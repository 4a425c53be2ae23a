//! The log of a thread: what its runs told, for readers that come, go and come back.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use superstep::{
    Backends, Cursor, Drain, Durability, Ending, Event, LogItem, Modes, Put, RunOptions, Saver,
    ThreadId,
    dynamic::{
        self, ChannelKind, ChannelSpec, DynNodeOptions, DynReducer, EventKind, Halt, Pauses, START,
        input,
    },
    prelude::*,
    saver::Keep,
};
use superstep_core::event::{Entry, Event as LoggedEvent, Logged};
use tokio::sync::Notify;

use crate::plain::{PlainSaver, saver};

const DURABILITIES: [Durability; 3] = [Durability::Sync, Durability::Async, Durability::Exit];

const MODES: [Modes; 6] = [
    Modes::VALUES,
    Modes::UPDATES,
    Modes::CUSTOM,
    Modes::TASKS,
    Modes::CHECKPOINTS,
    Modes::MESSAGES,
];

type Seen = Vec<(Cursor, LogItem)>;

fn on(saver: &Arc<PlainSaver>) -> Backends {
    Backends {
        saver: Some(saver.clone()),
        ..Backends::default()
    }
}

fn logged(thread: &str, log: Modes, durability: Durability) -> RunOptions {
    RunOptions {
        log,
        durability,
        ..RunOptions::on(thread)
    }
}

/// Two tasks at once, a graph below that streams tokens, a question, and an end.
fn story(saver: &Arc<PlainSaver>) -> dynamic::DynGraph {
    let below = dynamic::DynGraphBuilder::new()
        .last_value("topic")
        .last_value("poem")
        .node("compose", |ctx: dynamic::DynCtx| async move {
            for token in ["Oh ", "rain"] {
                let piece = json!({ "type": "ai", "id": "1", "content": token });
                ctx.emit_message(piece.into()).await;
            }
            Ok::<_, Halt>(json!({ "poem": "Oh rain" }))
        })
        .edge(START, "compose")
        .output_schema(vec!["poem".into()])
        .build()
        .unwrap();
    let say = |word: &'static str| {
        move |ctx: dynamic::DynCtx| async move {
            ctx.emit(json!({ "says": word })).await;
            Ok::<_, Halt>(json!({ "log": [word], "draft": word }))
        }
    };
    let asks = |ctx: dynamic::DynCtx| async move {
        let answer = ctx.ask(json!("who?"))?;
        Ok::<_, Halt>(json!({ "log": [answer.to_json()] }))
    };
    dynamic::DynGraphBuilder::new()
        .last_value("topic")
        .last_value("poem")
        .reduce("log", DynReducer::Add, json!([]))
        .channel(ChannelSpec {
            name: "draft".into(),
            kind: ChannelKind::Ephemeral(dynamic::Guard::One),
            private: false,
        })
        .backends(on(saver))
        .node("first", say("first"))
        .node("left", |_: dynamic::DynCtx| async {
            Ok::<_, Halt>(json!({ "log": ["left"] }))
        })
        .node("right", |_: dynamic::DynCtx| async {
            Ok::<_, Halt>(json!({ "log": ["right"] }))
        })
        .subgraph("writer", below, DynNodeOptions::default())
        .node("asks", asks)
        .node("last", say("last"))
        .edge(START, "first")
        .edge("first", "left")
        .edge("first", "right")
        .edge("left", "writer")
        .edge("writer", "asks")
        .edge("asks", "last")
        .build()
        .unwrap()
}

/// Runs the story to its question and to its end; what a live reader of all of it saw.
async fn streamed(graph: &dynamic::DynGraph, options: &RunOptions) -> Vec<LoggedEvent> {
    let mut events = Vec::new();
    let inputs = [
        json!({ "topic": "rain" }).into(),
        input::resume(json!("anna")),
    ];
    for input in inputs {
        let mut stream = graph.stream(input, options);
        while let Some(event) = stream.next().await {
            events.push(event);
        }
        stream.outcome().await.unwrap();
    }
    events
}

async fn stored(mut follow: dynamic::DynFollow) -> Seen {
    let mut seen = Vec::new();
    while let Some(found) = follow.next_stored().await.unwrap() {
        seen.push(found);
    }
    seen
}

fn events(seen: &Seen) -> Vec<LoggedEvent> {
    let events = seen.iter().filter_map(|(_, item)| match item {
        LogItem::Event(event) => Some(event.clone()),
        _ => None,
    });
    events.collect()
}

fn endings(seen: &Seen) -> Vec<Ending> {
    let endings = seen.iter().filter_map(|(_, item)| match item {
        LogItem::Ended(ending) => Some(ending.clone()),
        _ => None,
    });
    endings.collect()
}

/// Every entry that reached the saver.
fn written(saver: &PlainSaver) -> Vec<Logged> {
    let entries = saver.entries.lock().unwrap();
    entries
        .iter()
        .map(|text| serde_json::from_str(text).unwrap())
        .collect()
}

#[tokio::test]
async fn the_log_in_a_mode_is_the_live_stream_in_that_mode() {
    for durability in DURABILITIES {
        let saver = saver();
        let graph = story(&saver);
        let options = RunOptions {
            modes: Modes::ALL,
            subgraphs: true,
            ..logged("t", Modes::ALL, durability)
        };
        let live = streamed(&graph, &options).await;
        let all = stored(graph.follow("t", None, Modes::ALL).with_subgraphs()).await;
        assert_eq!(events(&all), live, "{durability:?}");
        for mode in MODES {
            let seen = stored(graph.follow("t", None, mode).with_subgraphs()).await;
            let shown = live.iter().filter(|event| event.kind.mode() == mode);
            let shown: Vec<LoggedEvent> = shown.cloned().collect();
            assert!(!shown.is_empty());
            assert_eq!(events(&seen), shown, "{durability:?} {mode:?}");
            let seen = stored(graph.follow("t", None, mode)).await;
            let above = shown.into_iter().filter(|event| event.namespace.is_root());
            assert_eq!(
                events(&seen),
                above.collect::<Vec<_>>(),
                "{durability:?} {mode:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_live_stream_shows_its_own_modes_whatever_is_logged() {
    for (modes, log) in [
        (Modes::CUSTOM, Modes::VALUES),
        (Modes::VALUES, Modes::CUSTOM),
        (Modes::UPDATES, Modes::ALL),
        (Modes::NONE, Modes::ALL),
    ] {
        let (saver, plain) = (saver(), saver());
        let options = |log| RunOptions {
            modes,
            ..logged("t", log, Durability::Sync)
        };
        let live = streamed(&story(&saver), &options(log)).await;
        let wanted = streamed(&story(&plain), &options(Modes::NONE)).await;
        let kinds = |events: &[LoggedEvent]| -> Vec<Json> {
            let shown = events.iter().map(|event| match &event.kind {
                EventKind::Values { values, .. } => values.to_json(),
                EventKind::Update { update, .. } => update.to_json(),
                EventKind::Custom(data) => data.to_json(),
                other => json!(format!("{:?}", other.mode())),
            });
            shown.collect()
        };
        assert_eq!(kinds(&live), kinds(&wanted));
        assert!(plain.entries.lock().unwrap().is_empty());
        let streamed = written(&saver)
            .into_iter()
            .filter_map(|logged| match logged.entry {
                Entry::Event(streamed) => Some(streamed.event.kind.mode()),
                _ => None,
            });
        assert!(streamed.into_iter().all(|mode| log.has(mode)));
    }
}

#[tokio::test]
async fn a_reader_that_comes_back_at_any_cursor_gets_exactly_the_rest() {
    for durability in DURABILITIES {
        let saver = saver();
        let graph = story(&saver);
        let options = logged("t", Modes::ALL, durability);
        streamed(&graph, &options).await;
        let all = stored(graph.follow("t", None, Modes::ALL).with_subgraphs()).await;
        assert!(all.len() > 40, "{}", all.len());
        assert!(all.windows(2).all(|pair| pair[0].0 < pair[1].0));
        for at in 0..all.len() {
            let after = Some(all[at].0);
            let rest = stored(graph.follow("t", after, Modes::ALL).with_subgraphs()).await;
            assert_eq!(rest, all[at + 1..], "{durability:?} after {after:?}");
        }
        let cursors: Vec<Cursor> = written(&saver).iter().map(|entry| entry.cursor).collect();
        let read: Vec<Cursor> = all.iter().map(|(cursor, _)| *cursor).collect();
        assert_eq!(read, cursors, "nothing is left out");
    }
}

#[tokio::test]
async fn a_reader_beside_the_run_sees_all_of_it_and_then_the_end() {
    let saver = saver();
    let graph = story(&saver);
    let reading = graph.clone();
    let reader = tokio::spawn(async move {
        let (mut seen, mut ended) = (Vec::new(), 0);
        let mut follow = reading.follow("t", None, Modes::ALL).with_subgraphs();
        while ended < 2 {
            let found = follow.next_ever().await.unwrap();
            ended += u32::from(matches!(found.1, LogItem::Ended(_)));
            seen.push(found);
        }
        assert_eq!(follow.next().await.unwrap(), None);
        seen
    });
    streamed(&graph, &logged("t", Modes::ALL, Durability::Async)).await;
    let seen = reader.await.unwrap();
    let all = stored(graph.follow("t", None, Modes::ALL).with_subgraphs()).await;
    assert_eq!(seen, all);
    let (last, _) = all[all.len() - 1].clone();
    let mut late = graph.follow("t", Some(last), Modes::ALL);
    assert_eq!(late.next().await.unwrap(), None);
}

#[tokio::test]
async fn a_run_cut_short_and_continued_shows_nothing_twice_and_loses_nothing_stored() {
    for durability in [Durability::Sync, Durability::Async] {
        let (saver, stuck) = (saver(), Arc::new(Notify::new()));
        let dies = Arc::new(std::sync::atomic::AtomicBool::new(true));
        let (tell, may_die) = (stuck.clone(), dies.clone());
        let graph = dynamic::DynGraphBuilder::new()
            .reduce("log", DynReducer::Add, json!([]))
            .backends(on(&saver))
            .node("a", |_: dynamic::DynCtx| async {
                Ok::<_, Halt>(json!({ "log": ["a"] }))
            })
            .node("b", move |ctx: dynamic::DynCtx| {
                let (tell, may_die) = (tell.clone(), may_die.clone());
                async move {
                    for n in 0..300 {
                        ctx.emit(json!(n)).await;
                    }
                    if may_die.swap(false, std::sync::atomic::Ordering::SeqCst) {
                        tell.notify_one();
                        std::future::pending::<()>().await;
                    }
                    Ok::<_, Halt>(json!({ "log": ["b"] }))
                }
            })
            .edge(START, "a")
            .edge("a", "b")
            .build()
            .unwrap();
        let options = logged("t", Modes::ALL, durability);
        tokio::select! {
            _ = graph.invoke(json!({}), &options) => panic!("it should not end"),
            () = stuck.notified() => {}
        }
        let mut follow = graph.follow("t", None, Modes::ALL);
        let mut seen = Vec::new();
        while let Some(found) = follow.next_stored().await.unwrap() {
            seen.push(found);
        }
        let before = seen.len();
        assert!(before > 256, "a full page is not kept back: {before}");
        assert!(endings(&seen).is_empty());
        let again = graph.follow("t", follow.cursor(), Modes::ALL);
        graph.invoke(input::go_on(), &options).await.unwrap();
        let mut rest = stored(again).await;
        // No log has the ending of a run that was cut short; its reader gets it all the same.
        let (end, ending) = rest.remove(0);
        assert_eq!(ending, LogItem::Ended(Ending::Interrupted));
        assert!(end > seen[before - 1].0 && end < rest[0].0);
        assert!(matches!(rest[0].1, LogItem::Started { .. }));
        assert!(rest[0].0.epoch > seen[before - 1].0.epoch);
        assert_eq!(endings(&rest), [Ending::Done]);
        seen.extend(rest);
        let cursors: Vec<Cursor> = written(&saver).iter().map(|entry| entry.cursor).collect();
        let read: Vec<Cursor> = seen.iter().map(|(cursor, _)| *cursor).collect();
        assert_eq!(read, cursors);
    }
}

#[tokio::test]
async fn a_slow_reader_does_not_hold_up_the_run() {
    let saver = saver();
    let graph = dynamic::DynGraphBuilder::new()
        .last_value("x")
        .backends(on(&saver))
        .node("talks", |ctx: dynamic::DynCtx| async move {
            for n in 0..5_000 {
                ctx.emit(json!(n)).await;
            }
            Ok::<_, Halt>(json!({ "x": 1 }))
        })
        .edge(START, "talks")
        .build()
        .unwrap();
    let mut slow = graph.follow("t", None, Modes::CUSTOM);
    let options = logged("t", Modes::CUSTOM, Durability::Sync);
    let run = graph.invoke(json!({ "x": 0 }), &options);
    let (first, outcome) = tokio::join!(slow.next(), run);
    outcome.unwrap();
    assert!(matches!(first, Ok(Some((_, LogItem::Started { .. })))));
    let rest = events(&stored(slow).await);
    let numbers = rest.iter().map(|event| match &event.kind {
        EventKind::Custom(n) => n.to_json(),
        other => panic!("unwanted: {other:?}"),
    });
    assert_eq!(
        numbers.collect::<Vec<_>>(),
        (0..5_000).map(Json::from).collect::<Vec<_>>()
    );
}

#[tokio::test(start_paused = true)]
async fn what_a_long_task_tells_is_readable_while_it_runs() {
    let (saver, heard) = (saver(), Arc::new(Notify::new()));
    let wait = heard.clone();
    let graph = dynamic::DynGraphBuilder::new()
        .last_value("x")
        .backends(on(&saver))
        .node("talks", move |ctx: dynamic::DynCtx| {
            let wait = wait.clone();
            async move {
                ctx.emit(json!("working")).await;
                wait.notified().await;
                Ok::<_, Halt>(json!({ "x": 1 }))
            }
        })
        .edge(START, "talks")
        .build()
        .unwrap();
    for durability in DURABILITIES {
        let thread = format!("{durability:?}");
        let options = logged(&thread, Modes::CUSTOM, durability);
        let read = async {
            let mut follow = graph.follow(&thread, None, Modes::CUSTOM);
            while let Some((_, item)) = follow.next().await.unwrap() {
                if matches!(item, LogItem::Event(_)) {
                    heard.notify_one();
                }
            }
        };
        let (outcome, ()) = tokio::join!(graph.invoke(json!({ "x": 0 }), &options), read);
        outcome.unwrap();
    }
}

#[tokio::test]
async fn how_a_run_ended_is_logged() {
    let graph = |saver: &Arc<PlainSaver>| {
        dynamic::DynGraphBuilder::new()
            .last_value("x")
            .backends(on(saver))
            .node("works", |ctx: dynamic::DynCtx| async move {
                match ctx.get("x").as_str() {
                    Some("ask") => Ok(json!({ "x": ctx.ask(json!("?"))?.to_json() })),
                    Some("fail") => Err(Halt::from(superstep::Failure::new("Bad", "no luck"))),
                    _ => Ok(json!({ "x": "done" })),
                }
            })
            .edge(START, "works")
            .build()
            .unwrap()
    };
    for durability in DURABILITIES {
        let saver = saver();
        let graph = graph(&saver);
        let options = logged("t", Modes::VALUES, durability);
        graph.invoke(json!({ "x": "" }), &options).await.unwrap();
        let asked = graph.invoke(json!({ "x": "ask" }), &options).await.unwrap();
        graph
            .invoke(json!({ "x": "fail" }), &options)
            .await
            .unwrap_err();
        let paused = RunOptions {
            pause_before: Pauses::All,
            ..options.clone()
        };
        graph.invoke(json!({ "x": "" }), &paused).await.unwrap();
        let drain = Drain::default();
        drain.request("maintenance");
        let drained = RunOptions {
            drain,
            ..options.clone()
        };
        graph
            .invoke(json!({ "x": "" }), &drained)
            .await
            .unwrap_err();
        let seen = stored(graph.follow("t", None, Modes::NONE)).await;
        let [done, waiting, failed, at_pause, drained] = &endings(&seen)[..] else {
            panic!("five runs: {seen:?}");
        };
        assert_eq!(*done, Ending::Done);
        assert_eq!(*waiting, Ending::Waiting(vec![asked.asks[0].id]));
        let Ending::Failed { code, message } = failed else {
            panic!("it failed: {failed:?}");
        };
        assert_eq!(code, "SS1001");
        assert!(message.contains("no luck"), "{message}");
        assert_eq!(*at_pause, Ending::Paused);
        let reason = "maintenance".to_owned();
        assert_eq!(*drained, Ending::Drained { reason });
        let starts = seen.iter().filter(|(_, item)| {
            let modes = Modes::VALUES;
            *item == LogItem::Started { durability, modes }
        });
        assert_eq!(starts.count(), 5);
    }
}

#[tokio::test]
async fn a_run_that_cannot_begin_logs_nothing() {
    let saver = saver();
    let graph = story(&saver);
    let options = logged("t", Modes::ALL, Durability::Sync);
    graph.invoke(input::go_on(), &options).await.unwrap_err();
    assert!(saver.entries.lock().unwrap().is_empty());
    let bare = graph.with_backends(Backends::default());
    let error = bare.invoke(json!({}), &options).await.unwrap_err();
    assert_eq!(error.code(), "SS1107");
}

#[tokio::test]
async fn logging_changes_nothing_about_what_a_run_returns() {
    let narrow = |saver: &Arc<PlainSaver>| {
        dynamic::DynGraphBuilder::new()
            .last_value("x")
            .last_value("y")
            .output_schema(vec!["y".into()])
            .backends(on(saver))
            .node("a", |_: dynamic::DynCtx| async {
                Ok::<_, Halt>(json!({ "x": 2 }))
            })
            .edge(START, "a")
            .build()
            .unwrap()
    };
    for input in [json!({ "x": 1 }), json!({ "x": 1, "y": 1 })] {
        let (saver, plain) = (saver(), saver());
        let options = |log| logged("t", log, Durability::Sync);
        let graph = narrow(&saver);
        let with = graph
            .invoke(input.clone(), &options(Modes::ALL))
            .await
            .unwrap();
        let without = narrow(&plain)
            .invoke(input, &options(Modes::NONE))
            .await
            .unwrap();
        assert_eq!(with.output, without.output);
        // What is logged is what a stream shows: every channel.
        let seen = events(&stored(graph.follow("t", None, Modes::VALUES)).await);
        let Some(EventKind::Values { values, .. }) = seen.last().map(|event| &event.kind) else {
            panic!("states: {seen:?}");
        };
        assert_eq!(values.get("x").unwrap().to_json(), json!(2));
    }
}

#[tokio::test]
async fn what_is_never_stored_is_never_logged() {
    let saver = saver();
    let graph = dynamic::DynGraphBuilder::new()
        .last_value("x")
        .channel(ChannelSpec {
            name: "secret".into(),
            kind: ChannelKind::Untracked(dynamic::Guard::One),
            private: false,
        })
        .backends(on(&saver))
        .node("a", |_: dynamic::DynCtx| async {
            Ok::<_, Halt>(json!({ "x": 1, "secret": "hunter2" }))
        })
        .node("b", |_: dynamic::DynCtx| async {
            Ok::<_, Halt>(json!({ "x": 2 }))
        })
        .edge(START, "a")
        .edge("a", "b")
        .build()
        .unwrap();
    for durability in DURABILITIES {
        let thread = format!("{durability:?}");
        let options = logged(&thread, Modes::ALL, durability);
        graph.invoke(json!({ "x": 0 }), &options).await.unwrap();
        let seen = stored(graph.follow(&thread, None, Modes::ALL)).await;
        assert!(seen.len() > 10);
        assert!(!format!("{seen:?}").contains("hunter2"), "{durability:?}");
    }
    let entries = saver.entries.lock().unwrap();
    assert!(!entries.iter().any(|entry| entry.contains("hunter2")));
}

#[tokio::test]
async fn a_copied_thread_is_followed_and_a_pruned_one_as_far_as_it_goes() {
    let saver = saver();
    let graph = story(&saver);
    streamed(&graph, &logged("t", Modes::ALL, Durability::Sync)).await;
    let all = stored(graph.follow("t", None, Modes::ALL).with_subgraphs()).await;
    saver.copy(&"t".into(), &"copy".into()).await.unwrap();
    let copied = stored(graph.follow("copy", None, Modes::ALL).with_subgraphs()).await;
    assert_eq!(copied, all);
    saver.prune(&"t".into(), Keep::Last(3)).await.unwrap();
    let left = stored(graph.follow("t", None, Modes::ALL).with_subgraphs()).await;
    assert!(!left.is_empty() && left.len() < all.len());
    assert_eq!(left, all[all.len() - left.len()..]);
    let first = Some(all[0].0);
    assert_eq!(
        stored(graph.follow("t", first, Modes::ALL).with_subgraphs()).await,
        left
    );
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, State)]
struct Work {
    last: u32,
    #[reduce(Append)]
    log: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum One {
    Add,
}

fn growing(saver: &Arc<PlainSaver>, log: Modes) -> Graph<Work, One> {
    let add = |work: Snap<Work>| async move {
        Work::update().log([format!("line {:04}", work.log.len())])
    };
    Graph::<Work, One>::builder()
        .saver(saver.clone())
        .node(One::Add, add)
        .start(One::Add)
        .route(One::Add, &[One::Add], |work| {
            (work.log.len() < work.last as usize).then_some(One::Add)
        })
        .build()
        .unwrap()
        .with_options(|options| options.log = log)
}

#[tokio::test]
async fn a_step_logs_as_much_after_a_thousand_steps_as_at_first() {
    for durability in [Durability::Sync, Durability::Async] {
        let saver = saver();
        let graph = growing(&saver, Modes::ALL);
        let graph = graph.with_options(|options| options.durability = durability);
        graph.run("t", Work::update().last(1_000)).await.unwrap();
        let entries = saver.entries.lock().unwrap();
        let mut steps = std::collections::BTreeMap::<i64, usize>::new();
        for text in entries.iter() {
            let logged: Logged = serde_json::from_str(text).unwrap();
            if let Entry::Event(streamed) = logged.entry {
                *steps.entry(streamed.event.step).or_default() += text.len();
            }
        }
        assert!(steps.len() > 1_000);
        let inner = || steps.range(2..1_000).map(|(_, bytes)| *bytes);
        let (least, most) = (inner().min().unwrap(), inner().max().unwrap());
        assert!(
            most - least < 40,
            "{durability:?}: {least} to {most} bytes a step"
        );
    }
}

#[tokio::test]
async fn a_typed_log_is_matched_without_strings() {
    let saver = saver();
    let graph = growing(&saver, Modes::VALUES.with(Modes::UPDATES));
    graph.run("t", Work::update().last(3)).await.unwrap();
    let mut follow = graph.follow("t", None, Modes::VALUES.with(Modes::UPDATES));
    let (mut states, mut added) = (Vec::new(), 0);
    while let Some((cursor, item)) = follow.next().await.unwrap() {
        assert_eq!(Some(cursor), follow.cursor());
        match item {
            LogItem::Event(Event::State(work)) => states.push(work.log.len()),
            LogItem::Event(Event::Update {
                node: One::Add,
                update,
                ..
            }) => {
                assert!(matches!(update.log, Some(Put::Write(_))));
                added += 1;
            }
            LogItem::Event(other) => panic!("unexpected: {other:?}"),
            LogItem::Started { .. } | LogItem::Ended(Ending::Done) => {}
            LogItem::Ended(other) => panic!("unexpected: {other:?}"),
        }
    }
    assert_eq!((states, added), (vec![0, 1, 2, 3], 3));
}

#[tokio::test]
async fn a_question_shown_with_the_state_refers_to_it() {
    let saver = saver();
    let graph = story(&saver);
    streamed(&graph, &logged("t", Modes::VALUES, Durability::Sync)).await;
    let thread = ThreadId::from("t");
    let mut asked = 0;
    for logged in saver.events(&thread, None, 1_000).await.unwrap() {
        let Entry::Event(streamed) = logged.entry else {
            continue;
        };
        assert!(streamed.state.is_some(), "{streamed:?}");
        let EventKind::Values { values, asks } = &streamed.event.kind else {
            panic!("only states are logged");
        };
        assert!(values.is_null());
        asked += asks.iter().flatten().count();
    }
    assert_eq!(asked, 1);
}

#[tokio::test]
async fn a_message_without_an_id_is_streamed_with_the_one_that_the_state_gets() {
    let saver = saver();
    let graph = dynamic::DynGraphBuilder::new()
        .reduce(
            "messages",
            DynReducer::Messages(dynamic::Unknown::Refuse),
            json!([]),
        )
        .backends(on(&saver))
        .node("list", |_: dynamic::DynCtx| async {
            let said = [
                json!({ "type": "ai", "content": "one" }),
                json!({ "type": "ai", "content": "two" }),
            ];
            Ok::<_, Halt>(json!({ "messages": said }))
        })
        .node("alone", |_: dynamic::DynCtx| async {
            Ok::<_, Halt>(json!({ "messages": { "type": "ai", "content": "three" } }))
        })
        .edge(START, "list")
        .edge("list", "alone")
        .build()
        .unwrap();
    let options = RunOptions {
        modes: Modes::MESSAGES.with(Modes::UPDATES),
        ..logged("t", Modes::MESSAGES, Durability::Sync)
    };
    let mut stream = graph.stream(json!({ "messages": [] }), &options);
    let mut streamed = Vec::new();
    while let Some(event) = stream.next().await {
        if let EventKind::Message { message, .. } = &event.kind {
            streamed.push(message.to_json());
        }
    }
    let outcome = stream.outcome().await.unwrap();
    let state = serde_json::to_value(&outcome).unwrap()["output"]["messages"].clone();
    assert_eq!(Json::from(streamed), state);
    let mut ids: Vec<&str> = state
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|m| m["id"].as_str())
        .collect();
    ids.dedup();
    assert_eq!(ids.len(), 3, "{state}");
    let logged = events(&stored(graph.follow("t", None, Modes::MESSAGES)).await);
    let logged = logged.iter().filter_map(|event| match &event.kind {
        EventKind::Message { message, .. } => Some(message.to_json()),
        _ => None,
    });
    assert_eq!(logged.collect::<Json>(), state);
}
