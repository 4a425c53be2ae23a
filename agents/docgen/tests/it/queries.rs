//! Questions that are answered from facts, and what pages list of them.

use superstep_docgen::{diagrams, query};

use crate::support::{facts, tree};

fn service() -> tempfile::TempDir {
    tree(&[
        (
            "go.mod",
            "module example.com/svc\n\nrequire github.com/x/flask v2.3.0\n",
        ),
        (
            "cmd/svc/main.go",
            "package main\n\nimport \"example.com/svc/internal/store\"\n\nfunc main() {\n\tstore.Open()\n}\n",
        ),
        (
            "internal/store/store.go",
            "package store\n\nimport \"errors\"\n\nvar ErrNoAddr = errors.New(\"no address\")\n\nvar limit = 3\n\nfunc Open() {}\n",
        ),
        (
            "internal/store/store_test.go",
            "package store\n\nfunc TestOpen() {}\n",
        ),
        (
            "py/errors.py",
            "class ShopError(Exception):\n    pass\n\nclass OutOfStock(ShopError):\n    pass\n\nclass Gone(OutOfStock, metaclass=M):\n    pass\n\nclass Order:\n    pass\n",
        ),
        ("py/use.py", "from errors import Gone\n"),
        (
            "ts/a.ts",
            "import { AppError } from './b';\nexport class NotFound extends AppError<string> {\n  static of(): NotFound { return new NotFound(); }\n  private hidden(): void {}\n}\n",
        ),
        ("ts/b.ts", "export class AppError extends Error {}\n"),
    ])
}

#[test]
fn types_of_errors_are_found_by_what_they_extend_and_in_go_by_their_names() {
    let folder = service();
    let facts = facts(folder.path());
    let hits = query::find(&facts, "Where are errors defined?", 20);
    let names: Vec<&str> = hits.iter().map(|it| &*it.name).collect();
    for name in [
        "ShopError", "OutOfStock", "Gone", "NotFound", "AppError", "ErrNoAddr",
    ] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    assert!(
        !names.contains(&"Order") && !names.contains(&"limit"),
        "{names:?}"
    );
}

#[test]
fn questions_find_what_starts_who_imports_how_many_there_are_and_which_version_it_is() {
    let folder = service();
    let facts = facts(folder.path());
    let first = |question: &str| {
        query::find(&facts, question, 20)
            .into_iter()
            .next()
            .unwrap()
    };
    let start = first("What starts the server?");
    assert_eq!(
        (&*start.kind, &*start.place),
        ("entry point", "cmd/svc/main.go:5")
    );
    let figure = first("How many files are there?");
    assert_eq!(figure.kind, "figure");
    assert!(
        figure.name.starts_with("8 files in 6 folders"),
        "{}",
        figure.name
    );
    let version = first("Which version of flask is used?");
    assert!(version.about.contains("locked 2.3.0"), "{version:?}");
    let importer = first("who uses errors.py");
    assert_eq!(
        (&*importer.kind, &*importer.name),
        ("importer", "py/use.py")
    );
    let hits = query::find(&facts, "der", 20);
    assert!(hits.is_empty(), "{hits:?}");
}

#[test]
fn tests_of_a_package_of_go_and_components_of_a_manifest_are_concerned() {
    let folder = service();
    let facts = facts(folder.path());
    let impact = query::impact(&facts, "internal/store/store.go").unwrap();
    assert_eq!(impact.tests, ["internal/store/store_test.go"]);
    let folder = tree(&[
        ("Cargo.toml", "[workspace]\nmembers = [\"a\", \"b\"]\n"),
        (
            "a/Cargo.toml",
            "[package]\nname = \"a\"\nversion = \"0.1.0\"\n",
        ),
        ("a/src/lib.rs", "pub fn a() {}\n"),
        (
            "b/Cargo.toml",
            "[package]\nname = \"b\"\nversion = \"0.1.0\"\n\n[dependencies]\na = { path = \"../a\" }\n",
        ),
        ("b/src/lib.rs", "pub fn b() {}\n"),
    ]);
    let facts = crate::support::facts(folder.path());
    let impact = query::impact(&facts, "a/Cargo.toml").unwrap();
    assert_eq!(impact.components, ["a", "b"]);
}

#[test]
fn a_class_diagram_has_what_extends_what_and_static_methods() {
    let folder = service();
    let facts = facts(folder.path());
    let diagram = diagrams::types(&facts).unwrap().diagram;
    for text in [
        "ShopError <|-- OutOfStock", "AppError <|-- NotFound", "+of()",
    ] {
        assert!(diagram.contains(text), "{text}: {diagram}");
    }
    assert!(!diagram.contains("hidden"), "{diagram}");
    superstep_docgen::mermaid::check(&diagram).unwrap();
}

#[test]
fn a_flow_diagram_has_all_imports_between_its_files_and_counts_the_others() {
    let mut files = vec![
        (
            "package.json".to_owned(),
            "{\"name\": \"x\", \"main\": \"src/index.ts\"}".to_owned(),
        ),
        ("src/z.ts".to_owned(), "export const z = 1;\n".to_owned()),
    ];
    let mut index = String::new();
    for number in 0..60 {
        index.push_str(&format!("import './m{number:02}';\n"));
        files.push((
            format!("src/m{number:02}.ts"),
            "import './z';\nexport const m = 1;\n".to_owned(),
        ));
    }
    files.push(("src/index.ts".to_owned(), format!("import './z';\n{index}")));
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (&**path, &**text))
        .collect();
    let folder = tree(&files);
    let flow = diagrams::flow(&facts(folder.path())).unwrap();
    // The entry point, 60 modules and one more, of which 40 are drawn.
    assert_eq!(flow.left_out, 22);
    let edges = flow.diagram.matches("-->").count();
    // From the entry point to 39 files, and from 38 of these to the last.
    assert_eq!(edges, 39 + 38, "{}", flow.diagram);
}

#[test]
fn a_class_diagram_prefers_types_that_extend_each_other_and_counts_the_others() {
    let mut text = String::from("export class Base {}\nexport class Timeout extends Base {}\n");
    for number in 0..15 {
        text.push_str(&format!("export class T{number:02} {{\n  go() {{}}\n}}\n"));
    }
    let folder = tree(&[("a.ts", &text)]);
    let types = diagrams::types(&facts(folder.path())).unwrap();
    assert!(types.diagram.contains("Base <|-- Timeout"), "{types:?}");
    assert_eq!(types.left_out, 5);
    let agents = superstep_docgen::agents::standard_agents();
    let pages = agents
        .iter()
        .map(|it| it.facts_markdown(&facts(folder.path())));
    let pages: Vec<String> = pages.collect();
    let said = "of the public types 5 more are not drawn.";
    assert!(pages.iter().any(|it| it.contains(said)), "{pages:?}");
}

#[test]
fn how_many_is_answered_for_a_file_and_for_tests() {
    let folder = service();
    let facts = facts(folder.path());
    let names = |question: &str| -> Vec<String> {
        let hits = query::find(&facts, question, 20).into_iter();
        hits.map(|it| it.name).collect()
    };
    assert_eq!(
        names("how many lines has store.go?"),
        ["internal/store/store.go: 9 lines, 3 symbols, 0 marks"]
    );
    assert_eq!(
        names("how many tests?"),
        ["1 test file, 13 symbols, 0 marks"]
    );
}

#[test]
fn errors_that_are_not_public_are_listed_as_such() {
    let folder = tree(&[(
        "A.java",
        "class StockException extends RuntimeException {}\nclass B {}\n",
    )]);
    let agents = superstep_docgen::agents::standard_agents();
    let page = agents.iter().find(|it| it.name() == "error-handling");
    let page = page.unwrap().facts_markdown(&facts(folder.path()));
    assert!(
        page.contains("| `StockException` | type | `A.java:1` | no |"),
        "{page}"
    );
}

#[test]
fn a_file_that_was_not_read_has_no_lines_to_list() {
    let huge = "x = 1\n".repeat(300_000);
    let folder = tree(&[("huge.py", &huge), ("a.py", "x = 1\n")]);
    let facts = facts(folder.path());
    assert_eq!((facts.counts.lines, facts.counts.uncounted), (1, 1));
    let agents = superstep_docgen::agents::standard_agents();
    let pages: Vec<String> = agents.iter().map(|it| it.facts_markdown(&facts)).collect();
    assert!(pages.iter().all(|it| !it.contains("| `huge.py` | 0 |")));
    let said = "| files whose lines are not counted | 1 |";
    assert!(pages.iter().any(|it| it.contains(said)), "{pages:?}");
    let hits = query::find(&facts, "how many lines has huge.py", 9);
    assert!(hits[0].name.contains("not counted"), "{hits:?}");
}
