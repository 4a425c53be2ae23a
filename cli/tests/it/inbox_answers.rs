//! Answers of the inbox: which words count, to which question, and at which desk.

use serde_json::Value as Json;

use crate::{
    atris_calls::{posts, signed_in, until_approval, willing},
    env::{Ran, TestEnv},
    own::{clerk, example},
    post::questions,
    terminal::Terminal,
};

const MODEL: &str = "--model script:replies.jsonl";

/// A clerk whose model asks for these refunds at once, and then says the words.
fn asked_for(refunds: &[(u32, u32)], words: &str) -> TestEnv {
    let env = TestEnv::new().of_program(clerk());
    let calls = refunds.iter().map(|(number, euros)| {
        serde_json::json!({"name": "refund", "args": {"number": number, "euros": euros}})
    });
    let calls = serde_json::json!({"calls": calls.collect::<Vec<_>>()});
    let text = serde_json::json!({"text": words, "repeat": "always"});
    env.write("work/replies.jsonl", &format!("{calls}\n{text}\n"));
    let asked = env.run(&format!("run clerk refund {MODEL}"));
    assert_eq!(asked.code, 3, "{asked:?}");
    env
}

/// The id of the question that has this text.
fn id_of(env: &TestEnv, text: &str) -> String {
    let all = questions(env);
    let is_it = |it: &&Json| it["interrupts"].to_string().contains(text);
    let found = all.iter().find(is_it);
    found.unwrap_or_else(|| panic!("{text}: {all:?}"))["id"]
        .as_str()
        .unwrap()
        .to_owned()
}

fn asked_survey() -> TestEnv {
    let env = TestEnv::new().of_program(example("survey"));
    let asked = env.run("run survey shirts --no-input");
    assert_eq!(asked.code, 3, "{asked:?}");
    env
}

fn state(env: &TestEnv) -> Json {
    env.run("threads show last --json").events()[0]["state"].clone()
}

#[test]
fn words_approve_no_call_and_a_verb_does() {
    let env = asked_for(&[(7, 30)], "All is said.");
    let id = id_of(&env, "refund");
    for words in ["yes", "Y", "ok", "approve."] {
        let refused = env.run(&format!("inbox respond {id} {words} {MODEL}"));
        assert_eq!(refused.code, 2, "{words}: {refused:?}");
        assert!(
            refused.stderr.contains("use accept or ignore"),
            "{refused:?}"
        );
    }
    assert_eq!(questions(&env).len(), 1, "the question is still open");
    let told = env.run_words(&[
        "inbox", "respond", &id, "Yes, once the shop is open", "--model", "script:replies.jsonl",
    ]);
    assert_eq!(told.code, 0, "{told:?}");
    let said = state(&env)["messages"].to_string();
    assert!(said.contains("once the shop is open"), "{said}");
    assert!(!said.contains("refunded 30 euros"), "{said}");
}

#[test]
fn each_of_several_open_questions_has_an_id_and_is_answered_by_it() {
    let env = asked_survey();
    assert_eq!(questions(&env).len(), 2);
    let (color, size) = (id_of(&env, "color"), id_of(&env, "size"));
    let second = env.run(&format!("inbox respond {size} large"));
    assert_eq!(second.code, 3, "the other one is open: {second:?}");
    let left = questions(&env);
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!(left[0]["id"], *color);
    let late = env.run(&format!("inbox respond {size} small"));
    assert_eq!(late.code, 1, "{late:?}");
    assert!(late.stderr.contains("SS6032"), "{late:?}");
    let first = env.run(&format!("inbox respond {color} green"));
    assert_eq!(first.code, 0, "{first:?}");
    let state = state(&env);
    assert_eq!(
        (&state["color"], &state["size"]),
        (&"green".into(), &"L".into())
    );
}

#[test]
fn each_of_several_calls_is_approved_by_the_id_of_its_question() {
    let env = asked_for(&[(7, 30), (8, 40)], "Done.");
    let second = id_of(&env, "\"euros\":40");
    let done = env.run(&format!("inbox accept {second} {MODEL}"));
    assert_eq!(done.code, 3, "the other call is not decided: {done:?}");
    let left = questions(&env);
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!(left[0]["id"], *id_of(&env, "\"euros\":30"), "{left:?}");
    let named = env.run(&format!(
        "inbox ignore {} {MODEL}",
        id_of(&env, "\"euros\":30")
    ));
    assert_eq!(named.code, 0, "{named:?}");
    let said = state(&env)["messages"].to_string();
    assert!(said.contains("refunded 40 euros"), "{said}");
    assert!(!said.contains("refunded 30 euros"), "{said}");
}

#[test]
fn options_are_chosen_by_name_or_number_and_nothing_else_is_an_answer() {
    let env = asked_survey();
    let (color, size) = (id_of(&env, "color"), id_of(&env, "size"));
    let shown = env.run(&format!("inbox show {color}"));
    assert!(shown.stdout.contains("2. green"), "{shown:?}");
    for words in ["blue", "0", "3"] {
        let refused = env.run(&format!("inbox respond {color} {words}"));
        assert_eq!(refused.code, 2, "{refused:?}");
        assert!(refused.stderr.contains("red, green"), "{refused:?}");
    }
    assert_eq!(env.run(&format!("inbox respond {color} 2")).code, 3);
    let done = env.run(&format!("inbox respond {size} Small"));
    assert_eq!(done.code, 0, "{done:?}");
    let state = state(&env);
    assert_eq!(
        (&state["color"], &state["size"]),
        (&"green".into(), &"S".into())
    );
}

#[test]
fn programs_read_which_agent_asks_and_which_answers_it_takes() {
    let env = asked_survey();
    let all = questions(&env);
    let color = all.iter().find(|it| it["options"][0] == "red").unwrap();
    assert_eq!(color["agent"], "survey");
    assert_eq!(color["takes"], serde_json::json!(["respond"]));
    assert_eq!(color["asks"], "question");
}

#[test]
fn an_answer_to_a_question_that_is_not_open_is_refused_by_every_agent() {
    let wrong = "0000-00000000";
    let refused = |ran: Ran| {
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.stderr.contains("SS6032"), "{ran:?}");
    };
    let env = TestEnv::new().with_documents();
    env.write("work/answers.txt", "/approve\n");
    let model = "--model script:FIXTURES/archie.jsonl";
    let ran = env.run(&format!(
        "analyze --query what --inputs docs --no-input {model}"
    ));
    assert_eq!(ran.code, 3, "{ran:?}");
    let resume = format!("threads resume last --answers answers.txt {model}");
    refused(env.run(&format!("{resume} --question {wrong}")));
    assert_eq!(questions(&env).len(), 1, "it is still open");

    env.write("work/shop/main.py", "print(1)\n");
    env.write(
        "work/replies.jsonl",
        include_str!("../../../agents/docgen/demo/replies.jsonl"),
    );
    let model = "--model script:replies.jsonl";
    let line = format!("docs shop --agents kpi --approve-above 1 --no-input {model}");
    let ran = env.run(&line);
    assert_eq!(ran.code, 3, "{ran:?}");
    env.write("work/answers.txt", "n\n");
    let resume = format!("threads resume last --answers answers.txt {model}");
    refused(env.run(&format!("{resume} --question {wrong}")));
    let id = id_of(&env, "kpi");
    let named = env.run(&format!("{resume} --question {id}"));
    assert_eq!(named.code, 0, "{named:?}");
}

#[test]
fn a_change_that_atris_proposes_is_accepted_in_the_inbox() {
    let server = willing();
    let env = signed_in(&server);
    until_approval(&env, "");
    let id = id_of(&env, "followUser");
    let refused = env.run(&format!("inbox respond {id} yes"));
    assert_eq!(refused.code, 2, "{refused:?}");
    assert_eq!(posts(&server), 0);
    let done = env.run(&format!("inbox accept {id}"));
    assert_eq!(done.code, 0, "{done:?}");
    assert_eq!(posts(&server), 1);
    assert!(questions(&env).is_empty());
}

/// An agent whose desk takes the answers, with an open question.
fn asked_press() -> TestEnv {
    let env = TestEnv::new().of_program(example("press"));
    let asked = env.run("run press Fire --no-input");
    assert_eq!(asked.code, 3, "{asked:?}");
    env
}

#[test]
fn the_desk_of_an_own_agent_takes_the_answers() {
    let env = asked_press();
    let id = id_of(&env, "Fire");
    let dry = env.with("PRESS_DRY", "1");
    let kept = dry.run(&format!("inbox accept {id}"));
    assert_eq!(kept.code, 0, "{kept:?}");
    assert!(
        kept.stdout.contains("not sent: this is a dry run"),
        "{kept:?}"
    );
    assert_eq!(questions(&dry).len(), 1);
    let account = dry.run(&format!("inbox accept {id} --send"));
    assert_eq!(account.code, 2, "options of mail are for mail: {account:?}");
    let done = dry.run(&format!("inbox accept {id} --rehearse"));
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.stdout.contains("the page was printed"), "{done:?}");
    assert!(questions(&dry).is_empty());
}

#[test]
fn a_rehearsal_is_refused_where_there_is_no_dry_run() {
    let env = asked_survey();
    let id = id_of(&env, "color");
    let refused = env.run(&format!("inbox respond {id} red --rehearse"));
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(
        refused.stderr.contains("survey acts for real"),
        "{refused:?}"
    );
}

#[test]
fn a_question_of_an_agent_that_is_not_there_is_shown_and_its_answer_refused() {
    let env = asked_survey().of_program(env!("CARGO_BIN_EXE_superstep").into());
    assert_eq!(questions(&env).len(), 2);
    let listed = env.run("threads list --waiting");
    assert!(listed.stdout.contains("of `survey`, which"), "{listed:?}");
    let id = id_of(&env, "color");
    let shown = env.run(&format!("inbox show {id}"));
    assert!(shown.stdout.contains("1. red"), "{shown:?}");
    let refused = env.run(&format!("inbox respond {id} red"));
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(
        refused.stderr.contains("does not have the agent `survey`"),
        "{refused:?}"
    );
}

#[cfg(unix)]
#[test]
fn the_screen_says_which_agent_acts_for_real_and_gives_answers_at_its_desk() {
    let env = asked_press();
    let terminal = Terminal::run(&env, "inbox");
    terminal
        .shows("inbox: 1 question  for real: press")
        .shows("q leave");
    terminal
        .press("a")
        .shows("Print 1 page: the readers?")
        .press("y");
    terminal
        .shows("the page was printed")
        .shows("inbox: 0 questions");
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
    assert!(questions(&env).is_empty());
}
