//! Atris as users see it: answers, exit codes, threads, errors, the fake.

use std::{
    io::{BufRead as _, BufReader},
    process::Stdio,
};

use crate::env::TestEnv;

#[test]
fn a_question_is_answered_offline_by_rules() {
    let env = TestEnv::new();
    let words = [
        "atris",
        "ask",
        "top 3 trending tracks this week",
        "--fake",
        "--no-model",
        "--offline",
    ];
    let ran = env.run_words(&words);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines[0], "Here are the top 3 trending tracks (time: week):");
    assert_eq!(lines.len(), 4, "{}", ran.stdout);
    assert!(
        ran.stderr
            .contains("source: getTrendingTracks http://127.0.0.1:"),
        "{}",
        ran.stderr
    );
}

#[test]
fn an_answer_is_json_for_programs_and_its_thread_is_kept() {
    let env = TestEnv::new();
    let question = "How many followers has @novakane?";
    let ran = env.run_words(&[
        "atris",
        "ask",
        question,
        "--fake",
        "--no-model",
        "--json",
        "--explain",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let [answer] = &ran.events()[..] else {
        panic!("{}", ran.stdout)
    };
    assert_eq!(answer["operation"], "getUserByHandle");
    assert_eq!(answer["status"], "answered");
    assert_eq!(answer["parameters"]["handle"], "novakane");
    assert_eq!(answer["facts"][1]["field"], "/data/follower_count");
    let thread = answer["thread"].as_str().unwrap();
    let listed = env.run("threads list");
    assert!(
        listed.stdout.contains(thread) && listed.stdout.contains(question),
        "{}",
        listed.stdout
    );
    let again = env.run(&format!("threads resume {thread} --json"));
    assert_eq!(again.events()[0]["answer"], answer["answer"]);
    assert_eq!(env.run(&format!("threads diff {thread}")).code, 0);
}

#[test]
fn what_is_missing_waits_for_an_answer() {
    let env = TestEnv::new();
    let ran = env.run_words(&[
        "atris",
        "ask",
        "tracks by Sol Rivera",
        "--fake",
        "--no-model",
        "--json",
    ]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert_eq!(
        ran.events()[0]["options"][1],
        "Sol Rivera (@solriveramusic)"
    );
    assert!(ran.stderr.contains("waits for an answer"), "{}", ran.stderr);
}

#[test]
fn no_answer_is_an_exit_code_and_is_counted() {
    let env = TestEnv::new();
    let ask = |question: &str| {
        let words = [
            "atris",
            "ask",
            question,
            "--thread",
            "atris-t",
            "--fake",
            "--no-model",
        ];
        env.run_words(&words)
    };
    let ran = ask("delete my playlist");
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("[SS8005]"), "{}", ran.stdout);
    assert_eq!(ask("What is the capital of France?").code, 1);
    assert_eq!(ask("trending tracks in the genre elektronic").code, 1);
    assert_eq!(ask("follow Nova Kane").code, 1);
    let ran = env.run("atris errors atris-t");
    assert!(
        ran.stdout.starts_with("SS8005  2 times\n"),
        "{}",
        ran.stdout
    );
    let ran = env.run("atris errors atris-t --json");
    assert_eq!(ran.events()[0]["count"], 2);
    let other = env.run_words(&[
        "atris",
        "ask",
        "latest tips",
        "--thread",
        "archie-t",
        "--fake",
    ]);
    assert_eq!(other.code, 2, "{}", other.stderr);
}

#[test]
fn a_question_in_an_imported_thread_needs_the_consent_of_a_person() {
    let env = TestEnv::new();
    let ask = |thread: &str, more: &[&str]| {
        let words = [
            "atris",
            "ask",
            "latest tips",
            "--thread",
            thread,
            "--fake",
            "--no-model",
        ];
        env.run_words(&[&words, more].concat())
    };
    assert_eq!(ask("atris-t", &[]).code, 0);
    assert_eq!(env.run("threads export atris-t t.jsonl").code, 0);
    assert_eq!(env.run("threads import t.jsonl atris-moved").code, 0);
    let refused = ask("atris-moved", &[]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(
        refused.stderr.contains("was imported"),
        "{}",
        refused.stderr
    );
    assert_eq!(ask("atris-moved", &["--yes"]).code, 0);
    assert_eq!(ask("atris-moved", &[]).code, 0, "the consent is kept");
}

#[test]
fn the_states_of_a_run_can_be_shown() {
    let env = TestEnv::new();
    let words = [
        "atris",
        "ask",
        "latest tips",
        "--fake",
        "--no-model",
        "--debug",
    ];
    let ran = env.run_words(&words);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("+ best_api: {\"id\":\"getTips\""),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains("- formatted_response: "),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_session_answers_line_after_line() {
    let env = TestEnv::new();
    let ran = env.run_with(
        "atris chat --fake --no-model",
        "latest tips\n\nwhat is the capital of France?\nmost loved tracks\nexit\n",
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("most loved tracks"), "{}", ran.stdout);
    assert!(ran.stdout.contains("[SS8004]"), "{}", ran.stdout);
}

#[test]
fn settings_are_checked_and_a_project_does_not_say_where_keys_go() {
    let env = TestEnv::new();
    env.write(
        "home/.config/superstep/config.toml",
        "[agents.atris]\nhost = \"x\"\n",
    );
    let ran = env.run_words(&["atris", "ask", "latest tips", "--no-model"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("did you mean `hosts`?"),
        "{}",
        ran.stderr
    );
    env.write(
        "home/.config/superstep/config.toml",
        "[agents.atris]\nhosts = [\"http://far.example\"]\n",
    );
    let ran = env.run_words(&["atris", "ask", "latest tips", "--no-model"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("SS8012"), "{}", ran.stderr);
}

#[test]
fn the_fake_serves_another_process() {
    let env = TestEnv::new();
    let mut fake = env
        .command("atris fake --strict --json")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(fake.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let line: serde_json::Value = serde_json::from_str(&line).unwrap();
    let address = line["address"].as_str().unwrap();
    let ran = env.run_words(&[
        "atris",
        "ask",
        "latest tips",
        "--no-model",
        "--host",
        address,
    ]);
    fake.kill().unwrap();
    fake.wait().unwrap();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains(address), "{}", ran.stderr);
    let wrong = env.run("atris fake --fault none");
    assert_eq!(wrong.code, 2);
    assert!(wrong.stderr.contains("rate-limited"), "{}", wrong.stderr);
}

#[test]
fn the_demo_of_atris_needs_nothing() {
    let env = TestEnv::new();
    let ran = env.run("demo atris");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("Nova Kane has "), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("execute_request_node"),
        "{}",
        ran.stdout
    );
}

#[test]
fn the_errors_of_a_thread_that_is_not_there_are_none() {
    let env = TestEnv::new();
    env.run("atris ask trending --fake --no-model --thread atris-t");
    for name in ["atris-u", "nosuch"] {
        let ran = env.run(&format!("atris errors {name}"));
        assert_eq!(ran.code, 1, "{name}: {}", ran.stderr);
        assert!(ran.stderr.contains("SS6052"), "{name}: {}", ran.stderr);
    }
}
