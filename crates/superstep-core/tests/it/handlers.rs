//! A handler stands in for the task that failed.

use superstep_core::{Failure, Value, plan::NodeDef, policy::Durability, run::Act};

use crate::hand::{Thread, done};

#[test]
fn a_handler_gets_what_the_failed_task_got() {
    let node = NodeDef {
        name: "fails".into(),
        handler: true,
        ..NodeDef::default()
    };
    let mut thread = Thread::of(node, Durability::Sync);
    let mut run = thread.run(None);
    let task = thread.store(&mut run).unwrap();
    let failed = Failure::new("Broken", "no").permanent();
    run.done(task, done(Err(failed.into()), Vec::new()));
    let handler = std::iter::from_fn(|| run.next_act()).find_map(|act| match act {
        Act::Run(handler) => Some(handler),
        _ => None,
    });
    let input = run.input_value(run.task(handler.unwrap()).unwrap());
    assert_eq!(input.get("said"), Some(&Value::from("hello")));
}
