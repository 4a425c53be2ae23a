//! An analysis on a small model: sentences are sorted, and the result is quotes with their sources.

use std::sync::Arc;

use serde_json::json;
use superstep::{
    Outcome,
    model::{
        Caps, Script,
        script::{Step, When},
    },
    tools::guided::Profile,
};
use superstep_archie::{Label, Settings};

use crate::support::{TestEnv, answer, begin, question, said, says};

const SHOP: &str = "# Goal\n\nThe shop sells bread to 40 cafés.\n\n# Parts\n\n- The scale writes to the ledger\n\n\
    # Hosting\n\nWe agreed on one server. A second one would cost 90 EUR. Who restores backups at night?\n";

/// A small model that gives these labels, by the words of the sentence.
fn small(labels: &[(&str, &str)]) -> Arc<Script> {
    let step = |(words, label): &(&str, &str)| {
        let when = When {
            schema: Some("label".into()),
            contains: Some((*words).into()),
            ..When::default()
        };
        Step::data(json!({"label": label})).when(when).always()
    };
    let about = Step::text("It is said in the notes.")
        .when(When::contains("Answer the person's question"))
        .always();
    let mut caps = Caps::local();
    caps.small = true;
    Arc::new(Script::new(labels.iter().map(step).chain([about])).with_caps(caps))
}

fn shop() -> Arc<Script> {
    small(&[
        ("Goal: The shop sells", "purpose"),
        ("Parts: The scale", "part"),
        ("Hosting: We agreed", "decision"),
        ("Hosting: A second one", "option"),
    ])
}

#[tokio::test]
async fn every_point_is_a_quote_with_its_source_and_what_is_open_stays_open() {
    let env = TestEnv::with(&[("shop.md", SHOP)]);
    let model = shop();
    let archie = env.archie(model.clone());
    begin(&archie, "t", &env.brief("Where should it run?")).await;
    let asked = question(&archie, "t").await.query;
    assert!(
        asked.contains("Left open:\n- “Who restores backups at night?” [shop.md:11]"),
        "{asked}"
    );
    assert!(asked.contains("it has judged nothing"), "{asked}");
    answer(&archie, "t", "We stay with one server until spring").await;
    let outcome = answer(&archie, "t", "/approve").await;
    let Outcome::Done(state) = outcome else {
        panic!("the approval ends it: {outcome:?}");
    };
    // The question is open by rule: four calls for five sentences, and none for the text.
    assert_eq!(model.seen().len(), 4);
    let text = state.analysis_output.clone().unwrap();
    for wanted in [
        "## Summary",
        "“The shop sells bread to 40 cafés.” [shop.md:3]",
        "## Components\n\n- “The scale writes to the ledger” [shop.md:7]",
        "The alternatives were not judged",
        "- “A second one would cost 90 EUR.” [shop.md:11]",
        "- “We stay with one server until spring” [conversation]\n- “We agreed on one server.” [shop.md:11]",
        "## Open questions\n\n- “Who restores backups at night?” [shop.md:11]",
    ] {
        assert!(text.contains(wanted), "{wanted} is not in\n{text}");
    }
    let facts = state.facts.clone().unwrap();
    let open: Vec<_> = facts
        .iter()
        .filter(|fact| fact.label == Label::Open)
        .collect();
    assert_eq!(
        (open.len(), open[0].by_rule, open[0].heading.as_str()),
        (1, true, "Hosting")
    );
}

#[tokio::test]
async fn a_question_about_the_result_is_answered_and_the_quotes_stay() {
    let env = TestEnv::with(&[("shop.md", SHOP)]);
    let archie = env.archie(shop());
    begin(&archie, "t", &env.brief("Where should it run?")).await;
    let state = answer(&archie, "t", "/approve").await.done().unwrap();
    let quotes = state.analysis_output.clone().unwrap();
    let asked = archie
        .graph()
        .run("t", archie.follow_up("Who said so?"))
        .await;
    let state = asked.unwrap().done().unwrap();
    assert_eq!(said(&state).last().unwrap(), "It is said in the notes.");
    assert_eq!(state.analysis_output, Some(quotes));
}

#[tokio::test]
async fn a_context_document_is_made_of_quotes_too() {
    let env = TestEnv::with(&[("shop.md", SHOP)]);
    let archie = env.archie(shop());
    let input = archie.build_context("Shop", &env.brief(""));
    let state = archie
        .graph()
        .run("t", input)
        .await
        .unwrap()
        .done()
        .unwrap();
    let text = state.analysis_output.clone().unwrap();
    assert!(
        text.starts_with("# Shop\n\n## Purpose\n\n- “The shop sells"),
        "{text}"
    );
    assert!(text.contains("## Not known\n\n- “Who restores"), "{text}");
}

#[tokio::test]
async fn the_setting_goes_before_what_the_model_says_of_itself() {
    let env = TestEnv::with(&[("shop.md", SHOP)]);
    let settings = Settings {
        profile: Some(Profile::Strong),
        ..Settings::default()
    };
    let mut caps = Caps::local();
    caps.small = true;
    let model = Arc::new(Script::new([Step::text("Why?")]).with_caps(caps));
    let archie = env.archie_with(model, settings);
    begin(&archie, "t", &env.brief("Where should it run?")).await;
    assert_eq!(question(&archie, "t").await.query, "Why?");
}

#[tokio::test]
async fn figures_of_a_strong_models_result_that_nobody_named_are_marked() {
    let env = TestEnv::with(&[("shop.md", SHOP)]);
    let archie = env.archie(says([
        "Why?",
        "## Summary\n1. Two servers cost 90 EUR, with support 4,500 EUR.",
    ]));
    begin(&archie, "t", &env.brief("Where should it run?")).await;
    let Outcome::Done(state) = answer(&archie, "t", "/approve").await else {
        panic!("the approval ends it");
    };
    let notices: Vec<String> = state.notices.iter().map(|it| it.message.clone()).collect();
    assert_eq!(
        notices,
        ["figures that are in no document and that you did not name: 4,500"]
    );
}
