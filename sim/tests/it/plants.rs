//! The checks can fail: each planted mistake is found within some seeds, and by a check that is
//! about it.

use superstep_sim::{
    plant::Plant,
    report::{Promise, Violation},
    sim::{Lab, Weather},
};

use crate::{lab, settings};

const SEEDS: u64 = 400;

fn found(lab: &Lab, plant: Plant) -> Option<Box<Violation>> {
    (0..SEEDS).find_map(|seed| lab.run(settings(seed, Weather::Faults, Some(plant))).err())
}

/// What a mistake can break first, whichever seed comes upon it.
fn about(plant: Plant) -> &'static [Promise] {
    use Promise::{
        Chained, EffectDone, EffectStarted, EffectUnknown, Ends, Fenced, Growing, Kept, Loads,
        NeverDamaged, NoRerun, OneAnswer, OneWriter, Plausible, Reported, StoredFirst,
    };
    match plant {
        Plant::DropsCommits => &[Kept, NeverDamaged, Reported],
        Plant::ForgetsNotes => &[Kept, Reported, NoRerun, OneAnswer],
        Plant::HalfCommits => &[Plausible, Loads],
        Plant::IgnoresEpochs => &[Fenced],
        Plant::LeasesTwice => &[OneWriter],
        Plant::LosesSynced => &[Kept],
        Plant::ReadsStale => &[Kept, Chained],
        Plant::ReplacesAnswers => &[Kept, OneAnswer, Reported],
        Plant::RepeatsIds => &[Growing, Chained, NeverDamaged],
        Plant::RerunsFinished => &[NoRerun],
        Plant::RepeatsStarted => &[EffectUnknown],
        Plant::RepeatsDone => &[EffectDone, EffectUnknown],
        Plant::HurriesEffects => &[EffectStarted],
        Plant::HurriesTasks => &[StoredFirst],
        Plant::HurriesStop => &[Reported],
        Plant::MixesAnswers => &[Promise::RightAnswer],
        Plant::GivesUp => &[Ends],
    }
}

#[test]
fn every_planted_mistake_is_found_by_a_check_about_it() {
    let lab = lab();
    let mut missed = Vec::new();
    for plant in Plant::ALL {
        match found(&lab, plant) {
            Some(violation) if about(plant).contains(&violation.promise) => {}
            Some(violation) => missed.push(format!("{plant:?}, as something else:\n{violation}")),
            None => missed.push(format!("{plant:?}, in {SEEDS} seeds")),
        }
    }
    assert!(missed.is_empty(), "not found: {}", missed.join("\n"));
}

#[test]
fn a_violation_tells_the_seed_the_sentence_and_how_to_see_it_again() {
    let violation = found(&lab(), Plant::IgnoresEpochs).unwrap();
    let told = violation.to_string();
    let again = format!(
        "cargo run --release -p superstep-sim -- --seed {}",
        violation.seed
    );
    assert!(told.contains(&violation.promise.to_string()), "{told}");
    assert!(told.ends_with(&again), "{told}");
    assert!(!violation.trace.is_empty(), "{told}");
}
