//! What tests of Atris's calls that change something share: hosts, somebody who is signed in, an order, and answers that name
//! the question they are for.

use std::io::Write as _;

use serde_json::json;
use superstep_loopback::{Answer, Server};
use tokio::runtime::Runtime;

use crate::env::{Ran, TestEnv};

/// An order to follow somebody, in the thread `atris-t`.
pub(crate) const FOLLOW: &str =
    "atris ask follow user id K3zzz --thread atris-t --writes --no-model";

/// A host that does whatever it is asked to.
pub(crate) fn willing() -> Server {
    host(|| Answer::json(200, &json!({"success": true})))
}

/// A host that fails every write, after it may have done it.
pub(crate) fn failing() -> Server {
    host(|| Answer::status(500, &[], ""))
}

fn host(to_write: fn() -> Answer) -> Server {
    let server = Server::on_thread(move |request| match request.method.as_str() {
        "POST" => to_write(),
        _ => Answer::json(200, &json!({"data": []})),
    });
    server.unwrap()
}

/// A host that answers no write.
pub(crate) fn hanging(runtime: &Runtime) -> Server {
    let server = runtime.block_on(Server::with(|request| match request.method.as_str() {
        "POST" => Answer::hang(),
        _ => Answer::json(200, &json!({"data": []})),
    }));
    server.unwrap()
}

/// How many writes a host got.
pub(crate) fn posts(server: &Server) -> usize {
    let requests = server.requests();
    requests.iter().filter(|it| it.method == "POST").count()
}

/// A machine whose user is signed in at a host.
pub(crate) fn signed_in(server: &Server) -> TestEnv {
    let env = TestEnv::new().with("AUDIUS_TEST_TOKEN", "plain-words-of-a-token");
    asks_of(&env, server);
    env
}

/// Makes the settings name this host.
pub(crate) fn asks_of(env: &TestEnv, server: &Server) {
    env.write(
        "home/.config/superstep/config.toml",
        &format!(
            "[agents.atris]\nhosts = [\"{}\"]\ntoken_env = \"AUDIUS_TEST_TOKEN\"\n",
            server.address()
        ),
    );
}

/// Asks to follow somebody, until the approval: the command that is suggested for it.
pub(crate) fn until_approval(env: &TestEnv, options: &str) -> String {
    let ran = env.run_with(&format!("{FOLLOW} {options}"), "Kabc3\n");
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(ran.stderr.contains("May it be done?"), "{}", ran.stderr);
    suggested(&ran.stderr)
}

/// Follows somebody; the write fails.
pub(crate) fn follow(env: &TestEnv) {
    let ran = env.run_with(FOLLOW, "Kabc3\ny\n");
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("did this call happen?"),
        "{}",
        ran.stderr
    );
}

/// Follows somebody, in a process that is killed during the write.
pub(crate) fn killed_in_the_write(env: &TestEnv, server: &Server, runtime: &Runtime) {
    let mut killed = env.command(FOLLOW).spawn().unwrap();
    let mut stdin = killed.stdin.take().unwrap();
    stdin.write_all(b"Kabc3\ny\n").unwrap();
    runtime.block_on(server.hangs(1));
    killed.kill().unwrap();
    killed.wait().unwrap();
}

/// The command that was suggested last, with `y` for the answer.
pub(crate) fn suggested(stderr: &str) -> String {
    let line = stderr.lines().rev().find_map(|line| {
        let (_, line) = line.split_once("with superstep ")?;
        Some(line.replace("ANSWER", "y"))
    });
    line.unwrap_or_else(|| panic!("nothing is suggested: {stderr}"))
}

/// Answers the question that a thread has open now, as whoever sees it does.
pub(crate) fn answer(env: &TestEnv, thread: &str, said: &str, options: &str) -> Ran {
    let shown = env.run(&format!("threads show {thread}"));
    let command = suggested(&shown.stderr);
    let (_, id) = command.split_once("--question ").unwrap();
    let id = id.split_whitespace().next().unwrap();
    env.run(&format!(
        "atris answer {thread} {said} --question {id} {options}"
    ))
}
