//! Encoding of namespaces: each label in UTF-8, ended by a zero byte.
//!
//! No label has a zero byte or is empty, so the encoding is unique, the order of the bytes is the
//! order of labels, and the namespaces under a prefix are one range.

use rusqlite::{Row, types::FromSqlError};
use superstep_store::{Namespace, NamespaceError};
use xxhash_rust::xxh3::xxh3_64;

use super::error::TransactionError;
use crate::item_place::END;
pub(super) use crate::item_place::written;

/// Checksum of the labels.
pub(super) fn sum(bytes: &[u8]) -> i64 {
    xxh3_64(bytes) as i64
}

/// The namespace whose number, labels and sum are in the columns from this one on.
pub(super) fn in_row(row: &Row<'_>, first: usize) -> Result<Namespace, TransactionError> {
    let number: i64 = row.get(first)?;
    let read = || {
        let bytes = row.get_ref(first + 1)?.as_blob()?;
        match row.get::<_, i64>(first + 2)? == sum(bytes) {
            true => read(bytes),
            false => Err(Unreadable::Sum),
        }
    };
    read().map_err(|error| TransactionError::damaged_namespace(number, error))
}

/// The half-open range of encodings that begin with the labels; `None` if that is all of them.
pub(super) fn range(labels: &[String]) -> Option<(Vec<u8>, Vec<u8>)> {
    let from = written(labels);
    let mut to = from.clone();
    *to.last_mut()? = AFTER_END;
    Some((from, to))
}

#[derive(Debug, thiserror::Error)]
enum Unreadable {
    #[error("the last label is not ended")]
    Unended,
    #[error("a label is not text")]
    Text(#[from] std::str::Utf8Error),
    #[error("the checksum does not fit")]
    Sum,
    #[error(transparent)]
    Column(#[from] rusqlite::Error),
    #[error(transparent)]
    Type(#[from] FromSqlError),
    #[error(transparent)]
    Labels(#[from] NamespaceError),
}

const AFTER_END: u8 = END + 1;

/// The namespace that was written.
fn read(bytes: &[u8]) -> Result<Namespace, Unreadable> {
    let Some((&END, labels)) = bytes.split_last() else {
        return Err(Unreadable::Unended);
    };
    let labels: Result<Vec<&str>, _> = labels.split(|byte| *byte == END).map(text).collect();
    Ok(Namespace::new(labels?)?)
}

fn text(label: &[u8]) -> Result<&str, std::str::Utf8Error> {
    std::str::from_utf8(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: [&[&str]; 14] = [
        &["a"],
        &["a", "b"],
        &["a", "b", "c"],
        &["ab"],
        &["a\u{1}"],
        &["a\u{1}b"],
        &["a", "\u{1}"],
        &["a!"],
        &["a", "b!"],
        &["%"],
        &["_"],
        &["'"],
        &["\u{10ffff}"],
        &["日本", "語"],
    ];

    fn all() -> Vec<Namespace> {
        let namespaces = HOSTILE.iter().map(|labels| labels.iter().copied());
        namespaces
            .map(|labels| Namespace::new(labels).unwrap())
            .collect()
    }

    #[test]
    fn a_namespace_is_read_as_it_was_written() {
        for namespace in all() {
            assert_eq!(read(&written(namespace.labels())).unwrap(), namespace);
        }
    }

    #[test]
    fn the_order_of_bytes_is_the_order_of_labels() {
        for left in all() {
            for right in all() {
                assert_eq!(
                    written(left.labels()).cmp(&written(right.labels())),
                    left.cmp(&right),
                    "{left:?} {right:?}"
                );
            }
        }
    }

    #[test]
    fn a_range_holds_what_is_under_the_labels_and_nothing_else() {
        for prefix in all() {
            let (from, to) = range(prefix.labels()).unwrap();
            for namespace in all() {
                let bytes = written(namespace.labels());
                assert_eq!(
                    from <= bytes && bytes < to,
                    namespace.labels().starts_with(prefix.labels()),
                    "{prefix:?} {namespace:?}"
                );
            }
        }
    }

    #[test]
    fn without_labels_there_is_no_range() {
        assert_eq!(range(&[]), None);
    }

    #[test]
    fn what_was_not_written_is_refused() {
        let damaged: [&[u8]; 6] = [b"", b"a", b"a\0b", b"\0", b"a\0\0", b"\xff\0"];
        for bytes in damaged {
            assert!(read(bytes).is_err(), "{bytes:?}");
        }
    }
}
