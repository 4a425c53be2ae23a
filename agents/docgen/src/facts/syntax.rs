//! Symbols and imports by grammars.
//!
//! Definitions are looked for where they can be: bodies of functions are not entered. What a node of a grammar means is
//! in a table per language. C is read by the grammar of C++, JavaScript by that of
//! TSX. Errors in the text cost the symbols around them, nothing else.

mod imports;
mod public;

use std::cell::RefCell;

use tree_sitter::{Node, Parser, Tree};

use super::{File, Language, Symbol, SymbolKind, uses::Uses};

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
        "source_file", "declaration_list", "impl_item", "trait_item", "mod_item",
    ],
};

const PYTHON: Grammar = Grammar {
    symbols: &[
        ("function_definition", SymbolKind::Function),
        ("class_definition", SymbolKind::Type),
        ("type_alias_statement", SymbolKind::Alias),
    ],
    imports: &[
        "import_statement", "import_from_statement", "future_import_statement",
    ],
    inside: &[
        "module", "block", "class_definition", "decorated_definition", "if_statement",
        "try_statement", "else_clause", "except_clause",
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
        "program", "export_statement", "class_declaration", "abstract_class_declaration",
        "class_body", "internal_module", "statement_block", "lexical_declaration",
        "variable_declaration", "ambient_declaration", "expression_statement",
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
        "source_file", "type_declaration", "const_declaration", "var_declaration", "var_spec_list",
        "import_declaration", "import_spec_list",
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
        "program", "class_declaration", "class_body", "interface_declaration", "interface_body",
        "enum_declaration", "enum_body", "enum_body_declarations", "record_declaration",
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
        "translation_unit", "namespace_definition", "declaration_list", "linkage_specification",
        "class_specifier", "struct_specifier", "field_declaration_list", "template_declaration",
        "preproc_ifdef", "preproc_if", "preproc_else", "preproc_elif", "declaration",
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

/// Adds what a text defines and imports to its file, and says what it uses.
pub(super) fn read(text: &str, file: &mut File) -> Uses {
    thread_local! {
        static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
    }
    let Some((language, grammar)) = grammar(file.language) else {
        return Uses::default();
    };
    let tree = PARSER.with_borrow_mut(|parser| {
        parser.set_language(&language).ok()?;
        parser.parse(text, None)
    });
    let Some(tree) = tree else {
        return Uses::default();
    };
    collect(&tree, text, grammar, file);
    imports::read(&tree, text, grammar.imports, file)
}

/// A node that may define something.
struct PlacedNode<'a> {
    node: Node<'a>,
    /// The node around it, which a tree would look for from its root.
    above: Option<Node<'a>>,
    depth: usize,
    /// What is around it.
    of: Option<String>,
    /// Whether what is around it keeps it from others.
    is_hidden: bool,
    /// Whether it is in the body of a type of C++.
    is_member: bool,
}

fn collect(tree: &Tree, text: &str, grammar: &Grammar, file: &mut File) {
    // A list instead of calls: text of others decides how deep it goes.
    let mut left = vec![PlacedNode {
        node: tree.root_node(),
        above: None,
        depth: 0,
        of: None,
        is_hidden: false,
        is_member: false,
    }];
    // Whether the last symbol is a signature that its function follows.
    let mut is_open = false;
    while let Some(place) = left.pop() {
        let PlacedNode { node, depth, .. } = place;
        let kind = node.kind();
        let symbol = grammar.symbols.iter().find(|(known, _)| *known == kind);
        let mut of = place.of.clone();
        if let Some((_, what)) = symbol
            && let Some(mut symbol) = define(&place, *what, text, file)
        {
            symbol.public &= !place.is_hidden;
            if matches!(
                symbol.kind,
                SymbolKind::Type | SymbolKind::Interface | SymbolKind::Enum | SymbolKind::Module
            ) {
                of = Some(symbol.name.clone());
            }
            let is_full = file.symbols.len() >= MOST;
            let last = file
                .symbols
                .last_mut()
                .filter(|last| is_open && (&last.name, &last.of) == (&symbol.name, &symbol.of));
            is_open = is_signature(&place, text);
            match last {
                Some(last) => {
                    last.end = symbol.end;
                    last.public |= symbol.public;
                }
                None if !is_full => file.symbols.push(symbol),
                None => {}
            }
        }
        if kind == "impl_item" {
            of = field(node, "type", text).map(|name| base(&name).to_owned());
        }
        if depth < DEEPEST && (grammar.inside.contains(&kind) || depth == 0) {
            // The last one is taken first.
            left.extend(inside(place, of, text).into_iter().rev());
        }
    }
}

/// Whether a node is one of several signatures of the function that follows.
fn is_signature(place: &PlacedNode<'_>, text: &str) -> bool {
    if place.node.kind() == "function_signature" {
        return true;
    }
    let decorated = place.above.filter(|it| it.kind() == "decorated_definition");
    let Some(decorator) = decorated.and_then(|it| it.named_child(0)) else {
        return false;
    };
    matches!(
        slice(decorator, text),
        "@overload" | "@typing.overload" | "@t.overload"
    )
}

/// What is in a node, with what keeps it from others.
fn inside<'a>(place: PlacedNode<'a>, of: Option<String>, text: &str) -> Vec<PlacedNode<'a>> {
    let PlacedNode { node, depth, .. } = place;
    let mut is_hidden = place.is_hidden;
    match node.kind() {
        "namespace_definition" => is_hidden |= node.child_by_field_name("name").is_none(),
        "field_declaration_list" => {
            let around = place.above.map(|it| it.kind());
            is_hidden |= around == Some("class_specifier");
        }
        _ => {}
    }
    let is_member = match node.kind() {
        "field_declaration_list" => true,
        "template_declaration"
        | "preproc_ifdef"
        | "preproc_if"
        | "preproc_else"
        | "preproc_elif" => place.is_member,
        _ => false,
    };
    let mut cursor = node.walk();
    let mut found = Vec::new();
    for child in node.named_children(&mut cursor) {
        match child.kind() {
            "access_specifier" => is_hidden = place.is_hidden || slice(child, text) != "public",
            "preproc_def" if is_guard(node, child, text) => {}
            _ => found.push(PlacedNode {
                node: child,
                above: Some(node),
                depth: depth + 1,
                of: of.clone(),
                is_hidden,
                is_member,
            }),
        }
    }
    found
}

/// Whether a macro is there only to say that a header was read.
fn is_guard(around: Node<'_>, node: Node<'_>, text: &str) -> bool {
    let Some(name) = field(node, "name", text) else {
        return false;
    };
    let is_asked = match around.kind() {
        "preproc_ifdef" => field(around, "name", text).as_ref() == Some(&name),
        "preproc_if" => field(around, "condition", text)
            .is_some_and(|it| it.replace([' ', '(', ')'], "") == format!("!defined{name}")),
        _ => false,
    };
    is_asked && node.child_by_field_name("value").is_none()
}

/// The symbol that a node defines.
fn define(place: &PlacedNode<'_>, kind: SymbolKind, text: &str, file: &File) -> Option<Symbol> {
    let node = place.node;
    let language = file.language;
    let mut name = field(node, "name", text);
    let mut kind = kind;
    match language {
        Language::C | Language::Cpp => {
            if name.is_none() || node.kind() == "type_definition" {
                name = declarator(node, text).or(name);
            }
            // Only what has a body is a definition.
            let is_type = [
                "struct_specifier", "class_specifier", "union_specifier", "enum_specifier",
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
                "arrow_function", "function_expression", "generator_function",
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
    let mut of = place.of.clone();
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
    let is_method = match language {
        // What is around it may be a namespace.
        Language::C | Language::Cpp => place.is_member,
        _ => of.is_some(),
    };
    if kind == SymbolKind::Function && is_method {
        kind = SymbolKind::Method;
    }
    Some(Symbol {
        public: public::is_public(node, text, &name, file, place.is_member),
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
        "class_heritage", "extends_type_clause", "superclass", "super_interfaces",
        "extends_interfaces", "base_class_clause",
    ];
    const WORDS: [&str; 6] = [
        "extends", "implements", "public", "private", "protected", "virtual",
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
