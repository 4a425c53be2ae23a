//! One question takes one answer, and no question takes that of another.

use std::collections::HashMap;

use superstep_core::{
    Value, ask::Resume, id::AskId, plan::NodeDef, policy::Durability, record::Effect, run::Act,
};

use crate::hand::{Thread, ask};

fn asking(durability: Durability) -> Thread {
    let name = "asks".into();
    Thread::of(
        NodeDef {
            name,
            ..NodeDef::default()
        },
        durability,
    )
}

/// A thread whose task has asked its first question.
fn asked(durability: Durability) -> (Thread, AskId) {
    let mut thread = asking(durability);
    let mut run = thread.run(None);
    let task = thread.store(&mut run).unwrap();
    ask(&mut run, task, Vec::new());
    thread.store(&mut run);
    let first = thread.open().first().unwrap().id;
    (thread, first)
}

fn by_id(id: AskId, answer: &str) -> Option<Resume> {
    Some(Resume::ById(HashMap::from([(id, Value::from(answer))])))
}

#[test]
fn a_second_answer_to_one_question_is_not_given_to_the_next() {
    let (mut thread, first) = asked(Durability::Sync);
    let mut run = thread.run(by_id(first, "yes"));
    let task = thread.store(&mut run).unwrap();
    ask(&mut run, task, vec!["yes".into()]);
    thread.store(&mut run);
    let mut late = thread.run(by_id(first, "no"));
    let task = thread.store(&mut late).unwrap();
    let answers = &late.task(task).unwrap().note.extras.answers;
    assert_eq!(*answers, [Value::from("yes")]);
}

#[test]
fn a_question_whose_answer_is_stored_is_not_open_before_its_task_has_run() {
    let (mut thread, first) = asked(Durability::Sync);
    let mut run = thread.run(by_id(first, "yes"));
    thread.store(&mut run);
    assert_eq!(thread.open(), []);
}

#[test]
fn a_plain_answer_that_was_overtaken_does_not_come_back() {
    let (mut thread, first) = asked(Durability::Sync);
    // The process dies before the task takes it, and somebody answers by id.
    let mut dies = thread.run(Some(Resume::Next("maybe".into())));
    thread.store(&mut dies);
    let mut run = thread.run(by_id(first, "yes"));
    let task = thread.store(&mut run).unwrap();
    ask(&mut run, task, vec!["yes".into()]);
    thread.store(&mut run);
    let again = thread.run(None);
    assert!(!again.config().parent.answers.has_next());
}

#[test]
fn a_plain_answer_is_stored_for_the_question_that_is_open_and_for_no_other() {
    let (mut thread, _) = asked(Durability::Sync);
    let mut dies = thread.run(Some(Resume::Next("yes".into())));
    thread.store(&mut dies);
    assert_eq!(thread.open(), []);
    let mut again = thread.run(None);
    let task = thread.store(&mut again).unwrap();
    let answers = &again.task(task).unwrap().note.extras.answers;
    assert_eq!(*answers, [Value::from("yes")]);
    assert!(!again.config().parent.answers.has_next());
}

#[test]
fn an_effect_is_stored_with_the_plain_answer_it_acts_on() {
    for durability in [Durability::Sync, Durability::Exit] {
        let (mut thread, _) = asked(durability);
        let mut run = thread.run(Some(Resume::Next("yes".into())));
        let task = thread.store(&mut run).unwrap();
        let taken = run.task(task).unwrap().note.extras.answers.clone();
        for act in run.journal(task, "pay".into(), Effect::Started, taken) {
            thread.keep(act);
        }
        // The process dies here: another run continues with that answer.
        let mut again = thread.run(None);
        let task = thread.store(&mut again).unwrap();
        let answers = &again.task(task).unwrap().note.extras.answers;
        assert_eq!(*answers, [Value::from("yes")], "{durability:?}");
    }
}

#[test]
fn a_run_that_is_stored_at_its_end_can_be_stored_for_a_graph_below() {
    let mut thread = asking(Durability::Exit);
    let mut run = thread.run(None);
    assert!(thread.store(&mut run).is_some());
    let acts = run.anchor();
    assert!(matches!(acts.as_slice(), [Act::Commit(record)] if record.id == run.checkpoint()));
    assert!(run.anchor().is_empty(), "once is enough");
}
