//! Which file an import means, and what a change of a file concerns.

use superstep_docgen::query;

use crate::support::{facts, tree};

/// Files that import a file directly.
fn importers(path: &str, files: &[(&str, &str)]) -> Vec<String> {
    let folder = tree(files);
    query::impact(&facts(folder.path()), path).unwrap().direct
}

#[test]
fn paths_of_tsconfig_mean_files_also_if_they_are_inherited() {
    let files = [
        ("src/lib/x.ts", "export const x = 1;\n"),
        ("src/main.ts", "import { x } from \"@/lib/x\";\n"),
        ("src/far.ts", "import { x } from \"lib/x\";\n"),
        ("src/one.ts", "import { x } from \"the-x\";\n"),
        (
            "tsconfig.json",
            "{ // settings\n \"extends\": \"./tsconfig.base\",\n}\n",
        ),
        (
            "tsconfig.base.json",
            "{ \"compilerOptions\": { \"baseUrl\": \"./src\", \"paths\": { \"*\": [\"none/*\"], \"@/*\": [\"gone/*\", \"*\"], \"the-x\": [\"lib/x.ts\"] } } }",
        ),
    ];
    assert_eq!(
        importers("src/lib/x.ts", &files),
        ["src/far.ts", "src/main.ts", "src/one.ts"]
    );
    let files = [
        ("app/src/x.js", "export const x = 1;\n"),
        ("app/src/main.js", "import { x } from \"~/x\";\n"),
        ("other/main.js", "import { x } from \"~/x\";\n"),
        (
            "app/jsconfig.json",
            "{\"compilerOptions\": {\"paths\": {\"~/*\": [\"./src/*\"]}}}",
        ),
    ];
    assert_eq!(importers("app/src/x.js", &files), ["app/src/main.js"]);
}

#[test]
fn an_import_within_a_function_is_one() {
    let files = [
        ("src/page.ts", "export const x = 1;\n"),
        ("src/a.ts", "const P = () => import(\"./page\");\n"),
        (
            "src/b.js",
            "function f() { if (x) { return require('./page').x; } }\n",
        ),
        ("src/c.ts", "import page = require(\"./page\");\n"),
        ("src/d.ts", "const n = \"page\"; import(`./${n}`);\n"),
    ];
    assert_eq!(
        importers("src/page.ts", &files),
        ["src/a.ts", "src/b.js", "src/c.ts"]
    );
    let files = [
        ("shop/cart.py", "x = 1\n"),
        (
            "shop/main.py",
            "def f():\n    from . import cart\n    return cart\n",
        ),
    ];
    assert_eq!(importers("shop/cart.py", &files), ["shop/main.py"]);
}

#[test]
fn a_package_of_the_code_base_is_imported_by_its_name() {
    let files = [
        (
            "package.json",
            "{\"name\": \"root\", \"workspaces\": [\"packages/*\"]}",
        ),
        (
            "packages/a/package.json",
            "{\"name\": \"@w/a\", \"dependencies\": {\"@w/b\": \"workspace:*\"}}",
        ),
        (
            "packages/a/src/index.ts",
            "import { f } from \"@w/b\";\nimport g from \"@w/b/deep/g\";\nimport c from 'c';\n",
        ),
        (
            "packages/b/package.json",
            "{\"name\": \"@w/b\", \"main\": \"dist/index.js\"}",
        ),
        ("packages/b/src/index.ts", "export function f() {}\n"),
        ("packages/b/src/deep/g.ts", "export default 1;\n"),
        (
            "packages/c/package.json",
            "{\"name\": \"c\", \"exports\": {\".\": {\"types\": \"./x.d.ts\", \"import\": \"./in.mjs\"}}}",
        ),
        ("packages/c/in.mjs", "export default 1;\n"),
    ];
    for path in [
        "packages/b/src/index.ts", "packages/b/src/deep/g.ts", "packages/c/in.mjs",
    ] {
        assert_eq!(
            importers(path, &files),
            ["packages/a/src/index.ts"],
            "{path}"
        );
    }
}

#[test]
fn all_files_of_a_package_of_go_are_imported_and_those_beside_it_by_name() {
    let files = [
        ("go.mod", "module m\n\ngo 1.22\n"),
        ("helper.go", "package main\n\nfunc helper() {}\n"),
        ("unused.go", "package main\n\nfunc unused() {}\n"),
        (
            "main.go",
            "package main\n\nimport \"m/pkg\"\n\nfunc main() { helper(); pkg.A() }\n",
        ),
        ("pkg/a.go", "package pkg\n\nfunc A() {}\n"),
        ("pkg/b.go", "package pkg\n\nfunc B() {}\n"),
        ("pkg/a_test.go", "package pkg\n\nfunc TestA() { A() }\n"),
    ];
    assert_eq!(importers("helper.go", &files), ["main.go"]);
    assert!(importers("unused.go", &files).is_empty());
    assert_eq!(importers("pkg/b.go", &files), ["main.go"]);
    assert_eq!(importers("pkg/a.go", &files), ["main.go", "pkg/a_test.go"]);
    assert!(importers("pkg/a_test.go", &files).is_empty());
    let folder = tree(&files);
    let impact = query::impact(&facts(folder.path()), "helper.go").unwrap();
    assert_eq!(impact.entry_points, ["main main.go:5"]);
}

#[test]
fn java_is_resolved_through_wildcards_static_imports_and_packages() {
    let files = [
        ("src/a/C.java", "package a;\npublic class C {}\n"),
        ("src/a/Unused.java", "package a;\npublic class Unused {}\n"),
        (
            "src/a/b/B.java",
            "package a.b;\npublic class B { public static int n; }\n",
        ),
        ("src/a/b/D.java", "package a.b;\npublic class D {}\n"),
        (
            "src/a/Main.java",
            "package a;\nimport a.b.*;\npublic class Main { public static void main(String[] x) { new B(); new C(); } }\n",
        ),
        (
            "src/x/One.java",
            "package x;\nimport static a.b.B.n;\npublic class One { int m = n; }\n",
        ),
        (
            "src/x/All.java",
            "package x;\nimport static a.b.B.*;\nimport y.C;\npublic class All { C c; }\n",
        ),
    ];
    assert_eq!(
        importers("src/a/b/B.java", &files),
        ["src/a/Main.java", "src/x/All.java", "src/x/One.java"]
    );
    assert_eq!(importers("src/a/C.java", &files), ["src/a/Main.java"]);
    for path in ["src/a/Unused.java", "src/a/b/D.java"] {
        assert!(importers(path, &files).is_empty(), "{path}");
    }
}

#[test]
fn what_is_not_seen_is_said_and_symbols_are_counted_with_those_that_are_public() {
    let folder = tree(&[
        (
            "Stock.java",
            "public class Stock {\n  public void add() {}\n  private void drop() {}\n}\n",
        ),
        ("old.rb", "puts 1\n"),
        ("data.json", "{}\n"),
    ]);
    let facts = facts(folder.path());
    let of = |path: &str| query::impact(&facts, path).unwrap();
    let stock = of("Stock.java");
    assert_eq!((stock.symbols.len(), stock.public), (3, 2));
    assert!(stock.unseen[1].contains("reflection"), "{:?}", stock.unseen);
    assert!(
        of("old.rb").unseen[0].contains("imports"),
        "{:?}",
        of("old.rb")
    );
    assert!(
        of("data.json").unseen[0].contains("path"),
        "{:?}",
        of("data.json")
    );
}
