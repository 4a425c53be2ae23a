//! Agents without Rust: `superstep run FILE.toml`.

use crate::{env::TestEnv, terminal::Terminal};

const SCRIPT: &str = r#"{"when": {"contains": "order 7"}, "text": "It is on its way.", "repeat": "always"}
{"when": {"contains": "figs", "anywhere": "noted"}, "text": "I keep that.", "repeat": "always"}
{"when": {"contains": "figs"}, "calls": [{"name": "remember", "args": {"note": "likes figs"}}], "repeat": "always"}
{"text": "Hello.", "repeat": "always"}
"#;

const CLERK: &str = "name = \"clerk\"\nabout = \"Helps\"\ninstructions = \"You help customers.\"\n";
const MODEL: &str = "--model script:s.jsonl";

fn env() -> TestEnv {
    let env = TestEnv::new();
    env.write("work/s.jsonl", SCRIPT);
    env.write("work/clerk.toml", CLERK);
    env
}

#[test]
fn a_file_is_an_agent_with_threads_like_any_other() {
    let env = env();
    let asked = env.run(&format!("run clerk.toml Where is order 7 {MODEL}"));
    assert_eq!(asked.code, 0, "{}", asked.stderr);
    assert!(
        asked.stdout.contains("It is on its way."),
        "{}",
        asked.stdout
    );
    let thread = asked.thread();
    assert!(thread.starts_with("clerk-"), "{thread}");
    // Its name is known from then on, wherever one is.
    let again = env.run(&format!("run clerk hi --thread {thread} {MODEL}"));
    assert!(again.stdout.contains("Hello."), "{}", again.stderr);
    for line in [
        "threads list", "threads show last", "trace show last", "graph clerk",
    ] {
        let ran = env.run(line);
        assert_eq!(ran.code, 0, "{line}: {}", ran.stderr);
    }
    let shown = env.run(&format!("threads export {} - --markdown", &thread[..8]));
    assert!(
        shown.stdout.contains("## you\n\nWhere is order 7\n"),
        "{}",
        shown.stdout
    );
    assert_eq!(env.run(&format!("threads resume {thread} {MODEL}")).code, 0);
}

#[test]
fn a_file_that_was_changed_counts_once_it_was_run_again() {
    let env = env();
    assert_eq!(env.run(&format!("run clerk.toml hi {MODEL}")).code, 0);
    env.write(
        "work/clerk.toml",
        &format!("{CLERK}[input.number]\ntype = \"whole\"\n"),
    );
    let old = env.run(&format!("run clerk --set number=7 {MODEL}"));
    assert_eq!(old.code, 2, "{}", old.stderr);
    let form = env.run(&format!("run clerk.toml {MODEL}"));
    assert!(
        form.stderr.contains("number: a whole number"),
        "{}",
        form.stderr
    );
    let asked = env.run(&format!("run clerk --set number=7 {MODEL}"));
    assert_eq!(asked.code, 0, "{}", asked.stderr);
    let shown = env.run("threads show last");
    assert!(shown.stdout.contains("number: 7"), "{}", shown.stdout);
}

#[test]
fn an_agent_remembers_over_threads_if_its_file_says_so() {
    let env = env();
    env.write("work/clerk.toml", &format!("{CLERK}memory = true\n"));
    let asked = env.run(&format!("run clerk.toml I like figs {MODEL}"));
    assert_eq!(asked.code, 0, "{}", asked.stderr);
    let kept = env.run("memory list");
    assert!(kept.stdout.contains("likes figs"), "{}", kept.stdout);
}

#[test]
fn every_mistake_of_a_file_has_a_line_and_the_template_has_none() {
    let env = env();
    env.write(
        "work/bad.toml",
        "name = \"Bad\"\nmodle = \"x\"\nmemory = 1\n",
    );
    let ran = env.run("run bad.toml hi");
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    for line in [
        "`name`",
        "did you mean `model`?",
        "`memory` must be true or false",
        "`instructions` is missing",
    ] {
        assert_eq!(
            ran.stderr.matches(line).count(),
            1,
            "{line}: {}",
            ran.stderr
        );
    }
    env.write("work/open.toml", "name = \"open\n");
    let open = env.run("run open.toml hi");
    assert!(open.stderr.contains("open.toml: line 1"), "{}", open.stderr);
    env.write("work/archie.toml", &CLERK.replace("clerk", "archie"));
    let taken = env.run("run archie.toml hi");
    assert!(taken.stderr.contains("archie"), "{}", taken.stderr);
    assert_eq!(taken.code, 2);
    assert_eq!(env.run("new --agent helper.toml").code, 0);
    assert!(env.read("work/helper.toml").contains("name = \"helper\""));
    let ran = env.run(&format!("run helper.toml hi {MODEL}"));
    assert!(ran.stdout.contains("Hello."), "{}", ran.stderr);
    assert_eq!(env.run("new --agent helper.toml").code, 1);
    let unknown = env.run("run helpr hi");
    assert!(
        unknown.stderr.contains("did you mean `helper`?"),
        "{}",
        unknown.stderr
    );
}

/// A server with one tool, which answers as its clients ask.
#[cfg(unix)]
const SERVER: &str = r#"while read -r line; do
id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
case "$line" in
*'"method":"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"shop","version":"1"}}';;
*'"method":"tools/list"'*) result='{"tools":[{"name":"find","description":"Finds an order","inputSchema":{"type":"object"}}]}';;
*'"method":"tools/call"'*) result='{"content":[{"type":"text","text":"delivered"}]}';;
*) continue;;
esac
[ -n "$id" ] && printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

#[cfg(unix)]
#[test]
fn the_tools_of_a_server_are_used_once_a_person_approved_them() {
    let env = env();
    env.write("work/server.sh", SERVER);
    env.write(
        "work/s.jsonl",
        "{\"when\": {\"call\": 0}, \"calls\": [{\"name\": \"shop_find\", \"args\": {}}], \"repeat\": \"always\"}\n{\"text\": \"Done.\", \"repeat\": \"always\"}\n",
    );
    let servers = "[servers.shop]\ncommand = [\"sh\", \"server.sh\"]\ntools = { find = { can = [\"read\"] } }\n";
    env.write("work/clerk.toml", &format!("{CLERK}{servers}"));
    let line = format!("run clerk.toml hi {MODEL}");
    let refused = env.run(&line);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(
        refused.stderr.contains("sh server.sh"),
        "{}",
        refused.stderr
    );
    let terminal = Terminal::run(&env, &line);
    terminal.shows("sh server.sh").prompts(1).say("y");
    terminal.shows("Finds an order").prompts(2).say("y");
    terminal.shows("Done.");
    assert_eq!(terminal.end(), 0);
    // It is asked once.
    let again = env.run(&line);
    assert_eq!(again.code, 0, "{}", again.stderr);
    let missing = servers.replace("find =", "search =");
    env.write("work/clerk.toml", &format!("{CLERK}{missing}"));
    let wrong = env.run(&format!("{line} --yes"));
    assert!(
        wrong
            .stderr
            .contains("has no tool `search`; it has shop_find"),
        "{}",
        wrong.stderr
    );
}
