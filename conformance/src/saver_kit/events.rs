//! Event logs: what is stored with steps and alone, and how it is read.

use std::time::Duration;

use superstep_core::{
    error::SaverError,
    event::{
        Cursor, Ending, Entry, Event, EventKind, Facts, Logged, LoggedEvent, Modes, Span, SpanEnd,
        SpanError, SpanId, SpanKind, SpanPhase,
        log::{StateAt, StatePart},
    },
    id::{AskId, CheckpointId, TaskId},
    policy::Durability,
    record::{Record, StoredError, TaskNote},
    saver::{Commit, Events, Keep, Notes},
    snapshot::{Snapshot, SubState, TaskView},
    value::Value,
};
use superstep_engine::{Backends, DynGraphBuilder, LogItem, RunOptions};

use super::fixture::{Bench, CONFLICT, CORRUPT, Fixture, Writer, refused};
use super::records::{delta, done, first, id, node};
use crate::kit::{Failure, Verdict, cases, equal};

cases![
    SaverCheck: entries_come_back_in_order_over_runs,
    a_cursor_gives_exactly_what_follows_it,
    reading_a_log_stops_at_its_limit,
    entries_come_back_as_they_went_in,
    entries_are_stored_with_commits_and_notes,
    a_refused_store_logs_nothing,
    logging_with_an_old_epoch_is_refused,
    cursors_must_grow,
    logs_of_two_threads_keep_apart,
    a_log_without_a_checkpoint_is_kept_and_not_listed,
    a_deleted_thread_has_no_log,
    a_copied_thread_has_its_own_log,
    a_copied_log_is_continued_after_its_end,
    pruning_drops_the_entries_of_what_it_drops,
    a_reader_is_woken_when_the_log_grows,
    a_followed_run_shows_its_states,
];

/// A reader that is not woken within this time is never woken.
const WAIT_LIMIT: Duration = Duration::from_secs(3);

async fn entries_come_back_in_order_over_runs(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut all = Vec::new();
    for run in 1..4 {
        let mut scribe = Scribe::on(&fixture, "t").await?;
        let records = [first(3 * run), delta(3 * run + 1, 3 * run)];
        for record in records {
            scribe.commit(record, 2).await?;
            scribe.log(3).await?;
        }
        all.append(&mut scribe.wrote);
    }
    reads(&fixture, "t", None, &all).await
}

async fn a_cursor_gives_exactly_what_follows_it(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut all = Vec::new();
    for run in 1..3 {
        let mut scribe = Scribe::on(&fixture, "t").await?;
        scribe.commit(first(run), 12).await?;
        all.append(&mut scribe.wrote);
    }
    for (at, entry) in all.iter().enumerate() {
        let rest = all.get(at + 1..).unwrap_or_default();
        reads(&fixture, "t", Some(entry.cursor), rest).await?;
    }
    // Places where no entry is count too: between two runs, and after everything.
    let last = all.iter().map(|entry| entry.cursor);
    let between = last.filter(|cursor| cursor.n == 12).min();
    let between = between.map(|cursor| Cursor { n: 40, ..cursor });
    reads(&fixture, "t", between, all.get(12..).unwrap_or_default()).await?;
    let end = Cursor {
        epoch: u64::MAX >> 1,
        n: 1,
    };
    reads(&fixture, "t", Some(end), &[]).await
}

async fn reading_a_log_stops_at_its_limit(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut scribe = Scribe::on(&fixture, "t").await?;
    scribe.commit(first(1), 100).await?;
    let (mut after, mut read) = (None, Vec::new());
    loop {
        let page = fixture.saver.events(&"t".into(), after, 7).await?;
        if page.is_empty() {
            break;
        }
        let wanted = (100 - read.len()).min(7);
        equal("entries of a page", page.len(), wanted)?;
        after = page.last().map(|entry| entry.cursor);
        read.extend(page);
    }
    same(&read, &scribe.wrote)?;
    let none = fixture.saver.events(&"t".into(), None, 0).await?;
    equal("entries at a limit of none", none.len(), 0)
}

async fn entries_come_back_as_they_went_in(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut scribe = Scribe::on(&fixture, "t").await?;
    let mut entries = Vec::new();
    for value in values() {
        let lines = every_kind(&value).into_iter();
        entries.extend(lines.map(|(checkpoint, entry)| scribe.entry(checkpoint, entry)));
    }
    scribe.writer.commit("", first(1)).await?;
    scribe.send(entries.clone()).await?;
    reads(&fixture, "t", None, &entries).await
}

async fn entries_are_stored_with_commits_and_notes(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut scribe = Scribe::on(&fixture, "t").await?;
    scribe.commit(first(1), 3).await?;
    reads(&fixture, "t", None, &scribe.wrote).await?;
    scribe.note(1, vec![done(node(0), 1)], 4).await?;
    reads(&fixture, "t", None, &scribe.wrote).await?;
    scribe.commit(delta(2, 1), 0).await?;
    reads(&fixture, "t", None, &scribe.wrote).await?;
    scribe.log(2).await?;
    reads(&fixture, "t", None, &scribe.wrote).await?;
    fixture.agrees("t", &scribe.writer.model).await
}

async fn a_refused_store_logs_nothing(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut scribe = Scribe::on(&fixture, "t").await?;
    scribe.commit(first(5), 2).await?;
    let kept = scribe.wrote.clone();
    for record in [first(4), delta(6, 3)] {
        let events = scribe.some(2);
        let got = scribe.try_commit(record, events).await;
        refused("a commit", got, CORRUPT)?;
    }
    let events = scribe.some(2);
    let got = scribe.try_note(9, Vec::new(), events).await;
    refused("a note", got, CORRUPT)?;
    reads(&fixture, "t", None, &kept).await?;
    scribe.wrote = kept;
    scribe.commit(delta(6, 5), 2).await?;
    reads(&fixture, "t", None, &scribe.wrote).await
}

async fn logging_with_an_old_epoch_is_refused(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut scribe = Scribe::on(&fixture, "t").await?;
    scribe.commit(first(1), 1).await?;
    let late = Events {
        thread: "t".into(),
        epoch: scribe.writer.epoch(),
        events: scribe.some(1),
    };
    let mut wrote = std::mem::take(&mut scribe.wrote);
    wrote.truncate(1);
    drop(scribe);
    let mut scribe = Scribe::on(&fixture, "t").await?;
    refused("a late entry", fixture.saver.log(late).await, CONFLICT)?;
    scribe.log(1).await?;
    wrote.append(&mut scribe.wrote);
    reads(&fixture, "t", None, &wrote).await
}

async fn cursors_must_grow(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut scribe = Scribe::on(&fixture, "t").await?;
    scribe.commit(first(1), 5).await?;
    let kept = scribe.wrote.clone();
    for n in [5, 1] {
        scribe.n = n - 1;
        let again = scribe.some(1);
        refused("an entry again", scribe.try_log(again).await, CORRUPT)?;
    }
    scribe.n = 5;
    let mut swapped = scribe.some(2);
    swapped.reverse();
    refused("swapped entries", scribe.try_log(swapped).await, CORRUPT)?;
    reads(&fixture, "t", None, &kept).await?;
    // Numbers may be left out: what a crash has cost is not written again.
    (scribe.n, scribe.wrote) = (20, kept);
    scribe.log(2).await?;
    reads(&fixture, "t", None, &scribe.wrote).await
}

async fn logs_of_two_threads_keep_apart(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut left = Scribe::on(&fixture, "left").await?;
    let mut right = Scribe::on(&fixture, "right").await?;
    left.commit(first(1), 2).await?;
    right.commit(first(1), 3).await?;
    left.log(1).await?;
    reads(&fixture, "left", None, &left.wrote).await?;
    reads(&fixture, "right", None, &right.wrote).await?;
    reads(&fixture, "unknown", None, &[]).await
}

async fn a_log_without_a_checkpoint_is_kept_and_not_listed(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut scribe = Scribe::on(&fixture, "t").await?;
    scribe.log(3).await?;
    let wrote = std::mem::take(&mut scribe.wrote);
    drop(scribe);
    reads(&fixture, "t", None, &wrote).await?;
    equal("threads", fixture.listed().await?.len(), 0)?;
    fixture.saver.delete(&"t".into()).await?;
    reads(&fixture, "t", None, &[]).await
}

async fn a_deleted_thread_has_no_log(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut scribe = Scribe::on(&fixture, "t").await?;
    scribe.commit(first(1), 3).await?;
    let mut other = Scribe::on(&fixture, "t2").await?;
    other.commit(first(1), 3).await?;
    drop(scribe);
    fixture.saver.delete(&"t".into()).await?;
    reads(&fixture, "t", None, &[]).await?;
    let mut scribe = Scribe::on(&fixture, "t").await?;
    scribe.commit(first(1), 2).await?;
    reads(&fixture, "t", None, &scribe.wrote).await?;
    reads(&fixture, "t2", None, &other.wrote).await
}

async fn a_copied_thread_has_its_own_log(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut scribe = Scribe::on(&fixture, "from").await?;
    scribe.commit(first(1), 3).await?;
    fixture.saver.copy(&"from".into(), &"to".into()).await?;
    let copied = scribe.wrote.clone();
    reads(&fixture, "to", None, &copied).await?;
    scribe.log(2).await?;
    reads(&fixture, "to", None, &copied).await?;
    reads(&fixture, "from", None, &scribe.wrote).await?;
    drop(scribe);
    fixture.saver.delete(&"from".into()).await?;
    reads(&fixture, "to", None, &copied).await
}

async fn a_copied_log_is_continued_after_its_end(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    // Several runs, so that the first lease of the copy may not be the first epoch there is.
    let mut wrote = Vec::new();
    for run in 1..5 {
        let mut scribe = Scribe::on(&fixture, "from").await?;
        scribe.commit(first(run), 2).await?;
        wrote.append(&mut scribe.wrote);
    }
    fixture.saver.copy(&"from".into(), &"to".into()).await?;
    let mut scribe = Scribe::on(&fixture, "to").await?;
    let (epoch, copied) = (scribe.writer.epoch(), wrote.last());
    if let Some(copied) = copied.filter(|copied| copied.cursor.epoch >= epoch) {
        let cursor = copied.cursor;
        return Err(Failure(format!("epoch {epoch} came after entry {cursor}")));
    }
    scribe.commit(first(9), 2).await?;
    wrote.append(&mut scribe.wrote);
    reads(&fixture, "to", None, &wrote).await
}

async fn pruning_drops_the_entries_of_what_it_drops(bench: &Bench<'_>) -> Verdict {
    for keep in [Keep::Last(2), Keep::Latest] {
        let fixture = bench.open().await?;
        let mut scribe = Scribe::on(&fixture, "t").await?;
        scribe.log(1).await?;
        scribe.commit(first(1), 2).await?;
        for n in 2..6 {
            scribe.commit(delta(n, n - 1), 2).await?;
            scribe.log(1).await?;
        }
        let oldest = match keep {
            Keep::Last(_) => id(4),
            Keep::Latest => id(5),
        };
        let wrote = std::mem::take(&mut scribe.wrote).into_iter();
        let left: Vec<Logged> = wrote.filter(|e| e.checkpoint >= Some(oldest)).collect();
        drop(scribe);
        fixture.saver.prune(&"t".into(), keep).await?;
        reads(&fixture, "t", None, &left).await?;
    }
    Ok(())
}

async fn a_reader_is_woken_when_the_log_grows(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let thread = "t".into();
    let mut scribe = Scribe::on(&fixture, "t").await?;
    let asleep = |_| Failure("a reader was not woken".into());
    // Whoever asked before the log grew is told, also if they wait for the answer only then.
    let early = fixture.saver.changed(&thread);
    scribe.commit(first(1), 1).await?;
    tokio::time::timeout(WAIT_LIMIT, early)
        .await
        .map_err(asleep)??;
    let waiting = fixture.saver.changed(&thread);
    let write = async {
        tokio::task::yield_now().await;
        scribe.log(1).await
    };
    let waited = tokio::time::timeout(WAIT_LIMIT, waiting);
    let (woken, wrote) = tokio::join!(waited, write);
    wrote?;
    Ok(woken.map_err(asleep)??)
}

async fn a_followed_run_shows_its_states(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let adds = |ctx: superstep_engine::DynCtx| async move {
        let x: i64 = ctx.read("x")?;
        ctx.emit(Value::Int(x)).await;
        Ok::<_, superstep_core::run::Halt>(Value::map([("x", Value::Int(x + 1))]))
    };
    let graph = DynGraphBuilder::new()
        .last_value("x")
        .backends(Backends {
            saver: Some(fixture.saver.clone()),
            ..Backends::default()
        })
        .node("a", adds)
        .node("b", adds)
        .edge(superstep_core::command::START, "a")
        .edge("a", "b")
        .build()?;
    for durability in [Durability::Sync, Durability::Async, Durability::Exit] {
        let thread = format!("{durability:?}");
        let options = RunOptions {
            log: Modes::ALL,
            durability,
            ..RunOptions::on(&thread)
        };
        let input = Value::map([("x", Value::Int(1))]);
        graph.invoke(input, &options).await?;
        let mut follow = graph.follow(&thread, None, Modes::VALUES.with(Modes::CUSTOM));
        let mut seen = Vec::new();
        while let Some((_, item)) = follow.next_stored().await? {
            seen.push(match item {
                LogItem::Started { .. } => "started".to_owned(),
                LogItem::Ended(ending) => format!("{ending:?}"),
                LogItem::Event(event) => match event.kind {
                    EventKind::Values { values, .. } => values.to_string(),
                    EventKind::Custom(value) => value.to_string(),
                    other => format!("unwanted {other:?}"),
                },
            });
        }
        let wanted = [
            "started", r#"{"x":1}"#, "1", r#"{"x":2}"#, "2", r#"{"x":3}"#, "Done",
        ];
        equal("what the log shows", seen, wanted)?;
    }
    Ok(())
}

/// A run that logs.
struct Scribe {
    fixture: Fixture,
    thread: String,
    writer: Writer,
    n: u64,
    at: Option<CheckpointId>,
    wrote: Vec<Logged>,
}

impl Scribe {
    async fn on(fixture: &Fixture, thread: &str) -> Result<Self, Failure> {
        Ok(Self {
            fixture: fixture.clone(),
            thread: thread.to_owned(),
            writer: fixture.writer(thread).await?,
            n: 0,
            at: None,
            wrote: Vec::new(),
        })
    }

    fn entry(&mut self, checkpoint: Option<CheckpointId>, entry: Entry) -> Logged {
        self.n += 1;
        let epoch = self.writer.epoch();
        Logged {
            cursor: Cursor { epoch, n: self.n },
            checkpoint,
            // Some entries of a log may be of a time when none was kept.
            at: (!self.n.is_multiple_of(3)).then_some(u64::MAX / 2 + self.n),
            entry,
        }
    }

    /// So many entries of the present checkpoint.
    fn some(&mut self, count: u64) -> Vec<Logged> {
        let at = self.at;
        let custom = |n| event_entry(EventKind::Custom(Value::Int(n)));
        (0..count)
            .map(|n| self.entry(at, custom(i64::try_from(n).unwrap_or_default())))
            .collect()
    }

    async fn commit(&mut self, record: Record, count: u64) -> Verdict {
        self.at = Some(record.id);
        let events = self.some(count);
        self.writer.model.commit(&"".into(), record.clone());
        self.try_commit(record, events.clone()).await?;
        self.wrote.extend(events);
        Ok(())
    }

    async fn try_commit(&self, record: Record, events: Vec<Logged>) -> Result<(), SaverError> {
        let commit = Commit {
            thread: self.thread.as_str().into(),
            namespace: "".into(),
            epoch: self.writer.epoch(),
            record: record.into(),
            events,
        };
        self.fixture.saver.commit(commit).await.map(drop)
    }

    async fn note(&mut self, checkpoint: u64, notes: Vec<TaskNote>, count: u64) -> Verdict {
        let events = self.some(count);
        self.writer.model.note(&"".into(), id(checkpoint), &notes);
        self.try_note(checkpoint, notes, events.clone()).await?;
        self.wrote.extend(events);
        Ok(())
    }

    async fn try_note(
        &self,
        checkpoint: u64,
        notes: Vec<TaskNote>,
        events: Vec<Logged>,
    ) -> Result<(), SaverError> {
        let notes = Notes {
            thread: self.thread.as_str().into(),
            namespace: "".into(),
            epoch: self.writer.epoch(),
            durability: superstep_core::policy::Durability::Sync,
            checkpoint: id(checkpoint),
            notes,
            events,
        };
        self.fixture.saver.note(notes).await
    }

    async fn log(&mut self, count: u64) -> Verdict {
        let events = self.some(count);
        self.send(events).await
    }

    async fn send(&mut self, events: Vec<Logged>) -> Verdict {
        self.try_log(events.clone()).await?;
        self.wrote.extend(events);
        Ok(())
    }

    async fn try_log(&self, events: Vec<Logged>) -> Result<(), SaverError> {
        let events = Events {
            thread: self.thread.as_str().into(),
            epoch: self.writer.epoch(),
            events,
        };
        self.fixture.saver.log(events).await
    }
}

fn event_entry(kind: EventKind) -> Entry {
    let namespace = "".into();
    Entry::Event(Box::new(LoggedEvent {
        event: Event {
            namespace,
            step: 1,
            kind,
        },
        below: false,
        state: None,
    }))
}

fn values() -> Vec<Value> {
    let text = "a\u{0}b\"\\\n\u{1f600}";
    let list = [Value::Float(0.5), Value::Null, Value::UInt(u64::MAX)];
    vec![
        Value::Null,
        Value::from(text),
        Value::list(list),
        Value::map([(text, Value::Int(i64::MIN)), ("", Value::list([]))]),
    ]
}

fn span(phase: SpanPhase) -> Span {
    Span {
        id: SpanId(u64::MAX),
        parent: Some(SpanId(1)),
        task: TaskId(u128::MAX),
        node: "a".into(),
        attempt: u32::MAX,
        kind: SpanKind::Model,
        name: "m".into(),
        phase,
    }
}

fn every_fact() -> Facts {
    Facts {
        provider: Some("p".into()),
        model_asked: Some("m".into()),
        model_answered: Some("m-1".into()),
        model_hash: Some("00ff".into()),
        input_tokens: Some(u64::MAX),
        cached_tokens: Some(0),
        output_tokens: Some(1),
        reasoning_tokens: Some(2),
        cost: Some(3),
        prices: Some("2026-01-31".into()),
        finish: Some("stop".into()),
        attempts: Some(u32::MAX),
        first_token: Some(4),
        labels: [("a".into(), "b".into())].into(),
    }
}

/// An entry of each kind, with a value at every place where one can be.
fn every_kind(value: &Value) -> Vec<(Option<CheckpointId>, Entry)> {
    let ask = superstep_core::ask::Ask {
        id: AskId(u128::MAX),
        value: value.clone(),
        schema: Some(value.clone()),
        kind: Some("kind".into()),
        deadline: Some(1 << 40),
    };
    let error = StoredError {
        code: "SS1001".into(),
        class: "Class".into(),
        message: value.to_string(),
        limit: None,
    };
    let view = TaskView {
        id: TaskId(7),
        name: "a".into(),
        error: Some(error.clone()),
        asks: vec![ask.clone()],
        result: Some(value.clone()),
        state: Some(SubState::At("a:1".into())),
    };
    let snapshot = Snapshot {
        parent: Some(id(1)),
        parents: std::sync::Arc::new([("".into(), id(1))].into()),
        values: value.clone(),
        next: vec!["a".into()],
        tasks: vec![view],
        origin: Some((superstep_core::record::Source::Fork, -1)),
        ..Snapshot::empty(Some("t".into()), "a:1".into())
    };
    let ended = SpanEnd {
        outputs: value.clone(),
        error: Some(SpanError::new("SS1001", value)),
        facts: every_fact(),
    };
    let kinds = [
        EventKind::Values {
            values: value.clone(),
            asks: Some(vec![ask.clone()]),
        },
        EventKind::Update {
            node: "a".into(),
            update: value.clone(),
            cached: true,
        },
        EventKind::Asked(vec![ask.clone()]),
        EventKind::TaskStart {
            id: TaskId(u128::MAX),
            name: "a".into(),
            input: value.clone(),
            caller: Some(TaskId(u128::MAX - 1)),
        },
        EventKind::TaskEnd {
            id: TaskId(1),
            name: "a".into(),
            result: value.clone(),
            error: Some(error),
            asks: vec![ask],
        },
        EventKind::Checkpoint(Box::new(snapshot)),
        EventKind::Custom(value.clone()),
        EventKind::Message {
            message: value.clone(),
            node: "a".into(),
        },
        EventKind::Span(Box::new(span(SpanPhase::Started(value.clone().into())))),
        EventKind::Span(Box::new(span(SpanPhase::Ended(ended)))),
    ];
    let parts = [
        StatePart::Shown,
        StatePart::One("x".into()),
        StatePart::Many(vec!["x".into(), "y".into()]),
        StatePart::Input("a".into()),
    ];
    let referred = parts.map(|part| {
        let checkpoint = id(1);
        Entry::Event(Box::new(LoggedEvent {
            event: Event {
                namespace: "a:1|b:2".into(),
                step: -1,
                kind: EventKind::Custom(Value::Null),
            },
            below: true,
            state: Some(StateAt { checkpoint, part }),
        }))
    });
    let ends = [
        Ending::Done,
        Ending::Waiting(vec![AskId(0), AskId(u128::MAX)]),
        Ending::Paused,
        Ending::Failed {
            code: "SS1001".into(),
            message: value.to_string(),
        },
        Ending::Drained {
            reason: value.to_string(),
        },
        Ending::Cancelled {
            reason: value.to_string(),
        },
        Ending::Interrupted,
    ];
    let started = Entry::Started {
        durability: Durability::Async,
        modes: Modes::VALUES.with(Modes::TASKS),
        graph: "g".into(),
        traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
            .parse()
            .ok(),
    };
    let entries = std::iter::once(started)
        .chain(kinds.map(event_entry))
        .chain(referred)
        .chain(ends.map(Entry::Ended));
    let places = [None, Some(id(1)), Some(CheckpointId(u128::MAX))];
    entries.zip(places.into_iter().cycle()).map(swap).collect()
}

fn swap<A, B>((a, b): (A, B)) -> (B, A) {
    (b, a)
}

/// Demands that a log reads so after a cursor.
async fn reads(
    fixture: &Fixture,
    thread: &str,
    after: Option<Cursor>,
    wanted: &[Logged],
) -> Verdict {
    let got = fixture
        .saver
        .events(&thread.into(), after, usize::MAX >> 1)
        .await?;
    same(&got, wanted)
}

fn same(got: &[Logged], wanted: &[Logged]) -> Verdict {
    let cursors = |entries: &[Logged]| -> Vec<String> {
        let cursors = entries.iter().map(|entry| entry.cursor.to_string());
        cursors.collect()
    };
    equal("the cursors of a log", cursors(got), cursors(wanted))?;
    for (got, wanted) in got.iter().zip(wanted) {
        let what = format!("entry {}", wanted.cursor);
        equal(&what, format!("{got:?}"), format!("{wanted:?}"))?;
    }
    Ok(())
}
