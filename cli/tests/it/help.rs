//! Help and the form of what is printed.

use crate::desk::Desk;

#[test]
fn help_is_data_with_examples() {
    let desk = Desk::new();
    for (line, name) in [
        ("--help", "help"),
        ("model --help", "help-model"),
        ("model chat --help", "help-chat"),
    ] {
        let ran = desk.run(line);
        ran.is_like(name);
        assert_eq!(ran.code, 0);
        assert!(ran.stderr.is_empty());
    }
}

#[test]
fn colours_are_used_only_where_they_are_wanted() {
    let desk = Desk::new();
    let line = "model list";
    assert!(!desk.run(line).stdout.contains('\x1b'));
    assert!(
        desk.run("model list --color always")
            .stdout
            .contains("\x1b[1m")
    );
    let forced = Desk::new().with("CLICOLOR_FORCE", "1");
    assert!(forced.run(line).stdout.contains("\x1b[1m"));
    assert!(
        !forced
            .run("model list --color never")
            .stdout
            .contains('\x1b')
    );
    let plain = Desk::new()
        .with("NO_COLOR", "1")
        .with("CLICOLOR_FORCE", "1");
    assert!(!plain.run(line).stdout.contains('\x1b'));
}
