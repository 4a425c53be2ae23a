//! Versions and dependencies that an analysis names.

use superstep_docgen::{claims::check, facts::Lookup};

use crate::support::{facts, tree};

fn judged(table: &[(&str, &str)]) {
    let folder = tree(&[
        (
            "package.json",
            "{\n  \"name\": \"app\",\n  \"version\": \"0.3.1\",\n  \"dependencies\": {\n    \"express\": \"^4.19.0\",\n    \"@scope/util\": \"1.0.0\",\n    \
             \"evil\": \"1 <img src=x>\"\n  }\n}\n",
        ),
        (
            "package-lock.json",
            "{\"packages\": {\"node_modules/express\": {\"version\": \"4.19.2\"}, \"node_modules/@scope/util\": {\"version\": \"1.0.0\"}, \
             \"node_modules/debug\": {\"version\": \"2.6.9\"}}}\n",
        ),
        (
            "requirements.txt",
            "flask>=2.3,<4\nsqlalchemy==2.0.30\nrequests>=2.31\n",
        ),
        (
            "Cargo.toml",
            "[package]\nname = \"tool\"\nversion = \"0.1.0\"\n\n[dependencies]\nserde = \"1\"\n",
        ),
        (
            "Cargo.lock",
            "[[package]]\nname = \"serde\"\nversion = \"1.0.203\"\n",
        ),
        ("src/main.rs", "fn main() {}\n"),
    ]);
    let facts = facts(folder.path());
    let lookup = Lookup::new(&facts);
    for (text, right) in table {
        let (kept, it) = check(text, &lookup);
        let is_same = *right == "=";
        let right = if is_same { text } else { right };
        assert_eq!(kept.as_str(), *right, "{text}: {it:?}");
        let is_touched = it.fixed + it.removed > 0;
        assert_eq!(is_touched, !is_same, "{text}: {it:?}");
    }
}

#[test]
fn a_version_next_to_a_known_name_is_put_right() {
    judged(&[
        ("`express` (4.18.0) serves.", "`express` (4.19.2) serves."),
        ("`express` 4.18.0 is used.", "`express` 4.19.2 is used."),
        ("`express@4.18.0` is used.", "`express@4.19.2` is used."),
        ("`express` ^4.18.0 is used.", "`express` ^4.19.0 is used."),
        (
            "Uses Express 4.17 to serve.",
            "Uses Express 4.19.2 to serve.",
        ),
        ("`@scope/util` 2.0.0 helps.", "`@scope/util` 1.0.0 helps."),
        ("`debug` 3.0.0 is locked.", "`debug` 2.6.9 is locked."),
        (
            "The version of `serde` is 3.3.3.",
            "The version of `serde` is 1.0.203.",
        ),
        (
            "It pins `serde` to version 3.3.3.",
            "It pins `serde` to version 1.0.203.",
        ),
        ("`serde` (v3.3.3) is used.", "`serde` (v1.0.203) is used."),
        (
            "Version 3.3.3 of `serde` is used.",
            "Version 1.0.203 of `serde` is used.",
        ),
        (
            "`sqlalchemy==1.4` is asked for.",
            "`sqlalchemy==2.0.30` is asked for.",
        ),
        (
            "`flask` 3.9 is the lowest.",
            "`flask` >=2.3,<4 is the lowest.",
        ),
        ("`requests@2.99.0` is used.", "`requests>=2.31` is used."),
        (
            "`express` is locked at 4.19.0.",
            "`express` is locked at 4.19.2.",
        ),
    ]);
}

#[test]
fn a_version_that_cannot_be_put_right_costs_its_sentence() {
    judged(&[
        // Nothing is locked.
        ("`requests` is locked at 2.99.0.", ""),
        // What the manifest asks for is nothing to write.
        ("`evil` 3.0.0 is used.", ""),
    ]);
}

#[test]
fn a_row_of_a_table_of_versions_is_checked() {
    judged(&[
        (
            "| name | version |\n|---|---|\n| `express` | 4.18.0 |\n| `lodash` | 4.17.21 |\n| `serde` | 1.0.203 |",
            "| name | version |\n|---|---|\n| `express` | 4.19.2 |\n| `serde` | 1.0.203 |",
        ),
        ("| what | much |\n|---|---|\n| `throughput` | 1.5 |", "="),
    ]);
}

#[test]
fn a_version_that_is_a_part_of_what_is_asked_for_or_locked_is_true() {
    judged(&[
        ("`flask` 2.3 is the lowest.", "="),
        ("`flask>=2.3,<4` is asked for.", "="),
        ("`flask` >=2.3 is asked for.", "="),
        ("`express` 4.19 and `express` ^4.19.0 are right.", "="),
        ("`serde` 1.0 and `serde` 1 are right.", "="),
        ("`sqlalchemy==2.0.30` is asked for.", "="),
        ("The package `app` 0.3.1 is this one.", "="),
        ("`serde` makes it 2.5 times as fast.", "="),
    ]);
}

#[test]
fn a_dependency_that_nobody_asks_for_is_found_in_prose() {
    judged(&[
        ("`lodash` is a dependency.", ""),
        ("`redis` is used as a dependency.", ""),
        ("`hyper` is a dependency (`Cargo.toml:6`).", ""),
        ("`rand` is declared in `Cargo.toml:6`.", ""),
        ("It depends on `serde`, `reqwest` and `hyper`.", ""),
        ("It depends on `serde`, `express` and `flask`.", "="),
        ("It no longer depends on `lodash`.", "="),
        ("`lodash` is not a dependency.", "="),
        (
            "`serde` is declared in `Cargo.toml:2`.",
            "`serde` is declared in `Cargo.toml:6`.",
        ),
    ]);
}
