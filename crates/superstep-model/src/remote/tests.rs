//! Answers damaged at random: never a panic, and never another meaning because of where the bytes
//! were cut.

use serde_json::json;

use super::{
    anthropic, openai, sse,
    stream::{Protocol, tests::decode},
};
use crate::{ModelError, Reply};

const ROUNDS: u64 = 2_000;

/// Numbers that look random and come again with the same seed.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % (limit.max(1) as u64)).unwrap_or(0)
    }
}

fn seed() -> u64 {
    let given = std::env::var("SUPERSTEP_SEED").ok();
    let seed = given
        .and_then(|text| text.parse().ok())
        .unwrap_or(20_261_115);
    println!("SUPERSTEP_SEED={seed}");
    seed
}

/// A stream with everything in it.
fn sources() -> [Vec<u8>; 2] {
    let delta = |delta: serde_json::Value| {
        let chunk = json!({"model": "m", "choices": [{"index": 0, "delta": delta}]});
        format!("data: {chunk}\n\n")
    };
    let call = json!([{"index": 0, "id": "a", "function": {"name": "x", "arguments": "{\"n\":"}}]);
    let more = json!([{"index": 0, "function": {"arguments": "\"\u{fc}\"}"}}]);
    let openai = [
        ": hi\r\n\r\n".to_owned(),
        delta(json!({"reasoning": "hm", "content": null})),
        delta(json!({"content": "gr\u{fc}\u{df} \u{1f980}"})),
        delta(json!({"tool_calls": call})),
        delta(json!({"tool_calls": more})),
        "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\r\r"
            .into(),
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1}}\n\ndata: [DONE]\n\n".into(),
    ];
    let events = [
        json!({"type": "message_start", "message": {"model": "m", "usage": {"input_tokens": 3}}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking"}}),
        json!({"type": "content_block_delta", "index": 0,
            "delta": {"type": "signature_delta", "signature": "s"}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "content_block_start", "index": 1,
            "content_block": {"type": "tool_use", "id": "t", "name": "x", "input": {}}}),
        json!({"type": "content_block_delta", "index": 1,
            "delta": {"type": "input_json_delta", "partial_json": "{\"a\":\"\u{fc}\"}"}}),
        json!({"type": "content_block_stop", "index": 1}),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"},
            "usage": {"output_tokens": 2}}),
        json!({"type": "message_stop"}),
    ];
    let anthropic: String = events
        .iter()
        .map(|event| format!("event: e\r\ndata: {event}\r\n\r\n"))
        .collect();
    [openai.concat().into_bytes(), anthropic.into_bytes()]
}

fn damaged(source: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = source.to_vec();
    for _ in 0..dice.below(6) {
        let at = dice.below(bytes.len());
        let words: [&[u8]; 8] = [
            b"\n\n", b"\r", b"data: ", b"null", b"\"", b"}", b"-1e999", b"\xf0\x9f",
        ];
        match dice.below(5) {
            0 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = dice.next() as u8;
                }
            }
            1 => bytes.truncate(at),
            2 => {
                let to = at.saturating_add(dice.below(40)).min(bytes.len());
                bytes.drain(at..to);
            }
            3 => {
                let word = words.get(dice.below(words.len())).copied();
                bytes.splice(at..at, word.unwrap_or_default().iter().copied());
            }
            _ => {
                let to = at.saturating_add(dice.below(200)).min(bytes.len());
                let copy = bytes.get(at..to).unwrap_or_default().to_vec();
                bytes.splice(at..at, copy);
            }
        }
    }
    bytes
}

fn cuts<'a>(bytes: &'a [u8], dice: &mut Dice) -> Vec<&'a [u8]> {
    let mut parts = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let size = dice.below(rest.len().min(50)).saturating_add(1);
        let (head, tail) = rest.split_at(size.min(rest.len()));
        parts.push(head);
        rest = tail;
    }
    parts
}

fn outcome(reply: Result<Reply, ModelError>) -> Result<Reply, String> {
    reply.map_err(|error| error.to_string())
}

fn same_however_cut<P: Protocol + Default>(source: &[u8], dice: &mut Dice) -> bool {
    let bytes = damaged(source, dice);
    let whole = outcome(decode(P::default(), None, [bytes.as_slice()]));
    let in_parts = outcome(decode(P::default(), None, cuts(&bytes, dice)));
    let bytewise = outcome(decode(P::default(), None, bytes.chunks(1)));
    assert_eq!(whole, in_parts, "{}", String::from_utf8_lossy(&bytes));
    assert_eq!(whole, bytewise, "{}", String::from_utf8_lossy(&bytes));
    whole.is_ok()
}

#[test]
fn damaged_answers_mean_the_same_however_they_are_cut() {
    let mut dice = Dice(seed());
    let [openai, anthropic] = sources();
    let mut good = 0;
    for _ in 0..ROUNDS {
        good += u64::from(same_however_cut::<openai::Chunks>(&openai, &mut dice));
        good += u64::from(same_however_cut::<anthropic::Events>(&anthropic, &mut dice));
    }
    // Both outcomes were met, or the damage was of no use.
    assert!(good > ROUNDS / 10 && good < ROUNDS * 2, "{good}");
}

#[test]
fn damaged_events_are_the_same_however_they_are_cut() {
    let mut dice = Dice(seed());
    let parse = |parts: &[&[u8]]| {
        let mut parser = sse::Parser::new();
        let mut events = Vec::new();
        let parsed = parts
            .iter()
            .try_for_each(|part| parser.push(part, &mut events));
        (parsed.map_err(|error| error.to_string()), events)
    };
    for _ in 0..ROUNDS {
        for source in sources() {
            let bytes = damaged(&source, &mut dice);
            let whole = parse(&[&bytes]);
            assert_eq!(parse(&cuts(&bytes, &mut dice)), whole);
        }
    }
}
