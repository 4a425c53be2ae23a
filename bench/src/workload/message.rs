//! Messages of about 500 bytes whose texts are unlike each other, so that nothing compresses well.

use std::sync::{
    OnceLock,
    atomic::{AtomicUsize, Ordering},
};

use superstep_core::value::Value;

const LEN: usize = 460;
const COUNT: usize = 1100;

/// The next text, of 460 characters.
pub(super) fn text() -> &'static str {
    static ALL: OnceLock<String> = OnceLock::new();
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let all = ALL.get_or_init(|| letters(LEN * COUNT));
    let start = NEXT.fetch_add(1, Ordering::Relaxed) % COUNT * LEN;
    all.get(start..start + LEN).unwrap_or_default()
}

/// A message of a model, with an id of its own.
pub(super) fn message(text: &str) -> Value {
    Value::map([
        ("type", "ai".into()),
        ("content", text.into()),
        ("id", id().into()),
    ])
}

/// The next id.
pub(super) fn id() -> String {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    format!("{:032x}", NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Letters from a linear congruential generator: cheap, repeatable, not periodic in practice.
fn letters(count: usize) -> String {
    let mut state = 1_u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        char::from(b' ' + (state >> 58) as u8)
    };
    (0..count).map(|_| next()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_differ_and_are_of_one_length() {
        let (first, second) = (text(), text());
        assert_eq!((first.len(), second.len()), (LEN, LEN));
        assert_ne!(first, second);
    }
}
