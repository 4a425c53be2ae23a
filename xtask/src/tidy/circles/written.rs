//! The paths that a file names, read from its text: those of every `use`, and all others that begin
//! with `crate`, `super` or `self`.

/// A path as it is written.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) line: usize,
    pub(super) names: Vec<String>,
    /// What a `use` calls it in the file.
    pub(super) alias: Option<String>,
    /// Whether the `use` is public: the file hands it on.
    pub(super) is_export: bool,
}

/// All paths of a text.
pub(super) fn written(text: &str) -> Vec<Written> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find(is_of_word).map(|away| at + away) {
        let (before, here) = text.split_at(start);
        let (word, behind) = split_word(here);
        at = start + word.len();
        let is_use = word == "use" && behind.starts_with(' ');
        if !is_use && !begins_path(before, word, behind) {
            continue;
        }
        let mut leaves = Vec::new();
        let rest = read_tree(&[], if is_use { behind } else { here }, &mut leaves);
        at = text.len() - rest.len();
        let line = before.matches('\n').count() + 1;
        let statement = before.rsplit('\n').next().unwrap_or_default();
        let is_export = is_use && statement.trim_start().starts_with("pub");
        found.extend(leaves.into_iter().map(|(names, alias)| Written {
            line,
            names: names.into_iter().map(str::to_owned).collect(),
            alias: alias.filter(|_| is_use).map(str::to_owned),
            is_export,
        }));
    }
    found
}

fn begins_path(before: &str, word: &str, behind: &str) -> bool {
    let is_head = matches!(word, "crate" | "super" | "self");
    is_head && behind.starts_with("::") && !before.ends_with(':')
}

/// The names of a path, and what it is called where it is imported.
type Leaf<'t> = (Vec<&'t str>, Option<&'t str>);

/// Reads a path, or a group of them, below `above`, and returns the text that follows.
fn read_tree<'t>(above: &[&'t str], text: &'t str, found: &mut Vec<Leaf<'t>>) -> &'t str {
    let text = text.trim_start();
    if let Some(group) = text.strip_prefix('{') {
        return read_group(above, group, found);
    }
    let (name, rest) = split_word(text);
    let path = [above, &[name]].concat();
    let is_deeper = |deeper: &&str| deeper.starts_with(|c: char| is_of_word(c) || c == '{');
    match rest.strip_prefix("::").filter(is_deeper) {
        _ if name.is_empty() => rest,
        Some(deeper) => read_tree(&path, deeper, found),
        None => read_leaf(path, rest, found),
    }
}

fn read_group<'t>(above: &[&'t str], text: &'t str, found: &mut Vec<Leaf<'t>>) -> &'t str {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| c == ',' || c == '*' || c.is_whitespace());
        if let Some(after) = rest.strip_prefix('}') {
            return after;
        }
        let after = read_tree(above, rest, found);
        if after.len() == rest.len() {
            return after;
        }
        rest = after;
    }
}

fn read_leaf<'t>(mut path: Vec<&'t str>, text: &'t str, found: &mut Vec<Leaf<'t>>) -> &'t str {
    // `a::{self}` is `a`.
    path.pop_if(|name| *name == "self");
    let (alias, rest) = match text.strip_prefix(" as ") {
        Some(behind) => {
            let (alias, rest) = split_word(behind);
            (Some(alias), rest)
        }
        // All names of a module, of which none is known.
        None if text.starts_with("::*") => (None, text),
        None => (path.last().copied(), text),
    };
    found.push((path, alias));
    rest
}

fn split_word(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !is_of_word(c)).unwrap_or(text.len());
    text.split_at(end)
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<String> {
        let paths = written(text).into_iter().map(|it| match it.alias {
            Some(alias) => format!("{} as {alias}", it.names.join("::")),
            None => it.names.join("::"),
        });
        paths.collect()
    }

    #[test]
    fn groups_are_taken_apart() {
        let text = "use a::{\n    self, b::{C, D as E},\n    f,\n};\nuse super::g::*;\n";
        let expected = [
            "a as a", "a::b::C as C", "a::b::D as E", "a::f as f", "super::g",
        ];
        assert_eq!(paths(text), expected);
    }

    #[test]
    fn paths_in_code_count_if_they_begin_in_the_crate() {
        let text = "fn f() -> crate::a::B<super::C> { std::mem::take(self); x::self::y(); }\n";
        assert_eq!(paths(text), ["crate::a::B", "super::C"]);
    }

    #[test]
    fn a_public_use_is_an_export_at_its_line() {
        let found = written("mod a;\npub(crate) use a::A;\nuse a::B;\n");
        let found: Vec<_> = found.iter().map(|it| (it.line, it.is_export)).collect();
        assert_eq!(found, [(2, true), (3, false)]);
    }
}
