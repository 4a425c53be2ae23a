//! Programs that must not compile, and what the compiler says about them.

#[test]
fn mistakes_are_explained() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}

#[cfg(feature = "tools")]
#[test]
fn mistakes_in_tools_are_explained() {
    trybuild::TestCases::new().compile_fail("tests/ui/tools/*.rs");
}
