//! Contents of records come back unchanged.

use std::sync::Arc;
use std::time::Duration;

use superstep_core::{
    command::{Command, Goto, Send},
    id::GraphPath,
    policy::Durability,
    record::{Held, Layout, Pending, Record, Source, StartValue, StateVersion, TriggerName},
    table::{Key, NodeIx},
    value::{MAX_DEPTH, Value},
};

use super::fixture::Bench;
use super::records::{
    LOG, X, Y, clear, delta, everywhere, extend, first, id, node, note_everywhere, set, trigger,
};
use crate::kit::{Verdict, cases};

cases![
    SaverCheck: every_kind_of_value_survives,
    numbers_survive_exactly,
    hostile_texts_survive,
    deep_and_wide_values_survive,
    empty_containers_survive,
    a_typed_cell_survives_as_its_json_form,
    every_kind_of_change_survives,
    the_input_that_waits_survives,
    a_command_that_waits_survives,
    fired_waiting_and_half_met_joins_survive,
    sends_survive_with_their_limits,
    the_small_fields_survive,
    the_checkpoints_of_graphs_above_survive,
    layouts_survive_and_may_change,
];

async fn every_kind_of_value_survives(bench: &Bench<'_>) -> Verdict {
    let object = Value::map([
        ("n", Value::Null),
        ("list", Value::list([Value::Bool(true), Value::from("x")])),
        ("map", Value::map([("inner", Value::Int(1))])),
    ]);
    let values = [
        Value::Null,
        Value::Bool(true),
        Value::Bool(false),
        Value::Int(0),
        Value::from("text"),
        Value::from(vec![1, 2, 3]),
        object,
    ];
    values_survive(bench, values.to_vec()).await
}

async fn numbers_survive_exactly(bench: &Bench<'_>) -> Verdict {
    let whole = [i64::MIN, -1, 0, 1, (1 << 53) + 1, i64::MAX].map(Value::Int);
    let large = [1 << 63, u64::MAX].map(Value::UInt);
    let floats = [
        0.0,
        -0.0,
        1.0,
        0.1 + 0.2,
        -1.5,
        1e300,
        f64::MIN_POSITIVE,
        5e-324,
        f64::MAX,
    ];
    let all = whole.into_iter().chain(large);
    let all = all.chain(floats.map(Value::Float));
    values_survive(bench, all.collect()).await
}

async fn hostile_texts_survive(bench: &Bench<'_>) -> Verdict {
    let texts = [
        "\0".to_owned(),
        "a\0b".to_owned(),
        "'\"`\\; DROP TABLE records; --".to_owned(),
        "line\r\nline\ttab\u{1b}[31m\u{7f}".to_owned(),
        "ä a\u{308} 名前 🧵👩‍👩‍👧 \u{202e}rtl \u{feff} \u{fffd} \u{10ffff}".to_owned(),
        "$unserialisable".to_owned(),
        "{\"not\": \"parsed\"}".to_owned(),
        "1".to_owned(),
        "long ".repeat(4_000),
    ];
    let keys = texts.iter().take(6);
    let object = Value::map(keys.map(|text| (text.as_str(), Value::from(text.as_str()))));
    let all = texts.iter().map(|text| Value::from(text.as_str()));
    values_survive(bench, all.chain([object]).collect()).await
}

async fn deep_and_wide_values_survive(bench: &Bench<'_>) -> Verdict {
    let deep = |levels: usize, wrap: fn(Value) -> Value| {
        (0..levels).fold(Value::Int(1), |inner, _| wrap(inner))
    };
    // Where a list is extended, the value is one level deeper.
    let lists = deep(MAX_DEPTH - 1, |inner| Value::list([inner]));
    let maps = deep(MAX_DEPTH - 1, |inner| Value::map([("in", inner)]));
    let mixed = deep(50, |inner| {
        Value::list([Value::map([("in", inner)]), Value::Null])
    });
    let wide = Value::list((0..1_500).map(Value::Int));
    let broad = Value::map((0..300).map(|n| (n.to_string(), Value::Int(n))));
    values_survive(bench, vec![lists, maps, mixed, wide, broad]).await
}

async fn empty_containers_survive(bench: &Bench<'_>) -> Verdict {
    let list = || Value::list([]);
    let map = || Value::map::<Arc<str>>([]);
    let values = [
        list(),
        map(),
        Value::from(""),
        Value::list([list(), map(), Value::Null, Value::from("")]),
        Value::map([("", list()), ("m", map())]),
    ];
    values_survive(bench, values.to_vec()).await
}

/// What a typed graph would keep: plain data, but not a [`Value`].
type Typed = (Option<bool>, Vec<(String, u64)>, f64);

async fn a_typed_cell_survives_as_its_json_form(bench: &Bench<'_>) -> Verdict {
    let typed: Typed = (None, vec![("ä\0".to_owned(), u64::MAX)], 0.5);
    let cell = Value::typed(typed);
    let values = [
        Value::list([cell.clone(), Value::Null]),
        Value::map([("cell", cell.clone())]),
        Value::typed("only text".to_owned()),
        cell,
    ];
    values_survive(bench, values.to_vec()).await
}

async fn every_kind_of_change_survives(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    let one = |n| Value::Int(n);
    let steps = [
        vec![set(X, one(1)), set(LOG, Value::list([])), set(Y, one(2))],
        vec![extend(LOG, [one(1), one(2)]), clear(Y)],
        vec![],
        vec![set(X, Value::Null), extend(LOG, [])],
        vec![clear(X), clear(Y), set(LOG, Value::list([one(9)]))],
        vec![extend(LOG, [Value::Null]), extend(LOG, [one(3)])],
        vec![set(Y, one(1)), set(X, one(1))],
    ];
    writer.commit("", first(1)).await?;
    for (n, changes) in (2..).zip(steps) {
        let record = Record {
            changes,
            ..delta(n, n - 1)
        };
        writer.commit("", record).await?;
    }
    fixture.agrees("t", &writer.model).await
}

async fn the_input_that_waits_survives(bench: &Bench<'_>) -> Verdict {
    let inputs = [
        Value::Null,
        Value::map([("x", Value::Int(1)), ("log", Value::list([]))]),
        Value::from("a bare value"),
    ];
    let pending = inputs.map(|input| Pending {
        start: Some(StartValue::Input(input)),
        ..Pending::default()
    });
    pending_survives(bench, pending).await
}

async fn a_command_that_waits_survives(bench: &Bench<'_>) -> Verdict {
    let sent = Send {
        timeout: Some(Duration::from_millis(1500)),
        ..Send::new("b", Value::Int(1))
    };
    let commands = [
        Command::default(),
        Command::default()
            .set("x", 1)
            .set("x", 2)
            .set("y", Value::Null),
        Command::goto("a")
            .and_goto(Goto::Send(sent))
            .and_goto("__end__"),
        Command::goto("a").set("x", Value::list([])).to_parent(),
    ];
    let pending = commands.map(|command| Pending {
        start: Some(StartValue::Command(Box::new(command))),
        ..Pending::default()
    });
    pending_survives(bench, pending).await
}

fn held(held: Held) -> Pending {
    Pending {
        held: held.into(),
        ..Pending::default()
    }
}

async fn fired_waiting_and_half_met_joins_survive(bench: &Bench<'_>) -> Verdict {
    let pending = [
        Pending {
            fired: vec![trigger(2), trigger(1)],
            ..Pending::default()
        },
        held(Held {
            waiting: vec![trigger(0), trigger(3)],
            ..Held::NONE
        }),
        held(Held {
            joins: vec![(trigger(3), vec![1, 0]), (trigger(2), vec![])],
            ..Held::NONE
        }),
        Pending {
            fired: vec![trigger(70_000)],
            ..held(Held {
                waiting: vec![trigger(1)],
                joins: vec![(trigger(3), vec![u32::MAX])],
                ..Held::NONE
            })
        },
    ];
    pending_survives(bench, pending).await
}

async fn sends_survive_with_their_limits(bench: &Bench<'_>) -> Verdict {
    let limits = [
        None,
        Some(Duration::ZERO),
        Some(Duration::from_nanos(1)),
        Some(Duration::from_micros(1_500_001)),
        Some(Duration::MAX),
    ];
    let sends = limits.into_iter().zip(0..).map(|(timeout, n)| Send {
        timeout,
        ..Send::new("a", Value::Int(n))
    });
    // The same send twice is two tasks.
    let twice = [Send::new("b", Value::Null), Send::new("b", Value::Null)];
    let pending = Pending {
        sends: Arc::new(sends.chain(twice).collect()),
        ..Pending::default()
    };
    pending_survives(bench, [pending]).await
}

async fn the_small_fields_survive(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    let nodes = |list: &[usize]| list.iter().map(|n| NodeIx::at(*n)).collect();
    let records = [
        Record {
            step: i64::MIN,
            source: Source::Input,
            touched: None,
            ..delta(2, 1)
        },
        Record {
            step: i64::MAX,
            source: Source::Loop,
            touched: Some(Vec::new()),
            last_ran: nodes(&[2, 0]),
            ..delta(3, 2)
        },
        Record {
            step: 0,
            source: Source::Update,
            durability: Durability::Exit,
            touched: Some(vec![trigger(3), trigger(0)]),
            clock: u64::MAX,
            paused_at: u64::MAX - 1,
            ..delta(4, 3)
        },
        Record {
            source: Source::Fork,
            durability: Durability::Async,
            last_ran: nodes(&[1]),
            clock: 1 << 63,
            ..delta(5, 4)
        },
    ];
    for record in records {
        writer.commit("", record).await?;
    }
    fixture.agrees("t", &writer.model).await
}

async fn the_checkpoints_of_graphs_above_survive(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    let parents = [
        (GraphPath::default(), id(1)),
        (GraphPath::from("a:1"), id(2)),
        (GraphPath::from("ä|1|b"), id(3)),
    ];
    for (n, known) in (10..).zip(1..=3) {
        let parents = parents.iter().take(known).cloned().collect();
        let record = Record {
            parents: Arc::new(parents),
            ..first(n)
        };
        writer.commit(&format!("a:{n}"), record).await?;
    }
    fixture.agrees("t", &writer.model).await
}

async fn layouts_survive_and_may_change(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    let layouts = [
        Layout::default(),
        Layout {
            channels: vec!["log".into(), "ä\0".into(), "".into()],
            nodes: vec!["名前".into()],
            triggers: vec![
                TriggerName::Join(vec![], "a".into()),
                TriggerName::Join(vec!["b".into(), "a".into()], "a".into()),
                TriggerName::Node("a|b".into()),
                TriggerName::Start,
            ],
            state: Some(StateVersion {
                version: u32::MAX,
                fingerprint: u64::MAX,
            }),
            graph: "名前 \0".into(),
            shapes: vec![u64::MAX, 0, 1],
        },
    ];
    let mut n = 1;
    for layout in layouts.into_iter().map(Arc::new) {
        let record = Record {
            layout: layout.clone(),
            full: true,
            ..delta(n + 1, n)
        };
        writer.commit("", record).await?;
        let record = Record {
            layout,
            ..delta(n + 2, n + 1)
        };
        writer.commit("", record).await?;
        n += 2;
    }
    writer
        .commit(
            "",
            Record {
                full: true,
                ..delta(n + 1, n)
            },
        )
        .await?;
    fixture.agrees("t", &writer.model).await
}

async fn values_survive(bench: &Bench<'_>, values: Vec<Value>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    for (n, value) in (2..).zip(values) {
        let note = note_everywhere(node(1), &value);
        writer.note("", n - 1, vec![note]).await?;
        // Full, so that a reading shows one value and not all that came before.
        let record = Record {
            full: true,
            ..everywhere(n, n - 1, &value)
        };
        writer.commit("", record).await?;
    }
    fixture.agrees("t", &writer.model).await
}

async fn pending_survives(
    bench: &Bench<'_>,
    pending: impl IntoIterator<Item = Pending>,
) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    for (n, pending) in (2..).zip(pending) {
        let record = Record {
            pending,
            ..delta(n, n - 1)
        };
        writer.commit("", record).await?;
    }
    fixture.agrees("t", &writer.model).await
}
