//! Model servers on this machine, as far as choosing goes: small ones that answer one thing.

use superstep::model::Reply;
use superstep_fake_providers::openai;
use superstep_loopback::{Answer, Server};

use crate::env::TestEnv;

/// A server that gives every request this body.
fn serve(body: &'static str) -> Server {
    let json = ("content-type", "application/json");
    Server::on_thread(move |_| Answer::status(200, &[json], body)).unwrap()
}

#[test]
fn a_server_with_a_model_worth_it_is_found() {
    let server = serve(
        r#"{"models": [{"name": "tiny:1b", "details": {"parameter_size": "1.2B", "family": "llama"}},
            {"name": "qwen3:8b", "details": {"parameter_size": "8.2B", "family": "qwen3"}}]}"#,
    );
    let ran = TestEnv::new()
        .with("SUPERSTEP_OLLAMA", &server.address())
        .run("model show");
    assert!(
        ran.stdout
            .starts_with("ollama:qwen3:8b  Ollama on this machine\n"),
        "{}",
        ran.stdout
    );
    assert_eq!(ran.code, 0);
}

#[test]
fn a_server_without_one_is_passed_over_and_one_elsewhere_is_not_asked() {
    let server = serve(
        r#"{"models": [{"name": "tiny:1b", "details": {"parameter_size": "1.2B", "family": "x"}}]}"#,
    );
    let env = TestEnv::new().with("SUPERSTEP_OLLAMA", &server.address());
    let ran = env.run("model show --no-input");
    assert!(
        ran.stdout.contains("none of its 1 models chats"),
        "{}",
        ran.stdout
    );
    assert_eq!(ran.code, 3);
    let env = TestEnv::new().with("SUPERSTEP_OLLAMA", "http://192.0.2.1:11434");
    let ran = env.run("model show --no-input");
    assert!(
        ran.stdout.contains("is not on this machine"),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_server_that_was_named_lists_its_models_and_needs_no_key() {
    let server = serve(r#"{"data": [{"id": "one"}, {"id": "two"}]}"#);
    let env = TestEnv::new().with("OPENAI_BASE_URL", &format!("{}/v1", server.address()));
    let ran = env.run("model show --offline");
    assert!(
        ran.stdout.contains("stays on this machine"),
        "{}",
        ran.stdout
    );
    assert_eq!(ran.code, 0);
}

#[cfg(feature = "remote")]
#[test]
fn a_named_openai_model_is_called_at_the_base_url_of_the_environment() {
    let server = Server::on_thread(|_| {
        let reply = Reply {
            content: "Hello.".into(),
            ..Reply::default()
        };
        Answer::events(&openai::stream("m", &reply))
    });
    let server = server.unwrap();
    let env = TestEnv::new().with("OPENAI_BASE_URL", &format!("{}/v1", server.address()));
    let ran = env.run("model chat hi --model openai:m");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("Hello."), "{}", ran.stdout);
    let seen = server.requests();
    assert_eq!(seen[0].path, "/v1/chat/completions");
    assert_eq!(seen[0].body["model"], "m");
}
