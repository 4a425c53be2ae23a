//! Which model answers, as `model show` and `model list` tell.

use crate::env::TestEnv;

#[test]
fn without_anything_there_is_no_model_and_ways_out() {
    let ran = TestEnv::new().run("model show --no-input");
    ran.is_like("show-nothing");
    assert_eq!(ran.code, 3);
    let ran = TestEnv::new().run("model chat hi");
    assert_eq!(ran.code, 3);
    assert!(ran.stdout.is_empty());
    assert_eq!(ran.stderr.matches("hint:").count(), 4, "{}", ran.stderr);
}

#[test]
fn a_key_is_found_and_never_shown() {
    let env = TestEnv::new().with("ANTHROPIC_API_KEY", "hush-hush-hush");
    for line in [
        "model show", "model show --json", "model list", "model list --json",
    ] {
        let ran = env.run(line);
        assert_eq!(ran.code, 0);
        let all = format!("{}{}", ran.stdout, ran.stderr);
        assert!(!all.contains("hush") && all.contains("anthropic"), "{all}");
    }
    env.run("model show").is_like("show-key");
    env.run("model list").is_like("list-key");
    env.run("model show --offline --no-input --json")
        .is_like("show-offline");
}

#[test]
fn files_say_which_model_and_where_that_was_said() {
    let env = TestEnv::new();
    env.write(
        "work/superstep.toml",
        "model = \"script:a.jsonl\"\n\n[models]\ntriage = \"script:t.jsonl\"\n",
    );
    env.write("work/a.jsonl", "{\"text\": \"from the project\"}");
    env.write(
        "home/.config/superstep/config.toml",
        "model = \"openai:x\"\n",
    );
    env.run("model show").is_like("show-project");
    env.run("model show --node triage --json")
        .is_like("show-node");
    let ran = env.run("model chat hi");
    assert_eq!(ran.stdout, "from the project\n");
}

#[test]
fn mistakes_are_told_with_what_was_meant() {
    let env = TestEnv::new();
    env.run("model show --model opnai:x")
        .is_like("show-mistyped");
    env.run("modle list").is_like("mistyped-command");
    env.run("model list olama").is_like("list-mistyped");
    env.write("work/superstep.toml", "\nmodell = \"x\"\n");
    env.run("model show").is_like("show-bad-file");
    let refused = env.run("model show --api-key x");
    assert_eq!(refused.code, 2);
}

#[test]
fn nothing_is_fetched_offline() {
    let ran = TestEnv::new().run("model pull tiny --offline");
    ran.is_like("pull-offline");
    assert_eq!(ran.code, 2);
    let ran = TestEnv::new().run("model pull huge");
    ran.is_like("pull-unknown");
}

#[test]
fn an_offline_run_refuses_a_model_elsewhere() {
    let env = TestEnv::new().with("OPENAI_API_KEY", "hush-hush-hush");
    let ran = env.run("model chat --offline --model openai:m hi");
    ran.is_like("chat-offline");
}

#[test]
fn a_password_in_an_address_is_not_shown() {
    let spec = "openai@https://bob:hunter2@gw.example/v1:x";
    let env = TestEnv::new().with("SUPERSTEP_MODEL", spec);
    for line in ["model show", "model show --json", "doctor", "doctor --json"] {
        let ran = env.run(line);
        let all = format!("{}{}", ran.stdout, ran.stderr);
        assert!(!all.contains("hunter2"), "{line}: {all}");
        // It is no name of a model on a host `bob`.
        assert!(all.contains("no user and no password"), "{line}: {all}");
    }
    let env = TestEnv::new();
    let config = "model = \"openai:x\"\n[providers.openai]\nbase_url = \"https://bob:hunter2@gw.example/v1\"\n";
    env.write("home/.config/superstep/config.toml", config);
    for line in [
        "model show", "model show --json", "doctor", "config show", "config show --json",
    ] {
        let ran = env.run(line);
        let all = format!("{}{}", ran.stdout, ran.stderr);
        assert!(!all.contains("hunter2"), "{line}: {all}");
        assert!(all.contains("[redacted]"), "{line}: {all}");
    }
    let asked = env.run("config get providers.openai.base_url");
    assert!(asked.stdout.contains("hunter2"), "{}", asked.stdout);
    let env = TestEnv::new().with("OPENAI_BASE_URL", "https://bob:hunter2@gw.example/v1");
    let shown = env.run("model show");
    assert!(
        shown
            .stdout
            .contains("https://bob:[redacted]@gw.example/v1"),
        "{}",
        shown.stdout
    );
}
