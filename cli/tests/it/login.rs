//! Keys of providers: stored for their owner alone, checked, never shown.
#![cfg(feature = "remote")]

use serde_json::json;
use superstep_loopback::{Answer, Request, Server};

use crate::{env::TestEnv, terminal::Terminal};

const KEY: &str = "sk-hush-hush-0123";
const FILE: &str = "home/.config/superstep/keys/openai";

/// A provider that takes one key.
fn provider() -> Server {
    Server::on_thread(|request: &Request| match request.header("authorization") {
        Some("Bearer sk-hush-hush-0123") => {
            Answer::json(200, &json!({"data": [{"id": "gpt-x"}, {"id": "gpt-y"}]}))
        }
        _ => Answer::json(401, &json!({"error": {"message": "wrong key"}})),
    })
    .unwrap()
}

fn env(server: &Server) -> TestEnv {
    let env = TestEnv::new();
    env.write(
        "home/.config/superstep/config.toml",
        &format!("[providers.openai]\nbase_url = \"{}\"\n", server.address()),
    );
    env
}

#[test]
fn a_key_is_stored_for_its_owner_alone_and_never_shown() {
    let server = provider();
    let env = env(&server);
    let ran = env.run_with("login openai", &format!("{KEY}\n"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("has 2 models"), "{}", ran.stderr);
    assert_eq!(env.read(FILE), format!("{KEY}\n"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |name: &str| {
            let about = std::fs::metadata(env.path(name)).unwrap();
            about.permissions().mode() & 0o777
        };
        assert_eq!(mode(FILE), 0o600);
        assert_eq!(mode("home/.config/superstep/keys"), 0o700);
    }
    for line in [
        "config show --origin", "model show", "doctor", "login openai --json",
    ] {
        let ran = env.run_with(line, KEY);
        let all = format!("{}{}", ran.stdout, ran.stderr);
        assert!(!all.contains("hush"), "{line}: {all}");
    }
    // It is used, whatever the environment says.
    let listed = env.run("model list openai");
    assert!(listed.stdout.contains("gpt-y"), "{}", listed.stderr);
    // What a provider refuses does not replace what it took.
    let refused = env.run_with("login openai", "sk-wrong-hush");
    assert_eq!(refused.code, 4, "{}", refused.stderr);
    assert!(!refused.stderr.contains("hush"), "{}", refused.stderr);
    assert_eq!(env.read(FILE), format!("{KEY}\n"));
    let removed = env.run("login openai --remove");
    assert_eq!(removed.code, 0, "{}", removed.stderr);
    assert!(!env.path(FILE).exists());
    assert!(!env.run("config show").stdout.contains("key_file"));
}

#[test]
fn a_key_that_is_typed_is_not_echoed() {
    let server = provider();
    let env = env(&server);
    let terminal = Terminal::run(&env, "login openai");
    terminal
        .shows("it is not shown")
        .say(KEY)
        .shows("has 2 models");
    assert!(!terminal.screen().contains("hush"), "{}", terminal.screen());
    assert_eq!(terminal.end(), 0);
    assert_eq!(env.read(FILE), format!("{KEY}\n"));
}

#[test]
fn what_is_no_key_is_refused_and_nothing_is_stored() {
    let env = TestEnv::new();
    for (line, input, message) in [
        ("login nobody", KEY, "no provider `nobody`"),
        ("login ollama", KEY, "no provider `ollama`"),
        ("login openai", "", "pipe the key in"),
        ("login openai", "two words", "this is no key"),
    ] {
        let ran = env.run_with(line, input);
        assert_eq!(ran.code, 2, "{line}: {}", ran.stderr);
        assert!(ran.stderr.contains(message), "{line}: {}", ran.stderr);
        assert!(!env.path(FILE).exists());
    }
    let offline = env.run_with("login openai --offline", KEY);
    assert_eq!(offline.code, 0, "{}", offline.stderr);
    assert!(offline.stderr.contains("not checked"), "{}", offline.stderr);
    assert!(env.path(FILE).exists());
    // Settings that say where the key is count more, so they are named.
    env.write(
        "home/.config/superstep/config.toml",
        "[providers.openai]\nkey_env = \"MINE\"\n",
    );
    let other = env.run_with("login openai --offline", KEY);
    assert_eq!(other.code, 2, "{}", other.stderr);
    assert!(other.stderr.contains("key_env"), "{}", other.stderr);
}
