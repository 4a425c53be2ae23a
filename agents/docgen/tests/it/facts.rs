//! What is known about a code base: symbols, imports, entry points, manifests, counts.

use superstep_docgen::facts::{DependencyKind, Lookup, SymbolKind};

use crate::support::{facts, tree, write};

/// Symbols of a file as `kind name of line`, and imports as `target -> file`.
fn seen(path: &str, text: &str, more: &[(&str, &str)]) -> (Vec<String>, Vec<String>) {
    let mut files = vec![(path, text)];
    files.extend(more);
    let folder = tree(&files);
    let facts = facts(folder.path());
    let file = facts.file(path).unwrap();
    let symbols = file.symbols.iter().map(|it| {
        let of = it.of.as_deref().unwrap_or("-");
        let public = if it.public { "pub " } else { "" };
        format!("{public}{} {} {of} {}", it.kind.as_str(), it.name, it.line)
    });
    let imports = file
        .imports
        .iter()
        .map(|it| format!("{} -> {}", it.target, it.file.as_deref().unwrap_or("-")));
    (symbols.collect(), imports.collect())
}

#[test]
fn rust_is_read() {
    let text = "use std::fmt;\nuse crate::parse::{Token, read as r};\nmod parse;\npub struct Shop<T>(T);\n\
        impl<T> Shop<T> {\n    pub fn open(&self) {}\n}\npub trait Door {\n    fn knock(&self);\n}\n\
        pub enum Size { S }\nconst MAX: u8 = 1;\nmacro_rules! m { () => {} }\nfn main() {}\n";
    let manifest = "[package]\nname = \"shop\"\nversion = \"0.3.0\"\n";
    let more = [
        ("Cargo.toml", manifest),
        ("src/parse.rs", "pub struct Token;\npub fn read() {}\n"),
    ];
    let (symbols, imports) = seen("src/main.rs", text, &more);
    assert_eq!(
        symbols,
        [
            "module parse - 3", "pub type Shop - 4", "pub method open Shop 6",
            "pub interface Door - 8", "method knock Door 9", "pub enum Size - 11",
            "constant MAX - 12", "macro m - 13", "function main - 14",
        ]
    );
    assert_eq!(
        imports,
        [
            "std::fmt -> -",
            "crate::parse::Token -> src/parse.rs",
            "crate::parse::read -> src/parse.rs",
            "mod parse -> src/parse.rs",
        ]
    );
}

#[test]
fn python_is_read() {
    let text = "import os\nfrom .models import User, Order\nfrom shop import prices\n\nclass Cart:\n    def add(self, item):\n        \
        pass\n\ndef total(cart):\n    return 0\n\n@cached\ndef _hidden():\n    pass\n";
    let more = [
        ("shop/models.py", "class User: pass\n"),
        ("shop/prices.py", "x = 1\n"),
    ];
    let (symbols, imports) = seen("shop/cart.py", text, &more);
    assert_eq!(
        symbols,
        [
            "pub type Cart - 5", "pub method add Cart 6", "pub function total - 9",
            "function _hidden - 13"
        ]
    );
    assert_eq!(
        imports,
        [
            "os -> -",
            ".models:User -> shop/models.py",
            ".models:Order -> shop/models.py",
            "shop:prices -> shop/prices.py",
        ]
    );
}

#[test]
fn typescript_and_javascript_are_read() {
    let text = "import { a } from './lib/a';\nimport React from 'react';\nexport * from './types';\n\
        export class Shop {\n  open(): void {}\n}\nexport interface Door { knock(): void }\n\
        export const sell = (x: number) => x;\nconst limit = 3;\nexport enum Size { S }\nexport type Id = string;\n\
        function inner() {}\n";
    let more = [
        ("src/lib/a.ts", "export const a = 1;\n"),
        ("src/types/index.ts", "export {};\n"),
    ];
    let (symbols, imports) = seen("src/shop.ts", text, &more);
    assert_eq!(
        symbols,
        [
            "pub type Shop - 4", "pub method open Shop 5", "pub interface Door - 7",
            "pub function sell - 8", "constant limit - 9", "pub enum Size - 10",
            "pub alias Id - 11", "function inner - 12",
        ]
    );
    assert_eq!(
        imports,
        [
            "./lib/a -> src/lib/a.ts",
            "react -> -",
            "./types -> src/types/index.ts"
        ]
    );
    let text = "const fs = require('fs');\nconst a = require('./a');\nfunction go() {}\nmodule.exports = go;\n";
    let (symbols, imports) = seen("index.js", text, &[("a.js", "1;\n")]);
    assert!(
        symbols.contains(&"function go - 3".to_owned()),
        "{symbols:?}"
    );
    assert_eq!(imports, ["fs -> -", "./a -> a.js"]);
}

#[test]
fn an_entry_point_that_is_built_is_found_in_its_source() {
    let folder = crate::support::tree(&[
        (
            "package.json",
            r#"{"name": "todo", "main": "./dist/index.js", "bin": {"todo": "dist/cli/run.mjs", "old": "dist/gone.js"}}"#,
        ),
        ("src/index.ts", "export const a = 1;\n"),
        ("src/cli/run.ts", "export {};\n"),
    ]);
    let facts = crate::support::facts(folder.path());
    let found: Vec<String> = facts
        .entry_points
        .iter()
        .map(|it| format!("{} {} {}", it.kind, it.name, it.path))
        .collect();
    assert_eq!(
        found,
        ["binary todo src/cli/run.ts", "library todo src/index.ts"]
    );
}

#[test]
fn go_is_read() {
    let text = "package main\n\nimport (\n\t\"fmt\"\n\t\"example.org/shop/store\"\n)\n\ntype Cart struct{}\n\n\
        type Door interface{ Knock() }\n\nfunc (c *Cart) Add(n int) {}\n\nfunc main() { fmt.Println() }\n";
    let more = [
        ("go.mod", "module example.org/shop\n\ngo 1.22\n"),
        ("store/store.go", "package store\n"),
    ];
    let (symbols, imports) = seen("main.go", text, &more);
    assert_eq!(
        symbols,
        [
            "pub type Cart - 8", "pub interface Door - 10", "pub method Add Cart 12",
            "function main - 14"
        ]
    );
    assert_eq!(
        imports,
        ["fmt -> -", "example.org/shop/store -> store/store.go"]
    );
}

#[test]
fn java_is_read() {
    let text = "package a.b;\n\nimport a.b.c.Item;\nimport java.util.List;\n\npublic class Shop {\n  public void open() {}\n  \
        private int count() { return 0; }\n  enum Size { S }\n}\n";
    let (symbols, imports) = seen(
        "src/main/java/a/b/Shop.java",
        text,
        &[(
            "src/main/java/a/b/c/Item.java",
            "package a.b.c;\npublic class Item {}\n",
        )],
    );
    assert_eq!(
        symbols,
        [
            "pub type Shop - 6", "pub method open Shop 7", "method count Shop 8",
            "enum Size Shop 9"
        ]
    );
    assert_eq!(
        imports,
        [
            "a.b.c.Item -> src/main/java/a/b/c/Item.java",
            "java.util.List -> -"
        ]
    );
}

#[test]
fn c_and_cpp_are_read() {
    let text = "#include <stdio.h>\n#include \"shop.h\"\n#define MAX 3\n\nstruct cart { int n; };\n\n\
        static int *total(struct cart *c) { return 0; }\n\nint main(void) { return 0; }\n";
    let (symbols, imports) = seen("src/main.c", text, &[("include/shop.h", "struct x;\n")]);
    assert_eq!(
        symbols,
        [
            "macro MAX - 3", "pub type cart - 5", "function total - 7", "pub function main - 9"
        ]
    );
    assert_eq!(imports, ["<stdio.h> -> -", "\"shop.h\" -> include/shop.h"]);
    let text = "namespace shop {\nclass Cart {\n public:\n  int total() { return 0; }\n};\nint Cart::size() { return 1; }\n}\n";
    let (symbols, _) = seen("a.cpp", text, &[]);
    assert_eq!(
        symbols,
        [
            "pub module shop - 1", "pub type Cart shop 2", "pub method total Cart 4",
            "pub function size shop 6"
        ]
    );
}

#[test]
fn what_a_header_of_cpp_shows_is_public_and_its_guard_is_no_symbol() {
    let text = "#ifndef FOO_H\n#define FOO_H\nnamespace n {\nclass Foo {\n  int own() { return 2; }\n public:\n  int bar() { return 1; }\n protected:\n  int kept() { return 3; }\n};\nenum class Color { Red };\n}\nstruct Top { int x() { return 1; } };\n#define LIMIT 3\n#define FLAG\nnamespace { int lost() { return 1; } }\n#endif\n";
    let (symbols, _) = seen("foo.hpp", text, &[]);
    assert_eq!(
        symbols,
        [
            "pub module n - 3", "pub type Foo n 4", "method own Foo 5", "pub method bar Foo 7",
            "method kept Foo 9", "pub enum Color n 11", "pub type Top - 13", "pub method x Top 13",
            "pub macro LIMIT - 14", "pub macro FLAG - 15", "function lost - 16",
        ]
    );
    let text = "#if !defined(UTIL_H)\n#define UTIL_H\ntypedef struct buf { int n; } buf;\n#endif\n";
    let (symbols, _) = seen("util.h", text, &[]);
    let names: Vec<&str> = symbols
        .iter()
        .map(|it| it.split(' ').nth(2).unwrap())
        .collect();
    assert!(names.iter().all(|it| *it == "buf"), "{symbols:?}");
}

#[test]
fn a_function_with_several_signatures_is_one_symbol() {
    let text = "export function f(a: string): void;\nexport function f(a: number): void;\nexport function f(a: unknown) {\n}\nexport function g() {}\n";
    let (symbols, _) = seen("a.ts", text, &[]);
    assert_eq!(symbols, ["pub function f - 1", "pub function g - 5"]);
    let text = "from typing import overload\n\n@overload\ndef f(a: int): ...\n@overload\ndef f(a: str): ...\ndef f(a):\n    return a\n";
    let (symbols, _) = seen("a.py", text, &[]);
    assert_eq!(symbols, ["pub function f - 4"]);
}

#[test]
fn manifests_and_lock_files_give_dependencies_with_lines_and_versions() {
    let folder = tree(&[
        (
            "Cargo.toml",
            "[package]\nname = \"shop\"\nversion = \"1.2.0\"\n\n[dependencies]\nserde = { version = \"1\" }\n\n[dev-dependencies]\ntempfile = \"3\"\n",
        ),
        (
            "Cargo.lock",
            "[[package]]\nname = \"serde\"\nversion = \"1.0.219\"\n",
        ),
        (
            "web/package.json",
            "{\n  \"name\": \"web\",\n  \"dependencies\": {\n    \"react\": \"^18.2.0\"\n  }\n}\n",
        ),
        (
            "web/package-lock.json",
            "{\"packages\": {\"node_modules/react\": {\"version\": \"18.3.1\"}}}",
        ),
        (
            "tools/pyproject.toml",
            "[project]\nname = \"tools\"\ndependencies = [\n  \"requests>=2.31\",\n]\n",
        ),
        (
            "svc/go.mod",
            "module example.org/svc\n\nrequire github.com/lib/pq v1.10.9\n",
        ),
        (
            "app/pom.xml",
            "<project><artifactId>app</artifactId><dependencies><dependency><artifactId>junit</artifactId><version>4.13</version><scope>test</scope></dependency></dependencies></project>",
        ),
    ]);
    let facts = facts(folder.path());
    let lookup = Lookup::new(&facts);
    let one = |name: &str| {
        let all = lookup.dependency(name);
        assert_eq!(all.len(), 1, "{name}");
        (*all[0]).clone()
    };
    let serde = one("serde");
    assert_eq!(
        (serde.line, serde.wanted.as_deref(), &*serde.locked),
        (6, Some("1"), &["1.0.219".to_owned()][..])
    );
    assert_eq!(one("tempfile").kind, DependencyKind::Dev);
    assert_eq!(
        (one("react").line, &*one("react").locked),
        (4, &["18.3.1".to_owned()][..])
    );
    assert_eq!(one("requests").wanted.as_deref(), Some(">=2.31"));
    assert_eq!(one("github.com/lib/pq").wanted.as_deref(), Some("1.10.9"));
    assert_eq!(one("junit").kind, DependencyKind::Dev);
    let names: Vec<&str> = facts.components.iter().map(|it| &*it.name).collect();
    assert_eq!(names, ["shop", "app", "example.org/svc", "tools", "web"]);
}

#[test]
fn components_use_each_other_by_imports_and_manifests() {
    let folder = tree(&[
        (
            "a/Cargo.toml",
            "[package]\nname = \"a\"\n[dependencies]\nb = { path = \"../b\" }\n",
        ),
        ("a/src/main.rs", "use b::thing;\nfn main() {}\n"),
        ("b/Cargo.toml", "[package]\nname = \"b\"\n"),
        ("b/src/lib.rs", "pub mod thing;\n"),
        ("b/src/thing.rs", "pub fn x() {}\n"),
    ]);
    let facts = facts(folder.path());
    assert_eq!(facts.components[0].uses, ["b"]);
    assert!(facts.dependencies.is_empty());
    let entries: Vec<String> = facts
        .entry_points
        .iter()
        .map(|it| format!("{}:{} {}", it.path, it.line, it.kind))
        .collect();
    assert_eq!(entries, ["a/src/main.rs:2 main", "b/src/lib.rs:1 library"]);
    let lookup = Lookup::new(&facts);
    assert_eq!(
        lookup.dependants("b/src/thing.rs"),
        [("a/src/main.rs", 1), ("b/src/lib.rs", 1)]
    );
}

#[test]
fn the_same_files_give_the_same_bytes() {
    let files = [
        ("src/a.py", "def f(): pass\n# HACK: more\n"),
        ("src/b.js", "let x = 1;\n"),
        ("README.md", "# x\n"),
    ];
    let (one, two) = (tree(&files), tree(&files));
    let text = |folder: &tempfile::TempDir| {
        let mut facts = facts(folder.path());
        facts.name.clear();
        serde_json::to_string(&facts).unwrap()
    };
    assert_eq!(text(&one), text(&two));
    let facts = facts(one.path());
    assert_eq!(
        (facts.counts.files, facts.counts.lines, facts.counts.marks),
        (3, 4, 1)
    );
    write(one.path(), "src/a.py", "def g(): pass\n");
    assert_ne!(text(&one), text(&two));
    assert!(
        facts
            .files
            .iter()
            .flat_map(|it| &it.symbols)
            .all(|it| it.kind != SymbolKind::Macro)
    );
}
