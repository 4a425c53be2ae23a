//! Associated data of values and vectors of the long-term store: sealed for one row, they open in no other.
//!
//! A place covers the other columns of the row, so a row whose key, labels or times were altered does
//! not open either. Only the expiry is left out, since reading moves it.

use superstep_core::codec::envelope::Address;
use superstep_store::{Namespace, UnixMillis};

/// The other columns of a value.
pub(crate) struct ValueAt<'a> {
    pub(crate) namespace: &'a Namespace,
    pub(crate) key: &'a str,
    pub(crate) created_at: UnixMillis,
    pub(crate) updated_at: UnixMillis,
    pub(crate) ttl: Option<i64>,
}

/// The other columns of a vector.
pub(crate) struct VectorAt<'a> {
    pub(crate) namespace: &'a Namespace,
    pub(crate) key: &'a str,
    pub(crate) model: &'a str,
    pub(crate) position: i64,
    pub(crate) path: &'a str,
}

/// The place of a value.
pub(crate) fn value(at: ValueAt<'_>) -> Address {
    let mut text = item(b'i', at.namespace, at.key);
    // No TTL is negative.
    let numbers = [at.created_at, at.updated_at, at.ttl.unwrap_or(-1)];
    text.extend(numbers.map(i64::to_be_bytes).as_flattened());
    Address::of(text)
}

/// The place of a vector.
pub(crate) fn vector(at: VectorAt<'_>) -> Address {
    let mut text = item(b'v', at.namespace, at.key);
    let numbers = [at.position, at.model.len() as i64];
    text.extend(numbers.map(i64::to_be_bytes).as_flattened());
    text.extend_from_slice(at.model.as_bytes());
    text.extend_from_slice(at.path.as_bytes());
    Address::of(text)
}

/// The bytes of a namespace or of the beginning of one.
pub(crate) fn written(labels: &[String]) -> Vec<u8> {
    let length = labels.iter().map(|label| label.len() + 1).sum();
    let mut bytes = Vec::with_capacity(length);
    for label in labels {
        bytes.extend_from_slice(label.as_bytes());
        bytes.push(END);
    }
    bytes
}

/// What ends a label.
pub(crate) const END: u8 = 0;

/// Labels are not empty, and neither they nor a key have a zero byte: no two items read alike.
fn item(part: u8, namespace: &Namespace, key: &str) -> Vec<u8> {
    let mut text = vec![part];
    text.extend(written(namespace.labels()));
    text.push(0);
    text.extend_from_slice(key.as_bytes());
    text.push(0);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at<'a>(namespace: &'a Namespace, key: &'a str) -> ValueAt<'a> {
        ValueAt {
            namespace,
            key,
            created_at: 1,
            updated_at: 2,
            ttl: None,
        }
    }

    #[test]
    fn every_part_of_a_place_counts() {
        let (ab, a) = (
            Namespace::new(["a", "b"]).unwrap(),
            Namespace::new(["a"]).unwrap(),
        );
        let mut places = vec![
            value(at(&ab, "c")),
            value(at(&a, "c")),
            value(at(&a, "b")),
            value(ValueAt {
                created_at: 2,
                ..at(&a, "c")
            }),
            value(ValueAt {
                updated_at: 1,
                ..at(&a, "c")
            }),
            value(ValueAt {
                ttl: Some(0),
                ..at(&a, "c")
            }),
        ];
        let vectors = [("m", 0, "p"), ("m", 1, "p"), ("mp", 0, ""), ("m", 0, "q")];
        places.extend(vectors.map(|(model, position, path)| {
            vector(VectorAt {
                namespace: &a,
                key: "c",
                model,
                position,
                path,
            })
        }));
        for (number, place) in places.iter().enumerate() {
            assert!(!places.iter().skip(number + 1).any(|other| other == place));
        }
    }
}
