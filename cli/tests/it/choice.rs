//! Which model answers, as `model show` and `model list` tell.

use crate::desk::Desk;

#[test]
fn without_anything_there_is_no_model_and_three_ways_out() {
    let ran = Desk::new().run("model show --no-input");
    ran.is_like("show-nothing");
    assert_eq!(ran.code, 3);
    let ran = Desk::new().run("model chat hi");
    assert_eq!(ran.code, 3);
    assert!(ran.stdout.is_empty());
    assert_eq!(ran.stderr.matches("hint:").count(), 3, "{}", ran.stderr);
}

#[test]
fn a_key_is_found_and_never_shown() {
    let desk = Desk::new().with("ANTHROPIC_API_KEY", "hush-hush-hush");
    for line in [
        "model show",
        "model show --json",
        "model list",
        "model list --json",
    ] {
        let ran = desk.run(line);
        assert_eq!(ran.code, 0);
        let all = format!("{}{}", ran.stdout, ran.stderr);
        assert!(!all.contains("hush") && all.contains("anthropic"), "{all}");
    }
    desk.run("model show").is_like("show-key");
    desk.run("model list").is_like("list-key");
    desk.run("model show --offline --no-input --json")
        .is_like("show-offline");
}

#[test]
fn files_say_which_model_and_where_that_was_said() {
    let desk = Desk::new();
    desk.write(
        "work/superstep.toml",
        "model = \"script:a.jsonl\"\n\n[models]\ntriage = \"script:t.jsonl\"\n",
    );
    desk.write("work/a.jsonl", "{\"text\": \"from the project\"}");
    desk.write(
        "home/.config/superstep/config.toml",
        "model = \"openai:x\"\n",
    );
    desk.run("model show").is_like("show-project");
    desk.run("model show --node triage --json")
        .is_like("show-node");
    let ran = desk.run("model chat hi");
    assert_eq!(ran.stdout, "from the project\n");
}

#[test]
fn mistakes_are_told_with_what_was_meant() {
    let desk = Desk::new();
    desk.run("model show --model opnai:x")
        .is_like("show-mistyped");
    desk.run("modle list").is_like("mistyped-command");
    desk.run("model list olama").is_like("list-mistyped");
    desk.write("work/superstep.toml", "\nmodell = \"x\"\n");
    desk.run("model show").is_like("show-bad-file");
    let refused = desk.run("model show --api-key x");
    assert_eq!(refused.code, 2);
}

#[test]
fn nothing_is_fetched_offline() {
    let ran = Desk::new().run("model pull tiny --offline");
    ran.is_like("pull-offline");
    assert_eq!(ran.code, 2);
    let ran = Desk::new().run("model pull huge");
    ran.is_like("pull-unknown");
}

#[test]
fn an_offline_run_refuses_a_model_elsewhere() {
    let desk = Desk::new().with("OPENAI_API_KEY", "hush-hush-hush");
    let ran = desk.run("model chat --offline --model openai:m hi");
    ran.is_like("chat-offline");
}
