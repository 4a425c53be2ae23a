//! Programs that must not compile, and what the compiler says about them.

/// One test: two of them would be two processes that write the same project for the compiler, and the lock that
/// should keep them apart counts as abandoned on a machine that is busy.
#[test]
fn mistakes_are_explained() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/*.rs");
    if cfg!(feature = "tools") {
        cases.compile_fail("tests/ui/tools/*.rs");
    }
}
