//! The questions of `tests/fixtures/questions.json`: the rules choose the operation and its parameters.

use serde::Deserialize;
use serde_json::{Map, Value as Json};
use superstep_atris::{
    Catalogue,
    catalogue::EntityType,
    question::{Understanding, choose, values_of},
};

/// How many of the questions in `unseen.json` the rules read as they were meant.
const UNSEEN: usize = 23;

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

/// Whether the rules read a question as it was meant; otherwise what they made of it.
fn by_rules(expected: &Labelled) -> Result<(), String> {
    let catalogue = Catalogue::get().unwrap();
    let understood = Understanding::of(&expected.question);
    let choice = choose(catalogue, &expected.question, &understood, false);
    let best = choice.best.map(|best| best.id.as_str());
    let given = choice.best.map(|best| values_of(&expected.question, best));
    let given: Map<String, Json> = given.unwrap_or_default();
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
    let has_values = checked.is_some_and(|checked| {
        let fits = |(name, value): (&String, &Json)| {
            given.contains_key(name) && checked.get(name) == Some(value)
        };
        wanted.iter().all(fits) && given.keys().all(|name| wanted.contains_key(name))
    });
    let mut names = understood.references.iter().map(|it| it.text());
    let has_entity = expected.entity.as_ref().is_none_or(|(kind, name)| {
        names.next() == Some(name) && understood.entity_type == Some(*kind)
    });
    let has_second = expected
        .second
        .as_ref()
        .is_none_or(|(_, name)| names.next() == Some(name));
    if best == Some(&expected.operation) && has_values && has_entity && has_second {
        return Ok(());
    }
    let near = choice.candidates.iter();
    let near = near.map(|it| format!("{} {:.2}", it.operation.id, it.score));
    Err(format!(
        "{}\n  wanted {} {:?} {:?}\n  found {best:?} {given:?} {:?} {:?}\n  {:?}",
        expected.question,
        expected.operation,
        expected.parameters,
        expected.entity,
        understood.entity_type,
        understood.references,
        near.collect::<Vec<_>>(),
    ))
}

#[test]
fn the_rules_choose_operation_and_parameters_of_every_question() {
    let all = labelled();
    assert!(all.len() >= 60);
    let wrong: Vec<String> = all.iter().filter_map(|it| by_rules(it).err()).collect();
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        all.len(),
        wrong.join("\n")
    );
}

/// These were written after the rules, and the rules were not changed for them: the number says how well
/// the rules do with questions they do not know. It is in `docs/atris.md`.
#[test]
fn the_rules_choose_for_most_questions_that_they_were_not_made_by() {
    let all: Vec<Labelled> = serde_json::from_str(include_str!("../fixtures/unseen.json")).unwrap();
    let wrong: Vec<String> = all.iter().filter_map(|it| by_rules(it).err()).collect();
    let right = all.len() - wrong.len();
    assert_eq!((right, all.len()), (UNSEEN, 30), "\n{}", wrong.join("\n"));
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
