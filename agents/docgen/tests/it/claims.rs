//! Claims of an analysis against the facts.

use superstep_docgen::{claims::check, clean, facts::Lookup};

use crate::support::{facts, shop};

fn checked(text: &str) -> (String, Vec<String>) {
    let folder = shop();
    let facts = facts(folder.path());
    let (text, report) = check(text, &Lookup::new(&facts));
    let sum = report.verified + report.fixed + report.removed + report.unverified;
    assert_eq!(report.made, sum, "{report:?}");
    let problems = report
        .problems
        .iter()
        .map(|it| format!("{}: {}", it.claim, it.why));
    (text, problems.collect())
}

#[test]
fn what_is_right_stays() {
    let text = "The `Cart` struct is in `src/cart.rs:3`. It depends on `serde` 1.0, see `Cargo.toml:6`.\n\n\
        - `total()` adds prices (`src/cart.rs:8`)\n- The folder `src` has the code.\n\nThe code base has 4 files.";
    let (kept, problems) = checked(text);
    assert_eq!((kept.as_str(), problems), (text, vec![]));
}

#[test]
fn an_invented_file_and_an_invented_dependency_are_removed_and_reported() {
    let text = "The cart is in `src/cart.rs`. Payments are in `src/payments.rs:10`. It depends on `left-pad` 1.3.0 for padding.\n\
        - Uses the crate `tokio` for tasks\n- Uses the crate `serde` for JSON";
    let (kept, problems) = checked(text);
    assert_eq!(
        kept,
        "The cart is in `src/cart.rs`.\n- Uses the crate `serde` for JSON"
    );
    assert_eq!(
        problems,
        [
            "src/payments.rs:10: there is no file src/payments.rs",
            "left-pad: no manifest asks for left-pad",
            "tokio: no manifest asks for tokio",
        ]
    );
}

#[test]
fn what_has_one_right_answer_is_put_right() {
    let table = [
        (
            "The `Cart` struct is in `src/cart.rs:90`.",
            "The `Cart` struct is in `src/cart.rs:3`.",
        ),
        ("See `lib/cart.rs` for it.", "See `lib/cart.rs` for it."),
        (
            "Prices are added in `cart.rs:8`.",
            "Prices are added in `src/cart.rs:8`.",
        ),
        (
            "The file `src/cart.rs:500` is long.",
            "The file `src/cart.rs` is long.",
        ),
        (
            "It uses `serde@2.5.0` for JSON.",
            "It uses `serde@1.0.219` for JSON.",
        ),
        ("The project has 12 files.", "The project has 4 files."),
        ("There are 7 Rust files.", "There are 2 Rust files."),
    ];
    for (text, right) in table {
        let (kept, problems) = checked(text);
        match text.contains("lib/") {
            true => assert_eq!((kept.as_str(), problems.len()), ("", 1), "{text}"),
            false => assert_eq!((kept.as_str(), problems.len()), (right, 1), "{text}"),
        }
    }
}

#[test]
fn a_symbol_that_is_nowhere_is_removed_only_where_it_is_cited_as_defined() {
    let (kept, problems) = checked(
        "The function `refund()` at `src/cart.rs:8` pays back. A `HashMap` may hold items.",
    );
    assert_eq!(kept, "A `HashMap` may hold items.");
    assert_eq!(problems, ["refund(): nothing is called refund"]);
}

#[test]
fn a_heading_has_only_what_the_facts_confirm() {
    for (heading, right) in [
        ("## Overview", "## Overview"),
        (
            "## The `Cart` in `src/cart.rs`",
            "## The `Cart` in `src/cart.rs`",
        ),
        (
            "## `src/nowhere.rs:3` is the core with `reqwest` 9.9",
            "## Notes",
        ),
        (
            "### The file `src/door.rs:44` opens `close_door`",
            "### Notes",
        ),
        ("## Errors (`src/nowhere.rs:3`)", "## Errors"),
        (
            "## `serde` 9.9.9 in all 500 files",
            "## `serde` 1.0.219 in all 4 files",
        ),
        ("## Payments in src/nowhere.rs", "## Notes"),
        ("## The crate `reqwest`", "## Notes"),
    ] {
        let (kept, problems) = checked(&format!("{heading}\n\nText."));
        assert_eq!(kept, format!("{right}\n\nText."), "{heading}");
        assert_eq!(
            problems.is_empty(),
            heading == right,
            "{heading}: {problems:?}"
        );
    }
}

#[test]
fn code_and_what_is_no_claim_is_left_alone() {
    let text = "```sh\ncat src/none.rs\n```\nIt answers with `application/json` and/or text, 3 files at a time, at `http://x/y.rs`.";
    assert_eq!(checked(text), (text.to_owned(), vec![]));
}

#[test]
fn no_trick_with_backticks_lines_or_fences_brings_a_link_or_a_diagram_through() {
    for (text, clear) in [
        ("a ``` [x](http://evil) `", "a ''' x '"),
        ("\\` [x](http://evil) `", "\\' x '"),
        ("[x](\nhttp://evil)", "[x] (\n`http://evil)`"),
        ("[x\ny](http://evil)", "[x\ny] (`http://evil)`"),
        ("[x]: http://evil\n[x][x]", "[x] : `http://evil`\n[x][x]"),
        (
            "see http://evil/a, or (www.evil)",
            "see `http://evil/a,` or (`www.evil)`",
        ),
        (
            "> ```mermaid\n> click\n> ```", "> '''mermaid\n> click\n> '''",
        ),
        ("- ```mermaid\n  click\n", "- '''mermaid\n  click"),
        ("~~~mermaid\nclick\n~~~", "~mermaid\nclick\n~"),
        (
            "`a` and ``b ` c`` and `[k](v)`",
            "`a` and ``b ` c`` and `[k](v)`",
        ),
    ] {
        assert_eq!(clean(text).0, clear, "{text}");
    }
}

#[test]
fn markdown_of_a_model_can_do_nothing() {
    let text = "# Title\n<script>alert(1)</script> ![p](http://evil/x.png) [click](javascript:x) `<ok>`\n\
        API_KEY=hunter2-hunter2-x9\n\
        ```mermaid\nflowchart TD\n  a --> b\n  click a \"http://evil\"\n```\n```mermaid\nflowchart LR\n  a --> b\n```\nopen ` tick";
    let (kept, warnings) = clean(text);
    for bad in ["<script", "evil", "javascript", "hunter2"] {
        assert!(!kept.contains(bad), "{bad} in {kept}");
    }
    assert!(
        kept.contains("`<ok>`") && kept.contains("flowchart LR") && kept.contains("open ' tick"),
        "{kept}"
    );
    assert_eq!(warnings.len(), 1, "{warnings:?}");
}

#[test]
fn a_claim_in_a_sentence_without_end_is_checked_and_the_rest_stays() {
    let words = "many words ".repeat(2_000);
    let (kept, problems) = checked(&format!("{words}and payments in `src/payments.rs:10`"));
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(words.starts_with(&kept) && kept.len() > words.len() / 2);
    let ticks = "x`y".repeat(4_000);
    let (kept, problems) = checked(&ticks);
    assert_eq!((kept, problems), (ticks, vec![]));
    let row = format!("| {} | `src/payments.rs:10` |", "a ".repeat(2_000));
    assert_eq!(checked(&row).0, "");
}

#[test]
fn lines_in_words_are_held_against_the_file_and_what_is_denied_is_not_confirmed() {
    for text in [
        "`src/cart.rs` (lines 100-200) adds prices.",
        "See line 500 in `src/cart.rs`.",
        "Lines 1 to 900 of `src/cart.rs` add prices.",
    ] {
        let (kept, problems) = checked(text);
        assert_eq!((kept.as_str(), problems.len()), ("", 1), "{text}");
    }
    let folder = shop();
    let facts = facts(folder.path());
    let lookup = Lookup::new(&facts);
    for (text, verified) in [
        ("See line 3 in `src/cart.rs`.", 1),
        ("Lines 1 to 3 of `src/cart.rs` add prices.", 1),
        ("The file `src/cart.rs` does not exist.", 0),
    ] {
        let (kept, report) = check(text, &lookup);
        assert_eq!((kept.as_str(), report.verified), (text, verified), "{text}");
    }
}
