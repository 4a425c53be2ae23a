//! Pages that are kept while the code base changes.

use std::fs;

use superstep_docgen::{Metadata, Request, Settings, claims::ClaimReport};

use crate::support::{document, model, only, shop, write};

fn quick(agent: &str) -> Settings {
    let mut settings = only(&[agent]);
    settings.refine.enable_self_questioning = false;
    settings
}

fn claims(request: &Request) -> ClaimReport {
    let metadata = Metadata::read(&request.output).unwrap().unwrap();
    metadata.agent("kpi").unwrap().metadata.claims.clone()
}

#[tokio::test]
async fn a_kept_page_follows_a_definition_that_moved() {
    let folder = shop();
    let request = Request::new(folder.path(), None).unwrap();
    let said = "`total` is defined at `src/cart.rs:8`. The enum `CartError`, defined at `src/cart.rs:14`, is small. \
        Items are `Vec` (`src/cart.rs:4`). See `src/cart.rs:16`.";
    document(Some(model(said, &[])), quick("kpi"), &request).await;
    let before = fs::read_to_string(request.output.join("kpi.md")).unwrap();
    assert!(before.contains("src/cart.rs:8`"), "{before}");
    let report = claims(&request);
    assert_eq!((report.fixed, report.removed, report.unverified), (0, 0, 0));

    let text = fs::read_to_string(folder.path().join("src/cart.rs")).unwrap();
    write(
        folder.path(),
        "src/cart.rs",
        &format!("{}{text}", "//\n".repeat(5)),
    );
    document(Some(model(said, &[])), quick("error-handling"), &request).await;
    let after = fs::read_to_string(request.output.join("kpi.md")).unwrap();
    assert!(
        after.contains("`total` is defined at [`src/cart.rs:13`](../src/cart.rs#L13)"),
        "{after}"
    );
    assert!(
        after.contains("`CartError`, defined at [`src/cart.rs:19`](../src/cart.rs#L19)"),
        "{after}"
    );
    // Lines that moved are cited where they are now.
    assert!(
        after.contains("Items are `Vec` ([`src/cart.rs:9`](../src/cart.rs#L9))"),
        "{after}"
    );
    let report = claims(&request);
    assert_eq!((report.fixed, report.removed, report.unverified), (0, 0, 0));
}

#[tokio::test]
async fn a_kept_page_of_a_file_that_shrank_has_no_broken_link_and_no_stray_bracket() {
    let folder = shop();
    let request = Request::new(folder.path(), None).unwrap();
    let said = "Text.\n\n## Cart of `total`\n\nThe `CartError` (`src/cart.rs:14`) is small. See `src/cart.rs:11` too.";
    document(Some(model(said, &[])), quick("kpi"), &request).await;
    write(
        folder.path(),
        "src/cart.rs",
        "pub struct Cart;\n\npub enum CartError {}\n",
    );
    let outcome = document(Some(model(said, &[])), quick("error-handling"), &request).await;
    assert_eq!(outcome.broken_links, 0);
    let page = fs::read_to_string(request.output.join("kpi.md")).unwrap();
    assert!(
        page.contains("([`src/cart.rs:3`](../src/cart.rs#L3)) is small"),
        "{page}"
    );
    assert!(
        page.contains("See [`src/cart.rs`](../src/cart.rs) too"),
        "{page}"
    );
    let problems = claims(&request).problems;
    assert!(
        problems.iter().any(|it| it.claim == "src/cart.rs:14"),
        "{problems:?}"
    );
    // Titles go to the index: one that was right is no more.
    let index = fs::read_to_string(request.output.join("index.md")).unwrap();
    assert!(
        !page.contains("of `total`\n") && !index.contains("of `total`"),
        "{page}\n{index}"
    );
}
