//! Records on their way through bytes, and bytes that are not what they say.
//!
//! [`random`] makes records of every shape; [`hostile`] reads what nobody wrote; [`envelope`] is what
//! surrounds them.

mod envelope;
mod hostile;
mod random;

use std::{collections::HashMap, sync::Arc};

use super::{
    record::{RecordHeader, pack_record, unpack_record},
    *,
};
use crate::{
    command::{Command, Goto, Send},
    record::{Change, Effect, Pending, Record, StartValue, TaskKey, TaskNote, Write},
    table::{ChannelIx, Key, NodeIx},
    value::Value,
};
use random::{Random, everything, seed};

/// Blobs as a saver keeps them.
#[derive(Default)]
struct StoredBlobs(HashMap<BlobId, Arc<str>>);

impl StoredBlobs {
    fn of(packed: &Packed) -> Self {
        Self(packed.blobs.iter().cloned().collect())
    }
}

impl Blobs for StoredBlobs {
    fn text(&mut self, id: BlobId) -> Result<Arc<str>, String> {
        self.0.get(&id).cloned().ok_or_else(|| "no blob".to_owned())
    }
}

fn head(record: &Record) -> RecordHeader {
    RecordHeader {
        id: record.id,
        parent: record.parent,
        step: record.step,
        source: record.source,
        durability: record.durability,
        full: record.full,
        layout: record.layout.clone(),
    }
}

fn packed(record: &Record) -> Packed {
    pack_record(record).unwrap().body
}

fn read(bytes: &[u8], like: &Record, blobs: &mut StoredBlobs) -> Result<Record, CodecError> {
    unpack_record(bytes, head(like), &mut Shared::default(), blobs)
}

/// A record as text: all of it but the bits of numbers, which the packed bytes show.
fn text(record: &Record) -> String {
    serde_json::to_string(record).unwrap()
}

/// A record with one value in a channel.
fn holding(value: Value) -> Record {
    let mut record = Random::new(1).record();
    record.changes = vec![(ChannelIx::at(0), Change::Set(value))];
    record.pending = Default::default();
    record.tasks = Vec::new();
    record
}

fn held(record: &Record) -> &Value {
    match record.changes.first() {
        Some((_, Change::Set(value))) => value,
        other => panic!("{other:?}"),
    }
}

fn survives(value: &Value) {
    let record = holding(value.clone());
    let bytes = packed(&record);
    let again = read(&bytes.bytes, &record, &mut StoredBlobs::of(&bytes)).unwrap();
    assert_eq!(text(&again), text(&record));
    assert_eq!(packed(&again).bytes, bytes.bytes);
}

#[test]
fn twenty_thousand_random_records_come_back_as_they_were() {
    let seed = seed();
    let mut random = Random::new(seed);
    for n in 0..20_000 {
        let record = random.record();
        let packed = packed(&record);
        let again = read(&packed.bytes, &record, &mut StoredBlobs::of(&packed))
            .unwrap_or_else(|error| panic!("seed {seed}, record {n}: {error}"));
        assert_eq!(text(&again), text(&record), "seed {seed}, record {n}");
        let twice = pack_record(&again).unwrap().body;
        assert_eq!(twice.bytes, packed.bytes, "seed {seed}, record {n}");
        assert_eq!(twice.blobs, packed.blobs, "seed {seed}, record {n}");
    }
}

#[test]
fn random_notes_come_back_as_they_were() {
    let seed = seed();
    let mut random = Random::new(seed);
    for n in 0..5_000 {
        let notes: Vec<TaskNote> = (0..random.below(4)).map(|_| random.note()).collect();
        let packed = pack(&notes).unwrap();
        let again: Vec<TaskNote> = unpack(
            &packed.bytes,
            &mut Shared::default(),
            &mut StoredBlobs::of(&packed),
        )
        .unwrap_or_else(|error| panic!("seed {seed}, notes {n}: {error}"));
        let json = |notes: &Vec<TaskNote>| serde_json::to_string(notes).unwrap();
        assert_eq!(json(&again), json(&notes), "seed {seed}, notes {n}");
        assert_eq!(
            pack(&again).unwrap().bytes,
            packed.bytes,
            "seed {seed}, notes {n}"
        );
    }
}

#[test]
fn archives_have_notes_and_what_is_pending_as_they_always_had() {
    let note = r#"{"key":{"Node":0},"output":[{"State":[1,"a"]},{"Fire":1}],"asks":[],"answered":false,"answers":[1],"asked":[],"given":{},"refused":false,"error":null,"handled":true,"effects":{},"resume":null,"offset":2,"name":"call","args":7,"layout":null}"#;
    let read: TaskNote = serde_json::from_str(note).unwrap();
    assert_eq!((read.extras.offset, read.extras.args), (2, Some(7)));
    assert_eq!(serde_json::to_string(&read).unwrap(), note);
    let pending = r#"{"start":null,"fired":[1],"waiting":[2],"joins":[[3,[0]]],"sends":[],"changed":[[1,4]]}"#;
    let read: Pending = serde_json::from_str(pending).unwrap();
    assert_eq!(read.held.changed.len(), 1);
    assert_eq!(serde_json::to_string(&read).unwrap(), pending);
}

#[test]
fn a_record_with_every_field_comes_back_with_every_field() {
    let record = everything();
    let packed = packed(&record);
    let again = read(&packed.bytes, &record, &mut StoredBlobs::of(&packed)).unwrap();
    assert_eq!(text(&again), text(&record));
}

#[test]
fn an_empty_record_takes_one_byte() {
    let mut record = holding(Value::Null);
    record.changes.clear();
    (record.touched, record.last_ran) = (None, Vec::new());
    (record.last_seen, record.clock, record.paused_at) = (0, 0, 0);
    record.parents = Default::default();
    assert_eq!(packed(&record).bytes, [0x80]);
}

#[test]
fn numbers_come_back_bit_for_bit() {
    let edges = [
        0,
        1,
        127,
        128,
        255,
        256,
        65_535,
        65_536,
        i64::from(u32::MAX),
        i64::from(u32::MAX) + 1,
        i64::MAX,
    ];
    for n in edges {
        survives(&Value::Int(n));
        survives(&Value::Int(-n - 1));
    }
    survives(&Value::UInt(u64::MAX));
    survives(&Value::UInt(i64::MAX as u64 + 1));
    let floats = [
        0.0,
        -0.0,
        f64::MIN_POSITIVE,
        f64::NAN,
        -f64::NAN,
        f64::INFINITY,
        f64::from_bits(0x7ff0_0000_0000_0001),
    ];
    for n in floats {
        let record = holding(Value::Float(n));
        let again = read(&packed(&record).bytes, &record, &mut StoredBlobs::default()).unwrap();
        match held(&again) {
            Value::Float(back) => assert_eq!(back.to_bits(), n.to_bits()),
            other => panic!("{n} came back as {other}"),
        }
    }
}

#[test]
fn text_of_every_length_around_a_limit_comes_back() {
    for limit in [31, 32, 255, 256, BLOB, 65_535, 65_536] {
        for len in [limit - 1, limit, limit + 1] {
            survives(&Value::from("ä".repeat(len / 2) + &"x".repeat(len % 2)));
        }
    }
}

#[test]
fn lists_and_objects_of_every_length_around_a_limit_come_back() {
    for len in [0, 1, 15, 16, 17, 65_535, 65_536] {
        survives(&Value::list((0..len).map(Value::Int)));
        survives(&Value::map(
            (0..len).map(|n| (format!("{n:06}"), Value::Null)),
        ));
    }
}

#[test]
fn long_text_that_occurs_again_is_written_once() {
    let long: Value = "a text that is longer than a reference to it".into();
    let size = |count: usize| {
        let record = holding(Value::list((0..count).map(|_| long.clone())));
        packed(&record).bytes.len()
    };
    assert_eq!(size(2) - size(1), 6);
    assert_eq!(size(10) - size(2), 8 * 6);
    survives(&Value::list((0..10).map(|_| long.clone())));
    let name = long.as_str().unwrap();
    survives(&Value::map([(name, Value::map([(name, long.clone())]))]));
}

#[test]
fn text_of_16_kib_is_kept_apart_and_once() {
    let large: Value = "x".repeat(BLOB).into();
    let almost: Value = "x".repeat(BLOB - 1).into();
    let record = holding(Value::list([large.clone(), almost, large.clone()]));
    let kept = packed(&record);
    assert_eq!(kept.blobs.len(), 1);
    let (id, blob) = &kept.blobs[0];
    assert_eq!(Some(&**blob), large.as_str());
    assert_eq!(*id, BlobId::of(blob.as_bytes()));
    assert!(kept.bytes.len() < BLOB + 200);
    survives(&Value::list([large.clone(), large.clone()]));
    survives(&Value::map([(
        large.as_str().unwrap().to_owned(),
        Value::Null,
    )]));
}

#[test]
fn a_blob_that_is_missing_is_an_error() {
    let record = holding("x".repeat(BLOB).into());
    let error = read(&packed(&record).bytes, &record, &mut StoredBlobs::default()).unwrap_err();
    assert_eq!(error.why, "no blob");
}

#[test]
fn a_typed_cell_comes_back_as_its_json_form() {
    let cell = Value::typed(vec![("a", 1.5), ("b", -2.0)]);
    let record = holding(cell.clone());
    let again = read(&packed(&record).bytes, &record, &mut StoredBlobs::default()).unwrap();
    assert!(!matches!(held(&again), Value::Typed(_)));
    assert_eq!(held(&again), &cell);
}

fn deep(levels: usize) -> Value {
    (0..levels).fold(Value::Null, |inner, level| match level % 2 {
        0 => Value::list([inner]),
        _ => Value::map([("a", inner)]),
    })
}

/// A record with a value at every place where one can be.
fn everywhere(value: &Value) -> Record {
    let mut record = everything();
    let send = Send::new("a", value.clone());
    record.changes = vec![(ChannelIx::at(0), Change::Extend(value.clone()))];
    record.pending.sends = Arc::new(vec![send.clone()]);
    record.pending.start = Some(StartValue::Command(Box::new(Command {
        update: vec![("x".into(), value.clone())],
        goto: vec![Goto::Send(send.clone())],
        ..Command::default()
    })));
    for note in &mut record.tasks {
        note.output = Some(vec![
            Write::State(ChannelIx::at(0), value.clone()),
            Write::Send(send.clone()),
            Write::Return(value.clone()),
        ]);
        note.extras.effects = [("e".to_owned(), Effect::Done(value.clone()))].into();
        for ask in &mut note.extras.asks {
            (ask.value, ask.schema) = (value.clone(), Some(value.clone()));
        }
    }
    record
}

#[test]
fn what_is_nested_as_deeply_as_allowed_comes_back_from_everywhere() {
    let record = everywhere(&deep(MAX_DEPTH));
    let packed = packed(&record);
    let again = read(&packed.bytes, &record, &mut StoredBlobs::of(&packed)).unwrap();
    assert_eq!(pack_record(&again).unwrap().body.bytes, packed.bytes);
}

#[test]
fn what_is_nested_too_deeply_is_not_stored() {
    for value in [deep(MAX_DEPTH + 1), deep(MAX_DEPTH + 2), deep(5_000)] {
        let error = pack_record(&holding(value)).unwrap_err();
        assert!(error.why.contains("too deeply"), "{error}");
    }
    let json = (0..300).fold(serde_json::Value::Null, |inner, _| {
        serde_json::json!([inner])
    });
    let error = pack_record(&holding(Value::typed(json))).unwrap_err();
    assert!(error.why.contains("too deeply"), "{error}");
    let key = (0..=MAX_DEPTH).fold(TaskKey::Node(NodeIx::at(0)), |key, _| {
        TaskKey::Handler(Box::new(key))
    });
    let error = pack(&vec![TaskNote::new(key)]).unwrap_err();
    assert!(error.why.contains("too deeply"), "{error}");
}

#[test]
fn a_number_that_could_not_be_read_back_is_not_stored() {
    for cell in [
        Value::typed(f64::NAN),
        Value::typed(vec![Some(f32::INFINITY), None]),
    ] {
        let error = pack_record(&holding(cell)).unwrap_err();
        assert!(error.why.contains("NaN or infinity"), "{error}");
    }
    pack_record(&holding(Value::typed((1.5, Option::<f64>::None)))).unwrap();
}

#[test]
fn a_layout_comes_back_and_its_name_follows_from_it() {
    let layout = Random::new(7).layout();
    let (name, bytes) = pack_layout(&layout).unwrap();
    assert_eq!(unpack_layout(&bytes).unwrap(), layout);
    assert_eq!(pack_layout(&layout).unwrap().0, name);
    assert_ne!(pack_layout(&Default::default()).unwrap().0, name);
    assert!(unpack_layout(&bytes[1..]).is_err());
}
