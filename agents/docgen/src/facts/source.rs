//! The text of a file, read again: what a line says is not part of the facts.
//!
//! It is taken only if its hash is the one in the facts, so that nothing is compared with a text that nobody scanned.

use std::path::Path;

use superstep::fs::{is_secret_name, read_regular};
use xxhash_rust::xxh3::xxh3_128;

use super::File;

/// The largest text: as large as a manifest may be.
const LARGEST: u64 = 16 << 20;

/// The lines of a file.
pub(crate) struct Source(Vec<Box<str>>);

/// The bytes of a file of the facts; nothing if it is no text, may hold secrets, or is not below the root any more.
pub(crate) fn readable(root: &Path, file: &File, most: u64) -> Option<Vec<u8>> {
    if is_secret_name(&file.path) || file.lines == 0 {
        return None;
    }
    let real = std::fs::canonicalize(root.join(&file.path)).ok()?;
    let root = std::fs::canonicalize(root).ok()?;
    // Nothing on the way may lead out of the folder.
    if !real.starts_with(&root) {
        return None;
    }
    read_regular(&real, most).ok()
}

/// The text of a file below a root; nothing if it may not be read, or changed.
pub(super) fn source(root: &Path, file: &File) -> Option<Source> {
    let bytes = readable(root, file, LARGEST)?;
    if format!("{:032x}", xxh3_128(&bytes)) != file.hash {
        return None;
    }
    let text = String::from_utf8(bytes).ok()?;
    Some(Source(text.lines().map(Box::from).collect()))
}

impl Source {
    /// Whether a name is a word of one of these lines, from 1.
    pub(crate) fn has(&self, name: &str, first: u32, last: u32) -> bool {
        let number = |line: u32| usize::try_from(line).unwrap_or(usize::MAX);
        let before = number(first.max(1)) - 1;
        let count = number(last).saturating_sub(before);
        let mut lines = self.0.iter().skip(before).take(count);
        lines.any(|line| has_word(line, name))
    }

    /// Its lines.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|line| &**line)
    }

    /// Whether a name is a word of a line that imports something.
    pub(crate) fn imports(&self, name: &str) -> bool {
        const BEGINNINGS: [&str; 7] = [
            "import ", "from ", "use ", "pub use ", "extern ", "#include", "require",
        ];
        const CALLS: [&str; 2] = ["require(", "import("];
        self.0.iter().any(|line| {
            let start = line.trim_start();
            let is_import = BEGINNINGS.iter().any(|it| start.starts_with(it))
                || CALLS.iter().any(|it| start.contains(it));
            is_import && has_word(line, name)
        })
    }
}

/// Whether a text has a name as a word of its own.
pub(crate) fn has_word(text: &str, name: &str) -> bool {
    let is_sign = |c: char| c.is_alphanumeric() || c == '_';
    !name.is_empty()
        && text.match_indices(name).any(|(at, found)| {
            let before = text.get(..at).unwrap_or_default();
            let after = text.get(at + found.len()..).unwrap_or_default();
            !before.ends_with(is_sign) && !after.starts_with(is_sign)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_within_another_is_no_word() {
        for (text, is_one) in [
            ("app.listen(3)", true),
            ("listener", false),
            ("re_listen()", false),
            ("relisten listen", true),
            ("", false),
        ] {
            assert_eq!(has_word(text, "listen"), is_one, "{text}");
        }
        assert!(!has_word("text", ""));
    }
}
