//! What a model writes stays within its part of a page, and in blocks places are checked too.

use std::{fs, sync::Arc};

use superstep::model::script::{Script, Step};
use superstep_docgen::{
    AgentContext, Docgen, Profile, Request, claims, clean, facts::Lookup, material, mermaid,
};

use crate::support::{backends, document, facts, only, shop, tree};

#[tokio::test]
async fn headings_of_a_model_are_below_those_of_the_page() {
    let folder = shop();
    let request = Request::new(folder.path(), None).unwrap();
    let said = "---\ntitle: MINE\n---\n## Overview\n\n# Big\n\nClaims that were wrong\n-----\n\nNone of them.\n\nAll is well\n===\n\n ## Slanted\n\nText.\n";
    let mut settings = only(&["kpi"]);
    settings.refine.enable_self_questioning = false;
    let script = Arc::new(Script::new([Step::text(said)]));
    document(Some(script), settings, &request).await;
    let page = fs::read_to_string(request.output.join("kpi.md")).unwrap();
    let (_, analysis) = page.split_once("## Analysis\n").unwrap();
    // Facts follow.
    let (analysis, _) = analysis.split_once("\n## ").unwrap();
    let headings: Vec<&str> = analysis.lines().filter(|it| it.starts_with('#')).collect();
    assert!(
        headings.iter().all(|it| it.starts_with("###")),
        "{headings:?}"
    );
    assert!(headings.len() >= 2, "{headings:?}");
    let is_line = |line: &str| !line.is_empty() && line.chars().all(|c| c == '-' || c == '=');
    assert!(!page.lines().any(is_line), "{page}");
    assert!(analysis.contains("None of them."), "{analysis}");
}

#[test]
fn a_diagram_with_an_address_in_a_style_or_a_label_is_left_out() {
    for line in [
        "style A fill:url(https://evil.example/m)",
        "classDef c fill:URL(//evil.example/m)",
        "A[\"![x](https://evil.example/m)\"]",
    ] {
        let diagram = format!("flowchart TD\nA --> B\n{line}\n");
        assert!(mermaid::check(&diagram).is_err(), "{line}");
        let (text, left_out) = clean(&format!("```mermaid\n{diagram}```\n"));
        assert!(!text.contains("evil") && left_out.len() == 1, "{text}");
    }
}

#[test]
fn lines_behind_a_key_that_is_taken_out_keep_their_numbers() {
    let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n".repeat(30);
    let begin = ["-----BEGIN ", "PRIVATE KEY-----"].concat();
    let text = format!(
        "const KEY: &str = \"{begin}\n{body}-----END PRIVATE KEY-----\";\n\npub fn after() {{}}\n"
    );
    let folder = tree(&[("src/key.rs", &text)]);
    let facts = Arc::new(facts(folder.path()));
    assert_eq!(facts.file("src/key.rs").unwrap().symbols[1].line, 34);
    let context = AgentContext {
        root: folder.path().to_owned(),
        facts,
        room: 40_000,
        profile: Profile::Strong,
    };
    let shown = material::excerpt(&context, "src/key.rs", 1, 80).unwrap();
    assert!(shown.contains("   34 pub fn after() {}"), "{shown}");
    assert!(!shown.contains("MIIEv"), "{shown}");
    let shown = material::excerpt(&context, "src/key.rs", 33, 5).unwrap();
    assert!(shown.contains("after"), "{shown}");
}

#[test]
fn a_manifest_that_cannot_be_parsed_is_listed_as_not_read() {
    let folder = tree(&[
        ("package.json", "{\"dependencies\":{\"a\":\"1\""),
        ("sub/Cargo.toml", "[package\n"),
        ("good/package.json", "{\"name\":\"good\"}"),
    ]);
    let facts = facts(folder.path());
    assert_eq!(facts.skipped.counts["a manifest that cannot be parsed"], 2);
}

#[test]
fn a_prompt_has_a_room_that_makes_sense() {
    for room in [10, 99_999_999_999] {
        let mut settings = only(&["kpi"]);
        settings.room = room;
        let refused = Docgen::new(None, settings, backends()).err().unwrap();
        assert!(refused.to_string().contains("2,000,000"), "{refused}");
    }
}

#[test]
fn places_in_code_blocks_and_labels_numbers_in_words_and_kinds_are_checked() {
    let folder = shop();
    let facts = facts(folder.path());
    let lookup = Lookup::new(&facts);
    let check = |text: &str| claims::check(text, &lookup);
    for (said, now) in [
        (
            "```mermaid\nA[\"src/nowhere.rs:12\"] --> B\nC --> D\n```",
            "```mermaid\nC --> D\n```",
        ),
        (
            "```text\nsee src/cart.rs:900 here\n```",
            "```text\nsee src/cart.rs here\n```",
        ),
        (
            "```rust\nuse src/other.rs;\n```",
            "```rust\nuse src/other.rs;\n```",
        ),
        ("There are five hundred files.", "There are 4 files."),
        (
            "The project has twenty-five files in total.",
            "The project has 4 files in total.",
        ),
        ("There are four files.", "There are four files."),
        ("The class `total` adds.", ""),
        ("The function `Cart` opens.", ""),
        ("The method `total` adds.", "The method `total` adds."),
        (
            "The struct `Cart` has items.", "The struct `Cart` has items.",
        ),
    ] {
        assert_eq!(check(said).0, now, "{said}");
    }
}
