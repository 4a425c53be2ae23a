//! On which line a manifest asks for something.
//!
//! Names are compared in a normal form, and a name may be in several sections; so a line is that of the very key or
//! item that was read, never that of the first line with the word.

use toml::de::{DeTable, DeValue};

/// The line of a place in a text, from 1.
pub(super) fn line_at(text: &str, offset: usize) -> u32 {
    let before = text.get(..offset).unwrap_or(text);
    u32::try_from(before.matches('\n').count()).map_or(u32::MAX, |count| count.saturating_add(1))
}

/// Lines of keys and items of a document in TOML.
pub(super) struct TomlLines<'a> {
    text: &'a str,
    root: DeTable<'a>,
}

impl<'a> TomlLines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let root = DeTable::parse(text).map(toml::Spanned::into_inner);
        Self {
            text,
            root: root.unwrap_or_default(),
        }
    }

    /// The line of a key, given with the keys above it.
    pub(super) fn of_key(&self, keys: &[&str]) -> Option<u32> {
        let (last, above) = keys.split_last()?;
        let mut table = &self.root;
        for key in above {
            table = value(table, key)?.as_table()?;
        }
        let (key, _) = table.iter().find(|(key, _)| key.get_ref() == last)?;
        Some(line_at(self.text, key.span().start))
    }

    /// The line of an item of a list, given by the keys of the list.
    pub(super) fn of_item(&self, keys: &[&str], number: usize) -> Option<u32> {
        let (last, above) = keys.split_last()?;
        let mut table = &self.root;
        for key in above {
            table = value(table, key)?.as_table()?;
        }
        let item = value(table, last)?.as_array()?.get(number)?;
        Some(line_at(self.text, item.span().start))
    }
}

fn value<'a, 'i>(table: &'a DeTable<'i>, key: &str) -> Option<&'a DeValue<'i>> {
    let (_, value) = table.iter().find(|(known, _)| known.get_ref() == key)?;
    Some(value.get_ref())
}

/// The line of a key of a document in JSON, given with the keys above it; nothing if it is not written as it is read.
pub(super) fn json_key_line(text: &str, keys: &[&str]) -> Option<u32> {
    let mut above: Vec<&str> = Vec::new();
    let mut depth = 0_usize;
    let mut rest = text;
    while let Some(at) = rest.find(['"', '{', '}', '[', ']']) {
        let (sign, after) = rest.get(at..)?.split_at_checked(1)?;
        rest = after;
        match sign {
            "{" | "[" => depth += 1,
            "}" | "]" => depth = depth.saturating_sub(1),
            _ => {
                let (word, after) = after.split_at_checked(string_end(after)?)?;
                rest = after.get(1..)?;
                if rest.trim_start().starts_with(':') && depth > 0 {
                    above.truncate(depth - 1);
                    above.resize(depth - 1, "");
                    above.push(word);
                    if above == keys {
                        let offset = text.len() - after.len();
                        return Some(line_at(text, offset));
                    }
                }
            }
        }
    }
    None
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
        assert_eq!(json_key_line(text, &["devDependencies", "jest"]), Some(5));
        assert_eq!(json_key_line(text, &["scripts", "jest"]), Some(2));
        assert_eq!(json_key_line(text, &["dependencies", "jest"]), None);
        assert_eq!(json_key_line("{\"a", &["a"]), None);
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
