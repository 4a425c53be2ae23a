//! Code bases that mean harm: what they hold is bounded, and nothing outside of them is read.

use std::fs;

use serde_json::{Value as Json, json};
use superstep_docgen::{Docgen, Settings, USUAL_OUTPUT};

use crate::support::{backends, facts, only, shop, tree, write};

#[test]
fn an_empty_folder_and_one_of_binaries_have_facts() {
    let folder = tempfile::tempdir().unwrap();
    let empty = facts(folder.path());
    assert_eq!((empty.counts.files, empty.components.len()), (0, 0));
    fs::write(folder.path().join("a.png"), b"\x89PNG\0\0").unwrap();
    fs::write(folder.path().join("b.rs"), b"\0\0fn main() {}").unwrap();
    let facts = facts(folder.path());
    assert_eq!((facts.counts.files, facts.counts.symbols), (2, 0));
    assert_eq!(facts.skipped.counts["no text"], 2);
}

#[cfg(unix)]
#[test]
fn links_are_not_followed_and_pipes_are_not_opened() {
    let outside = tree(&[("secret.py", "def stolen(): pass\n")]);
    let folder = tree(&[("a.py", "def f(): pass\n")]);
    let at = |name: &str| folder.path().join(name);
    std::os::unix::fs::symlink(outside.path(), at("out")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("secret.py"), at("b.py")).unwrap();
    std::os::unix::fs::symlink(folder.path(), at("loop")).unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(at("pipe.py"))
        .status();
    assert!(made.unwrap().success());
    let facts = facts(folder.path());
    let paths: Vec<&str> = facts.files.iter().map(|it| &*it.path).collect();
    assert_eq!(paths, ["a.py"]);
    assert_eq!(facts.skipped.counts["a link"], 3);
    assert_eq!(facts.skipped.counts["no regular file"], 1);
}

#[test]
fn ignored_files_other_repositories_and_secrets_are_not_read() {
    let folder = tree(&[
        (".gitignore", "target/\n*.log\n"),
        ("target/x.rs", "fn x() {}\n"),
        ("a.log", "x\n"),
        ("sub/.git", "gitdir: ../.git/modules/sub\n"),
        ("sub/b.rs", "fn b() {}\n"),
        (".env", "API_KEY=sk-live-1234567890\n"),
        ("prod.env", "API_KEY=sk-live-1234567890\n"),
        ("src/a.rs", "fn a() {}\n"),
    ]);
    let facts = facts(folder.path());
    let paths: Vec<&str> = facts.files.iter().map(|it| &*it.path).collect();
    assert_eq!(paths, ["prod.env", "src/a.rs"]);
    assert_eq!(facts.skipped.counts["another repository"], 1);
    assert_eq!(facts.skipped.counts["may hold secrets"], 1);
    let text = serde_json::to_string(&facts).unwrap();
    assert!(!text.contains("sk-live"));
}

#[test]
fn a_line_of_fifty_megabytes_and_deep_nesting_are_survived() {
    let folder = tree(&[
        ("deep.js", &"[".repeat(200_000)),
        ("deep.rs", &"mod a {".repeat(50_000)),
    ]);
    write(
        folder.path(),
        "min.js",
        &format!("var a={};", "1+".repeat(25 << 20)),
    );
    write(
        folder.path(),
        "long.js",
        &format!("var a={}1;", "1+".repeat(50_000)),
    );
    let facts = facts(folder.path());
    assert_eq!(facts.skipped.counts["too large"], 1);
    assert_eq!(facts.skipped.counts["generated: a line is too long"], 3);
}

#[test]
fn a_hundred_thousand_files_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..100_000 {
        let place = folder.path().join(format!("d{}", number / 1000));
        if number % 1000 == 0 {
            fs::create_dir(&place).unwrap();
        }
        fs::write(place.join(format!("f{number}.py")), "x = 1\n").unwrap();
    }
    let facts = facts(folder.path());
    assert_eq!((facts.counts.files, facts.counts.lines), (100_000, 100_000));
}

#[test]
fn a_file_is_no_code_base() {
    let folder = tree(&[("a.py", "x = 1\n")]);
    let scanned = superstep_docgen::scan(
        &folder.path().join("a.py"),
        &superstep_docgen::facts::Order::default(),
    );
    assert_eq!(scanned.unwrap_err().code(), "SS7801");
}

#[tokio::test]
async fn who_sends_data_names_folders_below_the_roots_alone() {
    let (mine, other) = (shop(), shop());
    let settings = Settings {
        roots: Some(superstep::fs::Roots::new([mine.path().to_owned()])),
        ..only(&["file-structure"])
    };
    let docgen = Docgen::new(None, settings, backends()).unwrap();
    let run = async |thread: &str, request: Json| {
        let options = superstep::RunOptions::on(thread);
        let input = json!({ "request": request });
        docgen.graph().dynamic().invoke(input, &options).await
    };
    let outside = other.path().display().to_string();
    for root in [outside.as_str(), "..", "/", "src/main.rs", "nothing"] {
        let error = run("refused", json!({ "root": root })).await.unwrap_err();
        assert!(
            error
                .to_string()
                .contains("it is no folder that may be read here"),
            "{error}"
        );
    }
    let elsewhere = json!({ "root": ".", "output": other.path().join("docs") });
    let error = run("refused", elsewhere).await.unwrap_err();
    assert!(
        error.to_string().contains("documentation goes to"),
        "{error}"
    );
    assert!(!other.path().join("docs").exists());

    run("allowed", json!({ "root": "." })).await.unwrap();
    let state = docgen.graph().state("allowed").await.unwrap().state;
    let place = fs::canonicalize(mine.path()).unwrap();
    assert_eq!(state.request.root, place);
    assert!(place.join(USUAL_OUTPUT).is_dir());
}
