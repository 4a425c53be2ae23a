//! Bytes that nobody wrote: an error or a record, never a panic, never memory for a mere claim.

use super::{super::unpack::Unpack, *};

fn sample() -> (Record, Packed) {
    let record = everything();
    let packed = packed(&record);
    (record, packed)
}

#[test]
fn every_truncation_is_an_error() {
    let (record, packed) = sample();
    for len in 0..packed.bytes.len() {
        let cut = read(&packed.bytes[..len], &record, &mut StoredBlobs::of(&packed));
        assert!(cut.is_err(), "{len} bytes were enough");
    }
}

#[test]
fn bytes_after_the_end_are_an_error() {
    let (record, mut packed) = sample();
    packed.bytes.push(0xc0);
    let error = read(&packed.bytes, &record, &mut StoredBlobs::of(&packed)).unwrap_err();
    assert_eq!(error.why, "something follows the end");
}

#[test]
fn every_changed_byte_gives_an_error_or_a_valid_record() {
    let (record, packed) = sample();
    // What is behind a reference does not matter here, and hashing it over and over takes long.
    let short = || StoredBlobs([(packed.blobs[0].0, "short".into())].into());
    let (mut valid, mut refused) = (0, 0);
    for at in 0..packed.bytes.len() {
        for change in 1..=255 {
            let mut bytes = packed.bytes.clone();
            bytes[at] ^= change;
            let Ok(other) = read(&bytes, &record, &mut short()) else {
                refused += 1;
                continue;
            };
            valid += 1;
            // Valid means: it can be stored again and is then the same.
            let again = super::packed(&other);
            let twice = read(&again.bytes, &record, &mut StoredBlobs::of(&again)).unwrap();
            assert_eq!(text(&twice), text(&other), "byte {at} ^ {change}");
        }
    }
    assert!(valid > 0 && refused > 0, "{valid} valid, {refused} refused");
}

#[test]
fn random_bytes_never_panic() {
    let seed = seed();
    let mut random = Random::new(seed);
    let (record, packed) = sample();
    for _ in 0..50_000 {
        let len = random.below(60) as usize;
        let bytes: Vec<u8> = (0..len).map(|_| random.below(256) as u8).collect();
        let _any = read(&bytes, &record, &mut StoredBlobs::default());
        let _any: Result<Vec<TaskNote>, _> =
            unpack(&bytes, &mut Shared::default(), &mut StoredBlobs::default());
        // Pieces of something real get further.
        let mut spliced = packed.bytes.clone();
        let at = random.below(spliced.len() as u64) as usize;
        let end = (at + len).min(spliced.len());
        spliced[at..end].copy_from_slice(&bytes[..end - at]);
        let _any = read(&spliced, &record, &mut StoredBlobs::of(&packed));
    }
}

#[test]
fn a_claimed_length_reserves_no_memory() {
    let claims: [&[u8]; 5] = [
        &[0xdd, 0xff, 0xff, 0xff, 0xff],
        &[0xdf, 0xff, 0xff, 0xff, 0xff],
        &[0xdb, 0xff, 0xff, 0xff, 0xff],
        &[0xc6, 0xff, 0xff, 0xff, 0xff],
        &[0xdd, 0x00, 0xff, 0xff, 0xff],
    ];
    let record = holding(Value::Null);
    for claim in claims {
        for name in ["c", "s", "f", "w", "j", "q", "h", "t", "r", "u", "n", "?"] {
            let mut out = Pack::new();
            out.map(1);
            out.name(name);
            let mut bytes = out.finish().bytes;
            bytes.extend_from_slice(claim);
            assert!(read(&bytes, &record, &mut StoredBlobs::default()).is_err());
            // Lists in lists, each with the same claim.
            let nested: Vec<u8> = [&bytes[..], &claim.repeat(300)].concat();
            assert!(read(&nested, &record, &mut StoredBlobs::default()).is_err());
        }
        let mut names = Shared::default();
        assert!(unpack::<Value>(claim, &mut names, &mut NoBlobs).is_err());
        assert!(Unpack::new(claim, &mut names, &mut NoBlobs).pass().is_err());
    }
}

#[test]
fn nesting_without_end_is_an_error_and_not_the_end_of_the_stack() {
    let record = holding(Value::Null);
    for opening in [&[0x91_u8][..], &[0x81, 0xa1, b'a'], &[0x92, 1]] {
        for name in ["s", "c", "n", "?"] {
            let mut out = Pack::new();
            out.map(1);
            out.name(name);
            let mut bytes = out.finish().bytes;
            bytes.extend(opening.repeat(1_000_000));
            let error = read(&bytes, &record, &mut StoredBlobs::default()).unwrap_err();
            assert!(!error.why.is_empty());
        }
        let value: Result<Value, _> = unpack(
            &opening.repeat(1_000_000),
            &mut Shared::default(),
            &mut NoBlobs,
        );
        assert!(value.is_err());
    }
}

/// The packed form of a record with a field added.
fn with_field(record: &Record, name: &str, write: impl FnOnce(&mut Pack)) -> Vec<u8> {
    let bytes = packed(record).bytes;
    let mut out = Pack::new();
    out.name(name);
    write(&mut out);
    let mut longer = vec![bytes[0] + 1];
    longer.extend(&bytes[1..]);
    longer.extend(out.finish().bytes);
    longer
}

#[test]
fn unknown_fields_are_skipped_whatever_they_hold() {
    let record = holding(Value::Int(5));
    let fillings: [fn(&mut Pack); 6] = [
        |out| out.nil(),
        |out| out.text("a text that is longer than thirty-one bytes"),
        |out| out.bin(&[1; 300]),
        |out| {
            out.list(2);
            out.map(1);
            out.text("a");
            out.float(1.5);
            out.int(-70_000);
        },
        |out| {
            out.list(2);
            out.text("a text that is longer than thirty-one bytes");
            out.text("a text that is longer than thirty-one bytes");
        },
        |out| out.map(0),
    ];
    for fill in fillings {
        let bytes = with_field(&record, "later", fill);
        let again = read(&bytes, &record, &mut StoredBlobs::default()).unwrap();
        assert_eq!(text(&again), text(&record));
    }
}

#[test]
fn unknown_fields_of_a_command_and_of_a_note_are_skipped_too() {
    let mut record = holding(Value::Null);
    record.changes.clear();
    let bytes = with_field(&record, "s", |out| {
        out.map(2);
        out.name("later");
        out.list(0);
        out.name("p");
        out.bool(false);
    });
    let again = read(&bytes, &record, &mut StoredBlobs::default()).unwrap();
    assert_eq!(
        again.pending.start,
        Some(StartValue::Command(Box::default()))
    );
    let mut out = Pack::new();
    out.list(1);
    out.map(2);
    out.name("k");
    out.nil();
    out.name("later");
    out.bool(true);
    let notes: Vec<TaskNote> = unpack(
        &out.finish().bytes,
        &mut Shared::default(),
        &mut StoredBlobs::default(),
    )
    .unwrap();
    assert_eq!(notes, [TaskNote::new(TaskKey::Input)]);
}

#[test]
fn text_in_a_skipped_field_can_be_referred_to_later() {
    let long = "a text that is longer than thirty-one bytes";
    let mut out = Pack::new();
    out.map(2);
    out.name("later");
    out.text(long);
    out.name("c");
    out.list(1);
    out.list(2);
    out.uint(0);
    out.text(long);
    let record = holding(Value::Null);
    let again = read(&out.finish().bytes, &record, &mut StoredBlobs::default()).unwrap();
    assert_eq!(held(&again).as_str(), Some(long));
}

#[test]
fn unknown_variants_are_refused() {
    let record = {
        let mut record = holding(Value::Null);
        record.changes.clear();
        record
    };
    let one = |name: &'static str, write: fn(&mut Pack)| with_field(&record, name, write);
    let refused = [
        // A change, a start, a join, a goto of a kind that is not there.
        one("c", |out| {
            out.list(1);
            out.list(4);
            (0..4).for_each(|_| out.uint(0));
        }),
        one("s", |out| out.uint(1)),
        one("j", |out| {
            out.list(1);
            out.list(0);
        }),
        one("h", |out| {
            out.list(1);
            out.uint(1);
        }),
        one("s", |out| {
            out.map(1);
            out.name("g");
            out.list(1);
            out.bool(true);
        }),
        // Bytes are no value; extensions are closed.
        one("s", |out| {
            out.list(1);
            out.bin(&[1]);
        }),
    ];
    for bytes in refused {
        assert!(read(&bytes, &record, &mut StoredBlobs::default()).is_err());
    }
    let notes: [fn(&mut Pack); 7] = [
        |out| {
            out.name("k");
            out.list(2);
            out.uint(9);
            out.uint(0);
        },
        |out| {
            out.name("k");
            out.text("a");
        },
        |out| {
            out.name("o");
            out.list(1);
            out.list(5);
        },
        |out| {
            out.name("f");
            out.map(1);
            out.text("e");
            out.bool(true);
        },
        |out| {
            out.name("r");
            out.bool(true);
        },
        |out| {
            out.name("e");
            out.map(1);
            out.name("l");
            out.uint(2);
        },
        |out| {
            out.name("q");
            out.list(1);
            out.map(0);
        },
    ];
    for write in notes {
        let mut out = Pack::new();
        out.list(1);
        out.map(2);
        out.name("k");
        out.nil();
        write(&mut out);
        let bytes = out.finish().bytes;
        let notes: Result<Vec<TaskNote>, _> =
            unpack(&bytes, &mut Shared::default(), &mut StoredBlobs::default());
        assert!(notes.is_err(), "{bytes:x?}");
    }
}

#[test]
fn a_note_of_no_task_is_refused() {
    let error = unpack::<Vec<TaskNote>>(&[0x91, 0x80], &mut Shared::default(), &mut NoBlobs);
    assert_eq!(error.unwrap_err().why, "a note of no task");
}

#[test]
fn references_to_nothing_are_refused() {
    for reference in [
        &[0xd6_u8, 1, 0, 0, 0, 0][..],
        &[0xd6, 1, 0xff, 0xff, 0xff, 0xff],
        &[0xd6, 9, 0, 0, 0, 0],
        &[0xc1],
    ] {
        let value: Result<Value, _> = unpack(reference, &mut Shared::default(), &mut NoBlobs);
        assert!(value.is_err());
    }
}
