//! A process that ends in the first moments of a thread: its input is stored, and nothing has run.

use serde_json::Value as Json;

use crate::{
    approval_killed::{FIRST, MOST, STEP, is_ended_by},
    env::TestEnv,
};

const MODEL: &str = "--model script:FIXTURES/archie.jsonl";

#[test]
fn a_thread_that_has_not_begun_is_not_done_and_is_run_by_resume() {
    let start = TestEnv::new().with_documents();
    let first = start.run(&format!("ask who --inputs docs {MODEL}"));
    assert_eq!(first.code, 0, "{}", first.stderr);
    // So long that it does not fit into what may always be written.
    let question = "who".repeat(20_000);
    let line = format!("ask {question} --inputs docs {MODEL}");
    let mut begun = 0;
    for step in 0..MOST {
        let env = start.copy();
        if !is_ended_by(&env, &line, FIRST + step * STEP) {
            break;
        }
        let listed = env.run("threads list --json").events();
        let new = listed.iter().find(|it| it["thread"] != *first.thread());
        let Some(name) = new.and_then(|it| it["thread"].as_str()) else {
            continue;
        };
        let shown: Json = env
            .run(&format!("threads show {name} --json"))
            .events()
            .remove(0);
        if shown["step"] != -1 {
            break;
        }
        begun += 1;
        assert_eq!(shown["status"], "cut", "{shown}");
        let resumed = env.run(&format!("threads resume {name} {MODEL}"));
        assert_eq!(resumed.code, 0, "{}", resumed.stderr);
        assert_eq!(resumed.stdout, "The ledger does.\n", "{}", resumed.stderr);
        let listed = env.run("threads list --json").events();
        assert!(listed.iter().all(|it| it["status"] == "done"), "{listed:?}");
    }
    assert!(begun > 0, "never between the input and the first step");
}
