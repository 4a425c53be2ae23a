//! An approval of Atris is for one host: the one that the question names. Commands that are suggested ask the
//! hosts that the question was asked of.

use crate::{
    atris_calls::{answer, posts, signed_in, suggested, until_approval, willing},
    env::TestEnv,
};

#[test]
fn an_answer_with_another_host_is_refused_and_the_question_stays_open() {
    let (approved, other) = (willing(), willing());
    let env = signed_in(&approved);
    until_approval(&env, "");
    let elsewhere = format!("--host {}", other.address());
    for options in [elsewhere.as_str(), "--fake"] {
        let ran = env.run(&format!(
            "atris answer atris-t y --writes --no-model {options}"
        ));
        assert_eq!(ran.code, 2, "{options}: {}", ran.stderr);
        assert!(ran.stderr.contains("SS8016"), "{options}: {}", ran.stderr);
        assert!(
            ran.stderr.contains(&approved.address()),
            "{options}: {}",
            ran.stderr
        );
        // What is suggested names the host that was asked about.
        assert!(
            suggested(&ran.stderr).contains(&format!("--host {}", approved.address())),
            "{options}: {}",
            ran.stderr
        );
    }
    assert_eq!((posts(&approved), posts(&other)), (0, 0));
    let said = answer(&env, "atris-t", "y", "--writes --no-model");
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert_eq!((posts(&approved), posts(&other)), (1, 0));
}

#[test]
fn a_call_of_the_fake_is_approved_for_the_fake_alone() {
    let server = willing();
    let env = signed_in(&server);
    let line = until_approval(&env, "--fake");
    assert!(line.contains("--fake"), "{line}");
    let ran = env.run("atris answer atris-t y --writes --no-model");
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("SS8016"), "{}", ran.stderr);
    let resumed = env.run_with("threads resume atris-t", "y\n");
    assert!(
        resumed.stderr.contains("needs --writes"),
        "{}",
        resumed.stderr
    );
    assert!(
        suggested(&resumed.stderr).contains("--fake"),
        "{}",
        resumed.stderr
    );
    assert_eq!(server.requests().len(), 0, "the other host was not asked");
    // Another process has a fake with another port, and it is the same fake.
    let said = env.run(&line);
    assert!(said.stdout.contains("followUser"), "{}", said.stdout);
    assert!(!said.stderr.contains("SS8016"), "{}", said.stderr);
}

#[test]
fn commands_that_are_suggested_for_a_thread_ask_the_hosts_it_was_asked_of() {
    let env = TestEnv::new();
    let asked = env.run("atris ask followers of Sol Rivera --thread atris-t --fake --no-model");
    assert_eq!(asked.code, 3, "{}", asked.stderr);
    let shown = env.run("threads show atris-t");
    let is_for = |line: &str, thread: &str, host: &str| {
        line.starts_with(&format!("atris answer {thread} y --question ")) && line.ends_with(host)
    };
    let line = suggested(&shown.stderr);
    assert!(is_for(&line, "atris-t", " --fake"), "{line}");
    let forked = env.run("threads fork atris-t --name atris-copy");
    assert_eq!(forked.code, 0, "{}", forked.stderr);
    let line = suggested(&forked.stderr);
    assert!(is_for(&line, "atris-copy", " --fake"), "{line}");
    // Without the fake, what it knows means nothing.
    let ran = env.run_with("threads resume atris-t --offline", "1\n");
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("SS8016"), "{}", ran.stderr);
    let said = env.run(&line.replace(" y ", " 1 "));
    assert_eq!(said.code, 0, "{}", said.stderr);
    let server = willing();
    let host = server.address();
    let line = format!("atris ask followers of --thread atris-h --no-model --host {host}");
    assert_eq!(env.run(&line).code, 3);
    let shown = env.run("threads show atris-h");
    let line = suggested(&shown.stderr);
    assert!(
        is_for(&line, "atris-h", &format!(" --host {host}")),
        "{line}"
    );
}

#[test]
fn the_approval_of_a_private_read_names_the_host() {
    let (approved, other) = (willing(), willing());
    let env = signed_in(&approved);
    let asked = env.run("atris ask notifications of user id K3zzz --thread atris-t --no-model");
    assert_eq!(asked.code, 3, "{}", asked.stderr);
    let wanted = format!("at {}", approved.address());
    assert!(asked.stderr.contains(&wanted), "{}", asked.stderr);
    let line = format!(
        "atris answer atris-t y --no-model --host {}",
        other.address()
    );
    let ran = env.run(&line);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("SS8016"), "{}", ran.stderr);
    assert_eq!(other.requests().len(), 0);
    let is_read = || {
        let requests = approved.requests();
        requests.iter().any(|it| it.path.contains("notifications"))
    };
    assert!(!is_read());
    answer(&env, "atris-t", "y", "--no-model");
    assert!(is_read());
}

#[test]
fn a_copy_that_waits_for_an_approval_is_answered_at_once() {
    let server = willing();
    let env = signed_in(&server);
    until_approval(&env, "");
    let forked = env.run("threads fork atris-t --name atris-copy");
    assert_eq!(forked.code, 0, "{}", forked.stderr);
    let said = answer(&env, "atris-copy", "y", "--writes --no-model");
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert!(!said.stderr.contains("no: "), "{}", said.stderr);
    assert_eq!(posts(&server), 1);
    // The original still waits for its own.
    let said = answer(&env, "atris-t", "n", "--writes --no-model");
    assert_eq!(posts(&server), 1, "{}", said.stderr);
}
