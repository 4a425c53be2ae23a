//! What a new user meets first: the doctor, settings, pictures, the demo, completions, the manual.

use crate::env::TestEnv;

#[test]
fn the_doctor_tells_what_is_missing_and_what_is_broken() {
    let env = TestEnv::new();
    let ran = env.run("doctor --json");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let health = |ran: &crate::env::Ran, check: &str| {
        let found = ran.events().into_iter().find(|it| it["check"] == check);
        found.map(|it| it["health"].as_str().unwrap().to_owned())
    };
    assert_eq!(health(&ran, "model").as_deref(), Some("absent"));
    assert_eq!(health(&ran, "database").as_deref(), Some("absent"));
    env.write(
        "home/.local/share/superstep/superstep.db",
        "this is no database, is it?",
    );
    let ran = env.run("doctor --json");
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    assert_eq!(health(&ran, "database").as_deref(), Some("broken"));
    // What a broken file breaks is said once.
    env.write("home/.config/superstep/config.toml", "model = 3\n");
    let ran = env.run("doctor --json");
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    assert_eq!(health(&ran, "settings").as_deref(), Some("broken"));
    assert_eq!(health(&ran, "database"), None);
}

#[test]
fn the_doctor_shows_no_key() {
    let env = TestEnv::new()
        .with("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
        .with("OPENAI_API_KEY", "sk-hidden-value-123456");
    let ran = env.run("doctor");
    // Nobody listens there, and that is told.
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stdout.contains("bad provider"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("hidden-value"), "{}", ran.stdout);
}

#[test]
fn settings_tell_where_they_come_from() {
    let env = TestEnv::new().with("SUPERSTEP_DB", "/tmp/other.db");
    env.write(
        "home/.config/superstep/config.toml",
        "model = \"anthropic\"\n\n[agents.archie]\nkeywords = [\"ship it\"]\n",
    );
    env.write(
        "work/superstep.toml",
        "offline = true\nmodel = \"local:default\"\n",
    );
    env.run("config show --origin").is_like("config-origin");
    let flag = env.run("config show --origin --model script:x");
    assert!(
        flag.stdout.contains("model = script:x  --model"),
        "{}",
        flag.stdout
    );
}

#[test]
fn a_graph_is_drawn_in_three_ways() {
    let env = TestEnv::new();
    env.run("graph archie").is_like("graph-archie");
    env.run("graph archie --mermaid")
        .is_like("graph-archie-mermaid");
    let svg = env.run("graph archie --svg").stdout;
    assert!(
        svg.starts_with("<svg") && svg.contains("analysis_interrupt"),
        "{svg}"
    );
    let wrong = env.run("graph archy");
    assert_eq!(wrong.code, 2);
    assert!(wrong.stderr.contains("archie"), "{}", wrong.stderr);
}

#[test]
fn the_demo_needs_nothing_and_leaves_nothing() {
    let env = TestEnv::new();
    let before = std::fs::read_dir(env.path("work")).unwrap().count();
    let ran = env.run("demo");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("payments first"), "{}", ran.stdout);
    assert!(ran.stderr.contains("$ superstep analyze"), "{}", ran.stderr);
    // What it suggests names no file that is deleted when it ends.
    let names_one = |line: &&str| !line.starts_with('$') && line.contains("superstep-demo-");
    let suggested = ran
        .stderr
        .lines()
        .filter(|line| line.contains("superstep "));
    assert_eq!(suggested.filter(names_one).collect::<Vec<_>>(), [""; 0]);
    assert_eq!(std::fs::read_dir(env.path("work")).unwrap().count(), before);
    assert!(!env.path("home/.local/share/superstep").exists());
}

#[test]
fn shells_complete_commands_and_threads() {
    let env = TestEnv::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ran = env.run(&format!("completions {shell}"));
        assert!(ran.stdout.contains("superstep"), "{shell}: {}", ran.stdout);
    }
    let asked = env.run("ask --model script:FIXTURES/archie.jsonl who?");
    assert_eq!(env.run("completions tcsh").code, 2);
    let completing = TestEnv::complete(&env, &["superstep", "threads", "show", "archie-"]);
    assert_eq!(completing.trim(), asked.thread());
    let model = TestEnv::complete(&env, &["superstep", "ask", "--model", "anth"]);
    assert!(model.contains("anthropic"), "{model}");
    let completing = TestEnv::complete(&env, &["superstep", "thr"]);
    assert!(completing.contains("threads"), "{completing}");
}

#[test]
fn every_command_has_a_page_in_the_manual() {
    let env = TestEnv::new();
    assert_eq!(env.run("man pages").code, 0);
    let pages = std::fs::read_dir(env.path("work/pages")).unwrap();
    let names: Vec<String> = pages
        .map(|page| page.unwrap().file_name().into_string().unwrap())
        .collect();
    for name in [
        "superstep.1", "superstep-analyze.1", "superstep-threads-diff.1",
    ] {
        assert!(names.iter().any(|it| it == name), "{names:?}");
    }
    let page = env.read("work/pages/superstep-analyze.1");
    assert!(page.contains("Archie reads the folder"), "{page}");
}

#[test]
fn the_doctor_makes_nothing() {
    fn all(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                found.extend(all(&path));
            }
            found.push(path);
        }
        found.sort();
        found
    }
    let env = TestEnv::new();
    let before = all(&env.path(""));
    let ran = env.run("doctor");
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert_eq!(all(&env.path("")), before);
}

#[test]
fn settings_that_cannot_be_read_do_not_stop_the_demo() {
    let env = TestEnv::new();
    env.write("home/.config/superstep/config.toml", "modle = [\n");
    let ran = env.run("demo archie");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

#[cfg(unix)]
#[test]
fn who_prints_into_a_pipe_starts_no_program_to_learn_the_width_of_a_terminal() {
    let env = TestEnv::new();
    env.write("work/bin/tput", "#!/bin/sh\ntouch \"$HOME/asked\"\n");
    crate::env::mode(&env.path("work/bin/tput"), 0o755);
    let path = format!(
        "{}:{}",
        env.path("work/bin").display(),
        std::env::var("PATH").unwrap()
    );
    let env = env.with("PATH", &path);
    let ran = env.run("demo docs");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(!env.path("home/asked").exists());
}
