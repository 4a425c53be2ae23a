//! A program with an agent of its own: the example `poet`.

use std::path::PathBuf;

use crate::env::TestEnv;

/// The example with tools.
pub(crate) fn clerk() -> PathBuf {
    example("clerk")
}

fn poet() -> PathBuf {
    example("poet")
}

/// An example, as cargo built it beside this test.
pub(crate) fn example(name: &str) -> PathBuf {
    let mut path = std::env::current_exe().unwrap();
    path.pop();
    path.pop();
    path.join("examples").join(name)
}

#[test]
fn an_own_agent_has_the_whole_command_line() {
    let env = TestEnv::new().of_program(poet());
    let asked = env.run("run poet the sea");
    assert_eq!(asked.code, 3, "{asked:?}");
    assert!(asked.stderr.contains("the sea is blue."), "{asked:?}");
    let resume = "Resume with: poet threads resume poet-";
    assert!(asked.stderr.contains(resume), "{asked:?}");

    let listed = env.run("threads list");
    assert!(listed.stdout.contains("poet-"), "{listed:?}");
    let shown = env.run("threads show last");
    assert_eq!(shown.code, 0, "{shown:?}");
    assert!(shown.stdout.contains("the sea"), "{shown:?}");
    let traced = env.run("trace show last");
    assert_eq!(traced.code, 0, "{traced:?}");

    let answered = env.run_with("threads resume last", "y\n");
    assert_eq!(answered.code, 0, "{answered:?}");
    assert!(
        answered.stdout.contains("\"published\": true"),
        "{answered:?}"
    );
}

#[test]
fn an_own_agent_takes_words_or_json_and_says_so() {
    let env = TestEnv::new().of_program(poet());
    let none = env.run("run poet");
    assert_eq!(none.code, 2, "{none:?}");
    assert!(none.stderr.contains("--input JSON"), "{none:?}");
    assert!(none.stderr.contains("topic: text"), "{none:?}");
    let set = env.run("run poet --set topic=snow");
    assert!(set.stderr.contains("snow is blue."), "{set:?}");
    for line in ["topics=snow", "published=maybe", "topic"] {
        let refused = env.run_words(&["run", "poet", "--set", line]);
        assert_eq!(refused.code, 2, "{refused:?}");
    }
    let json = env.run_words(&["run", "poet", "--input", r#"{"topic": "ice"}"#]);
    assert_eq!(json.code, 3, "{json:?}");
    assert!(json.stderr.contains("ice is blue."), "{json:?}");
    let built_in = env.run("run archie hello");
    assert_eq!(built_in.code, 2, "{built_in:?}");
    let unknown = env.run("run poem hello");
    assert_eq!(unknown.code, 2, "{unknown:?}");
}

#[test]
fn a_new_project_is_made_once_and_under_a_plain_name() {
    let env = TestEnv::new();
    let made = env.run("new greeter");
    assert_eq!(made.code, 0, "{made:?}");
    let program = env.read("work/greeter/src/main.rs");
    assert!(program.contains(r#"Card::new("greeter""#), "{program}");
    assert!(program.contains("cargo run -- run greeter"), "{program}");
    assert!(!program.contains("poet"), "{program}");
    let manifest = env.read("work/greeter/Cargo.toml");
    assert!(manifest.contains("name = \"greeter\""), "{manifest}");

    env.write("work/greeter/src/main.rs", "mine");
    let again = env.run("new greeter");
    assert_eq!(again.code, 2, "{again:?}");
    assert_eq!(env.read("work/greeter/src/main.rs"), "mine");
    for name in [
        "../greeter", "Greeter", "a b", "/tmp/x", "", "mail", "serde", "fn",
    ] {
        let refused = env.run_words(&["new", name]);
        assert_eq!(refused.code, 2, "{refused:?}");
    }
}

#[test]
fn a_thread_of_an_own_agent_has_a_plain_name_and_keeps_its_question() {
    let env = TestEnv::new().of_program(poet());
    for name in ["tw\u{200b}in", "", "archie-1", "a\nb"] {
        let refused = env.run_words(&["run", "poet", "ice", "--thread", name]);
        assert_eq!(refused.code, 2, "{refused:?}");
    }
    let asked = env.run("run poet ice --thread twin");
    assert_eq!(asked.code, 3, "{asked:?}");
    let again = env.run("run poet fire --thread twin");
    assert_eq!(again.code, 1, "{again:?}");
    assert!(again.stderr.contains("SS1121"), "{again:?}");
}

#[test]
fn an_own_agent_shows_what_a_tool_would_do_and_a_command_answers_by_the_id_of_the_question() {
    let env = TestEnv::new().of_program(clerk());
    env.write(
        "work/replies.jsonl",
        concat!(
            r#"{"calls": [{"name": "refund", "args": {"number": 7, "euros": 30}}]}"#,
            "\n",
            r#"{"text": "You get 30 euros back."}"#,
            "\n"
        ),
    );
    env.write("work/yes.txt", "y\n");
    let asked = env.run_words(&[
        "run", "clerk", "Refund order 7", "--model", "script:replies.jsonl",
    ]);
    assert_eq!(asked.code, 3, "{asked:?}");
    for part in ["refund", "number: 7", "euros: 30"] {
        assert!(asked.stderr.contains(part), "{part}: {asked:?}");
    }
    let named = asked.stderr.split_once("--question ").unwrap().1;
    let id = named.split_whitespace().next().unwrap();
    let unnamed = env.run("threads resume last --answers yes.txt --model script:replies.jsonl");
    assert_eq!(unnamed.code, 3, "{unnamed:?}");
    let line = format!(
        "threads resume last --question {id} --answers yes.txt --model script:replies.jsonl"
    );
    let done = env.run(&line);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.stdout.contains("You get 30 euros back."), "{done:?}");
}
