//! Every workbook of the project, read and written: how many of its parts are byte for byte as they were. The table in
//! `docs/sheets.md` has the same figures.

use std::path::{Path, PathBuf};

use superstep_workbook::OnLoad;

use crate::made::{operations, read};

/// All workbooks, by their paths.
const ALL: [&str; 6] = [
    "agents/sheets/demo/sales.xlsx",
    "crates/superstep-sandbox/tests/programs/sales.xlsx",
    "crates/superstep-workbook/tests/fixtures/opos_expected.xlsx",
    "crates/superstep-workbook/tests/fixtures/opos_input.xlsx",
    "fuzz/corpus/workbook/features.xlsx",
    "fuzz/corpus/workbook/small.xlsx",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The workbooks that are in a folder.
fn found(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let is_hidden = name.to_string_lossy().starts_with('.') || name == "target";
        if entry.file_type().unwrap().is_dir() {
            if !is_hidden {
                found(&path, all);
            }
        } else if path.extension().is_some_and(|it| it == "xlsx") {
            all.push(path);
        }
    }
}

#[test]
fn parts_that_nobody_touches_stay_byte_for_byte_as_they_were() {
    let root = root();
    let mut there = Vec::new();
    for folder in [
        "agents", "bench", "cli", "crates", "examples", "fuzz/corpus", "testing",
    ] {
        found(&root.join(folder), &mut there);
    }
    there.sort();
    let known: Vec<PathBuf> = ALL.iter().map(|path| root.join(path)).collect();
    assert_eq!(there, known, "a workbook is not in the list");
    let docs = std::fs::read_to_string(root.join("docs/sheets.md")).unwrap();
    let mut lines = Vec::new();
    let mut sum = (0, 0);
    for path in ALL {
        let bytes = std::fs::read(root.join(path)).unwrap();
        let book = read(bytes.clone());
        let parts = book.package().names().count();
        let same = book.write(OnLoad::Calculate).unwrap();
        assert_eq!(same.share.identical, parts, "{path}");
        let grid = book.sheets.iter().find(|sheet| sheet.is_grid).unwrap();
        let name = serde_json::to_string(&grid.name).unwrap();
        let set =
            format!(r#"[{{"op":"set","sheet":{name},"cell":"XA1","value":{{"number":1.5}}}}]"#);
        let after = book.apply(&operations(&set)).unwrap();
        let written = after.write(OnLoad::Calculate).unwrap();
        let again = read(written.bytes);
        // The share is counted again here, part by part.
        let identical = book.package().names().filter(|name| {
            let (one, other) = (book.package().part(name), again.package().part(name));
            one.unwrap() == other.unwrap()
        });
        let identical = identical.count();
        assert_eq!(written.share.identical, identical, "{path}");
        sum = (sum.0 + parts, sum.1 + identical);
        lines.push(format!("| `{path}` | {parts} | {parts} | {identical} |"));
    }
    lines.push(format!("| all | {} | {} | {} |", sum.0, sum.0, sum.1));
    for line in &lines {
        assert!(docs.contains(line), "{}", lines.join("\n"));
    }
}
