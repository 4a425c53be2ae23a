//! On which line a manifest asks for something.
//!
//! Names are compared in a normal form, and a name may be in several sections; so a line is that of the very key or
//! item that was read, never that of the first line with the word. A text is gone through once, however much it asks for.

use std::collections::BTreeMap;

use toml::de::{DeTable, DeValue};

/// Where the lines of a text end.
pub(super) struct Lines(Vec<usize>);

impl Lines {
    pub(super) fn new(text: &str) -> Self {
        Self(text.match_indices('\n').map(|(at, _)| at).collect())
    }

    /// The line of a place in the text, from 1.
    pub(super) fn at(&self, offset: usize) -> u32 {
        let before = self.0.partition_point(|end| *end < offset);
        u32::try_from(before).map_or(u32::MAX, |before| before.saturating_add(1))
    }
}

/// Lines of keys and items of a document in TOML.
pub(super) struct TomlLines<'a> {
    lines: Lines,
    root: DeTable<'a>,
}

impl<'a> TomlLines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let root = DeTable::parse(text).map(toml::Spanned::into_inner);
        Self {
            lines: Lines::new(text),
            root: root.unwrap_or_default(),
        }
    }

    /// The line of a key, given with the keys above it.
    pub(super) fn of_key(&self, keys: &[&str]) -> Option<u32> {
        let (last, above) = keys.split_last()?;
        let (key, _) = self.table(above)?.get_key_value(*last)?;
        Some(self.lines.at(key.span().start))
    }

    /// The line of an item of a list, given by the keys of the list.
    pub(super) fn of_item(&self, keys: &[&str], number: usize) -> Option<u32> {
        let (last, above) = keys.split_last()?;
        let list = self.table(above)?.get(*last)?.get_ref();
        let item = list.as_array()?.get(number)?;
        Some(self.lines.at(item.span().start))
    }

    fn table(&self, keys: &[&str]) -> Option<&DeTable<'a>> {
        keys.iter().try_fold(&self.root, |table, key| {
            let value: &DeValue<'a> = table.get(*key)?.get_ref();
            value.as_table()
        })
    }
}

/// The lines of keys of a document in JSON, by the key around them and their own, as they are written.
pub(super) fn json_lines(text: &str) -> BTreeMap<(&str, &str), u32> {
    let lines = Lines::new(text);
    let mut found = BTreeMap::new();
    let (mut section, mut depth, mut at) = ("", 0_usize, 0);
    let from = |at: usize| text.get(at..).unwrap_or_default();
    while let Some(next) = from(at).find(['"', '{', '}', '[', ']']) {
        at += next + 1;
        match text.as_bytes().get(at - 1) {
            Some(b'{' | b'[') => depth += 1,
            Some(b'}' | b']') => depth = depth.saturating_sub(1),
            _ => {
                let start = at;
                let Some(length) = string_end(from(at)) else {
                    break;
                };
                at += length + 1;
                let word = text.get(start..start + length).unwrap_or_default();
                let is_key = from(at).trim_start().starts_with(':');
                match (is_key, depth) {
                    (true, 1) => section = word,
                    (true, 2) => {
                        found.insert((section, word), lines.at(start));
                    }
                    _ => {}
                }
            }
        }
    }
    found
}

/// Where a string of JSON ends that begins here.
fn string_end(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.bytes().position(|byte| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_found_in_its_own_section() {
        let text = "{\n \"scripts\": {\"jest\": \"a \\\"jest\\\": {\"},\n \"files\": [{\"jest\": 1}],\n \"devDependencies\": {\n  \"jest\": \"29\"\n }\n}\n";
        let lines = json_lines(text);
        assert_eq!(lines.get(&("devDependencies", "jest")), Some(&5));
        assert_eq!(lines.get(&("scripts", "jest")), Some(&2));
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert!(json_lines("{\"a").is_empty());
    }

    #[test]
    fn keys_and_items_of_toml_have_the_lines_where_they_are_written() {
        let text = "[features]\nserde = []\n[dependencies]\nserde = \"1\"\n[dependencies.log]\nversion = \"0.4\"\n[project]\nlist = [\n \"a\",\n \"b\",\n]\n";
        let lines = TomlLines::new(text);
        assert_eq!(lines.of_key(&["dependencies", "serde"]), Some(4));
        assert_eq!(lines.of_key(&["dependencies", "log"]), Some(5));
        assert_eq!(lines.of_item(&["project", "list"], 1), Some(10));
        assert_eq!(lines.of_key(&["dependencies", "none"]), None);
    }
}
