//! `model test`: a model that can, and one that cannot.

use crate::desk::Desk;

#[test]
fn a_model_that_can_passes_all_checks() {
    let ran = Desk::new().run("model test --model script:FIXTURES/checks.jsonl");
    ran.is_like("test-able");
    assert_eq!(ran.code, 0);
}

#[test]
fn a_model_that_cannot_fails_and_says_why() {
    let desk = Desk::new();
    let ran = desk.run("model test --model script:FIXTURES/unable.jsonl");
    ran.is_like("test-unable");
    assert_eq!(ran.code, 1);
    desk.run("model test --json --model script:FIXTURES/unable.jsonl")
        .is_like("test-unable-json");
}
