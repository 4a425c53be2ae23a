//! Archie's shell.

use crate::{env::TestEnv, terminal::Terminal};

const SHELL: &str = "shell --model script:FIXTURES/archie.jsonl";

#[test]
fn every_command_works_inside_and_other_words_are_questions() {
    let env = TestEnv::new().with_documents();
    let terminal = Terminal::run(&env, SHELL);
    terminal.prompts(1).say("who keeps payments?");
    terminal.shows("The ledger does.").prompts(2);
    terminal.say("analyze --query what --inputs docs");
    terminal.shows("First question?").prompts(3);
    terminal
        .say("/approve")
        .shows("the analysis is in")
        .prompts(4);
    terminal.say("threads list").shows("done").prompts(5);
    terminal.say("threads lst").shows("tip:").prompts(6);
    terminal.say("/help").shows("Any other line is a question");
    terminal.prompts(7).say("exit");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn a_question_follows_the_command_before_it_with_its_thread_and_documents() {
    let env = TestEnv::new().with_documents();
    let terminal = Terminal::run(&env, SHELL);
    terminal.prompts(1);
    terminal.say("ask --inputs docs who keeps payments?");
    terminal.shows("The ledger does.").prompts(2);
    terminal.say("since when is that so?");
    terminal.has_shown("The ledger does.", 2).prompts(3);
    terminal.say("analyze --query what --inputs docs");
    terminal.shows("First question?").prompts(4);
    terminal
        .say("/approve")
        .shows("the analysis is in")
        .prompts(5);
    terminal
        .say("please say why one of them is enough")
        .shows("It is enough.");
    terminal.prompts(6).press("\u{4}");
    assert_eq!(terminal.end(), 0);
    let mut turns = Vec::new();
    for thread in env.run("threads list --json").events() {
        let name = thread["thread"].as_str().unwrap();
        let shown = env.run(&format!("threads show {name} --json"));
        let state = shown.events()[0]["state"].take();
        assert!(state["inputs"]["folder"].is_string(), "{state}");
        turns.push(state["analysis_history"].as_array().unwrap().len());
    }
    turns.sort_unstable();
    assert_eq!(turns, [4, 6]);
}

#[test]
fn tab_completes_commands_paths_and_threads() {
    let env = TestEnv::new().with_documents();
    let line = "ask --model script:FIXTURES/archie.jsonl who?";
    let thread = env.run(line).thread();
    let terminal = Terminal::run(&env, SHELL);
    terminal.prompts(1);
    terminal.press("build-c\t").shows("archie> build-context");
    terminal.press("--inputs d\t").shows("--inputs docs/");
    terminal.press("\u{3}").prompts(2);
    terminal.press("threads show archie-\t");
    terminal.shows(&format!("threads show {thread}"));
    terminal.press("\r").shows("The ledger does.").prompts(3);
    terminal.press("\u{4}");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn commands_of_the_last_time_can_be_recalled() {
    let env = TestEnv::new();
    let terminal = Terminal::run(&env, "shell");
    terminal.prompts(1).say("config show");
    terminal.shows("offline = false").prompts(2).say("exit");
    assert_eq!(terminal.end(), 0);
    let terminal = Terminal::run(&env, "shell");
    terminal.prompts(1).press("\u{1b}[A\u{1b}[A");
    terminal.shows("archie> config show").press("\u{3}");
    terminal.prompts(2).press("\u{4}");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn a_script_of_commands_ends_with_what_the_last_one_ended_with() {
    let env = TestEnv::new().with_documents();
    let ran = env.run_with(SHELL, "graph archie --mermaid\nwho?\nexit\n");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.ends_with("The ledger does.\n"), "{}", ran.stdout);
    let ran = env.run_with(SHELL, "threads show archie-nobody\n");
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let ran = env.run_with(SHELL, "threads nonsense\n");
    assert_eq!(ran.code, 2, "{}", ran.stderr);
}

#[cfg(unix)]
#[test]
fn a_shell_knows_the_documents_of_its_folder_and_continues_where_it_was() {
    let env = TestEnv::new().with_documents();
    let terminal = Terminal::run(&env, SHELL);
    terminal.shows("answered from the documents in").prompts(1);
    terminal
        .say("who keeps payments?")
        .shows("The ledger does.");
    terminal.prompts(2).say("/documents").shows("plan.md");
    terminal.prompts(3).say("/inputs nowhere").shows("nowhere");
    terminal
        .prompts(4)
        .say("/inputs none")
        .shows("without documents");
    terminal.prompts(5).press("\u{3}").prompts(6).press("\u{3}");
    assert_eq!(terminal.end(), 0);
    let thread = env.run("threads list --json").events()[0]["thread"].take();
    let thread = thread.as_str().unwrap().to_owned();
    let terminal = Terminal::run(&env, "--continue --model script:FIXTURES/archie.jsonl");
    terminal.shows("The ledger does.").prompts(1).say("/thread");
    terminal.shows(&thread).prompts(2).say("/clear");
    terminal.hides(&thread).prompts(3).say("/resume last");
    terminal.shows("The ledger does.").prompts(4).press("\u{4}");
    assert_eq!(terminal.end(), 0);
    let both = env.run("--continue threads list");
    assert_eq!(both.code, 2, "{}", both.stderr);
}

#[test]
fn a_question_has_the_files_that_it_names_and_a_pipe_may_be_the_question() {
    let env = TestEnv::new().with_documents();
    env.write(
        "work/knows.jsonl",
        "{\"when\": {\"contains\": \"One ledger holds\"}, \"text\": \"One.\", \"repeat\": \"always\"}\n{\"text\": \"None.\", \"repeat\": \"always\"}\n",
    );
    let model = "--model script:knows.jsonl";
    let named = env.run(&format!("ask what is in @docs/plan.md? {model}"));
    assert_eq!(named.stdout, "One.\n", "{}", named.stderr);
    let unknown = env.run(&format!("ask who is @nobody {model}"));
    assert_eq!(unknown.stdout, "None.\n", "{}", unknown.stderr);
    let piped = env.run_with(&format!("ask {model}"), "One ledger holds it?\n");
    assert_eq!(piped.stdout, "One.\n", "{}", piped.stderr);
    assert_eq!(env.run(&format!("ask {model}")).code, 2);
    let much = env.run_with(&format!("ask what {model}"), &"words ".repeat(100_000));
    assert_eq!(much.code, 2, "{}", much.stderr);
    assert!(much.stderr.contains("--inputs"), "{}", much.stderr);
}
