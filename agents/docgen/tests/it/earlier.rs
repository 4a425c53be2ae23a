//! Agents that cannot run, or not to their end: what was paid for stays, and it is said what it took.

use std::{fs, path::Path, sync::Arc};

use serde_json::json;
use superstep::model::{
    Budget, Finish, ManagedModel, Model, Policy,
    call::Limits,
    script::{FailureKind, Script, Step, When},
};
use superstep_docgen::{Metadata, Request};

use crate::support::{document, files, model, only, shop, write};

const SAID: &str = "The cart is in `src/cart.rs:3`.";

fn request(folder: &Path) -> Request {
    Request::new(folder, None).unwrap()
}

fn kpi(request: &Request) -> superstep_docgen::AgentResult {
    let metadata = Metadata::read(&request.output).unwrap().unwrap();
    metadata.agent("kpi").unwrap().clone()
}

fn script(steps: impl IntoIterator<Item = Step>) -> Arc<Script> {
    Arc::new(Script::new(steps))
}

fn good() -> Step {
    let grades = json!({"completeness": 90, "clarity": 90, "depth": 90, "accuracy": 90, "missing_information": [], "questions": [], "look_up": []});
    Step::data(grades).when(When::schema("grade")).always()
}

#[tokio::test]
async fn an_agent_that_cannot_run_keeps_its_earlier_page_and_the_page_says_so() {
    let broken: Arc<dyn Model> = script([Step::error(FailureKind::Server).always()]);
    let limits = Limits {
        tokens: Some(100),
        ..Limits::default()
    };
    let small = ManagedModel::new(model(SAID, &[85.0]), Policy::default());
    let small: Arc<dyn Model> = Arc::new(small.within(Budget::new(limits)));
    for (unable, fails) in [(broken, true), (small, false)] {
        let folder = shop();
        let request = request(folder.path());
        document(Some(model(SAID, &[85.0])), only(&["kpi"]), &request).await;
        let before = fs::read_to_string(folder.path().join("src/main.rs")).unwrap();
        write(
            folder.path(),
            "src/main.rs",
            &format!("{before}\nfn later() {{}}\n"),
        );
        for _ in 0..2 {
            let outcome = document(Some(unable.clone()), only(&["kpi"]), &request).await;
            assert_eq!(outcome.status, "partial");
            assert_eq!(outcome.earlier, ["kpi"]);
            assert_eq!(outcome.failed.contains_key("kpi"), fails);
            let page = &files(&request.output)["kpi.md"];
            assert!(page.contains("Version 0."), "{page}");
            assert!(page.contains("The analysis is of revision 1."), "{page}");
            let index = &files(&request.output)["index.md"];
            assert!(index.contains("(of revision 1)"), "{index}");
        }
        // The code base as it was costs nothing, and the page is as it should be.
        write(folder.path(), "src/main.rs", &before);
        let again = model(SAID, &[85.0]);
        let outcome = document(Some(again.clone()), only(&["kpi"]), &request).await;
        assert_eq!(
            (again.seen().len(), outcome.status.as_str()),
            (0, "success")
        );
        assert!(!files(&request.output)["kpi.md"].contains("of revision"));
        // Changed again, it is made anew.
        write(folder.path(), "src/more.rs", "pub fn more() {}\n");
        let outcome = document(Some(model(SAID, &[85.0])), only(&["kpi"]), &request).await;
        assert_eq!((outcome.ran.len(), outcome.earlier.len()), (1, 0));
    }
}

#[tokio::test]
async fn a_failed_agent_says_which_calls_it_made_and_what_they_took() {
    let folder = shop();
    let request = request(folder.path());
    // It looks something up, and then the provider fails.
    let looks = Step::call("find_symbol", json!({"name": "Cart"}));
    let outcome = document(
        Some(script([looks, Step::error(FailureKind::Server).always()])),
        only(&["kpi"]),
        &request,
    )
    .await;
    assert_eq!(outcome.calls, 2, "{outcome:?}");
    assert!(outcome.tokens > 0, "{outcome:?}");
    let usage = kpi(&request).metadata.usage;
    assert_eq!((usage.calls, usage.usage.total()), (2, outcome.tokens));
    let page = &files(&request.output)["kpi.md"];
    assert!(page.contains("- Note: "), "{page}");
}

#[tokio::test]
async fn a_failure_in_grading_or_refining_keeps_the_analysis() {
    let low = json!({"completeness": 50, "clarity": 50, "depth": 50, "accuracy": 50, "missing_information": ["x"], "questions": ["Which files?"], "look_up": []});
    let fails = |when: When| Step::error(FailureKind::Server).when(when).always();
    let first = || Step::text("## Overview\n\nFine.").when(When::schema(""));
    let grade = || Step::data(low.clone()).when(When::schema("grade")).always();
    let cases = [
        (
            vec![first(), fails(When::schema("grade"))],
            "graded",
            None,
            "success",
        ),
        (
            vec![first(), grade(), fails(When::default())],
            "refined",
            Some(0.5),
            "below_threshold",
        ),
    ];
    for (steps, what, confidence, status) in cases {
        let folder = shop();
        let request = request(folder.path());
        let outcome = document(Some(script(steps)), only(&["kpi"]), &request).await;
        assert!(outcome.failed.is_empty(), "{what}: {outcome:?}");
        let result = kpi(&request);
        assert_eq!(
            (result.status.as_str(), result.confidence),
            (status, confidence)
        );
        let page = &files(&request.output)["kpi.md"];
        assert!(page.contains("Fine."), "{page}");
        assert!(
            page.contains(&format!("- Note: It could not be {what}: ")),
            "{page}"
        );
        assert!(outcome.warnings["kpi"][0].contains(what), "{outcome:?}");
    }
}

#[tokio::test]
async fn a_reply_that_was_cut_off_says_so_on_its_page_and_in_metadata() {
    let folder = shop();
    let request = request(folder.path());
    let cut = Step {
        finish: Some(Finish::Length),
        ..Step::text("## Overview\n\nThe first and most impor")
    };
    let outcome = document(
        Some(script([good(), cut.when(When::schema("")).always()])),
        only(&["kpi"]),
        &request,
    )
    .await;
    let page = &files(&request.output)["kpi.md"];
    assert!(
        page.contains("most impor\n\n*The reply was cut off here"),
        "{page}"
    );
    let warnings = kpi(&request).warnings;
    assert!(
        warnings
            .iter()
            .any(|it| it.contains("cut off at its length limit")),
        "{warnings:?}"
    );
    assert_eq!(outcome.warnings["kpi"], warnings);
}

#[tokio::test]
async fn a_failed_agent_always_has_a_reason() {
    let endless = Step::call("find_symbol", json!({"name": "Cart"})).when(When::schema(""));
    let wrong = Step::text("It is in `src/nowhere.rs:3`.").when(When::schema(""));
    let cases = [
        (endless.always(), "The model wrote no analysis"),
        (wrong.always(), "Nothing was left of the analysis"),
    ];
    for (step, why) in cases {
        let folder = shop();
        let request = request(folder.path());
        let mut settings = only(&["kpi"]);
        settings.refine.enable_self_questioning = false;
        let outcome = document(Some(script([step])), settings, &request).await;
        assert!(outcome.failed["kpi"].contains(why), "{outcome:?}");
        let page = &files(&request.output)["kpi.md"];
        assert!(page.contains(why), "{page}");
    }
}
