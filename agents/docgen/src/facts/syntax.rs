//! Symbols and imports by grammars.
//!
//! A tree is walked with a cursor, and only where definitions can be: bodies of functions are not entered. What
//! a node of a grammar means is in a table per language. C is read by the grammar of C++, JavaScript by that of
//! TSX. Errors in the text cost the symbols around them, nothing else.

use std::cell::RefCell;

use tree_sitter::{Node, Parser, Tree};

use super::{File, Import, Language, Symbol, SymbolKind};

/// The most symbols and imports of a file that are kept.
const MOST: usize = 5_000;

/// How deep definitions may be nested.
const DEEPEST: usize = 24;

/// The longest name.
const LONGEST: usize = 200;

/// What the nodes of a grammar mean.
struct Grammar {
    /// Nodes that define something.
    symbols: &'static [(&'static str, SymbolKind)],
    /// Nodes that import something.
    imports: &'static [&'static str],
    /// Nodes whose children may define something.
    inside: &'static [&'static str],
}

const RUST: Grammar = Grammar {
    symbols: &[
        ("function_item", SymbolKind::Function),
        ("function_signature_item", SymbolKind::Function),
        ("struct_item", SymbolKind::Type),
        ("union_item", SymbolKind::Type),
        ("enum_item", SymbolKind::Enum),
        ("trait_item", SymbolKind::Interface),
        ("mod_item", SymbolKind::Module),
        ("const_item", SymbolKind::Constant),
        ("static_item", SymbolKind::Constant),
        ("type_item", SymbolKind::Alias),
        ("macro_definition", SymbolKind::Macro),
    ],
    imports: &["use_declaration", "extern_crate_declaration"],
    inside: &[
        "source_file",
        "declaration_list",
        "impl_item",
        "trait_item",
        "mod_item",
    ],
};

const PYTHON: Grammar = Grammar {
    symbols: &[
        ("function_definition", SymbolKind::Function),
        ("class_definition", SymbolKind::Type),
        ("type_alias_statement", SymbolKind::Alias),
    ],
    imports: &[
        "import_statement",
        "import_from_statement",
        "future_import_statement",
    ],
    inside: &[
        "module",
        "block",
        "class_definition",
        "decorated_definition",
        "if_statement",
        "try_statement",
        "else_clause",
        "except_clause",
    ],
};

const TYPESCRIPT: Grammar = Grammar {
    symbols: &[
        ("function_declaration", SymbolKind::Function),
        ("generator_function_declaration", SymbolKind::Function),
        ("function_signature", SymbolKind::Function),
        ("class_declaration", SymbolKind::Type),
        ("abstract_class_declaration", SymbolKind::Type),
        ("method_definition", SymbolKind::Method),
        ("abstract_method_signature", SymbolKind::Method),
        ("interface_declaration", SymbolKind::Interface),
        ("enum_declaration", SymbolKind::Enum),
        ("type_alias_declaration", SymbolKind::Alias),
        ("internal_module", SymbolKind::Module),
        ("variable_declarator", SymbolKind::Constant),
    ],
    imports: &["import_statement"],
    inside: &[
        "program",
        "export_statement",
        "class_declaration",
        "abstract_class_declaration",
        "class_body",
        "internal_module",
        "statement_block",
        "lexical_declaration",
        "variable_declaration",
        "ambient_declaration",
        "expression_statement",
    ],
};

const GO: Grammar = Grammar {
    symbols: &[
        ("function_declaration", SymbolKind::Function),
        ("method_declaration", SymbolKind::Method),
        ("type_spec", SymbolKind::Type),
        ("type_alias", SymbolKind::Alias),
        ("const_spec", SymbolKind::Constant),
        ("var_spec", SymbolKind::Constant),
    ],
    imports: &["import_spec"],
    inside: &[
        "source_file",
        "type_declaration",
        "const_declaration",
        "var_declaration",
        "var_spec_list",
        "import_declaration",
        "import_spec_list",
    ],
};

const JAVA: Grammar = Grammar {
    symbols: &[
        ("class_declaration", SymbolKind::Type),
        ("record_declaration", SymbolKind::Type),
        ("interface_declaration", SymbolKind::Interface),
        ("annotation_type_declaration", SymbolKind::Interface),
        ("enum_declaration", SymbolKind::Enum),
        ("method_declaration", SymbolKind::Method),
        ("constructor_declaration", SymbolKind::Method),
    ],
    imports: &["import_declaration"],
    inside: &[
        "program",
        "class_declaration",
        "class_body",
        "interface_declaration",
        "interface_body",
        "enum_declaration",
        "enum_body",
        "enum_body_declarations",
        "record_declaration",
    ],
};

const CPP: Grammar = Grammar {
    symbols: &[
        ("function_definition", SymbolKind::Function),
        ("struct_specifier", SymbolKind::Type),
        ("class_specifier", SymbolKind::Type),
        ("union_specifier", SymbolKind::Type),
        ("enum_specifier", SymbolKind::Enum),
        ("namespace_definition", SymbolKind::Module),
        ("type_definition", SymbolKind::Alias),
        ("alias_declaration", SymbolKind::Alias),
        ("preproc_def", SymbolKind::Macro),
        ("preproc_function_def", SymbolKind::Macro),
    ],
    imports: &["preproc_include"],
    inside: &[
        "translation_unit",
        "namespace_definition",
        "declaration_list",
        "linkage_specification",
        "class_specifier",
        "struct_specifier",
        "field_declaration_list",
        "template_declaration",
        "preproc_ifdef",
        "preproc_if",
        "preproc_else",
        "preproc_elif",
        "declaration",
        "type_definition",
    ],
};

fn grammar(language: Language) -> Option<(tree_sitter::Language, &'static Grammar)> {
    Some(match language {
        Language::Rust => (tree_sitter_rust::LANGUAGE.into(), &RUST),
        Language::Python => (tree_sitter_python::LANGUAGE.into(), &PYTHON),
        Language::TypeScript => (
            tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
            &TYPESCRIPT,
        ),
        Language::Tsx | Language::JavaScript => {
            (tree_sitter_typescript::LANGUAGE_TSX.into(), &TYPESCRIPT)
        }
        Language::Go => (tree_sitter_go::LANGUAGE.into(), &GO),
        Language::Java => (tree_sitter_java::LANGUAGE.into(), &JAVA),
        Language::C | Language::Cpp => (tree_sitter_cpp::LANGUAGE.into(), &CPP),
        _ => return None,
    })
}

/// Adds what a text defines and imports to its file.
pub(super) fn read(text: &str, file: &mut File) {
    thread_local! {
        static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
    }
    let Some((language, grammar)) = grammar(file.language) else {
        return;
    };
    let tree = PARSER.with_borrow_mut(|parser| {
        parser.set_language(&language).ok()?;
        parser.parse(text, None)
    });
    if let Some(tree) = tree {
        collect(&tree, text, grammar, file);
    }
}

fn collect(tree: &Tree, text: &str, grammar: &Grammar, file: &mut File) {
    // A list instead of calls: text of others decides how deep it goes.
    let mut left: Vec<(Node<'_>, usize, Option<String>)> = vec![(tree.root_node(), 0, None)];
    while let Some((node, depth, of)) = left.pop() {
        let kind = node.kind();
        if grammar.imports.contains(&kind) {
            import(node, text, file);
            continue;
        }
        let symbol = grammar.symbols.iter().find(|(known, _)| *known == kind);
        let mut of = of;
        if let Some((_, what)) = symbol
            && let Some(symbol) = define(node, *what, text, of.as_deref(), file.language)
        {
            if matches!(
                symbol.kind,
                SymbolKind::Type | SymbolKind::Interface | SymbolKind::Enum | SymbolKind::Module
            ) {
                of = Some(symbol.name.clone());
            }
            if file.symbols.len() < MOST {
                file.symbols.push(symbol);
            }
        }
        if kind == "impl_item" {
            of = field(node, "type", text).map(|name| base(&name).to_owned());
        }
        require(node, text, file);
        if depth < DEEPEST && (grammar.inside.contains(&kind) || depth == 0) {
            let mut cursor = node.walk();
            let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
            // The last one is taken first.
            for child in children.into_iter().rev() {
                left.push((child, depth + 1, of.clone()));
            }
        }
    }
    file.imports.truncate(MOST);
}

/// The symbol that a node defines.
fn define(
    node: Node<'_>,
    kind: SymbolKind,
    text: &str,
    of: Option<&str>,
    language: Language,
) -> Option<Symbol> {
    let mut name = field(node, "name", text);
    let mut kind = kind;
    match language {
        Language::C | Language::Cpp => {
            if name.is_none() || node.kind() == "type_definition" {
                name = declarator(node, text).or(name);
            }
            // Only what has a body is a definition.
            let is_type = [
                "struct_specifier",
                "class_specifier",
                "union_specifier",
                "enum_specifier",
            ];
            if is_type.contains(&node.kind()) && node.child_by_field_name("body").is_none() {
                return None;
            }
        }
        Language::TypeScript | Language::Tsx | Language::JavaScript
            if node.kind() == "variable_declarator" =>
        {
            let value = node.child_by_field_name("value").map(|value| value.kind());
            let is_function = [
                "arrow_function",
                "function_expression",
                "generator_function",
            ];
            if value.is_some_and(|value| is_function.contains(&value)) {
                kind = SymbolKind::Function;
            }
            // Patterns are no names.
            let is_sign = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
            name = name.filter(|name| name.chars().all(is_sign));
        }
        Language::Go if node.kind() == "type_spec" => {
            let inner = node.child_by_field_name("type").map(|inner| inner.kind());
            if inner == Some("interface_type") {
                kind = SymbolKind::Interface;
            }
        }
        _ => {}
    }
    let name = name.filter(|name| !name.is_empty() && name.len() <= LONGEST)?;
    let mut of = of.map(str::to_owned);
    if language == Language::Go && node.kind() == "method_declaration" {
        let receiver = field(node, "receiver", text).unwrap_or_default();
        let last = receiver
            .trim_end_matches(')')
            .rsplit([' ', '*', '('])
            .next();
        of = last
            .map(|name| base(name).to_owned())
            .filter(|name| !name.is_empty());
    }
    if kind == SymbolKind::Function && of.is_some() && language != Language::Cpp {
        kind = SymbolKind::Method;
    }
    Some(Symbol {
        public: is_public(node, text, &name, language),
        kind,
        line: line(node),
        end: last_line(node),
        bases: bases(node, text),
        name,
        of,
    })
}

/// The most types that one extends.
const MOST_BASES: usize = 8;

/// What a definition says that it extends or implements, without scopes and parameters of types.
fn bases(node: Node<'_>, text: &str) -> Vec<String> {
    const CLAUSES: [&str; 6] = [
        "class_heritage",
        "extends_type_clause",
        "superclass",
        "super_interfaces",
        "extends_interfaces",
        "base_class_clause",
    ];
    const WORDS: [&str; 6] = [
        "extends",
        "implements",
        "public",
        "private",
        "protected",
        "virtual",
    ];
    let mut cursor = node.walk();
    let children = node.named_children(&mut cursor);
    let clauses = children.filter(|child| CLAUSES.contains(&child.kind()));
    // Python has them in parentheses behind the name.
    let listed = node.child_by_field_name("superclasses");
    let mut found = Vec::new();
    for clause in clauses.chain(listed) {
        let mut depth = 0_u32;
        let outside = slice(clause, text).chars().filter(|c| {
            match c {
                '<' | '[' => depth += 1,
                '>' | ']' => depth = depth.saturating_sub(1),
                _ => return depth == 0,
            }
            false
        });
        let outside: String = outside.collect();
        for word in outside.split([',', '(', ')', ' ', '\n', '\t']) {
            let name = word.rsplit(['.', ':']).next().unwrap_or_default();
            let is_name = !name.is_empty()
                && name.len() <= LONGEST
                && name
                    .chars()
                    .all(|c| c.is_alphanumeric() || c == '_' || c == '$');
            // `metaclass=X` is no base.
            if is_name && !word.contains('=') && !WORDS.contains(&word) && found.len() < MOST_BASES
            {
                found.push(name.to_owned());
            }
        }
    }
    found
}

fn is_public(node: Node<'_>, text: &str, name: &str, language: Language) -> bool {
    match language {
        Language::Rust => {
            let mut cursor = node.walk();
            node.named_children(&mut cursor)
                .take(3)
                .any(|child| child.kind() == "visibility_modifier" && slice(child, text) == "pub")
        }
        Language::Python => !name.starts_with('_'),
        Language::Go => name.starts_with(char::is_uppercase),
        Language::Java => {
            let mut cursor = node.walk();
            node.named_children(&mut cursor)
                .take(2)
                .any(|child| child.kind() == "modifiers" && slice(child, text).contains("public"))
        }
        Language::TypeScript | Language::Tsx | Language::JavaScript => {
            let mut cursor = node.walk();
            let is_hidden = |child: Node<'_>| {
                child.kind() == "accessibility_modifier" && slice(child, text) != "public"
            };
            if name.starts_with('#') || node.named_children(&mut cursor).any(is_hidden) {
                return false;
            }
            // A method is as public as its class, which is around its body.
            let levels = match node.kind() {
                "method_definition" | "abstract_method_signature" => 3,
                _ => 2,
            };
            let mut above = node.parent();
            for _ in 0..levels {
                if above.is_some_and(|above| above.kind() == "export_statement") {
                    return true;
                }
                above = above.and_then(|above| above.parent());
            }
            false
        }
        _ => false,
    }
}

/// The name that a declarator of C declares, through pointers, parameters and scopes.
fn declarator(node: Node<'_>, text: &str) -> Option<String> {
    let mut at = node.child_by_field_name("declarator")?;
    for _ in 0..DEEPEST {
        match at.kind() {
            "identifier" | "field_identifier" | "type_identifier" | "destructor_name"
            | "operator_name" => return Some(slice(at, text).to_owned()),
            "qualified_identifier" => at = at.child_by_field_name("name")?,
            _ => match at.child_by_field_name("declarator") {
                Some(inner) => at = inner,
                None => {
                    let mut cursor = at.walk();
                    at = at.named_children(&mut cursor).next()?;
                }
            },
        }
    }
    None
}

/// Adds the imports of a node.
fn import(node: Node<'_>, text: &str, file: &mut File) {
    let line = line(node);
    let mut add = |target: String| {
        if !target.is_empty() && target.len() <= 400 {
            file.imports.push(Import {
                target,
                line,
                file: None,
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
            let mut cursor = node.walk();
            let name = node
                .named_children(&mut cursor)
                .next()
                .map(|name| slice(name, text));
            add(name.unwrap_or_default().to_owned());
        }
        Language::C | Language::Cpp => {
            add(field(node, "path", text).unwrap_or_default());
        }
        Language::Go => add(unquoted(&field(node, "path", text).unwrap_or_default())),
        _ => add(unquoted(&field(node, "source", text).unwrap_or_default())),
    }
}

/// `require("x")` and `export … from "x"`, which are imports too.
fn require(node: Node<'_>, text: &str, file: &mut File) {
    let target = match node.kind() {
        "export_statement" => field(node, "source", text),
        "call_expression" if node.child_count() < 4 => called(node, text),
        "variable_declarator" => {
            let value = node.child_by_field_name("value");
            value
                .filter(|it| it.kind() == "call_expression")
                .and_then(|it| called(it, text))
        }
        _ => None,
    };
    if let Some(target) = target {
        file.imports.push(Import {
            target: unquoted(&target),
            line: line(node),
            file: None,
        });
    }
}

fn called(node: Node<'_>, text: &str) -> Option<String> {
    let function = field(node, "function", text)?;
    if function != "require" {
        return None;
    }
    let arguments = field(node, "arguments", text)?;
    let inner = arguments
        .trim_start_matches('(')
        .trim_end_matches(')')
        .trim();
    inner.starts_with(['"', '\'']).then(|| inner.to_owned())
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

fn field(node: Node<'_>, name: &str, text: &str) -> Option<String> {
    let child = node.child_by_field_name(name)?;
    Some(slice(child, text).to_owned())
}

fn slice<'a>(node: Node<'_>, text: &'a str) -> &'a str {
    text.get(node.byte_range()).unwrap_or_default()
}

fn line(node: Node<'_>) -> u32 {
    u32::try_from(node.start_position().row).unwrap_or(u32::MAX - 1) + 1
}

fn last_line(node: Node<'_>) -> u32 {
    let end = node.end_position();
    // What ends with a line break ends on the line before.
    let row = match end.column == 0 {
        true => end.row.saturating_sub(1),
        false => end.row,
    };
    let row = row.max(node.start_position().row);
    u32::try_from(row).unwrap_or(u32::MAX - 1) + 1
}

/// A name without its type arguments.
fn base(name: &str) -> &str {
    let end = name.find(['<', '[']).unwrap_or(name.len());
    name.get(..end)
        .unwrap_or(name)
        .trim_start_matches('&')
        .trim()
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
