//! Choosing a model: the menu of the first run, `superstep setup`, `model use` and `model rm`.

use superstep_loopback::{Answer, Server};

use crate::{env::TestEnv, terminal::Terminal};

const TAGS: &str = r#"{"models": [{"name": "qwen3:8b", "details": {"parameter_size": "8.2B", "family": "qwen3"}}]}"#;

#[test]
fn the_first_run_offers_ways_to_a_model_and_downloads_nothing_by_itself() {
    let env = TestEnv::new();
    let terminal = Terminal::run(&env, "ask hello");
    terminal.shows("Choose a model:").prompts(1);
    let screen = terminal.screen();
    for way in ["paste the key", "download", "the demo"] {
        assert!(screen.contains(way), "{way}: {screen}");
    }
    terminal.press("\r").shows("superstep setup");
    assert_eq!(terminal.end(), 3);
}

#[test]
fn a_model_that_is_too_small_for_the_task_is_not_offered() {
    let env = TestEnv::new();
    let book = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../agents/sheets/demo/sales.xlsx"
    );
    std::fs::copy(book, env.path("work/sales.xlsx")).unwrap();
    let terminal = Terminal::run(&env, "sheet run sales.xlsx -i sort");
    terminal.shows("too small for workbooks").prompts(1);
    let screen = terminal.screen();
    assert!(!screen.contains("download qwen"), "{screen}");
    terminal.press("\r");
    assert_eq!(terminal.end(), 3);
    let agreed = env.run("sheet run sales.xlsx -i sort --yes");
    assert_eq!(agreed.code, 3, "{}", agreed.stderr);
}

#[test]
fn setup_uses_a_server_of_this_machine_at_the_address_that_ollama_has() {
    let json = ("content-type", "application/json");
    let server = Server::on_thread(move |_| Answer::status(200, &[json], TAGS)).unwrap();
    let bare = server.address().replace("http://", "");
    let env = TestEnv::new().with("SUPERSTEP_OLLAMA", &bare);
    let terminal = Terminal::run(&env, "setup");
    terminal.shows("use ollama:qwen3:8b").prompts(1).say("9");
    terminal
        .prompts(2)
        .say("2")
        .shows("every command uses ollama:qwen3:8b");
    assert_eq!(terminal.end(), 0);
    assert_eq!(env.run("config get model").stdout, "ollama:qwen3:8b\n");
    let listed = env.run("model list");
    let used = listed.stdout.lines().find(|line| line.starts_with("* "));
    assert!(
        used.is_some_and(|line| line.contains("ollama")),
        "{}",
        listed.stdout
    );
    let asked = env.run("ask hi");
    assert!(!asked.stderr.contains("11434"), "{}", asked.stderr);
}

#[test]
fn a_key_that_is_pasted_is_stored_and_its_provider_used() {
    let env = TestEnv::new();
    let terminal = Terminal::run(&env, "setup --offline");
    // Nothing that leaves the machine is offered.
    terminal.shows("the demo").prompts(1);
    assert!(!terminal.screen().contains("paste the key"));
    terminal.press("\r");
    assert_eq!(terminal.end(), 0);
    let named = env.run("login");
    assert_eq!(named.code, 2, "{}", named.stderr);
    assert!(named.stderr.contains("anthropic"), "{}", named.stderr);
    let stored = env.run_with("login openai --no-check", "sk-test\n");
    assert_eq!(stored.code, 0, "{}", stored.stderr);
    assert!(
        stored.stderr.contains("every command uses openai"),
        "{}",
        stored.stderr
    );
    assert_eq!(env.run("login openai --remove").code, 0);
    let file = env.read("home/.config/superstep/config.toml");
    assert!(!file.contains("[providers"), "{file}");
}

#[test]
fn a_model_is_used_by_its_name_and_a_mistake_names_no_line() {
    let env = TestEnv::new();
    env.write("work/x.jsonl", "{\"text\": \"hi\"}\n");
    assert_eq!(env.run("model use script:x.jsonl").code, 0);
    let wrong = env.run("model use gpt-4o");
    assert_eq!(wrong.code, 2, "{}", wrong.stderr);
    assert!(wrong.stderr.contains("openai:gpt-4o"), "{}", wrong.stderr);
    assert!(env.run("config get model").stdout.contains("x.jsonl"));
    let key = env.run("config set modle x");
    assert!(
        key.stderr.contains("settings: modle: unknown key `modle`"),
        "{}",
        key.stderr
    );
    let gone = env.run("model rm");
    assert_eq!(gone.code, 1, "{}", gone.stderr);
    let own = env.run("model rm ./x.gguf");
    assert_eq!(own.code, 2, "{}", own.stderr);
}

#[test]
fn a_broken_project_file_stops_no_command_that_needs_none() {
    let env = TestEnv::new();
    env.write("work/superstep.toml", "modl = \"x\"\n");
    let listed = env.run("threads list");
    assert_eq!(listed.code, 0, "{}", listed.stderr);
    let doctor = env.run("doctor --offline");
    assert!(
        doctor.stdout.contains("the project's file"),
        "{}",
        doctor.stdout
    );
    assert_eq!(env.run("ask hi").code, 2);
}
