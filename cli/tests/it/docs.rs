//! Documentation as users see it: pages, exit codes, plans, questions, traces.

use serde_json::Value as Json;

use crate::env::TestEnv;

/// A small code base, and a script that refines once.
fn env() -> TestEnv {
    let env = TestEnv::new();
    env.write(
        "work/shop/pyproject.toml",
        "[project]\nname = \"shop\"\ndependencies = [\"requests>=2.31\"]\n",
    );
    env.write(
        "work/shop/shop/cart.py",
        "class Cart:\n    def total(self):\n        return 0\n",
    );
    env.write(
        "work/shop/shop/main.py",
        "from shop.cart import Cart\n\ndef main():\n    Cart().total()\n",
    );
    env.write(
        "work/replies.jsonl",
        include_str!("../../../agents/docgen/demo/replies.jsonl"),
    );
    env
}

const MODEL: &str = "--model script:replies.jsonl";

#[test]
fn facts_alone_are_the_same_bytes_each_time() {
    let env = env();
    let ran = env.run("docs shop --no-model");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stdout.trim_end().ends_with("superstep-docs/index.md"),
        "{}",
        ran.stdout
    );
    let pages = [
        "index.md", "dependency-analyzer.md", "metadata.json", "changelog.md",
    ];
    let before = pages.map(|name| env.read(&format!("work/shop/superstep-docs/{name}")));
    assert!(
        before[1].contains("| `requests` | `>=2.31` |"),
        "{}",
        before[1]
    );
    let ran = env.run("docs shop --no-model --force");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(
        pages.map(|name| env.read(&format!("work/shop/superstep-docs/{name}"))),
        before
    );
}

#[test]
fn an_agent_refines_its_page_and_a_second_run_asks_nothing() {
    let env = env();
    let line = format!("docs shop --agents architecture-analyzer --json {MODEL}");
    let ran = env.run(&line);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let events = ran.events();
    let kinds: Vec<&str> = events
        .iter()
        .filter_map(|it| it["refine"].as_str())
        .collect();
    assert_eq!(
        kinds,
        [
            "analyzed", "evaluated", "questioned", "refined", "evaluated", "finalized"
        ]
    );
    let outcome = &events.last().unwrap()["outcome"];
    assert_eq!(
        (&outcome["status"], &outcome["calls"]),
        (&Json::from("success"), &Json::from(4))
    );
    let page = env.read("work/shop/superstep-docs/architecture-analyzer.md");
    assert!(
        page.contains("[`shop/cart.py:1`](../shop/cart.py#L1)") && !page.contains("payments"),
        "{page}"
    );

    let pages = || {
        let folder = std::fs::read_dir(env.path("work/shop/superstep-docs")).unwrap();
        let files = folder.map(|file| file.unwrap().path());
        let mut files: Vec<_> = files
            .map(|path| (path.clone(), std::fs::read(path).unwrap()))
            .collect();
        files.sort();
        files
    };
    let before = pages();
    let again = env.run(&line);
    assert!(pages() == before, "the same bytes");
    let outcome = again.events().last().unwrap()["outcome"].clone();
    assert_eq!(
        (&outcome["calls"], outcome["kept"].as_array().unwrap().len()),
        (&Json::from(0), 1)
    );

    let shown = env.run("docs show architecture-analyzer --path shop");
    for text in [
        "version 0: grade 60",
        "version 1: grade 88",
        "missing: Payments are cited from a file that is not there",
        "asked: Where does the program begin?",
        "1 claim refuted",
    ] {
        assert!(shown.stdout.contains(text), "{text}: {}", shown.stdout);
    }
    let thread = events.last().unwrap()["thread"].as_str().unwrap();
    let trace = env.run(&format!("trace show {thread}"));
    assert_eq!(trace.code, 0, "{}", trace.stderr);
    let listed = env.run("threads list");
    assert!(listed.stdout.contains(thread), "{}", listed.stdout);
}

#[test]
fn the_trace_has_the_names_of_the_document() {
    let env = env();
    let ran = env.run(&format!("docs shop --agents kpi --json {MODEL}"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let thread = ran.events().last().unwrap()["thread"]
        .as_str()
        .unwrap()
        .to_owned();
    let trace = env.run(&format!("trace show {thread}")).stdout;
    for name in [
        "ScanProjectStructure", "CreateExecutionContext", "ExecuteAgents", "Agent-kpi",
        "kpi-InitialAnalysis", "kpi-EvaluateClarity", "kpi-Refinement-1", "kpi-Finalize",
        "AggregateResults",
    ] {
        assert!(trace.contains(name), "{name}: {trace}");
    }
}

#[test]
fn a_plan_asks_nothing_and_writes_nothing() {
    let env = env();
    let ran = env.run(&format!(
        "docs shop --dry-run --json --max-iterations 2 {MODEL}"
    ));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let forecast = &ran.events()[0]["forecast"];
    assert_eq!(forecast["agents"].as_array().unwrap().len(), 11);
    assert_eq!(forecast["agents"][0]["fewest_calls"], 2);
    assert_eq!(forecast["agents"][0]["most_calls"], 21);
    assert_eq!(forecast["agents"][0]["usual"]["calls"], 4);
    assert!(!env.path("work/shop/superstep-docs").exists());

    let ran = env.run(&format!("docs shop --dry-run --agents kpi {MODEL}"));
    assert!(
        ran.stdout
            .contains("kpi: 2 to 28 calls, usually 4 with about"),
        "{}",
        ran.stdout
    );
    let ran = env.run("docs shop --dry-run --no-model --json");
    let forecast = &ran.events()[0]["forecast"];
    assert_eq!(
        (
            &forecast["most_tokens"],
            &forecast["agents"][0]["most_calls"]
        ),
        (&0.into(), &0.into())
    );
}

#[test]
fn questions_are_answered_from_facts() {
    let env = env();
    let ran = env.run("docs impact shop/cart.py --path shop --json");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(
        ran.events()[0]["direct"],
        serde_json::json!(["shop/main.py"])
    );
    let ran = env.run("docs impact shop/cart.py --path shop");
    for text in [
        " of them public",
        "imported by, as far as it is seen: 1",
        "uses that are not seen:",
    ] {
        assert!(ran.stdout.contains(text), "{text}: {}", ran.stdout);
    }
    let ran = env.run("docs impact shop/none.py --path shop");
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("SS7806"), "{}", ran.stderr);
    let ran = env.run_words(&[
        "docs", "ask", "Where is the cart?", "--path", "shop", "--no-model",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stdout.contains("Cart  shop/cart.py:1"),
        "{}",
        ran.stdout
    );
}

#[test]
fn mistakes_are_told() {
    let env = env();
    let table = [
        ("docs", 2, "Usage"),
        ("docs none --no-model", 1, "SS7801"),
        ("docs shop --no-model --agents kpy", 2, "did you mean `kpi`"),
        ("docs shop --no-model --clarity-threshold 200", 2, "SS7802"),
        ("docs shop --no-model --since no-such-commit", 1, "SS7807"),
        ("docs show kpi --path shop", 1, "SS7805"),
    ];
    for (line, code, text) in table {
        let ran = env.run(line);
        assert_eq!(ran.code, code, "{line}: {}", ran.stderr);
        assert!(ran.stderr.contains(text), "{line}: {}", ran.stderr);
    }
}

#[test]
fn settings_and_flags_are_honoured_and_a_budget_is_an_exit_code() {
    let env = env();
    env.write(
        "home/.config/superstep/config.toml",
        "[agents.docs]\nagents = [\"kpi\"]\nself_questioning = false\n",
    );
    let ran = env.run(&format!("docs shop --json {MODEL}"));
    let outcome = ran.events().last().unwrap()["outcome"].clone();
    assert_eq!(
        (&outcome["calls"], &outcome["ran"]),
        (&Json::from(1), &serde_json::json!(["kpi"])),
        "{}",
        ran.stderr
    );
    let ran = env.run(&format!("docs shop --json --force --max-tokens 1 {MODEL}"));
    assert_eq!(ran.code, 5, "{}", ran.stderr);
    let outcome = ran.events().last().unwrap()["outcome"].clone();
    assert_eq!(outcome["status"], "partial");
}

#[test]
fn a_person_is_asked_before_a_round_that_takes_much() {
    let env = env();
    let ran = env.run(&format!(
        "docs shop --agents kpi --approve-above 1 --no-input {MODEL}"
    ));
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("kpi: round 1 after grade"),
        "{}",
        ran.stderr
    );
    // The command that answers is named, and it does.
    let said = ran.stderr.replace('\n', " ");
    let (_, command) = said.split_once("a line of a file: superstep ").unwrap();
    let words: Vec<&str> = command.split_whitespace().take(3).collect();
    env.write("work/answers.txt", "n\n");
    let ran = env.run(&format!(
        "{} --answers answers.txt {MODEL}",
        words.join(" ")
    ));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let shown = env.run("docs show kpi --path shop");
    assert!(shown.stdout.contains("0 refinements"), "{}", shown.stdout);
}

#[test]
fn who_resumes_a_run_works_with_the_flags_it_was_made_with() {
    let env = env();
    let flags = "--agents kpi --approve-above 1 --clarity-threshold 100 --max-iterations 2";
    let ran = env.run(&format!("docs shop {flags} --no-input {MODEL}"));
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    let thread = env.run("threads list --json").events()[0]["thread"].clone();
    env.write("work/answers.txt", "y\n");
    let line = format!("threads resume {} {MODEL}", thread.as_str().unwrap());
    let ran = env.run(&format!("{line} --answers answers.txt --no-input"));
    // 88 is enough usually.
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("kpi: round 2 after grade 88"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_documentation_that_is_finished_is_shown_and_not_paid_for_again() {
    let env = env();
    let ran = env.run(&format!("docs shop --agents kpi --force {MODEL}"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    env.write(
        "work/refused.jsonl",
        "{\"error\": {\"kind\": \"auth\"}, \"repeat\": \"always\"}\n",
    );
    let thread = env.run("threads list --json").events()[0]["thread"].clone();
    let line = format!("threads resume {} --json", thread.as_str().unwrap());
    let ran = env.run(&format!("{line} --model script:refused.jsonl"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let events = ran.events();
    assert_eq!(events.last().unwrap()["outcome"]["status"], "success");
}

#[test]
fn a_refused_key_is_an_exit_code_and_says_what_to_do() {
    let env = env();
    env.write(
        "work/refused.jsonl",
        "{\"error\": {\"kind\": \"auth\"}, \"repeat\": \"always\"}\n",
    );
    let ran = env.run("docs shop --agents kpi,technical-debt --model script:refused.jsonl");
    assert_eq!(ran.code, 4, "{}", ran.stderr);
    for text in ["SS5001", "check the key", "failed: "] {
        assert!(ran.stderr.contains(text), "{text}: {}", ran.stderr);
    }
    let ran = env.run(&format!("docs shop --agents kpi --max-tokens 1500 {MODEL}"));
    assert_eq!(ran.code, 5, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("a first call needs up to") && ran.stderr.contains("0 agents ran"),
        "{}",
        ran.stderr
    );
}

#[test]
fn the_demo_of_docs_needs_nothing() {
    let env = TestEnv::new();
    let ran = env.run("demo docs");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("0 calls"), "{}", ran.stderr);
}

#[test]
fn a_token_in_the_address_of_a_dependency_is_on_no_page() {
    let env = env();
    let (token, word) = ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "hunter2hunter2");
    env.write(
        "work/shop/package.json",
        &format!(
            "{{\"name\": \"web\", \"dependencies\": {{\n\"a\": \"git+https://me:{token}@example.com/a.git\",\n\
             \"b\": \"https://example.com/b.tgz?token={token}\",\n\"c\": \"https://me:{word}@example.com/c.tgz\",\n\
             \"d\": \"^1.2.3\"}}}}\n"
        ),
    );
    env.write(
        "work/shop/package-lock.json",
        &format!(
            "{{\"name\": \"web\", \"lockfileVersion\": 3, \"packages\": {{\"node_modules/a\": {{\"version\": \
             \"git+https://me:{token}@example.com/a.git#1\"}}}}}}\n"
        ),
    );
    let ran = env.run("docs shop --no-model --output pages");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let mut pages = String::new();
    for page in std::fs::read_dir(env.path("work/pages")).unwrap() {
        pages.push_str(&std::fs::read_to_string(page.unwrap().path()).unwrap());
    }
    for told in ["example.com/a.git", "^1.2.3"] {
        assert!(pages.contains(told), "{told}");
    }
    for secret in [token, word] {
        assert!(!pages.contains(secret), "{secret} is on a page");
    }
    let thread = env.run("threads list --json").events()[0]["thread"].clone();
    let state = env.run(&format!("threads show {} --json", thread.as_str().unwrap()));
    assert!(!state.stdout.contains(token), "it is in the state");
}

/// Git in the folder `work/shop`.
#[cfg(unix)]
fn git(env: &TestEnv, words: &[&str]) -> String {
    let ran = std::process::Command::new("git")
        .arg("-C")
        .arg(env.path("work/shop"))
        .args(["-c", "user.name=test", "-c", "user.email=test@localhost"])
        .args(words)
        .env("HOME", env.path("home"))
        .output()
        .unwrap();
    assert!(ran.status.success(), "{ran:?}");
    String::from_utf8(ran.stdout).unwrap()
}

#[cfg(unix)]
#[test]
fn a_repository_that_names_programs_has_none_of_them_run() {
    use std::os::unix::fs::PermissionsExt;
    let env = env();
    env.write("work/shop/.gitattributes", "* filter=own diff=own\n");
    git(&env, &["init", "-q"]);
    git(&env, &["add", "."]);
    git(&env, &["commit", "-qm", "first"]);
    let (program, ran) = (env.path("work/program"), env.path("work/ran"));
    let text = format!("#!/bin/sh\necho \"$@\" >> '{}'\ncat\n", ran.display());
    std::fs::write(&program, text).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let program = program.to_str().unwrap();
    for name in [
        "core.fsmonitor", "core.pager", "core.sshCommand", "core.alternateRefsCommand",
        "diff.external", "diff.own.command", "diff.own.textconv", "filter.own.clean",
        "filter.own.smudge", "remote.origin.uploadpack",
    ] {
        git(&env, &["config", name, program]);
    }
    // The files differ from the commit for whoever looks at times alone.
    let cart = env.read("work/shop/shop/cart.py");
    env.write("work/shop/shop/cart.py", &format!("{cart}# more\n"));
    let line = "docs shop --no-model --since HEAD";
    let done = env.run(line);
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(!ran.exists(), "{}", env.read("work/ran"));
    // A part of the commit is missing, and the repository says where it can be had.
    let tree = git(&env, &["rev-parse", "HEAD:shop"]);
    let (folder, file) = tree.trim().split_at(2);
    std::fs::remove_file(env.path(&format!("work/shop/.git/objects/{folder}/{file}"))).unwrap();
    for (name, value) in [
        ("core.repositoryformatversion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", "ssh://127.0.0.1/shop"),
        ("protocol.allow", "always"),
    ] {
        git(&env, &["config", name, value]);
    }
    let failed = env.run(line);
    assert_eq!(failed.code, 1, "{}", failed.stderr);
    assert!(failed.stderr.contains("SS7807"), "{}", failed.stderr);
    assert!(!ran.exists(), "{}", env.read("work/ran"));
}
