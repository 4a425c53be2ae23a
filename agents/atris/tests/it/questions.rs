//! The questions of `tests/fixtures/questions.json`: the rules choose the operation and its parameters.

use serde::Deserialize;
use serde_json::{Map, Value as Json};
use superstep_atris::{
    Catalogue,
    catalogue::EntityType,
    question::{Understanding, choose, values_of},
};

/// A question and what it means.
#[derive(Debug, Deserialize)]
pub(crate) struct Labelled {
    pub(crate) question: String,
    pub(crate) operation: String,
    pub(crate) parameters: Map<String, Json>,
    /// What it is about, and its name.
    #[serde(default)]
    pub(crate) entity: Option<(EntityType, String)>,
    /// What that is compared with.
    #[serde(default)]
    pub(crate) second: Option<(EntityType, String)>,
}

pub(crate) fn labelled() -> Vec<Labelled> {
    serde_json::from_str(include_str!("../fixtures/questions.json")).unwrap()
}

#[test]
fn the_rules_choose_operation_and_parameters_of_every_question() {
    let catalogue = Catalogue::get().unwrap();
    let mut wrong = Vec::new();
    let all = labelled();
    assert!(all.len() >= 60);
    for expected in &all {
        let understood = Understanding::of(&expected.question);
        let choice = choose(catalogue, &expected.question, &understood, false);
        let best = choice.best.map(|best| best.id.as_str());
        let values = choice.best.map(|best| values_of(&expected.question, best));
        let mut names = understood.references.iter().map(|it| it.text());
        let entity = expected.entity.as_ref().map(|(_, name)| name.as_str());
        let kind = expected.entity.as_ref().map(|(kind, _)| *kind);
        let is_entity =
            entity.is_none() || entity == names.next() && kind == understood.entity_type;
        let second = expected.second.as_ref().map(|(_, name)| name.as_str());
        let given: Map<String, Json> = values.unwrap_or_default();
        let mut wanted = expected.parameters.clone();
        // A handle is what the question is about, and is put in with it.
        wanted.remove("handle");
        let checked = choice.best.map(|best| {
            let mut all = given.clone();
            all.extend(wanted.clone());
            // Who or what it is about is looked up later.
            if let Some((_, name)) = best.entity() {
                all.insert(name.to_owned(), "D7KyD".into());
            }
            best.check(&all).unwrap_or_default()
        });
        let same = checked.is_some_and(|checked| {
            let shown = |name: &String| given.get(name).is_some();
            wanted
                .iter()
                .all(|(name, value)| shown(name) && checked.get(name) == Some(value))
                && given.keys().all(|name| wanted.contains_key(name))
        });
        if best != Some(&expected.operation)
            || !same
            || !is_entity
            || second.is_some_and(|it| names.next() != Some(it))
        {
            let near: Vec<_> = choice
                .candidates
                .iter()
                .map(|it| format!("{} {:.2}", it.operation.id, it.score))
                .collect();
            wrong.push(format!(
                "{}\n   wanted {} {:?} {:?}\n   found {best:?} {given:?} {:?} {:?}\n   {near:?}",
                expected.question,
                expected.operation,
                expected.parameters,
                expected.entity,
                understood.entity_type,
                understood.references,
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        all.len(),
        wrong.join("\n")
    );
}

#[test]
fn the_right_operation_is_among_the_candidates_that_a_model_gets() {
    let catalogue = Catalogue::get().unwrap();
    for expected in labelled() {
        let understood = Understanding::of(&expected.question);
        let choice = choose(catalogue, &expected.question, &understood, false);
        let found = choice
            .candidates
            .iter()
            .any(|it| it.operation.id == expected.operation);
        assert!(found, "{}", expected.question);
    }
}

#[test]
fn what_is_not_about_audius_has_no_operation() {
    let catalogue = Catalogue::get().unwrap();
    for question in [
        "What is the capital of France?",
        "Write me a poem",
        "How do I boil an egg?",
        "",
        "???",
        "ما هي عاصمة مصر؟",
    ] {
        let understood = Understanding::of(question);
        let choice = choose(catalogue, question, &understood, false);
        let best = choice.best.map(|best| &best.id);
        assert_eq!(best, None, "{question}");
    }
}
