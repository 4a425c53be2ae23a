//! Archives on their way through a file, and files that are not what they say.

use std::{collections::BTreeMap, sync::Arc};

use super::*;
use crate::{
    ask::Ask,
    command::{Command, Goto, Send},
    id::AskId,
    record::{
        Change, Effect, Layout, NoteExtras, Pending, PlainAnswer, Source, StartValue, TaskKey,
        Write,
    },
    table::{ChannelIx, Key, NodeIx, TriggerIx},
    value::{MAX_DEPTH, Value},
};

fn layout(name: &str) -> Arc<Layout> {
    Arc::new(Layout {
        channels: vec![name.into()],
        nodes: vec!["a".into()],
        triggers: vec![crate::record::TriggerName::Start],
        state: None,
        graph: "order".into(),
        shapes: Vec::new(),
    })
}

fn record(id: u128, parent: Option<u128>, layout: &Arc<Layout>) -> Record {
    Record {
        id: CheckpointId(id),
        parent: parent.map(CheckpointId),
        step: 1,
        source: Source::Loop,
        durability: crate::policy::Durability::Sync,
        layout: layout.clone(),
        changes: vec![(ChannelIx::at(0), Change::Set(Value::Int(7)))],
        full: parent.is_none(),
        pending: Pending::default(),
        touched: None,
        last_ran: vec![NodeIx::at(0)],
        last_seen: 1,
        clock: 2,
        paused_at: 0,
        parents: Arc::default(),
        tasks: Vec::new(),
    }
}

fn kept(record: Record) -> Archived {
    Archived {
        record: Arc::new(record),
        notes: None,
    }
}

fn small() -> Archive {
    let names = layout("x");
    let root = vec![
        kept(record(1, None, &names)),
        kept(record(2, Some(1), &names)),
        kept(record(u128::MAX, Some(1), &layout("y"))),
    ];
    let below = vec![kept(record(1, None, &names))];
    Archive {
        namespaces: [("".into(), root), ("a:1".into(), below)].into(),
    }
}

/// An archive with a value at every place where one can be.
fn everywhere(value: &Value) -> Archive {
    let names = layout("x");
    let key = TaskKey::Call(
        Box::new(TaskKey::Handler(Box::new(TaskKey::Node(NodeIx::at(0))))),
        3,
    );
    let note = TaskNote {
        output: Some(vec![
            Write::State(ChannelIx::at(0), value.clone()),
            Write::Fire(TriggerIx::at(0)),
            Write::Send(Send::new("a", value.clone())),
            Write::Return(value.clone()),
        ]),
        ..TaskNote::with(
            key,
            NoteExtras {
                asks: vec![Ask {
                    id: AskId(u128::MAX),
                    value: value.clone(),
                    schema: Some(value.clone()),
                    kind: None,
                    deadline: None,
                }],
                answers: vec![value.clone()],
                given: BTreeMap::from([(AskId(1), value.clone())]),
                effects: BTreeMap::from([("$f64".to_owned(), Effect::Done(value.clone()))]),
                resume: Some(PlainAnswer::Given(value.clone())),
                ..NoteExtras::NONE
            },
        )
    };
    let command = Command {
        update: vec![("x".into(), value.clone())],
        goto: vec![Goto::Send(Send::new("a", value.clone()))],
        ..Command::default()
    };
    let mut first = record(1, None, &names);
    first.changes = vec![(ChannelIx::at(0), Change::Extend(value.clone()))];
    first.pending.start = Some(StartValue::Input(value.clone()));
    first.pending.sends = Arc::new(vec![Send::new("a", value.clone())]);
    first.tasks = vec![note.clone()];
    let mut second = record(2, Some(1), &names);
    second.pending.start = Some(StartValue::Command(Box::new(command)));
    let root = vec![
        Archived {
            record: Arc::new(first),
            notes: Some(vec![note]),
        },
        kept(second),
    ];
    Archive {
        namespaces: [("".into(), root)].into(),
    }
}

fn text(archive: &Archive) -> String {
    let mut file = Vec::new();
    archive.write(&mut file).unwrap();
    String::from_utf8(file).unwrap()
}

fn read(text: &str) -> Result<Archive, ArchiveError> {
    Archive::read(text.as_bytes())
}

/// The error of a text, which must be one.
fn refused(text: &str) -> (&'static str, String) {
    let error = read(text).err().unwrap();
    (error.code(), error.to_string())
}

/// A value with the bits of its floats, which plain printing hides.
fn bits(value: &Value) -> String {
    match value {
        Value::Float(n) => format!("f{:016x}", n.to_bits()),
        Value::List(items) => format!("[{}]", items.iter().map(bits).collect::<String>()),
        Value::Map(map) => {
            let pairs = map
                .iter()
                .map(|(key, item)| format!("{key:?}:{},", bits(item)));
            format!("{{{}}}", pairs.collect::<String>())
        }
        other => format!("{}{other}", other.kind()),
    }
}

fn survives(value: &Value) {
    let before = everywhere(value);
    let mut after = read(&text(&before)).unwrap();
    assert_eq!(format!("{after:?}"), format!("{before:?}"));
    let mut seen = 0;
    for archived in after.namespaces.values_mut().flatten() {
        let mut row = row::Row::new(archived, 0);
        let visited = row.each_value(&mut |found: &mut Value| {
            // The second record also holds a small number of its own.
            if found.as_i64() != Some(7) {
                assert_eq!(bits(found), bits(value));
                seen += 1;
            }
            Ok::<(), String>(())
        });
        visited.unwrap();
    }
    assert_eq!(seen, 3 + 2 * 9 + 2);
}

#[test]
fn an_archive_comes_back_as_it_was_written_with_shared_layouts() {
    let before = small();
    let written = text(&before);
    assert_eq!(written.matches("{\"layout\":").count(), 2);
    assert_eq!(written.lines().count(), 1 + 2 + 2 + 4 + 1);
    let after = read(&written).unwrap();
    assert_eq!(format!("{after:?}"), format!("{before:?}"));
    let layouts: Vec<_> = after
        .namespaces
        .values()
        .flatten()
        .map(|one| &one.record.layout)
        .collect();
    assert!(Arc::ptr_eq(layouts[0], layouts[3]) && !Arc::ptr_eq(layouts[0], layouts[2]));
    assert_eq!(text(&after), written);
}

#[test]
fn every_float_survives_bit_for_bit_wherever_it_stands() {
    let odd = [
        0.0,
        -0.0,
        f64::MIN_POSITIVE / 3.0,
        -5e-324,
        f64::MAX,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::from_bits(0xfff8_0000_dead_beef),
        1.0,
        9_007_199_254_740_993.0,
    ];
    for n in odd {
        survives(&Value::Float(n));
    }
    survives(&Value::list(odd.map(Value::Float)));
    survives(&Value::map([(
        "in",
        Value::map([("side", Value::list([Value::Float(f64::NAN)]))]),
    )]));
    // Any bits.
    let mut rng = fastrand::Rng::with_seed(1);
    let many = (0..2_000).map(|_| Value::Float(f64::from_bits(rng.u64(..))));
    survives(&Value::list(many));
}

#[test]
fn an_object_that_looks_like_a_number_in_disguise_stays_an_object() {
    for key in ["$f64", "$$f64", "$$$f64", "f64", "$f", "$f64 "] {
        survives(&Value::map([(key, Value::from("7ff0000000000000"))]));
        survives(&Value::map([(key, Value::Float(f64::NAN))]));
        survives(&Value::map([(key, Value::Null), ("more", Value::Null)]));
        survives(&Value::list([Value::map([(
            key,
            Value::map([(key, Value::Bool(true))]),
        )])]));
    }
    let written = text(&everywhere(&Value::Float(f64::NAN)));
    let (code, why) = refused(&written.replacen("\"7ff8000000000000\"", "\"7ff800000000000g\"", 1));
    assert_eq!(code, "SS2104");
    assert!(why.contains("`$f64` is not followed by 16 digits"), "{why}");
}

#[test]
fn texts_integers_and_typed_cells_survive() {
    survives(&Value::from("a\0\"\\\n\u{2028}\r{[ 🧵 $f64"));
    survives(&Value::list([
        Value::Int(i64::MIN),
        Value::UInt(u64::MAX),
        Value::Null,
    ]));
    let cell = Value::typed(vec![("$f64".to_owned(), Some(0.1 + 0.2))]);
    let after = read(&text(&everywhere(&cell))).unwrap();
    assert_eq!(format!("{after:?}"), format!("{:?}", everywhere(&cell)));
}

#[test]
fn a_typed_cell_that_does_not_serialise_is_an_error_that_names_the_line() {
    let keys = std::collections::BTreeMap::from([((1, 2), 3)]);
    let error = everywhere(&Value::typed(keys))
        .write(std::io::sink())
        .unwrap_err();
    assert!(
        error.to_string().starts_with("line 4: a value")
            && error.to_string().ends_with("or has no JSON form"),
        "{error}"
    );
}

fn deep(levels: usize, inner: Value) -> Value {
    (0..levels).fold(inner, |inner, level| match level % 2 {
        0 => Value::list([inner]),
        _ => Value::map([("in", inner)]),
    })
}

#[test]
fn what_is_as_deep_as_a_saver_stores_survives() {
    for levels in [127, 128, 200, MAX_DEPTH] {
        survives(&deep(levels, Value::from("end")));
        survives(&deep(levels, Value::Float(f64::INFINITY)));
    }
    survives(&deep(MAX_DEPTH - 1, Value::map([("$f64", Value::Null)])));
    let cell = Value::typed(deep(MAX_DEPTH, Value::Null).to_json());
    assert!(read(&text(&everywhere(&cell))).is_ok());
}

#[test]
fn what_is_deeper_than_a_saver_stores_is_neither_written_nor_read() {
    let too_deep = deep(MAX_DEPTH + 1, Value::Null);
    for value in [
        too_deep.clone(),
        Value::typed(too_deep.to_json()),
        Value::list([Value::typed(deep(MAX_DEPTH, Value::Null).to_json())]),
        deep(MAX_DEPTH, Value::map([("$f64", Value::Null)])),
        deep(2_000, Value::Null),
    ] {
        let error = everywhere(&value).write(std::io::sink()).unwrap_err();
        assert_eq!(error.code(), "SS2105");
        assert!(error.to_string().contains("256 levels"), "{error}");
    }
    assert!(everywhere(&too_deep).check().is_err());
    let fits = text(&everywhere(&deep(MAX_DEPTH, Value::from("end"))));
    let (code, why) = refused(&fits.replacen("\"end\"", "[\"end\"]", 1));
    assert_eq!(code, "SS2104");
    assert!(why.contains("256 levels"), "{why}");
}

#[test]
fn keys_of_tasks_as_deep_as_a_saver_stores_survive() {
    let mut archive = small();
    let key = (0..MAX_DEPTH).fold(TaskKey::Node(NodeIx::at(0)), |key, n| match n % 2 {
        0 => TaskKey::Call(Box::new(key), 1),
        _ => TaskKey::Handler(Box::new(key)),
    });
    for archived in archive.namespaces.values_mut().flatten() {
        Arc::make_mut(&mut archived.record).tasks = vec![TaskNote::new(key.clone())];
    }
    let again = read(&text(&archive)).unwrap();
    assert_eq!(format!("{again:?}"), format!("{archive:?}"));
}

#[test]
fn brackets_in_hostile_depth_are_an_error() {
    let lines: Vec<String> = text(&small()).lines().map(str::to_owned).collect();
    let deep = format!("{{\"namespace\":{}", "[".repeat(100_000));
    let hostile = format!("{}\n{deep}\n", lines[0]);
    assert_eq!(refused(&hostile).0, "SS2105");
}

#[test]
fn a_file_cut_anywhere_is_refused() {
    let whole = text(&small());
    let last = whole.trim_end().len();
    for end in 0..last {
        let error = read(&whole[..end]).err();
        let code = error.as_ref().map(ArchiveError::code);
        assert!(
            matches!(code, Some("SS2101" | "SS2103")),
            "{end}: {error:?}"
        );
    }
    // The end of the last line is no more than a habit.
    assert!(read(whole.trim_end()).is_ok());
}

#[test]
fn a_file_without_any_one_of_its_lines_is_refused() {
    let whole = text(&small());
    let lines: Vec<&str> = whole.lines().collect();
    for missing in 0..lines.len() {
        let kept = lines.iter().enumerate().filter(|(n, _)| *n != missing);
        let kept: Vec<&str> = kept.map(|(_, line)| *line).collect();
        assert!(
            read(&kept.join("\n")).is_err(),
            "without line {}",
            missing + 1
        );
        let mut twice = lines.clone();
        twice.insert(missing, lines[missing]);
        assert!(
            read(&twice.join("\n")).is_err(),
            "line {} twice",
            missing + 1
        );
    }
}

#[test]
fn the_first_line_says_what_it_is() {
    let whole = text(&small());
    let with = |from: &str, to: &str| refused(&whole.replacen(from, to, 1));
    assert_eq!(refused("").0, "SS2101");
    assert_eq!(refused("\u{89}PNG\r\n").0, "SS2101");
    assert_eq!(refused("{\"format\":3}\n").0, "SS2101");
    assert_eq!(with("superstep thread", "superstep store").0, "SS2101");
    assert_eq!(with("\"version\":2", "\"version\":0").0, "SS2101");
    let (code, why) = with("\"version\":2", "\"version\":3");
    assert_eq!(code, "SS2102");
    assert_eq!(
        why,
        "line 1: the archive has version 3, this program reads up to 2"
    );
    let (code, why) = with("\"checkpoints\":4", "\"checkpoints\":18446744073709551615");
    assert_eq!(code, "SS2104");
    assert!(
        why.starts_with("line 10: the first line announces"),
        "{why}"
    );
    assert_eq!(with("\"checkpoints\":4", "\"checkpoints\":-4").0, "SS2104");
}

#[test]
fn an_unknown_field_is_passed_over_and_an_unknown_kind_of_line_refused() {
    let whole = text(&small());
    for (from, to) in [
        ("{\"format\"", "{\"made_by\":\"a later one\",\"format\""),
        ("{\"checkpoint\":{", "{\"checkpoint\":{\"mood\":[1],"),
        ("{\"layout\":{", "{\"layout\":{\"mood\":null,"),
        ("{\"end\":{", "{\"end\":{\"mood\":{},"),
    ] {
        assert!(read(&whole.replacen(from, to, 1)).is_ok(), "{to}");
    }
    let (code, why) = refused(&whole.replacen("{\"namespace\"", "{\"mood\"", 1));
    assert_eq!(code, "SS2104");
    assert!(
        why.starts_with("line 4: unknown variant `mood`, expected one of"),
        "{why}"
    );
    let (_, why) = refused(&whole.replacen("\"source\":\"loop\"", "\"source\":\"dream\"", 1));
    assert!(why.starts_with("line 5: unknown variant `dream`"), "{why}");
    let (_, why) = refused(&whole.replacen("\"clock\":2,", "", 1));
    assert!(
        why.starts_with("line 5: missing field `clock` at column"),
        "{why}"
    );
}

#[test]
fn ids_grow_parents_are_there_and_numbers_are_in_range() {
    const ID_2: &str = "\"id\":\"00000000-0000-0000-0000-000000000002\",";
    const PARENT_1: &str = "\"parent\":\"00000000-0000-0000-0000-000000000001\",";
    let whole = text(&small());
    let wrong = |from: &str, to: &str| {
        assert!(whole.contains(from), "{from}");
        let (code, why) = refused(&whole.replacen(from, to, 1));
        assert_eq!(code, "SS2104", "{why}");
        why
    };
    for (from, to, said) in [
        (
            ID_2,
            "\"id\":1,",
            "line 6: checkpoint 00000000-0000-0000-0000-000000000001 does not follow",
        ),
        (
            PARENT_1,
            "\"parent\":9,",
            "line 6: checkpoint 00000000-0000-0000-0000-000000000002 follows unknown",
        ),
        (PARENT_1, "\"parent\":2,", "line 6: checkpoint"),
        (
            ID_2,
            "\"id\":340282366920938463463374607431768211456,",
            "line 6: ",
        ),
        (ID_2, "\"id\":2.5,", "line 6: "),
        (ID_2, "\"id\":-2,", "line 6: "),
        (ID_2, "\"id\":1e999,", "line 6: "),
        (
            "\"layout\":0,",
            "\"layout\":2,",
            "line 5: there is no layout 2 above",
        ),
        (
            "\"step\":1,",
            "\"step\":9223372036854775807,",
            "line 5: checkpoint",
        ),
        (
            "\"step\":1,",
            "\"step\":-9223372036854775808,",
            "line 5: checkpoint",
        ),
        (
            "\"clock\":2,",
            "\"clock\":18446744073709551615,",
            "line 5: checkpoint",
        ),
        ("\"changes\":[[0,", "\"changes\":[[1,", "line 5: checkpoint"),
        ("\"changes\":[[0,", "\"changes\":[[4294967296,", "line 5: "),
        ("\"last_ran\":[0]", "\"last_ran\":[7]", "line 5: checkpoint"),
        ("\"fired\":[]", "\"fired\":[1]", "line 5: checkpoint"),
        (
            "\"namespace\":\"a:1\"",
            "\"namespace\":\"\"",
            "line 8: namespace `` comes twice",
        ),
    ] {
        let why = wrong(from, to);
        assert!(why.starts_with(said), "{to}: {why}");
    }
}

#[test]
fn whatever_byte_of_a_file_is_changed_nothing_panics() {
    let whole = text(&everywhere(&Value::Float(f64::NAN))).into_bytes();
    for place in 0..whole.len() {
        for byte in [b'0', b'9', b'"', b'}', b'\n', 0xff] {
            let mut changed = whole.clone();
            changed[place] = byte;
            if let Ok(archive) = Archive::read(&*changed) {
                archive.check().unwrap();
            }
        }
    }
}

#[test]
fn an_archive_made_by_hand_is_checked_too() {
    assert!(small().check().is_ok());
    assert!(Archive::default().check().is_err());
    let mut empty = small();
    empty.namespaces.insert("b".into(), Vec::new());
    assert_eq!(
        empty.check(),
        Err("namespace `b` holds no checkpoint".into())
    );
    let mut twice = small();
    let note = TaskNote::new(TaskKey::Input);
    twice.namespaces.get_mut(&"a:1".into()).unwrap()[0].notes = Some(vec![note.clone(), note]);
    let why = twice.check().unwrap_err();
    assert!(why.ends_with("two notes of one task"), "{why}");
}

#[test]
fn a_reader_that_fails_names_the_line() {
    struct Torn(usize);
    impl std::io::Read for Torn {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other(format!("torn {}", self.0)))
        }
    }
    let error = Archive::read(std::io::BufReader::new(Torn(1)))
        .err()
        .unwrap();
    assert_eq!(
        (error.code(), error.to_string().as_str()),
        ("SS2106", "line 1: torn 1")
    );
}

/// The text as version 1 wrote it: ids are numbers.
fn with_numbers(text: &str) -> String {
    let mut old = text.replace("\"version\":2", "\"version\":1");
    while let Some(at) = old.match_indices('"').find_map(|(at, _)| {
        let id = old.get(at + 1..)?.split('"').next()?;
        (id.parse::<CheckpointId>().is_ok()).then(|| (at, id.to_owned()))
    }) {
        let (at, id) = at;
        let number = id.parse::<CheckpointId>().unwrap().0.to_string();
        old.replace_range(at..at + id.len() + 2, &number);
    }
    old
}

/// The archive without what no archive of version 1 has.
fn without_given(mut archive: Archive) -> Archive {
    for one in archive.namespaces.values_mut().flatten() {
        let tasks = &mut Arc::make_mut(&mut one.record).tasks;
        for note in tasks.iter_mut().chain(one.notes.iter_mut().flatten()) {
            note.extras.given.clear();
        }
    }
    archive
}

#[test]
fn an_archive_of_version_1_whose_ids_are_numbers_is_read() {
    for before in [
        small(),
        everywhere(&Value::from("324877655905315338169460417056097372294")),
    ] {
        let before = without_given(before);
        let old = with_numbers(&text(&before));
        assert!(old.contains(&u128::MAX.to_string()), "{old}");
        let after = read(&old).unwrap();
        assert_eq!(format!("{after:?}"), format!("{before:?}"));
    }
}

#[test]
fn an_archive_that_takes_too_much_memory_is_refused_before_it_is_parsed() {
    let mut file = Vec::new();
    small().write(&mut file).unwrap();
    let needed = file.split_inclusive(|byte| *byte == b'\n');
    let needed: usize = needed.map(|line| weight::Weight::of(line).memory).sum();
    assert_eq!(
        Archive::read_within(file.as_slice(), needed).unwrap().len(),
        small().len()
    );
    let refused = Archive::read_within(file.as_slice(), needed - 1).unwrap_err();
    let last = file.split(|byte| *byte == b'\n').count() - 1;
    assert!(matches!(refused, ArchiveError::TooMuch { line } if line == last));
    // No JSON, and yet that is not what is reported: it was not looked at.
    let (header, _) = file.split_at(file.iter().position(|byte| *byte == b'\n').unwrap() + 1);
    let hostile = [header, "[],".repeat(1000).as_bytes()].concat();
    let refused = Archive::read_within(hostile.as_slice(), 10_000).unwrap_err();
    assert!(
        matches!(refused, ArchiveError::TooMuch { line: 2 }),
        "{refused}"
    );
    assert_eq!(refused.code(), "SS2105");
}

#[test]
fn counts_that_are_announced_reserve_no_memory() {
    let header = |count: u64| {
        format!(
            "{{\"format\":\"superstep thread\",\"version\":1,\"layouts\":{count},\"namespaces\":{count},\
             \"checkpoints\":{count}}}\n{{\"end\":{{\"checkpoints\":{count}}}}}\n"
        )
    };
    let refused = Archive::read(header(u64::MAX).as_bytes()).unwrap_err();
    assert_eq!(refused.code(), "SS2104");
}
