//! Reads protocol buffers back, written from the definition of OTLP and not from the encoder.

use std::collections::BTreeMap;

/// A field of a message.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Field {
    Number(u64),
    Bytes(Vec<u8>),
}

/// A message: fields by number, each with all it has.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Message(pub(crate) BTreeMap<u64, Vec<Field>>);

impl Message {
    pub(crate) fn read(mut bytes: &[u8]) -> Self {
        let mut fields: BTreeMap<u64, Vec<Field>> = BTreeMap::new();
        while !bytes.is_empty() {
            let tag = varint(&mut bytes);
            let field = match tag & 7 {
                0 => Field::Number(varint(&mut bytes)),
                1 => {
                    let (number, rest) = bytes.split_at(8);
                    bytes = rest;
                    Field::Number(u64::from_le_bytes(number.try_into().unwrap()))
                }
                2 => {
                    let length = varint(&mut bytes) as usize;
                    let (inner, rest) = bytes.split_at(length);
                    bytes = rest;
                    Field::Bytes(inner.to_vec())
                }
                wire => panic!("wire type {wire}"),
            };
            fields.entry(tag >> 3).or_default().push(field);
        }
        Self(fields)
    }

    pub(crate) fn all(&self, field: u64) -> Vec<Message> {
        let all = self.0.get(&field).into_iter().flatten();
        all.map(|field| match field {
            Field::Bytes(bytes) => Self::read(bytes),
            Field::Number(_) => panic!("a number is no message"),
        })
        .collect()
    }

    pub(crate) fn one(&self, field: u64) -> Message {
        self.all(field).remove(0)
    }

    pub(crate) fn bytes(&self, field: u64) -> Option<Vec<u8>> {
        match self.0.get(&field)?.first()? {
            Field::Bytes(bytes) => Some(bytes.clone()),
            Field::Number(_) => None,
        }
    }

    pub(crate) fn text(&self, field: u64) -> Option<String> {
        String::from_utf8(self.bytes(field)?).ok()
    }

    pub(crate) fn number(&self, field: u64) -> Option<u64> {
        match self.0.get(&field)?.first()? {
            Field::Number(number) => Some(*number),
            Field::Bytes(_) => None,
        }
    }
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let (mut value, mut shift) = (0, 0);
    loop {
        let (byte, rest) = bytes.split_first().unwrap();
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return value;
        }
        shift += 7;
    }
}

/// A span as a collector sees it.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) trace: Vec<u8>,
    pub(crate) id: Vec<u8>,
    pub(crate) parent: Option<Vec<u8>>,
    pub(crate) name: String,
    pub(crate) kind: u64,
    pub(crate) started: u64,
    pub(crate) ended: u64,
    pub(crate) attributes: BTreeMap<String, String>,
    /// Names of events and what they say.
    pub(crate) events: Vec<(String, BTreeMap<String, String>)>,
    pub(crate) links: Vec<(Vec<u8>, Vec<u8>)>,
    pub(crate) state: u64,
}

/// The spans of a request, and what it says of who sent it.
pub(crate) fn spans(request: &[u8]) -> (Vec<Seen>, BTreeMap<String, String>) {
    let resource_spans = Message::read(request).one(1);
    let resource = attributes(&resource_spans.one(1), 1);
    let scope_spans = resource_spans.one(2);
    let spans = scope_spans.all(2);
    let spans = spans.iter().map(|span| Seen {
        trace: span.bytes(1).unwrap(),
        id: span.bytes(2).unwrap(),
        parent: span.bytes(4),
        name: span.text(5).unwrap(),
        kind: span.number(6).unwrap(),
        started: span.number(7).unwrap(),
        ended: span.number(8).unwrap(),
        attributes: attributes(span, 9),
        events: span
            .all(11)
            .iter()
            .map(|event| (event.text(2).unwrap(), attributes(event, 3)))
            .collect(),
        links: span
            .all(13)
            .iter()
            .map(|link| (link.bytes(1).unwrap(), link.bytes(2).unwrap()))
            .collect(),
        state: span.one(15).number(3).unwrap(),
    });
    (spans.collect(), resource)
}

fn attributes(message: &Message, field: u64) -> BTreeMap<String, String> {
    let pairs = message.all(field);
    let read = pairs
        .iter()
        .map(|pair| (pair.text(1).unwrap(), value(&pair.one(2))));
    read.collect()
}

fn value(any: &Message) -> String {
    if let Some(text) = any.text(1) {
        return text;
    }
    if let Some(number) = any.number(3) {
        return (number as i64).to_string();
    }
    if let Some(bits) = any.number(4) {
        return f64::from_bits(bits).to_string();
    }
    let items: Vec<String> = any.one(5).all(1).iter().map(value).collect();
    format!("[{}]", items.join(","))
}
