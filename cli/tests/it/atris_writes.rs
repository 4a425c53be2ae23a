//! Writes of Atris of which nobody knows whether they happened: asked about by every command, and settled
//! before anything else.

use serde_json::json;

use crate::{
    atris_calls::{
        FOLLOW, answer, asks_of, failing, follow, hanging, killed_in_the_write, posts, signed_in,
        suggested, until_approval, willing,
    },
    env::TestEnv,
    served::Served,
};

#[test]
fn every_command_asks_whether_a_write_happened() {
    let server = failing();
    let env = signed_in(&server);
    follow(&env);
    let resumed = env.run_with("threads resume atris-t", "");
    assert_eq!(resumed.code, 3, "{}", resumed.stderr);
    assert!(
        resumed.stderr.contains("did this call happen?"),
        "{}",
        resumed.stderr
    );
    let other = env.run("atris ask latest tips --thread atris-t --no-model");
    assert_eq!(other.code, 3, "{}", other.stderr);
    assert!(other.stderr.contains("not asked"), "{}", other.stderr);
    let errors = env.run("atris errors atris-t");
    assert!(
        errors.stdout.contains("followUser") && errors.stdout.contains("[SS8014]"),
        "{}",
        errors.stdout
    );
    let asked = env.run_with("atris answer atris-t --no-model --json", "");
    assert_eq!(asked.code, 3, "{}", asked.stderr);
    let question = &asked.events()[0];
    assert_eq!(question["kind"], "outcome");
    assert_eq!(question["options"][2], "repeat");
    let repeated = env.run("atris answer atris-t repeat --no-model");
    assert_eq!(repeated.code, 3, "{}", repeated.stderr);
    assert!(
        repeated.stderr.contains("needs --writes"),
        "{}",
        repeated.stderr
    );
    assert_eq!(posts(&server), 1);
    let said = answer(&env, "atris-t", "yes", "--no-model");
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert!(said.stdout.contains("Done: followUser."), "{}", said.stdout);
    assert_eq!(posts(&server), 1);
}

#[test]
fn a_variable_that_is_not_set_is_told_and_only_missed_where_it_is_needed() {
    let env = TestEnv::new();
    env.write(
        "home/.config/superstep/config.toml",
        "[agents.atris]\ntoken_env = \"AUDIUS_TEST_TOKEN\"\n",
    );
    let ran = env.run("atris ask latest tips --fake --no-model");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("AUDIUS_TEST_TOKEN is not set"),
        "{}",
        ran.stderr
    );
    let line = "atris ask follow user id K3zzz --host http://127.0.0.1:1 --no-model --writes";
    let ran = env.run(line);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stdout.contains("there is no token"), "{}", ran.stdout);
}

#[test]
fn lines_of_a_pipe_do_not_say_whether_a_write_of_the_same_session_happened() {
    let server = failing();
    let env = signed_in(&server);
    let said = "follow user id K3zzz\n7eP5n\ny\nrepeat\nrepeat\n";
    let ran = env.run_with("atris chat --thread atris-p --no-model --writes", said);
    assert_eq!(posts(&server), 1, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("did this call happen?"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_session_settles_a_write_before_the_next_question() {
    let server = failing();
    let env = signed_in(&server);
    follow(&env);
    let ran = env.run_with(
        "atris chat --thread atris-t --no-model",
        "/skip\nlatest tips\nno\n",
    );
    // A line of a pipe was written before the question was seen.
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert_eq!(
        ran.stderr.matches("did this call happen?").count(),
        2,
        "{}",
        ran.stderr
    );
    assert!(!ran.stdout.contains("nothing for that"), "{}", ran.stdout);
    let said = answer(&env, "atris-t", "no", "--no-model");
    assert!(said.stdout.contains("it did not happen"), "{}", said.stdout);
    let ran = env.run_with("atris chat --thread atris-t --no-model", "latest tips\n");
    assert!(ran.stdout.contains("nothing for that"), "{}", ran.stdout);
    env.write("work/answers.txt", "repeat\nunknown\n");
    follow(&env);
    // The call is made again and fails again: what is written down was not written about that.
    let options = "--no-model --writes --answers answers.txt";
    let ran = answer(&env, "atris-t", "", options);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert_eq!(posts(&server), 3);
    let said = answer(&env, "atris-t", "unknown", "--no-model");
    assert_eq!(said.code, 1, "{}", said.stderr);
    assert!(said.stdout.contains("[SS8014]"), "{}", said.stdout);
    assert_eq!(posts(&server), 3);
}

#[test]
fn no_question_and_no_edit_over_http_forgets_a_write_whose_process_was_killed() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let server = hanging(&runtime);
    let env = signed_in(&server);
    killed_in_the_write(&env, &server, &runtime);
    let http = Served::start(&env, "serve --port 0 --no-input --offline");
    let (_, found) = http.call("POST", "/threads/search", &json!({}));
    let thread = found[0]["thread_id"].as_str().unwrap();
    let copied = http.call("POST", &format!("/threads/{thread}/copy"), &json!({}));
    let copy = copied.1["thread_id"].as_str().unwrap();
    for thread in [thread, copy] {
        for (path, body) in [
            (
                "runs/wait",
                json!({"assistant_id": "atris", "input": {"query": "latest tips"}}),
            ),
            (
                "state",
                json!({"values": {}, "as_node": "execute_request_node"}),
            ),
        ] {
            let (status, said) = http.call("POST", &format!("/threads/{thread}/{path}"), &body);
            assert_eq!(status, 409, "{path}: {said}");
            let why = said["detail"].as_str().unwrap();
            for part in ["may have happened", "repeat_effects"] {
                assert!(why.contains(part), "{path}: {why}");
            }
        }
    }
    drop(http);
    let errors = env.run("atris errors atris-t");
    assert!(errors.stdout.contains("[SS8014]"), "{}", errors.stdout);
    assert_eq!(posts(&server), 1);
}

#[test]
fn a_write_whose_process_was_killed_is_asked_about_by_the_next_question() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let server = hanging(&runtime);
    let env = signed_in(&server);
    killed_in_the_write(&env, &server, &runtime);
    let errors = env.run("atris errors atris-t");
    assert!(errors.stdout.contains("[SS8014]"), "{}", errors.stdout);
    assert!(!errors.stderr.contains("no errors"), "{}", errors.stderr);
    let forked = env.run("threads fork atris-t --at 4");
    assert!(forked.stderr.contains("SS6058"), "{}", forked.stderr);
    let early = env.run("atris answer atris-t yes --no-model");
    assert_eq!(early.code, 3, "it was not asked yet: {}", early.stderr);
    for line in [
        "threads resume atris-t",
        "atris ask latest tips --thread atris-t --no-model",
    ] {
        let ran = env.run(line);
        assert_eq!(ran.code, 3, "{line}: {}", ran.stderr);
        assert!(
            ran.stderr.contains("did this call happen?"),
            "{}",
            ran.stderr
        );
    }
    let said = answer(&env, "atris-t", "no", "--no-model");
    assert_eq!(said.code, 1, "{}", said.stderr);
    assert!(said.stdout.contains("it did not happen"), "{}", said.stdout);
    assert_eq!(posts(&server), 1);
}

#[test]
fn answers_for_another_question_do_not_settle_whether_a_call_happened() {
    let server = failing();
    let env = signed_in(&server);
    // Every answer of the first call is written down, and one more.
    env.write("work/answers.txt", "Kabc3\ny\nyes\n");
    for (options, input) in [
        (" --answers answers.txt", ""),
        (" --answers answers.txt", ""),
        ("", "yes\nyes\n"),
    ] {
        let ran = env.run_with(&format!("{FOLLOW}{options}"), input);
        assert_eq!(ran.code, 3, "{}", ran.stderr);
        let errors = env.run("atris errors atris-t");
        assert!(errors.stdout.contains("open: "), "{}", errors.stdout);
    }
    for wrong in ["y", "n", "Y", "again", "happened", "yes please", "Kabc3"] {
        let ran = env.run(&format!("atris answer atris-t {wrong} --no-model --writes"));
        assert_eq!(ran.code, 3, "{wrong}: {}", ran.stderr);
        assert!(
            ran.stderr.contains("as a whole word"),
            "{wrong}: {}",
            ran.stderr
        );
    }
    assert_eq!(posts(&server), 1);
    let said = answer(&env, "atris-t", "Yes", "--no-model");
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert_eq!(posts(&server), 1);
}

#[test]
fn a_fork_does_not_lose_a_call_that_may_have_happened() {
    let server = failing();
    let env = signed_in(&server);
    follow(&env);
    for step in ["5", "4", "0"] {
        let forked = env.run(&format!("threads fork atris-t --at {step}"));
        assert_eq!(forked.code, 1, "{}", forked.stderr);
        assert!(forked.stderr.contains("SS6058"), "{}", forked.stderr);
    }
    let forked = env.run("threads fork atris-t --name atris-copy");
    assert_eq!(forked.code, 0, "{}", forked.stderr);
    // Whether the call happened comes before an approval, which is for one thread.
    let asked = env.run_with("atris answer atris-copy --no-model --writes", "");
    assert_eq!(asked.code, 3, "{}", asked.stderr);
    assert!(
        asked.stderr.contains("did this call happen?"),
        "{}",
        asked.stderr
    );
    assert!(
        !asked.stderr.contains("May it be done?"),
        "{}",
        asked.stderr
    );
    let said = answer(&env, "atris-copy", "repeat", "--no-model --writes");
    assert_eq!(said.code, 3, "{}", said.stderr);
    assert!(said.stderr.contains("May it be done?"), "{}", said.stderr);
    assert_eq!(posts(&server), 1);
    answer(&env, "atris-t", "no", "--no-model");
    let forked = env.run("threads fork atris-t --at 4 --name atris-back");
    assert_eq!(forked.code, 0, "{}", forked.stderr);
}

#[test]
fn a_fork_behind_a_call_that_was_settled_says_so_and_needs_a_consent() {
    for (said, is_free) in [("unknown", false), ("yes", false), ("no", true)] {
        let server = failing();
        let env = signed_in(&server);
        follow(&env);
        answer(&env, "atris-t", said, "--no-model");
        let forked = env.run("threads fork atris-t --at 4 --name atris-back");
        assert_eq!(forked.code == 0, is_free, "{said}: {}", forked.stderr);
        if is_free {
            continue;
        }
        for said in ["SS6058", "followUser", "happened", "--repeat"] {
            assert!(forked.stderr.contains(said), "{said}: {}", forked.stderr);
        }
        let list = env.run("threads list");
        assert!(!list.stdout.contains("atris-back"), "{}", list.stdout);
        let forked = env.run("threads fork atris-t --at 4 --name atris-back --repeat");
        assert_eq!(forked.code, 0, "{}", forked.stderr);
        assert_eq!(posts(&server), 1);
    }
}

#[test]
fn after_a_kill_it_is_asked_first_whether_the_call_happened_whatever_the_host_is_now() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let other = willing();
    let lines = [
        format!(
            "atris answer atris-t repeat --no-model --writes --host {}",
            other.address()
        ),
        format!(
            "atris answer atris-t n --no-model --writes --host {}",
            other.address()
        ),
        "atris answer atris-t n --no-model --writes --fake".to_owned(),
        "threads resume atris-t".to_owned(),
    ];
    for line in lines {
        let server = hanging(&runtime);
        let env = signed_in(&server);
        killed_in_the_write(&env, &server, &runtime);
        // The settings name another host now, or none.
        asks_of(&env, &other);
        for _ in 0..2 {
            let ran = env.run_with(&line, "n\nn\nn\n");
            assert!([2, 3].contains(&ran.code), "{line}: {}", ran.stderr);
            assert!(
                !ran.stderr.contains("May it be done?"),
                "{line}: {}",
                ran.stderr
            );
            assert!(!ran.stdout.contains("not made"), "{line}: {}", ran.stdout);
            let errors = env.run("atris errors atris-t");
            assert!(
                errors.stdout.contains("open: "),
                "{line}: {}",
                errors.stdout
            );
            let forked = env.run("threads fork atris-t --at 4");
            assert!(
                forked.stderr.contains("SS6058"),
                "{line}: {}",
                forked.stderr
            );
        }
        assert_eq!((posts(&server), posts(&other)), (1, 0), "{line}");
        let said = answer(&env, "atris-t", "yes", "--no-model");
        assert_eq!(said.code, 0, "{line}: {}", said.stderr);
        assert!(said.stdout.contains("Done: followUser."), "{}", said.stdout);
        assert_eq!((posts(&server), posts(&other)), (1, 0), "{line}");
    }
}

#[test]
fn what_is_said_to_other_questions_is_no_id() {
    let server = failing();
    let env = signed_in(&server);
    let ran = env.run_with(FOLLOW, "y\nyes\nunknown\n");
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert_eq!(
        ran.stderr.matches("must be an id").count(),
        3,
        "{}",
        ran.stderr
    );
    assert!(!ran.stderr.contains("May it be done?"), "{}", ran.stderr);
}

#[test]
fn a_command_that_is_out_of_date_approves_no_other_write() {
    let server = willing();
    let env = signed_in(&server);
    let old = until_approval(&env, "");
    assert!(old.contains("--question "), "{old}");
    assert_eq!(env.run(&old).code, 0);
    assert_eq!(posts(&server), 1);
    let next = "atris ask follow user id K4yyy --thread atris-t --writes --no-model";
    let asked = env.run_with(next, "Kabc3\n");
    assert_eq!(asked.code, 3, "{}", asked.stderr);
    let new = suggested(&asked.stderr);
    assert_ne!(old, new);
    let late = env.run(&old);
    assert_eq!(late.code, 1, "{}", late.stderr);
    for part in ["SS6032", "K4yyy", "May it be done?"] {
        assert!(late.stderr.contains(part), "{part}: {}", late.stderr);
    }
    assert_eq!(suggested(&late.stderr), new);
    // An answer that names no question was written for whatever was open.
    let plain = "atris answer atris-t --writes --no-model";
    let said = [
        (plain.replace("atris-t", "atris-t y"), ""),
        (plain.replace("atris-t", "atris-t n"), ""),
        (plain.to_owned(), "y\n"),
        ("threads resume atris-t".to_owned(), "n\n"),
        (
            "atris chat --thread atris-t --writes --no-model".to_owned(),
            "y\n",
        ),
    ];
    for (line, input) in said {
        let ran = env.run_with(&line, input);
        assert_eq!(ran.code, 3, "{line}: {}", ran.stderr);
        assert!(ran.stderr.contains("not taken"), "{line}: {}", ran.stderr);
        assert!(suggested(&ran.stderr).contains("--question "), "{line}");
    }
    env.write("work/answers.txt", "y\n");
    let ran = env.run(&format!("{plain} --answers answers.txt"));
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert_eq!(posts(&server), 1);
    assert_eq!(env.run(&new).code, 0);
    assert_eq!(posts(&server), 2);
}

#[test]
fn answers_that_were_written_down_do_not_approve_what_nobody_saw() {
    let server = willing();
    let env = signed_in(&server);
    assert_eq!(env.run(FOLLOW).code, 3, "it asks who you are");
    env.write("work/answers.txt", "Kabc3\ny\n");
    let options = "--writes --no-model --answers answers.txt";
    let ran = answer(&env, "atris-t", "", options);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    for part in ["May it be done?", "not taken"] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
    assert_eq!(posts(&server), 0);
}
