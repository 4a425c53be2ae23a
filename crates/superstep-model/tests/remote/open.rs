//! Models that are opened by name or found by variables, against servers that answer as providers do.

use serde_json::json;
use superstep_loopback::{Answer, Server};
use superstep_model::{
    Model, ModelError,
    config::Origin,
    select::{Choice, Environment, Providers},
    spec::KNOWN,
};

use crate::side::{MODEL, SIDES, Side, greeting, hello, success};

const FLAG: Origin = Origin::Flag("--model");

/// The environment of a process with these variables and no others.
fn environment(vars: &[(&str, &str)]) -> Environment {
    let value = |name: &str| {
        let found = vars.iter().find(|(key, _)| *key == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    Environment::of(&Providers::built_in()).seen(value)
}

/// A server that lists one model and greets in the protocol of a side.
async fn greeter(side: Side) -> Server {
    let models = json!({
        "data": [{"id": MODEL}],
        "models": [{"name": MODEL, "details": {"parameter_size": "8.2B", "family": "qwen3"}}],
    });
    let greets = move |seen: &superstep_loopback::Request| match seen.method.as_str() {
        "GET" => Answer::json(200, &models),
        _ => Answer::events(&side.stream(&greeting())),
    };
    Server::with(greets).await.unwrap()
}

async fn greets(choice: &Choice) {
    let model = Providers::built_in().open(choice).await.unwrap();
    assert_eq!(model.id().name, MODEL);
    success(&model).await;
}

#[tokio::test]
async fn a_model_is_opened_by_provider_address_and_name() {
    for side in SIDES {
        let server = greeter(side).await;
        let name = format!("{}@{}:{MODEL}", side.name(), server.address());
        let model = Providers::built_in().open_named(&name).await.unwrap();
        assert_eq!(model.id().name, MODEL);
        success(&model).await;
        assert_eq!(server.requests()[0].body["model"], MODEL);
    }
}

#[tokio::test]
async fn a_script_is_opened_by_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("s.jsonl");
    std::fs::write(&file, "{\"text\": \"hi\", \"repeat\": \"always\"}\n").unwrap();
    let name = format!("script:{}", file.display());
    let model = Providers::built_in().open_named(&name).await.unwrap();
    let reply = model.invoke(&hello()).await.unwrap();
    assert_eq!(reply.content.text(), "hi");
}

#[tokio::test]
async fn an_opened_model_tries_a_failed_call_again() {
    for side in SIDES {
        let server = Server::start([
            Answer::status(503, &[("retry-after", "0")], "{}"),
            Answer::events(&side.stream(&greeting())),
        ]);
        let server = server.await.unwrap();
        let name = format!("{}@{}:{MODEL}", side.name(), server.address());
        let model = Providers::built_in().open_named(&name).await.unwrap();
        success(&model).await;
        assert_eq!(server.requests().len(), 2);
    }
}

#[tokio::test]
async fn an_openai_model_that_is_named_is_called_at_the_base_url_of_the_environment() {
    let server = greeter(Side::OpenAi).await;
    let base = format!("{}/v1/", server.address());
    let vars = [("OPENAI_BASE_URL", base.as_str())];
    let named = format!("openai:{MODEL}");
    // Without a name, the first model that the server lists is taken.
    for name in [named.as_str(), "openai"] {
        let choice = environment(&vars).choice(name, FLAG).unwrap();
        greets(&choice).await;
    }
    let vars = [vars[0], ("OPENAI_MODEL", MODEL)];
    let choice = environment(&vars).choice("openai", FLAG).unwrap();
    assert_eq!(choice.spec.name.as_deref(), Some(MODEL));
    greets(&choice).await;
    let seen = server.requests();
    let calls = seen.iter().filter(|seen| seen.method == "POST");
    let paths: Vec<_> = calls.map(|seen| seen.path.as_str()).collect();
    assert_eq!(paths, ["/v1/chat/completions"; 3]);
}

#[test]
fn an_address_in_the_name_counts_before_the_base_url_and_other_providers_ignore_it() {
    let world = environment(&[("OPENAI_BASE_URL", "https://gateway.example/v1")]);
    let base = |name| world.choice(name, FLAG).unwrap().base.unwrap();
    assert_eq!(base("openai:m"), "https://gateway.example/v1");
    assert_eq!(
        base("openai@http://127.0.0.1:1/v1:m"),
        "http://127.0.0.1:1/v1"
    );
    assert_eq!(base("mistral:m"), "https://api.mistral.ai/v1");
    let world = environment(&[("OPENAI_BASE_URL", "https://bob:hunter2@gateway.example")]);
    let error = world.choice("openai:m", FLAG).unwrap_err();
    assert_eq!(error.code(), "SS5019");
    let message = error.to_string();
    assert!(message.contains("$OPENAI_BASE_URL"), "{message}");
    assert!(!message.contains("hunter2"), "{message}");
}

#[tokio::test]
async fn a_missing_key_is_an_error_that_names_its_variable() {
    for known in KNOWN {
        let Some(variable) = known.key_env else {
            assert_eq!(known.name, "ollama");
            continue;
        };
        let name = format!("{}:m", known.name);
        let choice = environment(&[]).choice(&name, FLAG).unwrap();
        let error = Providers::built_in().open(&choice).await.err().unwrap();
        assert_eq!(error.code(), "SS5001");
        assert!(error.hint().is_some());
        let message = error.to_string();
        let expected = format!("no API key for {}: ${variable} is not set", known.name);
        assert_eq!(message, expected);
    }
}

#[tokio::test]
async fn an_unknown_provider_is_an_error_with_the_nearest_name() {
    for (name, meant) in [
        ("opnai:gpt-5-mini", "did you mean `openai`?"),
        (
            "claude-sonnet-4-5",
            "did you mean `anthropic:claude-sonnet-4-5`?",
        ),
        ("qwen3:8b", "did you mean `ollama:qwen3:8b`?"),
        ("nowhere:x", "there are anthropic, deepseek, gemini"),
        ("openai:", "the name is empty"),
    ] {
        let opened = Providers::built_in().open_named(name).await;
        let error: ModelError = opened.err().unwrap();
        assert_eq!(error.code(), "SS5019");
        assert!(error.to_string().contains(meant), "{error}");
        assert!(error.to_string().contains("model::open"), "{error}");
    }
}

#[tokio::test]
async fn the_environment_leads_to_a_model() {
    let server = greeter(Side::OpenAi).await;
    let named = format!("openai@{}:{MODEL}", server.address());
    let base = format!("{}/v1", server.address());
    for vars in [
        [
            ("SUPERSTEP_MODEL", named.as_str()),
            ("ANTHROPIC_API_KEY", "k"),
        ],
        [("OPENAI_BASE_URL", base.as_str()), ("OPENAI_MODEL", MODEL)],
    ] {
        let resolution = environment(&vars).find(None, false).await.unwrap();
        greets(resolution.choice().unwrap()).await;
    }
}

#[tokio::test]
async fn an_ollama_server_at_another_address_is_found_and_called_there() {
    let server = greeter(Side::OpenAi).await;
    let vars = [("SUPERSTEP_OLLAMA", server.address())];
    let vars = vars.each_ref().map(|(name, value)| (*name, value.as_str()));
    let found = environment(&vars).find(None, false).await.unwrap();
    greets(found.choice().unwrap()).await;
    let named = format!("ollama:{MODEL}");
    greets(&environment(&vars).choice(&named, FLAG).unwrap()).await;
    let seen = server.requests();
    let paths: Vec<_> = seen.iter().map(|seen| seen.path.as_str()).collect();
    let chat = "/v1/chat/completions";
    assert_eq!(paths, ["/api/tags", chat, chat]);
}

#[tokio::test]
async fn an_environment_without_a_model_is_an_error_that_lists_the_variables() {
    let found = environment(&[("SUPERSTEP_OLLAMA", "")])
        .find(None, false)
        .await;
    let error = found.unwrap().choice().unwrap_err();
    assert_eq!(error.code(), "SS5016");
    let message = error.to_string();
    for variable in ["SUPERSTEP_MODEL", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"] {
        let expected = format!("{variable}: not set");
        assert!(message.contains(&expected), "{message}");
    }
    assert!(!message.contains("--model"), "{message}");
}
