//! Commands on pages: each names subcommands and flags that exist.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Stdio,
};

use crate::env::TestEnv;

/// Asks for help after whatever the page shows, so that the words are read and nothing is done.
const ONLY_HELP: &str = "superstep() { \"$0\" \"$@\" --help; }";

#[test]
fn every_command_on_a_page_exists_with_its_flags() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut pages = vec![root.join("README.md"), root.join("cli/README.md")];
    for folder in ["docs", "crates/superstep/src/docs"] {
        collect(&root.join(folder), &mut pages);
    }
    let env = TestEnv::new();
    let (mut count, mut wrong) = (0, Vec::new());
    for page in pages {
        for line in commands(&fs::read_to_string(&page).unwrap()) {
            let ran = env
                .in_shell(&format!("{ONLY_HELP}\n{line}"), "")
                .stdin(Stdio::null())
                .output()
                .unwrap();
            count += 1;
            if !ran.status.success() {
                let why = String::from_utf8_lossy(&ran.stderr).into_owned();
                wrong.push(format!("{}: {line}\n{why}", page.display()));
            }
        }
    }
    assert!(count > 100, "{count} commands");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn collect(folder: &Path, pages: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, pages);
        } else if path.extension().is_some_and(|it| it == "md") {
            pages.push(path);
        }
    }
}

/// The lines of shell blocks that call superstep, and the calls in the text that leave nothing open.
fn commands(page: &str) -> Vec<String> {
    let mut commands = Vec::new();
    for (number, block) in page.split("```").enumerate() {
        if number % 2 == 0 {
            let quoted = block.split('`').skip(1).step_by(2);
            let is_whole = |code: &&str| !code.contains(['[', '|', '<', '…']);
            commands.extend(quoted.filter(is_whole).map(|code| code.replace('\n', " ")));
        } else if let Some(lines) = block.strip_prefix("sh\n") {
            let lines = lines.replace("\\\n", " ");
            let lines = lines.replace("cargo run -p superstep-cli -- ", "superstep ");
            commands.extend(lines.lines().map(str::to_owned));
        }
    }
    commands.retain(|line| {
        let is_setting = |word: &&str| word.contains('=') && !word.starts_with('-');
        let mut words = line.split_whitespace().skip_while(is_setting);
        words.next() == Some("superstep") && words.next().is_some()
    });
    commands
}
