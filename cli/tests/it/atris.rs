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
    assert_eq!(
        lines[4..],
        ["(understood as: trending tracks; limit 3, time week)"],
        "{}",
        ran.stdout
    );
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
        "atris", "ask", question, "--fake", "--no-model", "--json", "--explain",
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
        "atris", "ask", "tracks by Sol Rivera", "--fake", "--no-model", "--json",
    ]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    let [question] = &ran.events()[..] else {
        panic!("{}", ran.stdout)
    };
    assert_eq!(question["options"][1], "Sol Rivera (@solriveramusic)");
    assert_eq!(question["code"], "SS8013");
    assert_eq!(question["kind"], "choose");
    assert!(ran.stderr.contains("waits for an answer"), "{}", ran.stderr);
    // The command that is told answers, and asks the same fake.
    let next = question["next"].as_str().unwrap();
    let thread = question["thread"].as_str().unwrap();
    let id = question["id"].as_str().unwrap();
    let id = format!("{}-{}", &id[..4], &id[16..24]);
    assert_eq!(
        next,
        format!("superstep atris answer {thread} ANSWER --question {id} --fake --no-model --json")
    );
    let line = next.replacen("superstep ", "", 1);
    let refused = env.run(&line.replace("ANSWER", "7"));
    assert_eq!(refused.code, 3, "{}", refused.stderr);
    let ran = env.run(&line.replace("ANSWER", "2"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let answer = ran.events().pop().unwrap();
    assert_eq!(answer["operation"], "getTracksByUser");
    let again = env.run(&line.replace("ANSWER", "2"));
    assert_eq!(again.code, 1);
    assert!(again.stderr.contains("asks nothing"), "{}", again.stderr);
}

#[test]
fn answers_come_from_a_file_or_from_stdin() {
    let env = TestEnv::new();
    let words = [
        "atris", "ask", "tracks by Sol Rivera", "--fake", "--no-model",
    ];
    env.write("work/answers.txt", "# the second one\n9\n2\n");
    let ran = env.run_words(&[&words[..], &["--answers", "answers.txt"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("`9` is none of them"), "{}", ran.stderr);
    assert!(ran.stdout.contains("by Sol Rivera"), "{}", ran.stdout);
    env.write("work/answers.txt", "9\n");
    let ran = env.run_words(&[&words[..], &["--answers", "answers.txt"]].concat());
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    let line = "atris ask followers --fake --no-model";
    let ran = env.run_with(line, "@novakane\n");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("followers"), "{}", ran.stdout);
    let ran = env.run_with(line, "");
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(
        ran.stderr
            .contains("answer it with superstep atris answer atris-"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_thread_that_waits_says_how_to_go_on() {
    let env = TestEnv::new();
    let words = ["--thread", "atris-t", "--fake", "--no-model"];
    let ask = |question: &str| env.run_words(&[&["atris", "ask", question], &words[..]].concat());
    assert_eq!(ask("tracks by Sol Rivera").code, 3);
    let other = ask("latest tips");
    assert_eq!(other.code, 3);
    assert!(
        other
            .stderr
            .contains("answer it with superstep atris answer atris-t ANSWER --question "),
        "{}",
        other.stderr
    );
    // A session begins with what is open.
    let ran = env.run_with(
        "atris chat --thread atris-t --fake --no-model",
        "1\nlatest tips\n",
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("by Sol Rivera"), "{}", ran.stdout);
    assert!(ran.stdout.contains("tips"), "{}", ran.stdout);
}

#[test]
fn no_answer_is_an_exit_code_and_is_counted() {
    let env = TestEnv::new();
    let ask = |question: &str| {
        let words = [
            "atris", "ask", question, "--thread", "atris-t", "--fake", "--no-model",
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
        "atris", "ask", "latest tips", "--thread", "archie-t", "--fake",
    ]);
    assert_eq!(other.code, 2, "{}", other.stderr);
}

#[test]
fn a_question_in_an_imported_thread_needs_the_consent_of_a_person() {
    let env = TestEnv::new();
    let ask = |thread: &str, more: &[&str]| {
        let words = [
            "atris", "ask", "latest tips", "--thread", thread, "--fake", "--no-model",
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
        "atris", "ask", "latest tips", "--fake", "--no-model", "--debug",
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
fn a_session_takes_answers_and_questions_that_follow_from_a_pipe() {
    let env = TestEnv::new();
    let ran = env.run_with(
        "atris chat --fake --no-model",
        "tracks by Sol Rivera\n5\n2\nhow many followers does she have\nher albums\n",
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("`5` is none of them"), "{}", ran.stderr);
    assert!(
        ran.stdout
            .contains("(\"she\" is Sol Rivera (@solriveramusic), from the answer to"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("Sol Rivera has "), "{}", ran.stdout);
    let ran = env.run_with(
        "atris chat --fake --no-model",
        "tracks by Sol Rivera\n/skip\nlatest tips\n",
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("tips"), "{}", ran.stdout);
}

#[test]
fn a_list_is_as_long_as_the_limit() {
    let env = TestEnv::new();
    let ask = |more: &[&str]| {
        let words = ["atris", "ask", "trending tracks", "--fake", "--no-model"];
        env.run_words(&[&words[..], more].concat())
    };
    let ran = ask(&[]);
    assert!(
        ran.stdout.contains("or ask for page 2.\n"),
        "{}",
        ran.stdout
    );
    assert_eq!(ran.stdout.lines().count(), 13, "{}", ran.stdout);
    let ran = ask(&["--limit", "20"]);
    assert_eq!(ran.stdout.lines().count(), 23, "{}", ran.stdout);
    let ran = ask(&["--limit", "0"]);
    assert_eq!(ran.code, 2);
}

#[test]
fn readings_are_compared_with_labels() {
    let env = TestEnv::new();
    env.write(
        "work/labels.json",
        r#"[
        {"question": "trending tracks", "operation": "getTrendingTracks"},
        {"question": "capital of France?", "operation": null},
        {"question": "latest tips", "operation": "getPrizes"},
        {"question": "top 5 trending tracks", "operation": "getTrendingTracks"}
        ]"#,
    );
    let ran = env.run("atris check labels.json --no-model");
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert_eq!(
        ran.stdout,
        "wrong: latest tips\n  operation getTips instead of getPrizes\n\
         wrong: top 5 trending tracks\n  limit 5, which it does not say\n\
         2 of 4 right in labels.json; of the others 0 refused, 0 misread with a remark, 2 without\n"
    );
    let ran = env.run("atris check labels.json --no-model --counts --json");
    assert_eq!(ran.events()[0]["right"], 2);
    env.write("work/labels.json", "{}");
    assert_eq!(env.run("atris check labels.json --no-model").code, 2);
    assert_eq!(env.run("threads list").stdout, "", "nothing is kept");
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
        "atris", "ask", "latest tips", "--no-model", "--host", address,
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

#[test]
fn what_was_said_is_not_lost_while_no_host_answers() {
    let env = TestEnv::new();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let fake = superstep_fake_audius::FakeAudius::start(Default::default());
    let fake = runtime.block_on(fake).unwrap();
    let host = fake.address();
    let asked = env.run(&format!(
        "atris ask tracks by Sol Rivera --thread atris-t --no-model --host {host}"
    ));
    assert_eq!(asked.code, 3, "{}", asked.stderr);
    // Nobody listens there.
    let down = env.run("atris answer atris-t 2 --no-model --host http://127.0.0.1:1");
    assert_eq!(down.code, 3, "{}", down.stderr);
    assert!(
        down.stderr.contains("[SS8006]") && down.stderr.contains("Try again?"),
        "{}",
        down.stderr
    );
    let calls = fake.calls().len();
    let said = env.run(&format!(
        "atris answer atris-t yes --no-model --host {host}"
    ));
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert!(
        said.stdout.contains("Sol Rivera (@solriveramusic)"),
        "{}",
        said.stdout
    );
    assert_eq!(fake.calls().len(), calls + 1, "nothing is looked up again");
    let errors = env.run("atris errors atris-t");
    assert!(
        errors.stdout.contains("SS8006  1 times"),
        "{}",
        errors.stdout
    );
}

#[test]
fn an_answer_says_what_the_question_was_understood_as() {
    let env = TestEnv::new();
    let ran = env.run_words(&[
        "atris", "ask", "longest track by Nova Kane", "--fake", "--no-model", "--json",
    ]);
    let understood = ran.events()[0]["understood"].clone();
    assert_eq!(
        understood,
        "tracks by a user: Nova Kane (@novakane); most duration, limit 100"
    );
    // A word that says what is asked for is not left out.
    let ran = env.run_words(&[
        "atris",
        "ask",
        "followers of Nova Kane with many comments",
        "--fake",
        "--no-model",
    ]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(
        ran.stdout.contains("\"comments\"") && ran.stdout.contains("SS8015"),
        "{}",
        ran.stdout
    );
}
