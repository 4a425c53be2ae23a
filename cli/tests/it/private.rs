//! What others on the machine can read of what is kept: nothing, whatever the umask.
#![cfg(unix)]

use std::{
    collections::BTreeMap,
    fs,
    io::{Read, Write},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use crate::{
    env::TestEnv,
    post::{ACCOUNT, env_with, ingest, question, sent},
    terminal::Terminal,
};

/// The rights of everything below a folder, by name.
fn rights(below: &Path) -> BTreeMap<PathBuf, u32> {
    let mut all = BTreeMap::new();
    let mut folders = vec![below.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            // What a command has just removed is no matter.
            let Ok(about) = fs::symlink_metadata(&path) else {
                continue;
            };
            all.insert(path.clone(), about.permissions().mode() & 0o777);
            if about.is_dir() {
                folders.push(path);
            }
        }
    }
    all
}

/// Demands that all that was not there before is for its owner alone; its names.
fn all_private(below: &Path, before: &BTreeMap<PathBuf, u32>) -> Vec<String> {
    let mut names = Vec::new();
    for (path, mode) in rights(below) {
        if before.contains_key(&path) {
            continue;
        }
        let wanted = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode, wanted, "{}: {mode:03o}", path.display());
        names.push(path.file_name().unwrap().to_string_lossy().into_owned());
    }
    names
}

fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

const ANALYZE: &str = "analyze --query what --inputs docs --approve-after 1";

#[test]
fn nothing_that_commands_leave_can_be_read_by_others() {
    for umask in ["000", "022", "077"] {
        let env = env_with(&["Lunch"]).with_documents().with_umask(umask);
        let before = rights(&env.path(""));
        let ran = env.run(&format!(
            "{ANALYZE} --out out.md --model cassette:tape.jsonl?auto=script:FIXTURES/archie.jsonl"
        ));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(ingest(&env).code, 0);
        let ran = env.run(&format!("inbox accept {} --send {ACCOUNT}", question(&env)));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(env.run("mail memory show").code, 0);
        let ran = env.run(
            "ask what --db new/deep/mine.db --inputs docs --model script:FIXTURES/archie.jsonl",
        );
        assert!(ran.code == 0 || ran.code == 3, "{}", ran.stderr);
        let terminal = Terminal::run(&env, "shell");
        terminal
            .prompts(1)
            .say("threads list")
            .prompts(2)
            .press("\u{4}");
        assert_eq!(terminal.end(), 0);
        // A result was asked for beside the documents: the umask says who may read it.
        let result = env.path("work/out.md");
        let open = 0o666 & !u32::from_str_radix(umask, 8).unwrap();
        assert_eq!(mode(&result), open);
        fs::remove_file(result).unwrap();
        let names = all_private(&env.path(""), &before);
        assert_eq!(sent(&env).len(), 1);
        for name in [
            "superstep.db", "mine.db", "deep", "archie", "commands.history", "tape.jsonl", "sent",
        ] {
            assert!(names.iter().any(|it| it == name), "{name}: {names:?}");
        }
        // What is remembered of the folder, and the lock of that.
        for end in [".json", ".json.lock"] {
            let of_docs = |it: &String| it.starts_with("docs-") && it.ends_with(end);
            assert!(names.iter().any(of_docs), "{end}: {names:?}");
        }
    }
}

#[test]
fn what_is_open_cannot_be_read_by_others() {
    let env = TestEnv::new().with_documents().with_umask("000");
    let before = rights(&env.path(""));
    let line = "analyze --query what --inputs docs --model script:FIXTURES/archie.jsonl";
    let mut child = env.command(line).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"hang here\n").unwrap();
    let stdout = child.stdout.as_mut().unwrap();
    let (mut seen, mut byte) = (Vec::new(), [0]);
    while !seen.ends_with(b"so far") {
        assert_eq!(stdout.read(&mut byte).unwrap(), 1);
        seen.push(byte[0]);
    }
    let names = all_private(&env.path(""), &before);
    child.kill().unwrap();
    child.wait().unwrap();
    for end in ["superstep.db", "-wal", "-shm"] {
        assert!(names.iter().any(|it| it.ends_with(end)), "{end}: {names:?}");
    }
    assert!(names.iter().any(|it| it.contains("-worker-")), "{names:?}");
}

#[test]
fn a_draft_in_an_editor_cannot_be_read_by_others_and_is_gone_afterwards() {
    let env = TestEnv::new().with_umask("000");
    let (script, seen) = (env.path("work/edit.sh"), env.path("work/seen"));
    let text = format!(
        "{{ ls -ld \"$1\"; ls -ld \"$(dirname \"$1\")\"; }} > {}\nprintf 'threads list' > \"$1\"\n",
        seen.display()
    );
    fs::write(&script, text).unwrap();
    let env = env.with("EDITOR", &format!("sh {}", script.display()));
    let terminal = Terminal::run(&env, "shell");
    terminal.prompts(1).press("\u{f}").shows("threads list");
    // The editor gives the line back with a prompt of its own, so it is what was asked for that is waited for.
    terminal
        .press("\r")
        .shows("No threads yet")
        .ends_with("archie>");
    terminal.press("\u{4}");
    terminal.end();
    let seen = fs::read_to_string(seen).unwrap();
    let mut lines = seen.lines();
    assert!(lines.next().unwrap().starts_with("-rw-------"), "{seen}");
    assert!(lines.next().unwrap().starts_with("drwx------"), "{seen}");
    let state = env.path("home/.local/state/superstep");
    let left: Vec<PathBuf> = rights(&state).into_keys().collect();
    assert_eq!(left, [state.join("commands.history")]);
}

#[test]
fn what_is_ours_from_before_is_tightened_and_what_was_named_is_left_and_told() {
    let env = TestEnv::new().with_documents();
    let model = "--model script:FIXTURES/archie.jsonl";
    let ran = env.run(&format!("{ANALYZE} {model}"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let folder = env.path("home/.local/share/superstep");
    let (database, memory) = (folder.join("superstep.db"), folder.join("archie.json"));
    let memories = folder.join("archie");
    // As an earlier version wrote it.
    fs::write(&memory, "{}").unwrap();
    for (path, loose) in [
        (&folder, 0o755),
        (&database, 0o644),
        (&memory, 0o664),
        (&memories, 0o750),
    ] {
        chmod(path, loose);
    }
    let message = |line: &str| {
        let ran = env.run(line);
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        let checks = ran.events();
        let found = checks.iter().find(|it| it["check"] == "privacy").unwrap();
        (
            found["health"].as_str().unwrap().to_owned(),
            found["told"].as_str().unwrap().to_owned(),
        )
    };
    let (health, text) = message("doctor --json");
    assert_eq!(health, "warning");
    for shown in [
        "superstep (755)", "superstep.db (644)", "archie.json (664)", "archie (750)",
    ] {
        assert!(text.contains(shown), "{shown}: {text}");
    }
    assert_eq!(mode(&database), 0o644, "the doctor changes nothing");
    assert_eq!(env.run("threads list").code, 0);
    assert_eq!(
        [&folder, &memories, &database, &memory].map(|path| mode(path)),
        [0o700, 0o700, 0o600, 0o600]
    );
    assert_eq!(message("doctor --json").0, "good");
    // Shared on purpose, perhaps.
    let ran = env.run(&format!("{ANALYZE} --db shared.db {model}"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let shared = env.path("work/shared.db");
    assert_eq!(mode(&shared), 0o600);
    chmod(&shared, 0o660);
    assert_eq!(env.run("threads list --db shared.db").code, 0);
    assert_eq!(mode(&shared), 0o660);
    let (health, text) = message("doctor --json --db shared.db");
    assert_eq!(health, "warning");
    assert!(text.contains("shared.db (660)"), "{text}");
}

#[test]
fn a_folder_behind_a_link_is_not_changed() {
    let env = TestEnv::new().with_documents();
    let (elsewhere, data) = (env.path("elsewhere"), env.path("home/.local/share"));
    fs::create_dir(&elsewhere).unwrap();
    chmod(&elsewhere, 0o755);
    fs::create_dir_all(&data).unwrap();
    std::os::unix::fs::symlink(&elsewhere, data.join("superstep")).unwrap();
    let ran = env.run(&format!("{ANALYZE} --model script:FIXTURES/archie.jsonl"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(mode(&elsewhere), 0o755);
    assert_eq!(mode(&elsewhere.join("superstep.db")), 0o600);
}

#[test]
fn a_memory_that_is_shared_stays_so_with_its_lock() {
    let env = TestEnv::new().with_documents().with_umask("000");
    env.write("work/memory.json", "{}");
    chmod(&env.path("work/memory.json"), 0o660);
    let ran = env.run(&format!(
        "{ANALYZE} --memory-file memory.json --model script:FIXTURES/archie.jsonl"
    ));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(env.read("work/memory.json").contains("One service"));
    for name in ["memory.json", "memory.json.lock"] {
        assert_eq!(mode(&env.path("work").join(name)), 0o660, "{name}");
    }
}

#[test]
fn a_database_in_a_folder_that_cannot_be_entered_is_not_told_as_missing() {
    let env = TestEnv::new();
    // A file in the place of a folder is refused to everybody, the superuser too.
    env.write("work/file", "text");
    let ran = env.run("threads list --db file/mine.db");
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(
        !ran.stderr.contains("there is no database"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_database_behind_a_link_that_leads_nowhere_yet_is_made_for_its_owner_alone() {
    let env = TestEnv::new().with_documents().with_umask("000");
    let target = env.path("work/target.db");
    std::os::unix::fs::symlink(&target, env.path("work/link.db")).unwrap();
    let ran = env.run(&format!(
        "{ANALYZE} --db link.db --model script:FIXTURES/archie.jsonl"
    ));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(mode(&target), 0o600);
}

#[test]
fn the_result_of_a_private_workbook_is_private() {
    let env = TestEnv::new().with_umask("022");
    let workbook = include_bytes!("../../../agents/sheets/demo/sales.xlsx");
    env.write("work/p.py", "print(1)\n");
    env.write(
        "work/f.jsonl",
        "{\"calls\": [{\"name\": \"Finish\", \"args\": {\"answer\": \"x\"}}], \"repeat\": \"always\"}\n",
    );
    for (rights, wanted) in [(0o600, 0o600), (0o640, 0o640), (0o666, 0o644)] {
        let name = format!("{rights:o}");
        fs::write(env.path(&format!("work/{name}.xlsx")), workbook).unwrap();
        chmod(&env.path(&format!("work/{name}.xlsx")), rights);
        let line = format!("sheet run {name}.xlsx -i x -o {name}-run.xlsx --model script:f.jsonl");
        let ran = env.run(&line);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let thread = ran.thread();
        for line in [
            format!("sheet save {thread} -o {name}-save.xlsx"),
            format!("sheet continue {thread} -i x -o {name}-continue.xlsx --model script:f.jsonl"),
            format!("sheet recalc {name}.xlsx -o {name}-recalc.xlsx"),
            format!("sheet exec {name}.xlsx --code p.py -o {name}-exec.xlsx"),
        ] {
            let ran = env.run(&line);
            assert_eq!(ran.code, 0, "{line}: {}", ran.stderr);
        }
        for made in ["run", "save", "continue", "recalc", "exec"] {
            let path = env.path(&format!("work/{name}-{made}.xlsx"));
            assert_eq!(mode(&path), wanted, "{name} {made}");
        }
    }
}
