//! Labeled cases: what passes, what fails, and how two models compare.

use serde_json::{Value as Json, json};

use crate::env::TestEnv;

/// A machine with two scripted models and two questions to Archie.
fn questions() -> TestEnv {
    let env = TestEnv::new();
    let says = |text: &str| json!({"text": text, "repeat": "always"}).to_string();
    env.write("work/a.jsonl", &says("The port is 8080."));
    env.write("work/b.jsonl", &says("The port is 9090."));
    let cases = [
        json!({"id": "port", "input": {"user_input": "Which port?"}, "checks": [{"contains": "port is 8080"}]}),
        json!({"input": {"user_input": "Which port?"}, "checks": [{"not_contains": "7070"}]}),
    ];
    env.write(
        "work/cases.jsonl",
        &format!("# questions\n{}\n\n{}\n", cases[0], cases[1]),
    );
    env
}

#[test]
fn cases_that_pass_end_well_and_leave_no_thread() {
    let env = questions();
    let ran = env.run("eval archie cases.jsonl --model script:a.jsonl");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("2/2"), "{ran:?}");
    assert!(ran.stdout.contains("100%"), "{ran:?}");
    assert!(ran.stderr.contains("1/2  passed  port"), "{ran:?}");
    assert!(ran.stderr.contains("2/2  passed  case 2"), "{ran:?}");
    let threads = env.run("threads list --json");
    assert_eq!(threads.stdout, "", "{threads:?}");
}

#[test]
fn two_models_are_compared_and_the_cases_that_differ_are_named() {
    let env = questions();
    let line = "eval archie cases.jsonl --model script:a.jsonl --compare script:b.jsonl";
    let ran = env.run(line);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.stdout.contains("script:a") && ran.stdout.contains("50%"),
        "{ran:?}"
    );
    assert!(ran.stdout.contains("port: passed by script:a"), "{ran:?}");
    let why = "the output does not contain \"port is 8080\"";
    assert!(ran.stderr.contains(why), "{ran:?}");

    let ran = env.run(&format!("{line} --json"));
    let events: Vec<Json> = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(events.len(), 6, "{ran:?}");
    assert_eq!(events[2]["failures"], json!([why]));
    assert!(events[0]["calls"].as_u64().unwrap() > 0, "{ran:?}");
    let scores: Vec<_> = events[4..].iter().map(|score| &score["passed"]).collect();
    assert_eq!(scores, [&json!(2), &json!(1)]);
}

#[test]
fn a_case_that_cannot_be_done_has_failed_and_the_others_are_done() {
    let env = questions();
    let answers = json!({"when": {"contains": "Which port?"}, "text": "The port is 8080.", "repeat": "always"});
    env.write("work/port.jsonl", &answers.to_string());
    let case = |words: &str| {
        json!({"input": {"user_input": words}, "checks": [{"contains": "8080"}]}).to_string()
    };
    let cases = format!("{}\n{}\n", case("Which host?"), case("Which port?"));
    env.write("work/cases.jsonl", &cases);
    let ran = env.run("eval archie cases.jsonl --model script:port.jsonl --json");
    assert_eq!(ran.code, 1, "{ran:?}");
    let last = ran.stdout.lines().last().unwrap();
    let score: Json = serde_json::from_str(last).unwrap();
    assert_eq!(
        (&score["cases"], &score["passed"]),
        (&json!(2), &json!(1)),
        "{ran:?}"
    );
}

#[test]
fn mistakes_in_cases_are_named_with_their_line() {
    let env = questions();
    for (text, why) in [
        (
            "{\"input\": \"x\"}",
            "cases.jsonl:1: missing field `checks`",
        ),
        (
            "\n{\"input\": \"x\", \"checks\": [{\"equals\": 1}]}",
            "cases.jsonl:2: `equals` needs a `field`",
        ),
        ("# nothing", "there are no cases"),
    ] {
        env.write("work/cases.jsonl", text);
        let ran = env.run("eval archie cases.jsonl --model script:a.jsonl");
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stderr.contains(why), "{ran:?}");
    }
}

#[test]
fn an_own_agent_is_evaluated_by_the_fields_of_its_state() {
    let mut program = std::env::current_exe().unwrap();
    program.pop();
    program.pop();
    let env = TestEnv::new().of_program(program.join("examples").join("poet"));
    let case = |answer: &str| {
        let published = json!({"field": "/published", "equals": true});
        json!({"id": answer, "input": "the sea", "answers": [answer], "checks": [published]})
    };
    env.write(
        "work/cases.jsonl",
        &format!("{}\n{}\n", case("y"), case("n")),
    );
    let ran = env.run("eval poet cases.jsonl");
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stderr.contains("1/2  passed  y"), "{ran:?}");
    assert!(ran.stderr.contains("2/2  failed  n"), "{ran:?}");
}
