//! Files that results go to.

use std::{fs, path::Path};

use superstep_archie::result::{self, Written};

use crate::support::{TestEnv, names};

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn the_file_before_is_kept_and_only_that_one() {
    let env = TestEnv::new();
    let path = env.docs().join(result::ANALYSIS);
    assert_eq!(result::write(&path, "one").unwrap(), Written::New);
    let older = result::older(&path);
    for (new, before) in [("two", "one\n"), ("three", "two\n")] {
        let written = result::write(&path, new).unwrap();
        let older = older.clone();
        assert_eq!(
            written,
            Written::Replaced {
                older: older.clone()
            }
        );
        assert_eq!(text(&older), before);
    }
    assert_eq!(text(&path), "three\n");
    assert_eq!(
        names(&env.docs()),
        ["analysis_result.md", "analysis_result.md.1"]
    );
}

#[test]
fn writing_the_same_again_changes_nothing() {
    let env = TestEnv::new();
    let path = env.docs().join("out.md");
    result::write(&path, "one").unwrap();
    result::write(&path, "two").unwrap();
    assert_eq!(result::write(&path, "two\n").unwrap(), Written::Same);
    assert_eq!(text(&result::older(&path)), "one\n");
}

#[cfg(unix)]
#[test]
fn a_link_is_replaced_and_what_it_leads_to_stays() {
    let env = TestEnv::new();
    let elsewhere = env.path("elsewhere");
    fs::write(&elsewhere, "precious").unwrap();
    let path = env.docs().join("out.md");
    std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
    result::write(&path, "new").unwrap();
    assert_eq!(text(&path), "new\n");
    assert_eq!(text(&elsewhere), "precious");
}

#[test]
fn a_place_that_cannot_be_written_to_is_told() {
    let env = TestEnv::new();
    let nowhere = env.path("no/such/folder/out.md");
    let error = result::write(&nowhere, "x").unwrap_err();
    assert_eq!(error.code(), "SS6007", "{error}");
    let error = result::write(&env.docs(), "x").unwrap_err();
    assert_eq!(error.code(), "SS6007", "{error}");
    // A file system that nobody can make files in, whoever they are.
    if cfg!(target_os = "linux") {
        let error = result::write(Path::new("/proc/out.md"), "x").unwrap_err();
        assert_eq!(error.code(), "SS6007", "{error}");
    }
}

#[test]
fn a_name_becomes_a_file_name() {
    let table = [
        ("shop", "shop_context.md"),
        (" My Shop/2 ", "My_Shop_2_context.md"),
        ("../../etc/passwd", "_.._etc_passwd_context.md"),
        ("", "system_context.md"),
        ("Größe", "Größe_context.md"),
    ];
    for (name, file) in table {
        assert_eq!(result::context_file(name), file);
    }
}
