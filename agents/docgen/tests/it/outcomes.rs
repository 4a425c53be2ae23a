//! How a documentation ends: keys that are refused, budgets that are too small, pages of agents that are not known.

use std::{fs, sync::Arc};

use superstep::{
    model::{
        Budget, ManagedModel, Policy,
        call::Limits,
        script::{FailureKind, Script, Step, Tokens},
    },
    sqlite::Database,
};
use superstep_docgen::{Docgen, Metadata, Request, agents::custom_agents, facts::Order, scan};

use crate::support::{backends, document, facts, model, only, shop, tree, write};

#[tokio::test]
async fn a_key_that_is_refused_stops_all_agents_and_nothing_written_is_failed() {
    let folder = shop();
    let request = Request::new(folder.path(), None).unwrap();
    let script = Arc::new(Script::new([Step::error(FailureKind::Auth).always()]));
    let mut settings = only(&["kpi", "technical-debt", "file-structure"]);
    settings.at_once = 1;
    let outcome = document(Some(script.clone()), settings, &request).await;
    assert_eq!(script.seen().len(), 1);
    assert_eq!((outcome.status.as_str(), outcome.calls), ("failed", 1));
    assert_eq!(outcome.refused.as_deref(), Some("SS5001"));
    assert_eq!(outcome.failed.len(), 3);
    assert!(
        outcome.failed["kpi"].contains("key"),
        "{:?}",
        outcome.failed
    );
    assert_eq!(outcome.ran.len(), 1);
    let index = fs::read_to_string(request.output.join("index.md")).unwrap();
    assert!(index.contains("Facts alone"), "{index}");
}

#[tokio::test]
async fn an_agent_that_made_no_call_did_not_run_and_what_a_call_needs_is_said() {
    let folder = shop();
    let request = Request::new(folder.path(), None).unwrap();
    let script = model("Fine.", &[85.0]);
    let limits = Limits {
        tokens: Some(1_500),
        ..Limits::default()
    };
    let managed = ManagedModel::new(script.clone(), Policy::default()).within(Budget::new(limits));
    let outcome = document(Some(Arc::new(managed)), only(&["kpi"]), &request).await;
    assert_eq!(script.seen().len(), 0);
    assert!(outcome.ran.is_empty());
    assert_eq!(outcome.unasked, ["kpi"]);
    assert_eq!(outcome.status, "failed");
    assert!(outcome.needs_tokens.unwrap() > 4_000);
    let changelog = fs::read_to_string(request.output.join("changelog.md")).unwrap();
    assert!(!changelog.contains("Agents that ran"), "{changelog}");
}

#[tokio::test]
async fn tokens_that_nobody_counted_are_said_to_be_estimated() {
    let folder = shop();
    let request = Request::new(folder.path(), None).unwrap();
    let mut settings = only(&["kpi"]);
    settings.refine.enable_self_questioning = false;
    let step = Step {
        usage: Tokens::Absent,
        ..Step::text("## Overview\n\nThe cart.")
    };
    let script = Arc::new(Script::new([step]));
    let managed = ManagedModel::new(script, Policy::default());
    let outcome = document(Some(Arc::new(managed)), settings, &request).await;
    assert!(outcome.estimated && outcome.tokens > 100, "{outcome:?}");
    let json = serde_json::to_value(&outcome).unwrap();
    let of = |key: &str| json[key].as_u64().unwrap();
    assert!(of("input_tokens") > 0 && of("output_tokens") > 0, "{json}");
    assert_eq!(of("input_tokens") + of("output_tokens"), of("tokens"));
    assert_eq!(of("cost_micro_usd"), of("micros"));
}

#[tokio::test]
async fn the_page_of_an_agent_of_a_file_stays_when_the_file_is_not_named() {
    let folder = shop();
    let request = Request::new(folder.path(), None).unwrap();
    let file = "[[agents]]\nname = \"ease\"\ntitle = \"Ease of use\"\nsystem = \"Review it.\"\ncriteria = [\"Keys\"]\nmaterial = [\"tree\"]\n";
    let mut settings = only(&["kpi"]);
    settings.refine.enable_self_questioning = false;
    let known = settings.clone();
    settings.agents = custom_agents(file).unwrap();
    document(Some(model("It is easy.", &[])), settings.clone(), &request).await;
    let page = fs::read_to_string(request.output.join("ease.md")).unwrap();
    assert!(page.starts_with("# Ease of use\n") && page.contains("It is easy."));
    document(Some(model("Fine.", &[])), known.clone(), &request).await;
    assert_eq!(
        fs::read_to_string(request.output.join("ease.md")).unwrap(),
        page
    );
    let again = model("It is easy.", &[]);
    document(Some(again.clone()), settings, &request).await;
    assert_eq!(again.seen().len(), 0);
    // Facts alone replace analyses only if somebody says so, and then it is told.
    let alone = Request {
        no_model: true,
        force: true,
        ..request.clone()
    };
    document(None, known, &alone).await;
    assert!(!request.output.join("ease.md").exists());
    let changelog = fs::read_to_string(request.output.join("changelog.md")).unwrap();
    assert!(
        changelog.contains("- Pages that are gone: ease"),
        "{changelog}"
    );
}

#[tokio::test]
async fn keys_that_a_model_repeats_are_not_in_the_database() {
    let folder = shop();
    let request = Request::new(folder.path(), None).unwrap();
    let key = format!("ghp_{}", "abcdefghijklmnopqrstuvwxyz0123456789");
    let said = format!("The key {key} is in the code.");
    let place = tempfile::tempdir().unwrap();
    let database = Database::open(place.path().join("docs.db")).unwrap();
    let backends = superstep::Backends {
        saver: Some(Arc::new(database.saver())),
        ..backends()
    };
    let mut settings = only(&["kpi"]);
    settings.refine.enable_self_questioning = false;
    let docgen = Docgen::new(Some(model(&said, &[])), settings, backends).unwrap();
    let input = docgen.document(request.clone());
    let done = docgen
        .graph()
        .run("t", input)
        .await
        .unwrap()
        .done()
        .unwrap();
    assert_eq!(done.outcome.as_ref().unwrap().status, "success");
    drop(docgen);
    drop(database);
    for file in fs::read_dir(place.path()).unwrap() {
        let bytes = fs::read(file.unwrap().path()).unwrap();
        let has = bytes.windows(key.len()).any(|part| part == key.as_bytes());
        assert!(!has);
    }
}

#[tokio::test]
async fn another_documentation_is_not_read_as_code() {
    let folder = shop();
    let gen_docs = folder.path().join("documentation/gen");
    let mut request = Request::new(folder.path(), Some(&gen_docs)).unwrap();
    request.no_model = true;
    document(None, only(&["kpi"]), &request).await;
    let seen = facts(folder.path());
    assert_eq!(seen.counts.files, 4);
    assert_eq!(seen.skipped.counts["a documentation by superstep"], 1);
    write(
        folder.path(),
        "data/metadata.json",
        "{\"format\": \"other\"}",
    );
    assert_eq!(facts(folder.path()).counts.files, 5);
}

#[test]
fn folders_that_are_nested_too_deep_are_said_to_be_not_read() {
    let deep: Vec<String> = (0..6).map(|it| format!("f{it}")).collect();
    let folder = tree(&[
        ("a.py", "x = 1\n"),
        (&format!("{}/b.py", deep.join("/")), "y = 1\n"),
    ]);
    let mut order = Order::default();
    order.limits.depth = 4;
    let seen = scan(folder.path(), &order).unwrap();
    assert_eq!(seen.counts.files, 1);
    assert_eq!(seen.skipped.counts["a folder nested too deep"], 1);
    assert_eq!(seen.skipped.first[0].path, "f0/f1/f2/f3");
}

#[tokio::test]
async fn a_page_without_facts_says_so() {
    let folder = tree(&[("notes.txt", "nothing\n")]);
    let mut request = Request::new(folder.path(), None).unwrap();
    request.no_model = true;
    document(None, only(&["data-contracts"]), &request).await;
    let page = fs::read_to_string(request.output.join("data-contracts.md")).unwrap();
    assert!(
        page.contains("The facts have nothing for this page."),
        "{page}"
    );
    assert_eq!(
        Metadata::read(&request.output).unwrap().unwrap().status,
        "facts"
    );
}

#[tokio::test]
async fn an_input_without_a_folder_is_refused_and_the_outcome_stays() {
    let folder = shop();
    let request = Request::new(folder.path(), None).unwrap();
    let docgen = Docgen::new(None, only(&["kpi"]), backends()).unwrap();
    let input = docgen.document(request);
    let done = docgen.graph().run("t", input).await.unwrap();
    let done = done.done().unwrap();
    let input = serde_json::json!({"messages": [{"role": "user", "content": "again"}]});
    let options = superstep::RunOptions::on("t");
    let again = docgen.graph().dynamic().invoke(input, &options).await;
    assert_eq!(again.unwrap_err().code(), "SS7802");
    let now = docgen.graph().state("t").await.unwrap().state;
    assert_eq!(now.outcome, done.outcome);
}
