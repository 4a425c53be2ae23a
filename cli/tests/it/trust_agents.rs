//! A project's file and the agents: which data goes to a model that the project chose.

use std::fs;

use serde_json::json;

use crate::{env::TestEnv, served::Served};

/// A project with a model of its own, and a user with another one. Both end a run of the spreadsheet agent,
/// and say whose they are.
fn env() -> TestEnv {
    let env = TestEnv::new().with_documents();
    let reply = |whose: &str| {
        let finish = json!({"name": "Finish", "args": {"answer": whose}});
        let reply = json!({"text": whose, "calls": [finish], "repeat": "always"});
        format!("{reply}\n")
    };
    env.write("work/superstep.toml", "model = \"script:mine.jsonl\"\n");
    env.write("work/mine.jsonl", &reply("of the project"));
    env.write("home/users.jsonl", &reply("of the user"));
    env.write(
        "home/.config/superstep/config.toml",
        "model = \"script:../../users.jsonl\"\n",
    );
    let workbook = include_bytes!("../../../agents/sheets/demo/sales.xlsx");
    for path in ["work/own.xlsx", "home/private.xlsx"] {
        fs::write(env.path(path), workbook).unwrap();
    }
    env
}

#[test]
fn workbooks_elsewhere_do_not_go_to_a_model_of_the_project() {
    let env = env();
    #[cfg(unix)]
    std::os::unix::fs::symlink(env.path("home/private.xlsx"), env.path("work/link.xlsx")).unwrap();
    for (workbook, answer) in [
        ("own.xlsx", "of the project"),
        ("../work/own.xlsx", "of the project"),
        ("../home/private.xlsx", "of the user"),
        #[cfg(unix)]
        ("link.xlsx", "of the user"),
    ] {
        let ran = env.run(&format!("sheet run {workbook} -i sum --dry-run"));
        assert!(
            ran.stdout.contains(answer),
            "{workbook}: {}{}",
            ran.stdout,
            ran.stderr
        );
        // What comes later in the thread goes the same way.
        let thread = ran.thread();
        let ran = env.run(&format!("sheet continue {thread} -i more --dry-run"));
        assert!(
            ran.stdout.contains(answer),
            "{workbook}: {}{}",
            ran.stdout,
            ran.stderr
        );
    }
}

#[test]
fn a_workbook_of_an_imported_thread_does_not_go_to_a_model_of_the_project() {
    let env = env();
    let ran = env.run("sheet run own.xlsx -i sum --dry-run");
    let thread = ran.thread();
    assert_eq!(env.run(&format!("threads export {thread} t.jsonl")).code, 0);
    let imported = env.run("threads import t.jsonl sheets-import");
    assert_eq!(imported.code, 0, "{}", imported.stderr);
    let ran = env.run("sheet continue sheets-import -i more --dry-run --yes");
    assert!(
        ran.stdout.contains("of the user"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
}

#[test]
fn what_is_served_does_not_go_to_a_model_of_the_project() {
    let env = env();
    let server = Served::start(&env, "serve --port 0 --no-input --fake-audius --offline");
    let ask = json!({"assistant_id": "archie",
        "input": {"user_input": "What is it?", "inputs": {"folder": "docs"}}});
    let (status, end) = server.call("POST", "/runs/wait", &ask);
    let end = end.to_string();
    assert_eq!(status, 200, "{end}");
    assert!(end.contains("of the user"), "{end}");
    assert!(!end.contains("of the project"), "{end}");
}

#[test]
fn a_name_or_a_value_of_a_project_does_not_pass_for_another_setting() {
    let env = TestEnv::new();
    env.write(
        "work/superstep.toml",
        "[agents.atris]\napp_name = \"x\\nmodel = local:default\"\n\
         [agents.\"a\\nb\"]\n\"c\\noffline = true\" = 1\n",
    );
    let ran = env.run("config show");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let keys: Vec<&str> = ran
        .stdout
        .lines()
        .map(|line| line.split(" = ").next().unwrap())
        .collect();
    let wanted = [
        "offline",
        "db",
        "agents.a<U+000A>b.c<U+000A>offline",
        "agents.atris.app_name",
    ];
    assert_eq!(keys, wanted, "{}", ran.stdout);
}

#[test]
fn a_project_does_not_say_what_contains_programs_nor_what_is_lost_unasked() {
    let env = env();
    for setting in [
        "sandbox = \"cpython\"",
        "overwrites = 1000000",
        "program_seconds = 3600",
        "planner_model = \"script:mine.jsonl\"",
        "informer_model = \"script:mine.jsonl\"",
    ] {
        env.write(
            "work/superstep.toml",
            &format!("[agents.sheets]\n{setting}\n"),
        );
        let ran = env.run("sheet run own.xlsx -i sum --dry-run");
        assert_eq!(ran.code, 2, "{setting}: {}", ran.stderr);
        let told = "belongs in the user's file";
        assert!(ran.stderr.contains(told), "{setting}: {}", ran.stderr);
    }
}
