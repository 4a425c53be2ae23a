//! Mutation tests: each mutation is found within some seeds, and by a check that is about it.

use superstep_sim::{
    mutation::Mutation,
    report::{Promise, Violation},
    sim::{FaultMode, Simulator},
};

use crate::{settings, simulator};

const SEEDS: u64 = 400;

fn found(simulator: &Simulator, mutation: Mutation) -> Option<Box<Violation>> {
    (0..SEEDS).find_map(|seed| {
        simulator
            .run(settings(seed, FaultMode::Faults, Some(mutation)))
            .err()
    })
}

/// What a mistake can break first, whichever seed comes upon it.
fn about(mutation: Mutation) -> &'static [Promise] {
    use Promise::{
        Chained, EffectDone, EffectStarted, EffectUnknown, Ends, Fenced, Growing, Kept, Loads,
        NeverDamaged, NoRerun, OneAnswer, OneWriter, Plausible, Reported, StoredFirst,
    };
    match mutation {
        Mutation::DropsCommits => &[Kept, NeverDamaged, Reported],
        Mutation::ForgetsNotes => &[Kept, Reported, NoRerun, OneAnswer],
        Mutation::HalfCommits => &[Plausible, Loads],
        Mutation::IgnoresEpochs => &[Fenced],
        Mutation::LeasesTwice => &[OneWriter],
        Mutation::LosesSynced => &[Kept],
        Mutation::ReadsStale => &[Kept, Chained],
        Mutation::ReplacesAnswers => &[Kept, OneAnswer, Reported],
        Mutation::RepeatsIds => &[Growing, Chained, NeverDamaged],
        Mutation::RerunsFinished => &[NoRerun],
        Mutation::RepeatsStarted => &[EffectUnknown],
        Mutation::RepeatsDone => &[EffectDone, EffectUnknown],
        Mutation::HurriesEffects => &[EffectStarted],
        Mutation::HurriesTasks => &[StoredFirst],
        Mutation::HurriesStop => &[Reported],
        Mutation::MixesAnswers => &[Promise::RightAnswer],
        Mutation::GivesUp => &[Ends],
    }
}

#[test]
fn every_mutation_is_found_by_a_check_about_it() {
    let simulator = simulator();
    let mut missed = Vec::new();
    for mutation in Mutation::ALL {
        match found(&simulator, mutation) {
            Some(violation) if about(mutation).contains(&violation.promise) => {}
            Some(violation) => {
                missed.push(format!("{mutation:?}, as something else:\n{violation}"))
            }
            None => missed.push(format!("{mutation:?}, in {SEEDS} seeds")),
        }
    }
    assert!(missed.is_empty(), "not found: {}", missed.join("\n"));
}

#[test]
fn a_violation_tells_the_seed_the_sentence_and_how_to_see_it_again() {
    let violation = found(&simulator(), Mutation::IgnoresEpochs).unwrap();
    let message = violation.to_string();
    let again = format!(
        "cargo run --release -p superstep-sim -- --seed {}",
        violation.seed
    );
    assert!(
        message.contains(&violation.promise.to_string()),
        "{message}"
    );
    assert!(message.ends_with(&again), "{message}");
    assert!(!violation.trace.is_empty(), "{message}");
}
