//! Imports of a text, wherever in it they are, and what else says which files it uses.

use std::collections::BTreeMap;

use tree_sitter::{Node, Tree};

use super::{MOST, field, line, slice};
use crate::facts::{
    File, Import, Language,
    uses::{Uses, hashed},
};

/// The longest import.
const LONGEST: usize = 400;

/// Adds the imports of a text to its file, and says what it uses besides. `kinds` are the nodes that import something.
pub(super) fn read(tree: &Tree, text: &str, kinds: &[&str], file: &mut File) -> Uses {
    let mut uses = Uses::default();
    let mut names = BTreeMap::new();
    let is_script = matches!(
        file.language,
        Language::TypeScript | Language::Tsx | Language::JavaScript
    );
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let is_import = kinds.contains(&node.kind());
        if file.imports.len() < MOST {
            if is_import {
                import(node, text, file);
            } else if is_script {
                require(node, text, file);
            }
        }
        used(node, text, file.language, &mut uses, &mut names);
        if !is_import && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                file.imports.truncate(MOST);
                uses.names = names.into_iter().collect();
                return uses;
            }
        }
    }
}

/// What a node says of the package of its file, of names that it uses, and of how it is run.
fn used(
    node: Node<'_>,
    text: &str,
    language: Language,
    uses: &mut Uses,
    names: &mut BTreeMap<u64, u32>,
) {
    let kind = node.kind();
    match language {
        Language::Python if kind == "if_statement" && uses.guard.is_none() => {
            let asked = field(node, "condition", text).unwrap_or_default();
            let is_asked = asked.contains("__name__") && asked.contains("__main__");
            if is_asked && node.parent().is_some_and(|it| it.kind() == "module") {
                uses.guard = Some(line(node));
            }
        }
        Language::Go | Language::Java
            if ["package_clause", "package_declaration"].contains(&kind) =>
        {
            let mut cursor = node.walk();
            let name = node.named_children(&mut cursor).last();
            uses.package = name.map(|it| slice(it, text).to_owned());
        }
        Language::Go | Language::Java if ["identifier", "type_identifier"].contains(&kind) => {
            let name = slice(node, text);
            let is_type = language == Language::Go || name.starts_with(char::is_uppercase);
            if is_type && names.len() < MOST {
                names.entry(hashed(name)).or_insert_with(|| line(node));
            }
        }
        _ => {}
    }
}

/// Adds the imports of a node.
fn import(node: Node<'_>, text: &str, file: &mut File) {
    let line = line(node);
    let types_only = is_types_only(node, text, file.language);
    let mut add = |target: String| {
        if !target.is_empty() && target.len() <= LONGEST {
            file.imports.push(Import {
                target,
                line,
                file: None,
                types_only,
            });
        }
    };
    match file.language {
        Language::Rust => {
            let tree = node
                .child_by_field_name("argument")
                .or_else(|| node.child_by_field_name("name"));
            if let Some(tree) = tree {
                rust_paths(slice(tree, text)).into_iter().for_each(add);
            }
        }
        Language::Python => {
            let module = node.child_by_field_name("module_name");
            if let Some(module) = module {
                let from = slice(module, text).to_owned();
                let mut cursor = node.walk();
                let names = node.children_by_field_name("name", &mut cursor);
                let names = names.map(|name| {
                    slice(name, text)
                        .split_whitespace()
                        .next()
                        .unwrap_or_default()
                });
                let names: Vec<String> = names.map(|name| format!("{from}:{name}")).collect();
                match names.is_empty() {
                    true => add(from),
                    false => names.into_iter().for_each(add),
                }
            } else {
                let mut cursor = node.walk();
                for name in node.children_by_field_name("name", &mut cursor) {
                    add(slice(name, text)
                        .split_whitespace()
                        .next()
                        .unwrap_or_default()
                        .to_owned());
                }
            }
        }
        Language::Java => {
            let name = node.named_child(0).map(|name| slice(name, text));
            let mut cursor = node.walk();
            let is_all = node
                .named_children(&mut cursor)
                .any(|it| it.kind() == "asterisk");
            let all = if is_all { ".*" } else { "" };
            add(format!("{}{all}", name.unwrap_or_default()));
        }
        Language::C | Language::Cpp => {
            add(field(node, "path", text).unwrap_or_default());
        }
        Language::Go => add(unquoted(&field(node, "path", text).unwrap_or_default())),
        _ => {
            let mut cursor = node.walk();
            // `import x = require("x")` has it further inside.
            let below = node.named_children(&mut cursor);
            let below = below.filter(|it| it.kind() == "import_require_clause");
            let mut all = std::iter::once(node).chain(below);
            let source = all.find_map(|it| field(it, "source", text));
            add(unquoted(&source.unwrap_or_default()));
        }
    }
}

/// `require("x")`, `import("x")` and `export … from "x"`, which are imports too.
fn require(node: Node<'_>, text: &str, file: &mut File) {
    let target = match node.kind() {
        "export_statement" => field(node, "source", text),
        "call_expression" => called(node, text),
        _ => None,
    };
    if let Some(target) = target.filter(|it| it.len() <= LONGEST) {
        file.imports.push(Import {
            target: unquoted(&target),
            line: line(node),
            file: None,
            types_only: slice(node, text).starts_with("export type "),
        });
    }
}

/// How far around an import the condition of a check of types is looked for.
const NEAR: usize = 4;

/// Whether an import is erased, or never run: `import type`, or below `if TYPE_CHECKING:`.
fn is_types_only(node: Node<'_>, text: &str, language: Language) -> bool {
    match language {
        Language::Python => {
            let mut around = std::iter::successors(node.parent(), |it| it.parent()).take(NEAR);
            around.any(|it| {
                let condition = field(it, "condition", text).unwrap_or_default();
                it.kind() == "if_statement" && condition.ends_with("TYPE_CHECKING")
            })
        }
        Language::TypeScript | Language::Tsx => {
            let written = slice(node, text);
            let named = written.split_once('{').and_then(|(before, rest)| {
                let is_alone = before.trim() == "import";
                rest.split_once('}').filter(|_| is_alone)
            });
            let mut names = named
                .map_or("", |(names, _)| names)
                .split(',')
                .map(str::trim);
            let names = names.by_ref().filter(|it| !it.is_empty());
            let names: Vec<&str> = names.collect();
            let is_each = !names.is_empty() && names.iter().all(|it| it.starts_with("type "));
            written.starts_with("import type ") || is_each
        }
        _ => false,
    }
}

fn called(node: Node<'_>, text: &str) -> Option<String> {
    let function = node.child_by_field_name("function")?;
    if !["require", "import"].contains(&slice(function, text)) {
        return None;
    }
    let arguments = node.child_by_field_name("arguments")?;
    let first = arguments.named_child(0)?;
    let is_text = match first.kind() {
        "string" => true,
        "template_string" => !slice(first, text).contains("${"),
        _ => false,
    };
    is_text.then(|| slice(first, text).to_owned())
}

/// The paths of a tree of `use`, flat.
fn rust_paths(tree: &str) -> Vec<String> {
    let tree: String = tree.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut paths = Vec::new();
    let mut prefixes: Vec<String> = vec![String::new()];
    let mut current = String::new();
    for c in tree.chars() {
        match c {
            '{' => {
                let prefix = prefixes.last().cloned().unwrap_or_default();
                prefixes.push(format!("{prefix}{current}"));
                current.clear();
            }
            ',' | '}' => {
                let prefix = prefixes.last().cloned().unwrap_or_default();
                let name = current.split(" as ").next().unwrap_or_default().trim();
                if !name.is_empty() {
                    paths.push(format!("{prefix}{name}"));
                }
                current.clear();
                if c == '}' && prefixes.len() > 1 {
                    prefixes.pop();
                }
            }
            ' ' if current.is_empty() => {}
            c => current.push(c),
        }
        if paths.len() > MOST {
            break;
        }
    }
    let name = current.split(" as ").next().unwrap_or_default().trim();
    if !name.is_empty() {
        paths.push(name.to_owned());
    }
    for path in &mut paths {
        if let Some(own) = path.strip_suffix("::self") {
            *path = own.to_owned();
        }
    }
    paths
}

fn unquoted(text: &str) -> String {
    text.trim_matches(['"', '\'', '`']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_of_use_is_flat_paths() {
        let flat = |tree: &str| rust_paths(tree);
        assert_eq!(flat("std::fmt"), ["std::fmt"]);
        assert_eq!(
            flat("crate::{a::{self, B as C}, d}"),
            ["crate::a", "crate::a::B", "crate::d"]
        );
        assert_eq!(flat("{{{"), Vec::<String>::new());
    }
}
