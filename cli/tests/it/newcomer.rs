//! Somebody who is new here: nothing they type is lost, nothing happens that they did not ask for, and what
//! is suggested works.

use crate::{
    env::{TestEnv, thread_in},
    terminal::Terminal,
};

const ARCHIE: &str = "--model script:FIXTURES/archie.jsonl";
const ANALYZE: &str = "analyze --query what --inputs docs --model script:FIXTURES/archie.jsonl";

/// A model that answers what it is asked, and knows what was said before.
const KNOWS: &str = r#"{"when": {"contains": "since when", "anywhere": "Who owns"}, "text": "Since May.", "repeat": "always"}
{"when": {"contains": "since when"}, "text": "Since when what?", "repeat": "always"}
{"when": {"contains": "Who owns"}, "text": "Lena does.", "repeat": "always"}
{"when": {"contains": "piped words"}, "text": "They were piped.", "repeat": "always"}
"#;

#[test]
fn before_the_first_run_lists_are_empty_and_say_how_to_begin() {
    let env = TestEnv::new();
    for (line, next) in [
        ("threads list", "superstep ask"),
        ("threads list --waiting", "superstep ask"),
        ("inbox", "superstep mail ingest"),
        ("inbox list", "superstep mail ingest"),
        ("trace list", "superstep ask"),
    ] {
        let ran = env.run(line);
        assert_eq!(ran.code, 0, "{line}: {}", ran.stderr);
        assert_eq!(ran.stdout, "", "{line}");
        assert!(ran.stderr.contains(next), "{line}: {}", ran.stderr);
        let json = env.run(&format!("{line} --json"));
        assert_eq!((json.code, &*json.stdout), (0, ""), "{line}");
    }
}

#[test]
fn words_typed_after_ctrl_c_replace_what_was_said() {
    let env = TestEnv::new().with_documents();
    let terminal = Terminal::run(&env, ANALYZE);
    terminal.shows("First question?").prompts(1);
    terminal.say("hang here").shows("so far").press("\u{3}");
    // What was said is in the line again, to be changed.
    terminal.prompts(2).ends_with("you> hang here");
    terminal.press("\u{15}").say("I mean replicas");
    terminal.shows("Second question?").prompts(3).press("\u{4}");
    terminal.shows("Saved. Resume with");
    let thread = thread_in(&terminal.screen()).unwrap();
    assert_eq!(terminal.end(), 3);
    let shown = env.run(&format!("threads show {thread} --json")).stdout;
    assert!(shown.contains("I mean replicas"), "{shown}");
    assert!(!shown.contains("hang here"), "{shown}");
}

#[test]
fn the_first_words_can_be_replaced_too_and_exit_leaves() {
    let env = TestEnv::new().with_documents();
    let line = "analyze --query hang_here --inputs docs --model script:FIXTURES/archie.jsonl";
    let terminal = Terminal::run(&env, line);
    terminal.shows("so far").press("\u{3}").prompts(1);
    terminal.ends_with("you> hang here");
    terminal.press("\u{15}").say("One service?");
    terminal.shows("First question?").prompts(2).say("/exit");
    assert_eq!(terminal.end(), 3);
    let env = TestEnv::new().with_documents();
    let terminal = Terminal::run(&env, line);
    terminal.shows("so far").press("\u{3}").prompts(1);
    terminal.press("\u{15}").say("/exit");
    assert_eq!(terminal.end(), 130);
}

#[test]
fn what_is_typed_while_a_reply_streams_is_not_printed_into_it() {
    let env = TestEnv::new().with_documents();
    let terminal = Terminal::run(&env, ANALYZE);
    terminal.prompts(1).say("hang here").shows("so far");
    terminal.press("typed ahead");
    terminal.press("\u{3}").prompts(2);
    terminal.ends_with("you> hang heretyped ahead");
    let screen = terminal.screen();
    assert_eq!(screen.matches("typed ahead").count(), 1, "{screen}");
    terminal.press("\u{15}\u{4}");
    assert_eq!(terminal.end(), 130);
}

#[test]
fn the_command_that_resumes_works_as_it_is_printed() {
    let env = TestEnv::new().with_documents();
    let ran = env.run(&format!("{ANALYZE} --db my.db"));
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    let (_, command) = ran.stderr.split_once("Resume with: superstep ").unwrap();
    let command = command.lines().next().unwrap();
    assert!(command.contains("--db my.db"), "{command}");
    let resumed = env.run(command);
    assert_eq!(resumed.code, 3, "{}", resumed.stderr);
    assert!(
        resumed.stdout.contains("First question?"),
        "{}",
        resumed.stdout
    );
}

#[test]
fn a_thread_is_resumed_by_the_beginning_of_its_name_or_as_the_last_one() {
    let env = TestEnv::new().with_documents();
    let thread = env.run(ANALYZE).thread();
    for name in [&thread[..10], "last", ""] {
        let ran = env.run(&format!("threads resume {name} {ARCHIE}"));
        assert_eq!(ran.code, 3, "{name}: {}", ran.stderr);
        assert!(ran.stdout.contains("First question?"), "{}", ran.stdout);
    }
    let other = env.run(ANALYZE).thread();
    let several = env.run(&format!("threads resume archie- {ARCHIE}"));
    assert_eq!(several.code, 2, "{}", several.stderr);
    for name in [&thread, &other] {
        assert!(several.stderr.contains(name.as_str()), "{}", several.stderr);
    }
    let terminal = Terminal::run(&env, &format!("threads resume {ARCHIE}"));
    terminal.shows("Resume which one?").prompts(1).say("2");
    terminal.shows("First question?").prompts(2);
    assert!(terminal.screen().contains(&format!("thread {thread}")));
}

#[test]
fn another_model_than_before_is_said() {
    let env = TestEnv::new().with_documents();
    let thread = env.run(ANALYZE).thread();
    env.write(
        "work/other.jsonl",
        "{\"script\": {\"name\": \"other\"}}\n{\"text\": \"So?\"}\n",
    );
    let ran = env.run(&format!(
        "threads resume {thread} --model script:other.jsonl"
    ));
    assert!(
        ran.stderr
            .contains("begun with script:archie; it continues with script:other"),
        "{}",
        ran.stderr
    );
    let same = env.run(&format!("threads resume {thread} {ARCHIE}"));
    assert!(!same.stderr.contains("begun with"), "{}", same.stderr);
}

#[test]
fn what_is_piped_in_belongs_to_the_question() {
    let env = TestEnv::new();
    env.write("work/knows.jsonl", KNOWS);
    for line in [
        "ask what_is_this --model script:knows.jsonl",
        "ask - --model script:knows.jsonl",
        "model chat what_is_this --model script:knows.jsonl",
    ] {
        let ran = env.run_with(line, "these are piped words\n");
        assert_eq!(ran.stdout, "They were piped.\n", "{line}: {}", ran.stderr);
    }
    let nothing = env.run("ask - --model script:knows.jsonl");
    assert_eq!(nothing.code, 2, "{}", nothing.stderr);
    // Nothing is asked, so no thread is made.
    assert_eq!(env.run("threads list --json").events().len(), 2);
}

#[test]
fn questions_in_the_shell_follow_each_other() {
    let env = TestEnv::new();
    env.write("work/knows.jsonl", KNOWS);
    let terminal = Terminal::run(&env, "shell --model script:knows.jsonl");
    terminal.prompts(1).say("Who owns the ledger?");
    terminal
        .shows("Lena does.")
        .prompts(2)
        .say("and since when?");
    terminal.shows("Since May.").prompts(3).say("/tokens");
    terminal.shows("2 turns, 2 calls").prompts(4).say("/new");
    terminal.prompts(5).say("and since when?");
    terminal.shows("Since when what?").prompts(6).say("/exit");
    assert_eq!(terminal.end(), 0);
    assert_eq!(env.run("threads list --json").events().len(), 2);
    let on = [
        "ask", "--thread", "last", "Who owns it?", "--model", "script:knows.jsonl",
    ];
    let on = env.run_words(&on);
    assert_eq!(on.stdout, "Lena does.\n", "{}", on.stderr);
    assert_eq!(env.run("threads list --json").events().len(), 2);
}

#[test]
fn a_mistyped_command_costs_nothing() {
    let env = TestEnv::new();
    let terminal = Terminal::run(&env, "shell --model script:FIXTURES/archie.jsonl");
    terminal.prompts(1).say("thraeds list");
    terminal.shows("Did you mean `threads list`?").prompts(2);
    terminal.say("y").shows("No threads yet.").prompts(3);
    terminal.say("superstep threads list");
    terminal
        .has_shown("No threads yet.", 2)
        .prompts(4)
        .say(":q");
    assert_eq!(terminal.end(), 0);
    let script = env.run_with(
        "shell --model script:FIXTURES/archie.jsonl",
        "thraeds list\n",
    );
    assert_eq!(script.code, 2, "{}", script.stderr);
    assert!(script.stderr.contains("did you mean"), "{}", script.stderr);
    assert_eq!(env.run("threads list --json").stdout, "");
}

#[test]
fn superstep_alone_opens_the_shell_at_a_terminal_and_helps_elsewhere() {
    let env = TestEnv::new();
    let terminal = Terminal::run(&env, "--model script:FIXTURES/archie.jsonl");
    terminal.prompts(1).say("who?").shows("The ledger does.");
    terminal.prompts(2).press("\u{4}");
    assert_eq!(terminal.end(), 0);
    let ran = env.run("");
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("Usage: superstep"), "{}", ran.stderr);
}

#[test]
fn slash_commands_are_not_sent_to_a_chat() {
    let env = TestEnv::new();
    let terminal = Terminal::run(&env, "model chat --model script:FIXTURES/talk.jsonl");
    terminal
        .prompts(1)
        .say("/help")
        .shows("tokens and cost so far");
    terminal
        .prompts(2)
        .say("/hlep")
        .shows("did you mean `/help`?");
    terminal.prompts(3).say("one").shows("You said one.");
    terminal.prompts(4).say("/tokens").shows("1 turn:");
    terminal
        .prompts(5)
        .press("\u{3}")
        .shows("Ctrl-C again leaves");
    terminal.prompts(6).say("/exit");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn what_cannot_work_is_said_before_a_thread_is_made() {
    let env = TestEnv::new().with_documents();
    for (words, message) in [
        (
            &["analyze", "--query", "x", "--inputs", "/nope"][..],
            "/nope",
        ),
        (
            &["analyze", "--query", "x", "--inputs", "docs", "--glob", "["],
            "invalid glob pattern",
        ),
        (
            &[
                "analyze", "--query", "x", "--inputs", "docs", "--out", "/nope/x.md",
            ],
            "/nope/x.md",
        ),
        (&["ask", ""], "the question is empty"),
    ] {
        let words = [words, &["--model", "script:x.jsonl"]].concat();
        let ran = env.run_words(&words);
        assert_eq!(ran.code, 2, "{words:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(message), "{words:?}: {}", ran.stderr);
    }
    assert_eq!(env.run("threads list --json").stdout, "");
}

#[test]
fn a_wrong_command_line_is_json_where_json_is_wanted() {
    let env = TestEnv::new();
    let ran = env.run("threads nonsense --json");
    assert_eq!((ran.code, &*ran.stdout), (2, ""));
    let error: serde_json::Value = serde_json::from_str(&ran.stderr).unwrap();
    assert_eq!(error["error"]["code"], "SS6050");
    assert_eq!(error["error"]["exit"], 2);
    let message = error["error"]["message"].as_str().unwrap();
    assert!(message.contains("nonsense"), "{message}");
}

#[test]
fn quiet_leaves_out_what_is_no_result_and_verbose_says_why() {
    let env = TestEnv::new();
    let quiet = env.run(&format!("ask who --quiet {ARCHIE}"));
    assert_eq!((&*quiet.stdout, &*quiet.stderr), ("The ledger does.\n", ""));
    let verbose = env.run(&format!("ask who --verbose {ARCHIE}"));
    assert!(
        verbose.stderr.contains("--model: taken"),
        "{}",
        verbose.stderr
    );
    let failed = env.run("threads show archie-1 --quiet --db nope.db");
    assert!(failed.stderr.contains("SS2015"), "{}", failed.stderr);
}
