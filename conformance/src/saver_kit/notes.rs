//! Notes: what is known of a checkpoint's tasks, from notes and from the records that follow it.

use superstep_core::{
    ask::Ask,
    command::Send,
    error::Limit,
    id::AskId,
    record::{Effect, NoteExtras, PlainAnswer, Record, StoredError, TaskKey, TaskNote, Write},
    saver::At,
    table::{ChannelIx, Key},
    value::Value,
};

use super::fixture::{Bench, CORRUPT, refused};
use super::records::{Y, delta, done, first, id, journal, node, trigger};
use crate::kit::{Verdict, cases, equal};

cases![
    SaverCheck: a_note_is_read_with_its_checkpoint,
    the_tasks_of_a_record_are_notes_of_its_parent,
    the_tasks_of_all_branches_meet_at_the_fork,
    a_later_note_of_a_task_is_absorbed,
    what_a_note_leaves_open_stays,
    a_plain_answer_is_gone_once_it_is_taken,
    notes_and_tasks_count_in_the_order_they_came,
    notes_of_an_older_checkpoint_still_grow,
    notes_of_two_namespaces_keep_apart,
    several_notes_are_stored_together,
    a_note_for_an_unknown_checkpoint_is_refused,
    every_kind_of_task_has_its_own_notes,
    every_kind_of_write_survives,
    asks_survive_with_their_schema,
    errors_survive_with_their_limit,
    effects_survive_and_failed_ones_are_forgotten,
    thousands_of_notes_of_one_checkpoint_are_merged,
];

async fn a_note_is_read_with_its_checkpoint(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    writer.note("", 1, vec![done(node(0), "a")]).await?;
    fixture.agrees("t", &writer.model).await?;
    writer.note("", 1, vec![done(node(1), "b")]).await?;
    fixture.agrees("t", &writer.model).await?;
    writer.commit("", delta(2, 1)).await?;
    let loaded = fixture.load("t", "", At::Latest).await?;
    let notes = loaded.map(|loaded| loaded.notes.len());
    equal("notes of the next checkpoint", notes, Some(0))?;
    fixture.agrees("t", &writer.model).await
}

async fn the_tasks_of_a_record_are_notes_of_its_parent(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    for n in 2..5 {
        let tasks = vec![done(node(0), n as i64), done(node(1), "b")];
        let record = Record {
            tasks,
            ..delta(n, n - 1)
        };
        writer.commit("", record).await?;
    }
    let loaded = fixture.load("t", "", At::Id(id(1))).await?;
    let notes = loaded.map(|loaded| loaded.notes.len());
    equal("notes of the first checkpoint", notes, Some(2))?;
    fixture.agrees("t", &writer.model).await
}

async fn the_tasks_of_all_branches_meet_at_the_fork(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    let tasks = [
        vec![done(node(0), "one")],
        vec![done(node(1), "two")],
        vec![
            journal(node(0), [("e", Effect::Started)]),
            done(node(1), "three"),
        ],
    ];
    for (n, tasks) in (2..).zip(tasks) {
        writer
            .commit(
                "",
                Record {
                    tasks,
                    ..delta(n, 1)
                },
            )
            .await?;
    }
    fixture.agrees("t", &writer.model).await
}

async fn a_later_note_of_a_task_is_absorbed(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    let answered = |answers: &[i32]| {
        TaskNote::with(
            node(0),
            NoteExtras {
                answers: answers.iter().map(|answer| Value::from(*answer)).collect(),
                ..NoteExtras::NONE
            },
        )
    };
    let handled = TaskNote::with(
        node(0),
        NoteExtras {
            handled: true,
            ..NoteExtras::NONE
        },
    );
    let notes = [
        asking(node(0), &[1]),
        answered(&[1]),
        asking(node(0), &[2, 3]),
        answered(&[1, 2]),
        failed(node(0), None),
        handled,
        failed(node(0), Some(Limit::Run)),
        done(node(0), "done"),
        done(node(0), "done again"),
    ];
    for note in notes {
        writer.note("", 1, vec![note]).await?;
        fixture.agrees("t", &writer.model).await?;
    }
    Ok(())
}

async fn what_a_note_leaves_open_stays(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    let mut everything = super::records::note_everywhere(node(0), &Value::from("kept"));
    everything.extras.handled = true;
    everything.extras.error = failed(node(0), Some(Limit::Idle)).extras.into_inner().error;
    writer.note("", 1, vec![everything]).await?;
    writer.note("", 1, vec![TaskNote::new(node(0))]).await?;
    fixture.agrees("t", &writer.model).await?;
    let record = Record {
        tasks: vec![TaskNote::new(node(0))],
        ..delta(2, 1)
    };
    writer.commit("", record).await?;
    fixture.agrees("t", &writer.model).await
}

async fn a_plain_answer_is_gone_once_it_is_taken(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    let given = TaskNote::with(
        TaskKey::Input,
        NoteExtras {
            resume: Some(PlainAnswer::Given("yes".into())),
            ..NoteExtras::NONE
        },
    );
    writer.note("", 1, vec![given]).await?;
    fixture.agrees("t", &writer.model).await?;
    let note = TaskNote::with(
        TaskKey::Input,
        NoteExtras {
            resume: Some(PlainAnswer::Taken),
            ..NoteExtras::NONE
        },
    );
    let taken = vec![note, asking(node(0), &[1])];
    writer.note("", 1, taken).await?;
    let loaded = fixture.load("t", "", At::Latest).await?;
    let notes = loaded.map(|loaded| loaded.notes).unwrap_or_default();
    let left = notes
        .iter()
        .filter(|note| matches!(note.extras.resume, Some(PlainAnswer::Given(_))))
        .count();
    equal("plain answers left", left, 0)?;
    fixture.agrees("t", &writer.model).await
}

async fn notes_and_tasks_count_in_the_order_they_came(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    writer.note("", 1, vec![done(node(0), "first")]).await?;
    let record = Record {
        tasks: vec![done(node(0), "second"), done(node(1), "only")],
        ..delta(2, 1)
    };
    writer.commit("", record).await?;
    fixture.agrees("t", &writer.model).await?;
    writer.note("", 1, vec![done(node(0), "third")]).await?;
    fixture.agrees("t", &writer.model).await?;
    let record = Record {
        tasks: vec![done(node(0), "fourth")],
        ..delta(3, 1)
    };
    writer.commit("", record).await?;
    fixture.agrees("t", &writer.model).await
}

async fn notes_of_an_older_checkpoint_still_grow(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    writer.commit("", delta(2, 1)).await?;
    writer.commit("", delta(3, 2)).await?;
    writer.note("", 1, vec![asking(node(0), &[1])]).await?;
    writer.note("", 2, vec![done(node(1), "late")]).await?;
    fixture.agrees("t", &writer.model).await
}

async fn notes_of_two_namespaces_keep_apart(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    for namespace in ["", "a:1", "a:2"] {
        writer.commit(namespace, first(1)).await?;
    }
    writer.note("", 1, vec![done(node(0), "root")]).await?;
    writer.note("a:1", 1, vec![done(node(0), "below")]).await?;
    fixture.agrees("t", &writer.model).await
}

async fn several_notes_are_stored_together(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    let notes = vec![
        done(node(0), "a"),
        asking(node(1), &[1]),
        done(node(0), "a again"),
        journal(node(2), [("e", Effect::Started)]),
        journal(node(2), [("e", Effect::Done(Value::Null))]),
    ];
    writer.note("", 1, notes).await?;
    fixture.agrees("t", &writer.model).await?;
    writer.note("", 1, Vec::new()).await?;
    fixture.agrees("t", &writer.model).await
}

async fn a_note_for_an_unknown_checkpoint_is_refused(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    let notes = || vec![done(node(0), "lost")];
    let got = writer.try_note("", id(1), notes()).await;
    refused("a note before any checkpoint", got, CORRUPT)?;
    equal("threads after it", fixture.listed().await?.len(), 0)?;
    writer.commit("", first(1)).await?;
    writer.commit("a:1", first(2)).await?;
    for (namespace, n) in [("", 2), ("", 3), ("a:1", 1), ("b:1", 1)] {
        let got = writer.try_note(namespace, id(n), notes()).await;
        refused(&format!("a note for {n} in {namespace:?}"), got, CORRUPT)?;
    }
    writer.commit("", delta(3, 1)).await?;
    fixture.agrees("t", &writer.model).await
}

async fn every_kind_of_task_has_its_own_notes(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    let handler = |of| TaskKey::Handler(Box::new(of));
    let call = |by, n| TaskKey::Call(Box::new(by), n);
    let keys = [
        TaskKey::Input,
        node(0),
        node(70_000),
        TaskKey::Send(0),
        TaskKey::Send(u32::MAX),
        handler(node(0)),
        handler(TaskKey::Send(0)),
        call(node(0), 0),
        call(node(0), 1),
        call(TaskKey::Send(0), 0),
        call(call(call(handler(node(0)), 2), 1), 0),
    ];
    for round in 0..2 {
        for (n, key) in (0..).zip(&keys) {
            let value = Value::list([Value::Int(round), Value::Int(n)]);
            writer.note("", 1, vec![done(key.clone(), value)]).await?;
        }
        fixture.agrees("t", &writer.model).await?;
    }
    Ok(())
}

async fn every_kind_of_write_survives(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    let writes = vec![
        Write::State(ChannelIx::at(Y), Value::Null),
        Write::State(ChannelIx::at(Y), 1.into()),
        Write::Fire(trigger(2)),
        Write::Join(trigger(3), 1),
        Write::Send(Send::new("a", Value::list([]))),
        Write::Return("back".into()),
    ];
    for (n, output) in [Some(writes), Some(Vec::new()), None]
        .into_iter()
        .enumerate()
    {
        let note = TaskNote {
            output,
            ..TaskNote::new(node(n))
        };
        writer.note("", 1, vec![note]).await?;
    }
    fixture.agrees("t", &writer.model).await
}

async fn asks_survive_with_their_schema(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    let schema = Value::map([("type", Value::from("integer")), ("minimum", 1.into())]);
    let ask = |id, schema| Ask {
        id: AskId(id),
        value: Value::from("how many?"),
        schema,
        kind: None,
        deadline: None,
    };
    let asks = vec![
        ask(u128::MAX, Some(schema)),
        ask(0, None),
        ask(1, Some(Value::Null)),
    ];
    let note = TaskNote::with(
        node(0),
        NoteExtras {
            asks: asks.clone(),
            ..NoteExtras::NONE
        },
    );
    writer.note("", 1, vec![note]).await?;
    let loaded = fixture.load("t", "", At::Latest).await?;
    let notes = loaded.map(|loaded| loaded.notes).unwrap_or_default();
    let got: Vec<Ask> = notes
        .into_iter()
        .flat_map(|note| note.extras.into_inner().asks)
        .collect();
    equal("asks", got, asks)?;
    fixture.agrees("t", &writer.model).await
}

async fn errors_survive_with_their_limit(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    for (n, limit) in [None, Some(Limit::Run), Some(Limit::Idle)]
        .into_iter()
        .enumerate()
    {
        writer.note("", 1, vec![failed(node(n), limit)]).await?;
    }
    fixture.agrees("t", &writer.model).await
}

async fn effects_survive_and_failed_ones_are_forgotten(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    let notes = [
        journal(node(0), [("a", Effect::Started), ("b", Effect::Started)]),
        journal(node(0), [("a", Effect::Done(Value::from("paid")))]),
        journal(node(0), [("b", Effect::Failed), ("ä\0", Effect::Started)]),
        journal(
            node(0),
            [("b", Effect::Started), ("", Effect::Done(Value::Null))],
        ),
    ];
    for note in notes {
        writer.note("", 1, vec![note]).await?;
        fixture.agrees("t", &writer.model).await?;
    }
    Ok(())
}

async fn thousands_of_notes_of_one_checkpoint_are_merged(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    let keys = || (0..2_000).map(TaskKey::Send);
    writer
        .note("", 1, keys().map(|key| asking(key, &[1])).collect())
        .await?;
    for key in keys() {
        writer.note("", 1, vec![done(key, "done")]).await?;
    }
    let tasks = keys().map(|key| journal(key, [("e", Effect::Started)]));
    let record = Record {
        tasks: tasks.collect(),
        ..delta(2, 1)
    };
    writer.commit("", record).await?;
    fixture.agrees("t", &writer.model).await
}

fn asking(key: TaskKey, ids: &[u128]) -> TaskNote {
    let ask = |id: &u128| Ask {
        id: AskId(*id),
        value: Value::from(format!("question {id}")),
        schema: None,
        kind: None,
        deadline: None,
    };
    TaskNote::with(
        key,
        NoteExtras {
            asks: ids.iter().map(ask).collect(),
            ..NoteExtras::NONE
        },
    )
}

fn failed(key: TaskKey, limit: Option<Limit>) -> TaskNote {
    let error = StoredError {
        code: "SS1001".to_owned(),
        class: "Ä\0rger".to_owned(),
        message: "it's \"broken\"\n".to_owned(),
        limit,
    };
    TaskNote::with(
        key,
        NoteExtras {
            error: Some(Box::new(error)),
            ..NoteExtras::NONE
        },
    )
}
