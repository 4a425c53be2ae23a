//! What a line of an archive takes in memory once it is read, estimated from its text.
//!
//! A few bytes of JSON become much more: `[],` is three bytes in a file, and about a hundred as a
//! value in a list. An archive may come from anywhere, so this is known before a line is parsed.

/// The memory that all that is read from an archive may take, as estimated here: 2 GiB.
pub const MAX_MEMORY: usize = 1 << 31;

/// A value in a list that has room to grow, and what it points to.
const VALUE: usize = 64;

/// What a text takes besides its bytes.
const TEXT: usize = 32;

/// The brackets of a line, and the memory it takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Weight {
    /// How deep brackets are nested.
    pub(super) depth: usize,
    /// Bytes of memory.
    pub(super) memory: usize,
}

impl Weight {
    pub(super) fn of(json: &[u8]) -> Self {
        let (mut depth, mut weight) = (0_usize, Self::default());
        let (mut quoted, mut escaped) = (false, false);
        for byte in json {
            weight.memory += 1;
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => {
                    quoted = !quoted;
                    weight.memory += if quoted { TEXT } else { 0 };
                }
                _ if quoted => {}
                b'{' | b'[' => {
                    depth += 1;
                    weight.memory += VALUE;
                }
                b',' | b':' => weight.memory += VALUE,
                b'}' | b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            weight.depth = weight.depth.max(depth);
        }
        weight
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_and_commas_of_texts_weigh_what_texts_weigh() {
        let text = Weight::of(br#""[{,:\"[""#);
        assert_eq!((text.depth, text.memory), (0, 9 + TEXT));
        let list = Weight::of(b"[[],[]]");
        assert_eq!((list.depth, list.memory), (2, 7 + 4 * VALUE));
    }
}
