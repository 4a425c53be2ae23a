//! A person at a terminal.

use crate::{
    env::{TestEnv, thread_in},
    terminal::Terminal,
};

const ANALYZE: &str = "analyze --query what --inputs docs --model script:FIXTURES/archie.jsonl";

#[test]
fn a_person_answers_looks_around_takes_an_answer_back_and_approves() {
    let env = TestEnv::new().with_documents();
    let terminal = Terminal::run(&env, ANALYZE);
    terminal.shows("First question?").prompts(1).say("/help");
    terminal.shows("undo your last answer").prompts(2);
    terminal.say("/documents").shows("plan.md").prompts(3);
    terminal.say("/undo").shows("there is no answer to undo");
    terminal
        .prompts(4)
        .say("/aprove")
        .shows("did you mean `/approve`?");
    terminal.prompts(5).say("one").shows("Second question?");
    terminal
        .prompts(6)
        .say("/undo")
        .shows("back at the previous question");
    terminal
        .has_shown("First question?", 2)
        .prompts(7)
        .say("another");
    terminal.has_shown("Second question?", 2).prompts(8);
    // What was taken back was paid for, too.
    terminal.say("/tokens").shows("2 turns, 3 calls").prompts(9);
    terminal.say("I think we are done.").prompts(10);
    terminal.say("y").shows("the analysis is in");
    let thread = thread_in(&terminal.screen()).unwrap();
    assert_eq!(terminal.end(), 0);
    let shown = env.run(&format!("threads show {thread}"));
    assert!(shown.stdout.contains("you: another"), "{}", shown.stdout);
    assert!(!shown.stdout.contains("you: one"), "{}", shown.stdout);
}

#[test]
fn every_undo_goes_one_answer_further_back() {
    let env = TestEnv::new().with_documents();
    env.write(
        "work/steps.jsonl",
        r#"{"when": {"contains": "second answer"}, "text": "Third?", "repeat": "always"}
{"when": {"contains": "first answer"}, "text": "Second?", "repeat": "always"}
{"text": "First?", "repeat": "always"}
"#,
    );
    let line = "analyze --query what --inputs docs --model script:steps.jsonl";
    let terminal = Terminal::run(&env, line);
    terminal.shows("First?").prompts(1).say("first answer");
    terminal.shows("Second?").prompts(2).say("second answer");
    terminal.shows("Third?").prompts(3).say("/undo");
    terminal.has_shown("Second?", 2).prompts(4).say("/undo");
    terminal.has_shown("First?", 2).prompts(5).say("/undo");
    terminal.shows("there is no answer to undo").prompts(6);
    terminal
        .say("first answer")
        .has_shown("Second?", 3)
        .prompts(7);
    terminal.say("/undo").has_shown("First?", 3).prompts(8);
}

#[test]
fn ctrl_c_stops_a_reply_and_keeps_the_thread_and_enter_tries_again() {
    let env = TestEnv::new().with_documents();
    let terminal = Terminal::run(&env, ANALYZE);
    terminal.prompts(1).say("hang here").shows("so far");
    terminal.press("\u{3}").prompts(2).press("\r");
    terminal.has_shown("so far", 2).press("\u{3}");
    terminal.prompts(3).press("\u{3}");
    terminal.shows("superstep threads resume");
    assert_eq!(terminal.end(), 130);
}

#[test]
fn an_empty_answer_is_asked_again_and_ctrl_d_leaves() {
    let env = TestEnv::new().with_documents();
    let terminal = Terminal::run(&env, ANALYZE);
    terminal.prompts(1).press("\r");
    terminal.prompts(2).press("  \r");
    terminal.prompts(3).press("\u{4}");
    terminal.shows("waits for an answer");
    let thread = thread_in(&terminal.screen()).unwrap();
    assert_eq!(terminal.end(), 3);
    let shown = env.run(&format!("threads show {thread} --json")).events();
    let said = shown[0]["state"]["analysis_history"].as_array().unwrap();
    assert_eq!(said.len(), 2, "{said:?}");
}

#[test]
fn several_lines_are_one_answer_typed_or_pasted() {
    let env = TestEnv::new().with_documents();
    let terminal = Terminal::run(&env, ANALYZE);
    terminal.prompts(1);
    terminal.press("\u{1b}[200~first line\nsecond line\u{1b}[201~");
    terminal.shows("second line").press("\r");
    terminal.shows("Second question?").prompts(2);
    terminal.press("typed \\\r").press("and more\r");
    terminal.shows("Third question?").prompts(3).press("\u{4}");
    terminal.shows("waits for an answer");
    let thread = thread_in(&terminal.screen()).unwrap();
    assert_eq!(terminal.end(), 3);
    let shown = env.run(&format!("threads show {thread} --json"));
    for said in ["first line\\nsecond line", "typed \\nand more"] {
        assert!(shown.stdout.contains(said), "{}", shown.stdout);
    }
}

#[test]
fn killed_at_the_prompt_the_question_is_there_and_what_was_typed_before_can_be_recalled() {
    let env = TestEnv::new().with_documents();
    let terminal = Terminal::run(&env, ANALYZE);
    terminal.prompts(1).say("a long thought");
    terminal.shows("Second question?").prompts(2);
    let thread = thread_in(&terminal.screen()).unwrap();
    terminal.kill();
    let line = format!("threads resume {thread} --model script:FIXTURES/archie.jsonl");
    let terminal = Terminal::run(&env, &line);
    terminal.shows("Second question?").prompts(1);
    // The arrow key brings back what was said in the process that is gone.
    terminal.press("\u{1b}[A").shows("you> a long thought");
    terminal.press("\r").shows("Third question?").prompts(2);
    terminal.say("/approve").shows("the analysis is in");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn nothing_a_model_says_acts_on_the_terminal() {
    let env = TestEnv::new().with_documents();
    let terminal = Terminal::run(&env, ANALYZE);
    terminal.prompts(1).say("escape");
    terminal.shows("abc?").prompts(2).press("\u{4}");
    let raw = String::from_utf8_lossy(&terminal.raw()).into_owned();
    for act in ["\u{1b}]0;owned", "\u{9b}2J", "\u{202e}", "\u{1b}[31mb"] {
        assert!(!raw.contains(act), "{act:?}");
    }
    assert_eq!(terminal.end(), 3);
}

#[test]
fn whoever_approves_is_told_of_what_nobody_sees() {
    let env = TestEnv::new().with_documents();
    let terminal = Terminal::run(&env, ANALYZE);
    terminal.prompts(1).say("escape").shows("abc?").prompts(2);
    terminal.shows("! The text above contains");
    terminal.shows("a<U+001B>]0;owned<U+0007>").press("\u{4}");
    assert_eq!(terminal.end(), 3);
}
