//! One file, read once: its lines, its hash, marks, symbols and imports.

use std::path::Path;

use superstep::fs::read_regular;
use xxhash_rust::xxh3::xxh3_128;

use superstep::fs::is_secret_name;

use super::{File, Language, Mark, order::Limits, uses::Uses, walk::SourceFile};

/// The most marks of a file that are kept.
const MOST_MARKS: usize = 200;

/// Words that mark a line where something is left to do, in pieces: this line is none.
const MARKS: [&str; 4] = [
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    "HACK",
    concat!("X", "XX"),
];

/// The longest text of a mark.
const LONGEST_MARK: usize = 160;

/// A line longer than this was not written by a person.
const LONGEST_LINE: usize = 20_000;

/// What has no lines.
const NO_TEXT: &str = "no text";

/// A file, its text where it is wanted later, and why it was not read, if it was not.
pub(super) struct Read {
    pub(super) file: File,
    /// The text of a manifest or a lock file.
    pub(super) text: Option<String>,
    pub(super) why: Option<&'static str>,
    pub(super) uses: Uses,
}

/// Reads a file. `keep` says whether its text is wanted later.
pub(super) fn read(found: &SourceFile, limits: &Limits, keep: bool) -> Read {
    let mut file = File {
        path: found.name.clone(),
        language: Language::of(&found.name),
        bytes: found.bytes,
        test: is_test(&found.name),
        hash: format!("size-{}", found.bytes),
        ..File::default()
    };
    if is_secret_name(&found.name) {
        return unread(file, "may hold secrets");
    }
    let most = match keep {
        true => limits.manifest_bytes,
        false => limits.file_bytes,
    };
    if found.bytes > most {
        return unread(file, "too large");
    }
    let Ok(bytes) = open(&found.path, most) else {
        return unread(file, "unreadable");
    };
    file.bytes = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    file.hash = format!("{:032x}", xxh3_128(&bytes));
    if bytes.contains(&0) {
        return unread(file, NO_TEXT);
    }
    let Ok(text) = String::from_utf8(bytes) else {
        return unread(file, "no text in UTF-8");
    };
    let mut longest = 0;
    for (line, number) in text.lines().zip(1_u32..) {
        file.lines = number;
        longest = longest.max(line.len());
        if file.language.is_code() && file.marks.len() < MOST_MARKS && line.len() < LONGEST_LINE {
            file.marks.extend(mark(line, number));
        }
    }
    if longest > LONGEST_LINE && file.language.is_code() {
        return unread(file, "generated: a line is too long");
    }
    #[cfg(feature = "syntax")]
    let uses = super::syntax::read(&text, &mut file);
    #[cfg(not(feature = "syntax"))]
    let uses = Uses::default();
    Read {
        file,
        text: keep.then_some(text),
        why: None,
        uses,
    }
}

fn unread(mut file: File, why: &'static str) -> Read {
    file.uncounted = file.lines == 0 && why != NO_TEXT;
    Read {
        file,
        text: None,
        why: Some(why),
        uses: Uses::default(),
    }
}

fn open(path: &Path, most: u64) -> std::io::Result<Vec<u8>> {
    // A link that took the place of the file since it was found is not followed.
    if !std::fs::symlink_metadata(path)?.is_file() {
        return Err(std::io::ErrorKind::InvalidInput.into());
    }
    read_regular(path, most)
}

fn mark(line: &str, number: u32) -> Option<Mark> {
    let word = MARKS.into_iter().find(|word| {
        let Some((before, after)) = line.split_once(word) else {
            return false;
        };
        let is_letter = |c: char| c.is_alphanumeric() || c == '_';
        let is_apart = !before.ends_with(is_letter) && !after.starts_with(is_letter);
        let is_remark = ["//", "#", "/*", "*", "--", "<!--"];
        is_apart && is_remark.iter().any(|sign| before.contains(sign))
    })?;
    let text = line.split_once(word).map_or("", |(_, text)| text);
    let text = text
        .trim_start_matches([':', ' ', '('])
        .trim_end_matches(['*', '/', ' ']);
    Some(Mark {
        word: word.to_owned(),
        line: number,
        text: crate::inert::line(text)
            .chars()
            .take(LONGEST_MARK)
            .collect(),
    })
}

fn is_test(path: &str) -> bool {
    let in_folder =
        |name: &str| path.starts_with(&format!("{name}/")) || path.contains(&format!("/{name}/"));
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    ["tests", "test", "__tests__", "spec"]
        .into_iter()
        .any(in_folder)
        || name.contains(".test.")
        || name.contains(".spec.")
        || stem == "tests"
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
        || (name.ends_with("Test.java") || name.ends_with("Tests.java"))
}
