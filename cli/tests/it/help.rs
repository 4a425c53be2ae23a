//! Help and the form of what is printed.

use crate::env::TestEnv;

#[test]
fn help_is_data_with_examples() {
    let env = TestEnv::new();
    for (line, name) in [
        ("--help", "help"),
        ("model --help", "help-model"),
        ("model chat --help", "help-chat"),
    ] {
        let ran = env.run(line);
        ran.is_like(name);
        assert_eq!(ran.code, 0);
        assert!(ran.stderr.is_empty());
    }
}

#[test]
fn colours_are_used_only_where_they_are_wanted() {
    let env = TestEnv::new();
    let line = "model list";
    assert!(!env.run(line).stdout.contains('\x1b'));
    assert!(
        env.run("model list --color always")
            .stdout
            .contains("\x1b[1m")
    );
    let forced = TestEnv::new().with("CLICOLOR_FORCE", "1");
    assert!(forced.run(line).stdout.contains("\x1b[1m"));
    assert!(
        !forced
            .run("model list --color never")
            .stdout
            .contains('\x1b')
    );
    let plain = TestEnv::new()
        .with("NO_COLOR", "1")
        .with("CLICOLOR_FORCE", "1");
    assert!(!plain.run(line).stdout.contains('\x1b'));
}
