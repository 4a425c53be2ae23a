//! `model test`: a model that can, and one that cannot.

use crate::env::TestEnv;

#[test]
fn a_model_that_can_passes_all_checks() {
    let ran = TestEnv::new().run("model test --model script:FIXTURES/checks.jsonl");
    ran.is_like("test-able");
    assert_eq!(ran.code, 0);
}

#[test]
fn a_model_that_cannot_fails_and_says_why() {
    let env = TestEnv::new();
    let ran = env.run("model test --model script:FIXTURES/unable.jsonl");
    ran.is_like("test-unable");
    assert_eq!(ran.code, 1);
    env.run("model test --json --model script:FIXTURES/unable.jsonl")
        .is_like("test-unable-json");
}
