//! Taking apart and putting together again.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};

use super::{read::text_head, *};

fn encode(json: &Json, out: &mut Vec<u8>) {
    match json {
        Json::Null => out.push(0xc0),
        Json::Bool(b) => out.push(if *b { 0xc3 } else { 0xc2 }),
        Json::Number(n) => {
            out.push(0xcb);
            out.extend(n.as_f64().unwrap().to_be_bytes());
        }
        Json::String(text) => {
            text_head(out, text.len());
            out.extend_from_slice(text.as_bytes());
        }
        Json::Array(items) => {
            read::list_head(out, items.len());
            items.iter().for_each(|item| encode(item, out));
        }
        Json::Object(map) => {
            out.push(0xde);
            out.extend((map.len() as u16).to_be_bytes());
            for (key, value) in map {
                encode(&json!(key), out);
                encode(value, out);
            }
        }
    }
}

fn bytes(json: &Json) -> Vec<u8> {
    let mut out = Vec::new();
    encode(json, &mut out);
    out
}

/// Keeps parts as a saver does.
#[derive(Default)]
struct StoredParts(HashMap<BlobId, Part>);

impl StoredParts {
    /// Stores something, and says how many bytes are new.
    fn store(&mut self, json: &Json) -> (Split, usize) {
        let split = split(&bytes(json), &ByHash).unwrap();
        let mut new = split.bytes.len();
        for (id, part) in &split.parts {
            assert!(ByHash.fits(&part.bytes, *id));
            if self.0.insert(*id, part.clone()).is_none() {
                new += part.bytes.len();
            }
        }
        (split, new)
    }

    fn fetch(&self) -> impl FnMut(BlobId) -> Result<Arc<[u8]>, String> {
        |id| match self.0.get(&id) {
            Some(part) => Ok(part.bytes.clone()),
            None => Err("no such part".to_owned()),
        }
    }

    fn join(&self, bytes: &[u8]) -> Result<Vec<u8>, CodecError> {
        join(bytes, &mut self.fetch())
    }
}

fn message(n: usize, bytes: usize) -> Json {
    let text: String = format!("{n} ").repeat(bytes).chars().take(bytes).collect();
    json!({ "role": "user", "content": text })
}

/// A call of a model after so many messages.
fn call(messages: usize, each: usize) -> Json {
    let messages: Vec<Json> = (0..messages).map(|n| message(n, each)).collect();
    json!([null, { "span": { "inputs": { "messages": messages, "tools": [] } } }, 7])
}

#[test]
fn what_was_taken_apart_is_put_together_as_it_was() {
    let deep = (0..200).fold(json!("x".repeat(2000)), |inner, _| json!([inner]));
    let wide: Vec<Json> = (0..70_000).map(|n| json!(n % 7)).collect();
    let object: serde_json::Map<String, Json> =
        (0..500).map(|n| (format!("key {n}"), json!(n))).collect();
    let same: Vec<Json> = (0..500).map(|_| json!("the same item again")).collect();
    let values = [
        json!(null),
        json!("short"),
        json!(["x".repeat(TEXT - 1), "x".repeat(TEXT), "ü".repeat(BLOB)]),
        json!([{ "a": deep }, deep]),
        json!({ "wide": wide }),
        json!([object, { "again": object }]),
        json!([{ "same": same }]),
        call(0, 1),
        call(1, 5000),
        call(2000, 20),
        call(500, 700),
    ];
    let mut kept = StoredParts::default();
    for value in &values {
        let (split, _) = kept.store(value);
        assert_eq!(kept.join(&split.bytes).unwrap(), bytes(value));
    }
}

#[test]
fn small_data_stays_as_it_is() {
    let small = bytes(&call(3, 100));
    let split = split(&small, &ByHash).unwrap();
    assert_eq!((split.bytes, split.parts.len()), (small, 0));
}

#[test]
fn a_message_that_is_added_to_a_long_list_costs_what_it_costs_in_a_short_one() {
    for each in [20, 100, 500] {
        let mut kept = StoredParts::default();
        // The mean of twenty turns, in a conversation that was logged up to there.
        let mut grows = |from: usize| {
            kept.store(&call(from, each));
            let new = (1..=20).map(|n| kept.store(&call(from + n, each)).1);
            new.sum::<usize>() / 20
        };
        let (early, late) = (grows(20), grows(1000));
        assert!(
            late < early + 700,
            "messages of {each} bytes: {early} bytes at first, {late} at last"
        );
    }
}

#[test]
fn lists_that_differ_in_one_place_share_the_rest() {
    let mut kept = StoredParts::default();
    let messages: Vec<Json> = (0..1000).map(|n| message(n, 60)).collect();
    kept.store(&json!([messages]));
    let mut first = messages.clone();
    first[0] = json!("something else");
    let mut gone = messages.clone();
    gone.remove(1);
    for changed in [first, gone] {
        let (_, new) = kept.store(&json!([changed]));
        assert!(new < 6000, "{new} new bytes");
    }
}

#[test]
fn long_text_is_the_blob_that_a_record_has() {
    let text = "a document\n".repeat(2000);
    let split = split(&bytes(&json!([text])), &ByHash).unwrap();
    let id = BlobId::of(text.as_bytes());
    assert_eq!(split.refers, [id]);
    assert_eq!(&*split.parts[&id].bytes, text.as_bytes());
}

#[test]
fn all_parts_are_reached_and_each_says_which_it_refers_to() {
    let mut kept = StoredParts::default();
    let (split, _) = kept.store(&call(400, 300));
    let mut found = BTreeSet::new();
    reach(&split.bytes, &mut kept.fetch(), &mut found).unwrap();
    assert_eq!(found, split.parts.keys().copied().collect());
    let mut walked: BTreeSet<BlobId> = BTreeSet::new();
    let mut left = split.refers.clone();
    while let Some(id) = left.pop() {
        if walked.insert(id) {
            left.extend(&split.parts[&id].refers);
        }
    }
    assert_eq!(walked, found);
}

#[test]
fn parts_that_are_missing_or_of_another_kind_are_refused() {
    let mut kept = StoredParts::default();
    let (split, _) = kept.store(&call(400, 300));
    for (id, part) in &split.parts {
        let mut damaged = StoredParts(kept.0.clone());
        damaged.0.remove(id);
        assert!(damaged.join(&split.bytes).is_err());
        if std::str::from_utf8(&part.bytes).is_ok() {
            continue;
        }
        let text = Part {
            bytes: b"plain text"[..].into(),
            refers: Vec::new(),
        };
        damaged.0.insert(*id, text);
        assert!(damaged.join(&split.bytes).is_err());
    }
}

#[test]
fn parts_that_double_again_and_again_are_refused_before_they_fill_the_memory() {
    let part = |bytes: Vec<u8>| Part {
        bytes: bytes.into(),
        refers: Vec::new(),
    };
    for kind in [PART, RUN] {
        let mut kept = StoredParts::default();
        kept.0.insert(BlobId(0), part(bytes(&json!(["x"]))));
        for n in 1..=100_u128 {
            let twice = || Piece::reference(kind, BlobId(n - 1));
            let list = Piece::list(vec![twice(), twice()]);
            kept.0.insert(BlobId(n), part(list.bytes));
        }
        for depth in [28, 100] {
            let list = Piece::list(vec![Piece::reference(kind, BlobId(depth))]);
            let joined = join::join_within(&list.bytes, &mut kept.fetch(), 1 << 16);
            assert!(joined.is_err(), "{depth}");
        }
    }
    // One that holds itself.
    for kind in [PART, RUN] {
        let mut kept = StoredParts::default();
        let list = Piece::list(vec![Piece::reference(kind, BlobId(1))]);
        kept.0.insert(BlobId(1), part(list.bytes.clone()));
        assert!(kept.join(&list.bytes).is_err());
        let mut found = BTreeSet::new();
        reach(&list.bytes, &mut kept.fetch(), &mut found).unwrap();
        assert_eq!(found.len(), 1);
    }
}

#[test]
fn bytes_that_are_cut_or_flipped_never_panic() {
    let mut kept = StoredParts::default();
    let (split, _) = kept.store(&call(60, 300));
    for at in 0..split.bytes.len() {
        let _refused = kept.join(&split.bytes[..at]).is_err();
        for bit in 0..8 {
            let mut flipped = split.bytes.clone();
            flipped[at] ^= 1 << bit;
            let _either = kept.join(&flipped);
            let _either = super::split(&flipped, &ByHash);
        }
    }
}
